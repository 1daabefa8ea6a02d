"""The embedding model: where its weights come from, how it runs, and the one service that everybody asks.

`weights` finds or builds the files (`hub` downloads, `convert` and `export` convert, `cache` keeps), `onnx` and
`sentence_transformers` run them behind `model.Model`, `thread` gives them a thread of their own, and `service` is the
`Embedder` of the system.
"""

from memoryd.embedding.build import build_embedder as build_embedder
from memoryd.embedding.service import EmbeddingService as EmbeddingService
from memoryd.embedding.service import ModelStatistics as ModelStatistics

__all__ = ["EmbeddingService", "ModelStatistics", "build_embedder"]
