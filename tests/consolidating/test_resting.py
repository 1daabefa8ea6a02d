"""Upkeep waits until nobody wants anything, and gives way where somebody does."""

import anyio

from memoryd_actors.consolidating.resting import Resting


class Agents:
    """Those who are answered."""

    def __init__(self) -> None:
        self.asked = 0
        self.answering = False
        self.looked = 0
        self.looked_often = anyio.Event()

    def answered(self) -> int:
        self.looked += 1
        if self.looked > 50:
            self.looked_often.set()
        return self.asked

    def busy(self) -> bool:
        return self.answering


async def test_it_does_not_begin_while_somebody_asks_again_and_again() -> None:
    agents = Agents()

    def answered() -> int:
        agents.asked += not agents.looked_often.is_set()
        return agents.answered()

    with anyio.fail_after(30):
        assert await Resting(answered, agents.busy, 0.003, look_s=0.001).until_quiet(unless=lambda: False)
    assert agents.looked_often.is_set()


async def test_it_stops_waiting_as_soon_as_somebody_wants_it_now() -> None:
    agents = Agents()
    agents.answering = True
    wanted = iter([False, False, True])
    with anyio.fail_after(30):
        resting = Resting(agents.answered, agents.busy, 3600, look_s=0.001)
        assert not await resting.until_quiet(unless=lambda: next(wanted))


async def test_a_rest_lasts_as_long_as_somebody_is_being_answered() -> None:
    agents = Agents()
    agents.answering = True
    looks = 0

    def busy() -> bool:
        nonlocal looks
        looks += 1
        return looks < 4

    await Resting(agents.answered, busy, 0).rest(0.0)
    assert looks == 4
