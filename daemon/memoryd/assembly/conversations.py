"""What follows a conversation: its transcript, and all that is made of it while it goes on and when it is over."""

import logging
from datetime import datetime

from anyio import to_thread
from anyio.abc import TaskGroup
from msgspec.structs import replace

from memoryd.assembly.memory import MemoryServices, log_crash
from memoryd.config import Config
from memoryd.embedding.generations import messages_at
from memoryd.hosts.prompts import WaitingPrompts
from memoryd.index import LanceMessages
from memoryd_actors.capture.capturer import Capturer
from memoryd_actors.capture.second_look import SecondLook
from memoryd_actors.context import Compactor, ContextBuilder, Counting, Sizes, SummaryStore, TurnSummariser
from memoryd_actors.context.answering import ConversationAnswers
from memoryd_actors.context.usage import ContextUsage
from memoryd_actors.conversations.scribe import Scribe
from memoryd_actors.conversations.session_access import SessionAccess
from memoryd_actors.core.errors import Refused
from memoryd_actors.episodes import EpisodeWriter
from memoryd_actors.extraction.extractor import Extractor
from memoryd_actors.extraction.insights import Insights
from memoryd_actors.extraction.nearby import Nearby
from memoryd_actors.extraction.reader import Reader
from memoryd_actors.indexing.message_indexer import MessageIndexer
from memoryd_actors.memory.progress import FILES_GONE, PURGED_SESSION
from memoryd_actors.ports.transcripts import Key
from memoryd_actors.purging.finisher import PurgeFinisher
from memoryd_actors.purging.purger import ReachFinder
from memoryd_actors.searching.conversation import Conversations
from memoryd_actors.texts.labels import project_label
from memoryd_client.base.paths import Paths
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.consent import Consent

log = logging.getLogger(__name__)

PROPOSALS = 200
"""That wait for the user's yes, among which it is looked what an agent asked about."""


class ConversationServices:
    """The scribe, and who hears from it: message index, capture, extraction, compaction, episodes."""

    def __init__(self, config: Config, paths: Paths, memory: MemoryServices) -> None:
        self._config = config
        self._memory = memory
        self.prompts = WaitingPrompts(paths.prompts)
        ledger, clock, publish, rules = memory.ledger, memory.clock, memory.publish, memory.rules
        keeper, recall, gate, switches = memory.keeper, memory.recall, memory.gate, memory.switches
        embedder, judging = memory.embedder, memory.judging
        self.transcripts = memory.transcripts
        self.messages = LanceMessages(messages_at(paths, config.index, memory.generations.active.place), config.index)
        self.indexer = MessageIndexer(self.transcripts, self.messages, embedder, publish, further=[memory.generations])
        self._conversations = Conversations(self.transcripts, self.messages, self.indexer, embedder)
        judging.lookups.search_messages(self._conversations.found_in)
        self.capturer = Capturer(
            keeper=keeper,
            recall=recall,
            ledger=ledger.memories,
            purges=lambda key: ledger.progress.purges(*key),
            publish=publish,
            settings=config.capture,
            kept=config.transcripts.from_push,
            rules=rules,
            place=self._find_said,
            named_project=self.named_project,
            proposals=self._proposals,
            on_unfinished=self._look_again,
        )
        self._second_look = SecondLook(
            self.transcripts, ledger.progress, switches, clock, self.capturer.hear_again, settings=config.capture
        )
        self.access = SessionAccess(memory.view, self.transcripts)
        self.scribe = Scribe(
            self.transcripts,
            clock,
            publish,
            settings=config.transcripts,
            rules=memory.here,
            indexer=self.indexer,
            progress=ledger.progress,
            check_speaker=self.access.check_speaker,
            on_append=self._appended,
            on_end=self._ended,
            on_crash=log_crash,
        )
        model = judging.model
        self.extractor = Extractor(
            transcripts=self.transcripts,
            repository=ledger.progress,
            ledger=ledger.memories,
            keeper=keeper,
            recall=recall,
            reader=Reader(model, publish=publish, settings=config.capture, rules=rules),
            near=Nearby(memory.searcher, memory.categories).near,
            switches=switches,
            insights=Insights(
                model,
                repository=ledger.progress,
                ledger=ledger.memories,
                keeper=keeper,
                clock=clock,
                categories=memory.categories,
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
            recall=recall,
            keeper=keeper,
            repository=ledger.progress,
            switches=switches,
            clock=clock,
            publish=publish,
            settings=config.episodes,
            gate=gate,
        )
        self.usage = ContextUsage(memory.publish, warn_at=config.context.warn_at)
        self._summaries = SummaryStore(
            transcripts=self.transcripts,
            ledger=ledger.memories,
            repository=ledger.progress,
            keeper=keeper,
            recall=recall,
            switches=switches,
            gate=gate,
        )
        self.compactor = Compactor(
            transcripts=self.transcripts,
            sizes=self._sizes,
            warm=embedder.warm,
            summariser=judging.summariser,
            appender=self.scribe,
            summaries=self._summaries,
            repository=ledger.progress,
            switches=switches,
            publish=publish,
            settings=config.context,
        )
        self.turn_summaries = TurnSummariser(
            transcripts=self.transcripts,
            summariser=judging.summariser,
            compactor=self.compactor,
            summaries=self._summaries,
            recall=recall,
            keeper=keeper,
            ledger=ledger.memories,
            gate=gate,
            tokens=config.context.summary_tokens,
        )
        self.finder = ReachFinder(ledger.memories, self.transcripts, self.prompts)
        self.finisher = PurgeFinisher(
            purges=ledger.purges,
            progress=ledger.progress,
            indexer=memory.indexer,
            scribe=self.scribe,
            forget=self._forget,
            destroy_erased=self.indexer.destroy_erased,
            publish=publish,
        )
        ledger.purges.on_left = self.finisher.kick

    def answers(self) -> ConversationAnswers:
        """Return what answers the requests that concern conversations."""
        return ConversationAnswers(
            summaries=self.turn_summaries,
            scribe=self.scribe,
            transcripts=self.transcripts,
            conversations=self._conversations,
            access=self.access,
            contexts=ContextBuilder(
                self.transcripts,
                self._sizes,
                self._counting,
                memories=self._memory.recall,
                core=self._memory.ledger.core,
                categories=self._memory.categories,
                settings=self._config.context,
                usage=self.usage,
            ),
            compactor=self.compactor,
            switches=self._memory.switches,
            on_append=self.capturer.appended,
            purges=self._memory.ledger.purges,
            finisher=self.finisher,
            let_go=self._let_go,
        )

    async def named_project(self, caller: Caller, upto: int | None = None) -> str:
        """Return the project that the user named last in a caller's session; empty where none was named."""
        said = await self.said_by_user(caller, upto)
        return await to_thread.run_sync(project_label, said) if said else ""

    async def said_by_user(self, caller: Caller, upto: int | None = None) -> list[str]:
        """Return what the user said lately in a caller's session, where the agent may look into that.

        `upto` is the entry of its transcript that is read last; without it, all is read.

        Nothing, too, where the session cannot be read: what asks goes on without.
        """
        if not caller.session:
            return []
        try:
            await self.access.check(caller, caller.session)
            return await self.scribe.said_by_user((caller.owner, caller.session), upto)
        except Refused:
            return []

    async def destroy_purged(self) -> None:
        """Destroy the transcripts of sessions whose purge was interrupted: before anybody can append to them."""
        progress = self._memory.ledger.progress
        for left in await progress.progress_of(PURGED_SESSION):
            if left.sequence != FILES_GONE:
                try:
                    await self.transcripts.purge((left.owner, left.session))
                    await progress.note_progress(replace(left, sequence=FILES_GONE, at=None))
                except Refused as refused:  # it is tried again
                    log.warning("the transcript of %r is not destroyed yet: %s", left.session, refused)

    def start(self, tasks: TaskGroup) -> None:
        """Run what runs beside the requests."""
        tasks.start_soon(self.capturer.run, name="capture")
        tasks.start_soon(self._second_look.run, name="second look")
        tasks.start_soon(self.scribe.run, name="scribe")
        if (files := self._memory.transcript_files) is not None:
            tasks.start_soon(files.run, name="transcripts")
        tasks.start_soon(self.indexer.run, name="message indexer")
        tasks.start_soon(self.extractor.run, name="extractor")
        tasks.start_soon(self.compactor.run, name="compactor")
        tasks.start_soon(self.episodes.run, name="episodes")
        tasks.start_soon(self.finisher.run, name="purges")

    async def _proposals(self, caller: Caller) -> list[Consent]:
        return await self._memory.ledger.consents.waiting(self._memory.categories.visible(caller), limit=PROPOSALS)

    def _let_go(self, key: Key) -> None:
        self._memory.recall.forget_session(key)
        self.capturer.forget_session(key)

    def _look_again(self, key: Key, since: datetime | None) -> None:
        self._second_look.note(key, since)

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
        """Destroy the memories that tell a session which is purged, and the prompts that wait for their answers."""
        await self.prompts.drop(*key)
        await self._summaries.forget(key, project)

    async def _find_said(self, caller: Caller, said: str) -> int | None:
        return await self.scribe.find((caller.owner, caller.session), said) if caller.session else None
