"""Secrets whose name and value are set apart by marks or a word: emphasis, tables, tags, `use API key ...`.

The text is read from each name onwards, over a bounded stretch, so the time is linear.
"""

import re
from collections.abc import Iterator

from memoryd_actors.redaction.finding import Finding
from memoryd_actors.redaction.harmless import entropy, measure, placeholder, reference
from memoryd_actors.redaction.traits import has_digit, has_letter, symbols

_STEMS = ("pass", "pwd", "token", "secret", "key", "bearer", "kennwort", "contrase", "senha")
_NAME = re.compile(
    r"passwords?|passworts?|passphrases?|passcodes?|passwds?|pass\b|pwd\b|kennwort|passe\b|contraseña|senha"
    r"|api[ _-]{0,2}keys?|access[ _-]keys?|secret[ _-]keys?_base|secret[ _-]keys?|auth[ _-]keys?|private[ _-]keys?"
    r"|signing[ _-]keys?|encryption[ _-]keys?|tokens?\b|secrets?\b|bearer\b"
)
_WHICH_KEY = re.compile(r"(?:api|access|secret|auth|private|signing|encryption)[ _-]{0,2}\Z")
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
_USED = re.compile(
    r"(?:\b(?:use|using|used|with|and|send|sent|set|header|mit|und|avec|et|con)\b|authorization:?)[ \t]{1,3}"
    r"(?:the |our |my |this |that |a |an |user(?:name)? [\w.@-]{1,40} and )?(?:[\w-]{1,20} )?$"
)
_QUOTED = re.compile(r"([\"'`“„«])([^\n\"'`“”„«»]{4,200})[\"'`”“»]")
_BARE = re.compile(r"[^\s|<>\"'`“”«»]{4,512}")
_ENDS = ".,;:!?)]}*_"
_HEX = re.compile(r"[0-9a-f]{24,128}", re.IGNORECASE)
_LINE_BEFORE = 70


def find_marked(text: str, lowered: str) -> Iterator[Finding]:
    """Yield the values. `lowered` is the text in lower case, of the same length."""
    done = 0
    for at in _stems(lowered):
        before = _WHICH_KEY.search(lowered, max(done, at - 13, 0), at) if lowered.startswith("key", at) else None
        name = _NAME.match(lowered, before.start() if before else at)
        if name is None or name.start() < done:
            continue
        end = name.end()
        behind = text[end : end + 1]
        if behind not in _JOINS:
            continue
        blank = behind in " \t"
        joined = None
        if not blank or _JOINT_AHEAD.match(text, end):
            for pattern in _JOINS[behind]:
                if joined := pattern.match(text, end):
                    break
        strong = joined is not None
        if joined is None:
            if not blank:
                continue
            line = lowered[max(0, name.start() - _LINE_BEFORE) : name.start()].rpartition("\n")[2]
            if not (name.group() in {"bearer", "secret_key_base"} or _USED.search(line)):
                continue
            joined = _SPACE.match(text, end)
            if joined is None:
                continue
        password = not name.group().startswith(_KEYS)
        value = _value(text, joined.end())
        if value is not None and _is_secret(text[slice(*value)], password=password, strong=strong):
            done = value[1]
            yield Finding("password" if password else "token", *value)


def _stems(lowered: str) -> list[int]:
    """Return where names may be. Words are searched, not their alternatives: 0.3% of redaction instead of 12%."""
    found: list[int] = []
    for stem in _STEMS:
        at = lowered.find(stem)
        while at >= 0:
            found.append(at)
            at = lowered.find(stem, at + len(stem))
    return sorted(found)


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
