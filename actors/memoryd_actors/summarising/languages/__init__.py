"""How people and their assistants tell how something ended, language by language."""

from memoryd_actors.summarising.languages.ending import Ending as Ending
from memoryd_actors.summarising.languages.english import ENGLISH
from memoryd_actors.summarising.languages.french import FRENCH
from memoryd_actors.summarising.languages.german import GERMAN
from memoryd_actors.summarising.languages.spanish import SPANISH

ENDINGS = (ENGLISH, GERMAN, FRENCH, SPANISH)

__all__ = ["ENDINGS", "Ending"]
