"""What is said twice, at once, in odd characters, or while something else goes on."""

from functools import partial

import anyio
import pytest

from memoryd_actors.core.errors import Refused
from memoryd_actors.keeping.orders import EditMemory, PurgeMemories, SetState, Store, TakeBack
from memoryd_client import Memory, NewMemory, Scope, State
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.editing import Changes
from recall_system import Place, System, running

CALLER = Caller(agent="test", session="s1")


async def store(system: System, content: str, category: str = "fact") -> Memory:
    new = NewMemory(content=content, scope=Scope.GLOBAL, category=category)
    return (await system.keeper.ask(Store((new,), CALLER), deadline_s=20))[0]


@pytest.mark.parametrize("category", ["episode", "procedural", "fact"])
async def test_what_is_never_compared_can_be_said_twice(place: Place, category: str) -> None:
    async with running(place) as system:
        first = await store(system, "Ana deployed the bakery's shop to Frankfurt.", category)
        again = await store(system, "Ana deployed the bakery's shop to Frankfurt.", category)
        assert (again.id, again.strength) == (first.id, 2)


async def test_the_same_words_in_another_category_are_another_memory(place: Place) -> None:
    async with running(place) as system:
        first = await store(system, "Ana prefers tea.")
        other = await store(system, "Ana prefers tea.", "preference")
        again = await store(system, "Ana prefers tea.", "preference")
        assert other.id != first.id
        assert (again.id, again.strength) == (other.id, 2)


async def test_a_memory_cannot_be_edited_into_one_that_is_there(place: Place) -> None:
    async with running(place) as system:
        one, other = await store(system, "Ana plays chess."), await store(system, "Rain is expected on Sunday.")
        with pytest.raises(Refused, match=f"says the same as {one.id}"):
            await system.keeper.ask(
                EditMemory(other.id, Changes(content="Ana plays  chess."), None, CALLER), deadline_s=10
            )


async def test_nul_and_half_a_character_are_kept_as_what_stands_for_them(place: Place) -> None:
    async with running(place) as system:
        odd = await store(system, "Ana plays\0 chess \ud83d well.")
        assert odd.content == "Ana plays\ufffd chess \ufffd well."
        again = await store(system, "Ana plays\0 chess \ud83d well.")
        assert (again.id, again.strength) == (odd.id, 2)
        edit = EditMemory(odd.id, Changes(importance=5), None, CALLER)
        (edited,) = await system.keeper.ask(edit, deadline_s=10)
        assert (edited.content, edited.content_hash) == (odd.content, odd.content_hash)


async def test_what_was_merged_away_can_be_restored_and_undone_but_not_after_a_purge(place: Place) -> None:
    async with running(place) as system:
        one = await store(system, "The user prefers tabs over spaces.")
        await store(system, "User prefers tabs over spaces")
        (merged, *_) = [
            entry.meta["same"] for entry in await system.ledger.memories.history("local") if "same" in entry.meta
        ]
        (back,) = await system.keeper.ask(SetState(merged, State.ACTIVE, CALLER), deadline_s=10)
        assert back.active
        (entry, *_) = await system.ledger.memories.history("local", memory_id=merged)
        await system.keeper.ask(PurgeMemories((merged,), "local", "a"), deadline_s=10)
        with pytest.raises(Refused, match="cannot be undone"):
            await system.keeper.ask(TakeBack(entry.operation, CALLER), deadline_s=10)
        assert (await system.ledger.memories.get("local", [one.id]))[one.id].active


async def test_a_purge_during_searches_and_an_import_leaves_nothing_to_be_found(place: Place) -> None:
    async with running(place) as system:
        secrets = [await store(system, f"The vault number {n} opens with quokka{n}.", "episode") for n in range(5)]
        assert await system.indexer.wait_for(system.indexer.target, deadline_s=30)
        new = tuple(NewMemory(content=f"Shelf {n} holds parts.", scope=Scope.GLOBAL) for n in range(300))
        async with anyio.create_task_group() as tasks:
            for _ in range(5):
                tasks.start_soon(partial(system.index.vectors, [one.id for one in secrets]))
                tasks.start_soon(partial(store, system, "Who opens the vault of the bank?", "episode"))
            tasks.start_soon(partial(system.keeper.ask, Store(new, CALLER), deadline_s=60))
            for one in secrets:
                tasks.start_soon(partial(system.keeper.ask, PurgeMemories((one.id,), "local", "a"), deadline_s=60))
        assert await system.indexer.purge(deadline_s=60)
        assert await system.index.vectors([one.id for one in secrets]) == {}
        assert await system.index.count() == 301
        assert not system.crashes
