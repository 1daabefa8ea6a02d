"""What the daily consolidation writes down: its runs, the pairs that were compared, and how much was done on a day."""

from collections.abc import Mapping, Sequence
from datetime import datetime

import msgspec
from sqlalchemy import ColumnElement, Connection, RowMapping, and_, delete, func, insert, select, update

from memoryd.ledger.rows import from_micros, memory_of, to_micros
from memoryd.ledger.tables import check_days, checks, consolidations, doubts, memories, relations
from memoryd_actors.consolidating.fingerprints import Check
from memoryd_actors.consolidating.pool import Pool, Pooled
from memoryd_actors.consolidating.repository import CandidatePair, Used
from memoryd_actors.consolidating.rollup import EPISODE
from memoryd_actors.consolidating.schedule import ConsolidationRun
from memoryd_actors.memory.steps import CONTRADICTS, SUMMARISES, Checked
from memoryd_actors.texts.characters import clean
from memoryd_client.wire.memory import Memory, Scope, State

MOST_EPISODES = 2_000
"""Looked at in one run."""
_counts = msgspec.json.Decoder(dict[str, int]).decode


def owners(connection: Connection) -> list[str]:
    """Return everybody who has a memory."""
    # From one to the next in the index: to walk through a million memories of one owner takes 130 ms.
    first = select(func.min(memories.c.owner).label("owner")).cte("owners", recursive=True)
    following = select(func.min(memories.c.owner)).where(memories.c.owner > first.c.owner).scalar_subquery()
    found = first.union_all(select(following).where(first.c.owner.is_not(None)))
    return list(connection.execute(select(found.c.owner).where(found.c.owner.is_not(None))).scalars())


def pool(connection: Connection, owner: str, since: datetime, without: Sequence[str], most: int) -> Pool:
    """Return active memories changed since, but those of some categories; of each no more than it takes to choose.

    Of each place those that were changed last, at most so many: a million rows take Python 13 s and 500 MB.
    """
    meant = and_(
        memories.c.owner == clean(owner),
        memories.c.state == State.ACTIVE.value,
        memories.c.updated_at >= to_micros(since),
        memories.c.category.not_in(without),
    )
    uses = select(memories.c.access_count, func.count()).where(meant).group_by(memories.c.access_count)
    newest_first = memories.c.updated_at.desc(), memories.c.id.desc()
    place = func.row_number().over(partition_by=(memories.c.scope, memories.c.project), order_by=newest_first)
    ranked = (
        select(
            memories.c.id,
            memories.c.scope,
            memories.c.project,
            memories.c.importance,
            memories.c.access_count,
            memories.c.updated_at,
            place.label("place"),
        )
        .where(meant)
        .subquery()
    )
    found = connection.execute(select(ranked).where(ranked.c.place <= most).order_by(ranked.c.id))
    return Pool(
        [
            Pooled(row.id, (row.scope, row.project), row.importance, row.access_count, from_micros(row.updated_at))
            for row in found
        ],
        {row[0]: row[1] for row in connection.execute(uses)},
    )


def episodes(connection: Connection, owner: str) -> list[Memory]:
    """Return the owner's active episodes of projects that are in no summary, oldest first."""
    in_one = select(relations.c.id).where(
        relations.c.to_id == memories.c.id,
        relations.c.relation_type == SUMMARISES,
        relations.c.removed_by.is_(None),
    )
    query = (
        select(memories)
        .where(
            memories.c.owner == clean(owner),
            memories.c.category == EPISODE,
            memories.c.state == State.ACTIVE.value,
            memories.c.scope == Scope.PROJECT.value,
            ~in_one.exists(),
        )
        .order_by(memories.c.created_at, memories.c.number)
        .limit(MOST_EPISODES)
    )
    return [memory_of(row) for row in connection.execute(query).mappings()]


def checked(connection: Connection, owner: str, step: Checked, now: datetime) -> None:
    """Note that a pair was compared."""
    key = {"one_id": clean(step.one), "other_id": clean(step.other), "hundredths": step.hundredths}
    row = {"owner": owner, "judge": clean(step.judge), "checked_at": to_micros(now)}
    this = (checks.c.one_id == key["one_id"]) & (checks.c.other_id == key["other_id"])
    this &= checks.c.hundredths == step.hundredths
    # The writer is alone: nobody can insert between the two statements.
    if connection.execute(update(checks).where(this).values(**row)).rowcount == 0:
        connection.execute(insert(checks), key | row)


def lately(connection: Connection, owner: str, since: datetime) -> list[Check]:
    """Return the owner's pairs that were compared since."""
    mine = (checks.c.owner == clean(owner)) & (checks.c.checked_at >= to_micros(since))
    return [
        Check((row.one_id, row.other_id, row.hundredths), row.judge, from_micros(row.checked_at))
        for row in connection.execute(select(checks).where(mine))
    ]


def owners_with_open_pairs(connection: Connection) -> list[str]:
    """Return everybody who has a pair that nobody has decided about."""
    query = select(doubts.c.owner).where(doubts.c.decided_at.is_(None)).distinct().order_by(doubts.c.owner)
    return list(connection.execute(query).scalars())


def open_pairs(connection: Connection, owner: str, skip: int, limit: int) -> list[CandidatePair]:
    """Return an owner's pairs that nobody has decided about, the nearest first."""
    waiting = (doubts.c.owner == clean(owner)) & doubts.c.decided_at.is_(None)
    query = select(doubts).where(waiting).order_by(doubts.c.similarity.desc(), doubts.c.id)
    return [
        CandidatePair(row["id"], row["owner"], row["older_id"], row["newer_id"], row["similarity"], row["reason"])
        for row in connection.execute(query.offset(skip).limit(limit)).mappings()
    ]


def contradictions(connection: Connection, owner: str, skip: int, limit: int) -> list[CandidatePair]:
    """Return an owner's pairs that are linked as contradicting each other, the newest link first."""
    linked = (relations.c.owner == clean(owner)) & relations.c.removed_by.is_(None)
    query = select(relations).where(linked & (relations.c.relation_type == CONTRADICTS)).order_by(relations.c.id.desc())
    return [
        CandidatePair(row["id"], row["owner"], row["to_id"], row["from_id"], row["strength"], "")
        for row in connection.execute(query.offset(skip).limit(limit)).mappings()
    ]


def queued(connection: Connection, owner: str) -> frozenset[tuple[str, str]]:
    """Return the owner's pairs that were ever in doubt, the smaller id first."""
    query = select(doubts.c.older_id, doubts.c.newer_id).where(doubts.c.owner == clean(owner))
    return frozenset((min(first, second), max(first, second)) for first, second in connection.execute(query))


def used(connection: Connection, owner: str, day: str) -> Used:
    """Return what was done for an owner on a day."""
    row = connection.execute(select(check_days).where(_of_day(owner, day))).mappings().first()
    return Used() if row is None else Used(row["pairs"], row["tokens"])


def use(connection: Connection, owner: str, day: str, more: Used) -> None:
    """Add to what was done for an owner on a day."""
    added = {"pairs": check_days.c.pairs + more.pairs, "tokens": check_days.c.tokens + more.tokens}
    if connection.execute(update(check_days).where(_of_day(owner, day)).values(**added)).rowcount == 0:
        row = {"owner": clean(owner), "day": day, "pairs": more.pairs, "tokens": more.tokens}
        connection.execute(insert(check_days), row)


def ask(connection: Connection, owner: str, now: datetime) -> ConsolidationRun:
    """Return the owner's unfinished run, or a new one that is not begun yet, as one that somebody asked for."""
    return _changed(connection, _unfinished(connection, owner, now), asked=True)


def asked(connection: Connection) -> list[str]:
    """Return the owners of unfinished runs that somebody asked for."""
    query = select(consolidations.c.owner).where(consolidations.c.finished_at.is_(None), consolidations.c.asked)
    return list(connection.execute(query.order_by(consolidations.c.id)).scalars())


def begin(connection: Connection, owner: str, now: datetime) -> ConsolidationRun:
    """Return the owner's unfinished run, begun once more, or a new one."""
    number = _unfinished(connection, owner, now)
    return _changed(connection, number, starts=consolidations.c.starts + 1, problem="")


def mark(connection: Connection, number: int, now: datetime, *, stage: str, problem: str, finished: bool) -> None:
    """Put down how far a run is."""
    row: dict[str, object] = {"problem": clean(problem)}
    if stage:
        row["stage"] = stage
    if finished:
        row["finished_at"] = to_micros(now)
    connection.execute(update(consolidations).where(consolidations.c.id == number).values(**row))


def note(connection: Connection, owner: str, number: int, more: Mapping[str, int]) -> None:
    """Add to what a run of the owner's has come to."""
    this = (consolidations.c.id == number) & (consolidations.c.owner == owner)
    known = connection.execute(select(consolidations.c.counts).where(this)).scalar()
    if known is None:
        return
    counts = _counts(known)
    for name, count in more.items():
        counts[name] = counts.get(name, 0) + count
    connection.execute(update(consolidations).where(this).values(counts=msgspec.json.encode(counts).decode()))


def runs(connection: Connection, owner: str, limit: int) -> list[ConsolidationRun]:
    """Return the owner's runs, newest first."""
    query = select(consolidations).where(consolidations.c.owner == clean(owner))
    found = connection.execute(query.order_by(consolidations.c.id.desc()).limit(limit)).mappings()
    return [_run(row) for row in found]


def prune(connection: Connection, owner: str, checks_before: datetime, keep_runs: int) -> int:
    """Delete what nobody will ask for any more; return how many rows."""
    mine = clean(owner)
    old = delete(checks).where(checks.c.owner == mine, checks.c.checked_at < to_micros(checks_before))
    day = checks_before.date().isoformat()
    days = delete(check_days).where(check_days.c.owner == mine, check_days.c.day < day)
    newest = select(consolidations.c.id).where(consolidations.c.owner == mine)
    last = connection.execute(newest.order_by(consolidations.c.id.desc()).offset(keep_runs - 1).limit(1)).scalar()
    gone = connection.execute(old).rowcount + connection.execute(days).rowcount
    if last is not None:
        earlier = delete(consolidations).where(consolidations.c.owner == mine, consolidations.c.id < last)
        gone += connection.execute(earlier).rowcount
    return gone


def _unfinished(connection: Connection, owner: str, now: datetime) -> int:
    """Return the number of the owner's unfinished run, which there is from now on."""
    mine = (consolidations.c.owner == clean(owner)) & consolidations.c.finished_at.is_(None)
    there = connection.execute(select(consolidations.c.id).where(mine).limit(1)).scalar()
    if there is not None:
        return int(there)
    row = {
        "owner": clean(owner),
        "started_at": to_micros(now),
        "asked": False,
        "starts": 0,
        "stage": "",
        "counts": "{}",
        "problem": "",
    }
    made: int = connection.execute(insert(consolidations).returning(consolidations.c.id), row).scalar_one()
    return made


def _changed(connection: Connection, number: int, **columns: object) -> ConsolidationRun:
    this = consolidations.c.id == number
    connection.execute(update(consolidations).where(this).values(**columns))
    return _run(connection.execute(select(consolidations).where(this)).mappings().one())


def _of_day(owner: str, day: str) -> ColumnElement[bool]:
    return (check_days.c.owner == clean(owner)) & (check_days.c.day == day)


def _run(row: RowMapping) -> ConsolidationRun:
    return ConsolidationRun(
        number=row["id"],
        owner=row["owner"],
        started_at=from_micros(row["started_at"]),
        asked=row["asked"],
        finished_at=None if row["finished_at"] is None else from_micros(row["finished_at"]),
        stage=row["stage"],
        starts=row["starts"],
        counts=_counts(row["counts"]),
        problem=row["problem"],
    )
