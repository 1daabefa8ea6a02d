"""The embedder that a configuration describes."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from memoryd.config import EmbeddingConfig
from memoryd.embedding.catalogue import find
from memoryd.embedding.model import MINILM, MINILM_DIMENSIONS, PACKAGE, EmbeddingModel, ModelSpec, identity
from memoryd.embedding.service import EmbeddingService, ModelStatistics
from memoryd_actors.core.errors import ModelUnavailable

if TYPE_CHECKING:
    from memoryd.embedding.weights import Sources


def described(config: EmbeddingConfig) -> ModelSpec:
    """Return the model that the configuration names, as far as that can be told without its files."""
    published = find(config.model)
    model = published.repository if published else config.model
    return ModelSpec(
        model=model,
        identity=identity(model, config.precision),
        dimensions=MINILM_DIMENSIONS if model == MINILM else 0,
        backend=config.backend,
        folder=config.folder,
        precision=config.precision,
    )


def is_told(spec: ModelSpec) -> bool:
    """Return whether a description tells all there is: what `weights` knows by heart, and what torch finds itself."""
    return spec.model == MINILM or (spec.backend == "sentence-transformers" and not spec.folder)


def resolve(
    config: EmbeddingConfig, *, models: Path, offline: bool, endpoint: str | None = None, package: str = PACKAGE
) -> ModelSpec:
    """Return the model that the configuration names, its files found or fetched and tried out. Blocks.

    Raises:
        ModelUnavailable: there is no such model, or it cannot be run.
    """
    spec = described(config)
    if not is_told(spec):
        from memoryd.embedding.obtain import obtain

        spec = obtain(spec, _sources(spec, models=models, offline=offline, endpoint=endpoint, package=package)).spec
    loaded = _load(config, spec, models=models, offline=offline, endpoint=endpoint, package=package, device=None)
    return msgspec.structs.replace(spec, dimensions=loaded.dimensions)


def build_embedder(
    config: EmbeddingConfig,
    *,
    models: Path,
    offline: bool,
    spec: ModelSpec | None = None,
    endpoint: str | None = None,
    package: str = PACKAGE,
    device: str | None = None,
    observe: Callable[[ModelStatistics], None] = lambda _: None,
) -> EmbeddingService:
    """Return the embedder that the configuration describes; enter it before use. Nothing is loaded yet.

    `models` is the local cache. `offline` leaves the model hub alone, whose address `endpoint` is (None: HF_ENDPOINT,
    or else the public one). `spec` is another model than the configuration's. `package` holds the packaged weights.
    `device` is for sentence-transformers, as torch names it; None takes the best there is.
    """
    chosen = spec or described(config)

    def load() -> EmbeddingModel:
        return _load(config, chosen, models=models, offline=offline, endpoint=endpoint, package=package, device=device)

    return EmbeddingService(
        load,
        identity=chosen.identity,
        dimensions=chosen.dimensions or None,
        query_prefix=chosen.query_prefix,
        document_prefix=chosen.document_prefix,
        max_batch=config.max_batch,
        idle_unload_s=config.idle_unload_s,
        observe=observe,
    )


def _load(
    config: EmbeddingConfig,
    spec: ModelSpec,
    *,
    models: Path,
    offline: bool,
    endpoint: str | None,
    package: str,
    device: str | None,
) -> EmbeddingModel:
    # Imported here, in the model's thread: onnxruntime takes 0.1 s, torch 4 to 10.
    from memoryd.embedding.centred import Centred
    from memoryd.embedding.obtain import obtain
    from memoryd.embedding.weights import fetch

    sources = _sources(spec, models=models, offline=offline, endpoint=endpoint, package=package)
    weights = None
    if not is_told(spec):
        obtained = obtain(spec, sources)
        if spec.digest and obtained.spec.digest != spec.digest:
            raise ModelUnavailable(
                f"the files of {spec.model} are not those any more that the index was made with",
                f"Put them back, or take them as they are: `memoryd model embed use {spec.folder or spec.model}`.",
            )
        weights, spec = obtained.weights, obtained.spec
    if spec.backend == "sentence-transformers":
        if config.device in {"cpu", "cuda"}:
            device = device or config.device
        loaded = _load_with_torch(spec, sources, device=device)
        return loaded if is_told(spec) else Centred(loaded, spec)
    weights = weights or fetch(sources, spec.precision)
    from memoryd.embedding.onnx import OnnxModel, providers

    # Where the machine has one core, the model has to share it.
    threads = config.threads or max(1, min(4, _cores() - 1))
    model = OnnxModel(weights, threads=threads, spec=spec, providers=providers(config.device))
    return model if is_told(spec) else Centred(model, spec)


def _load_with_torch(spec: ModelSpec, sources: "Sources", *, device: str | None) -> EmbeddingModel:
    if spec.precision != "fp32":
        raise ModelUnavailable(
            f"the sentence-transformers backend has no precision {spec.precision}",
            "Set embedding.precision to fp32, or embedding.backend to onnx.",
        )
    from memoryd.embedding.sentence_transformers import SentenceTransformersModel
    from memoryd.embedding.weights import packaged

    folder = sources.folder
    if folder is None and spec.model == MINILM:
        folder = packaged(sources.package)
    return SentenceTransformersModel(spec.model, folder=folder, offline=sources.offline, device=device)


def _sources(spec: ModelSpec, *, models: Path, offline: bool, endpoint: str | None, package: str) -> "Sources":
    from memoryd.embedding.weights import Sources

    folder = Path(spec.folder).expanduser() if spec.folder else None
    return Sources(models=models, folder=folder, offline=offline, endpoint=endpoint, package=package)


def _cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
