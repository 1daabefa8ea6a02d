"""The embedding model: where its weights come from, how it runs, and the one service that everybody asks.

`weights` finds or builds the files (`hub` downloads, `convert` and `export` convert, `cache` keeps), `onnx` and
`sentence_transformers` run them behind `model.Model`, `thread` gives them a thread of their own, and `service` is the
`Embedder` of the system.
"""

import os

# onnxruntime reports to its maker from the moment it is imported. Nothing but this, said before, keeps it from that.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

from memoryd.embedding.build import build_embedder as build_embedder
from memoryd.embedding.service import EmbeddingService as EmbeddingService
from memoryd.embedding.service import ModelStatistics as ModelStatistics

__all__ = ["EmbeddingService", "ModelStatistics", "build_embedder"]
