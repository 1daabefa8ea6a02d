"""How long a text is for a model."""

from collections.abc import Sequence
from typing import Protocol


class TokenCounter(Protocol):
    """Says how long texts are for a model."""

    async def count(self, texts: Sequence[str]) -> list[int] | None:
        """Return the number of tokens of each text; None where there is no tokenizer now."""
        ...
