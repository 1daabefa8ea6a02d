"""Puts together what changes the embedding model: the successor of what serves, and its way into that place."""

from collections.abc import Collection

import anyio
import msgspec
from anyio import to_thread
from anyio.abc import TaskGroup, TaskStatus

from memoryd.assembly.conversations import ConversationServices
from memoryd.assembly.memory import MemoryServices
from memoryd.config import Config, ConfigInvalid, load
from memoryd.embedding import EmbeddingService
from memoryd.embedding.build import described, is_told, resolve
from memoryd.embedding.generations import Generation, Generations, destroy_others, memories_at, messages_at, write
from memoryd.embedding.model import ModelSpec
from memoryd.embedding.obtain import slug
from memoryd.index import LanceIndex, LanceMessages
from memoryd_actors.core.errors import Refused
from memoryd_actors.indexing.reembedding import Reembedder, SpareIndex, Successor
from memoryd_client.paths import Paths
from memoryd_client.wire.status import ComponentStatus


class ModelChange:
    """Follows the configuration's embedding model; `run` it in a task group."""

    def __init__(self, paths: Paths, memory: MemoryServices, conversations: ConversationServices) -> None:
        self._paths = paths
        self._memory = memory
        self._conversations = conversations
        self._asked: Config | None = None
        """What was looked at last; None: it is to be looked at."""
        self._told = False
        """Whether somebody said that there is something to look at: files may have changed in their place."""
        self._coming: Generation | None = None
        self._successor: tuple[Successor, EmbeddingService, LanceIndex, LanceMessages] | None = None
        self._tasks: TaskGroup
        self.reembedder = Reembedder(
            ledger=memory.ledger,
            transcripts=conversations.transcripts,
            indexer=memory.indexer,
            messages=conversations.indexer,
            publish=memory.publish,
            prepare=self._prepare,
            put_in_place=self._put_in_place,
            destroy_all_but=self._destroy_all_but,
            is_busy=memory.is_busy,
        )

    async def run(self) -> None:
        """Follow until cancelled; the models stay as long."""
        async with anyio.create_task_group() as self._tasks:
            await self.reembedder.run()

    def look(self) -> str:
        """Look at the configuration anew; return what comes of it, in words.

        Raises:
            Refused: the configuration cannot be read.
        """
        config = self._configured().embedding
        self._asked, self._told = None, True
        self.reembedder.look()
        if described(config).identity == self._memory.generations.active.spec.identity:
            return f"{config.model} serves already"
        return f"{config.model} is prepared; `memoryd model embed` shows how far it is"

    def status(self) -> ComponentStatus:
        """Return which model serves, which one can be gone back to, and how far a change is."""
        generations, building = self._memory.generations, self.reembedder.building
        previous = generations.previous.spec.identity if generations.previous else ""
        facts = {"serving": generations.active.spec.identity, "previous": previous, "building": building}
        facts = {name: fact for name, fact in facts.items() if fact}
        numbers = dict(self.reembedder.progress)
        if (problem := self.reembedder.problem) is not None:
            message = f"the embedding model is not changed: {problem}"
            return ComponentStatus(state="degraded", message=message, hint=problem.hint, numbers=numbers, facts=facts)
        return ComponentStatus(state="loading" if building else "ok", numbers=numbers, facts=facts)

    async def _prepare(self) -> Successor | None:
        config, active = self._configured(), self._memory.generations.active
        if config != self._asked:
            spec = await self._wanted(config)
            if spec.identity == active.spec.identity:
                self._coming = self._successor = None
                noted = msgspec.structs.replace(active, spec=spec)
                await self._note(msgspec.structs.replace(self._memory.generations, active=noted))
            elif self._coming is None or self._coming.spec.identity != spec.identity:
                await self._begin(config, spec)
            self._asked = config
        return self._successor[0] if self._successor else None

    async def _wanted(self, config: Config) -> ModelSpec:
        """Return the model that the configuration asks for, which is read where it is another one, or told to be."""
        spec, active = described(config.embedding), self._memory.generations.active.spec
        named = (spec.model, spec.folder, spec.precision, spec.backend)
        if not self._told and named == (active.model, active.folder, active.precision, active.backend):
            return active
        if is_told(spec) and spec.identity == active.identity:
            return spec
        offline = config.privacy.offline
        return await to_thread.run_sync(lambda: resolve(config.embedding, models=self._paths.models, offline=offline))

    async def _begin(self, config: Config, spec: ModelSpec) -> None:
        previous = self._memory.generations.previous
        known = previous is not None and previous.spec.identity == spec.identity
        coming = Generation(spec=spec, place=previous.place if previous and known else slug(spec.identity))
        await self._note(self._memory.generations)  # what serves now serves on after a restart
        embedder = self._memory.build_embedder(config, spec)
        await self._tasks.start(_keep, embedder)
        memories = LanceIndex(memories_at(self._paths, config.index, coming.place), config.index)
        messages = LanceMessages(messages_at(self._paths, config.index, coming.place), config.index)
        self._coming, self._successor = coming, (Successor(embedder, memories, messages), embedder, memories, messages)

    async def _put_in_place(self, successor: Successor) -> None:
        if self._successor is None or self._coming is None or self._successor[0] is not successor:
            raise Refused("another model is wanted meanwhile", "It is prepared.")
        _, embedder, memories, messages = self._successor
        serving = self._memory.index, self._conversations.messages
        async with memories.held(), messages.held(), serving[0].held(), serving[1].held():
            await self._note(Generations(active=self._coming, previous=self._memory.generations.active))
            serving[0].exchange(memories)
            serving[1].exchange(messages)
            self._memory.embedder.current = embedder
        self._coming = self._successor = None
        await memories.close()
        await messages.close()

    async def _note(self, generations: Generations) -> None:
        await to_thread.run_sync(write, self._paths, generations)
        self._memory.generations = generations

    async def _destroy_all_but(self, kept: Collection[SpareIndex]) -> None:
        generations = self._memory.generations
        places = {generations.active.place}
        if generations.previous is not None and "previous" in kept:
            places.add(generations.previous.place)
        if self._coming is not None and "unfinished" in kept:
            places.add(self._coming.place)
        await to_thread.run_sync(destroy_others, self._paths, places)

    def _configured(self) -> Config:
        try:
            return load(self._paths.config)
        except ConfigInvalid as invalid:
            raise Refused(str(invalid), "Mend it; `memoryd config list` shows what there is.") from invalid


async def _keep(embedder: EmbeddingService, *, task_status: TaskStatus[None] = anyio.TASK_STATUS_IGNORED) -> None:
    """Keep a model's service open until the daemon ends: unused, it lets go of the model by itself."""
    async with embedder:
        task_status.started()
        await anyio.sleep_forever()
