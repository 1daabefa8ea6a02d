"""When there is time to hand memory back that the C heap would keep."""

from typing import Final

_MANY: Final = 1_000
_FEW: Final = 200
"""Messages after which memory is handed back, and how many a second are few. After 1,200 turns of a hundred sessions
15 MB are handed back."""
_SOME: Final = 100
_QUIET_S: Final = 3
"""Messages after which it is handed back once none came for so many seconds: most of what they led to is done then.
After 400 turns of a hundred sessions that is 10 MB."""


class Lull:
    """Watches how many messages come; ask it once a second."""

    def __init__(self) -> None:
        self._came = 0
        self._handed_back = 0
        """How many there were when memory was last handed back."""
        self._quiet_s = 0

    def has_come(self, messages: int) -> bool:
        """Return, once, whether few come after many, or none for a while after some; `messages` have come in all."""
        new, since = messages - self._came, messages - self._handed_back
        self._came = messages
        self._quiet_s = 0 if new else self._quiet_s + 1
        if (since >= _MANY and new < _FEW) or (since >= _SOME and self._quiet_s >= _QUIET_S):
            self._handed_back = messages
            return True
        return False
