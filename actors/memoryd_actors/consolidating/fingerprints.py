"""Which pairs were compared lately, so that nothing is compared twice. Pure."""

from collections.abc import Iterable
from datetime import datetime, timedelta

import msgspec

NOBODY = ""
"""Who has compared a pair of which nobody could say anything: it is asked about again the next day."""
ASK_AGAIN = timedelta(days=1)
REMEMBERED = timedelta(days=14)
"""A pair that was compared is not compared again for so long, unless its cosine changes."""

Fingerprint = tuple[str, str, int]
"""Both ids, the smaller one first, and the cosine in hundredths."""


class Check(msgspec.Struct, frozen=True):
    """A pair was compared."""

    fingerprint: Fingerprint
    judge: str
    """A model's name, or `NOBODY`."""
    at: datetime


def fingerprint(one: str, other: str, cosine: float) -> Fingerprint:
    """Return what a pair is remembered by: its ids and round(cosine, 2)."""
    first, second = sorted((one, other))
    return first, second, round(round(cosine, 2) * 100)


def known(checks: Iterable[Check], now: datetime) -> frozenset[Fingerprint]:
    """Return what need not be compared again; what nobody could say holds for a day."""
    return frozenset(
        check.fingerprint for check in checks if now - check.at < (ASK_AGAIN if check.judge == NOBODY else REMEMBERED)
    )
