import pytest
from benchmarks.kills import part


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_kill_9_at_any_moment_loses_nothing_acknowledged_and_leaves_no_purge_half_done() -> None:
    figures = part(5, seed=1)
    assert figures["problems"] == []
    assert figures["acknowledged"]
