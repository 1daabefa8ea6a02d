"""The actor core: a typed mailbox, a supervisor, and the promises between them.

`Refused` is an answer; anything else a bug: the asker is told, and the actor rebuilt without the poisonous message.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Generic, Self, TypeVar, cast

import anyio
import msgspec

from memoryd_actors.core.errors import ActorCrashed, ActorStopped, ActorTimeout, Refused, Superseded

M = TypeVar("M")
R = TypeVar("R")


class Actor(ABC, Generic[M, R]):
    """Owns some state and handles one message at a time. Entering acquires what it needs, leaving releases it."""

    @abstractmethod
    async def handle(self, message: M) -> R:
        """Do what the message asks; raise `Refused` to decline it."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        return None


class MailboxStatistics(msgspec.Struct):
    """Counts since the start. accepted (got in) = handled + refused + crashed + replaced + abandoned + waiting."""

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

    __slots__ = ("_done", "_error", "_reply", "abandoned", "message")

    def __init__(self, message: M) -> None:
        self.message = message
        self.abandoned = False
        self._reply: R | None = None
        self._error: Exception | None = None
        self._done = anyio.Event()

    def settle(self, reply: R | None = None, error: Exception | None = None) -> None:
        self._reply, self._error = reply, error
        self._done.set()

    async def answer(self) -> R:
        await self._done.wait()
        if self._error is not None:
            raise self._error
        return cast(R, self._reply)


class ActorRef(Generic[M, R]):
    """The address of an actor, and all that others may do with it. Start it with `tasks.start_soon(ref.run)`.

    The mailbox holds `capacity` messages and then lets senders wait (bounded); without a capacity it holds one, and a
    newer message replaces it (latest-wins). `factory` builds the actor, and builds it anew after each crash.
    """

    def __init__(
        self,
        name: str,
        factory: Callable[[], Actor[M, R]],
        *,
        on_crash: Callable[[str, Exception], None],
        capacity: int | None = None,
    ) -> None:
        self.name = name
        self.stopped = anyio.Event()
        self._factory, self._on_crash = factory, on_crash
        self._latest = capacity is None
        self._count = MailboxStatistics()
        self._send, self._receive = anyio.create_memory_object_stream["_Letter[M, R]"](capacity or 1)

    async def tell(self, message: M) -> None:
        """Leave a message; wait for room in a bounded mailbox. Raise ActorStopped once it is closed."""
        await self._post(_Letter(message))

    def offer(self, message: M) -> bool:
        """Leave a message without waiting; return whether it was accepted. Latest-wins accepts until closed."""
        try:
            self._post_nowait(_Letter(message))
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
        letter: _Letter[M, R] = _Letter(message)
        try:
            with anyio.fail_after(deadline_s):
                await self._post(letter)
                return await letter.answer()
        except TimeoutError as exc:
            raise ActorTimeout(self.name, deadline_s) from exc
        finally:
            letter.abandoned = True

    def close(self) -> None:
        """Take no more messages, handle those accepted, then stop. Await `stopped` to see it through."""
        self._send.close()

    def statistics(self) -> MailboxStatistics:
        """Return the counts so far."""
        box = self._receive.statistics()
        return msgspec.structs.replace(
            self._count, waiting=box.current_buffer_used, busy=box.tasks_waiting_receive == 0
        )

    async def _post(self, letter: "_Letter[M, R]") -> None:
        try:
            self._post_nowait(letter)
        except anyio.WouldBlock:
            try:
                await self._send.send(letter)
            except (anyio.ClosedResourceError, anyio.BrokenResourceError) as exc:
                raise ActorStopped(self.name) from exc
            self._count.accepted += 1

    def _post_nowait(self, letter: "_Letter[M, R]") -> None:
        try:
            if self._latest and self._receive.statistics().current_buffer_used:
                self._receive.receive_nowait().settle(error=Superseded(self.name))
                self._count.replaced += 1
            self._send.send_nowait(letter)
        except (anyio.ClosedResourceError, anyio.BrokenResourceError) as exc:
            raise ActorStopped(self.name) from exc
        self._count.accepted += 1

    async def run(self) -> None:
        """Serve the mailbox until it is drained, rebuilding the actor after each crash.

        However many there are: whoever sends bad messages must not end it for the others. What it raises when it is
        built is raised here, as no message has to do with that.
        """
        try:
            while await self._crashes():
                pass
        finally:
            self._send.close()
            while self._receive.statistics().current_buffer_used:
                self._receive.receive_nowait().settle(error=ActorStopped(self.name))
                self._count.abandoned += 1
            self._receive.close()
            # What it builds may be what holds it, as a session is: both go now, not with the next full collection.
            del self._factory
            self.stopped.set()

    async def _crashes(self) -> bool:
        """Run one incarnation; return whether it crashed (True) or was drained (False)."""
        async with self._factory() as actor:
            async for letter in self._receive:
                if letter.abandoned:
                    self._count.abandoned += 1
                    continue
                try:
                    letter.settle(await actor.handle(letter.message))
                    self._count.handled += 1
                except Refused as refusal:
                    letter.settle(error=refusal)
                    self._count.refused += 1
                except Exception as bug:  # the supervisor: whatever it is, the asker learns of it
                    letter.settle(error=ActorCrashed(self.name, bug))
                    self._count.crashed += 1
                    self._on_crash(self.name, bug)
                    return True
                except BaseException:
                    letter.settle(error=ActorStopped(self.name))
                    raise
        return False
