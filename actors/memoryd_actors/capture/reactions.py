"""Words of a reaction, which say nothing that could be remembered (`Good catch, remember that`)."""

import re
from typing import Final

_WORDS: Final = frozenset(
    """good nice great perfect excellent awesome cool right exactly correct true indeed well fine lovely brilliant wow
    oh ah aha hm yes yeah yep yup no nope ok okay sure alright catch point idea job spotted done call thanks thank you
    so very much a lot cheers got it that this is was the one makes sense interesting important noted agreed ha haha lol
    welcome glad to help happy of course absolutely certainly wonderful fantastic amazing all set there we go too also
    gut guter gute gutes super toll prima genau richtig stimmt hinweis danke vielen dank ja nein klar okay schön sehr
    perfekt klasse idee punkt alles gerne natürlich fertig erledigt das ist war ein eine""".split()
)
_WORD: Final = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")
_NUMBER: Final = re.compile(r"\d")


def is_reaction(text: str) -> bool:
    """Return whether a text is nothing but a reaction to something that was said."""
    words = _WORD.findall(text.casefold())
    return not _NUMBER.search(text) and all(word in _WORDS for word in words)
