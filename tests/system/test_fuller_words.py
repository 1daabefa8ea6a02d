"""What follows from a memory needs no memory of its own, in a real daemon: one stays, and says it all."""

import pytest

from memoryd_client import Memory, State
from memoryd_client.client import Client
from running import RunningDaemon, until

PAIRS = [
    ("The user likes jazz.", "The user loves jazz."),
    ("The old laptop is not good.", "The old laptop is bad."),
    ("The user is walking along the river.", "The user is slowly walking along the river."),
]
"""The second says all that the first says."""


@pytest.mark.parametrize(("less", "full"), PAIRS)
def test_of_two_memories_the_one_that_says_it_all_stays(served: RunningDaemon, less: str, full: str) -> None:
    for project, order in (("/projects/less", (less, full)), ("/projects/full", (full, less))):
        with served.client(project=project) as client:
            one_of(client, order, full)


def one_of(client: Client, told: tuple[str, str], full: str) -> None:
    stored = [client.remember(text) for text in told]

    def active() -> list[Memory]:
        standing = {one.id: client.get(one.id) for one in stored}
        return [one for one in standing.values() if one.state is State.ACTIVE]

    # Before its model is read, a daemon stores at once and compares afterwards.
    until(lambda: len(active()) == 1, "the two to be one")
    (one,) = active()
    assert (one.content, one.strength) == (full, 2)
