"""Lists, the history of some categories and counts: the same whichever way they are read, and read along an index."""

import re
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from memoryd.ledger import SqlLedger
from memoryd_actors.memory.steps import Add, ChangeState, RevertOperation, Revise
from memoryd_actors.memory.visibility import Visibility, is_visible
from memoryd_client.wire.filters import Filters
from memoryd_client.wire.memory import Memory, Scope, State

from .samples import NOON, HandClock, insert, memory
from .test_query_plans import listening

WAYS = [
    (Filters(), None, ["ix_memories_project", "ix_memories_global"]),
    (Filters(scope="project"), None, ["ix_memories_project"]),
    (Filters(scope="global"), None, ["ix_memories_global"]),
    (Filters(scope="everywhere"), None, ["ix_memories_newest"]),
    (Filters(tags=("a",)), None, ["ix_memory_tags_newest"]),
    (Filters(tags=("a", "b"), pinned=True), None, ["ix_memory_tags_newest"]),
    (Filters(pinned=True), None, ["ix_memories_pinned"]),
    (Filters(categories=("plan",)), None, ["ix_memories_category"]),
    (Filters(categories=("plan", "rule"), pinned=False), None, ["ix_memories_category", "ix_memories_category"]),
    (Filters(), frozenset({"plan"}), ["ix_memories_category"]),
    (Filters(categories=("plan", "rule")), frozenset({"plan"}), ["ix_memories_category"]),
    (Filters(categories=("rule",)), frozenset({"plan"}), []),
]


def various(count: int) -> list[Memory]:
    """Memories of every kind; of each instant there are several."""
    random = Random(3)
    return [
        memory(
            f"{number}",
            scope=(scope := random.choice((Scope.PROJECT, Scope.GLOBAL))),
            project=random.choice(("/here", "/there")) if scope is Scope.PROJECT else "",
            category=random.choice(("fact", "plan", "rule")),
            tags=tuple(tag for tag in ("a", "b") if random.random() < 0.4),
            pinned=random.random() < 0.2,
            state=random.choice((State.ACTIVE, State.ACTIVE, State.FORGOTTEN)),
            created_at=NOON + timedelta(minutes=random.randrange(count // 4)),
        )
        for number in range(count)
    ]


async def in_pages(ledger: SqlLedger, visible: Visibility, limit: int) -> list[Memory]:
    found: list[Memory] = []
    while page := await ledger.memories.page(visible, limit=limit, before=found[-1].id if found else ""):
        found += page
    return found


@pytest.mark.parametrize(("filters", "allowed"), [way[:2] for way in WAYS], ids=str)
async def test_pages_have_all_of_it_once_and_in_order(
    ledger: SqlLedger, filters: Filters, allowed: frozenset[str] | None
) -> None:
    stored = various(120)
    await insert(ledger, stored, actor="a")
    visible = Visibility("local", "/here", filters, allowed=allowed)
    newest_first = sorted(enumerate(stored), key=lambda one: (one[1].created_at, one[0]), reverse=True)
    expected = [one.content for _, one in newest_first if is_visible(one, visible)]
    assert [one.content for one in await in_pages(ledger, visible, 7)] == expected


async def test_what_is_written_between_two_pages_takes_no_other_off_them(ledger: SqlLedger) -> None:
    stored = [memory(f"{number}", tags=("a",), created_at=NOON + timedelta(minutes=number)) for number in range(20)]
    await insert(ledger, stored, actor="a")
    tagged = Visibility("local", filters=Filters(tags=("a",)))
    first = await ledger.memories.page(tagged, limit=10)
    await insert(ledger, [memory("new", tags=("a",), created_at=NOON + timedelta(days=1))], actor="a")
    for one in (first[0], stored[3]):
        await ledger.writes.apply("local", [ChangeState(one.id, State.FORGOTTEN, "DELETE")], actor="a")
    await revise(ledger, {stored[4].id: {"tags": ("b",)}})
    second = await ledger.memories.page(tagged, limit=10, before=first[-1].id)
    assert [one.content for one in second] == [f"{number}" for number in reversed(range(10)) if number not in {3, 4}]


async def test_a_list_is_read_along_the_shortest_index(file: Path) -> None:
    opened = SqlLedger(file, clock=HandClock())
    await opened.open()
    await insert(opened, [*various(60), memory("one of its kind", category="idea", tags=("a",))], actor="a")
    rare = Visibility("local", filters=Filters(tags=("a",), categories=("idea",)))
    with listening() as asked:
        (found,) = await opened.memories.page(rare, limit=5)
    await opened.close()
    assert found.content == "one of its kind"
    steps = plan(file, asked[-1:])
    assert steps[0] == "SEARCH memories USING INDEX ix_memories_category (owner=? AND category=?)"


@pytest.mark.parametrize(("filters", "allowed", "indexes"), WAYS, ids=str)
async def test_a_list_walks_through_one_index_and_sorts_nothing(
    file: Path, filters: Filters, allowed: frozenset[str] | None, indexes: list[str]
) -> None:
    opened = SqlLedger(file, clock=HandClock())
    await opened.open()
    await insert(opened, [last := memory("last")], actor="a")
    visible = Visibility("local", "/here", filters, allowed=allowed)
    with listening() as asked:
        await opened.memories.page(visible, limit=5, before=last.id)
    await opened.close()
    steps = plan(file, [(statement, values) for statement, values in asked if "ORDER BY" in statement])
    walked = [step for step in steps if "owner=?" in step]
    assert [step.split("INDEX ")[1].split()[0] for step in walked] == indexes
    assert all(re.search(r"created_at(,number\))?<", step) for step in walked)
    assert not [step for step in steps if step.startswith(("SCAN", "USE TEMP"))]


async def test_memory_files_are_found_by_index(file: Path) -> None:
    opened = SqlLedger(file, clock=HandClock())
    await opened.open()
    with listening() as asked:
        await opened.memories.files(Visibility("local", "/here"), prefix="notes/", limit=5)
    await opened.close()
    assert plan(file, asked) == ["SEARCH memories USING INDEX ix_memories_files (owner=?)"]


async def test_the_history_of_some_categories_is_read_along_an_index(file: Path) -> None:
    opened = SqlLedger(file, clock=HandClock())
    await opened.open()
    await insert(opened, [memory("plan", category="plan")], actor="a")
    with listening() as asked:
        await opened.memories.history("local", allowed=frozenset({"plan", "rule"}), before=9)
    await opened.close()
    steps = plan(file, asked)
    assert len([step for step in steps if "ix_history_category (owner=? AND category=? AND id<?)" in step]) == 2
    assert not [step for step in steps if step.startswith("SCAN")]


async def test_the_history_of_some_categories_follows_what_memories_are_of_now(ledger: SqlLedger) -> None:
    stored = [memory(f"{number}", category="plan" if number % 2 else "fact") for number in range(6)]
    await insert(ledger, stored, actor="a")

    async def told(**narrowing: Any) -> list[str]:
        allowed = frozenset({"plan", "rule"})
        return [one.new for one in await ledger.memories.history("local", allowed=allowed, **narrowing) if one.new]

    assert await told() == ["5", "3", "1"]
    assert await told(limit=2) == ["5", "3"]
    (_, third) = await ledger.memories.history("local", allowed=frozenset({"plan"}), limit=2)
    assert await told(before=third.sequence) == ["1"]
    moved = await revise(ledger, {stored[1].id: {"category": "fact"}, stored[4].id: {"category": "rule"}})
    assert await told() == ["5", "4", "3"]
    assert await told(memory_id=stored[1].id) == []
    await ledger.writes.apply("local", [RevertOperation(moved)], actor="a")
    assert await told() == ["5", "3", "1"]
    await ledger.purges.purge("local", [stored[3].id], actor="a")
    assert await told() == ["5", "1"]
    assert stored[3].id not in {
        one.memory_id for one in await ledger.memories.history("local", allowed=frozenset({"plan", "fact", ""}))
    }


async def test_counts_follow_everything_that_is_written(ledger: SqlLedger) -> None:
    async def check(*expected: Memory) -> None:
        """Compare both counts with the memories that should stand there."""
        assert await ledger.memories.counts() == tally([one.state.value for one in expected])
        for visible in (
            Visibility("local", "/here"),
            Visibility("local", "/here", Filters(scope="everywhere", states=())),
            Visibility("local", "/here", without=frozenset({"plan"})),
            Visibility("local", "/here", allowed=frozenset({"plan"})),
        ):
            seen = [one.category for one in expected if is_visible(one, visible)]
            assert await ledger.memories.by_category(visible) == tally(seen)

    change = msgspec.structs.replace
    here = memory("here", scope=Scope.PROJECT, project="/here")
    plan_, other, foreign = memory("plan", category="plan"), memory("other"), memory("foreign", owner="them")
    await check()
    await insert(ledger, [here, plan_, other, foreign], actor="a")
    await check(here, plan_, other, foreign)
    forgotten = await ledger.writes.apply("local", [ChangeState(here.id, State.FORGOTTEN, "DELETE")], actor="a")
    await check(change(here, state=State.FORGOTTEN), plan_, other, foreign)
    await ledger.writes.apply("local", [RevertOperation(forgotten.operation)], actor="a")
    await revise(ledger, {here.id: {"category": "plan", "project": "/there"}})
    moved = change(here, category="plan", project="/there")
    await check(moved, plan_, other, foreign)
    await ledger.purges.purge("local", [other.id, plan_.id], actor="a")
    await check(moved, foreign)
    await ledger.writes.apply("them", [Add(change(foreign, id="mem_again"))], actor="a")
    await check(moved, foreign)


async def test_passages_are_counted_with_their_documents(ledger: SqlLedger) -> None:
    passages = [
        msgspec.structs.replace(memory(f"{number}", category="knowledge"), metadata={"document": "a.md"} | stamp)
        for number, stamp in enumerate(({"stamp": "1"}, {}, {}))
    ]
    told = memory("not of a document", category="knowledge")
    await insert(ledger, [*passages, told], actor="a")
    assert await ledger.memories.counts() == {"active": 1, "passages": 3, "documents": 1}
    await ledger.writes.apply("local", [ChangeState(passages[0].id, State.FORGOTTEN, "DELETE")], actor="a")
    assert await ledger.memories.counts() == {"active": 1, "passages": 2, "documents": 0}


async def revise(ledger: SqlLedger, changed: dict[str, dict[str, Any]]) -> int:
    """Change fields of memories, in one operation, and return its number."""
    there = await ledger.memories.get("local", list(changed))
    steps = [Revise(msgspec.structs.replace(there[one], **fields)) for one, fields in changed.items()]
    return (await ledger.writes.apply("local", steps, actor="a")).operation


def tally(names: Sequence[str]) -> dict[str, int]:
    return {name: names.count(name) for name in set(names)}


def plan(file: Path, asked: list[tuple[str, Any]]) -> list[str]:
    with closing(sqlite3.connect(file)) as connection:
        return [
            row[-1]
            for statement, parameters in asked
            for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}", parameters)
        ]
