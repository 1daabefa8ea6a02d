"""Procedural memory: numbered steps, created on request or where it is certain."""

import re

import msgspec

from memoryd_actors.comparison.canon import canon, equal
from memoryd_actors.core.errors import Refused
from memoryd_actors.memory.settings import BY_USER, PROCEDURAL, PROCEDURES, RULE, name_of
from memoryd_client.wire.memory import NewMemory, Source

CERTAIN = BY_USER
"""Trust from which a rule or workflow that was read out of a conversation is stored: that of a user's own word."""
REPEATED = "repeated"
"""Mark in the metadata of a workflow that was done more than once, as a conversation shows: it needs no such trust."""
SEEN = 0.6
"""Trust from which one that has the mark is stored: that of what was seen, not concluded."""
MOST_STEPS = 30
FEWEST_STEPS = 2
LONGEST_TRIGGER = 60
_TO = re.compile(r"\A\W*(?:(?:this is |here is )?how (?:to|we)|steps (?:to|for)|to|um zu)\s+", re.IGNORECASE)
_ITEM = re.compile(r"\s*(?:(?:step\s+)?\d{1,2}[.):]|[-*\u2022])\s+(?P<step>\S.*)", re.IGNORECASE)
_INLINE = re.compile(r"(?:^|\s)(\d{1,2})[.)]\s+")
_HANGS = re.compile(r"[,;](?:\s+(?:and|then|und|dann))*\Z", re.IGNORECASE)
"""What leads from a step to the next where they stand in one sentence."""
_LEAD = re.compile(
    r"(?:(?:first|then|next|finally|afterwards|please|and"
    r"|(?:you|we|i|one|the agent)(?:\s+(?:should|must|have to|need to|can|always|then|usually))?)\b[,:]?\s+)+",
    re.IGNORECASE,
)


def admitted(new: NewMemory) -> NewMemory:
    """Return a memory as it may become a rule or workflow; every other, and what was asked for, as it is given.

    Raises:
        Refused: it was read out of a conversation, and is uncertain or, of a workflow, has no steps.
    """
    category = name_of(new.category)
    if new.source is not Source.EXTRACTED or category not in {PROCEDURAL, RULE}:
        return _titled(new) if category in PROCEDURES else new
    needed = SEEN if category == PROCEDURAL and new.metadata.get(REPEATED) else CERTAIN
    if (new.trust or 0.0) < needed:
        raise Refused(
            f"a memory of the category `{category}` is only stored where somebody asks for it, or where it is certain",
            f"Store it with a trust of at least {needed}, or by a user's request.",
        )
    if category == RULE:
        return new
    content = numbered(new.content)
    if content is None:
        raise Refused(
            "a workflow has no steps", "Write one step to a line, numbered from 1, each beginning with what to do."
        )
    return _titled(msgspec.structs.replace(new, content=content))


def numbered(text: str) -> str | None:
    """Return steps as they are kept, numbered beneath their heading; None where there are none."""
    heading, steps = read(text)
    lines = [f"{number}. {step}" for number, step in enumerate(steps, 1)]
    return "\n".join([heading, *lines] if heading else lines) if steps else None


def _titled(new: NewMemory) -> NewMemory:
    """Return a procedure with what it is for as its title, where its heading says that and nobody else does."""
    heading, steps = read(new.content)
    trigger = _TO.sub("", heading).strip(" :,.").casefold()
    if new.title or len(steps) < FEWEST_STEPS or not 0 < len(trigger) <= LONGEST_TRIGGER:
        return new
    return msgspec.structs.replace(new, title=trigger)


def read(text: str) -> tuple[str, tuple[str, ...]]:
    """Return what stands before the steps, and the steps: imperative, without their numbers, at most `MOST_STEPS`."""
    heading, steps = _by_line(text)
    if len(steps) < 2:
        heading, steps = _in_line(text) or (heading, steps)
    return heading, tuple(step for step in map(_imperative, steps[:MOST_STEPS]) if step)


def same_steps(one: str, other: str) -> bool:
    """Return whether two procedures have the same steps, however they are numbered and set."""
    first, second = read(one)[1], read(other)[1]
    alike = zip(first, second, strict=False)
    return len(first) == len(second) >= FEWEST_STEPS and all(equal(canon(a), canon(b)) for a, b in alike)


def _by_line(text: str) -> tuple[str, list[str]]:
    """Read one step to a line; a line without a number goes on with the step before it."""
    heading: list[str] = []
    steps: list[str] = []
    for line in filter(None, map(str.strip, text.splitlines())):
        item = _ITEM.fullmatch(line)
        if item:
            steps.append(item["step"])
        elif steps:
            steps[-1] += f" {line}"
        else:
            heading.append(line)
    return " ".join(heading), steps


def _in_line(text: str) -> tuple[str, list[str]] | None:
    """Read `1. this 2. that`, counted from 1 without a gap."""
    marks: list[re.Match[str]] = []
    for mark in _INLINE.finditer(text):
        if int(mark[1]) == len(marks) + 1:
            marks.append(mark)
    if len(marks) < 2:
        return None
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    steps = [" ".join(text[mark.end() : end].split()) for mark, end in zip(marks, ends, strict=True)]
    return " ".join(text[: marks[0].start()].split()), steps


def _imperative(step: str) -> str:
    """Return a step that begins with what to do."""
    step = _HANGS.sub("", step.strip())
    bare = _LEAD.sub("", step, count=1) if _LEAD.match(step) else step
    return bare[:1].upper() + bare[1:]
