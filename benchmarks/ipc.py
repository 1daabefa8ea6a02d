"""What the wire costs, each figure beside its floor.

Push: `push_context` of a 2 kB conversation beside a bare non-blocking PUSH of the same bytes, with the receiver up,
down, frozen by SIGSTOP, and flooded (everything full); the first push of a client by itself. Take: `take_pending` from
1 and 32 clients, with nothing pending and with five memories handed over, beside a bare DEALER against a bare
zmq.asyncio echo ROUTER with the same bytes. Every receiver is a process of its own.

The server here answers takes with a prepared PendingMemory: this is the wire, encoding and decoding included, and not
what the daemon does to find, hand over and record memories; `benchmarks.latency` measures that.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import zmq

from memoryd_client import Client, Message
from memoryd_client.base.paths import Paths, address
from memoryd_client.outgoing import encoded
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.context import ContextUpdate
from memoryd_client.wire.pending import PendingMemory, SurfacedMemory, Take, Taken
from memoryd_client.wire.protocol import Answer, AnyRequest, Envelope, Reply, encode
from memoryd_client.wire.status import Ping, Pong

PUSHES, FIRSTS, TAKES, ROUNDS, WARM = 2_000, 100, 4_000, 20, 100
CONVERSATION = [Message(role="user" if n % 2 == 0 else "assistant", content=f"{n} " + "word " * 50) for n in range(8)]
SURFACED = tuple(
    SurfacedMemory(
        id=f"mem_{n:020}",
        content=f"{n} " + "word " * 50,
        score=0.8,
        reason="says what was asked",
        date=datetime(2026, 1, 1, tzinfo=UTC),
        provenance="said by the user in session s1",
    )
    for n in range(5)
)
ANSWERS = {
    "empty": Taken(),
    "five memories": Taken(PendingMemory(text="\n".join(one.content for one in SURFACED), memories=SURFACED, turn=1)),
}
"""What a take is answered with, by the session that asks."""


def run() -> dict[str, dict[str, float]]:
    """Measure everything; microseconds, and ratios to the floor."""
    figures = {f"push, {state}": _pushes(state) for state in ("up", "down", "frozen", "flooded")}
    figures["push, a client's first"] = _first_pushes()
    figures |= {f"take {what}, clients: {clients}": _takes(clients, what) for what in ANSWERS for clients in (1, 32)}
    for name, figure in figures.items():
        print(
            f"{name:32} median {figure['ours_median_us']:7.1f} us, floor {figure['floor_median_us']:7.1f}, "
            f"ratio {figure['median_ratio']:.2f}; p99 {figure['ours_p99_us']:7.1f}, "
            f"floor {figure['floor_p99_us']:7.1f}; "
            f"max {figure['ours_max_us']:8.1f}, floor {figure['floor_max_us']:8.1f}",
            flush=True,
        )
    return figures


def _spread(samples: list[float], prefix: str) -> dict[str, float]:
    ordered = sorted(samples)
    return {
        f"{prefix}_median_us": round(ordered[len(ordered) // 2] * 1e6, 1),
        f"{prefix}_p99_us": round(ordered[len(ordered) * 99 // 100] * 1e6, 1),
        f"{prefix}_max_us": round(ordered[-1] * 1e6, 1),
    }


def _timed(call: Callable[[], object], times: int, pause_s: float = 0.0) -> list[float]:
    samples: list[float] = []
    for _ in range(times):
        begin = time.perf_counter()
        call()
        samples.append(time.perf_counter() - begin)
        if pause_s:
            time.sleep(pause_s)
    return samples


def _paths(folder: Path) -> Paths:
    return Paths(home=folder, config=folder / "config.toml", runtime=folder / "run")


@contextmanager
def _receiver(role: str, folder: Path) -> Generator[int]:
    process = subprocess.Popen([sys.executable, "-m", "benchmarks.ipc", role, str(folder)], stdout=subprocess.PIPE)
    try:
        if process.stdout is None or process.stdout.readline() != b"ready\n":
            raise RuntimeError(f"the {role} did not start")
        yield process.pid
    finally:
        process.kill()
        process.wait()


def _pushes(state: str) -> dict[str, float]:
    with tempfile.TemporaryDirectory(prefix="md") as name:
        ours, bare = Path(name) / "o", Path(name) / "b"
        _paths(bare).runtime.mkdir(mode=0o700, parents=True)
        _paths(ours).runtime.mkdir(mode=0o700, parents=True)
        if state == "down":
            return _push_both(ours, bare, (), 0.0)
        with _receiver("server", ours) as one, _receiver("sink", bare) as two:
            return _push_both(ours, bare, () if state == "up" else (one, two), 0.0005 if state != "flooded" else 0.0)


def _push_both(ours: Path, bare: Path, frozen: tuple[int, ...], pause_s: float) -> dict[str, float]:
    context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
    socket = context.socket(zmq.PUSH)
    socket.set(zmq.SNDHWM, 8)
    socket.set(zmq.LINGER, 0)
    socket.connect(address(_paths(bare).push_socket))
    with Client(session="bench", agent="bench", paths=_paths(ours)) as client:
        update = ContextUpdate(
            caller=Caller(agent="bench", session="bench"),
            messages=tuple(CONVERSATION),
            sequence=1,
            client="0" * 16,
            sent_at=time.time(),
        )
        frame = encoded(update)

        def floor() -> None:
            with suppress(zmq.Again):
                socket.send(frame, zmq.NOBLOCK)

        def push() -> None:
            client.push_context(CONVERSATION)

        _timed(push, WARM, 0.001)
        _timed(floor, WARM, 0.001)
        for pid in frozen:
            os.kill(pid, signal.SIGSTOP)
        bases: list[float] = []
        pushes: list[float] = []
        for _ in range(10):  # by turns, so that both meet the same neighbours on this machine
            bases += _timed(floor, PUSHES // 10, pause_s)
            pushes += _timed(push, PUSHES // 10, pause_s)
        for pid in frozen:
            os.kill(pid, signal.SIGCONT)
    socket.close(0)
    context.term()
    return _compared(pushes, bases)


def _first_pushes() -> dict[str, float]:
    """Push once with each of many new clients, and once with a bare socket that has just been connected."""
    ours: list[float] = []
    floor: list[float] = []
    with tempfile.TemporaryDirectory(prefix="md") as name:
        _paths(Path(name)).runtime.mkdir(mode=0o700, parents=True)
        for _ in range(FIRSTS):
            with Client(session="bench", agent="bench", paths=_paths(Path(name))) as client:
                ours += _timed(partial(client.push_context, CONVERSATION), 1)
            context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
            with context.socket(zmq.PUSH) as socket:
                socket.set(zmq.LINGER, 0)
                socket.connect(address(_paths(Path(name)).push_socket))
                frame = encoded(ContextUpdate(caller=Caller(), messages=tuple(CONVERSATION)))
                floor += _timed(partial(socket.send, frame, zmq.NOBLOCK), 1)
            context.term()
    return _compared(ours, floor)


def _compared(ours: list[float], floor: list[float]) -> dict[str, float]:
    figures = _spread(ours, "ours") | _spread(floor, "floor")
    figures["median_ratio"] = round(figures["ours_median_us"] / figures["floor_median_us"], 2)
    return figures


def _takes(clients: int, what: str) -> dict[str, float]:
    with tempfile.TemporaryDirectory(prefix="md") as name:
        folder = Path(name)
        with _receiver("server", folder / "ours"), _receiver(f"echo {what}", folder / "floor"):
            # As threads of two processes where there are several: one could not keep the server busy.
            processes = min(2, clients)
            command = [sys.executable, "-m", "benchmarks.ipc", "ask", str(folder), str(clients // processes), what]
            running = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(processes)]
            outputs = [json.loads(process.communicate()[0]) for process in running]
        ours, floor = ([sample for output in outputs for sample in output[side]] for side in ("ours", "floor"))
        return _compared(ours, floor)


def _asks(folder: Path, threads: int, what: str) -> dict[str, list[float]]:
    """Ask both servers by turns, every client the same one at a time, so that both meet the same neighbours."""
    makers = {"floor": _ask_bare(folder / "floor", what), "ours": _ask(folder / "ours", what)}
    asks = [{side: next(maker) for side, maker in makers.items()} for _ in range(threads)]
    samples: dict[str, list[float]] = {"floor": [], "ours": []}
    together = threading.Barrier(threads)
    times = TAKES // ROUNDS // threads + 1

    def work(mine: dict[str, Callable[[], object]]) -> None:
        for each in range(ROUNDS + 1):
            for side, ask in mine.items():
                together.wait()
                measured = _timed(ask, times)
                if each:  # the first round warms up
                    samples[side].extend(measured)

    workers = [threading.Thread(target=work, args=(mine,)) for mine in asks]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return samples


# --- the other processes --------------------------------------------------------------------------------------------


def _ask(folder: Path, what: str) -> Iterator[Callable[[], object]]:
    while True:
        client = Client(session=what, agent="bench", paths=_paths(folder))
        yield partial(client.take_pending, deadline_s=30)


def _ask_bare(folder: Path, what: str) -> Iterator[Callable[[], object]]:
    context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
    frame = encode(
        Envelope(id=1, request=Take(take_id="0" * 32), caller=Caller(agent="bench", session=what), deadline_s=30)
    )
    while True:
        socket = context.socket(zmq.DEALER)
        socket.set(zmq.LINGER, 0)
        socket.connect(address(_paths(folder).rpc_socket))

        def ask(socket: zmq.Socket[bytes] = socket) -> None:
            socket.send(frame)
            socket.recv()

        yield ask


def _answer_now(request: AnyRequest, caller: Caller) -> Reply | None:
    return Pong(pid=0, version="", ready=True) if isinstance(request, Ping) else ANSWERS[caller.session]


async def _no_answer(request: AnyRequest, caller: Caller, deadline_s: float) -> Reply:
    raise AssertionError(request)


def _ignore(update: ContextUpdate) -> None:
    pass


async def _serve(folder: Path) -> None:
    import anyio

    from memoryd.ipc import Server

    async with Server(_paths(folder), on_update=_ignore, answer=_no_answer, answer_now=_answer_now):
        print("ready", flush=True)
        await anyio.sleep_forever()


async def _echo(folder: Path, what: str) -> None:
    """The floor: as little as zmq.asyncio can do, with an answer of the same size."""
    import zmq.asyncio

    _paths(folder).runtime.mkdir(parents=True, exist_ok=True)
    router = zmq.asyncio.Context().socket(zmq.ROUTER)
    router.bind(address(_paths(folder).rpc_socket))
    frame = encode(Answer(id=1, reply=ANSWERS[what]))
    print("ready", flush=True)
    while True:
        identity, _ = await router.recv_multipart()
        await router.send_multipart([identity, frame])


async def _sink(folder: Path) -> None:
    import zmq.asyncio

    _paths(folder).runtime.mkdir(parents=True, exist_ok=True)
    pull = zmq.asyncio.Context().socket(zmq.PULL)
    pull.bind(address(_paths(folder).push_socket))
    print("ready", flush=True)
    while True:
        await pull.recv()


def main() -> None:
    match sys.argv[1:]:
        case []:
            run()
        case ["server" | "sink" as role, folder]:
            import anyio

            anyio.run({"server": _serve, "sink": _sink}[role], Path(folder))
        case [role, folder] if role.startswith("echo "):
            import anyio

            anyio.run(_echo, Path(folder), role.removeprefix("echo "))
        case ["ask", folder, threads, what]:
            print(json.dumps(_asks(Path(folder), int(threads), what)), flush=True)
            os._exit(0)  # the sockets end with the process
        case _:
            sys.exit("usage: python -m benchmarks.ipc")


if __name__ == "__main__":
    main()
