"""Who judges, compares and summarises, as the configuration has it, and what they may spend."""

import logging

import msgspec

from memoryd.config import Config
from memoryd.embedding.serving import ServingEmbedder
from memoryd.ledger import SqlLedger
from memoryd.model import Chosen
from memoryd_actors.admission.project_rules import ProjectRules
from memoryd_actors.judging.local_judge import LocalJudge
from memoryd_actors.judging.lookups import MemoryLookups, ProjectTexts
from memoryd_actors.judging.pairs import PairClassifier
from memoryd_actors.judging.sidecar import FollowUps, Sidecar
from memoryd_actors.memory.budget import Limits
from memoryd_actors.model.account import Account
from memoryd_actors.model.breaker import Breaker
from memoryd_actors.model.model import Model
from memoryd_actors.model.question import ModelFailed
from memoryd_actors.ports.clock import Clock
from memoryd_actors.ports.publisher import Publisher
from memoryd_actors.ports.transcripts import Transcripts
from memoryd_actors.redaction import Rules
from memoryd_actors.searching.search import Searcher
from memoryd_actors.summarising import LocalSummariser, SummarySidecar

log = logging.getLogger(__name__)


class Judging(msgspec.Struct, frozen=True):
    """The parts that others need."""

    model: Model | None
    """One for all that is asked: its daily limits and its breaker hold together."""
    sidecar: Sidecar
    summariser: SummarySidecar
    pairs: PairClassifier | None
    lookups: MemoryLookups

    @property
    def name(self) -> str:
        """Who compares pairs."""
        return self.model.name if self.model is not None else "local"

    async def open(self) -> None:
        """Read what was spent today.

        Raises:
            Refused: the repository cannot be read; it is tried again before every call.
        """
        if self.model is not None:
            await self.model.open()

    async def prepare(self) -> None:
        """Do ahead what the first call, with its deadline, could not bear."""
        if self.model is None:
            return
        try:
            await self.model.prepare()
        except ModelFailed as failed:
            log.warning("%s %s", failed, failed.hint)

    async def close(self) -> None:
        """Close the connections to the model."""
        if self.model is not None:
            await self.model.close()


def build_judging(
    config: Config,
    chosen: Chosen,
    *,
    ledger: SqlLedger,
    searcher: Searcher,
    embedder: ServingEmbedder,
    rules: Rules,
    clock: Clock,
    publish: Publisher,
    transcripts: Transcripts,
    files: ProjectTexts,
    here: ProjectRules,
) -> Judging:
    """Return who judges: the chosen model where there is one, and what stands in for it everywhere else."""
    settings = config.sidecar
    model: Model | None = None
    if chosen.provider is not None:
        limits = Limits(daily_tokens=settings.daily_tokens, daily_usd=settings.daily_usd)
        model = Model(
            chosen.provider,
            account=Account(ledger.spending, clock, limits),
            clock=clock,
            publish=publish,
            breaker=Breaker(failures_to_open=settings.failures_to_open, cool_down_s=settings.cool_down_s),
            prices=chosen.prices,
        )
    lookups = MemoryLookups(ledger.memories, searcher, rules, transcripts=transcripts, files=files, here=here)
    sidecar = Sidecar(
        model,
        LocalJudge(config.recall.strictness),
        rules=rules,
        follow_ups=FollowUps(lookups=settings.lookups, lookup_tokens=settings.lookup_tokens),
        lookups=lookups,
        deadline_s=chosen.deadline_s,
        why_off=chosen.why_off,
    )
    summariser = SummarySidecar(
        model if config.summaries.model else None,
        LocalSummariser(embedder, embedder),
        embedder,
        rules=rules,
        deadline_s=config.summaries.deadline_s,
        why_off="summaries.model is off" if model is not None else chosen.why_off,
    )
    pairs = PairClassifier(model, rules) if model is not None else None
    return Judging(model, sidecar, summariser, pairs, lookups)
