"""The heart of it: the ledger, its index and model; who finds memories, who hands them over, and who keeps them."""

import logging

from anyio import to_thread

from memoryd.assembly.judging import build_judging
from memoryd.clock import SystemClock
from memoryd.config import Config
from memoryd.embedding import EmbeddingService, ModelStatistics, build_embedder
from memoryd.embedding.generations import Generations, at_start, memories_at
from memoryd.embedding.model import ModelSpec
from memoryd.embedding.serving import ServingEmbedder
from memoryd.home_name import home_name
from memoryd.index import LanceIndex
from memoryd.ledger import SqlLedger, all_rows
from memoryd.model import choose
from memoryd.moving import into_ledger
from memoryd.project_files import ProjectFolders
from memoryd.publisher import EventBus
from memoryd.transcripts import JsonlTranscripts
from memoryd_actors.access.categories import Categories
from memoryd_actors.access.recording import ClientRecorder
from memoryd_actors.access.switch import Switches
from memoryd_actors.access.view import MemoryView
from memoryd_actors.admission.project_rules import ProjectRules
from memoryd_actors.core.actor import ActorRef
from memoryd_actors.indexing.indexer import Indexer
from memoryd_actors.keeping.gatekeeper import Gatekeeper
from memoryd_actors.keeping.keeper import Keeper
from memoryd_actors.keeping.neighbours import Neighbours
from memoryd_actors.keeping.orders import KeeperMessage
from memoryd_actors.ports.transcripts import Transcripts
from memoryd_actors.recall.documents import DocumentRecall
from memoryd_actors.recall.memory_actor import MemoryActor
from memoryd_actors.recall.pipeline import Pipeline
from memoryd_actors.recall.standing_memory import StandingMemory
from memoryd_actors.redaction import Rules
from memoryd_actors.redaction.personal import kinds_of
from memoryd_actors.searching.related import Relatives
from memoryd_actors.searching.search import Searcher
from memoryd_client.base.paths import Paths
from memoryd_client.base.wording import counted
from memoryd_client.wire.events import Warned
from memoryd_client.wire.memory import Memory

log = logging.getLogger(__name__)

KEEPER_QUEUE = 256
"""Writes that wait for the Keeper before senders wait for the queue."""


class MemoryServices:
    """What everything else rests on."""

    def __init__(self, config: Config, paths: Paths, publish: EventBus) -> None:
        self._config = config
        self.publish = publish
        self._models = paths.models
        self.clock = SystemClock()
        self.ledger = SqlLedger(
            config.ledger.url or paths.ledger,
            backups=paths.backups,
            clock=self.clock,
            home=home_name(paths.home) if config.ledger.url else "",
        )
        self._paths = paths
        self.generations = Generations(paths, at_start(paths, config.embedding))
        active = self.generations.active
        self.index = LanceIndex(memories_at(paths, config.index, active.place), config.index)
        self.embedder = ServingEmbedder(self.build_embedder(config, active.spec))
        self.rules = Rules(personal_data=kinds_of(config.privacy.personal_data), words=config.privacy.replace)
        self.files = ProjectFolders(config.privacy.sensitive_files)
        self.here = ProjectRules(self.rules, self.files)
        """The rules, with what each project leaves out."""
        self.categories = Categories(config.categories, config.allowlists)
        self.view = MemoryView(self.ledger.memories, self.categories)
        self.switches = Switches(self.ledger.switches, self.clock)
        self.indexer = Indexer(self.ledger, self.index, self.embedder, publish, further=[self.generations])
        self.searcher = Searcher(
            self.embedder,
            self.index,
            self.indexer,
            self.ledger.memories,
            config.recall,
            categories=self.categories,
            clock=self.clock,
        )
        self.recorder = ClientRecorder(self.ledger.events.record, self.clock)
        files = JsonlTranscripts(paths.transcripts, paths.transcripts_copy)
        self.transcript_files = files if self.ledger.transcripts is None else None
        """None where transcripts are in the ledger."""
        self.transcripts: Transcripts = self.ledger.transcripts or files
        self.judging = build_judging(
            config,
            choose(config),
            ledger=self.ledger,
            searcher=self.searcher,
            embedder=self.embedder,
            rules=self.rules,
            clock=self.clock,
            publish=publish,
            transcripts=self.transcripts,
            files=self.files,
            here=self.here,
        )
        self.document_owners = set[str]()
        """Who has documents: nobody else's contexts look for them."""
        self.recall = self._memory_actor(config)
        self.gate = Gatekeeper(
            clock=self.clock,
            embedding_model=lambda: self.embedder.identity,
            rules=self.rules,
            categories=self.categories,
            files=self.files,
            consent=config.consent,
        )
        self.neighbours = Neighbours(self.embedder, self.index, self.indexer, self.ledger.memories)
        self.keeper: ActorRef[KeeperMessage, tuple[Memory, ...]] = ActorRef(
            "keeper", self._keeper, on_crash=log_crash, capacity=KEEPER_QUEUE
        )

    async def bring_transcripts_over(self) -> None:
        """Bring what was said and stands in files into the ledger, where that has transcripts.

        Raises:
            Unavailable: the ledger does not answer.
        """
        if self.ledger.transcripts is not None and into_ledger.waits(self._paths):
            await to_thread.run_sync(self._bring_over, self._config.ledger.url)

    def _bring_over(self, url: str) -> None:
        with all_rows.opened(url, self._paths.backups) as engine:
            brought = into_ledger.bring_over(self._paths, engine)
        log.info("brought into the ledger: %s", counted(brought, "transcript"))

    def build_embedder(self, config: Config, spec: ModelSpec) -> EmbeddingService:
        """Return what runs this model; enter it before use."""
        offline = config.privacy.offline
        return build_embedder(
            config.embedding, spec=spec, models=self._models, offline=offline, observe=self._observe_model
        )

    def _memory_actor(self, config: Config) -> MemoryActor:
        standing = StandingMemory(
            self.ledger.memories,
            self.categories,
            nearness=self.searcher.nearness,
            sequence=lambda: self.indexer.target,
            tokens=config.recall.standing_tokens,
            shared=self.ledger.sharing.shared,
        )
        pipeline = Pipeline(
            embedder=self.embedder,
            searcher=self.searcher,
            indexer=self.indexer,
            judge=self.judging.sidecar,
            clock=self.clock,
            settings=config.recall,
            rules=self.rules,
            categories=self.categories,
            relatives=Relatives(self.ledger.memories),
            files=self.files,
            standing=standing,
            documents=DocumentRecall(self.searcher, self.categories, owners=self.document_owners),
        )
        return MemoryActor(
            pipeline,
            self.ledger,
            self.clock,
            self.publish,
            config.recall,
            standing=standing,
            categories=self.categories,
            sequence=lambda: self.indexer.target,
            drops=self.switches.drops,
            shared=self.ledger.sharing.shared,
        )

    def _keeper(self) -> Keeper:
        return Keeper(
            ledger=self.ledger,
            gate=self.gate,
            view=self.view,
            neighbours=self.neighbours,
            clock=self.clock,
            publish=self.publish,
            on_change=self.indexer.kick,
            recall=self.recall,
        )

    def is_busy(self) -> bool:
        """Return whether contexts are looked at, or memories are on their way into the index."""
        return self.recall.busy() > 0 or self.indexer.applied < self.indexer.target

    def _observe_model(self, statistics: ModelStatistics) -> None:
        if statistics.state == "failed":
            self.publish(Warned(component="model", message=statistics.message, hint=statistics.hint))


def log_crash(name: str, bug: Exception) -> None:
    """Put down that an actor hit a bug."""
    log.error("%s crashed on a message and was rebuilt", name, exc_info=bug)
