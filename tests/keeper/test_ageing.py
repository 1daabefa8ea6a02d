"""What nobody uses goes out of sight, comes back when asked for, and is destroyed in the end."""

from memoryd_actors.ageing.ageing import Aged, Ageing
from memoryd_actors.keeping.orders import SetState, Store
from memoryd_actors.memory.decay import LifecycleSettings
from memoryd_actors.memory.steps import ChangeState
from memoryd_client import Memory, NewMemory, Scope, State
from memoryd_client.wire.caller import Caller
from recall_system import Place, System, running

CALLER = Caller(agent="test", session="s1")


async def store(system: System, content: str, importance: int, *, pinned: bool = False) -> Memory:
    new = NewMemory(content=content, importance=importance, pinned=pinned, scope=Scope.GLOBAL)
    return (await system.keeper.ask(Store((new,), CALLER), deadline_s=20))[0]


async def states(system: System, *memories: Memory) -> list[State]:
    found = await system.ledger.memories.get("local", [one.id for one in memories])
    return [found[one.id].state for one in memories]


async def test_the_unimportant_is_forgotten_the_faded_archived_and_the_pinned_kept(place: Place) -> None:
    async with running(place) as system:
        trivial = await store(system, "Ana drinks tea at four.", 1)
        ordinary = await store(system, "The deploy job runs in Frankfurt.", 3)
        pinned = await store(system, "The bakery opens on Mondays.", 1, pinned=True)
        assert await system.ageing.round("local") == Aged()
        system.clock.pass_by(days=100)
        assert await system.ageing.round("local") == Aged(forgotten=1, archived=1)
        assert await states(system, trivial, ordinary, pinned) == [State.FORGOTTEN, State.ARCHIVED, State.ACTIVE]
        (entry, *_) = await system.ledger.memories.history("local", memory_id=trivial.id)
        assert (entry.event, entry.actor) == ("TTL", "memoryd")


async def test_what_was_forgotten_can_be_restored_for_a_month_and_then_is_destroyed(place: Place) -> None:
    async with running(place) as system:
        restored = await store(system, "Ana drinks tea at four.", 1)
        gone = await store(system, "The deploy job runs in Frankfurt.", 1)
        system.clock.pass_by(days=61)
        await system.ageing.round("local")
        system.clock.pass_by(days=29)
        assert (await system.ageing.round("local")).purged == 0
        await system.keeper.ask(SetState(restored.id, State.ACTIVE, CALLER), deadline_s=10)
        system.clock.pass_by(days=2)
        assert (await system.ageing.round("local")).purged == 1
        assert await states(system, restored) == [State.ACTIVE]
        assert await system.ledger.memories.get("local", [gone.id]) == {}
        events = [entry.event for entry in await system.ledger.memories.history("local", memory_id=gone.id)]
        assert events == ["PURGE", "TTL", "ADD"]


async def test_where_memory_is_off_nothing_fades_and_what_was_forgotten_is_destroyed_all_the_same(place: Place) -> None:
    async with running(place) as system:
        kept = await store(system, "Ana drinks tea at four.", 1)
        gone = await store(system, "The deploy job runs in Frankfurt.", 1)
        step = ChangeState(gone.id, State.FORGOTTEN, "TTL", purge_at=system.clock.now())
        await system.ledger.memories.apply("local", [step], actor="memoryd")
        off = Ageing(
            ledger=system.ledger,
            indexer=system.indexer,
            keeper=system.keeper,
            clock=system.clock,
            settings=LifecycleSettings(),
            off=lambda owner, project: (owner, project),
        )
        system.clock.pass_by(days=100)
        assert await off.round("local") == Aged(purged=1)
        assert await states(system, kept) == [State.ACTIVE]


async def test_one_owners_round_leaves_another_owners_memories_alone(place: Place) -> None:
    async with running(place) as system:
        mine = await store(system, "Ana drinks tea at four.", 1)
        system.clock.pass_by(days=100)
        assert await system.ageing.round("them") == Aged()
        assert await states(system, mine) == [State.ACTIVE]
