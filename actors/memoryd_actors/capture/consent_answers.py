"""The user's yes or no, in the conversation, to what memory asked through the agent whether it may keep."""

import re
from collections.abc import Iterable
from typing import Any, Final

from memoryd_actors.texts.languages import tables, words_of
from memoryd_actors.texts.sentences import sentences
from memoryd_actors.texts.stems import stem_set
from memoryd_actors.texts.words import STOP_WORDS
from memoryd_client.wire.consent import Consent

MOST_WORDS: Final = 8
"""Of an answer: what is longer may be about more than the question."""
_YES: Final = words_of("capture", "yes")
_NO: Final = words_of("capture", "no")
_KEEPS: Final = words_of("capture", "keeps")
_DENIES: Final = words_of("comparison", "negators") | {"but", "aber"}
_USER: Final = words_of("comparison", "user")
_BESIDE: Final = _YES | _KEEPS | STOP_WORDS
_PERSON: Final = stem_set(" ".join((*_USER, *(f"{user}{mark}s" for user in _USER for mark in "'\u2019"))))
"""Who a proposal is about: whom the question calls `you`, and whose it is `your`."""
_AGREES, _REFUSES = (
    re.compile(rf"(?:{'|'.join(one[name] for one in tables('capture', dict[str, Any]).values())})(?= |\Z)")
    for name in ("agrees", "refuses")
)
"""What several words say, as they stand at the beginning of an answer."""
_DELAYS: Final = words_of("capture", "delays")
"""What makes a yes one for later: `yes, but first ...`, `ja, wenn ...`."""
_SIGNS: Final = {
    **dict.fromkeys(("\U0001f44d", "\U0001f44c", "\u2705", "\u2714", "+1"), " yes "),
    **dict.fromkeys(("\U0001f44e", "\u274c", "\U0001f645", "-1"), " no "),
}
_SIGN: Final = re.compile("|".join(map(re.escape, _SIGNS)))
"""A thumb and the like; a word in its place reads the same in every language."""
_ASKS: Final = re.compile(r"[?\uff1f][\W_]*\Z")
_WORD: Final = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)?")


def yes_or_no(said: str) -> bool | None:
    """Return what a short message answers; None where it answers nothing, or not only that."""
    plain = said[:200].casefold().replace("\u2019", "'").replace("n't", " not")
    plain = _SIGN.sub(lambda sign: _SIGNS[sign.group()], plain)
    words = _WORD.findall(plain)
    if not words or len(words) > MOST_WORDS or "?" in said:
        return None
    spelled = " ".join(words)
    if _is_only(_AGREES, spelled):
        return True
    if words[0] in _NO:
        return None if any(word in _YES for word in words) else False
    if _is_only(_REFUSES, spelled):
        return False
    return True if words[0] in _YES and not any(word in _DENIES | _DELAYS for word in words) else None


def _is_only(phrases: re.Pattern[str], spelled: str) -> bool:
    """Return whether an answer begins with one of the phrases, and says nothing else."""
    begins = phrases.match(spelled)
    return begins is not None and all(w in _BESIDE and w not in _DENIES for w in spelled[begins.end() :].split())


def asked_about(question: str, consents: Iterable[Consent]) -> list[Consent]:
    """Return the proposals that an agent's message asks about: whether memory may keep them, in all their words."""
    asks = [one.text for one in sentences(question) if _ASKS.search(one.text)]
    told = stem_set(" ".join(one for one in asks if _KEEPS & {word.casefold() for word in _WORD.findall(one)}))
    return [one for one in consents if (proposed := stem_set(one.proposed) - _PERSON) and proposed <= told]
