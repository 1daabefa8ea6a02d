from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from cases import case
from memoryd_actors.judging.cadence import Cadence
from sidecar_world import World

turns = st.lists(st.booleans(), min_size=1, max_size=60)


def asked_turns(cadence: Cadence, changes: list[bool]) -> list[int]:
    """Play turns, each with or without a new topic, before a judge that always answers."""
    asked: list[int] = []
    for turn, changed in enumerate(changes, 1):
        last = asked[-1] if asked else 0
        if not cadence.objection(trigger="turn", turn=turn, asked_turn=last, topic_changed=changed):
            asked.append(turn)
    return asked


@given(turns)
def test_the_judge_is_asked_on_every_turn_unless_that_is_changed(changes: list[bool]) -> None:
    assert asked_turns(Cadence(), changes) == list(range(1, len(changes) + 1))


@given(turns, st.integers(1, 9))
def test_sparsely_it_is_asked_first_at_every_new_topic_and_every_nth_turn(changes: list[bool], every: int) -> None:
    asked = asked_turns(Cadence(rule="sparse", every=every), changes)
    assert asked[0] == 1
    assert {turn for turn, changed in enumerate(changes, 1) if changed} <= set(asked)
    gaps = [later - earlier for earlier, later in zip(asked, [*asked[1:], len(changes) + 1], strict=True)]
    assert max(gaps) <= every
    for turn in asked[1:]:
        assert changes[turn - 1] or turn - max(one for one in asked if one < turn) == every


def test_until_it_has_answered_it_is_asked_again() -> None:
    cadence = Cadence(rule="sparse", every=5)
    assert cadence.objection(trigger="turn", turn=4, asked_turn=0, topic_changed=False) == ""


def test_between_turns_the_local_judge_is_enough() -> None:
    cadence = Cadence(rule="sparse", every=1)
    why = cadence.objection(trigger="error", turn=9, asked_turn=2, topic_changed=False)
    assert "at turns only" in why
    assert Cadence().objection(trigger="error", turn=9, asked_turn=2, topic_changed=False) == ""


async def test_a_case_to_be_spared_is_judged_here_and_says_why(world: World) -> None:
    sidecar = world.sidecar()
    judgement = await sidecar.judge(replace(case(), sparing="asked again on turn 6"))
    assert (judgement.judge, judgement.note) == ("local", "asked again on turn 6")
    assert world.api.requests == ()
    status = sidecar.status()
    assert (status.state, status.numbers["spared"], status.numbers["stand_ins"]) == ("ok", 1, 0)
