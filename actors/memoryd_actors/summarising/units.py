"""What of a conversation may stand for it: its sentences, without what tools, logs and code fill it with."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from memoryd_actors.capture import explicit
from memoryd_actors.summarising.ending import ENDINGS
from memoryd_actors.summarising.outcome import decides
from memoryd_actors.summarising.summary import Spoken
from memoryd_actors.texts.fence import one_line
from memoryd_actors.texts.hidden import strip_hidden
from memoryd_actors.texts.languages import typed
from memoryd_actors.texts.quoted import LOG_LINE
from memoryd_actors.texts.sentences import sentences
from memoryd_actors.texts.words import content_words

LONGEST_READ = 6_000
"""Characters of one message that are looked at: the beginning says what it is about."""
LONGEST_UNIT = 280
LONGEST_SETTLING = 24
"""Words of a sentence that chooses or corrects something; a longer one explains."""
FEWEST_WORDS = 3
"""Words that carry meaning, in a sentence that stands for others."""
PER_MESSAGE = 40
"""Sentences of one message that come into question."""
FEWEST_SHARE = 3
"""Messages that share a word which says what all is about: of two, it was mostly `last`, `good` and `file`."""
MOST_UNITS = 240
"""That are embedded and compared, 1.3 s of one core: as many for ten thousand messages as for a hundred."""
STRETCHES = 24
"""Parts of a long conversation, each of which is heard."""

_NO_USER = frozenset({"assistant", "system", "tool"})
_FENCED = re.compile(r"(```|~~~).*?(?:\1|\Z)", re.DOTALL)
_DECORATION = re.compile(r"^(?:[#>*\-•|\s]|\d{1,2}[.)]\s)+|[*_#|]{2,}")
_DECIDES = re.compile(rf"\b(?:{'|'.join(typed(one.settles) for one in ENDINGS)})\b", re.IGNORECASE)
_SPECIFIC = re.compile(
    rf"\d|(?<=[a-z,;:] )[A-Z][\w-]+|[\w-]+[./_][\w]+|\b(?:{'|'.join(one.mine for one in ENDINGS)})\b"
)
_ASKS = re.compile(r"[?\uff1f]\s*$")
_ANNOUNCES = re.compile(rf"\W*(?:{'|'.join(typed(one.announces) for one in ENDINGS)})\b", re.IGNORECASE)
_SETTLES = re.compile(
    rf"\W*(?:{'|'.join(f'{typed(one.chooses)}|{typed(one.corrects)}' for one in ENDINGS)})", re.IGNORECASE
)
_TOLD_BEFORE = re.compile(r'(?<!The assistant) said: "(?P<said>.*)"\Z')
"""A line of an earlier summary that quotes a user."""
_SUPPOSES = re.compile(rf"\W*(?:{'|'.join(typed(one.supposes) for one in ENDINGS)})\b", re.IGNORECASE)
DECISION = 0.5
QUESTION = 0.3
SPECIFIC = 1.0
BY_USER = 0.25
"""By how much more a sentence counts that decides or explains something, that a user asks, that names something of its
own, that a user says. Of what stands in summaries of LoCoMo sessions, 56% is what people noted as worth knowing, 44% of
all that is said is; without what is specific 47%."""
FOCUS = 12.0
"""For what is as near as can be to what who asks cares for: more than all of these together. With a question as focus
a summary of 200 tokens of a LoCoMo session tells .63 of what answers it, at 2.0 .41, without focus .27; the messages
nearest to the question, and nothing else, .85 (`python -m benchmarks.focus`)."""


class Unit(msgspec.Struct, frozen=True):
    """A sentence that may stand for others."""

    text: str
    who: str
    place: int
    """Which message it is of, counted from the beginning; of what an earlier summary said below zero."""
    role: str = "user"
    asks: bool = False
    decides: bool = False
    specific: bool = False
    """Whether it names a number, a name, a file, something of somebody's own."""
    worth: float = 0.0
    """How much it speaks of what the conversation speaks of."""
    settles: bool = False
    """Whether a user decides or corrects something with it, or asks to have it remembered: no summary leaves it out."""
    slight: bool = False
    """Whether it has few words of its own, as small talk has: quoted where there is room for all else."""
    nearness: float = 0.0
    """To what matters most to who asks, 0 to 1."""

    @property
    def boost(self) -> float:
        """By how much more it counts for what it is, from 1."""
        asked = QUESTION * (self.asks and self.by_user)
        return (
            1
            + DECISION * self.decides
            + SPECIFIC * self.specific
            + BY_USER * self.by_user
            + asked
            + FOCUS * self.nearness
        )

    @property
    def by_user(self) -> bool:
        """Whether a person said it."""
        return self.role not in _NO_USER

    @property
    def point(self) -> str:
        """The sentence as a summary quotes it: in the past tense, by whom, in marks; what is earlier as it was."""
        if self.place < 0:
            return self.text
        verb = "asked" if self.asks else "said"
        return f'{self.who} {verb}: "{self.text}"'


def units(said: Sequence[Spoken], *, slight: bool = False) -> list[Unit]:
    """Return the sentences of a conversation that say something, at most `MOST_UNITS`, in order; `slight` ones as well.

    Of more than that, each stretch of the conversation keeps those that speak most of what all of it speaks of: the
    mean weight of their words, as in SumBasic (Nenkova and Vanderwende, 2005), and twice said is once kept.
    """
    found: list[tuple[Unit, set[str]]] = []
    spoken: Counter[str] = Counter()
    seen: set[str] = set()
    for place, one in enumerate(said):
        if one.kind != "message" or one.role in {"tool", "system"}:
            continue
        for unit in _of_message(one, place):
            key = unit.text.casefold()
            words = set(content_words(unit.text))
            few = len(words) < (1 if unit.settles else FEWEST_WORDS)
            if key in seen or (few and not (slight and words)):
                continue
            seen.add(key)
            spoken.update(words)
            found.append((msgspec.structs.replace(unit, slight=few), words))
    weighed = [
        msgspec.structs.replace(unit, worth=sum(math.log1p(spoken[word]) for word in words) / len(words))
        for unit, words in found
    ]
    return _thinned(weighed)


def earlier_units(earlier: str) -> list[Unit]:
    """Return what an earlier summary said, line by line, in order.

    They are weighed as when they were said: a decision is to outlive the small talk beside it in every later summary.
    """
    lines = [one_line(line[2:].strip(), 600) for line in earlier.split("\n") if line.startswith("- ")]
    return [
        Unit(
            line,
            "",
            place - len(lines),
            role="assistant" if line.startswith("The assistant ") else "",
            decides=bool(_DECIDES.search(line)),
            specific=bool(_SPECIFIC.search(line)),
            settles=(quoted := _TOLD_BEFORE.search(line)) is not None
            and (_settles(quoted["said"]) or bool(explicit(quoted["said"]))),
        )
        for place, line in enumerate(lines)
    ]


def topics(found: Iterable[Unit], most: int) -> list[str]:
    """Return the words that most of the messages share, the commonest first; none where few do."""
    said = {
        (word, unit.place): None
        for unit in found
        if unit.place >= 0
        for word in content_words(unit.text)
        if word.isalpha() and len(word) > 3
    }
    counts = Counter(word for word, _ in said)
    return [word for word, count in counts.most_common(most) if count >= FEWEST_SHARE]


def _of_message(one: Spoken, place: int) -> list[Unit]:
    text = _FENCED.sub("\n", strip_hidden(one.text)[:LONGEST_READ])
    # What somebody quotes is not what they say.
    text = "\n".join(
        line for line in text.split("\n") if not LOG_LINE.match(line) and not line.lstrip().startswith(">")
    )
    who = one_line(one.name, 60) or (f"The {one.role}" if one.role else "Somebody")
    by_user = one.role not in _NO_USER
    asked = [captured.content for captured in explicit(text)] if by_user else []
    found: list[Unit] = []
    for sentence in sentences(text)[:PER_MESSAGE]:
        # A quotation in marks stays one: no mark of its own may end it.
        said = one_line(_DECORATION.sub("", sentence.text), LONGEST_UNIT).replace('"', "'").strip(" *`|")
        if _SUPPOSES.match(said):
            continue
        if said and not (one.role == "assistant" and _ANNOUNCES.match(said)):
            asks, explains = bool(_ASKS.search(said)), bool(_DECIDES.search(said))
            settles = by_user and (
                (not asks and _settles(said)) or any(sentence.text in one or one in sentence.text for one in asked)
            )
            specific = bool(_SPECIFIC.search(said))
            found.append(Unit(said, who, place, one.role, asks, explains, specific, settles=settles))
    return found


def _settles(said: str) -> bool:
    """Return whether a user's sentence decides or corrects something."""
    return decides(said) or (len(said.split()) <= LONGEST_SETTLING and _SETTLES.match(said) is not None)


def _thinned(found: list[Unit]) -> list[Unit]:
    if len(found) <= MOST_UNITS:
        return found
    if len(weighty := [unit for unit in found if not unit.slight]) <= MOST_UNITS:
        return weighty
    found = weighty
    kept: list[Unit] = []
    each = MOST_UNITS // STRETCHES
    for stretch in range(STRETCHES):
        begin, end = stretch * len(found) // STRETCHES, (stretch + 1) * len(found) // STRETCHES
        best = sorted(found[begin:end], key=lambda unit: (not unit.settles, -unit.worth * unit.boost))[:each]
        kept += sorted(best, key=lambda unit: unit.place)
    return kept
