"""Follows the configuration's embedding model: its indexes are built beside those that serve, and take their place."""

import logging
import math
from collections.abc import Callable
from dataclasses import dataclass

import anyio
from anyio import to_thread
from anyio.abc import TaskGroup, TaskStatus
from msgspec.structs import replace

from memoryd.config import Config, ConfigInvalid, load
from memoryd.embedding.build import described, is_told, resolve
from memoryd.embedding.generations import Coming, Generation, Generations, memories_at, messages_at
from memoryd.embedding.model import ModelSpec
from memoryd.embedding.obtain import slug
from memoryd.embedding.service import EmbeddingService
from memoryd.embedding.serving import ServingEmbedder
from memoryd.index import LanceIndex, LanceMessages
from memoryd_actors.core.errors import DaemonError, Refused
from memoryd_actors.core.worker import Worker
from memoryd_actors.indexing.indexer import Indexer
from memoryd_actors.indexing.message_indexer import MessageIndexer
from memoryd_actors.indexing.successor import Successor
from memoryd_actors.ports.ledger import Ledger
from memoryd_actors.ports.publisher import Publisher
from memoryd_actors.ports.transcripts import Transcripts
from memoryd_client.base.paths import Paths
from memoryd_client.wire.events import Warned
from memoryd_client.wire.status import ComponentStatus

log = logging.getLogger(__name__)

RETRY_S = 60.0
FULL_DISK_S = 3.0
"""After this many seconds it is tried again where there was no space: room may come at any moment."""


@dataclass(eq=False, kw_only=True)
class ModelChange:
    """Changes the model when the configuration does; `run` it in a task group."""

    paths: Paths
    ledger: Ledger
    transcripts: Transcripts
    generations: Generations
    embedder: ServingEmbedder
    memories: LanceIndex
    messages: LanceMessages
    indexer: Indexer
    message_indexer: MessageIndexer
    build_embedder: Callable[[Config, ModelSpec], EmbeddingService]
    is_busy: Callable[[], bool]
    publish: Publisher

    def __post_init__(self) -> None:
        self._worker = Worker(self._work, complain=self._complain, retry_s=RETRY_S, full_disk_s=FULL_DISK_S)
        self._asked: Config | None = None
        """What was looked at last; None: it is to be looked at."""
        self._told = False
        """Whether somebody said that there is something to look at: files may have changed in their place."""
        self._problem: DaemonError | None = None
        self._tasks: TaskGroup

    async def run(self) -> None:
        """Follow until cancelled; the models stay as long."""
        async with anyio.create_task_group() as self._tasks:
            await self._worker.run()

    def look(self) -> str:
        """Look at the configuration anew; return what comes of it, in words.

        Raises:
            Refused: the configuration cannot be read.
        """
        config = self._configured().embedding
        self._asked, self._told, self._problem = None, True, None
        self._worker.kick()
        if described(config).identity == self.generations.active.spec.identity:
            return f"{config.model} serves already"
        return f"{config.model} is prepared; `memoryd model embed` shows how far it is"

    def status(self) -> ComponentStatus:
        """Return which model serves, which one can be gone back to, and how far a change is."""
        generations = self.generations
        numbers: dict[str, float] = {}
        facts = {"serving": generations.active.spec.identity}
        if generations.previous is not None:
            facts["previous"] = generations.previous.spec.identity
        if (coming := generations.coming) is not None:
            facts["building"] = coming.generation.spec.identity
            indexer = coming.successor.indexer
            target = max(indexer.target, self.indexer.target)
            numbers = {
                "applied": indexer.applied,
                "target": target,
                "messages_behind": coming.successor.messages.behind,
            }
        if (problem := self._problem) is not None:
            message = f"the embedding model is not changed: {problem}"
            return ComponentStatus(state="degraded", message=message, hint=problem.hint, numbers=numbers, facts=facts)
        return ComponentStatus(state="loading" if coming else "ok", numbers=numbers, facts=facts)

    async def _work(self) -> float:
        """Do what the configuration asks for."""
        config = self._configured()
        if config != self._asked:
            await self._begin(config, await self._wanted(config))
            self._asked = config
        await self.generations.tidy()
        self._problem = None
        if (coming := self.generations.coming) is not None:
            heads = self.message_indexer.heads
            if await coming.successor.build(heads, is_busy=self.is_busy, wanted=lambda: not self._worker.kicked):
                await self._switch(coming)
        return math.inf

    async def _wanted(self, config: Config) -> ModelSpec:
        """Return the model that the configuration asks for, which is read where it is another one, or told to be."""
        spec, active = described(config.embedding), self.generations.active.spec
        named = (spec.model, spec.folder, spec.precision, spec.backend)
        if not self._told and named == (active.model, active.folder, active.precision, active.backend):
            return active
        if is_told(spec) and spec.identity == active.identity:
            return spec
        offline = config.privacy.offline
        return await to_thread.run_sync(lambda: resolve(config.embedding, models=self.paths.models, offline=offline))

    async def _begin(self, config: Config, spec: ModelSpec) -> None:
        """Prepare another model; break off the one that is built and not asked for any more."""
        generations, coming = self.generations, self.generations.coming
        active, previous = generations.active, generations.previous
        if coming is not None and coming.generation.spec.identity == spec.identity:
            return
        generations.coming = None
        if coming is not None:
            await coming.successor.close()
        serves = spec.identity == active.spec.identity
        # What serves now serves on after a restart.
        await generations.note(replace(active, spec=spec) if serves else active, previous)
        if not serves:
            known = previous is not None and previous.spec.identity == spec.identity
            place = previous.place if previous and known else slug(spec.identity)
            generations.coming = await self._prepared(config, Generation(spec=spec, place=place))

    async def _prepared(self, config: Config, generation: Generation) -> Coming:
        embedder = self.build_embedder(config, generation.spec)
        await self._tasks.start(_keep, embedder)
        memories = LanceIndex(memories_at(self.paths, config.index, generation.place), config.index)
        messages = LanceMessages(messages_at(self.paths, config.index, generation.place), config.index)
        successor = Successor(
            self.ledger,
            self.transcripts,
            index=memories,
            messages=messages,
            embedder=embedder,
            publish=self.publish,
            turn=self.generations.turn,
        )
        return Coming(
            generation=generation, embedder=embedder, memories=memories, messages=messages, successor=successor
        )

    async def _switch(self, coming: Coming) -> None:
        """Put what was built in place while nothing moves, so that nothing that was written is missing in it."""
        successor, generations, memories, messages = coming.successor, self.generations, self.memories, self.messages
        async with self.indexer.replaced(successor.indexer), self.message_indexer.replaced(successor.messages):
            await successor.complete(self.message_indexer.heads)
            async with memories.held(), messages.held(), coming.memories.held(), coming.messages.held():
                await generations.note(coming.generation, previous=generations.active)
                memories.exchange(coming.memories)
                messages.exchange(coming.messages)
                self.embedder.current = coming.embedder
                generations.coming = None
        identity = coming.generation.spec.identity
        log.info("the index of %s serves", identity)
        await successor.close()
        await generations.tidy()
        await self.ledger.changes.set_embedding_model(identity)

    def _configured(self) -> Config:
        try:
            return load(self.paths.config)
        except ConfigInvalid as invalid:
            raise Refused(str(invalid), "Mend it; `memoryd config list` shows what there is.") from invalid

    def _complain(self, problem: DaemonError) -> None:
        if str(problem) != str(self._problem):
            log.warning("the embedding model is not changed: %s", problem)
            message = f"the embedding model is not changed: {problem}"
            self.publish(Warned(component="embedding", message=message, hint=problem.hint))
        self._problem = problem


async def _keep(embedder: EmbeddingService, *, task_status: TaskStatus[None] = anyio.TASK_STATUS_IGNORED) -> None:
    """Keep a model's service open until the daemon ends: unused, it lets go of the model by itself."""
    async with embedder:
        task_status.started()
        await anyio.sleep_forever()
