"""Who judges, compares and summarises, as the configuration has it, and what they may spend."""

import logging
from dataclasses import dataclass

from memoryd.config import Config
from memoryd.embedding.service import EmbeddingService
from memoryd.judge import AnthropicJudge, AnthropicPairs, AnthropicSummaries
from memoryd.ledger import SqlLedger
from memoryd_actors.judging.account import Account
from memoryd_actors.judging.breaker import Breaker
from memoryd_actors.judging.judge import JudgeFailed
from memoryd_actors.judging.local_judge import LocalJudge
from memoryd_actors.judging.lookups import MemoryLookups
from memoryd_actors.judging.pair_sidecar import PairSidecar
from memoryd_actors.judging.sidecar import FollowUps, Sidecar
from memoryd_actors.memory.budget import Limits, Prices
from memoryd_actors.ports.clock import Clock
from memoryd_actors.ports.publisher import Publisher
from memoryd_actors.redaction import Rules
from memoryd_actors.searching.search import Searcher
from memoryd_actors.summarising import LocalSummariser, SummarySidecar

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Judging:
    """The parts that others need."""

    remote: AnthropicJudge | None
    """The model, where there is a key."""
    account: Account
    """One for all that is asked of the model: the daily limits hold together."""
    prices: Prices
    sidecar: Sidecar
    summariser: SummarySidecar
    pairs: PairSidecar | None

    @property
    def name(self) -> str:
        """Who compares pairs."""
        return self.remote.name if self.remote is not None else "local"

    async def prepare(self) -> None:
        """Load the model's SDK ahead of its first call, whose deadline could not bear it."""
        if self.remote is None:
            return
        try:
            await self.remote.prepare()
        except JudgeFailed as failed:
            log.warning("%s %s", failed, failed.hint)

    async def close(self) -> None:
        """Close the connections to the model."""
        await self.sidecar.close()
        if self.remote is not None:
            await self.remote.aclose()


def build_judging(
    config: Config,
    remote: AnthropicJudge | None,
    *,
    ledger: SqlLedger,
    searcher: Searcher,
    embedder: EmbeddingService,
    rules: Rules,
    clock: Clock,
    publish: Publisher,
) -> Judging:
    """Return who judges: `remote` where there is one, and what stands in for it everywhere else."""
    settings = config.sidecar
    limits = Limits(daily_tokens=settings.daily_tokens, daily_usd=settings.daily_usd)
    account = Account(ledger, clock, limits)
    breaker = Breaker(failures_to_open=settings.failures_to_open, cool_down_s=settings.cool_down_s)
    prices = Prices(
        input_usd_per_million=settings.input_usd_per_million,
        output_usd_per_million=settings.output_usd_per_million,
    )
    sidecar = Sidecar(
        remote,
        LocalJudge(),
        account=account,
        clock=clock,
        publish=publish,
        breaker=breaker,
        prices=prices,
        follow_ups=FollowUps(lookups=settings.lookups, lookup_tokens=settings.lookup_tokens),
        lookups=MemoryLookups(ledger, searcher, rules),
        deadline_s=settings.deadline_s,
        why_off="privacy.offline is on" if config.privacy.offline else "no key configured",
    )
    author: AnthropicSummaries | None = None
    if remote is not None and config.summaries.model:
        author = AnthropicSummaries(remote, rules, deadline_s=config.summaries.deadline_s)
    summariser = SummarySidecar(
        author,
        LocalSummariser(embedder, embedder),
        embedder,
        account=account,
        clock=clock,
        publish=publish,
        rules=rules,
        breaker=breaker,
        prices=prices,
        deadline_s=config.summaries.deadline_s,
        why_off="summaries.model is off" if remote is not None else "no key configured",
    )
    pairs: PairSidecar | None = None
    if remote is not None:
        pairs = PairSidecar(
            AnthropicPairs(remote, rules),
            account=account,
            clock=clock,
            publish=publish,
            breaker=breaker,
            prices=prices,
            deadline_s=settings.deadline_s,
        )
    return Judging(remote, account, prices, sidecar, summariser, pairs)
