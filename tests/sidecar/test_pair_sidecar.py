import json
import threading
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import pytest

from memoryd.config import SidecarConfig
from memoryd.judge import AnthropicJudge, build_judge
from memoryd.judge.anthropic_pairs import AnthropicPairs
from memoryd_actors.comparison import Statement, action, compare
from memoryd_actors.judging.account import Account
from memoryd_actors.judging.pair_judge import Pair
from memoryd_actors.judging.pair_sidecar import LONGEST_SHOWN, MAX_PAIRS, PairSidecar
from memoryd_actors.memory.budget import Limits, Spending
from memoryd_client.wire.events import Event
from messages_api import MessagesApi, Reply, error, garbage, held, message, refusal, truncated

CLOSE = Pair(Statement("A guy rides a brown horse."), Statement("A man is riding a horse that is brown."), 0.9)
NUMBERS = Pair(Statement("The limit is 5 requests."), Statement("The limit is 3 requests."), 0.97)
SAME = Pair(Statement("User prefers tabs."), Statement("The user prefers tabs."), 0.98)
PAIRS = (CLOSE, NUMBERS, SAME)


@dataclass
class Noon:
    """A clock that stands still."""

    def now(self) -> datetime:
        return datetime(2026, 11, 20, 12, tzinfo=UTC)

    def monotonic(self) -> float:
        return 1000.0


@dataclass
class Purse:
    """A book of spending that lives as long as the test."""

    days: dict[str, Spending] = field(default_factory=dict[str, Spending])

    async def spending(self, day: str) -> Spending:
        return self.days.get(day, Spending(day=day))

    async def spend(self, spending: Spending) -> None:
        so_far = await self.spending(spending.day)
        self.days[spending.day] = replace(
            so_far, calls=so_far.calls + 1, input_tokens=so_far.input_tokens + spending.input_tokens
        )


@dataclass
class World:
    api: MessagesApi
    remote: AnthropicPairs | None
    purse: Purse = field(default_factory=Purse)
    events: list[Event] = field(default_factory=list[Event])

    def sidecar(self, *, deadline_s: float = 20.0, limits: Limits | None = None) -> PairSidecar:
        return PairSidecar(
            self.remote,
            account=Account(self.purse, Noon(), limits or Limits()),
            clock=Noon(),
            publish=self.events.append,
            deadline_s=deadline_s,
        )


@pytest.fixture
async def world() -> AsyncIterator[World]:
    with MessagesApi(everything("same")) as api:
        config = SidecarConfig(api_key="sk-test", base_url=api.url, deadline_s=20.0)
        judge = build_judge(config)
        assert isinstance(judge, AnthropicJudge)
        await judge.prepare()
        yield World(api, AnthropicPairs(judge))
        await judge.aclose()


@pytest.fixture
def release() -> Iterator[threading.Event]:
    event = threading.Event()
    yield event
    event.set()


def everything(relation: str, pairs: int = MAX_PAIRS) -> Reply:
    given = [{"index": at, "relation": relation, "confidence": 0.95, "reason": "model"} for at in range(pairs)]
    return message(json.dumps({"pairs": given}))


async def test_the_model_decides_and_a_guard_vetoes_its_same(world: World) -> None:
    found = await world.sidecar().classify(PAIRS)
    assert found.judge == "claude-haiku-5-5"
    close, numbers, same = found.comparisons
    assert close is not None
    assert action(close) == "merge"
    assert same is not None
    assert action(same) == "merge"
    assert numbers is not None
    assert action(numbers) == "queue"
    assert "number 5 ≠ 3" in numbers.reason
    assert world.purse.days["2026-11-20"].input_tokens == 1200


async def test_what_the_model_leaves_out_is_decided_locally(world: World) -> None:
    world.api.always(everything("resembles", 1))
    found = await world.sidecar().classify(PAIRS)
    assert found.comparisons[1:] == tuple(compare(one.new, one.old, one.cosine) for one in PAIRS[1:])


async def test_a_text_longer_than_the_model_sees_is_not_the_same_on_its_word(world: World) -> None:
    long = "The user prefers tabs. " * (LONGEST_SHOWN // 20)
    pair = Pair(Statement(f"{long} Ann likes tea."), Statement(f"{long} Bob hates coffee."), 0.99)
    (found,) = (await world.sidecar().classify([pair])).comparisons
    assert found == compare(pair.new, pair.old, pair.cosine)


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (refusal(), "declined"),
        (truncated(), "cut off"),
        (garbage(), "not an answer"),
        (message("no"), "without pairs"),
        (error(429, "rate_limit_error", "slow"), "rate limit"),
    ],
)
async def test_when_the_model_fails_the_local_classifier_answers_and_says_why(
    world: World, reply: Reply, why: str
) -> None:
    world.api.always(reply)
    found = await world.sidecar().classify(PAIRS)
    assert found.judge == "local"
    assert why in found.note
    assert found.comparisons == tuple(compare(one.new, one.old, one.cosine) for one in PAIRS)


async def test_a_slow_model_is_left_at_the_deadline(world: World, release: threading.Event) -> None:
    world.api.always(held(everything("same"), release))
    found = await world.sidecar(deadline_s=0.2).classify(PAIRS)
    assert not release.is_set()
    assert "did not answer within" in found.note


async def test_a_spent_budget_leaves_it_to_the_local_classifier(world: World) -> None:
    sidecar = world.sidecar(limits=Limits(daily_tokens=10))
    found = await sidecar.classify(PAIRS)
    assert "budget" in found.note
    assert world.api.requests == ()
    assert sidecar.status().state == "degraded"


async def test_without_a_key_nothing_leaves_the_machine(world: World) -> None:
    world.remote = None
    found = await world.sidecar().classify(PAIRS)
    assert (found.judge, found.note, world.api.requests) == ("local", "", ())
    assert len(found.comparisons) == len(PAIRS)


async def test_many_pairs_are_several_calls(world: World) -> None:
    found = await world.sidecar().classify([SAME] * (MAX_PAIRS + 1))
    assert len(found.comparisons) == MAX_PAIRS + 1
    assert len(world.api.requests) == 2
    assert found.input_tokens == 2400
