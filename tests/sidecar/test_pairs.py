import json
import threading
from collections.abc import AsyncIterator, Iterator

import pytest

from memoryd_actors.comparison import Statement, action, compare
from memoryd_actors.judging.pairs import LONGEST_SHOWN, MAX_PAIRS, Pair, PairClassifier
from memoryd_actors.memory.budget import Limits
from messages_api import MessagesApi, Reply, error, garbage, held, message, refusal, truncated
from sidecar_world import World, anthropic

CLOSE = Pair(Statement("A guy rides a brown horse."), Statement("A man is riding a horse that is brown."), 0.9)
NUMBERS = Pair(Statement("The limit is 5 requests."), Statement("The limit is 3 requests."), 0.97)
SAME = Pair(Statement("User prefers tabs."), Statement("The user prefers tabs."), 0.98)
PAIRS = (CLOSE, NUMBERS, SAME)


@pytest.fixture
async def world() -> AsyncIterator[World]:
    with MessagesApi(everything("same")) as api:
        async with anthropic(api) as provider:
            yield World(api, provider)


@pytest.fixture
def release() -> Iterator[threading.Event]:
    event = threading.Event()
    yield event
    event.set()


def everything(relation: str, pairs: int = MAX_PAIRS) -> Reply:
    given = [{"index": at, "relation": relation, "confidence": 0.95, "reason": "model"} for at in range(pairs)]
    return message(json.dumps({"pairs": given}))


async def test_the_model_decides_and_a_guard_vetoes_its_same(world: World) -> None:
    found = await PairClassifier(world.model()).classify(PAIRS)
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
    found = await PairClassifier(world.model()).classify(PAIRS)
    assert found.comparisons[1:] == tuple(compare(one.new, one.old, one.cosine) for one in PAIRS[1:])


async def test_a_text_longer_than_the_model_sees_is_not_the_same_on_its_word(world: World) -> None:
    long = "The user prefers tabs. " * (LONGEST_SHOWN // 20)
    pair = Pair(Statement(f"{long} Ann likes tea."), Statement(f"{long} Bob hates coffee."), 0.99)
    (found,) = (await PairClassifier(world.model()).classify([pair])).comparisons
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
    found = await PairClassifier(world.model()).classify(PAIRS)
    assert found.judge == "local"
    assert why in found.note
    assert found.comparisons == tuple(compare(one.new, one.old, one.cosine) for one in PAIRS)


async def test_a_slow_model_is_left_at_the_deadline(world: World, release: threading.Event) -> None:
    world.api.always(held(everything("same"), release))
    found = await PairClassifier(world.model(), deadline_s=0.2).classify(PAIRS)
    assert not release.is_set()
    assert "did not answer within" in found.note


async def test_a_spent_budget_leaves_it_to_the_local_classifier(world: World) -> None:
    model = world.model(limits=Limits(daily_tokens=10))
    found = await PairClassifier(model).classify(PAIRS)
    assert "budget" in found.note
    assert world.api.requests == ()
    assert model.trouble is not None


async def test_many_pairs_are_several_calls(world: World) -> None:
    found = await PairClassifier(world.model()).classify([SAME] * (MAX_PAIRS + 1))
    assert len(found.comparisons) == MAX_PAIRS + 1
    assert len(world.api.requests) == 2
    assert found.tokens == 2 * 1450
