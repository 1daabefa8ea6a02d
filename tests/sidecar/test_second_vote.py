"""The second vote: what is kept has to be kept twice."""

import json
import re
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from cases import TEXTS, case
from memoryd_actors.judging.judge import Judgement, Verdict
from memoryd_actors.judging.second_vote import agreed, reordered
from memoryd_actors.judging.sidecar import FollowUps
from memoryd_actors.memory.case import Lookup, Passage
from memoryd_actors.memory.visibility import Visibility
from messages_api import asking, error, lookup, verdict, verdicts
from sidecar_world import World

COUNT = 5
votes = st.lists(
    st.builds(Verdict, st.integers(0, COUNT - 1), st.booleans(), st.booleans(), st.floats(0, 1), st.just(""))
)
TWICE = FollowUps(second_vote=True)


def given_verdicts(some: list[Verdict]) -> Judgement:
    first_of_each = {one.index: one for one in reversed(some)}
    return Judgement(tuple(first_of_each.values()), "model", input_tokens=10, output_tokens=1, cost_usd=0.25)


@given(votes, votes)
def test_only_what_both_keep_is_kept(first: list[Verdict], second: list[Verdict]) -> None:
    one, other = given_verdicts(first), given_verdicts(second)
    both = agreed(one, other, exhibits=COUNT)
    again = {COUNT - 1 - vote.index for vote in other.kept}
    assert {vote.index for vote in both.kept} == {vote.index for vote in one.kept} & again
    assert [vote.index for vote in both.verdicts] == [vote.index for vote in one.verdicts]
    assert (both.input_tokens, both.output_tokens, both.cost_usd) == (20, 2, 0.5)


def test_another_order_is_the_same_case_and_back_again_the_same_order() -> None:
    some = replace(case(), passages=(Passage(Lookup("source", 0), ("x",)), Passage(Lookup("session_search"), ())))
    other = reordered(some)
    assert [one.text for one in other.exhibits] == list(reversed(TEXTS))
    assert other.passages[0].lookup.index == 2
    assert other.passages[1].lookup.index == -1
    assert reordered(other) == some


async def test_a_second_vote_sees_another_order_and_overrules(world: World) -> None:
    world.api.queue(verdicts(verdict(0, score=0.9), verdict(1)), verdicts(verdict(2, score=0.7)))
    sidecar = world.sidecar(follow_ups=TWICE)
    judgement = await sidecar.judge(case())
    (kept,) = judgement.kept
    assert (kept.index, round(kept.score, 6)) == (0, 0.8)
    assert judgement.verdicts[1].reason == "the second vote had no word for it"
    assert judgement.note == "two votes"
    texts = [
        [one["text"] for one in json.loads(re.findall(r"<candidates>\n(.*)\n</candidates>", request.prompt)[0])]
        for request in world.api.requests
    ]
    assert texts == [list(TEXTS), list(reversed(TEXTS))]
    assert judgement.input_tokens == 2400
    numbers = sidecar.status().numbers
    assert (numbers["calls"], numbers["votes"], numbers["overruled"]) == (2, 1, 1)
    assert world.purse.days["2026-11-20"].calls == 2


async def test_nobody_votes_on_nothing_and_by_default_nobody_votes_twice(world: World) -> None:
    world.api.always(verdicts(verdict(0, actionable=False)))
    await world.sidecar(follow_ups=TWICE).judge(case())
    assert len(world.api.requests) == 1
    world.api.always(verdicts(verdict(0)))
    await world.sidecar().judge(case())
    assert len(world.api.requests) == 2


async def test_without_a_second_vote_the_first_counts(world: World) -> None:
    world.api.queue(verdicts(verdict(0)), error(500, "api_error", "internal"))
    sidecar = world.sidecar(follow_ups=TWICE)
    judgement = await sidecar.judge(case())
    assert [one.index for one in judgement.kept] == [0]
    assert judgement.note.startswith("one vote: ")
    assert sidecar.status().numbers["skipped"] == 1


async def test_the_second_vote_knows_what_was_looked_up(world: World) -> None:
    world.shelf.sources["mem_0"] = ["user: the clocks differ"]
    world.api.queue(asking(lookup("source", 0)), verdicts(verdict(0)), verdicts(verdict(2)))
    judgement = await world.sidecar(follow_ups=TWICE).judge(replace(case(), visible=Visibility(owner="local")))
    assert [one.index for one in judgement.kept] == [0]
    assert judgement.note == "after 1 look-up; two votes"
    third = world.api.requests[2].prompt
    assert '"index":2,"query":"","found":["user: the clocks differ"]' in third
    assert judgement.input_tokens == 3600
