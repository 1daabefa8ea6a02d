"""Whether a text says in the same words what another one says already, so that showing both tells nothing.

Cosine cannot tell: above 0.85 lie half of all true duplicates and half of all contradictions. So each sentence has to
be there, in order, and differ in nothing but what merging passes over, too (`comparison.canon`): of pairs that
contradict each other only those pass that are equal to the letter (`benchmarks/duplicates.py`).
"""

from datetime import date, datetime
from itertools import islice

import msgspec

from memoryd_actors.comparison.canon import Canon, canon, equal, layout
from memoryd_actors.core.remembered import remembered
from memoryd_actors.memory.described import SESSION, voice
from memoryd_actors.redaction.finding import MARKER
from memoryd_actors.texts.languages import words_of
from memoryd_actors.texts.negation import NEGATORS
from memoryd_actors.texts.sentences import sentences as split
from memoryd_client.wire.memory import Memory
from memoryd_client.wire.pending import ShownMemory

LONGEST_READ = 1_000
"""Characters that are taken apart; what follows them has to be equal to the letter."""
_LONG = 7
_MARKS = 8
_ENDING = 4
"""Letters that another form of a word may lose."""
_SHORT = 4
_TAKES_BACK = NEGATORS | words_of("searching", "takes_back")
"""Words by which one sentence takes back what another says."""


class DatedText(msgspec.Struct, frozen=True):
    """A text, who said it and when."""

    text: str
    voice: str = ""
    moment: datetime | None = None


def adds_nothing(new: DatedText, shown: DatedText) -> bool:
    """Return whether the sentences of `new` are in `shown`, beside one another, and nothing there takes them back.

    Who said it matters where a text speaks of "me", and the day where it speaks of "today". A text without words adds
    nothing to an equal one only.
    """
    if any(mark not in _folded(shown.text) for mark in _marks(new.text)):
        return False
    ours, theirs = sentences(new.text), sentences(shown.text)
    if not ours.parts:
        return new == shown
    # Two secrets that were taken out look alike, and are not.
    secret = MARKER.search(new.text) or MARKER.search(shown.text)
    if not (new.text == shown.text if secret else _within(ours, theirs)):
        return False
    if ours.personal and new.voice.casefold() != shown.voice.casefold():
        return False
    return not ours.dated or _day(new) == _day(shown)


def is_said_in(text: str, said: str) -> bool:
    """Return whether every sentence of a text is among those that were said."""
    if any(mark not in _folded(said) for mark in _marks(text)):
        return False
    ours, theirs = sentences(text), sentences(said)
    return (
        bool(ours.parts)
        and not ours.rest
        and all(any(equal(part, other) for other in theirs.parts) for part in ours.parts)
    )


def _within(ours: "Sentences", theirs: "Sentences") -> bool:
    count = len(ours.parts)
    for at in range(len(theirs.parts) - count + 1):
        if all(map(equal, ours.parts, theirs.parts[at : at + count])):
            rest = (*theirs.parts[:at], *theirs.parts[at + count :])
            if not rest:
                return ours.rest == theirs.rest and ours.layout == theirs.layout
            return not (ours.rest or ours.layout or theirs.layout or any(map(_takes_back, rest)))
    return False


def _takes_back(sentence: Canon) -> bool:
    """Return whether a sentence may deny another one: `No longer.`, `But not on Fridays.`."""
    words = [token.folded for token in sentence.tokens]
    return words[:1] != [] and (words[0] in _TAKES_BACK or (len(words) <= _SHORT and not NEGATORS.isdisjoint(words)))


def told(memory: Memory) -> DatedText:
    """Return what a memory says."""
    return DatedText(memory.content, voice(memory), memory.occurred_at or memory.created_at)


def told_again(memory: ShownMemory) -> DatedText:
    """Return what a memory says as it was handed over."""
    return DatedText(memory.content, memory.provenance.partition(SESSION)[0], memory.date)


class Sentences(msgspec.Struct, frozen=True):
    """What a text says."""

    parts: tuple[Canon, ...]
    """Its sentences, as they are compared."""
    rest: str
    """What follows the beginning that is taken apart."""
    layout: tuple[str, ...]
    """How its lines are indented, where they are."""
    personal: bool
    """Whether it depends on who says it."""
    dated: bool
    """Whether it depends on when it is said."""


@remembered(512)
def sentences(text: str) -> Sentences:
    """Take a text apart."""
    head, rest = text[:LONGEST_READ], text[LONGEST_READ:]
    parts = tuple(read for sentence in split(head) if (read := canon(sentence.text)).tokens)
    words = {token.folded.rstrip("'") for part in parts for token in part.tokens}
    return Sentences(parts, rest, layout(text), not _PERSONAL.isdisjoint(words), not _DATED.isdisjoint(words))


@remembered(4096)
def _marks(text: str) -> tuple[str, ...]:
    """Return how the first long words begin; other forms of a word do not change that.

    A text that lacks one of them need not be taken apart, which costs 50 times as much.
    """
    stripped = (word.strip(".,;:!?\"'()") for word in text[:LONGEST_READ].split())
    long = (word for word in stripped if len(word) >= _LONG and word.isalpha())
    return tuple(word[:-_ENDING].casefold() for word in islice(long, _MARKS))


@remembered(512)
def _folded(text: str) -> str:
    return text[:LONGEST_READ].casefold()


def _day(told: DatedText) -> date | None:
    return told.moment.date() if told.moment else None


_PERSONAL = words_of("searching", "own")
"""Words whose meaning depends on who says them."""
_DATED = words_of("searching", "now")
"""Words whose meaning depends on when they are said."""
