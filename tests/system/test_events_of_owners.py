"""Events: each owner hears of what is done for them, and of what concerns everybody."""

from memoryd_client.transport.subscription import Subscription
from memoryd_client.wire.events import Event, IndexProgress, PipelineRan, Warned, Wrote
from running import RunningDaemon

FACT = "The harbour master keeps the keys of the northern pier."
ASKED = "Who keeps the keys of the northern pier?"


def test_a_client_hears_of_its_own_owner_and_of_nobody_elses_deeds(daemon: RunningDaemon) -> None:
    seen: list[Event] = []
    number = 0
    with Subscription(daemon.paths, "ana") as news:
        # A subscription takes a while to arrive, so deeds are done until all kinds were heard of.
        while not {Wrote, PipelineRan, IndexProgress} <= {type(event) for event in seen}:
            number += 1
            for owner in ("ben", "ana"):
                with daemon.client(f"{owner} {number}", owner=owner) as other:
                    other.remember(f"{FACT} Entry {number} of {owner}.", scope="global")
                    daemon.indexed(other)
                    daemon.turn(other, ASKED)
                    other.take_pending(deadline_s=10)
            news.wait(1.0)
            while (event := news.next()) is not None:
                seen.append(event)
    own = [event for event in seen if not isinstance(event, Warned | IndexProgress)]
    assert {event.owner for event in own} == {"ana"}
