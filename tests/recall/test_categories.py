"""Categories in a running system: what has to be asked for, what an agent may see."""

from pathlib import Path

import pytest

from memoryd_actors.access.categories import Categories
from memoryd_actors.memory.settings import CategorySettings
from memoryd_client import PendingMemory
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


async def test_what_has_to_be_asked_for_never_comes_up_by_itself(tmp_path: Path, models: Path) -> None:
    kept_out = {"procedural": CategorySettings(context="asked")}
    async with running(Place(tmp_path / "home", models, categories=Categories(kept_out))) as system:
        await system.remember(f"{EXPIRY} It is procedural.", category="procedural")
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
        # What somebody else asked there is not the stylist's to see.
        assert await system.recall.traces(Caller(session="s", agent="stylist"), limit=1) == []
        (trace,) = await system.recall.traces(Caller(session="s", agent="tui"), limit=1)
        assert len(trace.candidates) == 1
