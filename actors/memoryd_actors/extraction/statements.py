"""What is worth remembering of a conversation, found by rules: no model is asked.

A rule understands nothing, so it takes little and changes nothing: whole sentences in the words that were used, with
who said them. It takes what users tell of themselves, decide, correct and found to be the reason of a trouble, and of
their assistants only the last.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from memoryd_actors.capture import explicit, standing_instruction
from memoryd_actors.capture.kinds import CORRECTION, FACT, PREFERENCE
from memoryd_actors.capture.sentences import Sentence, sentences
from memoryd_actors.extraction.candidate import BY_RULE, Candidate
from memoryd_actors.extraction.heard import Heard
from memoryd_actors.extraction.signs import weigh
from memoryd_actors.recall.quoted import told_apart

LESSON: Final = "lesson"
THRESHOLD: Final = 0.6
"""Weight from which a sentence is taken; see `benchmarks/extraction.py` for what other values cost and bring."""
SURE: Final = 3.0
"""Weight of what is said in so many words: a decision, a correction, a lesson."""
LONGEST: Final = 230
"""Characters of what is quoted: with who said it, a fact has at most 280."""
FEWEST_WORDS: Final = 5

_DECIDES = re.compile(
    r"\b(?:we|i)(?:['\u2019]ve| have)? (?:just |finally |now |all )?(?:decided|agreed|settled on|opted|chose"
    r"|picked)\b(?! not sure)"
    r"|\b(?:we|i)(?:['\u2019]re| are|['\u2019]m| am|['\u2019]ll| will) (?:going|sticking|go|stick) with\b"
    r"(?! (?:that|it|this|them|your)\b)"
    r"|^\W*(?:ok(?:ay)?[,.]? |alright[,.]? |then |so )*let['\u2019]s (?:use|go with|stick (?:with|to)|switch to"
    r"|call (?:it|them)|name)\b",
    re.IGNORECASE,
)
_CORRECTS = re.compile(
    r"^\W*(?:no|nope|actually|correction|that['\u2019]s (?:wrong|not right|incorrect)"
    r"|not quite)\b[\s,.:;!\u2013\u2014-]+.*"
    r"\b(?:is|are|was|were|should be|has|have|uses?|runs?|lives?|means?|it['\u2019]s"
    r"|that['\u2019]s)\b.*\b(?:not|instead|rather than)\b",
    re.IGNORECASE,
)
_LEARNS = re.compile(
    r"\b(?:the|our|my) (?:real |actual |root )?(?:fix|cause|culprit|solution|reason|trick|bug|problem"
    r"|issue) (?:was|turned out|is that)\b"
    r"|\b(?:it )?turn(?:s|ed) out (?:that|to be|the)\b|\blesson(?:s)? learned\b|\b(?:i|we) learned that\b"
    r"|\b(?:that|this|which) (?:fixed|solved) (?:it|the)\b",
    re.IGNORECASE,
)
_PREFERS = re.compile(
    r"\b(?:i|we)(?:['\u2019]d)? (?:\w+ )?(?:prefer|love|like|enjoy|hate|dislike|can['\u2019]t stand|would rather)\b"
    r"|\b(?:my|our) (?:favou?rite|preference|preferred|go-to)\b|\b(?:i|we)['\u2019]d rather\b",
    re.IGNORECASE,
)
# Where a sentence stops telling and begins to ask.
_ASKS = re.compile(
    r"(?:[,;]|\s[-\u2013\u2014])?\s*\b(?:(?:and|but|so|or|because) )*(?:can you|could you|would you|do you"
    r"|how (?:can|do|should|would|could"
    r"|might|will)|what(?:['\u2019]s| is| are| do| can| should| would)|which (?:makes me|one)|should i|is (?:it"
    r"|this|that|there)\b"
    r"|are there|will (?:this|that|it)|(?:i['\u2019]m|i am|i was) (?:wondering|not sure|curious|unsure)"
    r"|i wonder|i want to"
    r" (?:make sure|ensure|know|understand|see)|i(?:['\u2019]d| would) like to|please)\b",
    re.IGNORECASE,
)
_LEADS_ON = re.compile(r"[\s,;]+(?:and|but|so|because|now|then)(?: now)?\Z", re.IGNORECASE)
_NEEDS_BEFORE = re.compile(
    r"^\W*(?:it(?! turn(?:s|ed) out)|that|this|they|these|those|she|he|then|there|both|also|and|but|so)\b",
    re.IGNORECASE,
)
_PLACEHOLDER = re.compile(r"\[redacted:")


@dataclass(frozen=True, slots=True)
class _Told:
    """A sentence, or the part of one that tells something."""

    text: str
    bare: str
    sentence: Sentence


def stated(messages: Sequence[Heard], *, threshold: float = THRESHOLD) -> list[Candidate]:
    """Return what rules find worth remembering in a conversation, oldest first."""
    found: list[Candidate] = []
    before = ""
    for message in messages:
        found += _of(message, before, threshold)
        before = message.text
    return list({one.content: one for one in found}.values())


def _of(message: Heard, before: str, threshold: float) -> Iterator[Candidate]:
    if message.role == "user" and (explicit(message.text, before) or standing_instruction(message.text)):
        return  # stored as soon as it was said
    parts = sentences(told_apart(message.text).said)
    weighed = [(one, _weight(one, message)) for one in map(_telling, parts)]
    at = 0
    while at < len(weighed):
        told, (weight, category) = weighed[at]
        at += 1
        if told is None or weight < threshold or _PLACEHOLDER.search(told.text):
            continue
        text = told.text
        previous = weighed[at - 2][0] if at > 1 else None
        if _NEEDS_BEFORE.match(told.bare):
            if previous is None or _NEEDS_BEFORE.match(previous.bare) or len(previous.text) + len(text) >= LONGEST:
                continue
            text = f"{previous.text} {text}"
        following = weighed[at] if at < len(weighed) else None
        if (
            text is told.text
            and following is not None
            and following[0] is not None
            and following[1][0] >= threshold
            and following[1][1] == category
            and len(text) + len(following[0].text) < LONGEST
        ):
            text = f"{text} {following[0].text}"
            at += 1
        yield _candidate(text, category, weight, message)


def _candidate(text: str, category: str, weight: float, message: Heard) -> Candidate:
    who = message.speaker or f"the {message.role}"
    quoted = " ".join(text.replace('"', "'").replace("\u201c", "'").replace("\u201d", "'").split())
    return Candidate(
        content=f'{who[0].upper()}{who[1:]} said: "{quoted}"',
        category=category,
        trust=BY_RULE,
        first=message.sequence,
        last=message.sequence,
        speaker=message.speaker or message.role,
        at=message.at,
        importance=2 if category == FACT else 3,
        weight=weight,
        metadata={"extracted": "rule", "rule": category},
    )


def _weight(told: _Told | None, message: Heard) -> tuple[float, str]:
    if told is None:
        return -1.0, FACT
    if _LEARNS.search(told.bare):
        return SURE, LESSON
    if message.role != "user":
        return -1.0, FACT
    if _CORRECTS.search(told.bare):
        return SURE, CORRECTION
    weight = weigh(told.bare)
    if _DECIDES.search(told.bare):
        return max(weight, SURE), FACT
    return weight, PREFERENCE if _PREFERS.search(told.bare) else FACT


def _telling(sentence: Sentence) -> _Told | None:
    """Return what a sentence tells before it asks; None where it only asks, or is too short or too long to be kept."""
    bare, text = sentence.bare, sentence.text
    asks = _ASKS.search(bare)
    if asks is not None:
        bare = _LEADS_ON.sub("", bare[: asks.start()].rstrip(" ,;-\u2013\u2014"))
        text = text[: len(bare)]
    elif bare.rstrip().endswith("?"):
        return None
    if len(bare.split()) < FEWEST_WORDS or len(text) > LONGEST:
        return None
    return _Told(text, bare, sentence)
