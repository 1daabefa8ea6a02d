"""What happens is told to everybody who listens."""

import pytest

from memoryd.ipc.statistics import SocketStatistics
from memoryd.publisher import EventBus
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.context import ContextUpdate
from memoryd_client.wire.events import Warned


def test_one_listeners_bug_is_counted_and_neither_the_others_nor_the_publishers(
    caplog: pytest.LogCaptureFixture,
) -> None:
    counts = SocketStatistics()
    publish = EventBus(counts.count_bug)
    heard: list[ContextUpdate] = []

    def broken(update: ContextUpdate) -> None:
        raise TypeError("replace() should be called on dataclass instances")

    publish.listen(ContextUpdate, broken)
    publish.listen(ContextUpdate, heard.append)
    update = ContextUpdate(caller=Caller(session="s"), messages=())
    publish(update)
    publish(Warned(component="capture", message="nobody listens to this"))
    assert heard == [update]
    assert counts.bugs == 1
    assert "a listener to ContextUpdate met a bug" in caplog.text
