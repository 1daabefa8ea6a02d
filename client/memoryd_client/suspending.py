"""A client's life on an event loop: its sockets are opened and closed, and it waits without blocking."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

import anyio
from anyio import to_thread

from memoryd_client.agent_messages import Said
from memoryd_client.base.paths import Paths
from memoryd_client.base.remote import Remote
from memoryd_client.core import Core
from memoryd_client.outgoing import ContextArguments, encoded
from memoryd_client.transport.connection import Connection
from memoryd_client.transport.endpoint import Place
from memoryd_client.transport.exchange import TICK_S, Transport
from memoryd_client.transport.link import Link
from memoryd_client.transport.subscription import Subscription
from memoryd_client.wire.context import Trigger
from memoryd_client.wire.events import Event
from memoryd_client.wire.request import R, Request

T = TypeVar("T")


class _Suspending:
    """A transport that lets other tasks run while it waits. Files are looked at in a thread."""

    def __init__(self, threads: anyio.CapacityLimiter) -> None:
        self._threads = threads

    async def connect(self, link: Link, within_s: float) -> Connection | None:
        # Not to be abandoned when cancelled: the connection would be nobody's.
        return await to_thread.run_sync(link.connect, within_s, limiter=self._threads)

    async def receive(self, connection: Connection, timeout_s: float) -> bytes | None:
        data = connection.receive(0)
        if data is not None:
            return data
        with anyio.move_on_after(timeout_s):
            # The descriptor wakes us for more than messages, and only once for several: look after each time.
            while data is None:
                try:
                    await anyio.wait_readable(connection.fd)
                except anyio.ClosedResourceError:
                    return None
                data = connection.receive(0)
        return data

    async def prepare(self, link: Link) -> None:
        await to_thread.run_sync(link.prepare, limiter=self._threads)

    async def subscribe(self, place: Place, owner: str) -> Subscription:
        return await to_thread.run_sync(Subscription, place, owner, limiter=self._threads)

    async def locate(self, core: Core, project: str | Path | None) -> None:
        await to_thread.run_sync(core.locate, project, limiter=self._threads)

    async def pause(self, duration_s: float) -> None:
        await anyio.sleep(duration_s)


class Suspending:
    """What `AsyncClient` does besides asking.

    What needs the disk, the project's root and the push socket, is looked up at the first use, in a thread;
    `async with` is one.
    """

    def __init__(
        self,
        *,
        session: str = "",
        project: str | Path | None = None,
        agent: str = "",
        owner: str = "local",
        paths: Paths | None = None,
        remote: Remote | None = None,
        deadline_s: float = 5.0,
        linger_s: float = 0.1,
    ) -> None:
        self._core = Core(
            session=session, agent=agent, owner=owner, place=remote or paths, deadline_s=deadline_s, linger_s=linger_s
        )
        self._project = project
        self._located = project is None
        self._transport: _Suspending | None = None

    async def __aenter__(self) -> Self:
        await self._ready()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close every socket. Calls that other tasks have under way fail at once."""
        link = self._core.close()
        if link is None:
            return
        for connection in link.close():
            anyio.notify_closing(connection.fd)
            link.drop(connection)
        if self._core.linger_s:
            with anyio.CancelScope(shield=True):
                await to_thread.run_sync(link.terminate)
        else:
            link.terminate()

    async def push_context(
        self,
        messages: Sequence[Said],
        *,
        trigger: Trigger = "turn",
        turn: int | None = None,
        files: Sequence[str] = (),
    ) -> bool:
        """Say what the agent is doing now, newest message last; return whether it was queued.

        Returns at once whatever the daemon does. Where it is away or does not keep up, updates wait for it in their
        order; beyond 4 MiB of them older ones give way to the newest. False: this client is closed, or the socket is
        not safe to use. Of a long conversation the end is sent: at most 1,000 messages and 256 KiB of text; a message
        too long for that keeps its own end. Messages may be mappings, as the APIs of Anthropic and OpenAI have them.
        `files` are the paths of the files in hand: a model that judges is told of the newest twenty.

        Raises:
            TypeError: `messages` holds what is no message, or a field has another type.
            ValueError: there is no such trigger.
        """
        transport, link = await self._ready(), self._core.link()
        frame = encoded(self._core.update(link, ContextArguments(messages, trigger, turn, files)))
        if not link.pushing:
            await transport.prepare(link)
        return link.push(frame)

    async def events(self) -> AsyncGenerator[Event]:
        """Yield what the daemon is doing for this owner, as it happens.

        Begins to listen at the first step. Goes on after a restart of the daemon; ends when the client is closed.
        """
        transport, link = await self._ready(), self._core.link()
        subscription = await transport.subscribe(self._core.place, self._core.caller.owner)
        with subscription:
            while not link.closed:
                event = subscription.next()
                if event is not None:
                    yield event
                    continue
                with anyio.move_on_after(TICK_S):
                    await anyio.wait_readable(subscription.fd)

    async def _ready(self) -> _Suspending:
        if self._transport is None:
            self._transport = _Suspending(anyio.CapacityLimiter(1))
            await self._transport.prepare(self._core.link())
        if not self._located:
            await self._transport.locate(self._core, self._project)
            self._located = True
        return self._transport

    async def _do(self, work: Callable[[Transport], Awaitable[T]]) -> T:
        return await work(await self._ready())

    async def call(self, request: Request[R], deadline_s: float | None = None) -> R:
        """Make a request of the wire, and return its reply."""
        return await self._core.call(await self._ready(), request, deadline_s)
