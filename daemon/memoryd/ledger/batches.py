"""Values for IN lists, a statement's worth at a time."""

from collections.abc import Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")
MAX_VARIABLES = 500
"""Values in one IN list; SQLite's oldest limit is 999 variables."""


def batches(values: Sequence[T], size: int = MAX_VARIABLES) -> Iterator[Sequence[T]]:
    """Yield the values in order, at most so many together."""
    for start in range(0, len(values), size):
        yield values[start : start + size]
