"""The actor core: a typed mailbox, a supervisor, and the promises between them.

One message at a time; an expected failure (`Refused`) is an answer, anything else is a bug: the asker learns of it and
the actor is rebuilt on the same mailbox without the poisonous message. Too many rebuilds within a window leave through
the task group. `close()` drains: what was accepted is still handled, nothing new is taken.
"""

from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from enum import Enum
from time import monotonic
from types import TracebackType
from typing import Generic, Self, TypeVar

import anyio
from anyio.abc import TaskGroup
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

from memoryd_actors.errors import ActorCrashed, ActorStopped, DeadlineExceeded, Refused, Superseded

M = TypeVar("M")
R = TypeVar("R")


class Actor(AbstractAsyncContextManager["Actor[M, R]"], Generic[M, R]):
    """Owns some state and handles one message at a time. Entering acquires what it needs, leaving releases it."""

    async def handle(self, message: M) -> R:
        """Do what the message asks; raise `Refused` to decline it."""
        raise NotImplementedError  # pragma: no cover

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None


class Overflow(Enum):
    """What happens to a message that finds the mailbox full."""

    WAIT = "bounded"
    """The sender waits."""
    LATEST = "latest-wins"
    """It replaces the one that was waiting; there is room for one."""


@dataclass(frozen=True, slots=True)
class RestartLimit:
    """How many crashes within how many seconds are bad luck rather than a broken actor."""

    restarts: int = 5
    window_s: float = 60.0


@dataclass(slots=True)
class Statistics:
    """Counts since the actor was spawned."""

    accepted: int = 0
    handled: int = 0
    refused: int = 0
    crashed: int = 0
    replaced: int = 0
    abandoned: int = 0
    waiting: int = 0
    busy: bool = False


class _Letter(Generic[M, R]):
    """A message, and where its answer goes."""

    __slots__ = ("_done", "abandoned", "error", "message", "reply")

    def __init__(self, message: M, asked: bool) -> None:
        self.message = message
        self.reply: R | None = None
        self.error: Exception | None = None
        self.abandoned = False
        self._done = anyio.Event() if asked else None

    def settle(self, reply: R | None = None, error: Exception | None = None) -> None:
        self.reply, self.error = reply, error
        if self._done is not None:
            self._done.set()

    async def answer(self) -> R:
        assert self._done is not None  # noqa: S101 - only asked letters are awaited
        await self._done.wait()
        if self.error is not None:
            raise self.error
        return self.reply  # type: ignore[return-value]  # settled without an error: it is an R


class ActorRef(Generic[M, R]):
    """The address of a running actor, and all that others may do with it."""

    def __init__(
        self, name: str, overflow: Overflow, capacity: int, on_crash: Callable[[str, Exception], None]
    ) -> None:
        if capacity < 1 or (overflow is Overflow.LATEST and capacity != 1):
            raise ValueError(f"{name}: a {overflow.value} mailbox cannot hold {capacity} messages")
        self.name = name
        self.overflow = overflow
        self.stopped = anyio.Event()
        self._on_crash = on_crash
        self._statistics = Statistics()
        streams = anyio.create_memory_object_stream["_Letter[M, R]"](capacity)
        self._send: MemoryObjectSendStream[_Letter[M, R]] = streams[0]
        self._receive: MemoryObjectReceiveStream[_Letter[M, R]] = streams[1]

    async def tell(self, message: M) -> None:
        """Leave a message; wait for room in a bounded mailbox.

        Raises:
            ActorStopped: it was closed or has failed for good.

        """
        await self._post(_Letter(message, asked=False))

    def offer(self, message: M) -> bool:
        """Leave a message without waiting; return whether it was accepted. Latest-wins accepts until closed."""
        try:
            self._post_nowait(_Letter(message, asked=False))
        except (anyio.WouldBlock, ActorStopped):
            return False
        return True

    async def ask(self, message: M, *, deadline_s: float) -> R:
        """Leave a message and return the answer.

        Raises:
            Refused: the actor declined it.
            DeadlineExceeded: no answer within `deadline_s` seconds; a message not yet begun is then skipped.
            ActorCrashed: it hit a bug.
            ActorStopped: it was closed or has failed for good.

        """
        letter: _Letter[M, R] = _Letter(message, asked=True)
        try:
            with anyio.fail_after(deadline_s):
                await self._post(letter)
                return await letter.answer()
        except TimeoutError as exc:
            raise DeadlineExceeded(self.name, deadline_s) from exc
        finally:
            letter.abandoned = True

    def close(self) -> None:
        """Take no more messages; handle those accepted, then stop. Await `stopped` to see it through."""
        self._send.close()

    def statistics(self) -> Statistics:
        """Return the counts so far."""
        self._statistics.waiting = self._receive.statistics().current_buffer_used
        return self._statistics

    async def _post(self, letter: "_Letter[M, R]") -> None:
        try:
            if self.overflow is Overflow.LATEST:
                self._post_nowait(letter)
            else:
                await self._send.send(letter)
                self._statistics.accepted += 1
        except (anyio.ClosedResourceError, anyio.BrokenResourceError) as exc:
            raise ActorStopped(self.name) from exc

    def _post_nowait(self, letter: "_Letter[M, R]") -> None:
        try:
            try:
                self._send.send_nowait(letter)
            except anyio.WouldBlock:
                if self.overflow is Overflow.WAIT:
                    raise
                self._receive.receive_nowait().settle(error=Superseded(self.name))
                self._statistics.replaced += 1
                self._send.send_nowait(letter)
        except (anyio.ClosedResourceError, anyio.BrokenResourceError) as exc:
            raise ActorStopped(self.name) from exc
        self._statistics.accepted += 1

    async def serve(self, factory: "Callable[[], Actor[M, R]]", limit: RestartLimit) -> None:
        """Run the actor until it is drained or has crashed too often; `spawn` calls this."""
        crashes: deque[float] = deque()
        try:
            while await self._incarnation(factory):
                crashes.append(monotonic())
                while crashes[0] < crashes[-1] - limit.window_s:
                    crashes.popleft()
                if len(crashes) > limit.restarts:
                    raise ActorStopped(f"{self.name}, after {len(crashes)} crashes in {limit.window_s:g} s,")
        finally:
            self._send.close()
            while self._receive.statistics().current_buffer_used:
                self._receive.receive_nowait().settle(error=ActorStopped(self.name))
            self._receive.close()
            self.stopped.set()

    async def _incarnation(self, factory: "Callable[[], Actor[M, R]]") -> bool:
        """Run one actor until its mailbox is drained (False) or it crashes (True)."""
        async with factory() as actor:
            async for letter in self._receive:
                if letter.abandoned:
                    self._statistics.abandoned += 1
                elif not await self._deliver(actor.handle, letter):
                    return True
        return False

    async def _deliver(self, handle: Callable[[M], Awaitable[R]], letter: "_Letter[M, R]") -> bool:
        self._statistics.busy = True
        try:
            letter.settle(await handle(letter.message))
        except Refused as refusal:
            self._statistics.refused += 1
            letter.settle(error=refusal)
        except Exception as bug:
            self._statistics.crashed += 1
            letter.settle(error=ActorCrashed(self.name, bug))
            self._on_crash(self.name, bug)
            return False
        except BaseException:
            letter.settle(error=ActorStopped(self.name))
            raise
        finally:
            self._statistics.busy = False
        self._statistics.handled += 1
        return True


def spawn(
    tasks: TaskGroup,
    factory: Callable[[], Actor[M, R]],
    *,
    name: str,
    overflow: Overflow = Overflow.WAIT,
    capacity: int = 1,
    limit: RestartLimit = RestartLimit(),
    on_crash: Callable[[str, Exception], None],
) -> ActorRef[M, R]:
    """Start a supervised actor in `tasks` and return its address.

    `factory` builds it, and builds it anew after each crash; `on_crash` is told of every one.

    Raises (into the task group):
        ActorStopped: there were more crashes than `limit` allows.
    """
    ref: ActorRef[M, R] = ActorRef(name, overflow, capacity, on_crash)
    tasks.start_soon(ref.serve, factory, limit, name=name)
    return ref
