"""What it costs to save and load a state of 1 MB, beside its floors: the bare database, disk and socket.

`python -m benchmarks.checkpoints URL` measures it on an empty PostgreSQL database.
"""

import os
import socket
import sqlite3
import statistics
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from functools import partial
from time import perf_counter
from typing import Any

from benchmarks.home import daemon, home
from memoryd_client import Client

SIZE = 1_000_000
ROUNDS = 40
FLOORS = {
    "sqlite": "a bare SQLite insert with fsync",
    "fsync": "a bare write and fsync",
    "read": "a bare SQLite read",
    "socket": "1 MB through a Unix socket",
    "ping": "a ping",
}


def run(url: str = "") -> dict[str, Any]:
    with home() as paths, daemon(paths, **({"MEMORYD_LEDGER_URL": url} if url else {})) as running:
        times = _measure(running.client("checkpoints"), str(paths.home))
    figures = {f"{name}_ms": statistics.median(taken) for name, taken in times.items()}
    for name in ("save", "load"):
        figures[f"{name}_p95_ms"] = statistics.quantiles(times[name], n=20)[-1]
        print(f"{name} 1 MB: median {figures[f'{name}_ms']:.1f} ms, 95th percentile {figures[f'{name}_p95_ms']:.1f}")
    print("; ".join(f"{what} {figures[f'{name}_ms']:.1f} ms" for name, what in FLOORS.items()))
    return figures


def _measure(client: Client, folder: str) -> dict[str, list[float]]:
    """Each next to its floors, so that all of them meet the same disk and the same load."""
    times: dict[str, list[float]] = {name: [] for name in ("save", "load", *FLOORS)}

    def timed(name: str, what: Callable[[], object]) -> None:
        start = perf_counter()
        what()
        times[name].append((perf_counter() - start) * 1000)

    with client, closing(_database(folder)) as database, _listener() as through, open(f"{folder}/floor", "wb") as file:
        for _ in range(ROUNDS):
            state = os.urandom(SIZE)
            timed("save", partial(client.save_checkpoint, "run", state))
            timed("load", partial(client.load_checkpoint, "run"))
            timed("sqlite", partial(database.execute, "INSERT INTO states (data) VALUES (?)", (state,)))
            timed("read", lambda: database.execute("SELECT data FROM states ORDER BY id DESC LIMIT 1").fetchone())
            timed("fsync", partial(_write, file.fileno(), state))
            timed("socket", partial(through, state))
            timed("ping", client.ping)
            found = client.load_checkpoint("run")
            assert found is not None
            assert found.data == state
    return times


def _write(file: int, state: bytes) -> None:
    os.pwrite(file, state, 0)
    os.fsync(file)


def _database(folder: str) -> sqlite3.Connection:
    database = sqlite3.connect(f"{folder}/floor.db", isolation_level=None)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = FULL")
    database.execute("CREATE TABLE states (id INTEGER PRIMARY KEY, data BLOB)")
    return database


@contextmanager
def _listener() -> Generator[Callable[[bytes], object]]:
    """Yield what sends a megabyte to a thread and waits for its word that all of it came."""
    near, far = socket.socketpair()

    def listen() -> None:
        missing = SIZE
        while came := far.recv(1 << 20):
            missing -= len(came)
            if not missing:
                far.sendall(b"!")
                missing = SIZE

    def through(state: bytes) -> bytes:
        near.sendall(state)
        return near.recv(1)

    thread = threading.Thread(target=listen)
    thread.start()
    yield through
    near.close()
    thread.join()
    far.close()


if __name__ == "__main__":
    run(*sys.argv[1:2])
