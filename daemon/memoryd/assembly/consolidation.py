"""Puts the daily consolidation together: its rules, its part of the ledger, and what it may disturb."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from memoryd.assembly.judging import Judging
from memoryd.config import Config
from memoryd.ledger import SqlLedger
from memoryd_actors.access.switch import Switches
from memoryd_actors.access.view import MemoryView
from memoryd_actors.ageing.ageing import Ageing
from memoryd_actors.consolidating.answering import ConsolidationAnswers
from memoryd_actors.consolidating.checker import Checker
from memoryd_actors.consolidating.finder import PairFinder
from memoryd_actors.consolidating.gatherer import RollupWriter
from memoryd_actors.consolidating.plan import Planner
from memoryd_actors.consolidating.resting import Resting
from memoryd_actors.consolidating.worker import Consolidator
from memoryd_actors.core.actor import ActorRef
from memoryd_actors.indexing.indexer import Indexer
from memoryd_actors.keeping.orders import KeeperMessage
from memoryd_actors.ports.clock import Clock
from memoryd_actors.ports.index import Index
from memoryd_actors.ports.publisher import Publisher
from memoryd_actors.recall.memory_actor import MemoryActor
from memoryd_actors.redaction import Rules
from memoryd_client.wire.memory import Memory


@dataclass(frozen=True, slots=True)
class ConsolidationServices:
    """The parts that others need."""

    checker: Checker
    worker: Consolidator
    answers: ConsolidationAnswers


def build_consolidation(
    config: Config,
    *,
    ledger: SqlLedger,
    index: Index,
    indexer: Indexer,
    recall: MemoryActor,
    keeper: ActorRef[KeeperMessage, tuple[Memory, ...]],
    switches: Switches,
    view: MemoryView,
    judging: Judging,
    rules: Rules,
    embedding_model: str,
    optimise: Callable[[], Awaitable[None]],
    clock: Clock,
    publish: Publisher,
) -> ConsolidationServices:
    """Return the daily consolidation."""
    settings = config.consolidation
    book = ledger.consolidation
    checker = Checker(
        ledger=ledger.memories,
        book=book,
        keeper=keeper,
        clock=clock,
        settings=settings,
        off=switches.off,
        pairs=judging.pairs,
    )
    finder = PairFinder(
        ledger=ledger.memories, book=book, index=index, clock=clock, settings=settings, off=switches.off
    )
    ageing = Ageing(
        ledger=ledger, indexer=indexer, keeper=keeper, clock=clock, settings=config.lifecycle, off=switches.off
    )

    gatherer = RollupWriter(
        ledger=ledger.memories,
        book=book,
        keeper=keeper,
        summariser=judging.summariser,
        clock=clock,
        settings=settings,
        rules=rules,
        embedding_model=embedding_model,
        off=switches.off,
    )

    def answered() -> int:
        return recall.counts.accepted + recall.counts.query_calls + keeper.statistics().handled

    def is_busy() -> bool:
        return recall.busy() > 0 or indexer.applied < indexer.target

    resting = Resting(answered, is_busy, settings.quiet_s)
    worker = Consolidator(
        book=book,
        finder=finder,
        checker=checker,
        ageing=ageing,
        gatherer=gatherer,
        indexer=indexer,
        optimise=optimise,
        clock=clock,
        publish=publish,
        settings=settings,
        resting=resting,
        off=switches.off,
    )
    planner = Planner(
        ledger=ledger,
        worker=worker,
        checker=checker,
        ageing=ageing,
        gatherer=gatherer,
        judge=judging.name,
        resting=resting,
    )
    return ConsolidationServices(checker, worker, ConsolidationAnswers(worker, planner, view))
