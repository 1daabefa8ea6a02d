"""How memories, history, traces and pending memory look as text."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from memoryd_cli.base.output import fields, note, one_line, out, out_json, printable, short_ids, table
from memoryd_client.base.errors import InvalidArgument
from memoryd_client.base.wording import counted
from memoryd_client.relation_words import beside
from memoryd_client.wire.edges import Edge
from memoryd_client.wire.history import HistoryEntry
from memoryd_client.wire.memory import PERSONAL, Memory, State
from memoryd_client.wire.origin import Origin
from memoryd_client.wire.pending import PendingMemory
from memoryd_client.wire.traces import CandidateTrace, Trace


def parse_date(text: str) -> datetime | None:
    """Read an ISO 8601 date or time, in UTC where it names no zone; nothing where it is empty."""
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise InvalidArgument(
            f"{text[:100]!r} is no date", "Write it as 2026-03-10 or 2026-03-10T14:30:00+01:00."
        ) from None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    try:
        moment.astimezone(UTC)
    except OverflowError:
        raise InvalidArgument(
            f"{text!r} is outside the calendar", "In UTC it goes from the year 1 to the year 9999; give another date."
        ) from None
    return moment


def states(*, everything: bool) -> tuple[str, ...]:
    """Return the states to list: active ones, or all."""
    return tuple(state.value for state in State) if everything else (State.ACTIVE.value,)


def summary(memory: Memory) -> str:
    """Return the title, or else the content; both where a title names a field: `language: Deutsch`."""
    if memory.title and memory.category in PERSONAL:
        return f"{memory.title}: {memory.content}"
    return memory.title or memory.content


def memory_table(memories: Sequence[Memory]) -> None:
    """Print one line per memory; the state only where one is not active."""
    ids = short_ids(memory.id for memory in memories)
    stated = not all(memory.active for memory in memories)
    ends = any(memory.expires_at is not None for memory in memories)
    columns = (
        "id",
        "date",
        "category",
        "scope",
        *(("state",) if stated else ()),
        *(("until",) if ends else ()),
        "memory",
    )
    rows = [
        (
            ids[memory.id],
            f"{memory.occurred_at or memory.created_at:%Y-%m-%d}",
            memory.category,
            memory.scope.value,
            *((memory.state.value,) if stated else ()),
            *((f"{memory.expires_at:%Y-%m-%d}" if memory.expires_at else "",) if ends else ()),
            summary(memory),
        )
        for memory in memories
    ]
    table(columns, rows, gives_way=("scope", "date", "category", "until", "state"))


def memory_fields(memory: Memory) -> Iterable[tuple[str, str]]:
    """Yield the fields that say something, the content last."""
    yield "id", memory.id
    yield "title", memory.title
    yield "category", memory.category
    yield "scope", f"{memory.scope}, {memory.project}" if memory.project else memory.scope.value
    yield "state", _state(memory)
    yield "tags", ", ".join(memory.tags)
    yield "trust", f"{memory.trust:g}"
    yield "importance", f"{memory.importance}{', pinned' if memory.pinned else ''}"
    yield "source", ", ".join(filter(None, (memory.source.value, memory.speaker, memory.session)))
    yield "files", ", ".join(memory.files)
    yield "happened", _moment(memory.occurred_at)
    yield "lasts until", _moment(memory.expires_at)
    yield "stored", _moment(memory.created_at)
    yield "updated", _moment(memory.updated_at) if memory.updated_at != memory.created_at else ""
    yield (
        "shown",
        f"{counted(memory.access_count, 'time')}, last {_moment(memory.last_accessed_at)}"
        if memory.access_count
        else "",
    )
    yield "confirmed", f"{memory.strength} times" if memory.strength > 1 else ""
    yield from memory.metadata.items()
    yield "owner", memory.owner
    yield "model", memory.embedding_model
    yield "content", memory.content


def _moment(moment: datetime | None) -> str:
    return f"{moment:%Y-%m-%d %H:%M %Z}" if moment else ""


def history_table(entries: Sequence[HistoryEntry]) -> None:
    """Print one line per write; the number is what `memoryd undo` takes, the gate is what it did to the text."""
    ids = short_ids({entry.memory_id for entry in entries})
    rows = [
        (
            str(entry.operation or ""),
            entry.at[:19],
            entry.event,
            ids[entry.memory_id],
            entry.actor,
            entry.meta.get("gate", ""),
            "; ".join(part for part in (entry.new or entry.old, _meant(entry)) if part),
        )
        for entry in entries
    ]
    columns = ("operation", "when", "event", "id", "by", "gate", "content")
    table(columns, rows, right=("operation",), gives_way=("gate", "by", "id", "when"))


def _meant(entry: HistoryEntry) -> str:
    """Return what a write without a text was about."""
    return ", ".join(f"{name} {value}" for name, value in entry.meta.items() if value and name != "gate")


def edge_table(edges: Sequence[Edge]) -> None:
    """Print what memories are to each other."""
    ids = short_ids({end for edge in edges for end in (edge.from_id, edge.to_id)})
    rows = [(ids[edge.from_id], edge.relation, ids[edge.to_id], f"{edge.strength:.2f}", edge.at[:19]) for edge in edges]
    table(("from", "relation", "to", "strength", "since"), rows, right=("strength",))


def _state(memory: Memory) -> str:
    if memory.state is not State.SUPERSEDED:
        return memory.state.value
    return f"superseded by {memory.superseded_by or 'what is gone: `memoryd restore` brings it back'}"


def destroyed(memory: Memory) -> str:
    """Return the line that says what a purge destroys."""
    return f"{memory.id} ({_state(memory)}): {one_line(summary(memory))[:200]}"


def origin(one: Origin) -> None:
    """Print where a memory comes from, what became of it, what it is to others, and when it was shown."""
    memory = one.memory
    # A user who speaks for themselves is one, not three.
    known = dict.fromkeys(filter(None, (memory.source.value, memory.role, memory.speaker)))
    written_by = ", ".join(known) + (f", through {memory.agent}" if memory.agent else "")
    span = memory.source_messages
    messages = f", messages {span[0]} to {span[1]}" if span else ""
    fields(
        [
            ("id", memory.id),
            ("memory", summary(memory)),
            ("state", _state(memory)),
            ("written by", written_by),
            ("session", memory.session + messages if memory.session else ""),
            ("confirmed by", ", ".join(memory.sources)),
            ("files", ", ".join(memory.files)),
            ("happened", _moment(memory.occurred_at)),
            ("lasts until", _moment(memory.expires_at)),
            ("stored", _moment(memory.created_at)),
            (
                "shown",
                f"{counted(memory.access_count, 'time')}, last {_moment(memory.last_accessed_at)}"
                if memory.access_count
                else "",
            ),
        ]
    )
    others = {other.id: other for other in one.others}
    rows: list[tuple[str, str, str, str]] = []
    ids = short_ids({memory.id, *others})
    for words, other_id in beside(one.edges, memory.id):
        if (other := others.get(other_id)) is not None:
            rows.append((words, ids[other.id], other.state.value, summary(other)))
    if rows:
        out()
        table(("is", "id", "state", "memory"), rows)
    if one.history:
        out()
        history_table(one.history)
    if one.shown:
        out()
        told = [
            (each.at[:19], each.session, str(each.turn), "handed over" if each.kept else "left out", each.reason)
            for each in one.shown
        ]
        table(("considered", "session", "turn", "verdict", "reason"), told, right=("turn",), wrap=True)


def pending(found: PendingMemory | None, *, as_json: bool) -> None:
    """Print what an agent is given: the text for its prompt, or everything about it as JSON (null: nothing)."""
    if as_json:
        out_json(found)
    elif found is None:
        note("nothing worth knowing")
    else:
        out(printable(found.text))


def trace(one: Trace) -> None:
    """Print one decision: what was asked, every candidate and its verdict, where the time went."""
    out(f"session {one.session or '(none)'}, turn {one.turn}, {one.at[:19]}, {one.trigger}: {one.outcome}")
    out(f"  focus    {printable(one.focus)}")
    out(f"  topic    {topic(one)}")
    if one.judge:
        out(f"  judge    {one.judge}")
    out(f"  timings  {timings(one)}")
    if one.candidates:
        candidates(one.candidates)


def topic(one: Trace) -> str:
    """Return whether the topic changed, and how similar it was to the one before."""
    since = "" if one.topic_turn in {None, one.turn} else f" on turn {one.topic_turn}"
    changed = f"changed{since}" if one.topic_changed else "same"
    return changed if one.topic_similarity is None else f"{changed}, similarity {one.topic_similarity:.2f}"


def timings(one: Trace) -> str:
    """Return the milliseconds of each stage, the total first."""
    stages = dict(one.timings_ms)
    total = stages.pop("total", sum(stages.values()))
    each = ", ".join(f"{stage} {spent:.1f}" for stage, spent in stages.items())
    return f"{total:.1f} ms" + (f": {each}" if each else "")


def candidates(found: Sequence[CandidateTrace]) -> None:
    """Print every candidate with its scores, the kept ones first, and then why: two tables that fit 80 columns."""
    ids = short_ids(candidate.id for candidate in found)
    ranked = sorted(found, key=lambda one: (not one.kept, -one.score))
    table(
        ("id", "verdict", "vector", "words", "boosts", "score", "judge", "memory"),
        [
            (
                ids[one.id],
                "kept" if one.kept else "dropped",
                f"{one.vector_score:.2f}",
                f"{one.word_score:.2f}",
                f"{sum(one.boosts.values()):.2f}",
                f"{one.score:.2f}",
                "" if one.judge_score is None else f"{one.judge_score:.2f}",
                one.summary,
            )
            for one in ranked
        ],
        right=("vector", "words", "boosts", "score", "judge"),
        wrap=True,
    )
    out()
    table(("id", "reason", "boosts"), [(ids[one.id], one.reason, boosts(one)) for one in ranked], wrap=True)


def boosts(one: CandidateTrace) -> str:
    """Return what is part of the score beside meaning and words, the most first."""
    return ", ".join(f"{name} {more:.2f}" for name, more in sorted(one.boosts.items(), key=lambda item: -item[1]))


def note_gave_way(kept: Memory) -> None:
    """Say which memory stands against one that was written and is not in force."""
    if kept.state is State.SUPERSEDED and kept.superseded_by:
        note(f"it is not in force, another memory says otherwise: memoryd show {kept.superseded_by}")
