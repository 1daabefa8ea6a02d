"""A daemon on a network, and what somebody would try who has no key, another's, or one that is let in no more."""

import re
import shutil
import socket
import threading
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import get_args

import anyio
import msgspec
import pytest
import zmq

from memoryd.ipc import Guard, Network, Server
from memoryd.ipc.endpoints import SocketsInUse
from memoryd.ipc.guard import ORDINARY
from memoryd.ipc.server import AT_ONCE_BY_KEY
from memoryd.keys import Grant, KeyRing, KeysUnusable, write_key
from memoryd_client import AsyncClient, DaemonUnreachable, KeyRefused, Message, Remote
from memoryd_client.base.paths import Paths
from memoryd_client.base.remote import ClientKey
from memoryd_client.core import Core
from memoryd_client.transport.endpoint import Purpose, endpoint
from memoryd_client.transport.subscription import Subscription
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.checkpoints import DeleteCheckpoint
from memoryd_client.wire.context import ContextUpdate, Push
from memoryd_client.wire.events import Warned, Wrote
from memoryd_client.wire.failures import Failure
from memoryd_client.wire.importing import Import
from memoryd_client.wire.knowledge import RemoveKnowledge
from memoryd_client.wire.memories import List
from memoryd_client.wire.pending import Turn
from memoryd_client.wire.protocol import Answer, AnyRequest, Envelope, Reply, decode_answer, encode, owner_topic
from memoryd_client.wire.request import Done
from memoryd_client.wire.status import Ping, Pong
from running import three_ports

RATE = 200.0
SAID = (Message("user", "the pantry key hangs behind the clock"),)
GREETING = b"\xff" + b"\0" * 8 + b"\x7f\x03\x00"


class Served:
    """A daemon on a network that answers everything, and notes what has come through to it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ring = KeyRing(folder / "keys")
        self.host, self.port = "127.0.0.1", three_ports()
        self.guard = Guard(self.ring, rate=RATE, restricted=["Planner"])
        self.asked: list[tuple[AnyRequest, Caller]] = []
        self.pushed: list[ContextUpdate] = []
        self.let_go: anyio.Event
        self.server: Server

    def on_its_loop(self) -> Server:
        self.let_go = anyio.Event()
        self.server = Server(
            Paths(home=self.folder, config=self.folder / "config.toml", runtime=self.folder / "run"),
            on_update=self.pushed.append,
            answer=self.answer,
            answer_now=self.answer_now,
            most_connections=20,
            network=Network(self.host, self.port, self.ring, self.guard),
        )
        return self.server

    async def answer(self, request: AnyRequest, caller: Caller, deadline_s: float) -> Reply:
        del deadline_s
        self.asked.append((request, caller))
        if isinstance(request, List):
            await self.let_go.wait()
        return Done("served")

    def answer_now(self, request: AnyRequest, caller: Caller) -> Reply | None:
        del caller
        return Pong(pid=1, version="test", ready=True) if isinstance(request, Ping) else None

    def client(self, name: str, *owners: str, agent: str = "coder", admin: bool = False) -> Remote:
        """Let somebody in, and return where they connect, as whom."""
        public, secret = (key.decode() for key in zmq.curve_keypair())
        key = ClientKey(server=self.ring.server().public, public=public, secret=secret, owners=owners, agent=agent)
        self.ring.let_in(name, Grant(key=public, owners=owners, agent=agent, admin=admin))
        return Remote("127.0.0.1", self.port, key)

    async def until(self, condition: Callable[[], object]) -> None:
        with anyio.fail_after(20):
            while not condition():  # noqa: ASYNC110 - some of it happens in ZeroMQ's own thread
                await anyio.sleep(0.005)


@pytest.fixture
def unserved(folder: Path) -> Served:
    return Served(folder)


@asynccontextmanager
async def serving(served: Served) -> AsyncGenerator[Served]:
    async with served.on_its_loop():
        yield served


def client(remote: Remote) -> AsyncClient:
    return AsyncClient(session="s", project="", remote=remote, deadline_s=20)


@asynccontextmanager
async def raw(remote: Remote, kind: zmq.SocketType = zmq.DEALER, **options: bytes) -> AsyncGenerator[zmq.Socket[bytes]]:
    """Yield a socket that says whatever it is told to say."""
    context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
    purposes: dict[zmq.SocketType, Purpose] = {
        zmq.DEALER: "rpc",
        zmq.PUSH: "push",
        zmq.SUB: "events",
        zmq.XSUB: "events",
    }
    try:
        made = context.socket(kind)
        for name, value in options.items():
            made.set(getattr(zmq, name), value)
        endpoint(remote, purposes[kind]).connect(made)
        yield made
    finally:
        context.destroy(0)


async def arrives(there: zmq.Socket[bytes], within_s: float = 10.0) -> bytes | None:
    """Return what a socket receives in time."""
    with anyio.move_on_after(within_s):
        while True:
            try:
                return there.recv_multipart(zmq.NOBLOCK)[-1]
            except zmq.Again:
                await anyio.sleep(0.005)
    return None


async def ask(there: zmq.Socket[bytes], request: AnyRequest, caller: Caller) -> Reply:
    there.send(encode(Envelope(id=5, request=request, caller=caller)))
    frame = await arrives(there)
    assert frame is not None
    return decode_answer(frame).reply


def test_the_key_says_on_whose_behalf_and_as_which_agent(unserved: Served) -> None:
    remote = unserved.client("laptop", "ana", "team")
    for said, owner in (("local", "ana"), ("ana", "ana"), ("team", "team")):
        core = Core(session="", agent="other", owner=said, place=remote, deadline_s=1, linger_s=0)
        assert core.caller == Caller(owner=owner, agent="coder")


async def test_who_has_a_key_is_served_as_on_the_machine_itself(unserved: Served) -> None:
    remote = unserved.client("laptop", "ana")
    async with serving(unserved) as served, client(remote) as memory:
        assert (await memory.ping()).ready
        await memory.push_acknowledged(SAID)
        assert served.asked[-1][1] == Caller(owner="ana", agent="coder", session="s")
        assert await memory.push_context(SAID)
        await served.until(lambda: served.pushed)
        assert served.pushed[0].caller.owner == "ana"
        async with raw(remote, zmq.SUB) as news:
            for topic in (b"owner/", b"", b"warned"):
                news.set(zmq.SUBSCRIBE, topic)
            with Subscription(remote, "ana") as own:
                await served.until(lambda: publishing(served, "ana") and own.next())
            assert await arrives(news, 0.2) is None


def publishing(served: Served, owner: str) -> bool:
    served.server.publish(Wrote(event="ADD", memory_id="mem_1", owner=owner))
    served.server.publish(Warned(component="ledger", message="for everybody here"))
    return True


async def test_nobody_hears_of_another_owner(unserved: Served) -> None:
    ana, ben = unserved.client("ana", "ana"), unserved.client("ben", "ben", admin=True)
    async with serving(unserved) as served:
        with Subscription(ana, "ben") as prying, Subscription(ben, "ben") as own:
            heard: list[object] = []

            def all_kinds() -> bool:
                publishing(served, "ben")
                heard.append(type(own.next()))
                return Wrote in heard and Warned in heard

            await served.until(all_kinds)
            assert prying.next() is None


async def test_an_agent_that_may_see_some_categories_only_hears_no_events(unserved: Served) -> None:
    ana, planner = unserved.client("ana", "ana"), unserved.client("planner", "ana", agent=" planner")
    async with serving(unserved) as served:
        with Subscription(planner, "ana") as prying:
            await served.until(lambda: served.server.counts.connections)
            with Subscription(ana, "ana") as own:
                for _ in range(3):  # what the first brings to one it has brought to both by then
                    await served.until(lambda: publishing(served, "ana") and own.next())
                assert prying.next() is None


async def test_who_confuses_listeners_hears_nothing_and_is_let_in_no_more(unserved: Served) -> None:
    """After what is no subscription ZeroMQ takes one listener for another: our yes to one would go to the next."""
    ana, ben = unserved.client("ana", "ana"), unserved.client("ben", "ben")
    async with serving(unserved) as served, raw(ana, zmq.XSUB) as confusing, raw(ana, zmq.XSUB) as prying:
        confusing.send(b"anything")
        with Subscription(ben, "ben") as own:
            prying.send(b"\1" + owner_topic("ana"))
            await served.until(lambda: served.guard.grant(ana.key.public) is None)
            await served.until(lambda: publishing(served, "ben") and isinstance(own.next(), Wrote))
            assert await arrives(prying, 0.2) is None
        async with client(ana) as gone, client(ben) as stays:
            with pytest.raises(KeyRefused):
                await gone.ping()
            assert (await stays.ping()).ready


async def test_a_topic_that_is_too_long_costs_the_connection(unserved: Served) -> None:
    remote = unserved.client("laptop", "ana")
    async with serving(unserved) as served, raw(remote, zmq.XSUB) as greedy:
        await served.until(lambda: served.server.counts.connections == 1)
        greedy.send(b"\1" + owner_topic("ana") + b"a" * 5_000)
        await served.until(lambda: not served.server.counts.connections)


async def test_whoever_has_no_key_or_another_is_not_answered(unserved: Served) -> None:
    remote = unserved.client("laptop", "ana")
    stranger = msgspec.structs.replace(remote.key, **keys())
    async with serving(unserved) as served:
        async with client(Remote("127.0.0.1", served.port, stranger)) as memory:
            with pytest.raises(KeyRefused, match="does not know this key"):
                await memory.ping()
        other = msgspec.structs.replace(remote.key, server=keys()["public"])
        async with client(Remote("127.0.0.1", served.port, other)) as memory:
            with pytest.raises(KeyRefused, match="is not the daemon of this key file"):
                await memory.ping()
        # Another's public half is of no use without its secret one.
        borrowed = msgspec.structs.replace(remote.key, secret=keys()["secret"])
        async with client(Remote("127.0.0.1", served.port, borrowed)) as memory:
            with pytest.raises(DaemonUnreachable):
                await memory.ping(deadline_s=1)
        assert served.guard.counts.strangers > 0
        assert (served.server.counts.requests, served.server.counts.replies) == (0, 0)


def keys() -> dict[str, str]:
    return dict(zip(("public", "secret"), (key.decode() for key in zmq.curve_keypair()), strict=True))


async def test_a_plain_socket_is_told_nothing(unserved: Served) -> None:
    remote = unserved.client("laptop", "ana")
    async with serving(unserved) as served:
        context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        plain, password = context.socket(zmq.DEALER), context.socket(zmq.DEALER)
        password.set(zmq.PLAIN_USERNAME, b"ana")
        password.set(zmq.PLAIN_PASSWORD, b"coder")
        pusher = context.socket(zmq.PUSH)
        for one, beyond in ((plain, 0), (password, 0), (pusher, 1)):
            one.connect(remote.url(beyond))
            one.send(encode(Envelope(id=1, request=Ping(), caller=Caller(owner="ana", agent="coder"))))
        assert await arrives(plain, 0.3) is None
        assert await arrives(password, 0.1) is None
        context.destroy(0)
        for beyond in range(3):
            for said in (
                GREETING + b"NULL".ljust(52, b"\0"),
                b"GET / HTTP/1.1\r\n\r\n",
                GREETING + b"CURVE".ljust(52, b"\0"),
            ):
                with socket.create_connection(("127.0.0.1", served.port + beyond)) as there:
                    there.sendall(said + b"\4\x28\5HELLO" + b"\0" * 300)
        async with client(remote) as memory:
            assert (await memory.ping()).ready
        assert (served.server.counts.requests, served.server.counts.updates) == (1, 0)
        assert not served.server.counts.bad_requests


async def test_a_greeting_that_was_recorded_is_of_no_use_and_nobody_reads_along(unserved: Served) -> None:
    remote = unserved.client("laptop", "ana")
    async with serving(unserved) as served:
        with Recorder(served.port) as recorder:
            async with client(Remote("127.0.0.1", recorder.port, remote.key)) as memory:
                await memory.push_acknowledged(SAID)
        assert len(served.asked) == 1
        assert b"pantry" not in recorder.sent
        assert b"READY" not in recorder.sent.partition(b"HELLO")[0]
        with socket.create_connection(("127.0.0.1", served.port)) as again:
            again.settimeout(10)
            again.sendall(recorder.sent)
            # The daemon says its own greeting and ends the connection: no reply of old is said again.
            answered = await anyio.to_thread.run_sync(read_all, again)
        assert len(answered) < len(recorder.answered)
        assert (len(served.asked), served.server.counts.requests) == (1, 1)


def read_all(there: socket.socket) -> bytes:
    answered = b""
    with suppress(ConnectionError):
        while part := there.recv(4096):
            answered += part
    return answered


class Recorder:
    """Sits between a client and the daemon, and writes down what passes."""

    def __init__(self, port: int) -> None:
        self._to = port
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        self.sent = self.answered = b""
        self._threads = [threading.Thread(target=self._pass_on)]
        self._threads[0].start()

    def _pass_on(self) -> None:
        here, _ = self._listening.accept()
        there = socket.create_connection(("127.0.0.1", self._to))
        back = threading.Thread(target=self._copy, args=(there, here, "answered"))
        back.start()
        self._copy(here, there, "sent")
        back.join()
        here.close()
        there.close()

    def _copy(self, source: socket.socket, target: socket.socket, name: str) -> None:
        with suppress(OSError):
            while part := source.recv(65_536):
                setattr(self, name, getattr(self, name) + part)
                target.sendall(part)
        with suppress(OSError):
            target.shutdown(socket.SHUT_WR)

    def __enter__(self) -> "Recorder":
        return self

    def __exit__(self, *_: object) -> None:
        self._listening.close()
        self._threads[0].join()


async def test_a_key_that_is_removed_is_of_no_use_from_then_on(unserved: Served) -> None:
    removed, kept = unserved.client("removed", "ana"), unserved.client("kept", "ana")
    async with serving(unserved) as served, client(removed) as gone, client(kept) as stays:
        assert (await gone.ping()).ready
        assert (await stays.ping()).ready
        with Subscription(removed, "ana") as prying, Subscription(kept, "ana") as own:
            await served.until(lambda: publishing(served, "ana") and prying.next())
            await gone.push_context(SAID)
            await served.until(lambda: served.pushed)
            await anyio.to_thread.run_sync(served.ring.shut_out, "removed")
            await served.until(lambda: served.guard.grant(removed.key.public) is None)
            while prying.next() is not None:
                pass
            with pytest.raises(KeyRefused, match="does not know this key"):
                await gone.ping()
            await gone.push_context(SAID)
            assert (await stays.ping()).ready
            await served.until(lambda: publishing(served, "ana") and own.next())
            assert prying.next() is None
        assert len(served.pushed) == 1


async def test_nobody_speaks_for_another_owner_or_agent(unserved: Served) -> None:
    remote = unserved.client("laptop", "ana")
    mine, ben = Caller(owner="ana", agent="coder"), Caller(owner="ben", agent="coder")
    person = Caller(owner="ana", agent="cli")
    update = ContextUpdate(caller=ben, messages=SAID)
    async with serving(unserved) as served, raw(remote) as there, raw(remote, zmq.PUSH) as pusher:
        wrong: list[tuple[AnyRequest, Caller]] = [
            (Ping(), ben),
            (Ping(), person),
            (Ping(), Caller()),
            (Push(update=update), mine),
            (Turn(update=update, take_id="1"), mine),
            (Push(update=msgspec.structs.replace(update, caller=person)), mine),
        ]
        for request, caller in wrong:
            refused = await ask(there, request, caller)
            assert isinstance(refused, Failure)
            assert refused.code == "refused"
            assert "this key speaks for owner 'ana' as agent 'coder'" in refused.message
        for caller in (ben, person, mine):
            pusher.send(encode(msgspec.structs.replace(update, caller=caller)))
        await served.until(lambda: served.pushed)
        assert [one.caller for one in served.pushed] == [mine]
        assert not served.asked
        assert served.guard.counts.overstepped == len(wrong) + 2


async def test_nobody_gives_its_connection_the_name_of_another(unserved: Served) -> None:
    remote = unserved.client("laptop", "ana")
    async with serving(unserved) as served, raw(remote, IDENTITY=b"the good client") as there:
        there.send(encode(Envelope(id=5, request=Ping(), caller=Caller(owner="ana", agent="coder"))))
        await served.until(lambda: served.guard.counts.overstepped)
        assert await arrives(there, 0.1) is None


ADMINISTRATION = (
    "backup consent consolidate core_purge knowledge_add mirror_start mirror_stop mirrors purge purge_session reembed "
    "reindex roll_up spending status switch"
)


async def test_administration_needs_a_key_that_says_so(unserved: Served) -> None:
    ordinary, admin = unserved.client("ordinary", "ana"), unserved.client("admin", "ana", admin=True)
    caller = Caller(owner="ana", agent="coder")
    kinds = {str(kind.__struct_config__.tag): kind for kind in get_args(AnyRequest)}
    fields: dict[str, object] = {"id": "a-good-id", "ids": ["a-good-id"], "section": "human", "session": "s"}
    fields |= {"folder": "/etc", "on": True, "approve": True, "path": "/etc"}
    requests: list[AnyRequest] = [
        DeleteCheckpoint(thread="t", purge=True),
        Import(restore=True),
        RemoveKnowledge(path="/etc", purge=True),
        *(msgspec.convert({"type": tag} | fields, kinds[tag]) for tag in ADMINISTRATION.split()),
    ]
    async with serving(unserved) as served, raw(ordinary) as one, raw(admin) as other:
        for request in requests:
            refused = await ask(one, request, caller)
            assert isinstance(refused, Failure)
            assert "this key may not ask for" in refused.message
        assert not served.asked
        for request in requests:
            assert await ask(other, request, caller) == Done("served")
        assert await ask(one, DeleteCheckpoint(thread="t"), caller) == Done("served")


def test_every_kind_of_request_is_ordinary_or_administration() -> None:
    """A new one is refused without --admin until somebody has thought about it: then it stands in one of the two."""
    tags = {str(kind.__struct_config__.tag) for kind in get_args(AnyRequest)}
    assert not ORDINARY & set(ADMINISTRATION.split())
    assert ORDINARY | set(ADMINISTRATION.split()) == tags


async def test_a_flood_by_one_key_is_slowed_down_and_a_good_client_is_not(unserved: Served) -> None:
    flooding, good = unserved.client("flooding", "ana"), unserved.client("good", "ana")
    caller = Caller(owner="ana", agent="coder")
    async with serving(unserved) as served, raw(flooding) as flood, raw(flooding, zmq.PUSH) as pusher:
        async with client(good) as memory:
            answers: list[Answer] = []
            for number in range(3_000):
                flood.send(encode(Envelope(id=number, request=Ping(), caller=caller)))
                with suppress(zmq.Again):
                    pusher.send(encode(ContextUpdate(caller=caller, messages=SAID)), zmq.NOBLOCK)
                if not number % 100:
                    assert (await memory.ping()).ready
            while len(answers) < 500 and (frame := await arrives(flood, 1.0)) is not None:
                answers.append(decode_answer(frame))
        told = {one.reply.code for one in answers if isinstance(one.reply, Failure)}
        assert told == {"overloaded"}
        assert served.guard.counts.too_fast > 1_000
        assert len(served.pushed) < 2_500


async def test_one_key_has_only_so_many_requests_under_way(unserved: Served) -> None:
    slow, good = unserved.client("slow", "ana"), unserved.client("good", "ana")
    caller = Caller(owner="ana", agent="coder")
    async with serving(unserved) as served, raw(slow) as there, client(good) as memory:
        for number in range(2 * AT_ONCE_BY_KEY):
            there.send(encode(Envelope(id=number, request=List(), caller=caller)))
        await served.until(lambda: served.server.counts.requests == 2 * AT_ONCE_BY_KEY)
        await served.until(lambda: len(served.asked) >= AT_ONCE_BY_KEY)
        assert len(served.asked) == AT_ONCE_BY_KEY
        await memory.push_acknowledged(SAID)
        served.let_go.set()
        codes = [decode_answer(await arrives(there) or b"").reply for _ in range(2 * AT_ONCE_BY_KEY)]
        assert sum(isinstance(one, Failure) and one.code == "overloaded" for one in codes) == AT_ONCE_BY_KEY


async def test_a_crowd_without_keys_is_cut_and_leaves_room_again(unserved: Served) -> None:
    remote = unserved.client("laptop", "ana")
    async with serving(unserved) as served, client(remote) as memory:
        assert (await memory.ping()).ready
        crowd = [socket.create_connection(("127.0.0.1", served.port)) for _ in range(200)]
        await served.until(lambda: served.server.counts.turned_away)
        assert (await memory.ping()).ready
        for one in crowd:
            one.close()
        await served.until(lambda: served.server.counts.connections < 20)
        async with client(remote) as late:
            assert (await late.ping()).ready


@pytest.fixture
def private(folder: Path) -> Iterator[Path]:
    file = folder / "laptop.key"
    write_key(file, {"server": keys()["public"], **keys()}, "for a test")
    yield file
    shutil.rmtree(folder / "keys", ignore_errors=True)


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o602, 0o660])
def test_a_key_file_that_others_may_use_is_refused(private: Path, mode: int) -> None:
    assert Remote.at("127.0.0.1:7117", private).key.owners == ("local",)
    private.chmod(mode)
    with pytest.raises(KeyRefused, match=f"others may use it \\(mode {mode:04o}\\)") as refused:
        Remote.at("127.0.0.1:7117", private)
    assert refused.value.hint == f"Run `chmod go= {private}`."


def test_a_key_file_whose_key_is_none_is_refused(private: Path) -> None:
    right = private.read_text()
    for wrong in ("", "#" * 40, "é" * 40, "a" * 35):
        private.write_text(re.sub(r"(?m)^secret = .*", f'secret = "{wrong}"', right))
        with pytest.raises(KeyRefused, match="its `secret` is no key"):
            Remote.at("127.0.0.1:7117", private)


@pytest.mark.parametrize("text", ["", "server = 5", "\xff", 'server = "x"\npublic = "y"\nsecret = "z"', "a = b = c"])
def test_what_is_no_key_file_is_refused(private: Path, text: str) -> None:
    private.write_text(text, encoding="latin-1")
    with pytest.raises(KeyRefused, match=str(private)):
        Remote.at("127.0.0.1:7117", private)
    with pytest.raises(KeyRefused, match="No such file"):
        Remote.at("127.0.0.1:7117", private.with_name("another"))


@pytest.mark.parametrize("address", ["", "host", "host:", "host:x", "host:0", "host:65534", ":7117", "tcp://:1"])
def test_what_is_no_address_is_refused(private: Path, address: str) -> None:
    with pytest.raises(KeyRefused, match="an address is HOST:PORT"):
        Remote.at(address, private)


async def test_the_daemons_own_keys_are_refused_where_others_may_use_them(unserved: Served) -> None:
    remote = unserved.client("laptop", "ana")
    unserved.ring.server_file.chmod(0o644)
    with pytest.raises(KeysUnusable, match="others may use it"):
        async with serving(unserved):
            pass
    unserved.ring.server_file.chmod(0o600)
    unserved.ring.clients_file.chmod(0o640)
    async with serving(Served(unserved.folder)) as served:
        assert served.guard.problem is not None
        async with client(Remote("127.0.0.1", served.port, remote.key)) as memory:
            with pytest.raises(KeyRefused):
                await memory.ping()
            served.ring.clients_file.chmod(0o600)
            await served.until(lambda: served.guard.problem is None)
            assert (await memory.ping()).ready


def test_clients_that_cannot_be_looked_at_are_told(folder: Path) -> None:
    assert KeyRing(folder / "keys").grants() == {}
    with pytest.raises(KeysUnusable, match="too long"):
        KeyRing(folder / ("x" * 300)).grants()


async def test_a_port_that_is_taken_is_told(unserved: Served) -> None:
    taken = f"cannot listen at tcp://127.0.0.1:{unserved.port + 2}"
    with socket.create_server(("127.0.0.1", unserved.port + 2)), pytest.raises(SocketsInUse, match=taken):
        async with serving(unserved):
            pass


@pytest.mark.parametrize(
    ("address", "told"),
    [("nowhere.example", "No such device"), ("192.0.2.1", "assign")],
)
async def test_a_host_that_is_none_of_this_machines_is_told(unserved: Served, address: str, told: str) -> None:
    unserved.host = address
    with pytest.raises(SocketsInUse, match=told) as refused:
        async with serving(unserved):
            pass
    assert refused.value.hint.startswith("HOST is an address of this machine")


def test_two_clients_have_neither_a_name_nor_a_key_in_common(unserved: Served) -> None:
    remote = unserved.client("laptop", "ana")
    with pytest.raises(KeysUnusable, match="there is a client 'laptop' already"):
        unserved.client("laptop", "ben")
    with pytest.raises(KeysUnusable, match="the client 'laptop' has this key already"):
        unserved.ring.let_in("other", Grant(key=remote.key.public, owners=("ben",), agent="x"))
    with pytest.raises(KeysUnusable, match="there is no client 'nobody'"):
        unserved.ring.shut_out("nobody")
