"""Finds the pairs of an owner's memories that are worth comparing once more."""

from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from functools import partial
from typing import TypeVar

import numpy as np
import numpy.typing as npt
from anyio import CapacityLimiter, to_thread

from memoryd_actors.consolidating.fingerprints import Fingerprint, fingerprint
from memoryd_actors.consolidating.near import NOTHING, ROWS, Band, Near, near
from memoryd_actors.consolidating.pairs import Suspect, close, in_turn
from memoryd_actors.consolidating.pool import candidates
from memoryd_actors.consolidating.repository import ConsolidationRepository
from memoryd_actors.keeping.merging import APART
from memoryd_actors.ports.clock import Clock
from memoryd_actors.ports.embedder import Vectors
from memoryd_actors.ports.index import Index
from memoryd_actors.ports.ledger import MemoryRepository
from memoryd_client.wire.memory import Memory

T = TypeVar("T")
MOST_MEMORIES = 20_000
"""Of one place that are held against each other; of more, those that were changed last."""
MOST_NEAR = 20_000
"""Nearest pairs whose words are looked at."""
PAGE = 500
ENOUGH = 8
"""Times what may be compared today: found so many, the nearest, nobody looks further for a better one."""

Rest = Callable[[float], Awaitable[None]]
"""Gives way after so many seconds of work."""
RECENCY = timedelta(days=90)
"""Both of a pair were stored or changed within that time."""
BAND = Band(0.4, 0.9)
"""Cosines between which a pair is looked at. Of real duplicates 3% are below; above, the comparison at the write is
enough: it leaves 2% of duplicates and of contradictions alone there, between 0.7 and 0.8 half and a third."""


class PairFinder:
    """Looks through what is new, important or often used beside everything that resembles it."""

    def __init__(
        self,
        *,
        ledger: MemoryRepository,
        repository: ConsolidationRepository,
        index: Index,
        clock: Clock,
        off: Callable[[str, str], object | None],
    ) -> None:
        """Prepare; `off` says of an owner and a project where memory is turned off."""
        self._ledger = ledger
        self._repository = repository
        self._index = index
        self._clock = clock
        self._off = off
        # One thread: on two cores the other one is for whoever waits.
        self._thread = CapacityLimiter(1)

    async def find(self, owner: str, known: frozenset[Fingerprint], most: int, rest: Rest) -> list[Suspect]:
        """Return the `most` closest pairs that are not known, the closest first.

        Raises:
            Refused: ledger or index failed.
        """
        if not most:
            return []
        now = self._clock.now()
        since = now - RECENCY
        pool = await self._repository.pool(owner, since=since, without=sorted(APART), most=MOST_MEMORIES)
        looked_at = candidates(pool, now)
        queued = await self._repository.queued(owner)
        places: dict[tuple[str, str], list[str]] = defaultdict(list)
        for one in pool.memories:
            if self._off(owner, one.place[1]) is None:
                places[one.place].append(one.id)
        found: list[Suspect] = []
        for _, there in sorted(places.items()):
            pairs = await self._near(there, looked_at, rest)
            unknown = [
                pair for pair in pairs if pair[:2] not in queued and fingerprint(pair[0], pair[1], pair[2]) not in known
            ]
            found += await self._close(owner, unknown, most * ENOUGH, rest)
        return in_turn(found)[:most]

    async def _near(
        self, memories: Sequence[str], looked_at: frozenset[str], rest: Rest
    ) -> list[tuple[str, str, float]]:
        """Return the ids of near pairs, the smaller first, and their cosine; nearest first."""
        vectors = await self._index.vectors(memories)
        ids = sorted(vectors)
        if len(ids) < 2:
            return []
        matrix: Vectors = np.stack([vectors[one] for one in ids])
        mask = np.array([one in looked_at for one in ids])
        best = NOTHING
        for start in range(0, len(ids), ROWS):
            best = await self._in_thread(partial(_merged, best, matrix, start, mask), rest)
        return [
            (ids[one], ids[other], cosine)
            for one, other, cosine in zip(best.one.tolist(), best.other.tolist(), best.cosine.tolist(), strict=True)
        ]

    async def _close(
        self, owner: str, pairs: Sequence[tuple[str, str, float]], enough: int, rest: Rest
    ) -> list[Suspect]:
        found: list[Suspect] = []
        for start in range(0, len(pairs), PAGE):
            some = pairs[start : start + PAGE]
            memories = await self._ledger.get(owner, [side for one in some for side in one[:2]])
            found += await self._in_thread(partial(_sharing_words, some, memories), rest)
            if len(found) >= enough:
                break
        return found

    async def _in_thread(self, work: Callable[[], T], rest: Rest) -> T:
        began = self._clock.monotonic()
        done = await to_thread.run_sync(work, limiter=self._thread)
        await rest(self._clock.monotonic() - began)
        return done


def _merged(best: Near, matrix: Vectors, start: int, mask: npt.NDArray[np.bool_]) -> Near:
    return best.and_(near(matrix, start, mask, BAND)).nearest(MOST_NEAR)


def _sharing_words(pairs: Sequence[tuple[str, str, float]], memories: dict[str, Memory]) -> list[Suspect]:
    found: list[Suspect] = []
    for one, other, cosine in pairs:
        if one in memories and other in memories:
            pair = close(memories[one], memories[other], cosine)
            if pair is not None:
                found.append(pair)
    return found
