"""Lists, the history, counts and an export of a large home, each beside a bare SELECT of the same rows.

Part of `python -m benchmarks.million`, whose memories `about` tells apart: most are of one project and say nothing
else, a few are pinned, or have a project, a category or a tag of their own.
"""

import os
import sqlite3
import statistics
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from time import perf_counter
from typing import Any

from benchmarks.home import PROJECT, Fields, Running
from memoryd_client import Client
from memoryd_client.base.paths import Paths

COMMON, RARE = "common", "rare"
"""Tags of a fifth of the memories, and of one in 25,000."""
SMALL = "/small"
"""A project with one in 25,000 of the memories."""
KEPT_APART = "plan"
"""The category of one in 25,000; an agent that is called so may see no other."""
ALLOWLIST = f'[allowlists]\n{KEPT_APART} = ["{KEPT_APART}"]\n'
ROUNDS = 15
PAGE = 50

Numbers = dict[str, float]


def about(number: int) -> Fields:
    """Return what is said of some of the memories beside their text."""
    fields: dict[str, Any] = {}
    if number % 25_000 == 1:
        fields["pinned"] = True
    if number % 25_000 == 2:
        fields["category"] = KEPT_APART
    if number % 25_000 == 3:
        fields["project"] = SMALL
    if number % 5 == 4:
        fields["tags"] = (COMMON, RARE) if number % 25_000 == 4 else (COMMON,)
    return fields


def lists(running: Running) -> dict[str, Numbers]:
    """What each list takes, in milliseconds, beside a bare SELECT of its rows by their keys.

    The daemon's configuration has to have `ALLOWLIST`.
    """
    figures: dict[str, Numbers] = {}
    small = Client(session="lists", project=SMALL, paths=running.paths, deadline_s=60)
    narrow = Client(session="lists", project=PROJECT, agent=KEPT_APART, paths=running.paths, deadline_s=60)
    with running.client("lists") as client, small, narrow:
        asked: dict[str, Callable[[], Sequence[Any]]] = {
            "all": lambda: client.list(limit=PAGE),
            "of a rare tag": lambda: client.list(limit=PAGE, tags=[RARE]),
            "of a common tag": lambda: client.list(limit=PAGE, tags=[COMMON]),
            "pinned": lambda: client.list(limit=PAGE, pinned=True),
            "of a rare category": lambda: client.list(limit=PAGE, category=KEPT_APART),
            "of a project with few": lambda: small.list(limit=PAGE),
            "as an agent with an allowlist": lambda: narrow.list(limit=PAGE),
            "history": lambda: client.history(limit=PAGE),
            "history as an agent with an allowlist": lambda: narrow.history(limit=PAGE),
            "categories": lambda: client.categories().categories,
        }
        for name, ask in asked.items():
            found = ask()
            figures[name] = {**_timed(ask), **_floor(running.paths, found)}
        figures["first status after a write"] = _timed(client.status, before=lambda: _write(client))
        figures["status"] = _timed(client.status)
    return figures


def export(paths: Paths) -> Numbers:
    """Seconds that `memoryd export` takes for all there is, beside reading the same rows with a bare SELECT."""
    environment = os.environ | {"MEMORYD_HOME": str(paths.home), "MEMORYD_PROJECT": PROJECT}
    began = perf_counter()
    with (paths.home / "exported.jsonl").open("wb") as target:
        subprocess.run(
            [Path(sys.executable).with_name("memoryd"), "export", "--all", "--everywhere"],
            env=environment,
            stdout=target,
            check=True,
        )
    took = perf_counter() - began
    with (paths.home / "exported.jsonl").open("rb") as exported:
        lines = sum(1 for _ in exported)
    size = (paths.home / "exported.jsonl").stat().st_size
    (paths.home / "exported.jsonl").unlink()
    began = perf_counter()
    with closing(sqlite3.connect(paths.ledger)) as ledger:
        rows = sum(1 for _ in ledger.execute("SELECT * FROM memories ORDER BY owner, created_at, number"))
    return {"seconds": took, "lines": lines, "mb": size / 1e6, "floor_s": perf_counter() - began, "rows": rows}


def _write(client: Client) -> None:
    client.remember(f"counted anew after {perf_counter()}")


def _timed(ask: Callable[[], object], before: Callable[[], object] = lambda: None) -> Numbers:
    times: list[float] = []
    for _ in range(ROUNDS):
        before()
        began = perf_counter()
        ask()
        times.append((perf_counter() - began) * 1000)
    return {"median": statistics.median(times), "worst": max(times)}


def _floor(paths: Paths, found: Sequence[Any]) -> Numbers:
    """What a bare SELECT of the same rows by their keys takes, in milliseconds; nothing where there are no rows."""
    if not (found and (hasattr(found[0], "id") or hasattr(found[0], "sequence"))):
        return {}
    of_history = hasattr(found[0], "sequence")
    keys = [one.sequence if of_history else one.id for one in found]
    query = "SELECT * FROM history WHERE id IN (" if of_history else "SELECT * FROM memories WHERE id IN ("
    query += ",".join("?" * len(keys)) + ")"
    with closing(sqlite3.connect(paths.ledger)) as ledger:
        taken = _timed(lambda: ledger.execute(query, keys).fetchall())
    return {"rows": len(keys), "floor": taken["median"]}
