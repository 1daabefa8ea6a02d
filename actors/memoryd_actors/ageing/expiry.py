"""What was to last until now is forgotten."""

from itertools import groupby

from memoryd_actors.core.actor import ActorRef
from memoryd_actors.keeping.orders import KeeperMessage, Perform
from memoryd_actors.memory.decay import LifecycleSettings
from memoryd_actors.memory.lifecycle import expiry
from memoryd_actors.ports.clock import Clock
from memoryd_actors.ports.ledger import MemoryRepository
from memoryd_client.wire.memory import Memory

AT_ONCE = 100
KEEPER_S = 300.0
ACTOR = "memoryd"
NODE = "ageing"


class Expiry:
    """Looks for memories whose time to live is over."""

    def __init__(
        self,
        memories: MemoryRepository,
        keeper: ActorRef[KeeperMessage, tuple[Memory, ...]],
        clock: Clock,
        settings: LifecycleSettings,
    ) -> None:
        self._memories = memories
        self._keeper = keeper
        self._clock = clock
        self._settings = settings

    async def forget_expired(self) -> int:
        """Forget what was to last until now, of every owner; return how many that were.

        Where memory is off, too: somebody said until when it is to be known.

        Raises:
            Refused: the ledger failed.
            ActorError: the Keeper did not answer.
        """
        forgotten = 0
        while over := await self._memories.expired(self._clock.now(), limit=AT_ONCE):
            for owner, some in groupby(sorted(over, key=_owner), key=_owner):
                steps = tuple(expiry(memory, self._clock.now(), self._settings) for memory in some)
                await self._keeper.ask(Perform(owner, steps, ACTOR, NODE), deadline_s=KEEPER_S)
            forgotten += len(over)
        return forgotten


def _owner(memory: Memory) -> str:
    return memory.owner
