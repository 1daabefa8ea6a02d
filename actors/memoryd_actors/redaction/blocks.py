"""Private keys and Kubernetes secrets: secrets that span lines."""

import re
from collections.abc import Iterator

from memoryd_actors.redaction.finding import SecretFinding

_BEGIN = re.compile(r"-----BEGIN[ A-Z0-9]{0,40}?PRIVATE KEY(?: BLOCK)?-----")
_PUBLIC = re.compile(
    r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}(?:PUBLIC KEY(?: BLOCK)?|CERTIFICATE(?: REQUEST)?|SIGNATURE|CRL)-----"
)
_ANY_BEGIN = "-----BEGIN "
_ANY_END = "-----END "
_END = re.compile(r"-----END[ A-Z0-9]{0,60}-----")
_BODY = re.compile(r"(?:[A-Za-z0-9+/=_.:,;\-\s\\]|\\n)+")
_LONGEST_BODY = 20_000
"""Characters of a key without an end; an RSA key of 16,384 bits has 13,000."""
_PUTTY = re.compile(r"Private-Lines: ?\d{1,3}\s{1,4}((?:[A-Za-z0-9+/=]{1,76}\s{1,2}){1,200})")
_KUBERNETES = re.compile(r"^[ \t]{0,40}kind:[ \t]{0,8}['\"]?secret['\"]?[ \t\r]{0,40}$", re.MULTILINE | re.IGNORECASE)
_DATA = re.compile(r"([ \t]*)['\"]?(data|stringData)['\"]?:[ \t\r]*")
_ENTRY = re.compile(r"([ \t]+)(?:['\"]?[\w.\-/]{1,253}['\"]?:[ \t]*)?(?:['\"]?)(.*?)['\"]?[ \t\r]*")
_BASE64 = re.compile(r"[A-Za-z0-9+/]{10,}={0,3}")


_FOOTER = re.compile(r"-----END[ A-Z0-9]{0,40}?PRIVATE KEY(?: BLOCK)?-----")
_LEADING = r"[ \t>|+\-]{0,12}(?:\d{1,5}[:|][ \t]{0,4})?[\"']?"
_TRAILING = r"(?:\\n)?[\"']?[ \t]{0,4}[+,\\]?[ \t\r]{0,4}"
_BODY_LINE = re.compile(rf"{_LEADING}(?P<body>[A-Za-z0-9+/=]{{1,100}}){_TRAILING}")
_BODY_CHARS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=\\"
"""Of a key in one line, its line breaks written as `\\n`."""
_SHORTEST_LINE = 40
"""Characters of a line of a key, but for the last one."""


def find_blocks(text: str) -> Iterator[SecretFinding]:
    """Yield private key blocks and the data of Kubernetes secrets."""
    if _ANY_BEGIN in text:
        yield from _pem(text)
    if _ANY_END in text:
        yield from _tails(text)
    if "Private-Lines" in text:
        for match in _PUTTY.finditer(text):
            yield SecretFinding("private-key", *match.span(1))
    if "kind" in text and "data" in text.lower():
        yield from _kubernetes(text)


def public_blocks(text: str) -> list[tuple[int, int]]:
    """Return where certificates, public keys and signatures are: armoured, but no secret."""
    spans: list[tuple[int, int]] = []
    at = text.find(_ANY_BEGIN)
    while at >= 0:
        following = text.find(_ANY_BEGIN, at + 1)
        if _PUBLIC.match(text, at):
            end = text.find(_ANY_END, at, following if following >= 0 else len(text))
            if end >= 0:
                spans.append((at, end))
        at = following
    return spans


def _pem(text: str) -> Iterator[SecretFinding]:
    """Walk from header to header; each is searched for its end only as far as the next, so the walk is linear."""
    at = text.find(_ANY_BEGIN)
    while at >= 0:
        following = text.find(_ANY_BEGIN, at + 1)
        header = _BEGIN.match(text, at)
        if header:
            limit = following if following >= 0 else len(text)
            end = text.find(_ANY_END, at, limit)
            footer = _END.match(text, end) if end >= 0 else None
            if footer:
                yield SecretFinding("private-key", at, footer.end())
            else:
                body = _BODY.match(text, header.end(), min(limit, header.end() + _LONGEST_BODY))
                if body and len(body.group().strip()) >= 16:
                    yield SecretFinding("private-key", at, header.end() + len(body.group().rstrip()))
        at = following


def _tails(text: str) -> Iterator[SecretFinding]:
    """Yield the ends of private keys that began elsewhere: in the message before, or above what was copied."""
    begun = 0
    for footer in _FOOTER.finditer(text):
        floor = max(begun, footer.start() - _LONGEST_BODY)
        begun = footer.end()
        start = _body_from(text[floor : footer.start()])
        if start is not None:
            yield SecretFinding("private-key", floor + start, footer.end())


def _body_from(before: str) -> int | None:
    """Return where the lines of a key begin that lead to the end of this text; None where there are none."""
    lines = before.split("\n")
    # What stands before the footer in its own line: quotes, an indent, or all of it in one line.
    run = len(lines[-1]) - len(lines[-1].rstrip(_BODY_CHARS))
    if run >= _SHORTEST_LINE:
        return len(before) - run
    at = len(before) - len(lines[-1])
    found = 0
    longest = 0
    for number, line in enumerate(reversed(lines[:-1])):
        body = _BODY_LINE.fullmatch(line)
        if body is None or (number and len(body["body"]) < _SHORTEST_LINE):
            break
        at -= len(line) + 1
        found = at + body.start("body")
        longest = max(longest, len(body["body"]))
    return found if longest >= _SHORTEST_LINE else None


def _kubernetes(text: str) -> Iterator[SecretFinding]:
    done = -1
    for kind in _KUBERNETES.finditer(text):
        if kind.start() < done:
            continue
        start = text.rfind("\n---", max(done, 0), kind.start()) + 1
        done = text.find("\n---", kind.end())
        done = len(text) if done < 0 else done
        yield from _entries(text, max(start, 0), done)


def _entries(text: str, start: int, stop: int) -> Iterator[SecretFinding]:
    indent: int | None = None
    plain = False
    at = start
    for line in text[start:stop].splitlines(keepends=True):
        body = line.rstrip("\n")
        data = _DATA.fullmatch(body)
        if data:
            indent, plain = len(data.group(1)), data.group(2) == "stringData"
        elif indent is not None and body.strip():
            entry = _ENTRY.fullmatch(body)
            if entry is None or len(entry.group(1)) <= indent:
                indent = None
            elif _BASE64.fullmatch(entry.group(2)) or (plain and len(entry.group(2)) >= 4 and "{{" not in body):
                yield SecretFinding("kubernetes-secret", at + entry.start(2), at + entry.end(2))
        at += len(line)
