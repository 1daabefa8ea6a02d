"""Who summarises, as the configuration has it."""

from memoryd.config import Config
from memoryd.embedding.service import EmbeddingService
from memoryd.judge import AnthropicJudge, AnthropicSummaries
from memoryd_actors.judging.account import Account
from memoryd_actors.judging.breaker import Breaker
from memoryd_actors.judging.budget import Prices
from memoryd_actors.ports.clock import Clock
from memoryd_actors.ports.publisher import Publisher
from memoryd_actors.redaction import Rules
from memoryd_actors.summarising import LocalSummariser, SummarySidecar


def build_summariser(
    config: Config,
    judge: AnthropicJudge | None,
    embedder: EmbeddingService,
    *,
    account: Account,
    clock: Clock,
    publish: Publisher,
    rules: Rules,
    breaker: Breaker,
    prices: Prices,
) -> SummarySidecar:
    """Return the summariser: the model where there is a key and `summaries.model` lets it, quoting otherwise."""
    author: AnthropicSummaries | None = None
    if judge is not None and config.summaries.model:
        author = AnthropicSummaries(judge, rules, deadline_s=config.summaries.deadline_s)
    return SummarySidecar(
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
        why_off="summaries.model is off" if judge is not None else "no key configured",
    )
