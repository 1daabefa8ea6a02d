"""A home with one mirrored folder, in this process: what a test does to either side, and what is so afterwards."""

import shutil
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import anyio

from memoryd.assembly.memory import MemoryServices
from memoryd.config import Config
from memoryd.mirror.folder import MirrorFolder
from memoryd.mirror.mirror import Mirror
from memoryd.mirror.state import MirrorSettings, MirrorStates
from memoryd.publisher import EventBus
from memoryd_actors.keeping.orders import Perform, PurgeMemories
from memoryd_actors.memory.steps import RevertOperation, Step
from memoryd_actors.memory.visibility import Visibility
from memoryd_actors.mirroring.document import MemoryNote, NoteUnreadable, parse
from memoryd_actors.mirroring.taking import FileTaker
from memoryd_client import Memory
from memoryd_client.base.paths import Paths
from memoryd_client.wire.filters import Filters

PROJECT = "/projects/shop"
OWNER = "local"
EVERY_STATE = ("active", "forgotten", "superseded", "archived", "proposed")


class MirroredHome:
    """The real ledger, gate and keeper, and a mirror that moves when a test says so."""

    def __init__(self, home: Path, folder: Path, memory: MemoryServices) -> None:
        self.folder = folder
        self.memory = memory
        self.states = MirrorStates(home / "mirrors.db")
        self._home = home
        self._mark = MirrorFolder(folder).put_mark()
        self.mirror = self._mirror(self.settings())

    def use(self, folder: Path) -> None:
        """Mirror another folder from now on."""
        self.folder, self._mark = folder, MirrorFolder(folder).put_mark()
        self.mirror = self._mirror(self.settings())

    def settings(self) -> MirrorSettings:
        return MirrorSettings(folder=str(self.folder), mark=self._mark, owner=OWNER, project=PROJECT, since="")

    def _mirror(self, settings: MirrorSettings) -> Mirror:
        taker = FileTaker(
            keeper=self.memory.keeper, gate=self.memory.gate, switches=self.memory.switches, clock=self.memory.clock
        )
        return Mirror(settings, states=self.states, ledger=self.memory.ledger, taker=taker, grace_s=0.0)

    async def restart(self) -> None:
        """Begin again with what was saved."""
        saved = {one.folder: one for one in await self.states.mirrors()}
        self.mirror = self._mirror(saved.get(str(self.folder), self.settings()))

    def remember_state(self) -> None:
        shutil.copy(self._home / "mirrors.db", self._home / "before.db")

    async def lose_state(self) -> None:
        """Have nothing of what was saved since: as after a crash between the files and the note of them."""
        if (self._home / "before.db").exists():
            shutil.copy(self._home / "before.db", self._home / "mirrors.db")
        await self.restart()

    async def sync(self) -> None:
        self.mirror.files_changed()
        for _ in range(20):
            wait_s = await self.mirror.sync()
            if wait_s >= 2:
                return
            await anyio.sleep(wait_s)
        raise AssertionError("it never comes to rest")

    async def perform(self, *steps: Step, actor: str = "test") -> None:
        await self.memory.keeper.ask(Perform(OWNER, steps, actor), deadline_s=10)

    async def purge(self, memory_id: str) -> None:
        await self.memory.keeper.ask(PurgeMemories((memory_id,), OWNER, "test"), deadline_s=10)

    async def undo(self) -> None:
        newest = await self.memory.ledger.memories.history(OWNER, limit=1)
        if newest:
            await self.perform(RevertOperation(newest[0].operation))

    async def memories(self, *states: str) -> dict[str, Memory]:
        visible = Visibility(OWNER, PROJECT, Filters(states=states or ("active",)))
        return {one.id: one for one in await self.memory.ledger.memories.page(visible, limit=1_000)}

    async def told(self) -> str:
        """Return all that the ledger still has of any text."""
        history = await self.memory.ledger.memories.history(OWNER, limit=10_000)
        there = await self.memories(*EVERY_STATE)
        return "\n".join(
            [*(entry.old + "\n" + entry.new for entry in history), *(one.content for one in there.values())]
        )

    def files(self) -> dict[str, bytes]:
        there = (path for path in sorted(self.folder.rglob("*.md")) if path.name != "index.md")
        return {str(path.relative_to(self.folder)): path.read_bytes() for path in there}

    def notes(self) -> dict[str, MemoryNote]:
        """Return what the files say, those of conflicts and those that cannot be read excepted."""
        found: dict[str, MemoryNote] = {}
        for path, file in self.files().items():
            with suppress(NoteUnreadable):
                if ".conflict-" not in path:
                    found[path] = parse(file)
        return found


@asynccontextmanager
async def mirrored_home(place: Path, folder: Path | None = None) -> AsyncGenerator[MirroredHome]:
    """Open a home below `place`."""
    home = place / "home"
    home.mkdir(parents=True)
    paths = Paths.from_environment({"MEMORYD_HOME": str(home)})
    memory = MemoryServices(Config(), paths, EventBus())
    await memory.ledger.open()
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(memory.keeper.run)
            yield MirroredHome(home, folder or place / "folder", memory)
            tasks.cancel_scope.cancel()
    finally:
        await memory.ledger.close()
