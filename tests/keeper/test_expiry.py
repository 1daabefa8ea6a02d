"""A memory that was given a time to live is forgotten when that is over, and comes back when it is asked for."""

from datetime import timedelta

import pytest

from memoryd_actors.ageing.expiry import Expiry
from memoryd_actors.core.errors import Refused
from memoryd_actors.keeping.orders import EditMemory, SetState, Store, TakeBack
from memoryd_actors.memory.decay import LifecycleSettings
from memoryd_client import Memory, NewMemory, Scope, State
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.editing import Changes
from recall_system import Place, System, running

CALLER = Caller(agent="cli", session="s1")


async def store(system: System, content: str, *, days: float | None = None, pinned: bool = False) -> Memory:
    until = None if days is None else system.clock.now() + timedelta(days=days)
    new = NewMemory(content=content, scope=Scope.GLOBAL, expires_at=until, pinned=pinned)
    return (await system.keeper.ask(Store((new,), CALLER), deadline_s=20))[0]


async def state(system: System, memory: Memory) -> State:
    return (await system.ledger.memories.get("local", [memory.id]))[memory.id].state


def expiry_of(system: System) -> Expiry:
    return Expiry(system.ledger.memories, system.keeper, system.clock, LifecycleSettings())


async def test_what_was_to_last_a_week_is_forgotten_after_it_and_can_be_undone_and_restored(place: Place) -> None:
    async with running(place) as system:
        expiry = expiry_of(system)
        week = await store(system, "The staging server is down for repairs.", days=7, pinned=True)
        month = await store(system, "The office is at Lendplatz for now.", days=30)
        stays = await store(system, "The deploy job runs in Frankfurt.")
        assert week.expires_at is not None
        system.clock.pass_by(days=6)
        assert await expiry.forget_expired() == 0
        system.clock.pass_by(days=2)
        assert await expiry.forget_expired() == 1
        assert [await state(system, one) for one in (week, month, stays)] == [
            State.FORGOTTEN,
            State.ACTIVE,
            State.ACTIVE,
        ]
        gone = (await system.ledger.memories.get("local", [week.id]))[week.id]
        assert gone.purge_at == system.clock.now() + timedelta(days=LifecycleSettings().purge_days)
        (entry, *_) = await system.ledger.memories.history("local", memory_id=week.id)
        assert (entry.event, entry.actor) == ("TTL", "memoryd")
        assert entry.meta["reason"] == f"was to last until {week.expires_at:%Y-%m-%d %H:%M}"
        await system.keeper.ask(TakeBack(entry.operation, CALLER), deadline_s=10)
        assert await expiry.forget_expired() == 0
        assert await state(system, week) is State.ACTIVE
        await system.keeper.ask(SetState(week.id, State.FORGOTTEN, CALLER), deadline_s=10)
        await system.keeper.ask(SetState(week.id, State.ACTIVE, CALLER), deadline_s=10)
        assert await expiry.forget_expired() == 0


async def test_what_is_said_again_without_an_end_stays(place: Place) -> None:
    async with running(place) as system:
        first = await store(system, "The staging server is down for repairs.", days=7)
        again = await store(system, "The staging server is down for repairs.", days=9)
        assert again.id == first.id
        assert again.expires_at == system.clock.now() + timedelta(days=9)
        kept = await store(system, "The staging server is down for repairs.")
        assert (kept.id, kept.expires_at) == (first.id, None)
        read = (await system.ledger.memories.get("local", [first.id]))[first.id]
        assert read.expires_at is None


async def test_a_time_to_live_is_changed_taken_away_and_never_in_the_past(place: Place) -> None:
    async with running(place) as system:
        memory = await store(system, "The staging server is down for repairs.", days=7)
        later = system.clock.now() + timedelta(days=20)
        edit = EditMemory(memory.id, Changes(expires_at=later), None, CALLER)
        assert (await system.keeper.ask(edit, deadline_s=10))[0].expires_at == later
        edit = EditMemory(memory.id, Changes(expires_at=None), None, CALLER)
        assert (await system.keeper.ask(edit, deadline_s=10))[0].expires_at is None
        past = system.clock.now() - timedelta(days=1)
        with pytest.raises(Refused, match="`expires_at` is over already"):
            await system.keeper.ask(EditMemory(memory.id, Changes(expires_at=past), None, CALLER), deadline_s=10)
        with pytest.raises(Refused, match="`expires_at` is over already"):
            await store(system, "Something else was so.", days=-1)
