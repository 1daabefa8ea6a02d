"""Moments as they travel: in UTC, whatever zone the sender named, or none."""

from datetime import UTC, datetime

import msgspec


def to_utc(message: msgspec.Struct, *fields: str) -> None:
    """Bring moments of a message into UTC, as it is made or read; one without a zone is taken to be there.

    A moment that UTC has no date for stays as it is: who stores it says which one it was.
    """
    for field in fields:
        moment = getattr(message, field)
        if not isinstance(moment, datetime) or moment.tzinfo is UTC:
            continue
        try:
            moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
        except OverflowError:
            continue
        msgspec.structs.force_setattr(message, field, moment)
