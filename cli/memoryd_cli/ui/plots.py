"""Small plots of block characters: they need no colours."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta

_EIGHTHS = " ▁▂▃▄▅▆▇█"
_SHADES = "█▓▒░▚▞"


def columns(values: Sequence[float], height: int = 2) -> list[str]:
    """Return lines, the top one first, in which each value is a column; zero is a dot, what is not zero is seen."""
    most = max(values, default=0.0)
    filled = [_eighths(value, most, 8 * height) for value in values]
    return ["".join(_cell(eighths, level) for eighths in filled) for level in reversed(range(height))]


def _cell(eighths: int, level: int) -> str:
    if eighths == 0 and level == 0:
        return "·"
    return _EIGHTHS[min(8, max(0, eighths - 8 * level))]


def _eighths(value: float, most: float, whole: int) -> int:
    if value <= 0 or most <= 0:
        return 0
    return max(1, round(value / most * whole))


def shares(parts: Sequence[tuple[str, int]], whole: int, width: int) -> list[tuple[str, str]]:
    """Return a bar of `width` characters in pieces, each with its name: each part by its share, the rest as free.

    A part that is not zero has one character at least.
    """
    pieces: list[tuple[str, str]] = []
    left = width
    for place, (name, size) in enumerate(parts):
        length = min(left, max(1, round(size / whole * width))) if size > 0 and whole > 0 else 0
        pieces.append((name, _SHADES[place % len(_SHADES)] * length))
        left -= length
    pieces.append(("free", "·" * left))
    return pieces


def bar(value: float, most: float, width: int) -> str:
    """Return a bar for a value, the greatest of which fills the width."""
    return "█" * (max(1, round(value / most * width)) if value > 0 and most > 0 else 0)


def by_day(found: Mapping[str, float], today: date, days: int) -> list[float]:
    """Return the values of the last days, the oldest first; 0 for a day that is not named."""
    return [found.get((today - timedelta(days=back)).isoformat(), 0.0) for back in reversed(range(days))]
