"""Secrets whose name and value are set apart by marks or a word: emphasis, tables, tags, `use API key ...`.

The text is read from each name onwards, over a bounded stretch, so the time is linear.
"""

import re
from collections.abc import Iterator

from memoryd_actors.redaction.finding import Finding
from memoryd_actors.redaction.harmless import entropy, measure, placeholder, reference

_STEMS = ("pass", "pwd", "token", "secret", "key", "bearer", "kennwort", "contrase", "senha")
_NAME = re.compile(
    r"passwords?|passworts?|passphrases?|passcodes?|passwds?|pass\b|pwd\b|kennwort|passe\b|contraseña|senha"
    r"|api[ _-]{0,2}keys?|access[ _-]keys?|secret[ _-]keys?_base|secret[ _-]keys?|auth[ _-]keys?|private[ _-]keys?"
    r"|signing[ _-]keys?|encryption[ _-]keys?|tokens?\b|secrets?\b|bearer\b"
)
_WHICH_KEY = re.compile(r"(?:api|access|secret|auth|private|signing|encryption)[ _-]{0,2}\Z")
_KEYS = ("api", "access", "secret", "auth", "private", "signing", "encryption", "token", "bearer")
_NEXT = frozenset("*_`<| \t:=?")
_MARK = r"(?:\*{1,3}|_{2,3}|`|</?(?:b|strong|em|i|code|td|th|dt|dd|span)>|</(?:b|strong|em|i|code)>)"
_JOINS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        # `**Password:** x`, `**Password**: x`, `<b>password</b>: x`, `<td>token</td><td>x`
        rf"{_MARK}[ \t]{{0,3}}[:=][ \t]{{0,3}}(?:{_MARK}[ \t]{{0,3}}){{0,2}}",
        rf"[ \t]{{0,3}}[:=][ \t]{{0,3}}{_MARK}(?:[ \t]{{0,3}}{_MARK}){{0,2}}[ \t]{{0,3}}",
        r"</(?:td|th|dt)>\s{0,20}<(?:td|th|dd)>(?:<code>)?[ \t]{0,3}",
        rf"(?:{_MARK})?[ \t]{{0,30}}\|[ \t]{{0,30}}(?:{_MARK})?",
        r"[ \t]{1,3}(?:for|of|to|on|in|für|zu|pour|de|para)[ \t]{1,3}(?:the[ \t])?[\w.@/-]{1,40}"
        r"[ \t]{0,3}[:=][ \t]{0,3}",
        r"\?[ \t]{1,3}(?:it['’]?s|it is|that['’]?s|es ist|c'est)[ \t]{1,3}",
    )
)
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
        if name is None or name.start() < done or text[name.end() : name.end() + 1] not in _NEXT:
            continue
        password = not name.group().startswith(_KEYS)
        joined = next((join for pattern in _JOINS if (join := pattern.match(text, name.end()))), None)
        strong = joined is not None
        if joined is None:
            space = _SPACE.match(text, name.end())
            if space is None:
                continue
            line = lowered[max(0, name.start() - _LINE_BEFORE) : name.start()].rpartition("\n")[2]
            if not (name.group() in {"bearer", "secret_key_base"} or _USED.search(line)):
                continue
            joined = space
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
    digits = any(char.isdigit() for char in value)
    letters = any(char.isalpha() for char in value)
    symbols = any(not char.isalnum() and char not in " _-./,:'" for char in value)
    if password:
        return len(value) >= 6 and ((digits and letters) or (symbols and letters and strong))
    if not (digits and letters) or len(value) < 16 or " " in value or "/" in value[:1]:
        return False
    return _HEX.fullmatch(value) is not None or entropy(value) >= 3.2
