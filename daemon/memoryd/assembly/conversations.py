"""What follows a conversation: its transcript, and all that is made of it while it goes on and when it is over."""

from collections.abc import Callable
from pathlib import Path

from anyio.abc import TaskGroup

from memoryd.assembly.judging import Judging
from memoryd.config import Config
from memoryd.embedding.service import EmbeddingService
from memoryd.index import LanceMessages
from memoryd.ledger import SqlLedger
from memoryd.transcripts import JsonlTranscripts
from memoryd_actors.access.categories import Categories
from memoryd_actors.access.switch import Switches
from memoryd_actors.access.view import MemoryView
from memoryd_actors.admission.project_rules import ProjectRules
from memoryd_actors.capture.capturer import Capturer
from memoryd_actors.capture.second_look import SecondLook
from memoryd_actors.context import Compactor, ContextBuilder, Counting, Sizes
from memoryd_actors.context.answering import ConversationAnswers
from memoryd_actors.conversations.scribe import Scribe
from memoryd_actors.core.actor import ActorRef
from memoryd_actors.episodes import EpisodeWriter
from memoryd_actors.extraction.extractor import Extractor
from memoryd_actors.extraction.insights import Insights
from memoryd_actors.extraction.nearby import Nearby
from memoryd_actors.extraction.reader import Reader
from memoryd_actors.indexing.indexer import Indexer
from memoryd_actors.indexing.message_indexer import MessageIndexer
from memoryd_actors.keeping.gatekeeper import Gatekeeper
from memoryd_actors.keeping.orders import KeeperMessage
from memoryd_actors.ports.clock import Clock
from memoryd_actors.ports.publisher import Publisher
from memoryd_actors.ports.transcripts import Key
from memoryd_actors.purging.purger import TranscriptPurger
from memoryd_actors.recall.memory_actor import MemoryActor
from memoryd_actors.redaction import Rules
from memoryd_actors.searching.conversation import Conversations
from memoryd_actors.searching.search import Searcher
from memoryd_client.paths import Paths
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.memory import Memory

PURGE_S = 30.0


class ConversationServices:
    """The scribe, and who hears from it: message index, capture, extraction, compaction, episodes."""

    def __init__(
        self,
        config: Config,
        paths: Paths,
        *,
        ledger: SqlLedger,
        gate: Gatekeeper,
        keeper: ActorRef[KeeperMessage, tuple[Memory, ...]],
        recall: MemoryActor,
        indexer: Indexer,
        searcher: Searcher,
        embedder: EmbeddingService,
        judging: Judging,
        switches: Switches,
        categories: Categories,
        view: MemoryView,
        rules: Rules,
        here: ProjectRules,
        clock: Clock,
        publish: Publisher,
        on_crash: Callable[[str, Exception], None],
    ) -> None:
        """Wire them; `here` are the rules with what each project leaves out."""
        self._ledger = ledger
        self._recall = recall
        self._memory_indexer = indexer
        self._switches = switches
        self._view = view
        self._config = config
        self._embedder = embedder
        self.transcripts = JsonlTranscripts(paths.transcripts, paths.transcripts_copy)
        self.messages = LanceMessages(_messages_at(config, paths), config.index)
        self.indexer = MessageIndexer(self.transcripts, self.messages, embedder, publish)
        self.capturer = Capturer(
            keeper=keeper,
            recall=recall,
            ledger=ledger.memories,
            publish=publish,
            settings=config.capture,
            rules=rules,
            place=self._find_said,
            on_unfinished=self._look_again,
        )
        self._second_look = SecondLook(
            self.transcripts, ledger.progress, switches, clock, self.capturer.hear_again, settings=config.capture
        )
        self.scribe = Scribe(
            self.transcripts,
            clock,
            publish,
            settings=config.transcripts,
            rules=here,
            indexer=self.indexer,
            progress=ledger.progress,
            on_append=self._appended,
            on_end=self._ended,
            on_crash=on_crash,
        )
        model = judging.model
        self.extractor = Extractor(
            transcripts=self.transcripts,
            book=ledger.progress,
            ledger=ledger.memories,
            keeper=keeper,
            recall=recall,
            reader=Reader(model, publish=publish, settings=config.capture, rules=rules),
            near=Nearby(searcher, categories).near,
            switches=switches,
            insights=Insights(
                model,
                book=ledger.progress,
                ledger=ledger.memories,
                keeper=keeper,
                clock=clock,
                categories=categories,
                gate=gate,
                rules=rules,
            )
            if model is not None
            else None,
            clock=clock,
            publish=publish,
            settings=config.capture,
            rules=rules,
            gate=gate,
        )
        self._counting = Counting(embedder)
        self._sizes = Sizes(self.transcripts, self._counting)
        self.episodes = EpisodeWriter(
            transcripts=self.transcripts,
            summariser=judging.summariser,
            quoting=judging.summariser.quoting,
            recall=recall,
            keeper=keeper,
            book=ledger.progress,
            switches=switches,
            clock=clock,
            publish=publish,
            settings=config.episodes,
            gate=gate,
        )
        self.compactor = Compactor(
            transcripts=self.transcripts,
            sizes=self._sizes,
            warm=embedder.warm,
            summariser=judging.summariser,
            appender=self.scribe,
            ledger=ledger.memories,
            recall=recall,
            keeper=keeper,
            book=ledger.progress,
            switches=switches,
            publish=publish,
            settings=config.context,
            gate=gate,
        )
        self.purger = TranscriptPurger(ledger.memories, self.transcripts, self.scribe)

    def answers(self) -> ConversationAnswers:
        """Return what answers the requests that concern conversations."""
        return ConversationAnswers(
            scribe=self.scribe,
            transcripts=self.transcripts,
            conversations=Conversations(self.transcripts, self.messages, self.indexer, self._embedder),
            view=self._view,
            contexts=ContextBuilder(
                self.transcripts,
                self._sizes,
                self._counting,
                memories=self._recall,
                core=self._ledger.core,
                settings=self._config.context,
            ),
            compactor=self.compactor,
            switches=self._switches,
            on_append=self.capturer.appended,
            forget_memories=self._forget,
        )

    def start(self, tasks: TaskGroup) -> None:
        """Run what runs beside the requests."""
        tasks.start_soon(self.capturer.run, name="capture")
        tasks.start_soon(self._second_look.run, name="second look")
        tasks.start_soon(self.scribe.run, name="scribe")
        tasks.start_soon(self.transcripts.run, name="transcripts")
        tasks.start_soon(self.indexer.run, name="message indexer")
        tasks.start_soon(self.extractor.run, name="extractor")
        tasks.start_soon(self.compactor.run, name="compactor")
        tasks.start_soon(self.episodes.run, name="episodes")

    def _look_again(self, key: Key) -> None:
        self._second_look.note(key)

    def _appended(self, key: Key, last: int) -> None:
        self.indexer.note(key, last)
        self.extractor.note(key, last)
        self.compactor.note(key, last)
        self.episodes.note(key, last)

    def _ended(self, key: Key) -> None:
        """Hear that a session is over, or was purged: `progress` says which, and survives what hears it here."""
        self.extractor.ended(key)
        self.episodes.ended(key)
        self._sizes.forget(key)

    async def _forget(self, key: Key, project: str) -> None:
        """Destroy the memories that tell a session whose transcript is destroyed, and what it asked and was shown."""
        self._recall.forget_session(key)
        await self._ledger.purges.purge_session(*key)
        if await self.compactor.forget(key, project):
            await self._memory_indexer.purge(deadline_s=PURGE_S)

    async def _find_said(self, caller: Caller, said: str) -> int | None:
        return await self.scribe.find((caller.owner, caller.session), said) if caller.session else None


def _messages_at(config: Config, paths: Paths) -> str | Path:
    return f"{config.index.url.rstrip('/')}/messages" if config.index.url else paths.messages_index
