"""The embedding models that memoryd knows by name: where they are published, how they want to be asked, their terms.

What is said of them is what their publishers say. Measured by memoryd are those of which the docs have figures.
"""

import msgspec

from memoryd.embedding.hub import REVISION
from memoryd.embedding.model import MAXIMUM_TOKENS, MINILM, MINILM_DIMENSIONS, Pooling


class Published(msgspec.Struct, frozen=True, kw_only=True):
    """A model on the hub, as an ONNX graph."""

    name: str
    """The short one."""
    repository: str
    revision: str
    dimensions: int
    languages: str
    size_mb: int
    """Of what is fetched."""
    licence: str
    max_tokens: int = MAXIMUM_TOKENS
    pooling: Pooling = "mean"
    query_prefix: str = ""
    document_prefix: str = ""
    files: tuple[str, ...] = ("onnx/model.onnx", "tokenizer.json")
    """The graph first; what the graph names beside it."""

    @property
    def cached_as(self) -> str:
        """The name of its folder in the cache."""
        return "all-MiniLM-L6-v2" if self.repository == MINILM else self.name


CATALOGUE = (
    Published(
        name="minilm",
        repository=MINILM,
        revision=REVISION,
        dimensions=MINILM_DIMENSIONS,
        languages="English",
        size_mb=90,
        licence="Apache-2.0",
    ),
    Published(
        name="multilingual-e5-small",
        repository="intfloat/multilingual-e5-small",
        revision="fd1525a9fd15316a2d503bf26ab031a61d056e98",
        dimensions=384,
        languages="94 languages",
        size_mb=490,
        licence="MIT",
        query_prefix="query: ",
        document_prefix="passage: ",
    ),
    Published(
        name="bge-small",
        repository="BAAI/bge-small-en-v1.5",
        revision="5c38ec7c405ec4b44b94cc5a9bb96e735b38267a",
        dimensions=384,
        languages="English",
        size_mb=134,
        licence="MIT",
        pooling="cls",
        query_prefix="Represent this sentence for searching relevant passages: ",
    ),
    Published(
        name="embeddinggemma",
        repository="onnx-community/embeddinggemma-300m-ONNX",
        revision="5090578d9565bb06545b4552f76e6bc2c93e4a66",
        dimensions=768,
        languages="over 100 languages",
        size_mb=1_260,
        licence="Gemma Terms of Use",
        max_tokens=2048,
        pooling="none",
        query_prefix="task: search result | query: ",
        document_prefix="title: none | text: ",
        files=("onnx/model.onnx", "onnx/model.onnx_data", "tokenizer.json"),
    ),
)


def find(name: str) -> Published | None:
    """Return the model that is called so, by its short name or its name on the hub; None where there is none."""
    wanted = name.casefold()
    return next((one for one in CATALOGUE if wanted in (one.name, one.repository.casefold())), None)
