"""How what memoryd knows looks on the screens: styled texts. What is remembered is never read as markup."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from textual.content import Content

from memoryd_cli.base.decisions import AGAIN
from memoryd_cli.base.output import one_line, printable
from memoryd_cli.ui.turns import LiveTurn
from memoryd_client.base.wording import counted
from memoryd_client.relation_words import beside
from memoryd_client.wire.history import HistoryEntry
from memoryd_client.wire.memory import Memory, State
from memoryd_client.wire.origin import Origin
from memoryd_client.wire.purging import PurgePlan
from memoryd_client.wire.traces import CandidateTrace, Trace
from memoryd_client.wire.transcripts import TranscriptRecord

LIGHT = "$foreground-muted"
HEAD = "bold $text-accent"
_LONGEST = 300
"""Characters of a text of which a list shows one line."""
BRIEF = 44
"""Characters of a text that is only named."""
_EVENTS = {
    "ADD": "stored",
    "UPDATE": "changed",
    "DELETE": "forgotten",
    "MERGE": "merged",
    "SUPERSEDE": "replaced",
    "LINK": "linked",
    "UNLINK": "unlinked",
    "TTL": "expired",
    "RESTORE": "restored",
    "UNDO": "undone",
    "CONSENT": "consent",
    "PURGE": "purged",
}
PASSED_OVER = 12
"""Of what was passed over, the nearest are shown."""


def line(text: str) -> str:
    """Return a text in one printable line, as much as a list can show."""
    return one_line(text[: 2 * _LONGEST])[:_LONGEST]


def brief(text: str) -> str:
    """Return the beginning of a text, short enough to be named in passing."""
    told = line(text)
    return told if len(told) <= BRIEF else f"{told[: BRIEF - 1].rstrip()}…"


def head(title: str, count: int | None = None) -> Content:
    """Return a heading, with how many there are."""
    return Content.assemble("\n", (title, HEAD), ("" if count is None else f"  {count}", LIGHT), "\n")


def moment(at: datetime | str) -> str:
    """Return a moment on the clock of this machine."""
    if isinstance(at, str):
        try:
            return moment(datetime.fromisoformat(at))
        except ValueError:
            return at
    at = at if at.tzinfo else at.replace(tzinfo=UTC)
    try:
        return f"{at.astimezone():%Y-%m-%d %H:%M}"
    except (OverflowError, OSError, ValueError):
        return f"{at:%Y-%m-%d %H:%M}"


def clock(at: str) -> str:
    """Return the time of day of a moment."""
    return moment(at)[11:] or "     "


# --- turns ----------------------------------------------------------------------------------------------------------


def turn_row(turn: LiveTurn) -> Content:
    """Return a turn in one line: when, where, what was said, and what came of it."""
    found = [
        (f"+{len(turn.kept)}" if turn.kept else " ·", "$text-success" if turn.kept else LIGHT),
        (f"{len(turn.written):>2}w" if turn.written else "   ", "$text-warning"),
    ]
    told = turn.said or "; ".join(f"{_event(one.event)}: {one.text}" for one in turn.written)
    name = line(turn.session)[:12] if turn.session else ""
    return Content.assemble((clock(turn.at), LIGHT), " ", *found, " ", (f"{name:<12}", "$text-accent"), " ", line(told))


def turn_details(turn: LiveTurn, said: str = "") -> Content:
    """Return all that is known of a turn; `said` is what was said, whole."""
    parts: list[Content] = []
    where = ", ".join(filter(None, (turn.session, f"turn {turn.number}" if turn.number else "", turn.agent)))
    parts.append(Content.assemble((line(where) or "outside any session", "bold"), (f"  {moment(turn.at)}\n", LIGHT)))
    if turn.project:
        parts.append(Content.styled(f"{printable(turn.project)}\n", LIGHT))
    if turn.trace:
        parts.append(head("Said"))
        parts.append(Content(printable(said or turn.said) + "\n"))
        parts += _decided(turn, turn.trace)
    parts.append(head("Written", len(turn.written)))
    parts += [
        Content.assemble((f"{_event(one.event):<10}", "$text-warning"), printable(one.text), "\n")
        for one in turn.written
    ]
    if not turn.written:
        parts.append(Content.styled("nothing yet\n", LIGHT))
    return Content.assemble(*parts)


def _decided(turn: LiveTurn, trace: Trace) -> Iterable[Content]:
    yield head("Brought up", len(turn.kept))
    for one in turn.kept:
        given = " (given)" if one.id in turn.handed else ""
        yield Content.assemble(("+ ", "$text-success"), printable(one.summary), (given, "$text-success"), "\n")
        yield _why(one)
    if not turn.kept or AGAIN in trace.outcome:
        yield Content.styled(f"{printable(trace.outcome)}\n", LIGHT)
    passed = turn.passed_over
    yield head("Passed over", len(passed))
    for one in passed[:PASSED_OVER]:
        yield Content.assemble(("- ", LIGHT), printable(one.summary), "\n")
        yield _why(one)
    if len(passed) > PASSED_OVER:
        yield Content.styled(f"and {len(passed) - PASSED_OVER} more\n", LIGHT)
    yield head("How")
    topic = "a new topic" if trace.topic_changed else "the same topic"
    total = trace.timings_ms.get("total", sum(trace.timings_ms.values()))
    yield Content.styled(f"{topic}, {trace.judge or 'no judge'}, {total:.0f} ms\n", LIGHT)


def _why(one: CandidateTrace) -> Content:
    return Content.styled(f"  {printable(one.reason)}\n", LIGHT)


def _event(name: str) -> str:
    return _EVENTS.get(name, name.lower())


# --- memories -------------------------------------------------------------------------------------------------------


def memory_row(memory: Memory) -> Content:
    """Return a memory in one line."""
    mark = "*" if memory.pinned else " "
    state = "" if memory.active else f" ({memory.state.value})"
    return Content.assemble(
        (mark, "$text-warning"),
        (f"{line(memory.category)[:10]:<10} ", "$text-accent"),
        line(_title(memory)),
        (state, LIGHT),
    )


def found_row(category: str, summary: str, score: float) -> Content:
    """Return a memory that was searched for in one line."""
    return Content.assemble((f"{score:4.2f} ", LIGHT), (f"{line(category)[:10]:<10} ", "$text-accent"), line(summary))


def _title(memory: Memory) -> str:
    return memory.title or memory.content


def memory_details(origin: Origin, said: Sequence[TranscriptRecord]) -> Content:
    """Return a memory with all that is known of it; `said` are the messages that it rests on."""
    memory = origin.memory
    parts = [Content.styled(f"{printable(memory.title)}\n", "bold")] if memory.title else []
    parts.append(Content(f"{printable(memory.content)}\n\n"))
    parts += [
        Content.assemble((f"{name:<10} ", LIGHT), printable(value), "\n") for name, value in _facts(memory) if value
    ]
    parts += _provenance(memory, said)
    parts += _relations(origin)
    parts.append(head("History", len(origin.history)))
    parts += [history_row(entry) for entry in origin.history]
    parts.append(head("Considered in turns", len(origin.shown)))
    for shown in origin.shown:
        verdict = "given" if shown.kept else "left out"
        parts.append(
            Content.assemble(
                (f"{moment(shown.at)} ", LIGHT), f"{printable(shown.session)} turn {shown.turn}, {verdict} "
            )
        )
        parts.append(Content.styled(f"{printable(shown.reason)}\n", LIGHT))
    return Content.assemble(*parts)


def _facts(memory: Memory) -> Iterable[tuple[str, str]]:
    state = memory.state.value
    if memory.state is State.SUPERSEDED and memory.superseded_by:
        state = f"replaced by {memory.superseded_by}"
    yield "category", memory.category
    yield "reaches", f"{memory.scope.value} {memory.project}".strip()
    yield "state", f"{state}{', pinned' if memory.pinned else ''}"
    yield "tags", ", ".join(memory.tags)
    yield "importance", f"{memory.importance} of 5, trust {memory.trust:g}"
    yield "written by", ", ".join(filter(None, (memory.source.value, memory.speaker, memory.agent)))
    yield "happened", moment(memory.occurred_at) if memory.occurred_at else ""
    yield "lasts until", moment(memory.expires_at) if memory.expires_at else ""
    yield "stored", moment(memory.created_at)
    yield "given", counted(memory.access_count, "time") if memory.access_count else "never"
    yield "files", ", ".join(memory.files)
    yield "destroyed", moment(memory.purge_at) if memory.purge_at else ""
    yield from memory.metadata.items()
    yield "id", memory.id


def _provenance(memory: Memory, said: Sequence[TranscriptRecord]) -> Iterable[Content]:
    yield head("Where it comes from")
    if not memory.session:
        yield Content.styled("It was not taken from a conversation.\n", LIGHT)
        return
    span = memory.source_messages
    where = f", messages {span[0]} to {span[1]}" if span else ""
    yield Content.styled(f"session {printable(memory.session)}{where}\n", LIGHT)
    yield from (message(one) for one in said)
    if memory.sources:
        yield Content.styled(f"confirmed in {printable(', '.join(memory.sources))}\n", LIGHT)


def message(one: TranscriptRecord) -> Content:
    """Return what was said, and by whom."""
    return Content.assemble((f"{printable(one.who)}: ", "bold $text-accent"), printable(one.content), "\n")


def _relations(origin: Origin) -> Iterable[Content]:
    others = {other.id: other for other in origin.others}
    told = beside(origin.edges, origin.memory.id)
    yield head("Relations", len(told))
    for words, other_id in told:
        other = others.get(other_id)
        text = line(_title(other)) if other else "a memory that is gone"
        yield Content.assemble((f"{words} ", "$text-accent"), text, "\n")


def history_row(entry: HistoryEntry) -> Content:
    """Return a write in one line, with the text it replaced."""
    by = f" by {printable(entry.actor)}" if entry.actor else ""
    was = f"  was: {line(entry.old)}" if entry.old and entry.new and entry.old != entry.new else ""
    return Content.assemble(
        (f"{moment(entry.at)} ", LIGHT), _event(entry.event), (f"{by}, operation {entry.operation}{was}\n", LIGHT)
    )


def purge_plan(memory: Memory, plan: PurgePlan) -> Content:
    """Return what a purge of a memory would destroy."""
    parts = [
        Content(f"{line(_title(memory))}\n"),
        Content.styled("Nothing brings it back: not undo, not a backup.\n", "$text-error"),
    ]
    if merged := len(plan.ids) - 1:
        parts.append(Content(f"{counted(merged, 'memory')} merged into it would go with it.\n"))
    if plan.replaced:
        parts.append(Content(f"{counted(len(plan.replaced), 'memory')} that it replaced would stay replaced.\n"))
    told = len(plan.entries) + plan.more
    parts.append(head("Told in transcripts", told))
    parts += [
        Content.assemble((f"{printable(one.session)} {one.sequence} ({one.reason}) ", LIGHT), line(one.excerpt), "\n")
        for one in plan.entries[:8]
    ]
    if told > 8:
        parts.append(Content.styled(f"and {told - 8} more\n", LIGHT))
    if plan.retold:
        parts.append(head("Retold in summaries", len(plan.retold)))
        parts += [Content(f"{line(_title(one))}\n") for one in plan.retold[:4]]
    if plan.resting:
        parts.append(head("Rest on that, too, and stay", len(plan.resting)))
        parts += [Content(f"{line(_title(one))}\n") for one in plan.resting[:4]]
    if plan.unreadable:
        parts.append(
            Content.styled(f"{counted(plan.unreadable, 'entry')} cannot be read, and may tell it, too.\n", LIGHT)
        )
    if plan.leaves:
        parts.append(Content.styled(f"{line(plan.leaves)}\n", LIGHT))
    return Content.assemble(*parts)
