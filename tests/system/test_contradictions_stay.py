"""What looks alike and does not say the same, told to a real daemon: both stay, or the newer takes the place."""

from functools import partial
from pathlib import Path

import pytest

from comparison.contradictions import PAIRS
from memoryd_actors.comparison import Statement, compare
from memoryd_actors.comparison.compare import CERTAIN
from memoryd_client import Client, State
from running import RunningDaemon, until

SECRETS = ("ssh alice@10.0.0.3 with password Blume77", "PASSWORD\thunter2!!")
ANNOUNCED = {"We migrated."}
"""What says itself that something changed takes the place of what was so before."""


def gone_from_sight(client: Client, memory_id: str) -> bool:
    return not client.get(memory_id).active


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_of_two_memories_that_do_not_say_the_same_both_stay_unless_that_cannot_be(
    short_home: Path, models: Path
) -> None:
    pairs = [(one, other) for _, one, other in PAIRS if other not in ANNOUNCED]
    gone: list[str] = []
    with RunningDaemon(short_home, models) as daemon:
        for number, (one, other) in enumerate([*pairs, SECRETS]):
            # The user says it: what an agent says of a person waits for their yes.
            with daemon.client(project=f"/projects/{number}", agent="cli") as client:
                stored = [client.remember(text) for text in (one, other)]
                certain = compare(Statement(other), Statement(one), 0.8).confidence >= CERTAIN
                older = State.SUPERSEDED if certain else State.ACTIVE
                if certain:  # what is stored while the model loads is compared a moment later
                    until(partial(gone_from_sight, client, stored[0].id), f"{one} to give way")
                standing = [client.get(memory.id) for memory in stored]
            if [memory.state for memory in standing] != [older, State.ACTIVE]:
                gone.append(f"{one!r} / {other!r}: {standing}")
            elif standing[0].id == standing[1].id or any(memory.strength != 1 for memory in standing):
                gone.append(f"{one!r} / {other!r} are one: {standing[0].content!r}")
    assert gone == []
