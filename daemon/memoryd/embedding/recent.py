"""The vectors used last."""

from collections import OrderedDict
from collections.abc import Iterable

from memoryd.embedding.requests import Key
from memoryd_actors.ports.embedder import Vector


class RecentVectors:
    """The vectors used last, so that a message is embedded once and not at every step of its way."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._vectors: OrderedDict[Key, Vector] = OrderedDict()

    def find(self, keys: Iterable[Key]) -> dict[Key, Vector]:
        """Return those that are here."""
        found: dict[Key, Vector] = {}
        for key in keys:
            vector = self._vectors.get(key)
            if vector is not None:
                self._vectors.move_to_end(key)
                found[key] = vector
        return found

    def add(self, vectors: dict[Key, Vector]) -> None:
        """Keep these, and let the oldest go."""
        self._vectors.update(vectors)
        while len(self._vectors) > self._size:
            self._vectors.popitem(last=False)
