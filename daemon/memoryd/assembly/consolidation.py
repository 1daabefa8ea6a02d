"""Puts the daily consolidation together: its rules, its part of the ledger, and what it may disturb."""

from collections.abc import Awaitable, Callable

import msgspec

from memoryd.assembly.memory import MemoryServices
from memoryd.config import Config
from memoryd_actors.ageing.ageing import Ageing
from memoryd_actors.consolidating.answering import ConsolidationAnswers
from memoryd_actors.consolidating.checker import Checker
from memoryd_actors.consolidating.comparer import Comparer
from memoryd_actors.consolidating.finder import PairFinder
from memoryd_actors.consolidating.plan import Planner
from memoryd_actors.consolidating.resting import Resting
from memoryd_actors.consolidating.review import ReviewAnswers
from memoryd_actors.consolidating.rollup_writer import RollupWriter
from memoryd_actors.consolidating.worker import Consolidator


class ConsolidationServices(msgspec.Struct, frozen=True):
    """The parts that others need."""

    comparer: Comparer
    worker: Consolidator
    answers: ConsolidationAnswers
    review: ReviewAnswers


def build_consolidation(
    config: Config, memory: MemoryServices, *, optimise: Callable[[], Awaitable[None]]
) -> ConsolidationServices:
    """Return the daily consolidation, and the comparison in the background; `optimise` looks after the index."""
    ledger, index, indexer, clock = memory.ledger, memory.index, memory.indexer, memory.clock
    keeper, judging, switches = memory.keeper, memory.judging, memory.switches
    settings = config.consolidation
    repository = ledger.consolidation
    checker = Checker(
        ledger=ledger.memories,
        repository=repository,
        keeper=keeper,
        clock=clock,
        settings=settings,
        off=switches.off,
        pairs=judging.pairs,
    )
    finder = PairFinder(ledger=ledger.memories, repository=repository, index=index, clock=clock, off=switches.off)
    ageing = Ageing(
        ledger=ledger, indexer=indexer, keeper=keeper, clock=clock, settings=config.lifecycle, off=switches.off
    )

    rollups = RollupWriter(
        ledger=ledger.memories,
        repository=repository,
        keeper=keeper,
        summariser=judging.summariser,
        clock=clock,
        settings=settings,
        gate=memory.gate,
        off=switches.off,
    )

    def answered() -> int:
        return memory.recall.counts.accepted + memory.recall.counts.query_calls + keeper.statistics().handled

    resting = Resting(answered, memory.is_busy, settings.quiet_s)
    worker = Consolidator(
        repository=repository,
        finder=finder,
        checker=checker,
        ageing=ageing,
        rollups=rollups,
        indexer=indexer,
        optimise=optimise,
        clock=clock,
        publish=memory.publish,
        settings=settings,
        resting=resting,
        off=switches.off,
    )
    planner = Planner(
        ledger=ledger,
        worker=worker,
        checker=checker,
        ageing=ageing,
        rollups=rollups,
        judge=judging.name,
        resting=resting,
    )
    comparer = Comparer(
        ledger=ledger.memories,
        index=index,
        indexer=indexer,
        neighbours=memory.neighbours,
        keeper=keeper,
        checker=checker,
    )
    answers, review = (
        ConsolidationAnswers(worker, planner, rollups, memory.view),
        ReviewAnswers(ledger.consolidation, keeper, memory.view, config.consent),
    )
    return ConsolidationServices(comparer, worker, answers, review)
