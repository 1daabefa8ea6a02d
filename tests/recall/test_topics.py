"""A new topic lets memories be shown again: at once where it is plain, else once its reply is known."""

from memoryd_actors.recall.pipeline import Pipeline
from memoryd_client import Trace
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.context import ContextUpdate, Message
from recall_system import Place, System, running

FACT = "Token expiry is computed in UTC, so the login test fails at midnight local time."
ASKED = "why does the login test fail at midnight, is it the token expiry?"
ANSWERED = "The token expiry is computed in UTC, so it fails at midnight local time."
TRAIN = "how late at night does the last train leave for Bremen?"
TRAIN_ANSWERED = "The last train to Bremen leaves platform 7, seats can be reserved."
BACK = "so does the login test fail at midnight because of the token expiry?"


async def turn(system: System, session: str, *said: str) -> Trace:
    """Push a conversation in which user and agent take turns, the user last; wait for the decision."""
    last = len(said) - 1
    messages = tuple(Message("assistant" if (last - n) % 2 else "user", text) for n, text in enumerate(said))
    assert system.recall.offer(ContextUpdate(caller=Caller(session=session), messages=messages))
    return await system.decided(session, said[-1])


async def test_a_turn_that_only_its_reply_shows_to_be_a_new_topic_counts_as_one(place: Place) -> None:
    async with running(place) as system:
        memory_id = await system.remember(FACT)
        await turn(system, "s", ASKED)
        assert await system.taken("s", "t1") == [memory_id]
        asked = await turn(system, "s", ASKED, ANSWERED, TRAIN)
        assert not asked.topic_changed
        later = await turn(system, "s", ANSWERED, TRAIN, TRAIN_ANSWERED, BACK)
        assert (later.topic_changed, later.topic_turn, later.turn) == (True, 2, 3)
        assert await system.taken("s", "t3") == [memory_id]


async def test_what_still_stands_in_the_conversation_is_not_handed_over_again_though_the_topic_changed(
    place: Place,
) -> None:
    async with running(place) as system:
        memory_id = await system.remember(FACT)
        await turn(system, "s", ASKED)
        assert await system.taken("s", "t1") == [memory_id]
        await turn(system, "s", ASKED, ANSWERED, TRAIN)
        later = await turn(system, "s", ASKED, ANSWERED, TRAIN, TRAIN_ANSWERED, BACK)
        assert later.topic_changed
        assert [one.reason for one in later.candidates] == ["already shown on turn 1"]
        assert await system.taken("s", "t3") == []


async def test_a_turn_whose_reply_stays_on_topic_is_no_new_one(place: Place) -> None:
    async with running(place) as system:
        memory_id = await system.remember(FACT)
        await turn(system, "s", ASKED)
        assert await system.taken("s", "t1") == [memory_id]
        vague = "and what about the one for the mobile app?"
        reply = "The same: its token expiry is computed in UTC too."
        assert not (await turn(system, "s", ASKED, ANSWERED, vague)).topic_changed
        later = await turn(system, "s", ASKED, ANSWERED, vague, reply, BACK)
        assert not later.topic_changed
        assert [one.reason for one in later.candidates] == ["already shown on turn 1"]
        assert await system.taken("s", "t3") == []


async def test_one_session_changing_its_topic_changes_it_for_no_other(place: Place) -> None:
    async with running(place) as system:
        memory_id = await system.remember(FACT)
        for session in ("turns", "stays"):
            await turn(system, session, ASKED)
            assert await system.taken(session, f"{session} 1") == [memory_id]
        await turn(system, "turns", ASKED, ANSWERED, TRAIN)
        await turn(system, "turns", ANSWERED, TRAIN, TRAIN_ANSWERED, BACK)
        await turn(system, "stays", ASKED, ANSWERED, BACK)
        assert await system.taken("turns", "turns 3") == [memory_id]
        assert await system.taken("stays", "stays 2") == []


def test_an_agent_that_reports_step_by_step_does_not_push_the_request_before_out_of_sight() -> None:
    steps = [Message("assistant", f"step {number} is done") for number in range(20)]
    said = [
        Message("user", ASKED),
        Message("assistant", ANSWERED),
        Message("user", TRAIN),
        *steps,
        Message("user", BACK),
    ]
    focus = Pipeline.read(said, "turn")
    assert focus is not None
    assert focus.window == ("step 19 is done", TRAIN)
    assert focus.last_turn is not None
    assert focus.last_turn.texts == (TRAIN, "step 19 is done", ANSWERED, ASKED)
