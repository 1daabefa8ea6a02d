import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Connection, create_engine

from memoryd.ledger import SqlLedger
from memoryd.ledger.recent import RecentRows
from memoryd_actors.memory.steps import AddEdge, ChangeState, Step
from memoryd_client.wire.memory import State

from .samples import NOON, insert, memory


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[Connection]:
    with create_engine(f"sqlite:///{tmp_path / 'rows.db'}").connect() as connection:
        connection.exec_driver_sql("CREATE TABLE pairs (one TEXT, other TEXT)")
        yield connection


def test_a_row_is_known_until_it_is_written_under_either_of_its_keys(connection: Connection) -> None:
    rows = RecentRows[int](10)
    rows.watch(connection, "pairs", "one", "other")
    rows.keep({"a": 1, "b": 2, "c": 3}, rows.moment)
    connection.exec_driver_sql("INSERT INTO pairs VALUES ('a', 'x')")
    assert rows.find(["a", "b", "c", "x", "a"]) == ({"b": 2, "c": 3}, ["a", "x"])
    connection.exec_driver_sql("UPDATE pairs SET other = 'b'")
    assert rows.find(["b", "c"]) == ({"c": 3}, ["b"])
    connection.exec_driver_sql("DELETE FROM pairs")
    assert rows.find(["c"]) == ({"c": 3}, [])


def test_what_was_read_beside_a_write_is_not_kept(connection: Connection) -> None:
    rows = RecentRows[int](10)
    rows.watch(connection, "pairs", "one")
    before = rows.moment
    connection.exec_driver_sql("INSERT INTO pairs VALUES ('a', '')")
    rows.keep({"a": 1, "b": 2}, before)
    assert rows.find(["a", "b"]) == ({"b": 2}, ["a"]), "nobody knows whether this is the row before or after"
    rows.settle()
    rows.keep({"a": 1, "c": 3}, before)
    assert rows.find(["a", "c"]) == ({}, ["a", "c"]), "read before the write was over"
    rows.keep({"a": 1}, rows.moment)
    assert rows.find(["a"]) == ({"a": 1}, [])


def test_what_was_asked_for_least_lately_goes_first(connection: Connection) -> None:
    rows = RecentRows[int](2)
    rows.watch(connection, "pairs", "one")
    rows.keep({"a": 1, "b": 2}, rows.moment)
    rows.find(["a"])
    rows.keep({"c": 3}, rows.moment)
    assert rows.find(["a", "b", "c"]) == ({"a": 1, "c": 3}, ["b"])


def test_nothing_is_kept_of_a_database_whose_writes_are_not_heard_of() -> None:
    rows = RecentRows[int](10)
    rows.keep({"a": 1}, rows.moment)
    assert rows.find(["a"]) == ({}, ["a"])


async def test_what_was_read_before_is_read_without_the_database(file_ledger: SqlLedger, file: Path) -> None:
    one, other = memory("one"), memory("other")
    await insert(file_ledger, [one, other], actor="a")
    assert await file_ledger.memories.get("local", [one.id]) == {one.id: one}
    with sqlite3.connect(file) as elsewhere:
        elsewhere.execute("UPDATE memories SET content = 'written past the daemon'")
    known = await file_ledger.memories.get("local", [one.id, other.id])
    assert [known[each.id].content for each in (one, other)] == ["one", "written past the daemon"]
    assert await file_ledger.memories.get("somebody else", [one.id]) == {}


async def test_what_was_stored_last_is_read_ahead_and_what_is_used_is_read_again(
    file_ledger: SqlLedger, file: Path
) -> None:
    stored = [memory(f"note {n}") for n in range(3)]
    await insert(file_ledger, stored, actor="a")
    await file_ledger.memories.read_newest()
    await file_ledger.memories.touch("local", [stored[0].id], NOON)
    with sqlite3.connect(file) as raw:  # nobody hears of this
        raw.execute("UPDATE memories SET content = 'changed'")
    found = await file_ledger.memories.get("local", [one.id for one in stored])
    assert {one.content for one in found.values()} == {"note 0", "note 1", "note 2"}
    assert found[stored[0].id].access_count == 1


async def test_a_write_is_seen_by_the_next_reading(ledger: SqlLedger) -> None:
    one, other = memory("one"), memory("other")
    await insert(ledger, [one, other], actor="a")
    assert await ledger.memories.get_joined("local", [one.id, other.id], joined=[one.id]) == (
        {one.id: one, other.id: other},
        [],
    )
    before = await ledger.memories.revision("local")
    await ledger.memories.touch("local", [one.id], NOON)
    assert (await ledger.memories.get("local", [one.id]))[one.id].access_count == 1
    await ledger.sessions.save("local", "s", b"state", NOON, used=[one.id])
    assert (await ledger.memories.get("local", [one.id]))[one.id].access_count == 2
    steps: list[Step] = [AddEdge(other.id, one.id, "explains", 1.0), ChangeState(other.id, State.FORGOTTEN, "FORGET")]
    await ledger.writes.apply("local", steps, actor="a")
    known, edges = await ledger.memories.get_joined("local", [one.id, other.id], joined=[one.id])
    assert known[other.id].state is State.FORGOTTEN
    assert [(each.from_id, each.relation) for each in edges] == [(other.id, "explains")]
    assert await ledger.memories.revision("local") > before
