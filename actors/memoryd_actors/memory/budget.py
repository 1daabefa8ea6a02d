"""What the sidecar may spend on a day, in tokens and in money."""

from datetime import UTC, datetime

import msgspec


class Spending(msgspec.Struct, frozen=True):
    """What the sidecar used on one day (UTC)."""

    day: str
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0


class Usage(msgspec.Struct, frozen=True):
    """What one call uses."""

    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0

    @property
    def tokens(self) -> int:
        """Both directions together."""
        return self.input_tokens + self.output_tokens

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cost_usd + other.cost_usd,
        )

    def __sub__(self, other: "Usage") -> "Usage":
        return Usage(
            self.input_tokens - other.input_tokens,
            self.output_tokens - other.output_tokens,
            self.cost_usd - other.cost_usd,
        )


class Prices(msgspec.Struct, frozen=True, kw_only=True):
    """Of the model, in US dollars per million tokens."""

    input_usd_per_million: float = 0.10
    output_usd_per_million: float = 0.50

    def usage(self, input_tokens: int, output_tokens: int) -> Usage:
        """Return these tokens with what they cost."""
        cost = input_tokens * self.input_usd_per_million + output_tokens * self.output_usd_per_million
        return Usage(input_tokens, output_tokens, cost / 1_000_000)

    def at(self, share: float) -> "Prices":
        """Return this share of the prices."""
        return Prices(
            input_usd_per_million=self.input_usd_per_million * share,
            output_usd_per_million=self.output_usd_per_million * share,
        )


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """Of one day. Zero allows nothing."""

    daily_tokens: int = 2_000_000
    daily_usd: float = 0.50


def today(now: datetime, *, known: str = "") -> str:
    """Return the UTC date of `now` as YYYY-MM-DD, or the `known` day where the clock has gone back behind it.

    So a clock that goes backwards never brings a fresh budget.
    """
    return max(known, now.astimezone(UTC).date().isoformat())


def spent(so_far: Spending, usage: Usage) -> Spending:
    """Return the day's spending with one more call."""
    return msgspec.structs.replace(
        so_far,
        calls=so_far.calls + 1,
        input_tokens=so_far.input_tokens + usage.input_tokens,
        output_tokens=so_far.output_tokens + usage.output_tokens,
        cost_usd=so_far.cost_usd + usage.cost_usd,
    )


def left(so_far: Spending, limits: Limits) -> tuple[int, float]:
    """Return the tokens and the dollars left today, neither below zero."""
    tokens = limits.daily_tokens - so_far.input_tokens - so_far.output_tokens
    return max(tokens, 0), max(limits.daily_usd - so_far.cost_usd, 0.0)


def objection(so_far: Spending, planned: Usage, limits: Limits, *, in_flight: Usage = Usage()) -> str:
    """Return why a call of that size may not be made now, in words; empty where it may.

    `in_flight` is reserved by calls not yet answered: sessions that ask together do not overdraw together.
    """
    tokens, dollars = left(so_far, limits)
    if planned.tokens + in_flight.tokens > tokens:
        kept = f", {in_flight.tokens:,} of them kept for what is under way" if in_flight.tokens else ""
        return f"today's budget of {limits.daily_tokens:,} tokens is used up ({tokens:,} left{kept})"
    if planned.cost_usd + in_flight.cost_usd > dollars:
        kept = f", ${in_flight.cost_usd:.4f} of it kept for what is under way" if in_flight.cost_usd else ""
        return f"today's budget of ${limits.daily_usd:.2f} is used up (${dollars:.4f} left{kept})"
    return ""
