"""The user's yes or no, in the conversation, to what memory asked through the agent whether it may keep."""

import re
from collections.abc import Iterable
from itertools import takewhile
from typing import Final

from memoryd_actors.texts.languages import ELSEWHERE, common_words, pattern_of, words_of
from memoryd_actors.texts.negation import NEGATORS, denies
from memoryd_actors.texts.sentences import sentences
from memoryd_actors.texts.stems import alike, stem_set
from memoryd_actors.texts.words import STOP_WORDS
from memoryd_client.wire.consent import Consent

MOST_WORDS: Final = 8
"""Of an answer: what is longer may be about more than the question."""
_YES: Final = words_of("capture", "yes")
_NO: Final = words_of("capture", "no")
_KEEPS: Final = words_of("capture", "keeps")
_DENIES: Final = NEGATORS | {"but", "aber"}
_USER: Final = words_of("comparison", "user") | words_of("personal", "user_words")
_BESIDE: Final = _YES | _KEEPS | STOP_WORDS
_PERSON: Final = stem_set(
    " ".join(f"{user} {user}'s {user}\u2019s l'{user} l\u2019{user}" for user in _USER)
) | common_words(ELSEWHERE)
"""Who a proposal is about: whom the question calls `you`, and whose it is `your`; and what says nothing by itself."""
_ROOT: Final = 5
_LONGEST_ENDING: Final = 3
"""Letters: `arbeitet` and `arbeitest` are one word."""
_AGREES, _REFUSES = (re.compile(rf"{pattern_of('capture', name)}(?= |\Z)") for name in ("agrees", "refuses"))
"""What several words say, as they stand at the beginning of an answer."""
_DELAYS: Final = words_of("capture", "delays")
"""What makes a yes one for later: `yes, but first ...`, `ja, wenn ...`."""
_TAKES_BACK: Final = words_of("capture", "takes_back")
"""What makes no answer of one that stands a line above: `Yes. / Actually, forget that.`."""
_SIGNS: Final = {
    **dict.fromkeys(("\U0001f44d", "\U0001f44c", "\u2705", "\u2714", "+1"), " yes "),
    **dict.fromkeys(("\U0001f44e", "\u274c", "\U0001f645", "-1"), " no "),
}
_SIGN: Final = re.compile(rf"(?:{'|'.join(map(re.escape, _SIGNS))})(?!\d)")
"""A thumb and the like, no `-10`; a word in its place reads the same in every language."""
_ASKS: Final = re.compile(r"[?\uff1f][\W_]*\Z")
_WORD: Final = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)?")


def yes_or_no(said: str) -> bool | None:
    """Return what a short message answers; None where it answers nothing, or not only that.

    A line by itself may be the answer, and what follows it something else that takes nothing back.
    """
    answer, _, rest = said.strip().partition("\n")
    plain = _plain(answer)
    words = _WORD.findall(plain)
    if not words or len(words) > MOST_WORDS or "?" in answer:
        return None
    if rest and not (_DENIES | _NO | _DELAYS | _TAKES_BACK).isdisjoint(_WORD.findall(_plain(rest))[:MOST_WORDS]):
        return None
    spelled = " ".join(words)
    if _is_only(_AGREES, spelled):
        return True
    if words[0] in _NO:
        return None if any(word in _YES for word in words) else False
    if _is_only(_REFUSES, spelled):
        return False
    return True if words[0] in _YES and not any(word in _DENIES | _DELAYS for word in words) else None


def _plain(said: str) -> str:
    plain = said[:200].casefold().replace("\u2019", "'").replace("n't", " not")
    return _SIGN.sub(lambda sign: _SIGNS[sign.group()], plain)


def _is_only(phrases: re.Pattern[str], spelled: str) -> bool:
    """Return whether an answer begins with one of the phrases, and says nothing else."""
    begins = phrases.match(spelled)
    return begins is not None and all(w in _BESIDE and w not in _DENIES for w in spelled[begins.end() :].split())


def asked_about(question: str, consents: Iterable[Consent]) -> list[Consent]:
    """Return the proposals that an agent's message asks about: whether memory may keep them, in all their words.

    Nothing else is asked behind that: a yes would answer it. What denies and the proposal does not is another question.
    """
    asks = [one.text for one in sentences(question) if _ASKS.search(one.text)]
    last = list(takewhile(lambda one: _KEEPS & {word.casefold() for word in _WORD.findall(one)}, reversed(asks)))
    told = [(alike(stem_set(one)), denies(one)) for one in last]
    return [one for one in consents if any(_asks(one.proposed, words, denied=denied) for words, denied in told)]


def _asks(proposed: str, words: frozenset[str], *, denied: bool) -> bool:
    about = alike(stem_set(proposed) - _PERSON)
    return bool(about) and denied == denies(proposed) and all(one in words or _is_form(one, words) for one in about)


def _is_form(word: str, words: Iterable[str]) -> bool:
    """Return whether one of the words is the same with another ending."""
    return any(
        len(short) >= _ROOT and long.startswith(short) and len(long) - len(short) <= _LONGEST_ENDING
        for short, long in (sorted((word, other), key=len) for other in words)
    )
