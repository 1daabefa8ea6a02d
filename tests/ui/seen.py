"""The interface before a real daemon, driven by Textual's pilot, and what is to be seen on it."""

import html
import re
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from time import monotonic
from typing import TypeVar

from textual.pilot import Pilot

from memoryd_cli.ui.app import MemorydUi
from memoryd_cli.ui.backend import Backend
from memoryd_cli.ui.page import Rows
from running import PROJECT, RunningDaemon

T = TypeVar("T")
SMALL, WIDE = (80, 24), (150, 40)
PATIENCE_S = 25.0


class Seen:
    """An interface that is open."""

    def __init__(self, pilot: Pilot[None], app: MemorydUi) -> None:
        self.pilot = pilot
        self.app = app

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)

    async def until(self, condition: Callable[[], T | None], what: str) -> T:
        """Wait until something is so."""
        deadline = monotonic() + PATIENCE_S
        while monotonic() < deadline:
            await self.pilot.pause(0.02)
            if found := condition():
                return found
        raise AssertionError(f"waited for {what}; to be seen is\n{self.text()}")

    async def sees(self, *texts: str) -> None:
        """Wait until all these texts are on the screen."""
        await self.until(lambda: self._has(texts) == len(texts), f"{texts}")

    async def misses(self, *texts: str) -> None:
        """Wait until none of these texts is on the screen."""
        await self.until(lambda: self._has(texts) == 0, f"{texts} to go")

    def _has(self, texts: Sequence[str]) -> int:
        seen = self.text()
        return sum(text in seen for text in texts)

    def picture(self) -> str:
        return self.app.export_screenshot()

    def text(self) -> str:
        """Return what is to be seen, in one line."""
        cells = re.findall(r"<text[^>]*>([^<]*)</text>", self.picture())
        return " ".join(html.unescape("".join(cells)).replace("\xa0", " ").split())

    @property
    def rows(self) -> Rows:
        return self.app.screen.query_one(Rows)


@asynccontextmanager
async def opened(daemon: RunningDaemon, *, size: tuple[int, int] = WIDE, bright: bool = False) -> AsyncGenerator[Seen]:
    """Open the interface for the owner of a view on the daemon."""
    app = MemorydUi(Backend(daemon.paths, project=PROJECT, owner=daemon.owner), bright=bright)
    async with app.run_test(size=size, notifications=True) as pilot:
        seen = Seen(pilot, app)
        await seen.until(lambda: app.backend.status, "the daemon's status")
        yield seen
