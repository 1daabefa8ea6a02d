"""Categories in a running system: what is always in context, what has to be asked for, what an agent may see."""

from pathlib import Path

import pytest

from memoryd_actors.access.categories import Categories
from memoryd_actors.keeping.orders import SetState
from memoryd_client import PendingMemory, State
from memoryd_client.wire.caller import Caller
from recall_system import Place, System, running

EXPIRY = "Token expiry is computed in UTC, so the login test fails at midnight."
ASKED = "why does the login test with the token expiry fail at midnight?"
ALLOWED = Categories(allowlists={"stylist": ["rule", "tone"]})


@pytest.fixture
def guarded(tmp_path: Path, models: Path) -> Place:
    return Place(tmp_path / "home", models, categories=ALLOWED)


async def taken(system: System, take_id: str, *, session: str = "s", agent: str = "") -> PendingMemory | None:
    """Take as a client does: at once where that is possible."""
    caller = Caller(session=session, agent=agent)
    answer = system.recall.take_now(caller, take_id) or await system.recall.take(caller, take_id)
    return answer.pending


def contents(pending: PendingMemory | None) -> list[str]:
    return [memory.content for memory in pending.always] if pending else []


async def test_rules_come_with_the_first_take_and_again_only_when_one_changes(tmp_path: Path, models: Path) -> None:
    place = Place(tmp_path / "home", models)
    async with running(place) as system:
        await system.remember("four spaces", category="rule", title="indentation")
        name = await system.remember("is called Ana", category="profile", title="employee")
        first = await taken(system, "1")
        assert contents(first) == ["indentation: four spaces", "employee: is called Ana"]
        assert first is not None
        assert first.memories == ()
        assert await taken(system, "2") is None
        # Something else was written: no reason to repeat them.
        await system.remember(EXPIRY)
        assert await taken(system, "3") is None
        await system.keeper.ask(SetState(name, State.FORGOTTEN, Caller()), deadline_s=10)
        assert contents(await taken(system, "4")) == ["indentation: four spaces"]
        assert await taken(system, "5") is None
    async with running(place) as system:
        assert await taken(system, "6") is None
        assert contents(await taken(system, "7", session="another")) == ["indentation: four spaces"]


async def test_rules_come_again_after_fifty_turns(tmp_path: Path, models: Path) -> None:
    async with running(Place(tmp_path / "home", models)) as system:
        await system.remember("four spaces", category="rule")
        assert contents(await taken(system, "first")) == ["four spaces"]
        for turn in range(50):
            assert system.push("s", f"turn number {turn} about nothing")
            await system.decided("s", f"turn number {turn} about nothing")
        assert contents(await taken(system, "again")) == ["four spaces"]
        assert system.recall.turns == 50


async def test_what_has_to_be_asked_for_never_comes_up_by_itself(tmp_path: Path, models: Path) -> None:
    async with running(Place(tmp_path / "home", models)) as system:
        for category in ("procedural", "rule", "profile"):
            await system.remember(f"{EXPIRY} It is a {category}.", category=category)
        fact = await system.remember(EXPIRY)
        assert system.push("s", ASKED)
        trace = await system.decided("s", ASKED)
        assert {one.id for one in trace.candidates} == {fact}


async def test_an_agent_is_not_handed_what_is_not_on_its_allowlist(guarded: Place) -> None:
    async with running(guarded) as system:
        await system.remember(EXPIRY)
        await system.remember("four spaces", category="rule")
        await system.remember("is called Ana", category="profile", title="employee")
        # Another agent of the same session found the fact; it waits for that one.
        assert system.push("s", ASKED)
        await system.decided("s", ASKED)
        mine = await taken(system, "1", agent="stylist")
        assert contents(mine) == ["four spaces"]
        assert mine is not None
        assert mine.memories == ()
        theirs = await taken(system, "2", agent="tui")
        assert theirs is not None
        assert [memory.content for memory in theirs.memories] == [EXPIRY]
        for agent, candidates in (("stylist", 0), ("tui", 1)):
            (trace,) = await system.recall.traces(Caller(session="s", agent=agent), limit=1)
            assert len(trace.candidates) == candidates
