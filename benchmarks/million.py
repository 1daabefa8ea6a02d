"""The whole daemon on a home of a million memories: what opening, answering and writing take, and what it holds.

`python -m benchmarks.million --size 1000000 [--home FOLDER]`. Their texts are of project vocabulary. The model embeds
some thousand of them; the others lie between these, as if it had embedded them all, which takes three and a half hours.
A home that is kept is measured again without being built: some ten minutes, and 8 GB of disk, for a million.

Beside each: the bare model's run on the query, a commit of SQLite, and an exact scan of as many vectors; beside lists,
the history and an export a bare SELECT of the same rows.
"""

import argparse
import os
import signal
import sqlite3
import statistics
import subprocess
import sys
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from pathlib import Path
from time import perf_counter, sleep
from typing import Any

import numpy as np

from benchmarks.home import (
    PROJECT,
    Made,
    Running,
    at_rest,
    bare_model,
    daemon,
    fill,
    home,
    shared_models,
    text,
    wait_for_model,
)
from benchmarks.lists import ALLOWLIST, about, export, lists
from benchmarks.record import RESULTS, write
from memoryd.embedding.model import MINILM_DIMENSIONS
from memoryd_actors.ports.embedder import Vectors
from memoryd_client import Client, Message
from memoryd_client.base.paths import Paths

SIZE = 1_000_000
EMBEDDED = 3_000
"""Texts that the model embeds, which takes it half a minute."""
WORDS = 16
ROUNDS = 40
WARM_UP = 5
COMMANDS = ("status", "list", "search token", "doctor")

Numbers = dict[str, float]


def run(size: int = SIZE, kept: Path | None = None) -> dict[str, Any]:
    with _home(kept) as paths:
        figures: dict[str, Any] = {"size": size}
        if not paths.ledger.exists():
            began = perf_counter()
            fill(paths, size, made=_between(paths), compared=True, about=about)
            figures["built_s"] = perf_counter() - began
        figures["disk_mb"] = {
            "ledger": paths.ledger.stat().st_size / 1e6,
            "index": sum(path.stat().st_size for path in paths.index.rglob("*") if path.is_file()) / 1e6,
        }
        _show(figures)
        paths.config.write_text(ALLOWLIST, encoding="utf-8")
        with daemon(paths) as running:
            figures["opened"] = _opened(running)
            figures["lists_ms"] = lists(running)
            figures["export"] = export(paths)
            _show({name: figures[name] for name in ("lists_ms", "export")})
            figures["calls"] = _calls(running, size)
            figures["commands_s"] = {name: _command(paths, name) for name in COMMANDS}
            figures["after_commands"] = at_rest(running.process)
            figures["consolidated"] = _consolidated(running)
            running.process.send_signal(signal.SIGKILL)
            running.process.wait()
        with daemon(paths) as running:
            figures["opened_after_a_kill"] = _opened(running)
        with closing(sqlite3.connect(paths.ledger)) as ledger:
            figures["memories"] = ledger.execute("SELECT count(*) FROM memories").fetchone()[0]
    return figures


@contextmanager
def _home(kept: Path | None) -> Generator[Paths]:
    if kept is None:
        with home() as paths:
            yield paths
    else:
        kept.mkdir(exist_ok=True, mode=0o700)
        yield Paths.from_environment({"MEMORYD_HOME": str(kept), "HOME": str(Path.home())})


def _between(paths: Paths) -> Made:
    """Return what makes texts of the vocabulary, and vectors between those of texts that the model has embedded."""
    paths.home.mkdir(parents=True, exist_ok=True, mode=0o700)
    if not paths.models.exists():
        paths.models.symlink_to(shared_models())
    generator = np.random.default_rng(7)
    texts = [text(generator, WORDS) for _ in range(EMBEDDED)]
    model = bare_model(paths)
    real: Vectors = np.concatenate([model.encode(texts[n : n + 32], max_tokens=256) for n in range(0, EMBEDDED, 32)])

    def made(begin: int, end: int) -> tuple[list[str], Vectors]:
        some, one, other = generator.integers(0, EMBEDDED, (3, end - begin))
        share = generator.uniform(0.3, 0.8, (end - begin, 1)).astype(np.float32)
        vectors = real[some] + share * (real[one] - real[other])
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return [f"{texts[base]} note {begin + n}" for n, base in enumerate(some)], vectors

    return made


def _opened(running: Running) -> Numbers:
    """From the start until pings are answered, until the first search is, and until all is loaded; memory then."""
    with running.client("first") as client:
        began = perf_counter()
        client.search("token expiry at midnight")
        first = running.ready_s + perf_counter() - began
    loaded = running.ready_s + perf_counter() - began + wait_for_model(running)
    figures = {"ready_s": running.ready_s, "first_search_s": first, "loaded_s": loaded, **at_rest(running.process)}
    _show(figures)
    return figures


def _calls(running: Running, size: int) -> dict[str, Numbers]:
    """What each call takes, in milliseconds, beside the floors."""
    generator = np.random.default_rng(5)
    model = bare_model(running.paths)
    figures: dict[str, Numbers] = {}

    def measured(name: str, call: Callable[[int], object]) -> None:
        times = []
        for number in range(ROUNDS + WARM_UP):
            began = perf_counter()
            call(number)
            times.append((perf_counter() - began) * 1000)
        figures[name] = {"median": statistics.median(times[WARM_UP:]), "p95": sorted(times[WARM_UP:])[-ROUNDS // 20]}
        _show({name: figures[name]})

    asked = [text(generator, 8) for _ in range(ROUNDS + WARM_UP)]
    measured("floor: model", lambda n: model.encode([f"{asked[n]} again"], max_tokens=256))
    measured("floor: exact scan", _scan(size))
    measured("floor: commit", _commit(running.paths))
    ids: list[str] = []
    with running.client("calls") as client:
        measured("search", lambda n: client.search(asked[n]))
        measured("remember", lambda n: ids.append(client.remember(f"{text(generator, 20)} remembered {n}").id))
        measured("update", lambda n: client.update(ids[n], content=f"{text(generator, 20)} updated {n}"))
        measured("forget", lambda n: client.forget(ids[n]))
        measured("list", lambda _: client.list(limit=50))
        measured("status", lambda _: client.status())
        measured("push and take", lambda n: _turn(client, generator, n))
        measured("build_context", lambda _: client.build_context(4_000))
    return figures


def _scan(size: int) -> Callable[[int], object]:
    vectors = np.random.default_rng(3).random(dtype=np.float32, size=(size, MINILM_DIMENSIONS))
    return lambda number: np.argpartition(vectors @ vectors[number], -50)


def _turn(client: Client, generator: np.random.Generator, number: int) -> None:
    client.push_context([Message("user", f"{text(generator, 20)} question {number}")])
    while client.status().components["sessions"].numbers["busy"]:
        sleep(0.001)
    client.take_pending()


def _commit(paths: Paths) -> Callable[[int], object]:
    file = sqlite3.connect(paths.home / "floor.sqlite", isolation_level=None)
    file.execute("PRAGMA journal_mode = WAL")
    file.execute("PRAGMA synchronous = FULL")
    file.execute("CREATE TABLE IF NOT EXISTS floor (text TEXT)")
    return lambda number: file.execute("INSERT INTO floor VALUES (?)", (f"{number}" * 20,))


def _command(paths: Paths, name: str) -> float:
    """Seconds of a command of the command line, beside which `memoryd --version` takes what Python takes to start."""
    environment = os.environ | {"MEMORYD_HOME": str(paths.home), "MEMORYD_PROJECT": PROJECT}
    began = perf_counter()
    done = subprocess.run(
        [Path(sys.executable).with_name("memoryd"), *name.split()], env=environment, capture_output=True, check=False
    )
    took = perf_counter() - began
    if done.returncode:
        print(f"{name}: {done.returncode} {done.stdout[-500:].decode()} {done.stderr[-500:].decode()}", flush=True)
    _show({name: took})
    return took


def _consolidated(running: Running) -> Numbers:
    """Consolidate, with searches meanwhile: seconds until it is through, and the worst that a search waited for."""
    generator = np.random.default_rng(6)
    with running.client("meanwhile") as client:
        began = perf_counter()
        client.consolidate()
        waited: list[float] = []
        peak = 0.0
        while not client.consolidations(limit=1)[0].finished_at:
            start = perf_counter()
            client.search(text(generator, 8))
            waited.append((perf_counter() - start) * 1000)
            peak = max(peak, running.resident_mb())
            sleep(0.2)
        took = perf_counter() - began
    figures = {
        "seconds": took,
        "search_median_ms": statistics.median(waited or [0.0]),
        "search_worst_ms": max(waited, default=0.0),
        "resident_peak_mb": peak,
        **at_rest(running.process),
    }
    _show(figures)
    return figures


def _show(figures: dict[str, Any]) -> None:
    print(figures, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.million", description=__doc__)
    parser.add_argument("--size", type=int, default=SIZE)
    parser.add_argument("--home", type=Path, help="a folder that is kept, and measured again when it is there")
    given = parser.parse_args()
    write(RESULTS, f"million-{given.size}", run(given.size, given.home))


if __name__ == "__main__":
    main()
