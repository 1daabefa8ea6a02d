"""Secrets whose name and value are set apart by marks or a word: emphasis, tables, tags, `use API key ...`.

The text is read from each name onwards, over a bounded stretch, so the time is linear.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator

from memoryd_actors.redaction.finding import SecretFinding
from memoryd_actors.redaction.harmless import entropy, measure, placeholder, reference
from memoryd_actors.redaction.traits import has_digit, has_letter, symbols

_NAME = re.compile(
    r"p(?:ass(?:words?|worts?|phrases?|codes?|wds?|\b|e\b)|wd\b|rivate[ _-]keys?)|kennwort|contraseña|senha"
    r"|a(?:pi[ _-]{0,2}keys?|ccess[ _-]keys?|uth[ _-]keys?)|encryption[ _-]keys?|tokens?\b|bearer\b"
    r"|s(?:ecret(?:[ _-]keys?_base|[ _-]keys?|s?\b)|igning[ _-]keys?)"
)
_KEYS = ("api", "access", "secret", "auth", "private", "signing", "encryption", "token", "bearer")
_MARK = r"(?:\*{1,3}|_{2,3}|`|</?(?:b|strong|em|i|code|td|th|dt|dd|span)>|</(?:b|strong|em|i|code)>)"
_BESIDE = re.compile(rf"{_MARK}[ \t]{{0,3}}[:=][ \t]{{0,3}}(?:{_MARK}[ \t]{{0,3}}){{0,2}}", re.IGNORECASE)
"""`**Password:** x`, `**Password**: x`, `<b>password</b>: x`"""
_AROUND = re.compile(rf"[ \t]{{0,3}}[:=][ \t]{{0,3}}{_MARK}(?:[ \t]{{0,3}}{_MARK}){{0,2}}[ \t]{{0,3}}", re.IGNORECASE)
_CELL = re.compile(r"</(?:td|th|dt)>\s{0,20}<(?:td|th|dd)>(?:<code>)?[ \t]{0,3}", re.IGNORECASE)
_BAR = re.compile(rf"(?:{_MARK})?[ \t]{{0,30}}\|[ \t]{{0,30}}(?:{_MARK})?", re.IGNORECASE)
_OF = re.compile(
    r"[ \t]{1,3}(?:for|of|to|on|in|für|zu|pour|de|para)[ \t]{1,3}(?:the[ \t])?[\w.@/-]{1,40}[ \t]{0,3}[:=][ \t]{0,3}",
    re.IGNORECASE,
)
_ANSWER = re.compile(r"\?[ \t]{1,3}(?:it['’]?s|it is|that['’]?s|es ist|c'est)[ \t]{1,3}", re.IGNORECASE)
_JOINS: dict[str, tuple[re.Pattern[str], ...]] = {
    "*": (_BESIDE, _BAR),
    "_": (_BESIDE, _BAR),
    "`": (_BESIDE, _BAR),
    "<": (_BESIDE, _CELL, _BAR),
    "|": (_BAR,),
    " ": (_AROUND, _BAR, _OF),
    "\t": (_AROUND, _BAR, _OF),
    ":": (_AROUND,),
    "=": (_AROUND,),
    "?": (_ANSWER,),
}
"""What may join a name to its value, in order, by the character that stands behind the name."""
_JOINT_AHEAD = re.compile(r"[ \t]{0,30}(?:[:=|]|(?:for|of|to|on|in|für|zu|pour|de|para)[ \t])", re.IGNORECASE)
"""What is behind a name and a blank wherever one of them matches."""
_SPACE = re.compile(r"[ \t]{1,3}")
_USE = re.compile(r"(?:use|using|used|with|and|send|sent|set|header|mit|und|avec|et|con)\b|authorization")
"""The words that `_USED` begins with, and a few more."""
_USED = re.compile(
    r"(?:\b(?:use|using|used|with|and|send|sent|set|header|mit|und|avec|et|con)\b|authorization:?)[ \t]{1,3}"
    r"(?:the |our |my |this |that |a |an |user(?:name)? [\w.@-]{1,40} and )?(?:[\w-]{1,20} )?$"
)
_QUOTED = re.compile(r"([\"'`“„«])([^\n\"'`“”„«»]{4,200})[\"'`”“»]")
_BARE = re.compile(r"[^\s|<>\"'`“”«»]{4,512}")
_ENDS = ".,;:!?)]}*_"
_HEX = re.compile(r"[0-9a-f]{24,128}", re.IGNORECASE)
_LINE_BEFORE = 70


def find_marked(text: str, lowered: str) -> Iterator[SecretFinding]:
    """Yield the values. `lowered` is the text in lower case, of the same length."""
    done = 0
    uses = _Uses(lowered)
    for name in _NAME.finditer(lowered):
        behind = text[name.end() : name.end() + 1]
        if name.start() < done or behind not in _JOINS:
            continue
        joint = _joint(text, name.end(), behind)
        at = joint.end() if joint else _used_at(text, name, uses) if behind in " \t" else -1
        value = _value(text, at) if at >= 0 else None
        if value is None:
            continue
        password = not name.group().startswith(_KEYS)
        if _is_secret(text[slice(*value)], password=password, strong=joint is not None):
            done = value[1]
            yield SecretFinding("password" if password else "token", *value)


def _joint(text: str, end: int, behind: str) -> re.Match[str] | None:
    """Return the marks or words between a name and its value."""
    if behind in " \t" and not _JOINT_AHEAD.match(text, end):
        return None
    for pattern in _JOINS[behind]:
        if joint := pattern.match(text, end):
            return joint
    return None


def _used_at(text: str, name: re.Match[str], uses: "_Uses") -> int:
    """Return where the value begins that only a blank sets apart from its name; -1 where nothing says it is one."""
    if name.group() not in {"bearer", "secret_key_base"} and not uses.before(name.start()):
        return -1
    space = _SPACE.match(text, name.end())
    return space.end() if space else -1


class _Uses:
    """Words that put a name to use, `with`, `header`: searched once, however many names ask."""

    def __init__(self, lowered: str) -> None:
        self._lowered = lowered
        self._starts: list[int] | None = None

    def before(self, start: int) -> bool:
        """Return whether one stands before a name in its line, with at most a few words between."""
        if self._starts is None:
            self._starts = [use.start() for use in _USE.finditer(self._lowered)]
        number = bisect_left(self._starts, start) - 1
        if number < 0 or self._starts[number] < start - _LINE_BEFORE:
            return False
        line = self._lowered[max(0, start - _LINE_BEFORE) : start].rpartition("\n")[2]
        return _USED.search(line) is not None


def _value(text: str, at: int) -> tuple[int, int] | None:
    if quoted := _QUOTED.match(text, at):
        return quoted.span(2)
    bare = _BARE.match(text, at)
    if bare is None:
        return None
    value = bare.group().rstrip(_ENDS[:-2] if "*" not in bare.group() else _ENDS)
    return (bare.start(), bare.start() + len(value)) if len(value) >= 4 else None


def _is_secret(value: str, *, password: bool, strong: bool) -> bool:
    if placeholder(value) or measure(value) or reference(value, quoted=False):
        return False
    digits, letters = has_digit(value), has_letter(value)
    if password:
        return len(value) >= 6 and letters and (digits or (strong and symbols(value) > 0))
    if not (digits and letters) or len(value) < 16 or " " in value or "/" in value[:1]:
        return False
    return _HEX.fullmatch(value) is not None or entropy(value) >= 3.2
