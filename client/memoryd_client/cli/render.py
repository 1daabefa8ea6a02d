"""How memories, history, traces and pending memory look as text."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from memoryd_client.cli.edge import CommandFailed
from memoryd_client.cli.output import note, out, out_json, printable, short_ids, table
from memoryd_client.memory import Memory, PendingMemory, State
from memoryd_client.messages import CandidateTrace, HistoryEntry, Trace


def parse_date(text: str) -> datetime | None:
    """Read an ISO 8601 date or time, in UTC where it names no zone; nothing where it is empty."""
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise CommandFailed(f"{text!r} is no date", "Write it as 2026-03-10 or 2026-03-10T14:30:00+01:00.") from None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    try:
        moment.astimezone(UTC)
    except OverflowError:
        raise CommandFailed(
            f"{text!r} is outside the calendar", "In UTC it goes from the year 1 to the year 9999; give another date."
        ) from None
    return moment


def states(*, everything: bool) -> tuple[str, ...]:
    """Return the states to list: active ones, or all."""
    return tuple(state.value for state in State) if everything else (State.ACTIVE.value,)


def summary(memory: Memory) -> str:
    """Return the title, or else the content."""
    return memory.title or memory.content


def memory_table(memories: Sequence[Memory]) -> None:
    """Print one line per memory; the state only where one is not active."""
    ids = short_ids(memory.id for memory in memories)
    stated = not all(memory.active for memory in memories)
    columns = ("id", "date", "category", "scope", *(("state",) if stated else ()), "memory")
    rows = [
        (
            ids[memory.id],
            f"{memory.occurred_at or memory.created_at:%Y-%m-%d}",
            memory.category,
            memory.scope.value,
            *((memory.state.value,) if stated else ()),
            summary(memory),
        )
        for memory in memories
    ]
    table(columns, rows)


def memory_fields(memory: Memory) -> Iterable[tuple[str, str]]:
    """Yield the fields that say something, the content last."""
    yield "id", memory.id
    yield "title", memory.title
    yield "category", memory.category
    yield "scope", f"{memory.scope}, {memory.project}" if memory.project else memory.scope.value
    yield "state", memory.state + (f" by {memory.superseded_by}" if memory.superseded_by else "")
    yield "tags", ", ".join(memory.tags)
    yield "trust", f"{memory.trust:g}"
    yield "importance", f"{memory.importance}{', pinned' if memory.pinned else ''}"
    yield "source", ", ".join(filter(None, (memory.source.value, memory.speaker, memory.session)))
    yield "files", ", ".join(memory.files)
    yield "happened", _moment(memory.occurred_at)
    yield "stored", _moment(memory.created_at)
    yield "updated", _moment(memory.updated_at) if memory.updated_at != memory.created_at else ""
    yield (
        "shown",
        f"{memory.access_count} times, last {_moment(memory.last_accessed_at)}" if memory.access_count else "",
    )
    yield "confirmed", f"{memory.strength} times" if memory.strength > 1 else ""
    yield from memory.metadata.items()
    yield "owner", memory.owner
    yield "model", memory.embedding_model
    yield "content", memory.content


def _moment(moment: datetime | None) -> str:
    return f"{moment:%Y-%m-%d %H:%M %Z}" if moment else ""


def history_table(entries: Sequence[HistoryEntry]) -> None:
    """Print one line per write."""
    ids = short_ids({entry.memory_id for entry in entries})
    rows = [
        (entry.at[:19], entry.event, ids[entry.memory_id], entry.actor, entry.new or entry.old) for entry in entries
    ]
    table(("when", "event", "id", "by", "content"), rows)


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
