"""Serves the three sockets: hands updates on, answers requests, publishes events.

A `SocketReader` reads them. One connection has a few requests under way at a time. One thing needs care: any send on
the rpc socket may swallow the wake-up for a request that has arrived meanwhile, so after a reply that is sent from a
task of its own the socket is looked at again.

The same serves the ports of a network. There each message carries the key of its sender, and a `Guard` says what that
key's holder may say.
"""

import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from types import TracebackType
from typing import Final, Self

import anyio
import zmq
from anyio.abc import TaskGroup

from memoryd.heap import trim
from memoryd.ipc import failures
from memoryd.ipc.connections import TOLD_S, Connections
from memoryd.ipc.doorkeeper import Doorkeeper
from memoryd.ipc.endpoints import Endpoints, Socket, bind, bind_network
from memoryd.ipc.frames import Unreadable, read_envelope, read_update
from memoryd.ipc.guard import Network
from memoryd.ipc.lull import Lull
from memoryd.ipc.socket_reader import SocketReader
from memoryd.ipc.statistics import SocketStatistics
from memoryd.keys import Grant
from memoryd_client.base.paths import Paths
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.context import ContextUpdate
from memoryd_client.wire.events import Event
from memoryd_client.wire.failures import Failure
from memoryd_client.wire.protocol import Answer, AnyRequest, Envelope, Reply, encode, topic_of

_log = logging.getLogger(__name__)
AT_ONCE: Final = 4
"""Requests of one connection that may be under way. A connection of our own client has one. Without a limit, four
connections that ask as fast as they can have a write of others wait for 2.5 s, with it for .13 s."""
AT_ONCE_BY_KEY: Final = 16
"""Requests of one key that may be under way, over all its connections."""
_MAX_DEADLINE_S: Final = 3600.0
_DRAIN_SHARE: Final = 0.5
"""Of the time that a stop may take; the rest is for what comes after the sockets: writes and contexts."""


Answerer = Callable[[AnyRequest, Caller, float], Awaitable[Reply]]
"""Answers a request within so many seconds; raises memoryd_actors' errors for expected failures."""


def _nothing_now(request: AnyRequest, caller: Caller, /) -> Reply | None:
    return None


class Server:
    """The daemon's sockets, as an async context manager: bound on entry, closed on exit.

    `on_update` takes a context update and must not block. `answer_now` answers what needs no waiting, on the spot;
    where it returns None the request gets a task of its own, in which `answer` has until the client's deadline. At
    most `concurrency` of these run at once; requests beyond that are told so, and so is whoever connects while
    `most_connections` are there.

    With a `network`, ports there take the place of the sockets, and its guard says who is served.

    `publish` and `counts`, which may be given, may be used before, during and after; from the event loop's thread only.

    Raises on entry:
        FolderUnsafe: the runtime folder cannot be kept from others.
        SocketsInUse: somebody listens there already.
    """

    def __init__(
        self,
        paths: Paths,
        *,
        on_update: Callable[[ContextUpdate], object],
        answer: Answerer,
        answer_now: Callable[[AnyRequest, Caller], Reply | None] = _nothing_now,
        inherited: Mapping[str, int] | None = None,
        concurrency: int = 256,
        most_connections: int = 1_000,
        counts: SocketStatistics | None = None,
        network: Network | None = None,
    ) -> None:
        self._paths = paths
        self._on_update = on_update
        self._answer = answer
        self._answer_now = answer_now
        self._inherited = dict(inherited or {})
        self._concurrency = concurrency
        self._most_connections = most_connections
        self._network = network
        self._guard = network.guard if network is not None else None
        self.counts = counts or SocketStatistics()
        """What has crossed the sockets so far."""
        self._endpoints: Endpoints | None = None
        self._connections: Connections | None = None
        self._reader: SocketReader | None = None
        self._running: Counter[bytes] = Counter()
        """Requests under way, by the connection that they came over, or by the key where they came over a network."""
        self._lull = Lull()
        self._tasks: TaskGroup | None = None
        self._idle = anyio.Event()

    async def __aenter__(self) -> Self:
        # A few system calls on local files, before anybody is served.
        self._endpoints = await anyio.to_thread.run_sync(self._bind)
        self._tasks = anyio.create_task_group()
        await self._tasks.__aenter__()
        sockets = self._endpoints.push, self._endpoints.rpc, self._endpoints.events
        self._connections = Connections(sockets, self._most_connections, self.counts, self._endpoints.ports)
        if self._endpoints.door is not None and self._guard is not None:
            self._tasks.start_soon(self._keep_door, Doorkeeper(self._endpoints.door, self._guard), name="doorkeeper")
        self._reader = SocketReader(
            self._endpoints,
            self._connections,
            self._guard,
            take_update=self._take_update,
            take_request=self._take_request,
            refuse=self._reply,
        )
        self._tasks.start_soon(self._reader.run, name="ipc")
        self._tasks.start_soon(self._count, self._connections, name="connections")
        return self

    def _bind(self) -> Endpoints:
        if self._network is None:
            return bind(self._paths, self._inherited)
        self._network.guard.look()
        return bind_network(self._network.host, self._network.port, self._network.ring.server())

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        endpoints, connections, tasks = self._endpoints, self._connections, self._tasks
        if endpoints is None or connections is None or tasks is None:
            return None
        self._endpoints = None
        connections.stop()
        tasks.cancel_scope.cancel()
        try:
            return await tasks.__aexit__(kind, error, trace)
        finally:
            connections.close()
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(endpoints.close)

    async def drain(self, timeout_s: float) -> bool:
        """Take what has arrived, read no more, and wait for the requests under way; return whether all are done.

        `timeout_s` is what the whole stop may take; of these seconds at most half are used, a quarter of them for
        reading. Requests that come later are sent again by their clients once the daemon is back; contexts wait there.
        """
        if self._reader is not None:
            self._reader.stop()
        with anyio.move_on_after(timeout_s * _DRAIN_SHARE):
            if self._reader is not None:
                with anyio.move_on_after(timeout_s * _DRAIN_SHARE / 4):  # whoever goes on sending holds nobody up
                    await self._reader.read_what_is_left()
            while self.counts.running:
                self._idle = anyio.Event()
                await self._idle.wait()
        return not self.counts.running

    def publish(self, event: Event, /) -> None:
        """Tell whoever listens. Never waits; a listener that does not keep up misses events."""
        if self._endpoints is None:
            return
        try:
            self._endpoints.events.send_multipart((topic_of(event), encode(event)), zmq.NOBLOCK)
            self.counts.events += 1
            if self._guard is not None and self._reader is not None:
                self._reader.look_after_sending(self._endpoints.events)
        except (zmq.ZMQError, ValueError, OverflowError):  # nobody listens fast enough, or it cannot be said
            self.counts.dropped += 1

    async def _keep_door(self, doorkeeper: Doorkeeper) -> None:
        while True:
            doorkeeper.answer_all()
            await anyio.wait_readable(doorkeeper.fd)

    async def _count(self, connections: Connections) -> None:
        """Keep count of the connections, and disconnect those who have been told that there are too many."""
        async with anyio.create_task_group() as watchers:
            for monitor in connections.monitors:
                watchers.start_soon(self._watch_monitor, connections, monitor)
            while True:
                await anyio.sleep(TOLD_S)
                connections.cut_told(anyio.current_time())
                if self._guard is not None and await anyio.to_thread.run_sync(self._guard.look):
                    _log.info(
                        "the keys that are let in have changed: everybody on the network has to show its key again"
                    )
                    connections.cut_all()
                if connections.crowd_has_left() or self._lull.has_come(self.counts.messages):
                    await anyio.to_thread.run_sync(trim)

    async def _watch_monitor(self, connections: Connections, monitor: Socket) -> None:
        descriptor = monitor.fileno()
        while True:
            connections.hear_all(monitor, anyio.current_time())
            await anyio.wait_readable(descriptor)

    def _take_update(self, frames: list[bytes], sender: Grant | None) -> bool:
        """Hand a context update on; return whether it could be read."""
        try:
            update = read_update(frames)
        except Unreadable as exc:
            self._count_unreadable(exc, update=True)
            return False
        if sender is not None and self._guard is not None and not self._guard.may_speak(sender, update.caller):
            self._guard.counts.overstepped += 1
            return False
        try:
            self._on_update(update)
            self.counts.updates += 1
        except Exception as error:  # the outer edge: one update must not end the service
            self.counts.bugs += 1
            _log.error("a context update of session %r failed", update.caller.session, exc_info=error)
        return True

    def _take_request(self, frames: list[bytes], sender: Grant | None) -> bool:
        """Answer a request, or have it answered; return whether it could be read."""
        identity = frames[0]
        try:
            envelope = read_envelope(frames[1:])
        except Unreadable as exc:
            self._count_unreadable(exc, update=False)
            self._reply(identity, exc.request_id, exc.failure)
            return False
        self.counts.requests += 1
        if (refusal := self._refusal(envelope, sender)) is not None:
            self._reply(identity, envelope.id, refusal)
            return False
        try:
            reply = self._answer_now(envelope.request, envelope.caller)
        except Exception as error:  # the outer edge
            reply = self._failed(envelope, error)
        if reply is None:
            by, most = (identity, AT_ONCE) if sender is None else (sender.key.encode(), AT_ONCE_BY_KEY)
            if self.counts.running >= self._concurrency or self._tasks is None:
                reply = failures.overloaded(self._concurrency)
            elif self._running[by] >= most:
                self._reply(identity, envelope.id, failures.overloaded(most, " of this client"))
                return False
            else:
                self.counts.running += 1
                self._running[by] += 1
                self._tasks.start_soon(self._answer_later, identity, envelope, by)
                return True
        self._reply(identity, envelope.id, reply)
        return True

    def _refusal(self, envelope: Envelope, sender: Grant | None) -> Failure | None:
        """Return why somebody on a network is not answered, if it is not."""
        if sender is None or self._guard is None:
            return None
        refusal = self._guard.refusal(sender, envelope.request, envelope.caller)
        if refusal is not None:
            self._guard.counts.overstepped += 1
        return refusal

    async def _answer_later(self, identity: bytes, envelope: Envelope, by: bytes) -> None:
        deadline_s = min(envelope.deadline_s, _MAX_DEADLINE_S)
        reply: Reply
        try:
            with anyio.fail_after(deadline_s):
                reply = await self._answer(envelope.request, envelope.caller, deadline_s)
        except Exception as error:  # the outer edge
            reply = self._failed(envelope, error)
        finally:
            self.counts.running -= 1
            self._running[by] -= 1
            if not self._running[by]:
                del self._running[by]
            if not self.counts.running:
                self._idle.set()
        self._reply(identity, envelope.id, reply)
        if self._endpoints is not None and self._reader is not None:
            self._reader.look_after_sending(self._endpoints.rpc)

    def _failed(self, envelope: Envelope, error: Exception) -> Failure:
        name = str(type(envelope.request).__struct_config__.tag)
        failure = failures.expected(error, name)
        if failure is None:
            self.counts.bugs += 1
            failure = failures.bug(name, error)
        return failure

    def _reply(self, identity: bytes, request_id: int, reply: Reply) -> None:
        if self._endpoints is None:
            return
        try:
            frame = encode(Answer(id=request_id, reply=reply))
        except Exception as error:  # the outer edge: a reply that cannot be said may not end the daemon
            self.counts.bugs += 1
            reply = failures.bug(type(reply).__name__, error)
            frame = encode(Answer(id=request_id, reply=reply))
        if isinstance(reply, Failure):
            self.counts.failures += 1
        try:
            # A client that has gone, or does not read, costs its own replies and nobody's time: ROUTER drops them.
            self._endpoints.rpc.send_multipart((identity, frame), zmq.NOBLOCK)
            self.counts.replies += 1
        except zmq.ZMQError:
            self.counts.dropped += 1

    def _count_unreadable(self, unreadable: Unreadable, *, update: bool) -> None:
        if unreadable.failure.code == "too_large":
            self.counts.too_large += 1
        elif update:
            self.counts.bad_updates += 1
        else:
            self.counts.bad_requests += 1
