"""What the comparison knows of each language, as tables."""

from memoryd_actors.comparison.languages import english, french, german, spanish
from memoryd_actors.comparison.languages.frames import Compiled as Compiled
from memoryd_actors.comparison.languages.frames import compiled as compiled

_ALL = (english, german, french, spanish)
FRAMES = tuple(one.FRAMES for one in _ALL)
FIGURES = tuple(one.FIGURES for one in _ALL)
OPPOSITES = (german.OPPOSITES, french.OPPOSITES, spanish.OPPOSITES)

__all__ = ["FIGURES", "FRAMES", "OPPOSITES", "Compiled", "compiled"]
