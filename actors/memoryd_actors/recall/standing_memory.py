"""What stands in a caller's context: chosen from the ledger within a budget, the nearest where there is too much."""

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping, Sequence

import msgspec

from memoryd_actors.access.categories import Categories
from memoryd_actors.memory.described import surfaced
from memoryd_actors.memory.render import fit_standing
from memoryd_actors.memory.standing import MOST_STANDING, Standing, in_order, named
from memoryd_actors.ports.ledger import MemoryRepository
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.memory import Memory
from memoryd_client.wire.pending import SurfacedMemory

MOST_CALLERS = 64
"""Callers of whom it is kept what stands in their context, until something is written: each context asks for it, and
two queries for each of a hundred sessions at once took a third of the time that their contexts took."""
Nearness = Callable[[str, Sequence[str]], Awaitable[Mapping[str, float]]]
"""Returns how near memories are to a text: their cosines, of those that have one."""


class _All(msgspec.Struct, frozen=True):
    """What may stand in a context, the first of it in order, and how much there is at all."""

    memories: tuple[Memory, ...] = ()
    counts: Mapping[str, int] = msgspec.field(default_factory=dict[str, int])


class StandingMemory:
    """Knows what stands in whose context."""

    def __init__(
        self,
        memories: MemoryRepository,
        categories: Categories,
        *,
        nearness: Nearness,
        sequence: Callable[[], int],
        tokens: int,
        shared: bool,
    ) -> None:
        """Prepare; `sequence` returns the number of the ledger's newest change, as far as it is known here."""
        self._memories = memories
        self._categories = categories
        self._nearness = nearness
        self._sequence = sequence
        self._tokens = tokens
        self._shared = shared
        self._known: OrderedDict[tuple[str, str, str], tuple[int, _All]] = OrderedDict()
        """By owner, agent and project, and as of which change."""

    async def all(self, caller: Caller) -> list[Memory]:
        """Return what may stand in a caller's context, in order."""
        return list((await self._all(caller)).memories)

    async def _all(self, caller: Caller) -> "_All":
        whose, now = (caller.owner, caller.agent, caller.project), self._sequence()
        as_of, known = self._known.get(whose, (-1, _All()))
        # What another daemon changes is heard of a moment later.
        if as_of == now and not self._shared:
            return known
        memories: list[Memory] = []
        counts: dict[str, int] = {}
        # One by one: the ledger finds a single category without walking through all.
        for one in self._categories.visible_always(caller):
            found, count = await self._memories.foremost(one, limit=MOST_STANDING)
            memories += found
            counts |= dict.fromkeys(one.filters.categories, count)
        known = _All(tuple(in_order(memories)), counts)
        self._known[whose] = now, known
        if len(self._known) > MOST_CALLERS:
            self._known.popitem(last=False)
        return known

    async def choose(self, caller: Caller, about: str) -> Standing:
        """Return what stands in a caller's context where its session is `about` something."""
        known = await self._all(caller)
        memories: Sequence[Memory] = known.memories
        kept = self._fitting(memories)
        if len(kept) == len(memories):
            return Standing(known.memories, counts=known.counts)
        if about:
            memories = in_order(memories, await self._nearness(about, [memory.id for memory in memories]))
            kept = self._fitting(memories)
        return Standing(
            tuple(memory for memory in memories if memory.id in kept),
            tuple(memory for memory in memories if memory.id not in kept),
            known.counts,
        )

    def forget(self) -> None:
        """Keep no memory in mind: some are about to be destroyed."""
        self._known.clear()

    def _fitting(self, memories: Sequence[Memory]) -> set[str]:
        return {memory.id for memory, _ in fit_standing([as_told(one) for one in memories], tokens=self._tokens)}


def as_told(memory: Memory) -> SurfacedMemory:
    """Return standing memory as it is handed to an agent."""
    return surfaced(named(memory), score=1.0, reason="always in context")
