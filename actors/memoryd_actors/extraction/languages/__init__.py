"""How people tell what is worth remembering, language by language."""

from memoryd_actors.extraction.languages.english import ENGLISH as ENGLISH
from memoryd_actors.extraction.languages.french import FRENCH
from memoryd_actors.extraction.languages.german import GERMAN
from memoryd_actors.extraction.languages.spanish import SPANISH
from memoryd_actors.extraction.languages.telling import Telling as Telling

TELLINGS = (ENGLISH, GERMAN, FRENCH, SPANISH)

__all__ = ["ENGLISH", "TELLINGS", "Telling"]
