"""The server's own promises, seen from a raw socket."""

from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import msgspec
import pytest
import zmq
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memoryd.ipc import Server
from memoryd_actors.core.errors import (
    ActorCrashed,
    ActorStopped,
    ActorTimeout,
    Ambiguous,
    DaemonError,
    DiskFull,
    ModelUnavailable,
    NotFound,
    Refused,
)
from memoryd_client import AsyncClient, Client, RequestFailed
from memoryd_client.base.paths import Paths, address
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.context import ContextUpdate
from memoryd_client.wire.failures import Failure
from memoryd_client.wire.protocol import MAX_FRAME_BYTES, Answer, AnyRequest, Envelope, Reply, decode_answer, encode
from memoryd_client.wire.request import Done
from memoryd_client.wire.search import Search
from memoryd_client.wire.status import GetStatus, Ping, Pong

from .daemon_process import DaemonProcess


class Peers:
    """Raw sockets, connected to a server's."""

    def __init__(self) -> None:
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self._sockets: list[zmq.Socket[bytes]] = []

    def dealer(self, paths: Paths) -> zmq.Socket[bytes]:
        return self._connect(zmq.DEALER, paths.rpc_socket)

    def pusher(self, paths: Paths) -> zmq.Socket[bytes]:
        return self._connect(zmq.PUSH, paths.push_socket)

    def close(self) -> None:
        for socket in self._sockets:
            socket.close(0)
        self._context.term()

    def _connect(self, kind: zmq.SocketType, path: Path) -> zmq.Socket[bytes]:
        socket = self._context.socket(kind)
        socket.set(zmq.RCVTIMEO, 20_000)
        socket.connect(address(path))
        self._sockets.append(socket)
        return socket


@pytest.fixture
def peers() -> Iterator[Peers]:
    made = Peers()
    yield made
    made.close()


def ask(socket: zmq.Socket[bytes], *frames: bytes) -> Answer:
    socket.send_multipart(frames)
    return decode_answer(socket.recv())


def failure(answer: Answer) -> Failure:
    assert isinstance(answer.reply, Failure)
    return answer.reply


def envelope(**fields: object) -> bytes:
    return msgspec.msgpack.encode({"id": 7, "request": {"type": "ping"}, **fields})


@pytest.mark.usefixtures("daemon")
@pytest.mark.parametrize(
    ("frames", "code", "request_id"),
    [
        ([b""], "bad_request", 0),
        ([b"\xc1"], "bad_request", 0),
        ([b"", envelope()], "bad_request", 0),
        ([envelope(), b"more"], "bad_request", 0),
        ([envelope()[:-3]], "bad_request", 0),
        ([envelope(request={"type": "search", "query": 5})], "bad_request", 7),
        ([envelope(request={"type": "search", "query": "x", "limit": 0})], "bad_request", 7),
        ([envelope(request=None)], "bad_request", 7),
        ([envelope(deadline_s=float("nan"))], "bad_request", 7),
        ([envelope(deadline_s=-1.0)], "bad_request", 7),
        ([envelope(request={"type": "search", "query": "@@"}).replace(b"@@", b"\xff\xfe")], "bad_request", 7),
        ([b"\x82\xa2id\x07\xa1x" + b"\x91" * 100_000 + b"\xc0"], "bad_request", 0),
        ([envelope(request={"type": "dance"})], "unknown_request", 7),
        ([envelope(v=2)], "unsupported_version", 7),
        ([envelope(v=2, request={"type": "dance", "steps": 3})], "unsupported_version", 7),
        ([envelope(padding=b"x" * MAX_FRAME_BYTES)], "too_large", 7),
    ],
)
def test_what_cannot_be_served_is_answered_with_the_reason(
    paths: Paths, peers: Peers, frames: list[bytes], code: str, request_id: int
) -> None:
    socket = peers.dealer(paths)
    answer = ask(socket, *frames)
    assert (failure(answer).code, answer.id) == (code, request_id)
    assert isinstance(ask(socket, envelope()).reply, Pong)


@pytest.mark.usefixtures("daemon")
@pytest.mark.parametrize(
    ("request_", "told", "hint"),
    [
        (
            {"type": "search", "query": "x", "limit": 0},
            "`limit` is 0, and has to be a whole number from 1 to 200",
            "10",
        ),
        (
            {"type": "build_context", "budget": 9},
            "`budget` is 9, and has to be a whole number from 256 to 2,000,000",
            "",
        ),
        ({"type": "search", "query": 5}, "`query` is 5, and has to be text", "Give text"),
        (
            {"type": "append", "entries": [{"content": "x", "kind": "y"}]},
            "`entries[0].kind` is 'y', and has to be one",
            "",
        ),
    ],
)
def test_what_is_out_of_range_is_answered_with_field_value_and_range(
    paths: Paths, peers: Peers, request_: object, told: str, hint: str
) -> None:
    failed = failure(ask(peers.dealer(paths), envelope(request=request_)))
    assert failed.message.startswith(told)
    assert hint in failed.hint


def test_fields_of_a_newer_client_are_passed_over(daemon: DaemonProcess, paths: Paths, peers: Peers) -> None:
    answer = ask(peers.dealer(paths), envelope(mood="sunny", request={"type": "ping", "loud": True}))
    assert isinstance(answer.reply, Pong)


def test_a_frame_far_too_large_costs_only_its_sender(daemon: DaemonProcess, paths: Paths, peers: Peers) -> None:
    brute = peers.dealer(paths)
    gone = brute.get_monitor_socket(zmq.Event.DISCONNECTED)
    with Client(paths=paths, deadline_s=20) as client:
        client.ping()
        brute.send(b"x" * (3 * MAX_FRAME_BYTES))
        assert gone.poll(20_000)
        assert client.ping().ready
    brute.disable_monitor()
    gone.close(0)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(storm=st.lists(st.lists(st.binary(max_size=200), min_size=1, max_size=4), min_size=50, max_size=100))
def test_a_storm_of_garbage_disturbs_nobody(
    daemon: DaemonProcess, paths: Paths, peers: Peers, storm: list[list[bytes]]
) -> None:
    vandal = peers.dealer(paths)
    pusher = peers.pusher(paths)
    with Client(session="calm", paths=paths, deadline_s=20) as client:
        for number, frames in enumerate(storm):
            vandal.send_multipart(frames)
            pusher.send_multipart(frames)
            vandal.send(envelope()[: number % len(envelope())])
            if number % 25 == 0:
                taken = client.take_pending(deadline_s=20)
                assert taken is not None
                assert taken.text.startswith("calm ")


# --- in this process ------------------------------------------------------------------------------------------------


class Rules:
    """Answers with what it was told to, or raises it."""

    def __init__(self, outcome: Reply | Exception | None = None) -> None:
        self.outcome = outcome
        self.called = 0
        self.release = anyio.Event()

    async def __call__(self, request: AnyRequest, caller: Caller, deadline_s: float) -> Reply:
        self.called += 1
        if self.outcome is None:
            await self.release.wait()
            return Done("released")
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return self.outcome


def ping_now(request: AnyRequest, caller: Caller) -> Reply | None:
    return Pong(pid=1, version="now", ready=True) if isinstance(request, Ping) else None


@asynccontextmanager
async def serving(paths: Paths, rules: Rules, concurrency: int = 256) -> AsyncGenerator[tuple[Server, AsyncClient]]:
    async with (
        Server(
            paths, on_update=lambda update: None, answer=rules, answer_now=ping_now, concurrency=concurrency
        ) as server,
        AsyncClient(paths=paths, deadline_s=20) as client,
    ):
        yield server, client


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (NotFound("mem_1"), "not_found"),
        (Ambiguous("m", ["mem_1", "mem_2"]), "ambiguous"),
        (ModelUnavailable("no weights", "get some"), "unavailable"),
        (ActorStopped("keeper"), "unavailable"),
        (DiskFull("/data"), "disk_full"),
        (ActorTimeout("keeper", 1.0), "deadline"),
        (Refused("no", "ask nicely"), "refused"),
        (ActorCrashed("keeper", KeyError("secret")), "internal"),
        (ZeroDivisionError("secret"), "internal"),
        (DaemonError("secret"), "internal"),
    ],
)
async def test_each_error_has_its_code_on_the_wire(paths: Paths, peers: Peers, error: Exception, code: str) -> None:
    async with serving(paths, Rules(error)) as (server, _):
        socket = peers.dealer(paths)
        answer = await anyio.to_thread.run_sync(ask, socket, encode(Envelope(id=3, request=GetStatus())))
        reply = failure(answer)
        assert (reply.code, answer.id) == (code, 3)
        assert reply.hint == getattr(error, "hint", "") or code in ("internal", "unavailable")
        assert "secret" not in reply.message
        assert server.counts.bugs == (code == "internal")


async def test_what_takes_long_delays_nothing_else(paths: Paths, blocking_fails: object) -> None:
    rules = Rules()
    done: list[str] = []
    async with serving(paths, rules) as (server, client), anyio.create_task_group() as tasks:

        async def reindex() -> None:
            done.append(await client.reindex())

        for _ in range(10):
            tasks.start_soon(reindex)
        while rules.called < 10:
            await client.ping()
        assert server.counts.running == 10
        assert done == []
        rules.release.set()
    assert done == ["released"] * 10


async def test_requests_beyond_the_limit_are_told_so_and_pings_still_answered(paths: Paths, peers: Peers) -> None:
    rules = Rules()
    async with serving(paths, rules, concurrency=3) as (_, client):
        socket = peers.dealer(paths)
        for number in range(4):
            socket.send(encode(Envelope(id=number + 1, request=GetStatus())))
        refused = decode_answer(await anyio.to_thread.run_sync(socket.recv))
        assert (refused.id, failure(refused).code) == (4, "overloaded")
        assert (await client.ping()).version == "now"
        rules.release.set()
        answers = [decode_answer(await anyio.to_thread.run_sync(socket.recv)) for _ in range(3)]
        assert {answer.id for answer in answers} == {1, 2, 3}


async def test_a_client_asks_a_daemon_again_that_has_as_much_under_way_as_it_takes(paths: Paths) -> None:
    rules = Rules()
    done: list[str] = []
    async with serving(paths, rules, concurrency=3) as (server, client), anyio.create_task_group() as tasks:

        async def reindex() -> None:
            done.append(await client.reindex())

        for _ in range(10):
            tasks.start_soon(reindex)
        while server.counts.failures == 0:
            await client.ping()
        rules.release.set()
    assert done == ["released"] * 10


async def test_a_daemon_that_stays_overloaded_is_told_of_when_the_time_is_up(paths: Paths) -> None:
    async with serving(paths, Rules(), concurrency=0), AsyncClient(paths=paths, deadline_s=0.2) as client:
        with pytest.raises(RequestFailed, match="under way already") as failed:
            await client.search("anything")
        assert failed.value.code == "overloaded"


async def test_the_daemon_gives_up_when_the_client_does(paths: Paths, peers: Peers) -> None:
    async with serving(paths, Rules()) as (server, _):
        socket = peers.dealer(paths)
        answer = await anyio.to_thread.run_sync(
            ask, socket, encode(Envelope(id=1, request=Search(query="x"), deadline_s=0.01))
        )
        assert failure(answer).code == "deadline"
        assert server.counts.running == 0


@pytest.mark.parametrize(("request_", "helps"), [(GetStatus(), "memoryd logs"), (Search(query="x"), "memoryd status")])
async def test_a_status_that_comes_too_late_does_not_advise_to_ask_for_the_status(
    paths: Paths, peers: Peers, request_: AnyRequest, helps: str
) -> None:
    async with serving(paths, Rules()):
        socket = peers.dealer(paths)
        frame = encode(Envelope(id=1, request=request_, deadline_s=0.01))
        assert helps in failure(await anyio.to_thread.run_sync(ask, socket, frame)).hint


async def test_draining_finishes_what_is_under_way_and_reads_no_more(paths: Paths) -> None:
    rules = Rules()
    done: list[str] = []
    async with serving(paths, rules) as (server, client), anyio.create_task_group() as tasks:

        async def reindex() -> None:
            done.append(await client.reindex())

        tasks.start_soon(reindex)
        while not rules.called:
            await client.ping()
        assert not await server.drain(0.01)
        with anyio.move_on_after(0.1) as unread:
            await client.ping()
        assert unread.cancelled_caught
        rules.release.set()
        assert await server.drain(20)
    assert done == ["released"]


async def test_what_arrived_before_a_drain_is_still_handed_on_and_answered(paths: Paths, peers: Peers) -> None:
    seen: list[ContextUpdate] = []
    sent = 1000  # more than one batch, and more than the kernel holds of a client that has left
    async with Server(paths, on_update=seen.append, answer=Rules(Done()), answer_now=ping_now) as server:
        async with AsyncClient(paths=paths, deadline_s=20) as client:
            await client.ping()
        context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        pusher = context.socket(zmq.PUSH)
        pusher.connect(address(paths.push_socket))
        for number in range(sent):
            pusher.send(encode(ContextUpdate(caller=Caller(), messages=(), sequence=number + 1)))
        dealer = peers.dealer(paths)
        dealer.send(encode(Envelope(id=1, request=Ping())))
        dealer.send(encode(Envelope(id=2, request=GetStatus())))
        # The server's loop stands still until everything has left this side.
        pusher.close(-1)
        context.term()
        assert await server.drain(20)
        assert [update.sequence for update in seen] == list(range(1, sent + 1))
        answers = [decode_answer(await anyio.to_thread.run_sync(dealer.recv)) for _ in range(2)]
        assert {answer.id for answer in answers} == {1, 2}


async def test_a_request_that_does_not_end_leaves_time_for_what_is_drained_after_it(paths: Paths) -> None:
    rules = Rules()
    async with serving(paths, rules) as (server, client), anyio.create_task_group() as tasks:
        tasks.start_soon(client.reindex)
        while not rules.called:
            await client.ping()
        with anyio.move_on_after(2) as whole_stop:
            assert not await server.drain(2)
        assert not whole_stop.cancelled_caught
        rules.release.set()


async def test_someone_who_goes_on_sending_does_not_hold_up_a_drain(paths: Paths, peers: Peers) -> None:
    async with serving(paths, Rules(Done())) as (server, _):
        pusher = peers.pusher(paths)
        frame = encode(ContextUpdate(caller=Caller(), messages=()))
        with anyio.CancelScope() as sending:

            async def flood() -> None:
                while True:
                    await anyio.to_thread.run_sync(pusher.send, frame)

            async with anyio.create_task_group() as tasks:
                tasks.start_soon(flood)
                while not server.counts.updates:
                    await anyio.lowlevel.checkpoint()
                assert await server.drain(1)
                sending.cancel()


async def test_a_vanished_client_holds_up_nobody(paths: Paths, peers: Peers) -> None:
    rules = Rules()
    async with serving(paths, rules) as (server, client):
        socket = peers.dealer(paths)
        socket.send(encode(Envelope(id=1, request=GetStatus())))
        while not rules.called:
            await client.ping()
        socket.close(0)
        rules.release.set()
        while server.counts.running:
            await client.ping()
        assert (await client.ping()).ready


async def test_crossed_sockets_are_counted(paths: Paths, peers: Peers) -> None:
    async with serving(paths, Rules(Done())) as (server, client):
        pusher = peers.pusher(paths)
        for frame in (b"\xc1", b"", envelope(), b"x" * (MAX_FRAME_BYTES + 1)):
            pusher.send(frame)
        while server.counts.bad_updates + server.counts.too_large < 4:
            await client.ping()
        socket = peers.dealer(paths)
        await anyio.to_thread.run_sync(ask, socket, b"\xc1")
        await client.reindex()
        counts = server.counts
    assert (counts.bad_updates, counts.too_large, counts.bad_requests, counts.updates) == (3, 1, 1, 0)
    assert counts.replies == counts.requests + 1
    assert counts.failures == 1


async def test_publishing_without_sockets_or_listeners_is_no_error(paths: Paths) -> None:
    from memoryd_client.wire.events import Warned

    server = Server(paths, on_update=lambda update: None, answer=Rules())
    server.publish(Warned(component="x", message="before"))
    async with server:
        for _ in range(10_000):
            server.publish(Warned(component="x", message="\ud800 to nobody"))
            server.publish(Warned(component="x", message="to nobody"))
        counts = server.counts
    server.publish(Warned(component="x", message="after"))
    assert (counts.events, counts.dropped) == (10_000, 10_000)
