"""What a slow disk costs those who use a daemon, and whom it costs nothing.

    python -m benchmarks slow_disk

A library that is loaded before the C library (it needs `cc`, and Linux) lets each wait for the disk take longer, and
each read and write in the daemon's home. Clients write and read at the same time, each call from a thread of its own.
The floor is the same daemon on the disk as it is.
"""

import subprocess
from collections.abc import Callable, Generator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread
from time import perf_counter, sleep
from typing import Any

import numpy as np

from benchmarks.home import Running, daemon, home, wait_for_model
from memoryd_client import Client, DeadlineExceeded, Entry, Message

PHASES = {
    "as it is": (0, 0),
    "fsync .3 s": (300, 0),
    "fsync 1.5 s": (1500, 0),
    "fsync .2 s, read, write .02 s": (200, 20),
}
"""How many milliseconds longer an fsync takes, and a read or a write in the home."""
SECONDS = 15.0
ROOMS = 50

_SOURCE = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define NEXT(type, name) ((type)dlsym(RTLD_NEXT, name))

static void slow(int which) {
    char said[64] = {0};
    int of[2] = {0, 0}, file = open(getenv("SLOW_DISK"), O_RDONLY);
    if (file < 0) return;
    if (NEXT(ssize_t (*)(int, void *, size_t), "read")(file, said, 63) > 0) sscanf(said, "%d %d", of, of + 1);
    close(file);
    if (of[which]) usleep(of[which] * 1000);
}
static int at_home(int file) {
    char link[64], name[512];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, name, sizeof name - 1);
    return length > 0 && !strncmp(name, getenv("MEMORYD_HOME"), strlen(getenv("MEMORYD_HOME")));
}
int fsync(int f) { slow(0); return NEXT(int (*)(int), "fsync")(f); }
int fdatasync(int f) { slow(0); return NEXT(int (*)(int), "fdatasync")(f); }
ssize_t write(int f, const void *b, size_t n) {
    if (at_home(f)) slow(1);
    return NEXT(ssize_t (*)(int, const void *, size_t), "write")(f, b, n);
}
ssize_t pwrite64(int f, const void *b, size_t n, off_t o) {
    if (at_home(f)) slow(1);
    return NEXT(ssize_t (*)(int, const void *, size_t, off_t), "pwrite64")(f, b, n, o);
}
ssize_t pread64(int f, void *b, size_t n, off_t o) {
    if (at_home(f)) slow(1);
    return NEXT(ssize_t (*)(int, void *, size_t, off_t), "pread64")(f, b, n, o);
}
"""


def run() -> dict[str, Any]:
    figures: dict[str, Any] = {}
    with home() as paths, _slowed() as (library, setting):
        with daemon(paths, LD_PRELOAD=str(library), SLOW_DISK=str(setting)) as running:
            wait_for_model(running)
            with running.client() as client:
                client.remember("The door code of room 7 is 259.")
            for name, (wait_ms, each_ms) in PHASES.items():
                setting.write_text(f"{wait_ms} {each_ms}", encoding="ascii")
                figures[name] = _phase(running, name)
            began = perf_counter()
        print(f"stopped with the slowest disk after {perf_counter() - began:.1f} s")
        with daemon(paths, LD_PRELOAD=str(library), SLOW_DISK=str(setting)) as running:
            print(f"started with it after {running.ready_s:.1f} s")
    return figures


@contextmanager
def _slowed() -> Generator[tuple[Path, Path]]:
    """Compile the library; yield it, and the file that says how slow the disk is."""
    with TemporaryDirectory() as folder:
        source, library, setting = (Path(folder) / name for name in ("slow.c", "slow.so", "setting"))
        source.write_text(_SOURCE, encoding="ascii")
        setting.write_text("0 0", encoding="ascii")
        subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
        yield library, setting


def _phase(running: Running, name: str) -> dict[str, Any]:
    stop = Event()
    took: dict[str, list[float]] = {kind: [] for kind in _CALLS}
    late = dict.fromkeys(_CALLS, 0)

    def play(kind: str, call: Callable[[Client, int, str], object], pause_s: float) -> None:
        with running.client(kind) as client:
            for number in count():
                if stop.is_set():
                    return
                began = perf_counter()
                try:
                    call(client, number, name)
                    took[kind].append(perf_counter() - began)
                except DeadlineExceeded:
                    late[kind] += 1
                sleep(pause_s)

    threads = [Thread(target=play, args=(kind, *call)) for kind, call in _CALLS.items()]
    for thread in threads:
        thread.start()
    sleep(SECONDS)
    stop.set()
    for thread in threads:
        thread.join()
    print(f"{name}\n  {'ms':10} {'median':>8} {'p95':>8} {'most':>8} {'calls':>6} {'late':>5}")
    found: dict[str, Any] = {}
    for kind, seconds in took.items():
        median, p95, most = np.quantile(seconds, (0.5, 0.95, 1)) * 1000
        found[kind] = {"median": median, "p95": p95, "most": most, "calls": len(seconds), "late": late[kind]}
        print(f"  {kind:10} {median:8.1f} {p95:8.1f} {most:8.1f} {len(seconds):6} {late[kind]:5}")
    return found


def _push(client: Client, number: int, name: str) -> None:
    client.push_context(
        [Message("user", f"What is the door code of room {number % ROOMS}?"), Message("assistant", "?")]
    )


def _turn(client: Client, number: int, name: str) -> None:
    client.turn([Message("user", f"What is the door code of room {number % ROOMS}, by {name}?")])


def _remember(client: Client, number: int, name: str) -> None:
    client.remember(f"Seen with {name}: the door code of room {number % ROOMS} is {number}.")


_CALLS: dict[str, tuple[Callable[[Client, int, str], object], float]] = {
    "push": (_push, 0.2),
    "turn": (_turn, 0.5),
    "take": (lambda client, number, name: client.take_pending(), 0.05),
    "search": (lambda client, number, name: client.search("door code of room 7"), 0.2),
    "context": (lambda client, number, name: client.build_context(4000), 0.3),
    "status": (lambda client, number, name: client.status(), 1.0),
    "append": (lambda client, number, name: client.append([Entry(content=f"Entry {number}.", role="user")]), 0.1),
    "checkpoint": (lambda client, number, name: client.save_checkpoint("kept", b"x" * 1000), 0.3),
    "remember": (_remember, 0.2),
}
"""What is called, and after how many seconds again; each in a session of its own."""
