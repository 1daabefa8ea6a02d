"""How long each step took."""

from collections.abc import Generator
from contextlib import contextmanager
from time import perf_counter

import msgspec


class Stages(msgspec.Struct):
    """Milliseconds per stage."""

    timings: dict[str, float] = msgspec.field(default_factory=dict[str, float])
    began: float = msgspec.field(default_factory=perf_counter)

    @contextmanager
    def stage(self, name: str) -> Generator[None]:
        """Count what happens within as a step."""
        start = perf_counter()
        try:
            yield
        finally:
            self.timings[name] = round((perf_counter() - start) * 1000, 3)

    def finish(self) -> dict[str, float]:
        """Stop counting the total, the first time: what follows keeps nobody waiting."""
        self.timings.setdefault("total", round((perf_counter() - self.began) * 1000, 3))
        return self.timings
