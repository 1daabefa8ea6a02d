"""A session is told what others changed since it last took."""

from memoryd_actors.keeping.orders import PurgeMemories, SetState
from memoryd_client import State
from memoryd_client.wire.caller import Caller
from recall_system import Place, System, running

ASKED = "Why does the login test fail at midnight?"
FACT = "The login test fails at midnight because token expiry is computed in UTC."


async def taken(system: System, said: str, take_id: str) -> tuple[str, ...]:
    """Push, wait, take, and return the header that came with it."""
    assert system.push("s", said)
    await system.decided("s", said)
    answer = await system.recall.take(Caller(session="s"), take_id)
    assert answer.pending is not None
    header = answer.pending.changes
    assert all(line in answer.pending.text for line in header)
    return header


async def test_a_session_hears_of_what_changes_while_it_lasts_and_only_once(place: Place) -> None:
    async with running(place) as system:
        tea = await system.remember("Ana drinks tea at four.")
        await system.remember(FACT)
        assert await taken(system, ASKED, "t1") == ()
        await system.keeper.ask(SetState(tea, State.FORGOTTEN, Caller()), deadline_s=10)
        await system.remember("The deploy job of the shop runs every night at two in Frankfurt.")
        first, *bullets = await taken(system, "When does the deploy job of the shop run at night?", "t2")
        assert first == "Memory updates since rev 0:"
        # What is handed over with the same answer is not news beside it.
        assert bullets == ["- ✗deleted: [fact] Ana drinks tea at four."]
        await system.remember("The staging database is refreshed from production on Mondays.")
        assert await taken(system, "How is the staging database refreshed from production?", "t3") == ()


async def test_the_header_survives_a_restart(place: Place) -> None:
    async with running(place) as system:
        await system.remember(FACT)
        assert await taken(system, ASKED, "t1") == ()
        await system.recall.drain()
    async with running(place) as system:
        await system.remember("Ana drinks tea at four.", session="other")
        await system.remember("The deploy job of the shop runs every night at two in Frankfurt.", session="other")
        header = await taken(system, "When does the deploy job of the shop run at night?", "t2")
        assert header[1:] == ("- +created: [fact] Ana drinks tea at four. (imp=3)",)


async def test_a_session_that_only_took_nothing_hears_after_a_restart_what_changed_meanwhile(place: Place) -> None:
    async with running(place) as system:
        assert (await system.recall.take(Caller(session="s"), "t1")).pending is None
        await system.remember("The gate opens at nine.", session="other")
    async with running(place) as system:
        await system.remember("The ferry sails at ten.", session="other")
        told = (await system.recall.take(Caller(session="s"), "t2")).pending
        assert told is not None
        assert {line.partition("] ")[2] for line in told.changes[1:]} == {
            "The ferry sails at ten. (imp=3)",
            "The gate opens at nine. (imp=3)",
        }


async def test_what_others_do_is_told_when_nothing_else_is_pending(place: Place) -> None:
    async with running(place) as system:
        assert (await system.recall.take(Caller(session="s"), "t1")).pending is None
        await system.remember("Ana drinks tea at four.", session="other")
        told = (await system.recall.take(Caller(session="s"), "t2")).pending
        assert told is not None
        assert (told.memories, told.always) == ((), ())
        assert told.changes[1:] == ("- +created: [fact] Ana drinks tea at four. (imp=3)",)
        assert (await system.recall.take(Caller(session="s"), "t3")).pending is None


async def test_what_it_was_told_of_and_is_purged_is_told_as_destroyed_once(place: Place) -> None:
    async with running(place) as system:
        for session in ("s", "late"):
            assert (await system.recall.take(Caller(session=session), f"{session}0")).pending is None
        tea = await system.remember("Ana drinks tea at four.", session="other")
        gate = await system.remember("The gate opens at nine.", session="other")
        assert (await system.recall.take(Caller(session="s"), "t1")).pending is not None
        await system.recall.drain()
    async with running(place) as system:
        await system.keeper.ask(PurgeMemories((tea,), "local", ""), deadline_s=10)
        await system.keeper.ask(PurgeMemories((gate,), "local", ""), deadline_s=10)
        told = (await system.recall.take(Caller(session="s"), "t2")).pending
        assert told is not None
        assert told.changes[1:] == ("- ✗destroyed: 2 memories that you were told of before",)
        assert "tea" not in told.text
        assert (await system.recall.take(Caller(session="s"), "t3")).pending is None
        assert (await system.recall.take(Caller(session="late"), "late1")).pending is None  # it never heard of them


async def test_each_session_has_a_revision_of_its_own_that_goes_on_after_a_restart(place: Place) -> None:
    async def first_line(system: System, session: str, take_id: str) -> str:
        pending = (await system.recall.take(Caller(session=session), take_id)).pending
        assert pending is not None
        return pending.changes[0]

    async with running(place) as system:
        for session in ("s", "t"):
            assert (await system.recall.take(Caller(session=session), f"{session}0")).pending is None
        await system.remember("Ana drinks tea at four.", session="other")
        assert await first_line(system, "s", "s1") == "Memory updates since rev 0:"
        await system.remember("The staging database is refreshed on Mondays.", session="other")
        assert await first_line(system, "s", "s2") == "Memory updates since rev 1:"
        # It hears of both at once.
        assert await first_line(system, "t", "t1") == "Memory updates since rev 0:"
        await system.recall.drain()
    async with running(place) as system:
        await system.remember("The deploy job of the shop runs in Frankfurt.", session="other")
        assert await first_line(system, "s", "s3") == "Memory updates since rev 2:"
        assert await first_line(system, "t", "t2") == "Memory updates since rev 1:"
