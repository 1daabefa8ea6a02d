"""The memory actor in this process: real ledger, index and model, and a judge that a test can hold, break and slow."""

from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import anyio

from memoryd.config import EmbeddingConfig, IndexConfig
from memoryd.embedding import EmbeddingService, build_embedder
from memoryd.embedding.model import EmbeddingModel
from memoryd.index import LanceIndex
from memoryd.ledger import SqlLedger
from memoryd_actors.access.categories import Categories
from memoryd_actors.access.view import MemoryView
from memoryd_actors.admission.project_rules import IgnoredFiles
from memoryd_actors.ageing.ageing import Ageing
from memoryd_actors.consolidating.comparer import Comparer
from memoryd_actors.core.actor import ActorRef
from memoryd_actors.core.errors import ModelUnavailable, Unavailable
from memoryd_actors.indexing.indexer import Indexer
from memoryd_actors.judging.judge import Judgement
from memoryd_actors.judging.local_judge import LocalJudge
from memoryd_actors.keeping.gatekeeper import Gatekeeper
from memoryd_actors.keeping.keeper import Keeper
from memoryd_actors.keeping.neighbours import Neighbours
from memoryd_actors.keeping.orders import KeeperMessage, Store
from memoryd_actors.memory.case import Case
from memoryd_actors.memory.decay import LifecycleSettings
from memoryd_actors.memory.settings import RecallSettings
from memoryd_actors.recall.memory_actor import MemoryActor
from memoryd_actors.recall.pipeline import Pipeline
from memoryd_actors.recall.standing_memory import StandingMemory
from memoryd_actors.searching.related import Relatives
from memoryd_actors.searching.search import Searcher
from memoryd_client import Memory, Message, NewMemory, Scope, Source, Trace
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.context import ContextUpdate
from memoryd_client.wire.events import Event, IndexProgress, PipelineRan, Warned


class TestClock:
    """Tells the time that a test sets."""

    __test__ = False

    def __init__(self) -> None:
        self.at = datetime(2026, 3, 1, 12, tzinfo=UTC)
        self.ran_s = 0.0

    def now(self) -> datetime:
        return self.at

    def monotonic(self) -> float:
        return self.ran_s

    def turn_back(self, **by: float) -> None:
        self.at -= timedelta(**by)

    def pass_by(self, **by: float) -> None:
        self.at += timedelta(**by)


class TestJudge:
    """The local judge, behind a door: contexts that say `hold` wait at it, those that say `crash` break it."""

    __test__ = False
    name = "local"

    def __init__(self) -> None:
        self._local = LocalJudge()
        self.door = anyio.Event()
        self.knocked = anyio.Event()

    async def judge(self, case: Case) -> Judgement:
        if "crash" in case.focus:
            raise RuntimeError("the judge has a bug")
        if "hold" in case.focus:
            self.knocked.set()
            await self.door.wait()
        return await self._local.judge(case)


class System:
    """The parts, and what a test does with them."""

    def __init__(
        self,
        ledger: SqlLedger,
        index: LanceIndex,
        embedder: EmbeddingService,
        clock: TestClock,
        categories: Categories | None = None,
        *,
        files: IgnoredFiles | None = None,
    ) -> None:
        settings = RecallSettings()
        self.clock = clock
        self.ledger = ledger
        self.index = index
        self.embedder = embedder
        self.judge = TestJudge()
        self.events: list[Event] = []
        self.crashes: list[Exception] = []
        self._news = anyio.Event()
        self.ledger = ledger
        self.indexer = Indexer(ledger, index, embedder, self.publish)
        self.searcher = Searcher(embedder, index, self.indexer, ledger.memories, settings, categories=categories)
        known = categories or Categories()
        standing = StandingMemory(
            ledger.memories,
            known,
            nearness=self.searcher.nearness,
            sequence=lambda: self.indexer.target,
            tokens=settings.standing_tokens,
            shared=False,
        )
        pipeline = Pipeline(
            embedder=embedder,
            searcher=self.searcher,
            indexer=self.indexer,
            judge=self.judge,
            clock=clock,
            settings=settings,
            categories=categories,
            relatives=Relatives(ledger.memories),
            files=files,
            standing=standing,
        )
        self.recall = MemoryActor(
            pipeline,
            ledger,
            clock,
            self.publish,
            settings,
            standing=standing,
            categories=categories,
            sequence=lambda: self.indexer.target,
        )
        self.gate = Gatekeeper(
            clock=clock, embedding_model=lambda: embedder.identity, categories=categories, files=files
        )
        self.neighbours = neighbours = Neighbours(embedder, index, self.indexer, ledger.memories)
        self.keeper: ActorRef[KeeperMessage, tuple[Memory, ...]] = ActorRef(
            "keeper",
            lambda: Keeper(
                ledger=ledger,
                gate=self.gate,
                view=MemoryView(ledger.memories, categories or Categories()),
                neighbours=neighbours,
                clock=clock,
                publish=self.publish,
                on_change=self.indexer.kick,
                recall=self.recall,
            ),
            on_crash=lambda _, bug: self.crashes.append(bug),
            capacity=8,
        )

        self.comparer = Comparer(
            ledger=ledger.memories, index=index, indexer=self.indexer, neighbours=neighbours, keeper=self.keeper
        )
        self.ageing = Ageing(
            ledger=ledger,
            indexer=self.indexer,
            keeper=self.keeper,
            clock=clock,
            settings=LifecycleSettings(),
        )

    def publish(self, event: Event, /) -> None:
        self.events.append(event)
        self._news.set()

    async def remember(
        self,
        content: str,
        session: str = "earlier",
        category: str = "fact",
        title: str = "",
        source: Source = Source.AGENT,
    ) -> str:
        """Store a global memory and wait until it can be found."""
        new = NewMemory(content=content, scope=Scope.GLOBAL, category=category, title=title, source=source)
        (stored,) = await self.keeper.ask(Store((new,), Caller(session=session)), deadline_s=10)
        assert await self.indexer.wait_for(self.indexer.target, deadline_s=30)
        return stored.id

    async def import_(self, *contents: str) -> list[str]:
        """Store global memories in one go, which compares them with nothing; wait until they can be found."""
        new = tuple(NewMemory(content=content, scope=Scope.GLOBAL) for content in contents)
        stored = await self.keeper.ask(Store(new, Caller(session="earlier")), deadline_s=10)
        assert await self.indexer.wait_for(self.indexer.target, deadline_s=30)
        return [memory.id for memory in stored]

    def push(
        self, session: str, said: str, *, sent_at: float = 0.0, client: str = "", sequence: int = 0, project: str = ""
    ) -> bool:
        update = ContextUpdate(
            caller=Caller(session=session, project=project),
            messages=(Message("user", said),),
            sent_at=sent_at,
            client=client,
            sequence=sequence,
        )
        return self.recall.offer(update)

    async def decided(self, session: str, said: str) -> Trace:
        """Wait for the trace of a context."""
        with anyio.fail_after(30):
            while True:
                self._news = anyio.Event()
                for event in self.events:
                    if isinstance(event, PipelineRan) and event.trace.session == session and event.trace.focus == said:
                        return event.trace
                await self._news.wait()

    async def warned(self, component: str) -> Warned:
        """Wait for a warning."""
        with anyio.fail_after(30):
            while True:
                self._news = anyio.Event()
                for event in self.events:
                    if isinstance(event, Warned) and event.component == component:
                        return event
                await self._news.wait()

    async def caught_up(self) -> None:
        """Wait for the news that the index is where the ledger is."""
        with anyio.fail_after(30):
            while True:
                self._news = anyio.Event()
                if any(isinstance(event, IndexProgress) and event.applied == event.target for event in self.events):
                    return
                await self._news.wait()

    async def taken(self, session: str, take_id: str = "t") -> list[str]:
        """Take, and return the ids."""
        answer = await self.recall.take(Caller(session=session), take_id)
        return [memory.id for memory in answer.pending.memories] if answer.pending else []


@dataclass(frozen=True)
class Place:
    """A home, and the weights."""

    home: Path
    models: Path
    index: type[LanceIndex] = LanceIndex
    categories: Categories | None = None
    files: IgnoredFiles | None = None
    load: Callable[[], EmbeddingModel] | None = None
    """Loads the model, in its thread, when it is first needed; None has it ready before anything else."""


@asynccontextmanager
async def running(place: Place) -> AsyncGenerator[System]:
    """A system that serves; stops when left."""
    clock = TestClock()
    ledger = SqlLedger(place.home / "ledger.db", backups=place.home / "backups", clock=clock)
    index = place.index(place.home / "index", IndexConfig())
    async with AsyncExitStack() as stack:
        await ledger.open()
        stack.push_async_callback(ledger.close)
        stack.push_async_callback(index.close)
        embedder = build_embedder(EmbeddingConfig(), models=place.models, offline=True)
        if place.load is not None:
            embedder = EmbeddingService(place.load, identity=embedder.identity, dimensions=embedder.dimensions)
        await stack.enter_async_context(embedder)
        with suppress(ModelUnavailable):
            if place.load is None:
                await embedder.warm()  # or on a busy machine the first write does not wait for its neighbours
        system = System(ledger, index, embedder, clock, place.categories, files=place.files)
        async with anyio.create_task_group() as tasks:
            system.recall.start(tasks)
            tasks.start_soon(system.keeper.run)
            tasks.start_soon(system.indexer.run)
            with suppress(Unavailable):
                await system.indexer.wait_open(deadline_s=60)
            yield system
            tasks.cancel_scope.cancel()
