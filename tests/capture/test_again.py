"""A request that could not be stored is told of once, and whoever looks again is not told by their own failures."""

from typing import cast

import anyio
import pytest

from memoryd_actors.capture.capturer import Capturer, DatedMessage
from memoryd_actors.core.actor import ActorRef
from memoryd_actors.core.errors import Unavailable
from memoryd_actors.keeping.orders import KeeperMessage
from memoryd_actors.memory.settings import CaptureSettings
from memoryd_actors.ports.ledger import MemoryRepository
from memoryd_actors.ports.transcripts import Key
from memoryd_actors.recall.memory_actor import MemoryActor
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.context import ContextUpdate
from memoryd_client.wire.events import Event
from memoryd_client.wire.memory import Memory

ASKED = DatedMessage("user", "Remember that the spare key hangs behind the blue door.")
CALLER = Caller(owner="local", session="s1")


class Away:
    """A ledger that cannot be reached, and a recall that has captured nothing."""

    async def was_captured(self, caller: Caller, memory_id: str) -> bool:
        return False

    async def history(self, owner: str, *, memory_id: str, limit: int) -> None:
        raise Unavailable("the ledger is away", "Wait.")


def untold(event: Event) -> None:
    """Nobody listens."""


@pytest.mark.asyncio
async def test_only_what_fails_on_its_first_way_is_to_be_looked_at_again() -> None:
    unfinished: list[Key] = []
    capturer = Capturer(
        keeper=cast("ActorRef[KeeperMessage, tuple[Memory, ...]]", None),
        recall=cast("MemoryActor", Away()),
        ledger=cast("MemoryRepository", Away()),
        publish=untold,
        settings=CaptureSettings(),
        on_unfinished=lambda key, since: unfinished.append(key),
    )
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(capturer.run)
        capturer.offer(ContextUpdate(caller=CALLER, messages=(ASKED,)))
        assert not await capturer.hear_again([ASKED], CALLER)
        assert not await capturer.hear_again([ASKED], CALLER)
        assert capturer.counts.failed == 3
        assert unfinished == [("local", "s1")]
        await capturer.drain()
