"""Times of day and dates of figures, in one way of writing: `3 pm`, `15 Uhr` and `à 15h` are 15:00.

What may be morning or evening, `at 3:00`, stays as it is: it is neither 3:00 nor 15:00.
"""

import re
from functools import lru_cache
from typing import Final

_MAYBE: Final = re.compile(r"\d[\s\u00a0\u202f]?(?:[ap]\.?m|uhr|h)|\d\.\d\d?\.[12]", re.IGNORECASE)
"""What a text has where anything is to be written in another way: most have not, and are not looked over four times."""
_TIME: Final = re.compile(
    r"(?<![\d.,:/$€£+-])(?P<hour>\d{1,2})(?:[:.](?P<minute>[0-5]\d))?[\s\u00a0\u202f]?"
    r"(?:(?P<half>[ap])(?:m|\.m\.?)(?!\w)|(?P<uhr>Uhr)(?:[\s\u00a0](?P<after>[0-5]\d)(?![\d:.,]))?(?!\w))",
    re.IGNORECASE,
)
_FRENCH: Final = re.compile(
    r"(?<![\d.,:/])(?P<before>(?:à|vers|dès)\s)?(?P<hour>\d{1,2})\s?h(?:eures?)?\s?(?P<minute>[0-5]\d)?"
    r"(?!\w|\.\d| de\b)",
    re.IGNORECASE,
)
_NAMED: Final = {"noon": "12:00", "midnight": "00:00"}
_NAME: Final = re.compile(r"(?<=at )(?:noon|midnight)\b")
_ZONE: Final = re.compile(r"(?<=:[0-5]\d),(?=\s(?:UTC|GMT)\b)")
"""`At midnight, UTC` is `at midnight UTC`."""
_DOTTED: Final = re.compile(r"(?<![\d.])(\d{1,2})\.(\d{1,2})\.((?:19|20)\d\d)(?![\d.]*\d)")
_TOLD: Final = re.compile(r"(?<!\d)(\d\d?):([0-5]\d)(?!\d)")


@lru_cache(maxsize=2048)
def on_the_clock(text: str) -> str:
    """Return a text with the times of day that are certain as `15:00`, and dates such as 1.6.2025 as `2025-06-01`."""
    if "noon" in text or "midnight" in text:
        text = _NAME.sub(lambda found: _NAMED[found.group()], text)
    if _MAYBE.search(text):
        text = _TIME.sub(_written, text)
        text = _FRENCH.sub(_french, text)
        text = _DOTTED.sub(_dated, text)
    return _ZONE.sub("", text) if "UTC" in text or "GMT" in text else text


def one_time(one: str, other: str) -> bool:
    """Return whether two times are written alike but for a nought: `9:00` may be 9 am, `09:00` is."""
    left, right = _TOLD.fullmatch(one), _TOLD.fullmatch(other)
    if left is None or right is None or left[2] != right[2]:
        return False
    return int(left[1]) == int(right[1])


def _written(found: re.Match[str]) -> str:
    hour = int(found["hour"])
    minute = found["minute"] or found["after"] or "00"
    if found["uhr"]:
        return f"{hour:02}:{minute}" if hour <= 24 else found.group()
    if not 1 <= hour <= 12:
        return found.group()
    return f"{hour % 12 + (12 if found['half'] in 'pP' else 0):02}:{minute}"


def _french(found: re.Match[str]) -> str:
    hour = int(found["hour"])
    if hour > 24 or not (found["before"] or found["minute"]):
        return found.group()
    return f"{found['before'] or ''}{hour:02}:{found['minute'] or '00'}"


def _dated(found: re.Match[str]) -> str:
    day, month = int(found[1]), int(found[2])
    return f"{found[3]}-{month:02}-{day:02}" if 1 <= day <= 31 and 1 <= month <= 12 else found.group()
