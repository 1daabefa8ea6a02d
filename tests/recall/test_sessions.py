"""Sessions side by side: independent of each other, of clocks, of one another's judges and bugs."""

from dataclasses import replace

import anyio

from memoryd.index import LanceIndex
from memoryd_actors.core.errors import DiskFull, Unavailable
from memoryd_actors.keeping.orders import PurgeMemories
from memoryd_actors.recall.session_registry import MOST, SPARE_S
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.context import Message
from recall_system import Place, running

FACT = "Tokens expire at midnight UTC."
QUESTION = "when do the tokens expire, at midnight?"


async def test_a_session_whose_judge_hangs_holds_up_no_other(place: Place) -> None:
    async with running(place) as system:
        memory_id = await system.remember(FACT)
        system.push("slow", f"hold on: {QUESTION}")
        await system.judge.knocked.wait()
        system.push("quick", QUESTION)
        await system.decided("quick", QUESTION)
        assert await system.taken("quick") == [memory_id]
        assert await system.taken("slow") == []
        system.judge.door.set()
        await system.decided("slow", f"hold on: {QUESTION}")
        assert await system.taken("slow", "t2") == [memory_id]


async def test_of_many_sessions_those_that_rest_leave_memory_and_are_back_when_somebody_asks(place: Place) -> None:
    async with running(place) as system:
        memory_id = await system.remember(FACT)
        system.push("rests", QUESTION)
        await system.decided("rests", QUESTION)
        system.push("slow", f"hold on: {QUESTION}")
        await system.judge.knocked.wait()
        for number in range(MOST - 2):
            await system.recall.peek(Caller(session=f"short {number}"))
        assert system.recall.loaded() == MOST
        system.clock.ran_s += SPARE_S + 1
        await system.recall.peek(Caller(session="new"))
        assert system.recall.loaded() == 2  # the new one, and the one whose context is being decided
        system.judge.door.set()
        await system.decided("slow", f"hold on: {QUESTION}")
        assert await system.taken("slow") == [memory_id]
        assert await system.taken("rests") == [memory_id]


async def test_what_is_purged_while_a_context_is_decided_is_neither_handed_over_nor_told_by_its_trace(
    place: Place,
) -> None:
    async with running(place) as system:
        memory_id = await system.remember(FACT)
        system.push("s", f"hold on: {QUESTION}")
        await system.judge.knocked.wait()
        await system.keeper.ask(PurgeMemories((memory_id,), "local", "test"), deadline_s=30)
        system.judge.door.set()
        await system.recall.drain()
        trace = (await system.ledger.sessions.traces("local", "s", limit=1))[0]
        assert (trace.focus, trace.candidates) == ("", ())
        saved = await system.ledger.sessions.load("local", "s")
        assert saved is not None
        assert b"midnight" not in saved.state


async def test_what_was_asked_while_something_was_purged_is_not_told_by_its_trace(place: Place) -> None:
    async with running(place) as system:
        await system.remember(FACT)
        other = await system.remember("Ana has two cats.")
        system.push("s", f"hold on: {QUESTION}")
        await system.judge.knocked.wait()
        system.push("s", "The cats of Ana, when do they eat?")  # waits for its turn
        await system.keeper.ask(PurgeMemories((other,), "local", "test"), deadline_s=30)
        system.judge.door.set()
        await system.recall.drain()
        traces = await system.ledger.sessions.traces("local", "s", limit=5)
        assert [trace.focus for trace in traces] == ["", ""]


async def test_what_is_asked_after_a_purge_is_told_by_its_trace(place: Place) -> None:
    async with running(place) as system:
        memory_id = await system.remember(FACT)
        system.push("s", QUESTION)
        await system.decided("s", QUESTION)
        await system.keeper.ask(PurgeMemories((memory_id,), "local", "test"), deadline_s=30)
        system.push("s", "Which time zone is it?")
        await system.decided("s", "Which time zone is it?")


async def test_of_the_contexts_that_come_meanwhile_only_the_latest_is_worked_on(place: Place) -> None:
    async with running(place) as system:
        await system.remember(FACT)
        system.push("s", f"hold on: {QUESTION}")
        await system.judge.knocked.wait()
        for number in range(5):
            assert system.push("s", f"question number {number} about tokens")
        system.judge.door.set()
        await system.decided("s", "question number 4 about tokens")
        traces = await system.recall.traces(Caller(session="s"), limit=50)
        assert [trace.focus for trace in traces] == ["question number 4 about tokens", f"hold on: {QUESTION}"]


async def test_a_bug_costs_one_context_of_one_session(place: Place) -> None:
    async with running(place) as system:
        memory_id = await system.remember(FACT)
        system.push("unlucky", f"crash on this: {QUESTION}")
        warning = await system.warned("sessions")
        assert "unlucky" in warning.message
        assert system.recall.counts.crashed == 1
        for session in ("unlucky", "other"):
            system.push(session, QUESTION)
            await system.decided(session, QUESTION)
            assert await system.taken(session) == [memory_id]


async def test_a_session_that_keeps_crashing_is_put_out_of_service_alone(place: Place) -> None:
    async with running(place) as system:
        memory_id = await system.remember(FACT)
        for number in range(12):
            system.push("cursed", f"crash {number}: {QUESTION}")
            await anyio.wait_all_tasks_blocked()
            await system.warned("sessions")
            system.events.clear()
        system.push("other", QUESTION)
        await system.decided("other", QUESTION)
        assert await system.taken("other") == [memory_id]
        system.push("cursed", QUESTION)
        await system.decided("cursed", QUESTION)
        assert await system.taken("cursed") == [memory_id]


async def test_a_clock_that_goes_backwards_changes_nothing(place: Place) -> None:
    async with running(place) as system:
        memory_id = await system.remember(FACT)
        system.push("s", QUESTION, sent_at=system.clock.at.timestamp())
        await system.decided("s", QUESTION)
        system.clock.turn_back(days=400)
        later = "and are the tokens of the API any different?"
        assert system.push("s", later, sent_at=system.clock.at.timestamp() + 3600)
        await system.decided("s", later)
        assert [trace.focus for trace in await system.recall.traces(Caller(session="s"), limit=2)] == [later, QUESTION]
        assert await system.taken("s") == [memory_id]
        newer = await system.remember("API tokens never expire.")
        assert newer != memory_id


async def test_a_context_that_is_too_old_or_was_overtaken_is_dropped(place: Place) -> None:
    async with running(place) as system:
        assert not system.push("s", QUESTION, sent_at=system.clock.at.timestamp() - 3600)
        assert system.recall.counts.dropped_stale == 1
        system.push("s", "the newer one of two", client="c", sequence=2)
        await system.decided("s", "the newer one of two")
        system.push("s", "the older one of two", client="c", sequence=1)
        await system.recall.drain()
        assert system.recall.counts.dropped_late == 1
        assert [trace.focus for trace in await system.recall.traces(Caller(session="s"), limit=9)] == [
            "the newer one of two"
        ]


async def test_a_take_that_is_repeated_gets_the_same_again_and_another_gets_nothing(place: Place) -> None:
    async with running(place) as system:
        memory_id = await system.remember(FACT)
        system.push("s", QUESTION)
        await system.decided("s", QUESTION)
        assert await system.taken("s", "first") == [memory_id]
        assert await system.taken("s", "first") == [memory_id]
        assert await system.taken("s", "second") == []


async def test_takes_at_the_same_time_share_nothing(place: Place) -> None:
    async with running(place) as system:
        memory_id = await system.remember(FACT)
        system.push("s", QUESTION)
        await system.decided("s", QUESTION)
        taken: list[list[str]] = []

        async def take(number: int) -> None:
            taken.append(await system.taken("s", f"take {number}"))

        async with anyio.create_task_group() as tasks:
            for number in range(8):
                tasks.start_soon(take, number)
        assert sorted(taken) == [[]] * 7 + [[memory_id]]


async def test_draining_sees_accepted_contexts_through(place: Place) -> None:
    async with running(place) as system:
        await system.remember(FACT)
        for number in range(5):
            system.push(f"s{number}", QUESTION)
        await system.recall.drain()
        assert system.recall.counts.decided == 5


async def test_recall_needs_a_context_and_uses_the_last_one(place: Place) -> None:
    async with running(place) as system:
        memory_id = await system.remember(FACT)
        system.push("s", QUESTION)
        await system.decided("s", QUESTION)
        again = await system.recall.recall(Caller(session="s"), ())
        assert again is not None
        assert [memory.id for memory in again.memories] == [memory_id]
        given = await system.recall.recall(Caller(session="new"), [Message("user", QUESTION)])
        assert given is not None
        assert [memory.id for memory in given.memories] == [memory_id]


async def test_what_is_taken_while_a_turn_is_judged_is_not_handed_over_again(place: Place) -> None:
    async with running(place) as system:
        memory_id = await system.remember(FACT)
        system.push("s", QUESTION)
        await system.decided("s", QUESTION)
        system.push("s", f"hold on: {QUESTION}")
        await system.judge.knocked.wait()
        assert await system.taken("s", "first") == [memory_id]
        system.judge.door.set()
        await system.decided("s", f"hold on: {QUESTION}")
        assert await system.taken("s", "second") == []


class BrokenIndex(LanceIndex):
    """An index on a disk that does not answer."""

    async def open(self, *, model: str, dimensions: int) -> int:
        raise Unavailable("the disk does not answer", "Look at the cable.")


async def test_a_context_that_cannot_be_decided_leaves_a_trace_that_says_why(place: Place) -> None:
    async with running(replace(place, index=BrokenIndex)) as system:
        system.push("s", QUESTION)
        trace = await system.decided("s", "")
        assert trace.outcome.startswith("not decided: the index is not open: the disk does not answer")
        assert trace.outcome.endswith("Look at the cable.")


class ForgetfulDisk(LanceIndex):
    """An index whose first rebuild finds no space."""

    full = True

    async def reset(self, *, model: str, dimensions: int) -> None:
        if self.full:
            self.full = False
            raise DiskFull("/somewhere")
        await super().reset(model=model, dimensions=dimensions)


async def test_a_rebuild_that_fails_is_tried_again(place: Place) -> None:
    async with running(replace(place, index=ForgetfulDisk)) as system:
        memory_id = await system.remember(FACT)
        system.indexer.rebuild()
        await system.warned("index")
        assert isinstance(system.indexer.problem, DiskFull)
        system.events.clear()
        system.indexer.kick()
        await system.caught_up()
        system.push("s", QUESTION)
        await system.decided("s", QUESTION)
        assert memory_id in await system.taken("s")


TWIN = "The tokens expire at midnight, UTC"
WHOLE = "Tokens expire at midnight UTC. The clock of the tests is local."
LATER = "at which midnight do the tokens expire?"


async def test_memories_that_say_the_same_are_shown_once(place: Place) -> None:
    async with running(place) as system:
        ids = set(await system.import_(FACT, TWIN))
        assert len(ids) == 2
        system.push("s", QUESTION)
        trace = await system.decided("s", QUESTION)
        taken = await system.taken("s", "first")
        assert len(taken) == 1
        assert set(taken) < ids
        (dropped,) = [one for one in trace.candidates if one.id not in taken]
        assert dropped.reason == f"adds nothing to {taken[0][:12]}"


async def test_what_says_the_same_as_something_shown_is_not_handed_over_also_after_a_restart(place: Place) -> None:
    async with running(place) as system:
        shown = await system.remember(FACT)
        system.push("s", QUESTION)
        await system.decided("s", QUESTION)
        assert await system.taken("s", "first") == [shown]
    async with running(place) as system:
        twin, _ = await system.import_(TWIN, "Ana drinks tea at four.")
        system.push("s", LATER)
        trace = await system.decided("s", LATER)
        assert not trace.topic_changed
        assert await system.taken("s", "second") == []
        reasons = {one.id: one.reason for one in trace.candidates}
        assert reasons[shown] == "already shown on turn 1"
        assert reasons[twin] == f"adds nothing to {shown[:12]}"
        system.push("another", LATER)
        await system.decided("another", LATER)
        assert len(await system.taken("another")) == 1


async def test_what_says_more_than_something_shown_is_handed_over(place: Place) -> None:
    async with running(place) as system:
        shown = await system.remember(FACT)
        system.push("s", QUESTION)
        await system.decided("s", QUESTION)
        assert await system.taken("s", "first") == [shown]
        whole, _ = await system.import_(WHOLE, "Ana drinks tea at four.")
        system.push("s", LATER)
        await system.decided("s", LATER)
        assert await system.taken("s", "second") == [whole]


async def test_what_a_session_stored_comes_back_to_it_in_no_words(place: Place) -> None:
    async with running(place) as system:
        await system.import_(TWIN, "Ana drinks tea at four.")
        (own, _) = await system.import_(FACT, "Rain is expected on Sunday.")
        await system.recall.note_written(Caller(session="s"), [own])
        system.push("s", QUESTION)
        trace = await system.decided("s", QUESTION)
        assert await system.taken("s") == []
        assert {one.reason for one in trace.candidates} >= {
            "stored by this session itself",
            f"adds nothing to {own[:12]}",
        }
    async with running(place) as system:
        system.push("s", LATER)
        await system.decided("s", LATER)
        assert await system.taken("s", "later") == []
