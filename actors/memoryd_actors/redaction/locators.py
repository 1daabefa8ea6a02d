"""Credentials in URLs and on command lines."""

import re
from collections.abc import Iterator

from memoryd_actors.redaction.finding import SecretFinding
from memoryd_actors.redaction.harmless import placeholder

_USERINFO = re.compile(r"([^\s:/@\"'`<>?#]{0,128})(?::([^\s/\"'`<>]{1,256}))?@(?=[\w\[{$%-])")
_CURL = re.compile(r"\bcurl\b")
_CURL_USER = re.compile(r"\s(?:-u|--user)[ =]{0,3}[\"']?([^\s:\"']{1,128}):([^\s\"']{1,256})")
_SHORT_FLAG = re.compile(
    r"\b(?:sshpass|mysql(?:dump|admin|show)?|mariadb|(?:docker|podman|az) login|mongo(?:sh|dump)?|"
    r"ldapsearch|redis-cli)\b"
)
_FLAG_VALUE = re.compile(r"\s(?:-p ?|-a |-w )([\"']?)([^\s\"'\-][^\s\"']{3,128})\1(?=\s|$)")
_REACH = 400
"""Characters after a command in which its flags are looked for."""


def find_locators(text: str, lowered: str) -> Iterator[SecretFinding]:
    """Yield passwords in `scheme://user:password@host`, and those given to curl, mysql, sshpass and their like."""
    at = text.find("://")
    while at >= 0:
        match = _USERINFO.match(text, at + 3)
        if match:
            user, password = match.group(1), match.group(2)
            if password is None:
                if len(user) >= 20 and any(char.isdigit() for char in user) and not _masked(user):
                    yield SecretFinding("url-credentials", *match.span(1))
            elif not _masked(password) and not password.isdigit():
                yield SecretFinding("url-credentials", *match.span(2))
        at = text.find("://", at + 3)
    if "curl" in lowered:
        yield from _flags(text, lowered, _CURL, _CURL_USER)
    if " -p" in text or " -a " in text or " -w " in text:
        yield from _flags(text, lowered, _SHORT_FLAG, _FLAG_VALUE)


def _flags(text: str, lowered: str, command: re.Pattern[str], flag: re.Pattern[str]) -> Iterator[SecretFinding]:
    done = 0
    for match in command.finditer(lowered):
        start = max(match.end(), done)
        stop = text.find("\n", start)
        stop = min(start + _REACH, len(text) if stop < 0 else stop)
        found = flag.search(text, start, stop)
        if found:
            done = found.end()
            if not _masked(found.group(2)) and not found.group(2).isdigit():
                yield SecretFinding("command-credentials", *found.span(2))


def _masked(value: str) -> bool:
    """Return whether a variable or stars stand there; in a URL even `password` may be the password."""
    masked = placeholder(value) and not value.isalnum()
    enclosed = value[0] in "<{$%" and value[-1] in ">})%"
    return masked or enclosed or value[0] == "$" or not value.strip("*x.X")
