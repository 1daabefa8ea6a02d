"""Proposals about the person: what waits, for what, until when, and how it was answered.

What is proposed is a memory in the state `proposed`; its row here has the same id and follows that state.
"""

from datetime import datetime, timedelta

import msgspec
from sqlalchemy import Connection, RowMapping, and_, insert, select, update

from memoryd.ledger.conditions import newest
from memoryd.ledger.rows import from_micros, memory_of, to_micros
from memoryd.ledger.tables import consents, memories
from memoryd_actors.core.errors import Refused
from memoryd_actors.memory.consent import field_of, replaces
from memoryd_actors.memory.steps import Patch
from memoryd_actors.memory.visibility import Visibility
from memoryd_actors.texts.characters import clean
from memoryd_client.wire.consent import Consent
from memoryd_client.wire.filters import Filters
from memoryd_client.wire.memory import Memory, State

REMEMBERED = timedelta(days=30)
"""How long a no holds against the same proposal, and after which the words of what was not wanted are destroyed."""
_STATUS = {State.PROPOSED: "waiting", State.ACTIVE: "approved"}
_CLOSED = "rejected"


class Proposed(msgspec.Struct, frozen=True):
    """What a row says of the memory that it is about. A purge finds the row by the id in it."""

    memory_id: str
    needs: int
    """Sessions that have to agree; 0: only a yes counts."""


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Proposed).decode


def add(connection: Connection, memory: Memory, step: Patch, now: datetime) -> None:
    """Put a proposal down beside its memory."""
    connection.execute(
        insert(consents),
        {
            "id": memory.id,
            "owner": memory.owner,
            "project": memory.project,
            "field": clean(step.named),
            "proposed": _encode(Proposed(memory.id, step.signals)),
            "reason": clean(step.reason),
            "signals": 1,
            "status": _STATUS[State.PROPOSED],
            "created_at": to_micros(now),
            "expires_at": to_micros(step.expires_at),
        },
    )


def follow(connection: Connection, memory: Memory, actor: str, now: datetime) -> None:
    """Let a proposal's row say what became of its memory; an undo brings it back to waiting."""
    waits = memory.state is State.PROPOSED
    connection.execute(
        update(consents)
        .where(consents.c.id == memory.id)
        .values(
            status=_STATUS.get(memory.state, _CLOSED),
            signals=1 + len(memory.sources),
            decided_at=None if waits else to_micros(now),
            decided_by="" if waits else clean(actor),
        )
    )


def asked_before(connection: Connection, memory: Memory, field: str, now: datetime) -> Memory | None:
    """Return the proposal of the same value in the same place that waits, or was rejected lately."""
    query = (
        select(memories, consents.c.status, consents.c.decided_at, consents.c.expires_at.label("lapses_at"))
        .select_from(consents.join(memories, memories.c.id == consents.c.id))
        .where(
            consents.c.owner == memory.owner,
            consents.c.status.in_((_STATUS[State.PROPOSED], _CLOSED)),
            consents.c.project == memory.project,
            consents.c.field == clean(field),
            memories.c.scope == memory.scope.value,
            memories.c.category == memory.category,
            memories.c.content_hash == memory.content_hash,
            memories.c.state.in_((State.PROPOSED.value, State.FORGOTTEN.value)),
        )
        .order_by(consents.c.created_at.desc())
    )
    for row in connection.execute(query).mappings():
        # A no is remembered for a while; a silence is not.
        answered = row["decided_at"] is not None and row["decided_at"] < row["lapses_at"]
        lately = answered and from_micros(row["decided_at"]) + REMEMBERED > now
        if row["state"] == State.PROPOSED.value or lately:
            return memory_of(row)
    return None


def of_field(connection: Connection, value: Memory, field: str) -> list[Memory]:
    """Return the other memories about a field in the same place that are active or proposed."""
    query = select(memories).where(
        memories.c.owner == value.owner,
        memories.c.category == value.category,
        memories.c.scope == value.scope.value,
        memories.c.project == value.project,
        memories.c.state.in_((State.ACTIVE.value, State.PROPOSED.value)),
        memories.c.id != value.id,
    )
    found = [memory_of(row) for row in connection.execute(query).mappings()]
    return [memory for memory in found if field_of(memory.category, memory.title) == field]


def refuse_unanswered(connection: Connection, memory: Memory) -> None:
    """Let no memory become active around a consent that it never had.

    Raises:
        Refused: it was proposed, and nobody said yes.
    """
    status = connection.execute(select(consents.c.status).where(consents.c.id == memory.id)).scalar()
    if status == _STATUS[State.PROPOSED]:
        raise Refused(
            f"{memory.id} waits for the user's consent", f"With the user's yes: memoryd consent approve {memory.id}"
        )
    if status == _CLOSED:
        raise Refused(
            f"{memory.id} was proposed, and the user did not consent",
            "`memoryd history` has the decision; if it was a mistake, undo it, and it waits again.",
        )


def refuse_lapsed(connection: Connection, memory: Memory, now: datetime) -> None:
    """Let nobody say yes to what has waited too long.

    Raises:
        Refused: its time has passed.
    """
    expires = connection.execute(select(consents.c.expires_at).where(consents.c.id == memory.id)).scalar()
    if expires is not None and expires <= to_micros(now):
        raise Refused(f"{memory.id} waited too long and has lapsed", "Store the value yourself, with source `user`.")


def lapsed(connection: Connection, owner: str, now: datetime, limit: int) -> list[str]:
    """Return the ids of an owner's proposals whose time has passed."""
    query = (
        select(consents.c.id)
        .where(
            consents.c.owner == clean(owner),
            consents.c.status == _STATUS[State.PROPOSED],
            consents.c.expires_at <= to_micros(now),
        )
        .order_by(consents.c.expires_at)
        .limit(limit)
    )
    return list(connection.execute(query).scalars())


def waiting(connection: Connection, visible: Visibility, now: datetime, limit: int) -> list[Consent]:
    """Return the proposals of a place that wait and have not lapsed, newest first."""
    mine = and_(
        consents.c.owner == clean(visible.owner),
        consents.c.status == _STATUS[State.PROPOSED],
        consents.c.expires_at > to_micros(now),
    )
    # Nearly always none: then nobody looks at a memory.
    rows = {row["id"]: row for row in connection.execute(select(consents).where(mine)).mappings()}
    if not rows:
        return []
    seen = Visibility(
        owner=visible.owner,
        project=visible.project,
        filters=Filters(states=(State.PROPOSED.value,), scope=visible.filters.scope),
        allowed=visible.allowed,
    )
    found = [memory_of(row) for row in connection.execute(newest(seen)).mappings()]
    return [_consent(connection, memory, rows[memory.id]) for memory in found if memory.id in rows][:limit]


def _consent(connection: Connection, memory: Memory, row: RowMapping) -> Consent:
    field: str = row["field"]
    now_active = [other.content for other in of_field(connection, memory, field) if other.active]
    return Consent(
        id=memory.id,
        field=field,
        proposed=memory.content,
        current=now_active[0] if now_active and replaces(field) else "",
        needs=_decode(row["proposed"]).needs,
        signals=row["signals"],
        reason=row["reason"],
        category=memory.category,
        scope=memory.scope.value,
        project=memory.project,
        proposed_by=memory.agent,
        created_at=from_micros(row["created_at"]).isoformat(),
        expires_at=from_micros(row["expires_at"]).isoformat(),
    )
