"""A mirrored folder: how long it takes to write, what it costs at rest, how soon an edit is known, and a checkout."""

import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path
from time import perf_counter, sleep
from typing import Any

from benchmarks.home import Running, at_rest, daemon, fill, home
from memoryd_client import Client

MEMORIES = 10_000
EDITS = 11
CHECKED_OUT = 1_000
REST_S = 20.0


def run() -> dict[str, Any]:
    with home() as paths:
        fill(paths, MEMORIES)
        _count_as_compared(paths.ledger)
        folder = paths.home.parent / f"{paths.home.name}-mirror"
        with daemon(paths) as running, running.client() as client:
            before = at_rest(running.process)
            figures: dict[str, Any] = {"before_mb": before["resident"]}
            figures["bare_s"] = _bare(client, folder.with_name(f"{folder.name}-bare"))
            begun = perf_counter()
            client.mirror(folder)
            _until_together(client)
            figures["written_s"] = perf_counter() - begun
            figures["files"] = client.mirrors()[0].files
            figures["after_mb"] = at_rest(running.process)["resident"]
            figures["rest_ms_per_s"] = _at_work(running)
            figures["edit_s"] = _edits(client, folder)
            figures["checkout_s"] = _checkout(client, folder)
            begun = perf_counter()
            client.undo(client.history(limit=1)[0].operation)
            changed = _edited(folder)
            while any("checked out" in path.read_text() for path in changed):
                sleep(0.05)
            figures["undone_s"] = perf_counter() - begun
    print(
        f"{figures['files']} memories written in {figures['written_s']:.1f} s (bare files {figures['bare_s']:.1f} s); "
        f"resident {figures['before_mb']:.0f} to {figures['after_mb']:.0f} MB; at rest "
        f"{figures['rest_ms_per_s']:.2f} ms of a core per second; an edit known after {figures['edit_s']:.2f} s; "
        f"a checkout of {CHECKED_OUT} files {figures['checkout_s']:.1f} s, undone {figures['undone_s']:.1f} s"
    )
    return figures


def _count_as_compared(ledger: Path) -> None:
    """Spare the daemon the background's work, which would be measured with the mirror's."""
    with closing(sqlite3.connect(ledger)) as connection, connection:
        connection.execute("UPDATE memories SET compared = 1")


def _until_together(client: Client) -> None:
    while client.mirrors()[0].state != "ok":
        sleep(0.05)


def _bare(client: Client, folder: Path) -> float:
    """Write as many files of the same size, and nothing else: the floor."""
    folder.mkdir()
    text = "x" * (400 + len(client.list(limit=1, scope="everywhere")[0].content))
    begun = perf_counter()
    for number in range(MEMORIES):
        new = folder / f"{number}.new"
        new.write_text(text)
        new.rename(folder / f"{number}.md")
    return perf_counter() - begun


def _at_work(running: Running) -> float:
    before = sum(running.process.cpu_times()[:2])
    sleep(REST_S)
    return float(sum(running.process.cpu_times()[:2]) - before) * 1000 / REST_S


def _edited(folder: Path) -> list[Path]:
    return sorted(folder.glob("*/*/*.md"))[:CHECKED_OUT]


def _edits(client: Client, folder: Path) -> float:
    spent: list[float] = []
    for number, path in enumerate(sorted(folder.glob("*/*/*.md"))[-EDITS:]):
        told = client.history(limit=1)[0].sequence
        begun = perf_counter()
        path.write_text(f"{path.read_text()}Edited {number}.\n")
        while client.history(limit=1)[0].sequence == told:
            sleep(0.005)
        spent.append(perf_counter() - begun)
        sleep(1)
    return sorted(spent)[EDITS // 2]


def _checkout(client: Client, folder: Path) -> float:
    """Check out a branch in which a thousand files say something else."""

    def git(*words: str) -> None:
        who = ("-c", "user.name=Bench", "-c", "user.email=bench@example.org")
        subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True)

    git("init", "-b", "main")
    git("add", "-A")
    git("commit", "-m", "As it was")
    git("checkout", "-b", "other")
    client.end_mirror(folder)
    for path in _edited(folder):
        path.write_text(f"{path.read_text()}Here it is checked out.\n")
    git("commit", "-a", "-m", "Otherwise")
    git("checkout", "main")
    client.mirror(folder)
    sleep(2)
    _until_together(client)
    told = client.history(limit=1)[0].sequence
    begun = perf_counter()
    git("checkout", "other")
    while client.history(limit=1)[0].sequence < told + CHECKED_OUT:
        sleep(0.02)
    spent = perf_counter() - begun
    newest = client.history(limit=CHECKED_OUT)
    assert len({entry.operation for entry in newest}) == 1
    return spent
