"""What stands around the words that announce a secret in a sentence: looked for once, however many words ask."""

import re
from bisect import bisect_left

from memoryd_actors.redaction.harmless import entropy, identifier, placeholder
from memoryd_actors.redaction.phrases import (
    ARTICLE,
    COMPLEMENT,
    HANDED,
    LABEL,
    LINK,
    LINKING,
    LINKS,
    LONGEST_COMPLEMENT,
    LONGEST_HANDED,
    LONGEST_LINK,
    LONGEST_REVERSED,
    POSSESSIVE,
    REVERSED,
    SEPARATING,
)

_RANDOM = re.compile(r"(?<![\w/.\-])[A-Za-z0-9_+/\-]{20,256}={0,2}(?![\w/.\-])")
_NEAR = 100
_FURTHEST_COLON = 1 + 60 + 4 + 1
"""Characters from the subject that `LABEL` spans up to its colon."""
_LINKING = frozenset(LINKING)
_BEFORE, _CLOSE = 140, 64
"""Characters before a subject in which its value is looked for, and in which an article has to be."""

Span = tuple[int, int]


class SubjectContext:
    """One text, in lower case beside; a place is where a subject begins or ends."""

    def __init__(self, text: str, lowered: str) -> None:
        """Take a text and the same in lower case, of the same length."""
        self.text = text
        self.lowered = lowered
        self._wide = "\uff1a" in lowered
        self._colons = self._wide or ":" in lowered
        self._runs: list[Span] | None = None
        self._drawn: dict[int, bool] = {}

    def silent(self, start: int, end: int) -> bool:
        """Return whether a subject stands in a marker, where nothing is said of it: nearly all of the last round."""
        return (
            self.lowered[end : end + 1] == "]" and not self.lowered[start - 1 : start].isspace() and not self._random()
        )

    def leads_on(self, end: int) -> bool:
        """Return whether what follows a subject can lead to a value: white space, or what links begin with."""
        follows = self.lowered[end : end + 1]
        return follows.isspace() or follows in _LINKING

    def link(self, end: int) -> int:
        """Return where the value begins that a subject is linked to, by way of its complement or not; -1 for none."""
        complement = COMPLEMENT.match(self.lowered, end)
        if complement:
            at = complement.end()
            # The first link behind the complement's first character.
            first = LINKS.search(self.lowered, at + 1, at + LONGEST_COMPLEMENT + LONGEST_LINK)
            if (
                first is not None
                and first.start() <= at + LONGEST_COMPLEMENT
                and not SEPARATING.search(self.lowered, at, first.start())
            ):
                return first.end(1)
        link = LINK.match(self.lowered, end)
        return link.end() if link else -1

    def label(self, end: int) -> int:
        """Return where the value begins behind some words and a colon; -1 for none."""
        if not self._colons:
            return -1
        stop = end + _FURTHEST_COLON
        # Looked for first: the pattern tries every length of what may stand before the colon.
        if self.lowered.find(":", end, stop) < 0 and not (self._wide and self.lowered.find("\uff1a", end, stop) >= 0):
            return -1
        label = LABEL.match(self.lowered, end)
        return label.end() if label else -1

    def owned(self, start: int) -> bool:
        """Return whether it is somebody's own that a subject speaks of."""
        return POSSESSIVE.search(self.lowered, max(0, start - 40), start) is not None

    def reversed_value(self, start: int, previous: int) -> Span | None:
        """Return the word before `is my password`; not from before the previous subject."""
        lowered = self.lowered
        if not lowered[start - 1 : start].isspace():
            return None
        window = max(previous, start - _BEFORE)
        verb = REVERSED.search(lowered, max(window, start - LONGEST_REVERSED), start)
        if not verb or not ARTICLE.search(lowered, max(previous, start - _CLOSE), start):
            return None
        while verb:
            value = HANDED.search(lowered, max(window, verb.start() - LONGEST_HANDED), verb.start())
            if value:
                return value.span(1)
            verb = REVERSED.search(lowered, verb.start() + 1, start)
        return None

    def drawn_after(self, at: int) -> Span | None:
        """Return the first long word at or behind a place, in the same line and near, if a machine drew it."""
        runs = self._random()
        if not runs or runs[-1][0] < at:
            return None
        number = bisect_left(runs, (at, 0))
        start, end = runs[number]
        if start > at + _NEAR:
            return None
        if "\n" in self.text[at:start]:
            return None
        if number not in self._drawn:
            self._drawn[number] = _is_drawn(self.text[start:end])
        return (start, end) if self._drawn[number] else None

    def _random(self) -> list[Span]:
        if self._runs is None:
            self._runs = [run.span() for run in _RANDOM.finditer(self.text)]
        return self._runs


def _is_drawn(value: str) -> bool:
    varied = (
        sum(char.isdigit() for char in value) >= 3
        and any(char.islower() for char in value)
        and any(char.isupper() for char in value)
    )
    return (
        varied and entropy(value) >= 3.5 and value.count("/") < 3 and not identifier(value) and not placeholder(value)
    )
