"""Which ids a transcript has: eight bytes each, so that a long session does not grow the daemon."""

from collections.abc import Iterable
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

_LOOSE = 4096
"""Ids kept one by one, at 70 bytes, until they are sorted in among the others."""


class SeenIds:
    """A set of ids as 64 bits each: in a session of a million entries two meet with a chance of 1 in 37 million."""

    def __init__(self) -> None:
        self._sorted: npt.NDArray[np.uint64] = np.empty(0, np.uint64)
        self._loose: set[int] = set()

    def __contains__(self, entry_id: str) -> bool:
        short = short_id(entry_id)
        if short in self._loose:
            return True
        place = int(np.searchsorted(self._sorted, np.uint64(short)))
        return place < len(self._sorted) and int(self._sorted[place]) == short

    def add(self, ids: Iterable[str]) -> None:
        """Add ids."""
        self._loose.update(map(short_id, ids))
        if len(self._loose) >= _LOOSE:
            loose = np.fromiter(self._loose, np.uint64, len(self._loose))
            self._sorted = np.union1d(self._sorted, loose)
            self._loose = set()


def short_id(entry_id: str) -> int:
    """Return an id as 64 bits."""
    return int.from_bytes(blake2b(entry_id.encode("utf-8", "surrogatepass"), digest_size=8).digest())
