# ruff: noqa: ASYNC240 - these tests break a file on purpose
"""The Curator's part of the ledger's life, with the real ledger; recall stands still, and mostly the index."""

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import anyio
import msgspec
import numpy as np
import pytest

from memoryd.config import EmbeddingConfig, IndexConfig
from memoryd.embedding import build_embedder
from memoryd.embedding.service import EmbeddingService
from memoryd.index import LanceIndex
from memoryd.ledger import Retention, SqlLedger
from memoryd_actors.access.categories import Categories
from memoryd_actors.indexing.indexer import Indexer
from memoryd_actors.judging.local_judge import LocalJudge
from memoryd_actors.memory.settings import RecallSettings
from memoryd_actors.memory.steps import RELATED, AddEdge, RemoveEdge
from memoryd_actors.ports.index import IndexRow
from memoryd_actors.recall.memory_actor import MemoryActor
from memoryd_actors.recall.pipeline import Pipeline
from memoryd_actors.recall.standing_memory import StandingMemory
from memoryd_actors.searching.search import Searcher
from memoryd_actors.upkeep import curator
from memoryd_actors.upkeep.curator import Curator, Schedule
from memoryd_client.wire.events import Event, Warned

from .samples import HandClock, insert, memory

_DAY_S = 86400.0


class Upkeep:
    """A Curator, what it did, and a clock that a test sets."""

    def __init__(
        self,
        ledger: SqlLedger,
        clock: HandClock,
        home: Path,
        *,
        embedder: EmbeddingService | None = None,
        optimise_rows: int = 100,
    ) -> None:
        self._ledger = ledger
        self.warned: list[Warned] = []
        self.looked = anyio.Event()
        self.settled = anyio.Event()
        self.backed_up = 0
        embedder = embedder or build_embedder(EmbeddingConfig(), models=home / "models", offline=True)
        self.index = index = LanceIndex(home / "index", IndexConfig())
        self.indexer = indexer = Indexer(ledger, index, embedder, self.publish)
        settings = RecallSettings()
        searcher = Searcher(embedder, index, indexer, ledger.memories, settings)
        standing = StandingMemory(
            ledger.memories, Categories(), nearness=searcher.nearness, sequence=lambda: 0, tokens=0, shared=False
        )
        pipeline = Pipeline(
            embedder=embedder,
            searcher=searcher,
            indexer=indexer,
            judge=LocalJudge(),
            clock=clock,
            settings=settings,
        )
        self.curator = Curator(
            index=index,
            indexer=indexer,
            recall=MemoryActor(pipeline, ledger, clock, self.publish, settings, standing=standing),
            ledger=ledger,
            embedding_model=lambda: "new",
            backups=self.backups,
            back_up=self.back_up,
            clock=clock,
            publish=self.publish,
            expire=self.expire,
            schedule=Schedule(
                optimise_s=_DAY_S, optimise_rows=optimise_rows, backup_s=_DAY_S, traces_days=30, sessions_days=180
            ),
        )

    async def backups(self) -> Mapping[Path, datetime]:
        found = await self._ledger.backups.dated()
        self.looked.set()
        return found

    async def expire(self) -> int:
        return 0

    async def back_up(self) -> str:
        self.backed_up += 1
        made = str(await self._ledger.backups.copy_dated(Retention()))
        self.settled.set()
        return made

    def publish(self, event: Event, /) -> None:
        if isinstance(event, Warned):
            self.warned.append(event)
            self.settled.set()


@asynccontextmanager
async def running(ledger: SqlLedger, clock: HandClock, home: Path) -> AsyncGenerator[Upkeep]:
    upkeep = Upkeep(ledger, clock, home)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(upkeep.curator.run)
        with anyio.fail_after(30):
            await upkeep.looked.wait()
            await anyio.wait_all_tasks_blocked()
            yield upkeep
        tasks.cancel_scope.cancel()


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


async def test_restarts_make_no_backup_while_the_newest_is_young(
    file_ledger: SqlLedger, clock: HandClock, tmp_path: Path
) -> None:
    async with running(file_ledger, clock, tmp_path) as empty:
        assert empty.backed_up == 0
    await insert(file_ledger, [memory("tea")], actor="a")
    async with running(file_ledger, clock, tmp_path) as first:
        await first.settled.wait()
    (made,) = await file_ledger.backups.dated()
    # Turned back as well: half a day, which is not a day's worth of backups.
    for hours in (1, 20, -13):
        clock.at += timedelta(hours=hours)
        async with running(file_ledger, clock, tmp_path) as again:
            assert again.backed_up == 0
            assert again.curator.last_backup == str(made)
    clock.at += timedelta(hours=17)
    async with running(file_ledger, clock, tmp_path) as due:
        await due.settled.wait()
    assert due.backed_up == 1


async def test_a_backup_that_fails_its_check_is_a_warning_and_the_sound_one_stays(
    file_ledger: SqlLedger, file: Path, clock: HandClock, tmp_path: Path
) -> None:
    await insert(file_ledger, [memory(f"number {number} " + "x" * 500) for number in range(3000)], actor="a")
    sound = await file_ledger.backups.copy_dated(Retention())
    clock.at += timedelta(days=2)
    await file_ledger.memories.set_embedding_model("new")
    # Closed in between, so that everything is in the file and nothing in its log.
    await file_ledger.close()
    await file_ledger.open()
    # One page of contents: what the daemon reads at its start is sound.
    page = file.read_bytes().index(b"number 1500 ") // 4096
    with file.open("r+b") as stream:
        stream.seek(page * 4096)
        stream.write(b"\xa5" * 4096)
    async with running(file_ledger, clock, tmp_path) as upkeep:
        while not upkeep.backed_up or not any(str(sound) in warned.hint for warned in upkeep.warned):
            upkeep.settled = anyio.Event()
            await upkeep.settled.wait()
    assert list(await file_ledger.backups.dated()) == [sound]
    assert upkeep.curator.last_backup == str(sound)


async def test_the_start_says_of_every_memory_which_model_embeds_it_and_prunes(
    file_ledger: SqlLedger, clock: HandClock, tmp_path: Path
) -> None:
    (one, twin), _ = await insert(file_ledger, [memory("tea"), memory("tea")], actor="a")
    assert one.id == twin.id
    await file_ledger.sessions.save("local", "long ago", b"state", clock.at - timedelta(days=200))
    await file_ledger.sessions.save("local", "lately", b"state", clock.at - timedelta(days=100))
    async with running(file_ledger, clock, tmp_path):
        while await file_ledger.sessions.load("local", "long ago") is not None:
            await anyio.wait_all_tasks_blocked()
        assert (await file_ledger.sessions.load("local", "lately")) is not None
        found = await file_ledger.memories.get("local", [one.id])
    assert found[one.id].embedding_model == "new"


async def test_what_says_it_is_old_but_was_brought_in_lately_is_not_unused(ledger: SqlLedger) -> None:
    old = datetime(2025, 1, 1, tzinfo=UTC)
    note = msgspec.structs.replace(memory("An old note."), created_at=old, updated_at=old)
    await insert(ledger, [note], actor="import")
    assert await ledger.memories.unused("local", since=old + timedelta(days=60), after=0, limit=10) == []
    ((_, found),) = await ledger.memories.unused("local", since=datetime(2027, 1, 1, tzinfo=UTC), after=0, limit=10)
    assert found.id == note.id


async def test_what_was_only_compared_with_others_is_unused(tmp_path: Path, clock: HandClock) -> None:
    ledger = SqlLedger(tmp_path / "compared.db", clock=clock)
    await ledger.open()
    (one, other), _ = await insert(ledger, [memory("Ana drinks tea."), memory("Tea is hot.")], actor="a")
    since = max(clock.at, one.updated_at, other.updated_at) + timedelta(days=50)
    clock.at = since + timedelta(days=50)
    await ledger.memories.apply("local", [AddEdge(one.id, other.id, RELATED, 0.9)], actor="a")
    await ledger.memories.apply("local", [RemoveEdge(one.id, other.id, RELATED)], actor="a")
    assert [found for _, found in await ledger.memories.unused("local", since=since, after=0, limit=10)] == [one, other]
    await ledger.close()


async def test_a_large_index_waits_for_more_changes_whatever_the_setting_says(
    file_ledger: SqlLedger,
    clock: HandClock,
    tmp_path: Path,
    loaded: Callable[[], AbstractAsyncContextManager[EmbeddingService]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(curator, "ROWS_A_CHANGE", 10)
    async with loaded() as embedder, anyio.create_task_group() as tasks:
        upkeep = Upkeep(file_ledger, clock, tmp_path, embedder=embedder, optimise_rows=1)
        await upkeep.index.open(model=embedder.identity, dimensions=embedder.dimensions)
        await upkeep.index.apply([_row(number, embedder.dimensions) for number in range(250)], removed=[], sequence=0)
        waited_for: list[int] = []
        wait = upkeep.indexer.wait_unoptimised

        async def noted(changes: int) -> None:
            waited_for.append(changes)
            await wait(changes)

        monkeypatch.setattr(upkeep.indexer, "wait_unoptimised", noted)
        tasks.start_soon(upkeep.indexer.run)
        tasks.start_soon(upkeep.curator.run)
        # A commit counts as ten changes. At the first it is not known yet how large the index is; then 25 are waited
        # for.
        looked_after: list[int] = []
        for number in range(1, 8):
            _, sequence = await insert(file_ledger, [memory(f"memory {number}")], actor="a")
            upkeep.indexer.kick(sequence)
            with anyio.fail_after(60):
                assert await upkeep.indexer.wait_for(sequence, deadline_s=60)
                await anyio.wait_all_tasks_blocked()
                before = looked_after[-1] if looked_after else 0
                while not upkeep.indexer.unoptimised and upkeep.curator.optimised == before:  # noqa: ASYNC110
                    await anyio.sleep(0.01)  # it is being looked after in a thread
            looked_after.append(upkeep.curator.optimised)
        assert looked_after == [1, 1, 1, 2, 2, 2, 3]
        with anyio.fail_after(60):
            while len(waited_for) < 4:  # noqa: ASYNC110
                await anyio.sleep(0.01)  # what it was looked after with comes to an end first
        assert waited_for == [1, 25, 25, 25]
        tasks.cancel_scope.cancel()


def _row(number: int, dimensions: int) -> IndexRow:
    return IndexRow(
        id=f"row {number}",
        vector=np.eye(1, dimensions, number, dtype=np.float32)[0],
        text="words",
        owner="other",
        scope="global",
        project="",
        category="fact",
        state="active",
        session="",
        tags=(),
        pinned=False,
        sequence=0,
    )
