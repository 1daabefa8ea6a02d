"""The ids of requests whose content was purged: sent again, they store nothing. Kept as hashes, for a while."""

import hashlib
from collections.abc import Iterable, Sequence
from datetime import datetime

from sqlalchemy import Connection, delete, insert, select

from memoryd.ledger.batches import batches
from memoryd.ledger.rows import to_micros
from memoryd.ledger.tables import spent_ids
from memoryd_actors.core.errors import Refused


def spend(connection: Connection, ids: Iterable[str], now: datetime) -> None:
    """Note that these ids are spent."""
    digests = sorted({_digest(request_id) for request_id in ids})
    for some in batches(digests):
        connection.execute(delete(spent_ids).where(spent_ids.c.digest.in_(some)))
        connection.execute(insert(spent_ids), [{"digest": digest, "ts": to_micros(now)} for digest in some])


def refuse_spent(connection: Connection, ids: Sequence[str]) -> None:
    """Store nothing that was purged because its request is sent again.

    Raises:
        Refused: one of the ids is spent.
    """
    digests = {_digest(request_id): request_id for request_id in ids}
    wanted = list(digests)
    for some in batches(wanted):
        query = select(spent_ids.c.digest).where(spent_ids.c.digest.in_(some)).limit(1)
        spent = connection.execute(query).scalar()
        if spent is not None:
            raise Refused(
                f"{digests[spent]} was purged, and the same request does not store it again",
                "To store it anew, send it as a new request, under a new id.",
            )


def _digest(request_id: str) -> str:
    return hashlib.sha256(request_id.encode("utf-8", "replace")).hexdigest()
