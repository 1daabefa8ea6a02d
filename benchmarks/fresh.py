"""What was acknowledged before a push is considered for it: how many are missed, at once, under load, after `kill -9`.

Each round stores one memory and, as soon as that is acknowledged, has another session ask for it. It counts as missed
where the trace of the asking turn does not have it among its candidates.
"""

import argparse
import json
import sqlite3
import threading
from collections.abc import Generator
from contextlib import closing, contextmanager

import numpy as np

from benchmarks.home import Running, daemon, fill, home, text, wait_for_model
from memoryd_client import Message

ROUNDS = 200
RESTARTS = 10
PATIENT_S = 60.0
SIZE = 100_000


def run(size: int = SIZE) -> dict[str, dict[str, int]]:
    generator = np.random.default_rng(33)
    figures: dict[str, dict[str, int]] = {}
    with home() as paths:
        fill(paths, size)
        with closing(sqlite3.connect(paths.ledger, isolation_level=None)) as raw:
            raw.execute("UPDATE memories SET compared = 1")  # or it is compared in the background meanwhile
        with daemon(paths) as running:
            wait_for_model(running)
            figures["at once"] = _rounds(running, generator, "at-once")
            with _load(running):
                figures["under load"] = _rounds(running, generator, "under-load")
        missed = 0
        for number in range(RESTARTS):
            with daemon(paths) as running:
                stored, asked = _stored(running, generator, f"restart {number}")
                running.process.kill()
                running.process.wait()
            with daemon(paths) as running:
                missed += _misses(running, stored, asked, f"restart-{number}")
        figures["right after kill -9 and a start"] = {"rounds": RESTARTS, "missed": missed}
    for name, figure in figures.items():
        print(f"{size:>7} memories, {name}: {figure['missed']} of {figure['rounds']} missed", flush=True)
    return figures


def _rounds(running: Running, generator: np.random.Generator, name: str) -> dict[str, int]:
    missed = 0
    for number in range(ROUNDS):
        stored, asked = _stored(running, generator, f"{name} {number}")
        missed += _misses(running, stored, asked, f"{name}-{number}")
    return {"rounds": ROUNDS, "missed": missed}


def _stored(running: Running, generator: np.random.Generator, name: str) -> tuple[str, str]:
    """Store a memory; return its id and what to ask for it."""
    subject = text(generator, 6)
    with running.client("earlier") as client:
        return client.remember(f"{subject} is kept in the drawer {name}.").id, f"where is {subject} kept?"


def _misses(running: Running, stored: str, asked: str, session: str) -> bool:
    """Push a question at once; return whether the memory was not among what it brought up."""
    with running.client(session) as client:
        client.turn([Message("user", asked)], wait_s=PATIENT_S, deadline_s=PATIENT_S)
        return stored not in {one.id for one in client.why(1)[0].candidates}


@contextmanager
def _load(running: Running) -> Generator[None]:
    """Keep a daemon busy: one client writes, one searches, one pushes contexts, each as fast as it is answered."""
    over = threading.Event()

    def busy(number: int) -> None:
        generator = np.random.default_rng(100 + number)
        with running.client(f"busy-{number}") as client:
            while not over.is_set():
                words = text(generator, 12)
                match number:
                    case 0:
                        client.remember(f"{words} is something else.")
                    case 1:
                        client.search(words)
                    case _:
                        client.turn([Message("user", words)], wait_s=1.0, deadline_s=PATIENT_S)

    threads = [threading.Thread(target=busy, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        over.set()
        for thread in threads:
            thread.join()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("size", nargs="?", type=int, default=SIZE, help="memories")
    print(json.dumps(run(parser.parse_args().size), indent=2))


if __name__ == "__main__":
    main()
