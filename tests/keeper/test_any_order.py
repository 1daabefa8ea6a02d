"""Whatever is done, in any order, through crashes: once the index has caught up, it says what the ledger says."""

import shutil
import tempfile
from pathlib import Path

import anyio
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from memoryd.index.importing import import_lancedb
from memoryd_actors.core.errors import Refused
from memoryd_actors.keeping.orders import (
    EditMemory,
    KeeperMessage,
    LinkMemories,
    PurgeMemories,
    SetState,
    Store,
    TakeBack,
)
from memoryd_actors.memory.visibility import Visibility
from memoryd_client import NewMemory, Scope, State
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.editing import Changes
from memoryd_client.wire.filters import Filters
from recall_system import Place, System, running

CALLER = Caller(agent="test", session="s1")
EVERYTHING = Visibility(owner="local", filters=Filters(states=()))
SAID = (
    "The user prefers tabs over spaces.",
    "User prefers tabs over spaces",
    "The user now prefers spaces over tabs.",
    "The deploy job runs at 02:00 UTC.",
    "The deploy job runs at 04:00 UTC now.",
    "Ana plays chess.",
)
Deed = tuple[str, int, int]
_DEEDS = st.tuples(
    st.sampled_from(
        ["remember"] * 5 + ["import", "forget", "restore", "edit", "link", "undo", "purge", "crash", "lose the index"]
    ),
    st.integers(0, 20),
    st.integers(0, 20),
)


async def message(system: System, what: str, one: int, other: int) -> KeeperMessage | None:  # noqa: PLR0911 - one case a deed
    said = [NewMemory(content=SAID[number % len(SAID)], scope=Scope.GLOBAL) for number in (one, other)]
    ids = [memory.id for memory in await system.ledger.memories.page(EVERYTHING, limit=100)] or ["mem_none"]
    first, second = ids[one % len(ids)], ids[other % len(ids)]
    match what:
        case "remember":
            return Store((said[0],), CALLER)
        case "import":
            return Store(tuple(said), CALLER)
        case "forget":
            return SetState(first, State.FORGOTTEN, CALLER)
        case "restore":
            return SetState(first, State.ACTIVE, CALLER)
        case "edit":
            return EditMemory(first, Changes(content=said[1].content, importance=1 + other % 5), None, CALLER)
        case "link":
            return LinkMemories(first, second, ("supersedes", "about")[other % 2], 0.8, CALLER)
        case "undo":
            history = await system.ledger.memories.history("local")
            return TakeBack(history[one % len(history)].operation if history else 1, CALLER)
        case "purge":
            return PurgeMemories((first,), "local", "test")
        case _:
            return None


async def agree(system: System, place: Place) -> None:
    """Assert that index and ledger say the same, and that only what is active is found."""
    assert await system.indexer.wait_for(await system.ledger.memories.last_sequence(), deadline_s=60)
    memories = await system.ledger.memories.page(EVERYTHING, limit=1000)
    table = await anyio.to_thread.run_sync(
        lambda: import_lancedb().connect(place.home / "index").open_table("memories")
    )
    rows = (await anyio.to_thread.run_sync(table.to_arrow)).to_pylist()
    columns = ("id", "state", "category", "owner", "scope", "project", "importance", "pinned")
    found = sorted(tuple(row[column] for column in columns) for row in rows)
    assert found == sorted(
        (one.id, one.state.value, one.category, one.owner, one.scope.value, one.project, one.importance, one.pinned)
        for one in memories
    )
    active = {one.id for one in memories if one.active}
    for said in SAID:
        hits = (await system.searcher.search(said, Visibility(owner="local"), limit=50, deadline_s=30)).hits
        assert {hit.id for hit in hits} <= active
        assert {one.id for one in memories if one.active and one.content == said} <= {hit.id for hit in hits}
    assert not system.crashes


async def live(place: Place, deeds: list[Deed]) -> None:
    left = list(deeds)
    while True:
        async with running(place) as system:
            lose_the_index = False
            while left:
                what, one, other = left.pop(0)
                lose_the_index = what == "lose the index"
                if what == "crash" or lose_the_index:
                    break  # the indexer is cut off wherever it is
                try:
                    asked = await message(system, what, one, other)
                    assert asked is not None
                    await system.keeper.ask(asked, deadline_s=60)
                except Refused:
                    continue
            else:
                await agree(system, place)
                return
        if lose_the_index:
            await anyio.to_thread.run_sync(lambda: shutil.rmtree(place.home / "index", ignore_errors=True))


@pytest.mark.slow
@settings(
    max_examples=6,
    deadline=None,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(deeds=st.lists(_DEEDS, min_size=8, max_size=16))
def test_the_index_says_what_the_ledger_says_after_any_deeds_and_crashes(models: Path, deeds: list[Deed]) -> None:
    with tempfile.TemporaryDirectory() as home:
        anyio.run(live, Place(Path(home), models), deeds)
