"""Step 9 of the pipeline: memories as text that is ready for a prompt."""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence

import msgspec

from memoryd_actors.memory.consent import ADDED
from memoryd_actors.memory.described import MAX_LABEL, MAX_PROVENANCE, MAX_SUMMARY, SESSION
from memoryd_actors.memory.personal_matters import MATTERS
from memoryd_actors.memory.steps import CONTRADICTS, RELATED
from memoryd_actors.texts.fence import CLOSING, OPENING, PREFACE, defused, one_line
from memoryd_actors.texts.quoting import what_was_said
from memoryd_client.base.wording import LONGEST_ASKED, quoted
from memoryd_client.relation_words import relation_words
from memoryd_client.wire.consent import Consent
from memoryd_client.wire.memory import ID_PREFIX, PERSONAL
from memoryd_client.wire.pending import PendingMemory, RelatedMemory, ShownMemory, SurfacedMemory

CHARACTERS_PER_TOKEN = 3.5
"""Below the 4 of English prose, so that code and other languages stay within the budget, too."""
SHORTEST_LINE = 320
"""A head with all its parts at full length, and enough of the content to know what it is about."""
_HEAD = str.maketrans("[]<>", "()()")
"""No part of a head can end it early, or open a tag."""
SESSION_IN_HEAD = re.compile(rf"^( *- [^\[\n]*\[[^]\n]*?){SESSION}([^]\n]*)(?=, {ID_PREFIX}\w+\])", re.MULTILINE)
"""The head of a line, as far as its memory's session, and the session: what a memory says itself stands behind both."""
SHORT_ID = len(ID_PREFIX) + 8
MOST_QUESTIONS = 3
"""Proposals that one text asks about; the others wait for the next."""
MOST_RELATED = 2
"""Memories beside those that were asked for, in one text."""
EARLIER = "earlier"
"""What a near statement is to the newer one that it stands beneath."""
STANDING = "Always in force:"
STANDING_NEWS = "In force from now on:"
STANDING_CHANGED = "Changed, in force now:"
STANDING_MIXED = "New or changed, in force now:"
MOST_LISTED = 1_000
"""Memories that one `memoryd list` shows at most."""
LONGEST_LOOK = 120
"""Characters of the line that says what there is besides."""
RECALLED = "Recalled now:"


class StandingText(msgspec.Struct, frozen=True):
    """Standing memory as it is told."""

    memories: tuple[SurfacedMemory, ...] = ()
    lines: tuple[str, ...] = ()


NOTHING_STANDING = StandingText()


def standing_text(
    memories: Sequence[SurfacedMemory],
    *,
    tokens: int,
    counts: Mapping[str, int] | None = None,
    known: Collection[str] | None = None,
) -> StandingText:
    """Return what of standing memory fits into so many tokens, under a line that says what it is.

    `counts`: how many there are at all, by category; one line tells of those that have no room. `known`: the ids
    of those that the agent was told of in other words; None where it was told of nothing yet.
    """
    fitting = fit_standing(memories, tokens=tokens)
    if not fitting:
        return NOTHING_STANDING
    lines = [_heading([memory.id for memory, _ in fitting], known), *(text for _, text in fitting)]
    left = Counter(counts or {})
    left.subtract(memory.category for memory, _ in fitting)
    if (more := sum(count for count in left.values() if count > 0)) > 0:
        names = " ".join(f"-c {one_line(name, MAX_LABEL)}" for name in sorted(+left))
        look = f"memoryd list {defused(names)} -n {min(more + len(fitting), MOST_LISTED)}"
        lines.append(f"- {more} more come up where they fit; all: `{look}`"[:LONGEST_LOOK])
    return StandingText(tuple(memory for memory, _ in fitting), tuple(lines))


def _heading(ids: Sequence[str], known: Collection[str] | None) -> str:
    if known is None:
        return STANDING
    changed = sum(one in known for one in ids)
    return STANDING_CHANGED if changed == len(ids) else STANDING_MIXED if changed else STANDING_NEWS


def line(memory: ShownMemory, *, longest: int) -> str:
    """Return one memory as one bullet of at most `longest` characters; a cut is visible and names the way to more.

    Whatever the memory holds, it stays in its line and opens no tag; `longest` is at least `SHORTEST_LINE`.
    """
    category, where = one_line(memory.category, MAX_LABEL), one_line(memory.provenance, MAX_PROVENANCE)
    parts = (category or "memory", f"{memory.date:%Y-%m-%d}", where or "unknown", one_line(memory.id[:SHORT_ID]))
    # A heading stands beneath another: `TideTable > low_water`.
    head = f"- [{', '.join(parts).replace(' > ', ': ').translate(_HEAD)}] "
    # Escaping makes text longer, so it comes before the cut.
    text = head + defused(one_line(memory.content, longest))
    return text if len(text) <= longest else text[: longest - 2].rstrip() + " …"


def words_beside(relation: str, *, outgoing: bool) -> str:
    """Say in words what a memory is to the one that it is shown beside; `outgoing`: their edge begins at that one."""
    if relation == CONTRADICTS:
        return "contradicted by"
    if relation == RELATED:
        return "related"
    return relation_words(one_line(relation, MAX_LABEL), outgoing=outgoing)


def render(
    memories: Sequence[SurfacedMemory],
    *,
    turn: int,
    budget_tokens: int,
    changes: Sequence[str] = (),
    standing: StandingText = NOTHING_STANDING,
    consents: Sequence[Consent] = (),
) -> PendingMemory | None:
    """Return what fits the budget, best first, fenced as data; None where there is nothing.

    Where there is room left, a line or two beneath the memories say what contradicts them or is near to them.
    Standing memory comes first and has a budget of its own. The text is meant to be appended to the newest message, so
    that the cached part of the prompt stays as it is.
    """
    if not memories and not standing.lines and not changes and not consents:
        return None
    asked = list(consents[:MOST_QUESTIONS])
    budget = int(budget_tokens * CHARACTERS_PER_TOKEN) - len(OPENING) - len(PREFACE) - len(CLOSING) - 3
    while len(asked) > 1 and len(question(asked)) > budget // 2:
        asked.pop()
    header = [question(asked)] if asked else list[str]()
    budget -= sum(len(text) + 1 for text in header)
    room = budget // 4
    for change in changes:
        text = defused(one_line(change, MAX_SUMMARY))
        room -= len(text) + 1
        if room < 0:
            break
        header.append(text)
        budget -= len(text) + 1
    above = list(standing.lines)
    lines: list[str] = []
    if above and memories:
        above.append(RECALLED)
        budget -= len(RECALLED) + 1
    kept: list[SurfacedMemory] = []
    for memory in memories:
        # A single long memory may not crowd out the others, but the best one always gets in.
        text = line(memory, longest=max(SHORTEST_LINE, budget // 2))
        if kept and budget < len(text):
            continue
        lines.append(text)
        kept.append(memory)
        budget -= len(text) + 1
    beneath = _beneath(kept, budget)
    told = [each for n, text in enumerate(lines) for each in (text, *(below for _, below in beneath.get(n, ())))]
    text = "\n".join([OPENING, PREFACE, *header, *above, *told, CLOSING])
    return PendingMemory(
        text=text,
        memories=tuple(
            msgspec.structs.replace(one, related=tuple(beside for beside, _ in beneath.get(n, ())))
            if one.related
            else one
            for n, one in enumerate(kept)
        ),
        changes=tuple(changes),
        turn=turn,
        always=standing.memories,
        consents=tuple(one.id for one in asked),
    )


def _beneath(memories: Sequence[SurfacedMemory], room: int) -> dict[int, list[tuple[RelatedMemory, str]]]:
    """Return what stands beneath which of the memories, with its line, as far as there is room."""
    offered = [(n, one) for n, memory in enumerate(memories) for one in memory.related]
    chosen: dict[int, list[tuple[RelatedMemory, str]]] = {}
    left = MOST_RELATED
    for n, one in sorted(offered, key=lambda each: each[1].relation != CONTRADICTS):
        beside = words_beside(one.relation, outgoing=one.outgoing)
        words = (EARLIER if one.reason == EARLIER else beside).translate(_HEAD)
        text = f"  - {words}: {line(one, longest=max(SHORTEST_LINE, room // 2)).removeprefix('- ')}"
        if left and len(text) < room:
            chosen.setdefault(n, []).append((one, text))
            room -= len(text) + 1
            left -= 1
    return chosen


def question(consents: Sequence[Consent]) -> str:
    """Return the line that has the agent ask the user about proposed changes, in one line that opens no tag."""
    each = " ".join(f"May I remember{_about(one)}: {_asked_about(one)}?" for one in consents)
    return defused(f"Ask the user in these words: {each} Their yes or no in this conversation decides.")


def _about(consent: Consent) -> str:
    """Return whom a question is about, where that is sure: a name, a home or how somebody is may be another's."""
    return "" if consent.field in MATTERS and consent.category not in PERSONAL else " about you"


def _asked_about(consent: Consent) -> str:
    said = one_line(what_was_said(consent.proposed), LONGEST_ASKED)
    if consent.field in {consent.category, *MATTERS}:
        return quoted(said)
    field = one_line(consent.field, MAX_LABEL).removesuffix(ADDED).replace("_", " ")
    # A whole sentence says itself of what it is: `The user's preferred name is Mimi`.
    named = "" if field.casefold() in said.casefold() else f"{field} "
    instead = f" instead of {quoted(one_line(consent.current, LONGEST_ASKED))}" if consent.current else ""
    return f"{named}{quoted(said)}{instead}"


def standing_line(memory: ShownMemory, *, longest: int) -> str:
    """Return one standing memory as one bullet: its kind, its id and what it says."""
    head = f"- [{one_line(memory.category, MAX_LABEL) or 'memory'}, {one_line(memory.id[:SHORT_ID])}] "
    text = "- [" + head[3:-2].translate(_HEAD) + "] " + defused(one_line(memory.content, longest))
    return text if len(text) <= longest else text[: longest - 2].rstrip() + " …"


def fit_standing(memories: Sequence[SurfacedMemory], *, tokens: int) -> list[tuple[SurfacedMemory, str]]:
    """Return what of standing memory fits into so many tokens, in order, each with its line."""
    room = int(tokens * CHARACTERS_PER_TOKEN) - len(STANDING_MIXED) - LONGEST_LOOK - 2
    longest = max(SHORTEST_LINE, room // 3)
    fitting: list[tuple[SurfacedMemory, str]] = []
    for memory in memories:
        text = standing_line(memory, longest=longest)
        if len(text) < room:
            fitting.append((memory, text))
            room -= len(text) + 1
    return fitting
