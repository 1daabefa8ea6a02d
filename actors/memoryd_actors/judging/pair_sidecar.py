"""Compares pairs of memories: by a model where that is possible in time and within budget, locally otherwise.

Deadline, breaker, budget, status and warnings are the sidecar's own: to it a list of pairs is a case, and what comes
back a judgement. A model never overrules a guard.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from memoryd_actors.comparison import Comparison, compare, vetoed
from memoryd_actors.judging.account import Account
from memoryd_actors.judging.breaker import Breaker
from memoryd_actors.judging.judge import Judgement
from memoryd_actors.judging.pair_judge import Classified, Pair, PairJudge
from memoryd_actors.judging.sidecar import Sidecar
from memoryd_actors.memory.budget import Prices
from memoryd_actors.memory.case import Case, Exhibit
from memoryd_actors.ports.clock import Clock
from memoryd_actors.ports.publisher import Publisher
from memoryd_client.wire.status import ComponentStatus

MAX_PAIRS = 10
"""In one call: a new memory and its nearest neighbours."""
LONGEST_SHOWN = 1_000
"""Characters of a text that a model sees; of a longer one it cannot say that it is the same."""
_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class _Docket(Case):
    """A case made of pairs: every text an exhibit, so that the budget counts it."""

    pairs: tuple[Pair, ...] = ()


@dataclass(frozen=True, slots=True)
class _Finding(Judgement):
    """A judgement without verdicts, but with comparisons."""

    comparisons: tuple[Comparison | None, ...] = ()


class PairSidecar:
    """Always says what pairs are to each other, every `MAX_PAIRS` of them within the deadline."""

    def __init__(
        self,
        remote: PairJudge | None,
        *,
        account: Account,
        clock: Clock,
        publish: Publisher,
        breaker: Breaker = Breaker(),  # noqa: B008 - frozen
        prices: Prices = Prices(),  # noqa: B008 - frozen
        why_off: str = "no key configured",
        deadline_s: float = 4.0,
    ) -> None:
        self._sidecar = Sidecar(
            _Remote(remote) if remote else None,
            _Local(),
            account=account,
            clock=clock,
            publish=publish,
            breaker=breaker,
            prices=prices,
            why_off=why_off,
            deadline_s=deadline_s,
        )

    async def classify(self, pairs: Sequence[Pair]) -> Classified:
        """Return what each pair is, in order, none left out; a note says why the local classifier stood in."""
        whole = Classified((), self._sidecar.name)
        for at in range(0, len(pairs), MAX_PAIRS):
            some = await self._classify(tuple(pairs[at : at + MAX_PAIRS]))
            whole = replace(
                some,
                comparisons=whole.comparisons + some.comparisons,
                by_model=whole.by_model + some.by_model,
                note=whole.note or some.note,
                input_tokens=whole.input_tokens + some.input_tokens,
                output_tokens=whole.output_tokens + some.output_tokens,
                cost_usd=whole.cost_usd + some.cost_usd,
            )
        return whole

    async def open(self) -> None:
        """Read what was spent today.

        Raises:
            Refused: the book cannot be read; it is tried again before every call.

        """
        await self._sidecar.open()

    async def close(self) -> None:
        """Write down what is not yet in the book."""
        await self._sidecar.close()

    def status(self) -> ComponentStatus:
        """Return its health, as a sidecar's."""
        return self._sidecar.status()

    async def _classify(self, pairs: tuple[Pair, ...]) -> Classified:
        judgement = await self._sidecar.judge(_docket(pairs))
        said = judgement.comparisons if isinstance(judgement, _Finding) else ()
        comparisons: list[Comparison] = []
        by_model: list[bool] = []
        for at, pair in enumerate(pairs):
            local = compare(pair.new, pair.old, pair.cosine)
            one = said[at] if at < len(said) else None
            unseen = max(len(pair.new.text), len(pair.old.text)) > LONGEST_SHOWN
            if one is None or (unseen and one.relation == "same"):
                comparisons.append(local)
                by_model.append(False)
            else:
                comparisons.append(vetoed(one, local))
                by_model.append(True)
        return Classified(
            comparisons=tuple(comparisons),
            by_model=tuple(by_model),
            judge=judgement.judge,
            note=judgement.note,
            input_tokens=judgement.input_tokens,
            output_tokens=judgement.output_tokens,
            cost_usd=judgement.cost_usd,
        )


class _Remote:
    """A pair judge as the sidecar calls it."""

    def __init__(self, judge: PairJudge) -> None:
        self._judge = judge

    @property
    def name(self) -> str:
        return self._judge.name

    async def judge(self, case: Case) -> Judgement:
        found = await self._judge.classify(case.pairs if isinstance(case, _Docket) else ())
        return _Finding(
            verdicts=(),
            judge=found.judge,
            input_tokens=found.input_tokens,
            output_tokens=found.output_tokens,
            cost_usd=found.cost_usd,
            comparisons=found.comparisons,
        )


class _Local:
    """Says nothing: every pair is compared locally anyway, for the guards."""

    name = "local"

    async def judge(self, case: Case) -> Judgement:
        return _Finding(verdicts=(), judge=self.name, comparisons=(None,) * (len(case.exhibits) // 2))


def _docket(pairs: tuple[Pair, ...]) -> _Docket:
    statements = [statement for pair in pairs for statement in (pair.new, pair.old)]
    exhibits = tuple(
        Exhibit(
            id=str(at),
            text=one.text,
            category=one.category,
            date=one.occurred_at or one.created_at or _LONG_AGO,
            trust=1.0,
            vector_score=0.0,
            word_score=0.0,
            score=0.0,
        )
        for at, one in enumerate(statements)
    )
    return _Docket(focus="", window="", exhibits=exhibits, pairs=pairs)


def planned(pairs: Sequence[Pair]) -> Case:
    """Return the pairs as a case, for an adapter that has to say what a call may cost."""
    return _docket(tuple(pairs))
