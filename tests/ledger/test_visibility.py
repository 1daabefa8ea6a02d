"""The ledger, the index and the rule agree on who sees what; here the ledger and the rule."""

import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import msgspec
import pytest
from sqlalchemy.dialects import sqlite

from memoryd.ledger import SqlLedger
from memoryd.ledger.conditions import newest
from memoryd_actors.core.errors import Ambiguous, NotFound
from memoryd_actors.memory.visibility import Visibility, is_visible
from memoryd_client.wire.filters import Filters
from memoryd_client.wire.memory import Memory, Scope, State

from .samples import NOON, HandClock, insert, memory

LATER = NOON + timedelta(days=1)


def the_memories() -> list[Memory]:
    plain = memory("plain")
    change = msgspec.structs.replace
    return [
        plain,
        change(memory("by the planner", category="plan"), agent="o'brien", role="assistant", importance=5),
        change(memory("Ana said", session="s"), speaker="Ana", role="user", importance=1),
        change(memory("written later", category="rule"), updated_at=LATER),
        memory("here", scope=Scope.PROJECT, project="/here", tags=("a", "b"), pinned=True),
        memory("there", scope=Scope.PROJECT, project="/there"),
        memory("gone", state=State.FORGOTTEN),
        memory("foreign", owner="them", category="rule"),
    ]


@pytest.mark.parametrize(
    "visible",
    [
        Visibility("local", "/here"),
        Visibility("local"),
        Visibility("local", "/here", Filters(states=())),
        Visibility("local", "/here", Filters(scope="project")),
        Visibility("local", filters=Filters(agent="o'brien")),
        Visibility("local", filters=Filters(role="user")),
        Visibility("local", filters=Filters(speaker="Ana", session="s")),
        Visibility("local", filters=Filters(importance_min=3, importance_max=4)),
        Visibility("local", filters=Filters(updated_after=LATER)),
        Visibility("local", filters=Filters(updated_before=LATER)),
        Visibility("local", filters=Filters(tags=("a",), pinned=True)),
        Visibility("local", allowed=frozenset({"plan", "rule"})),
        Visibility("local", allowed=frozenset()),
        Visibility("local", allowed=frozenset({"plan", "rule"}), without=frozenset({"rule"})),
        Visibility("local", filters=Filters(categories=("rule",)), allowed=frozenset({"plan"})),
    ],
    ids=str,
)
async def test_a_page_holds_exactly_what_the_rule_lets_through(ledger: SqlLedger, visible: Visibility) -> None:
    memories = the_memories()
    await insert(ledger, memories, actor="a")
    page = await ledger.memories.page(visible, limit=50)
    assert {one.content for one in page} == {one.content for one in memories if is_visible(one, visible)}


async def test_what_is_not_allowed_cannot_be_named_not_even_by_its_beginning(ledger: SqlLedger) -> None:
    await insert(ledger, [memory("a", id="mem_1a", category="plan"), memory("b", id="mem_1b")], actor="a")
    with pytest.raises(Ambiguous):
        await ledger.memories.resolve("local", "1")
    allowed = frozenset({"plan"})
    assert (await ledger.memories.resolve("local", "1", allowed=allowed)).id == "mem_1a"
    with pytest.raises(NotFound):
        await ledger.memories.resolve("local", "mem_1b", allowed=allowed)
    with pytest.raises(NotFound):
        await ledger.memories.resolve("local", "1", allowed=frozenset())


async def test_history_tells_of_allowed_categories_only(ledger: SqlLedger) -> None:
    await insert(ledger, [memory("a plan", category="plan"), memory("a fact")], actor="a")
    assert [entry.new for entry in await ledger.memories.history("local", allowed=frozenset({"plan"}))] == ["a plan"]
    assert await ledger.memories.history("local", allowed=frozenset()) == []
    assert len(await ledger.memories.history("local")) == 2


async def test_a_rare_category_is_found_without_a_walk_through_all(file: Path) -> None:
    opened = SqlLedger(file, clock=HandClock())
    await opened.open()
    await opened.close()
    rules = Visibility("local", "/here", Filters(categories=("rule",)))
    with closing(sqlite3.connect(file)) as connection:
        query = str(newest(rules).compile(dialect=sqlite.dialect(), compile_kwargs={"literal_binds": True}))
        plan = connection.execute(f"EXPLAIN QUERY PLAN {query} LIMIT 200").fetchall()
    assert [row[-1] for row in plan] == ["SEARCH memories USING INDEX ix_memories_category (owner=? AND category=?)"]
