"""Puts together who answers which request."""

from collections.abc import Awaitable, Callable
from pathlib import Path

from memoryd.assembly.consolidation import ConsolidationServices
from memoryd.assembly.conversations import ConversationServices
from memoryd.assembly.dispatch import Dispatcher
from memoryd.assembly.health import Health
from memoryd.assembly.memory import MemoryServices
from memoryd.config import Config
from memoryd.embedding.model_change import ModelChange
from memoryd.intake import Intake
from memoryd.mirror.answering import MirrorAnswers
from memoryd.mirror.mirrors import MirrorKeeper
from memoryd.virtual_files import grep
from memoryd_actors.conversations.session_names import SessionNames
from memoryd_actors.keeping.answering import KeepingAnswers
from memoryd_actors.keeping.authorship import Authorship
from memoryd_actors.keeping.checkpoints import CheckpointKeeper
from memoryd_actors.keeping.core_memory import CoreMemory
from memoryd_actors.keeping.importing import Importer
from memoryd_actors.knowledge import KnowledgeBase
from memoryd_actors.purging.answering import PurgingAnswers
from memoryd_actors.searching.answering import SearchingAnswers
from memoryd_actors.searching.querying import Querier
from memoryd_actors.virtual_files import VirtualFiles
from memoryd_client.base.paths import Paths
from memoryd_client.wire.caller import Caller

KNOWN_S = 2.0
"""How long it is searched for what memory keeps of a person already."""


def build_dispatcher(
    config: Config,
    paths: Paths,
    memory: MemoryServices,
    conversations: ConversationServices,
    consolidation: ConsolidationServices,
    *,
    knowledge: KnowledgeBase,
    mirrors: MirrorKeeper,
    model_change: ModelChange,
    health: Health,
    intake: Intake,
    back_up: Callable[[Path | None], Awaitable[str]],
) -> Dispatcher:
    """Return the router."""
    ledger, keeper, recall, view = memory.ledger, memory.keeper, memory.recall, memory.view
    querier = Querier(
        memory.searcher,
        ledger.memories,
        memory.embedder,
        memory.categories,
        recorder=memory.recorder,
        note=recall.note_query,
        hear=recall.hear,
    )
    answers = conversations.answers()

    async def known(caller: Caller, text: str) -> list[str]:
        findings = await memory.searcher.find(text, view.visible(caller), limit=5, deadline_s=KNOWN_S)
        return [one.memory.content for one in findings.found if one.memory.active]

    authorship = Authorship(conversations.said_by_user, known)
    return Dispatcher(
        keeping=KeepingAnswers(
            keeper=keeper,
            importer=Importer(ledger=ledger.memories, keeper=keeper, clock=memory.clock, gate=memory.gate),
            consents=ledger.consents,
            view=view,
            switches=memory.switches,
            note_written=recall.note_written,
            note_changed=recall.note_changed,
            named_project=conversations.named_project,
            authorship=authorship,
            recorder=memory.recorder,
        ),
        searching=SearchingAnswers(
            searcher=memory.searcher,
            querier=querier,
            ledger=ledger,
            view=view,
            clock=memory.clock,
            recorder=memory.recorder,
        ),
        purging=PurgingAnswers(
            keeper=keeper,
            finder=conversations.finder,
            finisher=conversations.finisher,
            ledger=ledger,
            view=view,
            drafts=paths.drafts,
            mirrored=mirrors.purge,
        ),
        conversations=answers,
        consolidation=consolidation.answers,
        review=consolidation.review,
        mirrors=MirrorAnswers(mirrors, view),
        core=CoreMemory(
            ledger.core,
            memory.here,
            config.core,
            memory.categories,
            authorship=authorship,
            summarized=answers.summarized,
            check_thread=conversations.access.check_thread,
        ),
        checkpoints=CheckpointKeeper(
            ledger.checkpoints,
            memory.here,
            config.checkpoints,
            memory.categories,
            check_thread=conversations.access.check_thread,
        ),
        knowledge=knowledge,
        files=VirtualFiles(
            ledger.memories,
            keeper,
            view,
            memory.searcher,
            authorship=authorship,
            named_project=conversations.named_project,
            recorder=memory.recorder,
            grep=grep,
        ),
        switches=memory.switches,
        indexer=memory.indexer,
        events=ledger.events,
        categories=memory.categories,
        view=view,
        session_names=SessionNames(conversations.access),
        spending=ledger.spending,
        reembed=model_change.look,
        health=health,
        intake=intake,
        back_up=back_up,
    )
