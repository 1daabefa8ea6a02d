"""Ten cases with known answers, put before a model: what `memoryd model test` does."""

from datetime import UTC, datetime
from importlib.resources import files
from statistics import median
from time import perf_counter
from typing import Final, Literal

import msgspec

from memoryd.clock import SystemClock
from memoryd.config import Config
from memoryd.model import Chosen
from memoryd_actors.judging.question import about
from memoryd_actors.memory.budget import Limits, Spending
from memoryd_actors.memory.case import Case, Exhibit
from memoryd_actors.model.account import Account
from memoryd_actors.model.breaker import Breaker
from memoryd_actors.model.model import Model
from memoryd_actors.model.question import ModelFailed

DEADLINE_S: Final = 120.0
"""For each case: that it is too slow for a turn is told, and no reason not to know how good it is."""


class Known(msgspec.Struct, frozen=True):
    """A case with its answer."""

    name: str
    request: str
    memories: tuple[str, ...]
    wanted: frozenset[int]
    """The candidates that must be kept."""
    welcome: frozenset[int] = frozenset()
    """Those that may be."""
    before: str = ""


CASES: Final = msgspec.toml.decode(
    files("memoryd_cli").joinpath("model_trial.toml").read_bytes(), type=dict[str, tuple[Known, ...]]
)["cases"]


class Tried(msgspec.Struct, frozen=True):
    """What came of one case."""

    name: str
    result: Literal["right", "wrong", "failed"]
    seconds: float
    said: str


class Trial(msgspec.Struct):
    """What came of all of them."""

    tried: list[Tried] = msgspec.field(default_factory=list[Tried])
    tokens: int = 0
    usd: float = 0.0
    hint: str = ""

    @property
    def right(self) -> int:
        """Cases that were answered rightly."""
        return self._count("right")

    @property
    def wrong(self) -> int:
        """Cases that were answered wrongly."""
        return self._count("wrong")

    @property
    def failed(self) -> int:
        """Cases without an answer."""
        return self._count("failed")

    @property
    def median_s(self) -> float:
        """How long a case took."""
        return median(tried.seconds for tried in self.tried)

    def _count(self, result: str) -> int:
        return sum(tried.result == result for tried in self.tried)


class _Purse:
    """A book of spending for as long as the trial runs."""

    async def spending(self, day: str) -> Spending:
        return Spending(day=day)

    async def spend(self, spending: Spending) -> None:
        del spending


async def try_out(chosen: Chosen, config: Config) -> Trial:
    """Put every case before the chosen model, one after the other, within the budget of a day."""
    trial = Trial()
    if chosen.provider is None:
        return trial
    clock = SystemClock()
    limits = Limits(daily_tokens=config.sidecar.daily_tokens, daily_usd=config.sidecar.daily_usd)
    model = Model(
        chosen.provider,
        account=Account(_Purse(), clock, limits),
        clock=clock,
        publish=lambda _: None,
        breaker=Breaker(failures_to_open=len(CASES) + 1),
        prices=chosen.prices,
    )
    try:
        for known in CASES:
            trial.tried.append(await _try(model, known, trial))
            if trial.tried[-1].result == "failed" and model.breaker.phase != "closed":
                break  # a wrong key or model: the others would say the same
    finally:
        await model.close()
    return trial


async def _try(model: Model, known: Known, trial: Trial) -> Tried:
    began = perf_counter()
    try:
        answer = await model.ask(about(case_of(known), deadline_s=DEADLINE_S))
    except ModelFailed as failed:
        trial.tokens += failed.usage.tokens
        trial.usd += failed.usage.cost_usd
        trial.hint = failed.hint
        return Tried(known.name, "failed", perf_counter() - began, str(failed))
    trial.tokens += answer.usage.tokens
    trial.usd += answer.usage.cost_usd
    kept = frozenset(verdict.index for verdict in answer.value.kept)
    right = known.wanted <= kept <= known.wanted | known.welcome
    said = "; ".join(verdict.reason for verdict in answer.value.kept) or "keep nothing"
    return Tried(known.name, "right" if right else "wrong", perf_counter() - began, said)


def case_of(known: Known) -> Case:
    """Return a known case as the pipeline would put it."""
    exhibit = Exhibit(
        id="",
        text="",
        category="fact",
        date=datetime(2025, 6, 1, tzinfo=UTC),
        trust=0.8,
        vector_score=0.5,
        word_score=0.5,
        score=0.5,
    )
    exhibits = (
        msgspec.structs.replace(exhibit, id=f"mem_{index}", text=text) for index, text in enumerate(known.memories)
    )
    return Case(known.request, known.before, tuple(exhibits))
