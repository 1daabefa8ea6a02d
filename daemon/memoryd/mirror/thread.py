"""Where what blocks is done for a folder: one thing at a time, beside the event loop."""

from collections.abc import Callable
from functools import partial
from typing import ParamSpec, TypeVar

from anyio import CapacityLimiter, to_thread

P = ParamSpec("P")
T = TypeVar("T")


class FolderThread:
    """A thread for one folder."""

    def __init__(self) -> None:
        self._limiter = CapacityLimiter(1)

    async def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Return what `work` returns."""
        return await to_thread.run_sync(partial(work, *args, **kwargs), limiter=self._limiter)
