"""What a write and the background ask of a large ledger is found by index, with the parameters as they are bound."""

import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, event

from memoryd.ledger import SqlLedger
from memoryd_actors.memory.steps import RELATED, Add, AddEdge, ChangeState, RevertOperation
from memoryd_client.wire.memory import State

from .samples import HandClock, insert, memory


@contextmanager
def listening() -> Generator[list[tuple[str, Any]]]:
    """What is asked meanwhile. Not compiled with literals: SQLite plans otherwise where it knows the values."""
    asked: list[tuple[str, Any]] = []

    def note(_: Connection, __: object, statement: str, parameters: Any, *___: object) -> None:
        if statement.startswith(("SELECT", "UPDATE", "DELETE")):
            asked.append((statement, parameters))

    event.listen(Engine, "before_cursor_execute", note)
    try:
        yield asked
    finally:
        event.remove(Engine, "before_cursor_execute", note)


def walks(file: Path, asked: list[tuple[str, Any]]) -> list[str]:
    """Return the walks through whole tables, of all that was asked."""
    with closing(sqlite3.connect(file)) as connection:
        plans = [
            (row[-1], statement)
            for statement, parameters in asked
            for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}", parameters)
        ]
    return [
        f"{step}: {statement}"
        for step, statement in plans
        # The greatest number is the last entry of its index.
        if step.startswith("SCAN") and "max(" not in statement and "USING" not in step
    ]


async def test_a_write_walks_through_nothing(file: Path) -> None:
    opened = SqlLedger(file, clock=HandClock())
    await opened.open()
    there, new = memory("there already"), memory("new")
    await insert(opened, [there], actor="a")
    with listening() as asked:
        await opened.memories.apply("local", [Add(new), AddEdge(new.id, there.id, RELATED, 0.7)], actor="a")
        await insert(opened, [memory("one more"), memory("and one")], actor="a")
        forgotten = await opened.memories.apply("local", [ChangeState(new.id, State.FORGOTTEN, "DELETE")], actor="a")
        await opened.memories.apply("local", [ChangeState(new.id, State.ACTIVE, "RESTORE")], actor="a")
        await opened.memories.apply("local", [RevertOperation(forgotten.operation + 1)], actor="a")
        assert await opened.memories.uncompared(limit=10)
        await opened.memories.edges("local", [new.id])
    await opened.close()
    assert any("content_hash" in statement for statement, _ in asked)
    assert walks(file, asked) == []
