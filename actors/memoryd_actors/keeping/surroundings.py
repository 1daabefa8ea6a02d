"""What stands around a memory as it is written: looked at before the write is acknowledged, where that is quick."""

import logging

import anyio
import msgspec

from memoryd_actors.core.errors import Unavailable
from memoryd_actors.keeping.merging import ComparedNeighbour, compare_with, select_comparable
from memoryd_actors.keeping.neighbours import Neighbour, Neighbours, nearest
from memoryd_actors.ports.clock import Clock
from memoryd_actors.ports.embedder import Vector
from memoryd_client.wire.memory import Memory

log = logging.getLogger(__name__)

EMBEDDING_S = 2.0
"""How long a write waits for the model, which may still be loading, before it is stored without its neighbours."""
UNCOMPARED_S = 30.0
"""How long writes after that one do not wait at all: the model may be on its way from the hub for minutes."""


class NeighboursSeen(msgspec.Struct, frozen=True):
    """What was found around a memory."""

    vector: Vector
    near: list[Neighbour]
    compared: list[ComparedNeighbour]
    as_of: int
    """The change up to which other daemons' memories were among them."""

    @property
    def similarity(self) -> float | None:
        """Return the cosine of the nearest of them, if there is one."""
        return nearest(self.near)


class NeighbourLookup:
    """Looks at the neighbours of what is written; remembers for a while that there is no model."""

    def __init__(self, neighbours: Neighbours, clock: Clock) -> None:
        self._neighbours = neighbours
        self._clock = clock
        self._looks_again = float("-inf")

    async def find(self, memory: Memory) -> NeighboursSeen | None:
        """Return what is around a memory; None where that cannot be seen now, so that it is compared later."""
        if self._clock.monotonic() < self._looks_again:
            return None
        try:
            with anyio.fail_after(EMBEDDING_S):
                vector = await self._neighbours.embed(memory)
                as_of = self._neighbours.as_of
                near = await self._neighbours.find(memory, vector)
            return NeighboursSeen(
                vector, near, [compare_with(memory, one) for one in select_comparable(memory, near)], as_of
            )
        except Unavailable as missing:
            log.info("stored, to be compared later: %s", missing)
        except TimeoutError:
            log.info("stored, to be compared later: the model did not answer within %g s", EMBEDDING_S)
            self._looks_again = self._clock.monotonic() + UNCOMPARED_S
        return None

    def note_written(self, memory: Memory, seen: NeighboursSeen, sequence: int) -> None:
        """Have a memory that was written, and stands, known before the index has it."""
        self._neighbours.note_written(memory, seen.vector, sequence)
