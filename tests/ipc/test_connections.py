"""More connections than there may be: those who are there are served, those who come are told, and nothing is left."""

import resource
import socket
from collections.abc import AsyncGenerator
from contextlib import ExitStack, asynccontextmanager, suppress

import anyio
import anyio.to_thread
import pytest
import zmq

from memoryd.ipc import Server
from memoryd.ipc.connections import MOST_TOLD, Connections
from memoryd.ipc.endpoints import bind
from memoryd.ipc.server import AT_ONCE
from memoryd.ipc.statistics import SocketStatistics
from memoryd_client import AsyncClient, Client, Message, RequestFailed
from memoryd_client.base.paths import Paths, address
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.failures import Failure
from memoryd_client.wire.memories import List
from memoryd_client.wire.protocol import AnyRequest, Envelope, Reply, decode_answer, encode
from memoryd_client.wire.request import Done
from memoryd_client.wire.status import Pong

from .daemon_process import DaemonProcess

MOST = 10
FILES = 1_024
"""Enough for a quarter of it, and some 500 that ZeroMQ accepts before anybody looks at them."""
SPEAKS_ZEROMQ = (
    b"\xff" + b"\0" * 8 + b"\x7f\x03\x00" + b"NULL".ljust(20, b"\0") + b"\0" * 32
    + b"\x04\x1c\x05READY\x0bSocket-Type\x00\x00\x00\x06DEALER"
)  # fmt: skip


async def answered(request: AnyRequest, caller: Caller, deadline_s: float) -> Reply:
    del request, caller, deadline_s
    return Done("served")


def pong(request: AnyRequest, caller: Caller) -> Reply | None:
    del request, caller
    return Pong(pid=1, version="test", ready=True)


@asynccontextmanager
async def serving(paths: Paths) -> AsyncGenerator[Server]:
    async with Server(
        paths, on_update=lambda update: None, answer=answered, answer_now=pong, most_connections=MOST
    ) as server:
        yield server


def connected(paths: Paths, count: int, *, greeting: bytes = SPEAKS_ZEROMQ) -> ExitStack:
    """Return so many connections that say their greeting and nothing more."""
    with ExitStack() as stack:
        for _ in range(count):
            one = stack.enter_context(socket.socket(socket.AF_UNIX))
            one.connect(str(paths.rpc_socket))
            with suppress(BrokenPipeError, ConnectionResetError):  # it is cut already
                one.sendall(greeting)
        return stack.pop_all()


async def has(server: Server, connections: int) -> None:
    with anyio.fail_after(20):
        while server.counts.connections != connections:
            await anyio.lowlevel.checkpoint()


async def has_no_more_than(server: Server, connections: int) -> None:
    """Wait for the others to be cut. Those that stay say nothing, and ZeroMQ lets them go after a while, too."""
    with anyio.fail_after(20):
        while server.counts.connections > connections:
            await anyio.lowlevel.checkpoint()


async def test_who_is_there_is_served_and_who_comes_too_many_is_told_and_disconnected(paths: Paths) -> None:
    async with serving(paths) as server, AsyncClient(session="s", paths=paths, deadline_s=10) as there:
        assert (await there.ping()).ready
        own = server.counts.connections
        with await anyio.to_thread.run_sync(connected, paths, MOST + MOST_TOLD // 2):
            with pytest.raises(RequestFailed, match=f"{MOST} connections to memoryd are open") as refused:
                async with AsyncClient(session="s2", paths=paths, deadline_s=0.3) as late:
                    await late.ping()
            assert "ipc.connections" in refused.value.hint
            assert (await there.ping()).ready
            await has_no_more_than(server, MOST)
        await has(server, own)
        assert server.counts.turned_away > MOST_TOLD // 2
        async with AsyncClient(session="s3", paths=paths, deadline_s=10) as new:
            assert (await new.ping()).ready
    assert (server.counts.bugs, server.counts.bad_requests) == (0, 0)


async def test_a_crowd_is_cut_at_once(paths: Paths) -> None:
    async with serving(paths) as server:
        with await anyio.to_thread.run_sync(connected, paths, 4 * MOST_TOLD):
            await has(server, MOST)
        await has(server, 0)


def test_who_comes_while_nobody_looks_waits_to_be_accepted(paths: Paths) -> None:
    endpoints = bind(paths, {})
    connections = Connections((endpoints.rpc,), 10_000, counts := SocketStatistics())
    (monitor,) = connections.monitors
    try:
        with ExitStack() as clients:
            waiting = 0
            while waiting < 2_000:
                one = clients.enter_context(socket.socket(socket.AF_UNIX))
                one.settimeout(2)
                try:
                    one.connect(str(paths.rpc_socket))
                except (TimeoutError, BlockingIOError):  # ZeroMQ accepts none, and the kernel has no more room
                    break
                waiting += 1
            assert waiting < 2_000
            while counts.connections < waiting:
                monitor.poll(20_000)
                connections.hear_all(monitor, 0.0)
    finally:
        connections.stop()
        connections.close()
        endpoints.close()


async def test_half_a_greeting_keeps_no_connection(paths: Paths) -> None:
    async with serving(paths) as server:
        with await anyio.to_thread.run_sync(lambda: connected(paths, 5, greeting=SPEAKS_ZEROMQ[:20])):
            await has(server, 5)
            await has(server, 0)


def test_more_connections_than_files_may_be_open_do_not_end_the_daemon(paths: Paths) -> None:
    own, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most != resource.RLIM_INFINITY and most < 3 * FILES:
        pytest.skip("this process may not have so many connections itself")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(own, 3 * FILES), most))
    with DaemonProcess(paths.runtime, files=FILES) as daemon:
        daemon.start()
        with Client(session="s", paths=paths, deadline_s=20) as client:
            assert client.ping().ready
            with connected(paths, FILES + 100):
                assert client.ping().ready
            assert client.ping().ready
        with Client(session="s2", paths=paths, deadline_s=20) as client:
            assert client.ping().ready


async def test_one_connection_has_only_so_many_requests_under_way_and_others_are_served(paths: Paths) -> None:
    let_go, begun = anyio.Event(), 0

    async def slow(request: AnyRequest, caller: Caller, deadline_s: float) -> Reply:
        nonlocal begun
        del caller, deadline_s
        if isinstance(request, List):
            begun += 1
            await let_go.wait()
        return Done("served")

    def answers() -> list[Reply]:
        return [decode_answer(flooding.recv()).reply for _ in range(3 * AT_ONCE)]

    context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
    flooding = context.socket(zmq.DEALER)
    flooding.connect(address(paths.rpc_socket))
    try:
        async with (
            Server(paths, on_update=lambda update: None, answer=slow) as server,
            AsyncClient(session="s", paths=paths, deadline_s=10) as good,
        ):
            for number in range(3 * AT_ONCE):
                flooding.send(encode(Envelope(id=number, request=List())))
            with anyio.fail_after(20):
                while server.counts.requests < 3 * AT_ONCE:
                    await anyio.lowlevel.checkpoint()
            await good.push_acknowledged([Message("user", "hello")])
            assert begun == AT_ONCE
            let_go.set()
            told = await anyio.to_thread.run_sync(answers)
            assert sum(isinstance(one, Failure) and one.code == "overloaded" for one in told) == 2 * AT_ONCE
    finally:
        context.destroy(0)
