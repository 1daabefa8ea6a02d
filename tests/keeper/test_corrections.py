"""What the user corrected stands against what agents claim afterwards."""

import pytest

from memoryd_actors.keeping.orders import EditMemory, Store
from memoryd_client import Memory, NewMemory
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.editing import Changes
from memoryd_client.wire.memory import Source, State
from recall_system import Place, System, running

CALLER = Caller(agent="test", session="s1", project="/p")


async def store(system: System, content: str, category: str = "fact", source: Source = Source.AGENT) -> Memory:
    (stored,) = await system.keeper.ask(
        Store((NewMemory(content=content, category=category, source=source),), CALLER), deadline_s=20
    )
    return stored


async def test_what_an_agent_claims_against_the_users_correction_gives_way(place: Place) -> None:
    async with running(place) as system:
        corrected = await store(system, "The deploy job runs at 04:00 UTC.", "correction", Source.USER)
        for claim in ("The deploy job runs at 02:00 UTC.", "The deploy job now runs at 05:00 UTC."):
            claimed = await store(system, claim)
            assert (claimed.state, claimed.superseded_by) == (State.SUPERSEDED, corrected.id)
        beside = await store(system, "The deploy job of the website runs at 02:00 UTC.")
        assert beside.active
        caller, changes = CALLER, Changes(content="The deploy job runs at 03:00 UTC.")
        (edited,) = await system.keeper.ask(EditMemory(beside.id, changes, None, caller), deadline_s=20)
        assert (edited.state, edited.superseded_by) == (State.SUPERSEDED, corrected.id)
        by_user = await store(system, "The deploy job now runs at 06:00 UTC.", source=Source.USER)
        assert by_user.active


@pytest.mark.parametrize(
    ("corrected", "claimed"),
    [("The default branch is main.", "The default branch is develop."), ("We no longer use Redis.", "We use Redis.")],
)
async def test_a_claim_in_other_words_gives_way_as_well(place: Place, corrected: str, claimed: str) -> None:
    async with running(place) as system:
        correction = await store(system, corrected, "correction", Source.USER)
        assert (await store(system, claimed)).superseded_by == correction.id
