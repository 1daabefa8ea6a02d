"""When memory is handed back."""

import pytest

from memoryd.ipc.lull import Lull


@pytest.mark.parametrize(
    ("each_second", "handed_back"),
    [
        pytest.param([50] * 20 + [0, 0], [19], id="after-many-while-few-come"),
        pytest.param([500] * 4 + [10, 0, 0, 0, 0], [4], id="not-while-many-come"),
        pytest.param([40] * 8 + [0, 0, 0, 0, 0], [10], id="after-some-once-it-is-quiet"),
        pytest.param([40] * 30 + [0, 0, 0, 0], [24, 32], id="what-came-after-many-too"),
        pytest.param([40, 0, 0, 0, 0, 30, 0, 0, 0, 30, 0, 0, 0], [12], id="after-some-that-came-bit-by-bit"),
        pytest.param([20] + [0] * 10, [], id="not-after-a-turn-or-two"),
        pytest.param([0] * 10, [], id="not-while-nothing-comes"),
    ],
)
def test_memory_is_handed_back_once_when_there_is_time(each_second: list[int], handed_back: list[int]) -> None:
    lull = Lull()
    came = [sum(each_second[: second + 1]) for second in range(len(each_second))]
    assert [second for second, messages in enumerate(came) if lull.has_come(messages)] == handed_back
