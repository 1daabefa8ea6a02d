"""What is changed, taken back or restored meets what is there as a new memory does."""

import msgspec
import pytest

from memoryd_actors.core.errors import Refused
from memoryd_actors.keeping.orders import EditMemory, SetState, Store, TakeBack
from memoryd_actors.memory.steps import CONTRADICTS
from memoryd_actors.memory.visibility import Visibility
from memoryd_client import Memory, NewMemory, State
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.editing import Changes
from memoryd_client.wire.filters import Filters
from recall_system import Place, System, running

CALLER = Caller(agent="test", session="s1", project="/p")
WATER = "Water boils at 100 degrees."
COLD = "Water boils at 90 degrees."


async def store(system: System, *contents: str, **fields: object) -> Memory:
    new = tuple(msgspec.convert({"content": content, **fields}, NewMemory) for content in contents)
    return (await system.keeper.ask(Store(new, CALLER), deadline_s=20))[0]


async def edit(system: System, memory: Memory, **fields: object) -> Memory:
    changes = msgspec.convert(fields, Changes)
    return (await system.keeper.ask(EditMemory(memory.id, changes, None, CALLER), deadline_s=20))[0]


async def restore(system: System, memory: Memory) -> Memory:
    return (await system.keeper.ask(SetState(memory.id, State.ACTIVE, CALLER), deadline_s=20))[0]


async def forget(system: System, memory: Memory) -> None:
    await system.keeper.ask(SetState(memory.id, State.FORGOTTEN, CALLER), deadline_s=20)


async def now(system: System, memory: Memory) -> Memory:
    return (await system.ledger.memories.get(memory.owner, [memory.id]))[memory.id]


async def contradicted(system: System, memory: Memory) -> set[frozenset[str]]:
    edges = await system.ledger.memories.edges(memory.owner, [memory.id])
    return {frozenset((one.from_id, one.to_id)) for one in edges if one.relation == CONTRADICTS}


async def active_rules(system: System, *rules: Memory) -> list[str]:
    return [one.content for one in [await now(system, rule) for rule in rules] if one.active]


async def test_an_update_into_a_contradiction_points_at_it_and_waits_for_somebody_to_look(place: Place) -> None:
    async with running(place) as system:
        water, iron = await store(system, WATER), await store(system, "Iron melts at 1538 degrees.")
        doubts = (await system.ledger.memories.tallies())["doubts"]
        await edit(system, iron, content=COLD)
        assert await contradicted(system, iron) == {frozenset((water.id, iron.id))}
        assert (await system.ledger.memories.tallies())["doubts"] == doubts + 1
        assert (await now(system, water)).active
        assert (await now(system, iron)).active


async def test_an_update_out_of_a_contradiction_takes_the_edge_away_and_an_undo_brings_it_back(place: Place) -> None:
    async with running(place) as system:
        water, cold = await store(system, WATER), await store(system, COLD)
        both = {frozenset((water.id, cold.id))}
        assert await contradicted(system, cold) == both
        await edit(system, cold, content="Iron melts at 1538 degrees.")
        assert await contradicted(system, cold) == set()
        operation = max(entry.operation for entry in await system.ledger.memories.history("local", memory_id=cold.id))
        await system.keeper.ask(TakeBack(operation, CALLER), deadline_s=20)
        assert await contradicted(system, cold) == both


async def test_what_an_undo_brings_back_is_compared_once_more(place: Place) -> None:
    async with running(place) as system:
        iron = await store(system, COLD)
        await edit(system, iron, content="Iron melts at 1538 degrees.")
        operation = max(entry.operation for entry in await system.ledger.memories.history("local", memory_id=iron.id))
        await store(system, WATER)
        assert await system.ledger.memories.uncompared(limit=10) == []
        await system.keeper.ask(TakeBack(operation, CALLER), deadline_s=20)
        # The comparer, which does not run here, takes it from there.
        assert iron.id in {one.id for one in await system.ledger.memories.uncompared(limit=10)}


async def test_an_update_to_what_another_memory_says_is_that_memory_of_here_on(place: Place) -> None:
    async with running(place) as system:
        tabs, iron = await store(system, "The user prefers tabs."), await store(system, "Iron melts at 1538 degrees.")
        standing = await edit(system, iron, content="User prefers tabs")
        assert (standing.id, standing.strength) == (tabs.id, 2)
        assert (await now(system, iron)).superseded_by == tabs.id


async def test_a_rule_that_is_restored_takes_the_place_of_the_one_that_took_its(place: Place) -> None:
    async with running(place) as system:
        uv = await store(system, "Use uv.", category="rule", title="Tool")
        pip = await store(system, "Use pip.", category="rule", title="tool")
        elsewhere = await store(system, "Use poetry.", category="rule", title="Other tool")
        assert await active_rules(system, uv, pip, elsewhere) == ["Use pip.", "Use poetry."]
        await restore(system, uv)
        assert await active_rules(system, uv, pip, elsewhere) == ["Use uv.", "Use poetry."]
        assert (await now(system, pip)).superseded_by == uv.id
        operation = max(entry.operation for entry in await system.ledger.memories.history("local", memory_id=uv.id))
        await system.keeper.ask(TakeBack(operation, CALLER), deadline_s=20)
        assert await active_rules(system, uv, pip, elsewhere) == ["Use pip.", "Use poetry."]


async def test_an_undo_that_would_leave_a_rule_with_two_values_is_refused(place: Place) -> None:
    async with running(place) as system:
        uv = await store(system, "Use uv.", category="rule", title="Tool")
        await forget(system, uv)
        operation = max(entry.operation for entry in await system.ledger.memories.history("local", memory_id=uv.id))
        pip = await store(system, "Use pip.", category="rule", title="Tool")
        with pytest.raises(Refused, match=pip.id) as refused:
            await system.keeper.ask(TakeBack(operation, CALLER), deadline_s=20)
        assert uv.id in refused.value.hint
        assert await active_rules(system, uv, pip) == ["Use pip."]
        await restore(system, uv)
        assert await active_rules(system, uv, pip) == ["Use uv."]


async def test_an_update_and_several_at_once_leave_a_rule_one_value(place: Place) -> None:
    async with running(place) as system:
        uv = await store(system, "Use uv.", category="rule", title="Tool")
        fact = await store(system, "Use make.", category="fact", title="Tool")
        await edit(system, fact, category="rule")
        assert await active_rules(system, uv, fact) == ["Use make."]
        await store(system, "Use nix.", "Use just.", category="rule", title="Tool")
        rules = await system.ledger.memories.page(Visibility("local", "/p", Filters(categories=("rule",))), limit=9)
        assert [one.content for one in rules] == ["Use just."]
