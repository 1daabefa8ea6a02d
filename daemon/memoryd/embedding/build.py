"""The embedder that a configuration describes."""

import os
from collections.abc import Callable
from pathlib import Path

from memoryd.config import EmbeddingConfig
from memoryd.embedding.model import MINILM, MINILM_DIMENSIONS, PACKAGE, EmbeddingModel, identity
from memoryd.embedding.service import EmbeddingService, ModelStatistics
from memoryd_actors.core.errors import ModelUnavailable


def build_embedder(
    config: EmbeddingConfig,
    *,
    models: Path,
    offline: bool,
    endpoint: str | None = None,
    package: str = PACKAGE,
    device: str | None = None,
    observe: Callable[[ModelStatistics], None] = lambda _: None,
) -> EmbeddingService:
    """Return the embedder that the configuration describes; enter it before use. Nothing is loaded yet.

    `models` is the local cache. `offline` leaves the model hub alone, whose address `endpoint` is (None: HF_ENDPOINT,
    or else the public one). `package` holds the packaged weights. `device` is for sentence-transformers, as torch
    names it; None takes the best there is.
    """
    folder = Path(config.folder).expanduser() if config.folder else None
    # Where the machine has one core, the model has to share it.
    threads = config.threads or max(1, min(4, _cores() - 1))

    def load() -> EmbeddingModel:
        # Imported here, in the model's thread: onnxruntime takes 0.1 s, torch 4 to 10.
        if config.backend == "sentence-transformers":
            return _load_with_torch(config, folder, offline=offline, package=package, device=device)
        if config.model != MINILM:
            raise ModelUnavailable(
                f"the onnx backend knows {MINILM} only, not {config.model}",
                "Set embedding.backend to sentence-transformers, or embedding.model back.",
            )
        from memoryd.embedding.onnx import OnnxModel
        from memoryd.embedding.weights import Sources, fetch

        sources = Sources(models=models, folder=folder, offline=offline, endpoint=endpoint, package=package)
        return OnnxModel(fetch(sources, config.precision), threads=threads)

    return EmbeddingService(
        load,
        identity=identity(config.model, config.precision),
        dimensions=MINILM_DIMENSIONS if config.model == MINILM else None,
        max_batch=config.max_batch,
        idle_unload_s=config.idle_unload_s,
        observe=observe,
    )


def _load_with_torch(
    config: EmbeddingConfig, folder: Path | None, *, offline: bool, package: str, device: str | None
) -> EmbeddingModel:
    if config.precision != "fp32":
        raise ModelUnavailable(
            f"the sentence-transformers backend has no precision {config.precision}",
            "Set embedding.precision to fp32, or embedding.backend to onnx.",
        )
    from memoryd.embedding.sentence_transformers import SentenceTransformersModel
    from memoryd.embedding.weights import packaged

    if folder is None and config.model == MINILM:
        folder = packaged(package)
    return SentenceTransformersModel(config.model, folder=folder, offline=offline, device=device)


def _cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
