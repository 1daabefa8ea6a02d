"""Kills a daemon again and again, in a home of its own."""

import random
import shutil
from collections import Counter
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager
from time import monotonic, sleep
from typing import Any

import psutil

from benchmarks.home import Running, daemon, home
from benchmarks.kills import checks
from benchmarks.kills.writers import KINDS, OWN, Writer, mirror_of, user_of
from memoryd_client.base.paths import Paths

PRECISIONS = tuple(f'[embedding]\nprecision = "{name}"\n' for name in ("fp32", "int8"))
"""Two embedding models as the configuration names them."""
SETTLED_EVERY = 10
"""Kills after which all may settle, and everything is looked at."""
LONGEST_LIFE_S = 5.0

Figures = dict[str, Any]


def part(times: int, seed: int, models: Sequence[str] = PRECISIONS) -> Figures:
    """Kill a daemon that often, and return what was found; configurations of `models` are changed between."""
    draw = random.Random(seed)
    found: list[str] = []
    starts: list[float] = []
    with home() as paths, ExitStack() as tidy:
        _prepare(paths, models[0], tidy)
        settled = {*range(SETTLED_EVERY, times, SETTLED_EVERY), times}
        writers = [Writer(paths, f"{kind.__name__}-{at}", seed, kind, models) for at, kind in enumerate(KINDS)]
        for number in range(times + 1):
            with daemon(paths) as running:
                starts.append(running.ready_s)
                now = list(_problems(writers, running, settled=number in settled))
                if number < times:
                    some = draw.sample(writers, draw.randint(3, len(writers)))
                    with _writing(some, running):
                        _wait(some, draw)
                        if running.process.status() == psutil.STATUS_ZOMBIE:
                            now.append("the daemon ended by itself")
            if not checks.is_sound(paths):
                now.append("the ledger is damaged")
            print(f"seed {seed}, {number} of {times} kills: {'; '.join(now) or 'nothing lost'}", flush=True)
            found += [f"seed {seed}, after kill {number}: {problem}" for problem in now]
    acknowledged = sum((writer.counts for writer in writers), Counter[str]())
    print(f"seed {seed}, acknowledged: {acknowledged}", flush=True)
    return {
        "kills": times,
        "acknowledged": acknowledged,
        "memories": sum(len(writer.memories) for writer in writers),
        "entries": sum(len(writer.entries) for writer in writers),
        "purges": sum(len(writer.purged) for writer in writers),
        "longest_start_s": round(max(starts), 2),
        "problems": found,
    }


def _prepare(paths: Paths, model: str, tidy: ExitStack) -> None:
    for folder in (mirror_of(paths), user_of(paths)):
        tidy.callback(shutil.rmtree, folder, ignore_errors=True)
    paths.config.write_text(model, encoding="utf-8")
    for file, content in OWN.items():
        path = user_of(paths) / file
        path.parent.mkdir(parents=True)
        path.write_text(content, encoding="utf-8")


def _problems(writers: Sequence[Writer], running: Running, *, settled: bool) -> Generator[str]:
    with running.client() as client:
        if not client.mirrors():
            client.mirror(mirror_of(running.paths))
        yield from checks.lost(writers, client)
    if settled:
        yield from checks.unsettled(writers, running)


@contextmanager
def _writing(writers: Sequence[Writer], running: Running) -> Generator[None]:
    """Let all write; on the way out the daemon is killed, and nobody waits for its answer."""
    threads = [writer.begin() for writer in writers]
    yield
    for writer in writers:
        writer.stop()
    running.process.kill()
    for writer in writers:
        writer.hang_up()
    for thread in threads:
        thread.join()


def _wait(writers: Sequence[Writer], draw: random.Random) -> None:
    """Wait until one writer has done up to three writes more, and a moment: each kind has its turn to be cut."""
    until = monotonic() + LONGEST_LIFE_S
    writer = draw.choice(writers)
    enough = writer.counts.total() + draw.randrange(4)
    while writer.counts.total() < enough and monotonic() < until:
        sleep(0.005)
    sleep(draw.uniform(0.0, 0.3))
