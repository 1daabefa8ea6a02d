"""The wire of costs: what models used, by day."""

from typing import Annotated

import msgspec

from memoryd_client.wire.request import Request


class DaySpending(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the daemon's questions to models used on one day, whoever they were asked for."""

    day: str
    """ISO 8601, UTC."""
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0


class SpentByDay(msgspec.Struct, frozen=True, kw_only=True, tag="spent"):
    """Days on which anything was spent, the newest first."""

    days: tuple[DaySpending, ...]


class CountSpending(Request[SpentByDay], frozen=True, kw_only=True, omit_defaults=True, tag="spending"):
    """What did models use in the last days?"""

    days: Annotated[int, msgspec.Meta(ge=1, le=366)] = 30
