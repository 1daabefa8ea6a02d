"""Taking an operation back: each column and each edge that it changed gets what was there before.

What an operation left has to stand still: a column that was written since, and was not taken back to what the operation
left, would be lost in silence. So operations are undone newest first, and an undo can itself be undone.
"""

from collections.abc import Iterable
from typing import Any

import msgspec
from sqlalchemy import delete, select

from memoryd.ledger import edges
from memoryd.ledger.records import Before, ColumnValue, decode_before
from memoryd.ledger.rows import memory_of, memory_row, to_micros
from memoryd.ledger.tables import aliases, history
from memoryd.ledger.unit_of_work import UnitOfWork
from memoryd_actors.admission.gate import identity
from memoryd_actors.core.errors import Refused
from memoryd_actors.memory.personal_matters import matter_of
from memoryd_actors.memory.steps import RevertOperation
from memoryd_client.wire.memory import Memory, State

EVENT = "UNDO"
_OF_EVERY_WRITE = frozenset({"updated_at", "revision", "content_hash"})
"""Columns that follow from the others, or from the write itself."""


def undo(work: UnitOfWork, step: RevertOperation) -> list[Memory]:
    """Take back an operation of the owner; return the memories that were changed back.

    Raises:
        Refused: see `memoryd_actors.memory.steps.RevertOperation`.
    """
    operation = step.operation
    query = select(history).where(history.c.operation == operation, history.c.owner == work.owner)
    rows = work.connection.execute(query.order_by(history.c.id.desc())).mappings().all()
    if not rows:
        raise Refused(f"there is no operation {operation} to undo", "`memoryd history` shows the numbers.")
    if not all(row["undo"] for row in rows):
        raise Refused(
            f"operation {operation} cannot be undone: what was there before was not kept",
            "That is so of a purge, and of what was purged since. What was replaced comes back by `memoryd restore`.",
        )
    stood: dict[str, Memory] = {}
    newest = {row["memory_id"]: row["id"] for row in reversed(rows)}
    changed: dict[str, Memory] = {}
    for row in rows:
        before = decode_before(row["undo"])
        if not before.created and not before.columns:
            continue  # an edge: taken back below
        memory = work.get(row["memory_id"])
        if memory.id not in changed:
            _refuse_rewritten(work, memory, rows, newest[memory.id])
            stood[memory.id] = memory
        after = _as_before(work, memory, before)
        if step.most_trust < 1.0 and (
            memory.pinned or memory.trust > step.most_trust or _comes_back(memory, after, row["actor"], work.actor)
        ):
            raise Refused(
                f"operation {operation} wrote {memory.id}, which is the user's, and only the user takes that back",
                f"Tell the user: `memoryd undo {operation}` at a terminal.",
            )
        if not step.by_user and not before.created and State.PROPOSED in {memory.state, after.state}:
            raise Refused(
                f"operation {operation} decided about the proposal {memory.id}, and only the user takes that back",
                f"Tell the user: `memoryd undo {operation}` at a terminal.",
            )
        changed[memory.id] = work.write(memory, after, EVENT, {"of": str(operation)})
    if not edges.undo(work.connection, operation, work.number) and not changed:
        raise Refused(
            f"of operation {operation} there is nothing left to undo",
            "`memoryd history` shows what was done since.",
        )
    if not changed:
        work.tell(work.get(rows[0]["memory_id"]), EVENT, {"of": str(operation)})
    for memory in changed.values():
        _refuse_namesake(work, stood[memory.id], memory)
        if memory.active and memory.content != stood[memory.id].content:
            work.uncompared(memory.id)
    return list(changed.values())


def _comes_back(before: Memory, after: Memory, by: str, actor: str) -> bool:
    """Return whether what tells of a person's name, home or health comes back, which somebody else took away."""
    return after.active and not before.active and by != actor and bool(matter_of(after, own_word=False))


def _refuse_namesake(work: UnitOfWork, before: Memory, after: Memory) -> None:
    """Refuse to bring a rule back beside another one of its name, which was given its value since."""
    if before.active and (before.category, before.title) == (after.category, after.title):
        return
    for other in work.namesakes(after):
        raise Refused(
            f"the rule `{after.title}` has another value since: {other.id}",
            f"`memoryd restore {after.id}` gives it the old one back; or forget {other.id} first.",
        )


def _as_before(work: UnitOfWork, memory: Memory, before: Before) -> Memory:
    """Return the memory as a write found it; one that was not there is forgotten, so that it can come back."""
    if before.created:
        # Stored as merged away, only this operation knows its id.
        work.connection.execute(delete(aliases).where(aliases.c.id == memory.id))
        return msgspec.structs.replace(memory, state=State.FORGOTTEN, superseded_by="", updated_at=work.now)
    target = memory_of({**memory_row(memory), **before.columns, "updated_at": to_micros(work.now)})
    if target.content_hash:
        # What the history remembers may have been made by another rule.
        target = msgspec.structs.replace(target, content_hash=identity(target))
    work.refuse_twin(target)
    if target.superseded_by and work.find(target.superseded_by) is None:
        # What took its place is purged since.
        target = msgspec.structs.replace(target, superseded_by="")
    if target.superseded_by and target.superseded_by != memory.superseded_by:
        # What it was replaced by may have been replaced by it, since it was restored.
        work.refuse_circle(target.id, target.superseded_by)
    return target


def _purged(work: UnitOfWork, column: str, value: ColumnValue) -> bool:
    """Return whether a column named a memory that is purged since: no write of anybody's took it away."""
    return column == "superseded_by" and isinstance(value, str) and bool(value) and work.find(value) is None


def _refuse_rewritten(work: UnitOfWork, memory: Memory, rows: Iterable[Any], after: int) -> None:
    """Refuse to undo what was written again since: that change would be lost in silence."""
    undos = [decode_before(row["undo"]) for row in rows if row["memory_id"] == memory.id]
    mine = {column for before in undos for column in before.columns} - _OF_EVERY_WRITE
    all_of_it = any(before.created for before in undos)
    later = work.connection.execute(
        select(history.c.undo, history.c.operation)
        .where(history.c.memory_id == memory.id, history.c.id > after, history.c.operation != work.number)
        .order_by(history.c.id)
    ).all()
    left: dict[str, ColumnValue] = {}
    by: dict[str, int] = {}
    for undo_of, operation in later:
        for column, value in (decode_before(undo_of).columns if undo_of else {}).items():
            if column in mine or (all_of_it and column not in _OF_EVERY_WRITE):
                left.setdefault(column, value)
                by[column] = operation
    stands = memory_row(memory)
    lost = [
        by[column] for column, value in left.items() if stands[column] != value and not _purged(work, column, value)
    ]
    if lost:
        raise Refused(
            f"{memory.id} was changed again since, by operation {max(lost)}",
            f"Undo that one first: memoryd undo {max(lost)}",
        )
