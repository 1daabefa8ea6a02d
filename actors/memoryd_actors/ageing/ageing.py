"""What nobody uses is archived or forgotten, what was forgotten long ago is destroyed; one owner at a time."""

from collections.abc import Awaitable, Callable
from datetime import timedelta

import msgspec

from memoryd_actors.core.actor import ActorRef
from memoryd_actors.indexing.indexer import Indexer
from memoryd_actors.keeping.orders import KeeperMessage, Perform, PurgeMemories
from memoryd_actors.memory.decay import LifecycleSettings
from memoryd_actors.memory.lifecycle import due
from memoryd_actors.memory.steps import ChangeState, Decide, Noted
from memoryd_actors.ports.clock import Clock
from memoryd_actors.ports.ledger import Ledger
from memoryd_client.wire.memory import Memory, State

PAGE = 500
AT_ONCE = 100
"""Memories in one operation: a write that comes meanwhile waits for some ten milliseconds."""
KEEPER_S = 300.0
ACTOR = "memoryd"
NODE = "ageing"
Rest = Callable[[float], Awaitable[None]]
"""Gives way after so many seconds of work."""


class Aged(msgspec.Struct, frozen=True):
    """What one round came to."""

    forgotten: int = 0
    archived: int = 0
    purged: int = 0
    lapsed: int = 0
    """Proposals that nobody answered."""


def _nowhere(owner: str, project: str) -> None:
    """Say of no place that memory is off there."""


async def _at_once(spent_s: float) -> None:
    """Take no rest."""


class Ageing:
    """Applies the lifecycle to what nobody uses."""

    def __init__(
        self,
        *,
        ledger: Ledger,
        indexer: Indexer,
        keeper: ActorRef[KeeperMessage, tuple[Memory, ...]],
        clock: Clock,
        settings: LifecycleSettings,
        off: Callable[[str, str], object | None] = _nowhere,
    ) -> None:
        """Prepare; `off` says of an owner and a project where memory is turned off.

        There nobody can use anything, so nothing fades. What was forgotten is destroyed all the same.
        """
        self._ledger = ledger
        self._indexer = indexer
        self._keeper = keeper
        self._clock = clock
        self._settings = settings
        self._off = off

    async def round(self, owner: str, *, run: int = 0, rest: Rest = _at_once) -> Aged:
        """Apply what is due to an owner's memories, and count it for a run; an interrupted round is taken up later.

        Raises:
            Refused: the ledger failed.
            ActorError: the Keeper did not answer.
        """
        counts: dict[str, int] = {}
        steps = [step for step, _ in await self.due(owner)]
        for state, name in ((State.FORGOTTEN, "forgotten"), (State.ARCHIVED, "archived")):
            some = [step for step in steps if step.state is state]
            for start in range(0, len(some), AT_ONCE):
                began = self._clock.monotonic()
                batch = some[start : start + AT_ONCE]
                told = Noted(run, wrote={name: len(batch)})
                await self._keeper.ask(Perform(owner, (*batch, told), ACTOR, NODE), deadline_s=KEEPER_S)
                await rest(self._clock.monotonic() - began)
            counts[name] = len(some)
        lapsed = await self._let_proposals_lapse(owner, run)
        return Aged(**counts, purged=await self._purge(owner, run, rest), lapsed=lapsed)

    async def due(self, owner: str) -> list[tuple[ChangeState, Memory]]:
        """Return what is due to an owner's memories, without doing it."""
        now = self._clock.now()
        unused_since = now - timedelta(days=self._settings.unused_days)
        found: list[tuple[ChangeState, Memory]] = []
        after = 0
        while page := await self._ledger.memories.unused(owner, since=unused_since, after=after, limit=PAGE):
            for number, memory in page:
                after = number
                step = due(memory, now, self._settings)
                if step is not None and self._off(owner, memory.project) is None:
                    found.append((step, memory))
        return found

    async def _let_proposals_lapse(self, owner: str, run: int) -> int:
        lapsed = 0
        while waiting := await self._ledger.consents.lapsed(owner, limit=AT_ONCE):
            steps = [Decide(memory_id, False, "expired") for memory_id in waiting]
            told = Noted(run, wrote={"lapsed": len(steps)})
            await self._keeper.ask(Perform(owner, (*steps, told), ACTOR, NODE), deadline_s=KEEPER_S)
            lapsed += len(waiting)
        return lapsed

    async def _purge(self, owner: str, run: int, rest: Rest) -> int:
        purged = 0
        while due_now := await self._ledger.purges.due(owner, limit=PAGE):
            began = self._clock.monotonic()
            await self._keeper.ask(PurgeMemories(tuple(due_now), owner, ACTOR), deadline_s=KEEPER_S)
            await self._keeper.ask(Perform(owner, (Noted(run, {"purged": len(due_now)}),), ACTOR, NODE), deadline_s=60)
            purged += len(due_now)
            await rest(self._clock.monotonic() - began)
        if purged:
            await self._indexer.purge(deadline_s=KEEPER_S)
        return purged
