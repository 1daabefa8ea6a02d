"""How many tokens texts have, for every purpose of a context counted in the same way."""

import math
from collections import OrderedDict
from collections.abc import Sequence
from typing import NamedTuple

from memoryd_actors.ports.token_counter import TokenCounter

PER_MESSAGE = 4
"""Tokens of what stands around a message: its role, its marks."""
BYTES_PER_TOKEN = 6
"""No text counts as less than its size says. The tokeniser takes a word of more than a hundred characters, as base64
is, for a single token, where a model's own finds one in three characters; English prose has 4.5 bytes to a token."""
ESTIMATE = 3.0
"""Characters to a token where nobody can count: rather too few, so that nothing overflows."""
CHUNK = 32_000
"""Characters that are counted at once: beyond 64 K the tokeniser does not look."""
REMEMBERED = 256
LONGEST_REMEMBERED = 20_000


class TokenCounts(NamedTuple):
    """What came of counting."""

    tokens: list[int]
    exact: bool
    """False where there was no tokeniser yet, and they are estimated."""


class Counting:
    """Counts, and remembers what is asked for again with every context: core memory, rules, summaries."""

    def __init__(self, tokens: TokenCounter) -> None:
        self._tokens = tokens
        self._known: OrderedDict[str, int] = OrderedDict()

    async def count(self, texts: Sequence[str]) -> TokenCounts:
        """Return the tokens of each text, without what stands around it."""
        chunks = [text[at : at + CHUNK] for text in texts for at in range(0, len(text), CHUNK)]
        counted = await self._tokens.count(chunks) if chunks else []
        if counted is None:
            return TokenCounts([estimated(text) for text in texts], exact=False)
        totals: list[int] = []
        at = 0
        for text in texts:
            parts = math.ceil(len(text) / CHUNK)
            totals.append(max(sum(counted[at : at + parts]), smallest(text)))
            at += parts
        return TokenCounts(totals, exact=True)

    async def one(self, text: str) -> int:
        """Return the tokens of one text that is likely to come again."""
        if text in self._known:
            self._known.move_to_end(text)
            return self._known[text]
        (found,), exact = await self.count([text])
        if exact and len(text) <= LONGEST_REMEMBERED:
            self._known[text] = found
            if len(self._known) > REMEMBERED:
                self._known.popitem(last=False)
        return found

    async def fitted(self, text: str, room: int, mark: str, *, tail: float = 0.0) -> tuple[str, int]:
        """Return the text cut to at most `room` tokens, and how many it has; empty where not even the mark fits.

        The mark says that it is cut; `tail` is the share of what is kept that comes from the end, behind the mark.
        """
        size = await self.one(text)
        if size <= room:
            return text, size
        keep = len(text) * (room - await self.one(mark)) / size
        while keep >= 1:
            behind = int(keep * tail)
            head = text[: int(keep) - behind].rstrip()
            cut = f"{head}\n{mark}" if head else mark
            cut += f"\n{text[-behind:].lstrip()}" if behind else ""
            (tokens,), _ = await self.count([cut])
            if tokens <= room:
                return cut, tokens
            keep *= 0.9 * room / tokens
        return "", 0


def smallest(text: str) -> int:
    """Return the tokens that a text has at least, by its size."""
    size = len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
    return math.ceil(size / BYTES_PER_TOKEN)


def estimated(text: str) -> int:
    """Return how many tokens a text may have, by its length."""
    return max(math.ceil(len(text) / ESTIMATE), smallest(text))
