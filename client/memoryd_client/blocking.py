"""A client's life without an event loop: its sockets are opened and closed, and it blocks its thread while it waits."""

import time
from collections.abc import Callable, Coroutine, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from memoryd_client.agent_messages import Said
from memoryd_client.base.paths import Paths
from memoryd_client.base.remote import Remote
from memoryd_client.core import Core
from memoryd_client.outgoing import ContextArguments, encoded
from memoryd_client.transport.connection import Connection
from memoryd_client.transport.exchange import TICK_S, Transport, finish
from memoryd_client.transport.link import Link
from memoryd_client.transport.subscription import Subscription
from memoryd_client.wire.context import Trigger
from memoryd_client.wire.events import Event
from memoryd_client.wire.request import R, Request

T = TypeVar("T")


class _Blocking:
    """A transport that blocks its thread; its coroutines never suspend."""

    async def connect(self, link: Link, within_s: float) -> Connection | None:
        return link.connect(within_s)

    async def receive(self, connection: Connection, timeout_s: float) -> bytes | None:
        return connection.receive(timeout_s)

    async def pause(self, duration_s: float) -> None:
        time.sleep(duration_s)  # noqa: ASYNC251 - there is no event loop


_TRANSPORT = _Blocking()


class Blocking:
    """What `Client` does besides asking."""

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
        self._core.locate(project)
        # Now, so that no push pays for it: up to 9 ms for the threads and the socket.
        self._core.link().prepare()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close every socket. Calls that other threads have under way fail at once."""
        link = self._core.close()
        if link is not None:
            link.close()
            link.terminate()

    def push_context(
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
        link = self._core.link()
        return link.push(encoded(self._core.update(link, ContextArguments(messages, trigger, turn, files))))

    def events(self, *, timeout_s: float | None = None) -> Iterator[Event]:
        """Yield what the daemon does for this owner, as it happens, until nothing has happened for `timeout_s` seconds.

        Begins to listen at the first step. Goes on after a restart of the daemon; ends when the client is closed.
        """
        link = self._core.link()
        with Subscription(self._core.place, self._core.caller.owner) as subscription:
            until = None if timeout_s is None else time.monotonic() + timeout_s
            while not link.closed and (until is None or time.monotonic() < until):
                event = subscription.next()
                if event is None:
                    subscription.wait(TICK_S if until is None else min(TICK_S, max(0.0, until - time.monotonic())))
                    continue
                yield event
                until = None if timeout_s is None else time.monotonic() + timeout_s

    def _do(self, work: Callable[[Transport], Coroutine[Any, Any, T]]) -> T:
        return finish(work(_TRANSPORT))

    def call(self, request: Request[R], deadline_s: float | None = None) -> R:
        """Make a request of the wire, and return its reply."""
        return finish(self._core.call(_TRANSPORT, request, deadline_s))
