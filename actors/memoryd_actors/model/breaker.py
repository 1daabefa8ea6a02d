"""A circuit breaker as a value: it never looks at a clock, and every step returns the next breaker."""

from typing import Literal

import msgspec

MAX_COOL_DOWN_FACTOR = 16
"""The cool-down doubles up to this many times its first length: 60 s becomes at most 16 minutes."""

Phase = Literal["closed", "open", "half-open"]


class Permit(msgspec.Struct, frozen=True):
    """Leave to make one call, to be handed back with its outcome."""

    generation: int
    probe: bool = False


class Breaker(msgspec.Struct, frozen=True, kw_only=True):
    """Leaves a failing service alone for a while, then tries it with one call.

    Times are seconds of a monotonic clock. Outcomes of calls that began in an earlier generation (before the breaker
    last changed its phase) are ignored, so that ten calls timing out together count as one opening, not as ten.
    """

    failures_to_open: int = 3
    cool_down_s: float = 60.0
    phase: Phase = "closed"
    failures: int = 0
    """In a row, while closed."""
    factor: int = 1
    """Of the next cool-down, in lengths of `cool_down_s`."""
    retry_at: float = 0.0
    """When the next probe may go, while open."""
    generation: int = 0

    def admit(self, now: float) -> tuple["Breaker", Permit | None]:
        """Return the breaker after somebody asked to call at `now`, and leave to call or None."""
        if self.phase == "closed":
            return self, Permit(self.generation)
        if self.phase == "open" and now >= self.retry_at:
            probing = msgspec.structs.replace(self, phase="half-open", generation=self.generation + 1)
            return probing, Permit(probing.generation, probe=True)
        return self, None

    def succeeded(self, permit: Permit) -> "Breaker":
        """Return the breaker after that call was answered: closed, with nothing held against the service."""
        if permit.generation != self.generation:
            return self
        if self.phase == "closed":
            return msgspec.structs.replace(self, failures=0)
        return msgspec.structs.replace(
            self, phase="closed", failures=0, factor=1, retry_at=0.0, generation=self.generation + 1
        )

    def failed(self, permit: Permit, now: float, *, lasting: bool = False) -> "Breaker":
        """Return the breaker after that call failed at `now`; a `lasting` failure (a wrong key) opens it at once."""
        if permit.generation != self.generation:
            return self
        failures = self.failures + 1
        if self.phase == "closed" and failures < self.failures_to_open and not lasting:
            return msgspec.structs.replace(self, failures=failures)
        return self._opened(now, failures)

    def abandoned(self, permit: Permit, now: float) -> "Breaker":
        """Return the breaker after that call was given up by its caller, which says nothing about the service.

        The place of a probe is free again at once.
        """
        if permit.generation != self.generation or not permit.probe:
            return self
        return msgspec.structs.replace(self, phase="open", retry_at=now, generation=self.generation + 1)

    def rests_for(self, now: float) -> float:
        """Return how many seconds it is until the next probe may go; 0 unless open."""
        return max(self.retry_at - now, 0.0) if self.phase == "open" else 0.0

    def _opened(self, now: float, failures: int) -> "Breaker":
        return msgspec.structs.replace(
            self,
            phase="open",
            failures=failures,
            factor=min(self.factor * 2, MAX_COOL_DOWN_FACTOR),
            retry_at=now + self.cool_down_s * self.factor,
            generation=self.generation + 1,
        )
