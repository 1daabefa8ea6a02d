import anyio
import anyio.lowlevel

from memoryd.clock import SystemClock
from memoryd_actors.keeping.gatekeeper import Gatekeeper
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.memory import NewMemory, Scope


async def test_the_event_loop_stays_free_while_a_thousand_memories_are_admitted() -> None:
    gate = Gatekeeper(clock=SystemClock(), embedding_model=lambda: "none")
    memories = [
        NewMemory(content=f"The unit of hall {n} reports to Anna in room {n}.", scope=Scope.GLOBAL)
        for n in range(1_000)
    ]
    turns = 0
    done = anyio.Event()

    async def admit() -> None:
        admitted = await gate.admit_all(memories, Caller())
        patches = await gate.consents_of(admitted, own_word=True, told=frozenset())
        assert [one.memory.content for one in admitted] == [one.content for one in memories]
        assert len(patches) == len(memories)
        done.set()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(admit)
        while not done.is_set():
            turns += 1
            await anyio.lowlevel.checkpoint()
    assert turns > 20, turns
