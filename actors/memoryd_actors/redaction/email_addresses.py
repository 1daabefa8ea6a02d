"""E-mail addresses; what has an `@` as well, and is none: accounts of machines, repositories, packages, files, code."""

import re
from collections.abc import Iterator

from memoryd_actors.redaction.finding import SecretFinding

_LOCAL = re.compile(r"[\w.+-]{1,64}\Z")
_DOMAIN = re.compile(r"(?:[^\W_](?:[^\W_]|-){0,62}\.){1,6}[^\W\d_]{2,24}(?![\w-])")
_SPELLED = re.compile(
    r"(?<![\w.+-])([\w.+-]{1,64})[ ]?[(\[{]at[)\]}][ ]?"
    r"((?:[^\W_](?:[^\W_]|-){0,62}(?:\.|[ ]?[(\[{]dot[)\]}][ ]?)){1,6}[^\W\d_]{2,24})(?![\w-])",
    re.IGNORECASE,
)
"""As people write one where machines read: `ana (at) firm.org`, `ana [at] firm [dot] org`."""
_DOT = re.compile(r"[ ]?[(\[{]dot[)\]}][ ]?", re.IGNORECASE)
_RESERVED = re.compile(
    r"(?:.*\.)?(?:example\.(?:com|org|net)|example|test|invalid|localhost|local|internal)", re.IGNORECASE
)
_ACCOUNTS = frozenset("git hg svn root ubuntu debian centos ec2-user vagrant deploy www-data postgres getty".split())
"""Whom a machine lets in and nobody is called."""
_VERSION = re.compile(r"v?\d+\.\d|v\d+\.|\d+x\.")
"""How the domain of a package's version and of a picture's size begins: `pkg@1.2.3-rc.next`, `logo@2x.png`."""
_FILES = frozenset(
    "png jpg jpeg gif svg webp bmp ico pdf css scss html htm js jsx mjs cjs ts tsx json yaml yml toml ini cfg conf xml"
    " csv tsv txt log lock bak tmp whl tgz tar gz bz2 xz deb rpm exe dll dmg iso jar class java go rb kt swift php sql"
    " ipynb service socket timer target mount slice path device".split()
)
"""How files and units of systemd end, and no domain does."""
_REMOTE = re.compile(
    r"(?:\b(?:ssh|scp|sftp|rsync|mosh|sshfs|ssh-copy-id)"
    r"(?:[ \t]{1,4}(?:-\S{1,64}|\d{1,5}|[^\s@]{0,128}[/.:=~][^\s@]{0,128})){0,6}[ \t]{1,4}|://[^\s/@]{0,64})\Z"
)
"""What stands before an address of another kind: a command that goes to a machine, or the protocol of a URL."""


def find_emails(text: str) -> Iterator[SecretFinding]:
    """Yield e-mail addresses."""
    for spelled in _SPELLED.finditer(text):
        where = _DOT.sub(".", spelled[2])
        if not _RESERVED.fullmatch(where) and where.rpartition(".")[2].casefold() not in _FILES:
            yield SecretFinding("email", *spelled.span())
    at = text.find("@")
    done = 0
    while at >= 0:
        local = _LOCAL.search(text, max(done, at - 64), at)
        domain = _DOMAIN.match(text, at + 1)
        if local and domain and _is_email(text, local, domain):
            yield SecretFinding("email", local.start(), domain.end())
            done = domain.end()
        at = text.find("@", at + 1)


def _is_email(text: str, local: "re.Match[str]", domain: "re.Match[str]") -> bool:
    name, where, after = local.group().casefold(), domain.group(), text[domain.end() : domain.end() + 2]
    if name in _ACCOUNTS or _RESERVED.fullmatch(where) or _VERSION.match(where):
        return False
    # A path, a port or a call follows: `anna@host.net:src`, `a@b.dot(c)`.
    if after[:1] in {"(", "["} or (after[:1] == ":" and after[1:].strip()):
        return False
    return where.rpartition(".")[2].casefold() not in _FILES and not _REMOTE.search(
        text, max(0, local.start() - 400), local.start()
    )
