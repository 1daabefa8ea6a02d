"""When upkeep may work: not while the machine is busy answering, and never more than half of the time."""

from collections.abc import Callable

import anyio
import msgspec

LOOK_S = 1.0
AT_MOST_S = 7_200.0
"""After so long it begins all the same: a machine that is never quiet needs it most, and it works at half speed."""
BUSY_LOOK_S = 0.05
BUSY_S = 30.0
"""It waits so long for whoever is being answered."""


class Resting(msgspec.Struct, frozen=True):
    """Waits for quiet, and gives way."""

    answered: Callable[[], int]
    """How much was asked for so far."""
    busy: Callable[[], bool]
    """Whether somebody is being answered now, or what was written waits for its place in the index."""
    quiet_s: float
    look_s: float = LOOK_S

    async def until_quiet(self, unless: Callable[[], bool]) -> bool:
        """Wait until nobody has asked for anything for `quiet_s`; return False as soon as `unless` says so."""
        quiet_s, waited_s = 0.0, 0.0
        answered = self.answered()
        while quiet_s < self.quiet_s and waited_s < AT_MOST_S:
            if unless():
                return False
            await anyio.sleep(self.look_s)
            waited_s += self.look_s
            quiet_s += self.look_s
            if self.busy() or self.answered() != answered:
                quiet_s, answered = 0.0, self.answered()
        return True

    async def rest(self, spent_s: float) -> None:
        """Rest as long as was worked, and as long as somebody is being answered."""
        await anyio.sleep(spent_s)
        waited_s = 0.0
        while self.busy() and waited_s < BUSY_S:
            await anyio.sleep(BUSY_LOOK_S)
            waited_s += BUSY_LOOK_S
