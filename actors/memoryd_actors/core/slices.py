"""Long work on the event loop, a slice at a time: whoever waits for a short answer comes in between.

A decision reads and compares texts for tens of milliseconds, and a hundred sessions decide ten times a second. With
plain checkpoints each of ten decisions under way works once before the loop looks at its sockets again; here one of
them does.
"""

import asyncio
from collections import deque
from time import perf_counter
from typing import Final
from weakref import WeakKeyDictionary

SLICE_S: Final = 0.002
"""For how long one piece of work goes on before others have their turn."""


class Slices:
    """Lets pieces of work take turns, in the order in which they paused: in each round of the loop one goes on."""

    def __init__(self) -> None:
        self._waiting = WeakKeyDictionary[asyncio.AbstractEventLoop, deque[asyncio.Future[None]]]()
        """By event loop: a process may have several, one of which goes on after another has ended."""
        self._until = 0.0

    async def pause(self) -> None:
        """Let others work, unless the slice that was begun last is not over yet."""
        if perf_counter() < self._until:
            return
        loop = asyncio.get_running_loop()
        waiting = self._waiting.setdefault(loop, deque())
        turn = loop.create_future()
        if not waiting:
            loop.call_soon(_wake, loop, waiting)
        waiting.append(turn)
        await turn
        self._until = perf_counter() + SLICE_S


def _wake(loop: asyncio.AbstractEventLoop, waiting: deque[asyncio.Future[None]]) -> None:
    while waiting:
        turn = waiting.popleft()
        if not turn.done():  # done: cancelled meanwhile
            turn.set_result(None)
            break
    if waiting:
        loop.call_soon(_wake, loop, waiting)


SLICES: Final = Slices()
"""Of this process."""
