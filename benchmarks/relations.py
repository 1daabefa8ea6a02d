"""What an edge costs on write: memories stored with and without five edges, beside the bare INSERT of an edge.

`edge_ms` is the difference by edge. The floor is SQLite alone: one row into a table of edges with the same two indexes,
in a transaction that holds other rows already.
"""

import sqlite3
import statistics
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import anyio

from memoryd.clock import SystemClock
from memoryd.ledger import SqlLedger
from memoryd_actors.admission.gate import content_hash
from memoryd_actors.memory.steps import RELATED, Add, AddEdge, Step
from memoryd_client.wire.memory import Memory, Scope

_EDGES = 5
_ROUNDS = 60


def run() -> dict[str, float]:
    with TemporaryDirectory() as folder:
        figures = anyio.run(_measure, Path(folder))
    figures["floor_ms"] = _floor()
    print(", ".join(f"{name} {value:.3f}" for name, value in figures.items()))
    return figures


async def _measure(folder: Path) -> dict[str, float]:
    ledger = SqlLedger(folder / "ledger.db", clock=SystemClock())
    await ledger.open()
    took: dict[int, list[float]] = {0: [], _EDGES: []}
    before: list[str] = []
    for n in range(2 * _ROUNDS):
        edges = _EDGES if n % 2 and len(before) >= _EDGES else 0
        memory = _memory(n)
        steps: list[Step] = [Add(memory)]
        steps += [AddEdge(memory.id, other, RELATED, 0.7) for other in before[-edges:] if edges]
        began = perf_counter()
        await ledger.memories.apply("local", steps, actor="benchmark")
        took[edges].append((perf_counter() - began) * 1000)
        before.append(memory.id)
    await ledger.close()
    without, with_edges = statistics.median(took[0]), statistics.median(took[_EDGES])
    return {"without_ms": without, "with_5_ms": with_edges, "edge_ms": (with_edges - without) / _EDGES}


def _floor() -> float:
    connection = sqlite3.connect(":memory:")
    connection.execute(
        "CREATE TABLE edges (id INTEGER PRIMARY KEY, a TEXT, b TEXT, kind TEXT, strength REAL, at INTEGER)"
    )
    connection.execute("CREATE INDEX edges_a ON edges (a)")
    connection.execute("CREATE INDEX edges_b ON edges (b)")
    took: list[float] = []
    for n in range(_ROUNDS):
        began = perf_counter()
        row = (f"mem_{n:020}", f"mem_{n - 1:020}", RELATED, 0.7, n)
        connection.execute("INSERT INTO edges (a, b, kind, strength, at) VALUES (?, ?, ?, ?, ?)", row)
        took.append((perf_counter() - began) * 1000)
    connection.close()
    return statistics.median(took)


def _memory(n: int) -> Memory:
    content = f"Memory number {n} says something of its own."
    now = datetime(2026, 1, 1, tzinfo=UTC)
    return Memory(
        id=f"mem_{n:020}",
        owner="local",
        content=content,
        content_hash=content_hash(content),
        scope=Scope.GLOBAL,
        created_at=now,
        updated_at=now,
    )


if __name__ == "__main__":
    run()
