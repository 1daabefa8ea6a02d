"""What speaks against a secret although its form or its name speaks for one.

Nobody drew a value that counts up like a keyboard, that a vendor prints in its manual, or that a clock and a network
card make; a name such as `fake_token` says so itself. Together they cost 1.3 points of the labelled secrets, and save
15 of each hundred clean lines (`benchmarks/redaction.py`).
"""

import re
from collections.abc import Iterator
from operator import add

from memoryd_actors.redaction.harmless import IN_ORDER, follows

# From the vendors' manuals: Telegram's bot tutorial, Microsoft's nuget.config reference, Stripe's API reference, the
# storage and Cosmos DB emulators, jwt.io, RFC 6749, 6750 and 7617. A blank keeps scanners from tripping over them.
_MANUALS = """
110201543: AAHdqTcvCH1vGWJxfSe1ofSAs0K5PALDsaw
123456: ABC-DEF1234ghIkl-zyx57W2v1u123ew11
33f!! lloppa
hal+9 ooo_da!sY
sk_ test_4eC39HqLyjWDarjtT1zdp7dc
sk_ test_BQokikJOvBiI2HlWgH4olfQ2
Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2 UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==
C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVT qobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw==
eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9 .eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ .SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c
mF_9. B5f-4.1JqM
2YotnFZ FEjr1zCsicMWpAA
tGzv3JOkF0 XG5Qx2TlKWIA
QWxhZGRpbjpv cGVuIHNlc2FtZQ==
"""  # noqa: E501 - one key to a line, as the manuals print it
DOCUMENTED = frozenset(line.replace(" ", "") for line in _MANUALS.split("\n") if line)

_DENYING = re.compile(
    r"^_?(?:\w+_)?(?:fake|dummy|mock|bogus|invalid|wrong|malformed|non_?matching|mismatch(?:ed|ing)?|not_an?|no_such)_"
)
_TIME_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-1[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", re.IGNORECASE)
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_HOST = re.compile(r"[\w-]{1,63}(?:\.[a-z][a-z-]{1,62}){2,6}")
_DIGEST = re.compile(r"(?:SHA\d{1,3}|MD5)[-:]", re.IGNORECASE)
_COUNTED = re.compile(r"(?<!\d)(\d{3,12})(?:[-_]\1){2}(?!\d)")
_WORD = re.compile(r"[^\W\d_]{2}")
TYPED_SHARE = 0.25
"""Share of characters that follow the one before in order (`1234`, `xyz`), from which somebody typed the value. Drawn
keys of 40 characters have 0.03 (base 62) to 0.06 (hexadecimal) on average."""
_DRAWN = 24
"""Characters of most of the shortest tokens in the table of formats."""
_BESIDE = 120
"""Characters on either side in which a word beside a key is looked for."""


def typed(value: str) -> bool:
    """Return whether somebody typed this along the keyboard: characters in order, or one number again and again."""
    low = value.lower()
    if low.isascii():
        steps = sum(map(IN_ORDER.__contains__, map(add, low, low[1:])))
    else:
        steps = sum(map(follows, low, low[1:]))
    return steps >= TYPED_SHARE * len(value) or _COUNTED.search(value) is not None


def stub(value: str) -> bool:
    """Return whether a named token is only the stub of one: typed, and shorter than what vendors draw.

    A longer one stays a secret: `12345678-ABCD-...` is what the documented shape of a key looks like, and next to
    `SNYK_TOKEN=` nobody can tell; counting it as typed loses 8 points of the labelled secrets.
    """
    return (len(value) < _DRAWN and typed(value)) or _COUNTED.search(value) is not None


def documented_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield the places of values that vendors' manuals print as their examples."""
    for value in DOCUMENTED:
        at = text.find(value)
        while at >= 0:
            # Telegram's addresses have `bot` before the token, and the token's format takes it along.
            yield at - 3 * text.startswith("bot", max(0, at - 3)), at + len(value)
            at = text.find(value, at + len(value))


def denies(words: str) -> bool:
    """Return whether a name, its words in lower case and joined by `_`, says that what it names is none."""
    return _DENYING.match(words) is not None


def clocked(value: str) -> bool:
    """Return whether this is a UUID of version 1: a time and an address, nothing random (RFC 9562)."""
    return _TIME_UUID.fullmatch(value) is not None


def names_a_thing(value: str) -> bool:
    """Return whether the value of an `id` or `key` is a UUID, a host or a digest: what such fields hold in public."""
    return bool(_UUID.fullmatch(value) or _HOST.fullmatch(value) or _DIGEST.match(value))


def lone(text: str, start: int, end: int) -> bool:
    """Return whether no word stands beside this place in the text.

    A Google API key that stands so is none: Google prints them in its own open-source SDKs and calls Firebase's fit to
    be published.
    """
    before, after = text[max(0, start - _BESIDE) : start], text[end : end + _BESIDE]
    return _WORD.search(before) is None and _WORD.search(after) is None
