"""The languages in which requests to remember and standing instructions are understood."""

from memoryd_actors.capture.languages.chinese import CHINESE
from memoryd_actors.capture.languages.dutch import DUTCH
from memoryd_actors.capture.languages.english import ENGLISH
from memoryd_actors.capture.languages.french import FRENCH
from memoryd_actors.capture.languages.german import GERMAN
from memoryd_actors.capture.languages.italian import ITALIAN
from memoryd_actors.capture.languages.japanese import JAPANESE
from memoryd_actors.capture.languages.language import Language as Language
from memoryd_actors.capture.languages.language import typed as typed
from memoryd_actors.capture.languages.polish import POLISH
from memoryd_actors.capture.languages.portuguese import PORTUGUESE
from memoryd_actors.capture.languages.russian import RUSSIAN
from memoryd_actors.capture.languages.spanish import SPANISH

LANGUAGES = (
    ENGLISH,
    GERMAN,
    FRENCH,
    SPANISH,
    ITALIAN,
    PORTUGUESE,
    DUTCH,
    POLISH,
    RUSSIAN,
    JAPANESE,
    CHINESE,
)

__all__ = ["LANGUAGES", "Language", "typed"]
