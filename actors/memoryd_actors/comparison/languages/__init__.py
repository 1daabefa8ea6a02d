"""What the comparison knows of each language, as tables."""

from memoryd_actors.comparison.languages.english import FRAMES as _ENGLISH
from memoryd_actors.comparison.languages.frames import Compiled as Compiled
from memoryd_actors.comparison.languages.frames import compiled as compiled
from memoryd_actors.comparison.languages.french import FRAMES as _FRENCH
from memoryd_actors.comparison.languages.german import FRAMES as _GERMAN
from memoryd_actors.comparison.languages.spanish import FRAMES as _SPANISH

FRAMES = (_ENGLISH, _GERMAN, _FRENCH, _SPANISH)

__all__ = ["FRAMES", "Compiled", "compiled"]
