"""What the screens know of the daemon: one client, its status, the turns as they happen, and what can be undone."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import TypeVar

import anyio
import msgspec

from memoryd_cli.ui.turns import TurnLog, Written
from memoryd_client.async_client import AsyncClient
from memoryd_client.base.errors import MemorydError
from memoryd_client.base.paths import Paths
from memoryd_client.base.remote import Remote
from memoryd_client.base.wording import sentence
from memoryd_client.wire.caller import PERSON
from memoryd_client.wire.events import Event, PipelineRan, Surfaced, Wrote
from memoryd_client.wire.status import Status
from memoryd_client.wire.traces import MOST_TRACES

T = TypeVar("T")
STATUS_EVERY_S = 2.0
RETRY_S = 1.0
BATCH_S = 0.15
"""Events that come together are shown together."""
MOST_LOOKED_UP = 20
"""Writes of one batch whose texts are asked for. An import writes thousands."""

WRITTEN_BEFORE = 200
"""The newest memories, which are shown with the turns that were before."""


class Undoable(msgspec.Struct, frozen=True):
    """Something that was done here and can be taken back."""

    operation: int
    what: str
    place: str = ""
    """The row on which it was done."""


class Backend:
    """Asks the daemon for the screens, and follows it: also through its restarts."""

    def __init__(self, place: Paths | Remote, *, project: str | None, owner: str) -> None:
        remote = place if isinstance(place, Remote) else None
        paths = place if isinstance(place, Paths) else None
        self.client = AsyncClient(project=project, agent=PERSON, owner=owner, paths=paths, remote=remote)
        self.turns = TurnLog()
        self.status: Status | None = None
        self.trouble = ""
        """Why nothing is known of the daemon, and what helps."""
        self.undoable: list[Undoable] = []
        self.step = anyio.Lock()
        """Held while something is changed or taken back: one after the other, in the order of the keys."""
        self.on_turns: list[Callable[[], None]] = []
        """Called when there is something new among the turns."""
        self.on_write: list[Callable[[], None]] = []
        """Called when memories were written."""
        self.on_status: list[Callable[[], None]] = []
        """Called when the status was asked for, or could not be."""
        self.on_back: list[Callable[[], None]] = []
        """Called when the daemon is there: at first, and after a restart."""
        self._heard: list[Event] = []
        self._more = anyio.Event()

    async def follow_status(self) -> None:
        """Ask how the daemon is, again and again."""
        while True:
            serving = self.status.pid if self.status else 0
            try:
                self.status = await self.client.status()
                self.trouble = ""
            except MemorydError as problem:
                self.status = None
                self.trouble = sentence(str(problem), problem.hint)
            if self.status and self.status.pid != serving:
                _call(self.on_back)
            _call(self.on_status)
            await anyio.sleep(STATUS_EVERY_S if self.status else RETRY_S)

    async def follow_events(self) -> None:
        """Hear what the daemon does. Where it is not there yet, wait for it."""
        while True:
            try:
                async for event in self.client.events():
                    self._heard.append(event)
                    self._more.set()
            except MemorydError:
                await anyio.sleep(RETRY_S)

    async def follow_turns(self) -> None:
        """Make turns of what is heard."""
        while True:
            await self._more.wait()
            await anyio.sleep(BATCH_S)
            heard, self._heard, self._more = self._heard, [], anyio.Event()
            try:
                await self._note(heard)
            except MemorydError:
                continue  # it went down meanwhile; what is known is shown
            finally:
                _call(self.on_turns)

    async def begin(self) -> None:
        """Fetch the turns that were before.

        Raises:
            MemorydError: the daemon cannot be asked.
        """
        await self._decided()
        self.turns.places(await self.client.sessions(limit=200))
        newest = await self.client.list(limit=WRITTEN_BEFORE, scope="everywhere", passages=False)
        self.turns.wrote_before(reversed(newest))
        _call(self.on_turns)

    async def changed(self, change: Awaitable[T], memory_id: str, what: str, place: str) -> T:
        """Do something to a memory, and keep by which operation it was done and on which row.

        Raises:
            MemorydError: it was refused.
        """
        done = await change
        newest = await self.client.history(memory_id, limit=1)
        if newest and newest[0].operation:
            self.undoable.append(Undoable(newest[0].operation, what, place))
        return done

    async def undo(self) -> Undoable | None:
        """Take back what was done last, and return it; None where there is nothing to take back.

        Raises:
            MemorydError: it was refused.
        """
        if not self.undoable:
            return None
        last = self.undoable[-1]
        await self.client.undo(last.operation)
        self.undoable.pop()
        return last

    async def _note(self, heard: list[Event]) -> None:
        at = datetime.now(UTC).isoformat()
        wrote: list[Wrote] = []
        if any(isinstance(event, PipelineRan) and not event.trace.session for event in heard):
            await self._decided()  # where agents have allowlists, events say that something was decided, and no more
        for event in heard:
            match event:
                case PipelineRan(trace):
                    if trace.session:
                        self.turns.decided(trace)
                case Surfaced():
                    self.turns.handed_over(event.session, event.turn, event.memories)
                case Wrote():
                    wrote.append(event)
                case _:
                    pass
        if wrote:
            _call(self.on_write)
        for one in wrote[-MOST_LOOKED_UP:]:
            self.turns.wrote(await self._written(one), at)
        if self.turns.unplaced():
            self.turns.places(await self.client.sessions(limit=200))

    async def _decided(self) -> None:
        for trace in reversed(await self.client.why(MOST_TRACES)):
            self.turns.decided(trace)

    async def _written(self, event: Wrote) -> Written:
        try:
            return Written.of(event.event, await self.client.get(event.memory_id))
        except MemorydError:
            return Written(event.event, event.memory_id, "what it said is gone")


def _call(listeners: list[Callable[[], None]]) -> None:
    for listener in listeners:
        listener()
