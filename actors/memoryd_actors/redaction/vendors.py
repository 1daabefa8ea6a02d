"""Tokens that give themselves away: each vendor's documented format.

Where a vendor fixes length or checksum, so does the rule. A few beginnings are unmistakable: with 20 characters of key
behind them they count, whole or not, unless they stand for one (`sk-ant-your-key-goes-here`). Every quantifier has an
upper bound, and a token begins where no letter, digit or underscore stands before it.
"""

import re
from collections.abc import Iterator

from memoryd_actors.redaction.doubt import lone, typed
from memoryd_actors.redaction.finding import SecretFinding
from memoryd_actors.redaction.formats import CUT, FORMATS
from memoryd_actors.redaction.harmless import degenerate, placeholder

SHORTEST = 13
"""Characters of the shortest token in the table."""
_LONGEST = 20_000


_BOUNDARY = r"(?<![A-Za-z0-9_])(?=[\w.~+/-])"
# ASCII: between a Chinese character and a token there is a boundary, too. No group around each alternative: `re` skips
# an alternative by its first letter only when nothing stands before it (4 us per character otherwise).
# An empty group behind each says which it was.
_TOKEN = re.compile(rf"{_BOUNDARY}(?:{'|'.join(f'{pattern}()' for _, pattern in FORMATS + CUT)})", re.ASCII)
_RULES = tuple((rule, False) for rule, _ in FORMATS) + tuple((rule, True) for rule, _ in CUT)
"""Rule, and whether it takes a token that is cut."""
_WORDS = re.compile(r"[a-z]+(?:[-_](?:[a-z]+|[A-Z]+|\d{1,4}|[a-z]+\d\d))+")
_DRAWN = re.compile(r"(?=\D{0,39}\d)(?=[^a-z]{0,39}[a-z])(?=[^A-Z]{0,39}[A-Z])[A-Za-z0-9]{40}")
"""What nobody types: in such a run letters spell `dummy` or `todo` by chance."""
_MARKED = re.compile(r"[A-Za-z]{0,24}[=:]?[\"']?\[redacted:[a-z0-9-]{1,48}\][\"',.;:)]*")
"""What a round of redaction leaves, where no token is: a marker, after the name whose value it was."""
_LENIENT = frozenset({"artifactory-key", "aws-bedrock-key", "slack-webhook"})
"""Formats that published examples fill with one letter; masked or not, nothing else begins like them."""
_PUBLISHABLE = frozenset({"gcp-api-key"})
"""Formats that are no secret by themselves: see `doubt.lone`."""


def find_tokens(text: str) -> Iterator[SecretFinding]:
    """Yield tokens of known vendors. Only words long enough to be one are looked at: prose has none."""
    at = 0
    for word in text.split():
        if len(word) < SHORTEST or _is_word(word) or _MARKED.fullmatch(word):
            continue
        at = text.index(word, at)
        end = at + len(word)
        for match in _TOKEN.finditer(text, at, end):
            rule, cut = _RULES[(match.lastindex or 1) - 1]
            value = match.group()[:_LONGEST]
            if cut and (_stands_for_one(value) or typed(value)):
                continue
            if rule in _PUBLISHABLE and lone(text, *match.span()):
                continue
            if rule in _LENIENT or not (degenerate(value) or value.endswith("EXAMPLE")):
                yield SecretFinding(rule, *match.span())
        at = end


def _stands_for_one(value: str) -> bool:
    """Return whether this is what manuals write for a token: words, or a mask."""
    if _DRAWN.search(value):
        return degenerate(value)
    return placeholder(value) or _WORDS.fullmatch(value) is not None


def _is_word(text: str) -> bool:
    """Return whether this is a word of a language: `recommendations,`, `well-established`. Saves half of the time."""
    letters = text.strip(".,;:!?()\"'*").replace("-", "")
    return letters.isalpha() and letters[1:].islower()
