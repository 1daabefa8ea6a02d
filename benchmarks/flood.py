"""Frames that cannot be read, on all sockets and as fast as they can be sent, beside a good client.

    python -m benchmarks.flood --frames 250000

Random, cut, deeply nested, of wrong types, versions and numbers of frames, and connections that speak something else.
The good client pushes, takes, searches and remembers: alone, beside them, and once they are over.
"""

import argparse
import multiprocessing
import os
import random
import socket
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from time import monotonic, perf_counter, sleep
from typing import Any

import msgspec
import zmq

from benchmarks.home import at_rest, daemon, home, wait_for_model
from benchmarks.load import WORDS, seed
from benchmarks.record import RESULTS, write
from memoryd_client import Client, MemorydError, Message
from memoryd_client.base.paths import Paths

ALONE_S = 25.0
DRAWN = 2_000
"""Frames that are drawn before anything is sent."""
GREETING = b"\xff" + bytes(8) + b"\x7f\x03\x00" + b"NULL".ljust(20, b"\0") + bytes(32)
"""ZeroMQ's."""

KINDS = ("take", "search", "remember")

Times = dict[str, list[float]]


def run(frames: int = 250_000, alone_s: float = ALONE_S) -> dict[str, Any]:
    with home() as paths, daemon(paths) as running:
        wait_for_model(running)
        seed(running)
        _work(paths, _until(10.0))
        at_rest(running.process)
        figures: dict[str, Any] = {"frames": frames, "alone": _of(*_work(paths, _until(alone_s)))}
        before = at_rest(running.process)["resident"]
        sender = multiprocessing.get_context("spawn").Process(target=_attack, args=(str(paths.runtime), frames))
        sender.start()
        figures["beside"] = _of(*_work(paths, lambda: not sender.is_alive()))
        figures["after"] = _of(*_work(paths, _until(ALONE_S)))
        after = at_rest(running.process)["resident"]
        with running.client() as client:
            counts = client.status().components["sockets"].numbers
        logs = (file.read_text(encoding="utf-8", errors="replace") for file in paths.home.rglob("*.log"))
        figures |= {
            "resident_mb": {"before": before, "after": after},
            "unreadable": counts["bad_updates"] + counts["bad_requests"] + counts["too_large"],
            "bugs": counts["bugs"],
            "tracebacks": sum(log.count("Traceback") for log in logs),
        }
    _show(figures)
    return figures


def _until(seconds: float) -> Callable[[], bool]:
    end = monotonic() + seconds
    return lambda: monotonic() > end


def _work(paths: Paths, is_over: Callable[[], bool]) -> tuple[Times, int]:
    """Work as agents do; return the seconds of each call, and how many failed."""
    draw, failed, turn = random.Random(3), 0, 0
    times: Times = {kind: [] for kind in KINDS}
    with Client(session="good", agent="tui", paths=paths, deadline_s=30) as client:
        while not is_over():
            turn += 1
            unit = f"the {draw.choice(WORDS)} {draw.choice(WORDS)} unit"
            calls: dict[str, Callable[[], object]] = {"take": client.take_pending}
            if turn % 5 == 0:
                calls["search"] = partial(client.search, unit, limit=5)
            if turn % 20 == 0:
                noted = f"Turn {turn} at {monotonic()}: {unit} reports to {draw.randrange(10**9)}."
                calls["remember"] = partial(client.remember, noted, scope="global")
            client.push_context([Message("user", f"Turn {turn}: where does {unit} report?")])
            for kind, call in calls.items():
                began = perf_counter()
                try:
                    call()
                except MemorydError:
                    failed += 1
                times[kind].append(perf_counter() - began)
            sleep(0.03)
    return times, failed


def _attack(folder: str, frames: int) -> None:
    draw = random.Random(7)
    drawn = [_malformed(draw) for _ in range(DRAWN)]
    context = zmq.Context()
    sockets = [(name, context.socket(kind)) for kind, name in ((zmq.DEALER, "rpc"), (zmq.PUSH, "push")) * 2]
    for name, one in sockets:
        one.set(zmq.LINGER, 0)
        one.set(zmq.SNDTIMEO, 20_000)
        one.connect(f"ipc://{folder}/{name}.sock")
    for number in range(frames):
        name, one = sockets[number % len(sockets)]
        with suppress(zmq.Again):
            one.send_multipart(draw.choice(drawn))
        while name == "rpc" and one.poll(0):
            one.recv_multipart()
        if number % 400 == 0:
            _speak_otherwise(f"{folder}/{draw.choice(['rpc', 'push', 'events'])}.sock", draw)
    context.destroy(linger=1000)


def _malformed(draw: random.Random) -> list[bytes]:
    request = {"type": "search", "query": "cobalt"}
    good = {"id": 7, "request": request, "caller": {"owner": "flood"}, "deadline_s": 2.0, "v": 1}
    whole = msgspec.msgpack.encode(good)
    odd: Any = draw.choice([None, "x", [], {}, 2**64 - 1, True])
    return draw.choice(
        [
            [os.urandom(draw.randrange(400))],
            [whole[: draw.randrange(len(whole) - 1)]],
            [b"\x81\xa7request" + b"\x91" * draw.choice([600, 5_000, 20_000]) + b"\xc0"],
            draw.choice([[b""], [b"", b""], [whole, whole], [b"x"] * 200]),
            [msgspec.msgpack.encode(good | {"v": draw.choice([0, 2, -1, 2**31, "1"])})],
            [msgspec.msgpack.encode(good | {"deadline_s": None, "id": odd})],
            [msgspec.msgpack.encode(good | {"request": draw.choice([odd, {"type": odd}, {"type": "serach"}])})],
        ]
    )


def _speak_otherwise(path: str, draw: random.Random) -> None:
    with suppress(OSError), socket.socket(socket.AF_UNIX) as other:
        other.connect(path)
        said = (b"GET / HTTP/1.1\r\n\r\n", GREETING[: draw.randrange(1, 64)], GREETING + os.urandom(200))
        other.sendall(draw.choice(said))


def _of(times: Times, failed: int) -> dict[str, Any]:
    figures: dict[str, Any] = {"failed": failed, "load": os.getloadavg()[0]}
    for kind, took in times.items():
        ordered = sorted(1000 * one for one in took)
        if ordered:
            figures[kind] = {"median": ordered[len(ordered) // 2], "p99": ordered[int(len(ordered) * 0.99)]}
    return figures


def _show(figures: dict[str, Any]) -> None:
    for when in ("alone", "beside", "after"):
        found = figures[when]
        calls = (
            f"{kind} {found[kind]['median']:.0f} and {found[kind]['p99']:.0f} ms" for kind in found if kind in KINDS
        )
        print(f"{when:7} load {found['load']:.1f}, failed {found['failed']}; median and 99th: {'; '.join(calls)}")
    resident = figures["resident_mb"]
    print(
        f"{figures['unreadable']:.0f} of {figures['frames']} frames could not be read; {figures['bugs']:.0f} bugs, "
        f"{figures['tracebacks']} tracebacks; resident {resident['before']:.0f} MB before, "
        f"{resident['after']:.0f} after"
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.flood", description=__doc__)
    parser.add_argument("--frames", type=int, default=250_000)
    parser.add_argument(
        "--alone", type=float, default=ALONE_S, metavar="SECONDS", help="of the good client by itself, before"
    )
    given = parser.parse_args()
    write(RESULTS, "flood", run(given.frames, given.alone))


if __name__ == "__main__":
    main()
