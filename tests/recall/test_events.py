"""Each decided context is one event: what was searched for with its best cosine, what was passed over without."""

import pytest

from memoryd_actors.core.errors import Refused
from memoryd_actors.keeping.orders import SetState
from memoryd_actors.memory.events import of_context
from memoryd_client import State, Trace
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.event_counts import ListDone
from memoryd_client.wire.traces import CandidateTrace
from recall_system import Place, System, running


async def counted(system: System) -> dict[tuple[str, str, str], int]:
    return {(one.node, one.op, one.status): one.count for one in await system.ledger.events.counts("local", days=7)}


async def test_what_is_pushed_and_stored_is_counted(place: Place) -> None:
    async with running(place) as system:
        await system.remember("The deploy job runs in Frankfurt.")
        system.push("s", "where does the deploy job run?")
        await system.decided("s", "where does the deploy job run?")
        with pytest.raises(Refused):
            await system.keeper.ask(SetState("mem_nobody", State.FORGOTTEN, Caller(session="s")), deadline_s=10)
        assert await counted(system) == {
            ("keeper", "create", "ok"): 1,
            ("pipeline", "search", "ok"): 1,
            ("keeper", "delete", "error"): 1,
        }
        (failed,) = await system.ledger.events.done("local", ListDone(status="error"), allowed=None)
        assert failed.session == "s"


def trace(*, searched: bool, cosines: tuple[float, ...] = ()) -> Trace:
    found = [
        CandidateTrace(id=str(n), summary="", vector_score=one, word_score=0, score=one, kept=False, reason="")
        for n, one in enumerate(cosines)
    ]
    timings = {"clean": 1.0} | ({"search": 2.0} if searched else {})
    return Trace(
        session="s", turn=1, at="", trigger="turn", focus="", outcome="", candidates=tuple(found), timings_ms=timings
    )


def test_a_context_that_was_searched_for_tells_the_best_cosine() -> None:
    event = of_context("local", trace(searched=True, cosines=(0.2, 0.7, 0.4)))
    assert (event.op, event.status, event.sim, event.thread) == ("search", "ok", 0.7, "s")


def test_a_context_that_was_passed_over_was_classified_and_skipped() -> None:
    event = of_context("local", trace(searched=False))
    assert (event.op, event.status, event.sim) == ("classify", "skipped", None)


def test_a_context_that_could_not_be_decided_is_an_error() -> None:
    event = of_context("local", trace(searched=False), failed=True)
    assert (event.op, event.status) == ("search", "error")
