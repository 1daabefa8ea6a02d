"""The files of any model but all-MiniLM-L6-v2, which `weights` knows by heart: from a folder, the cache or the hub."""

import hashlib
import re
import shutil
from pathlib import Path

import msgspec

from memoryd.embedding import hub
from memoryd.embedding.cache import sha256
from memoryd.embedding.catalogue import Published, find
from memoryd.embedding.centred import BACKGROUND
from memoryd.embedding.folder import TOKENIZER, Layout, read_folder
from memoryd.embedding.model import ModelSpec, identity
from memoryd.embedding.weights import Sources, Weights, converted, digest_of, entry_of
from memoryd_actors.core.errors import ModelUnavailable


class Obtained(msgspec.Struct, frozen=True):
    """A model's files on disk, and what they are."""

    weights: Weights
    spec: ModelSpec


def obtain(wanted: ModelSpec, sources: Sources) -> Obtained:
    """Find or fetch the files of `wanted` (its name, folder, precision and backend) and tell what they are. Blocks.

    Raises:
        ModelUnavailable: the model is not known, its folder is none, or the hub does not have it for us.
    """
    published = find(wanted.model)
    if sources.folder is not None:
        return _in_folder(wanted, sources, sources.folder, published)
    if published is None:
        raise ModelUnavailable(
            f"{wanted.model} is not in the catalogue",
            "`memoryd model embed` shows what is; `memoryd model embed use FOLDER` takes any ONNX or "
            "sentence-transformers folder.",
        )
    if wanted.backend == "sentence-transformers":
        raise ModelUnavailable(f"{wanted.model} is run by onnx", "Set embedding.backend to onnx.")
    weights = entry_of(
        sources.models / published.cached_as / wanted.precision,
        wanted.precision,
        lambda target: _from_hub(published, sources, target, wanted),
    )
    return _told(wanted, weights, weights.origin, published)


def _in_folder(wanted: ModelSpec, sources: Sources, folder: Path, published: Published | None) -> Obtained:
    layout = read_folder(folder)
    origin = digest_of(layout.weights)
    if wanted.backend == "onnx" and layout.graph is None:
        raise ModelUnavailable(
            f"the model folder {folder} has no ONNX graph",
            "Set embedding.backend to sentence-transformers, or export the model to ONNX.",
        )
    weights = Weights(layout.weights, layout.tokenizer, wanted.precision, f"folder {folder}", origin)
    if wanted.precision != "fp32" and wanted.backend == "onnx":
        weights = entry_of(
            sources.models / f"{slug(wanted.model)}-folder" / wanted.precision,
            wanted.precision,
            lambda target: converted(layout.weights, layout.tokenizer, target, wanted.precision, f"folder {folder}"),
            origin=origin,
        )
    # The catalogue knows better than a folder how its models want to be asked.
    return _told(wanted, weights, origin, published or layout)


def _from_hub(published: Published, sources: Sources, target: Path, wanted: ModelSpec) -> tuple[str, str]:
    hint = (
        f"Fetch {', '.join(published.files)} of {published.repository} on a machine that can, put them into a folder "
        f"here, and run `memoryd model embed use {published.name} --folder FOLDER`."
    )
    if sources.offline:
        raise ModelUnavailable(f"{published.name} is not here, and the model hub is turned off (privacy.offline)", hint)
    download = target / "download"
    try:
        hub.download(
            published.files,
            download,
            endpoint=sources.endpoint,
            repository=published.repository,
            revision=published.revision,
        )
    except hub.HubUnreachable as exc:
        raise ModelUnavailable(
            f"{published.name} is not here, and the model hub cannot be reached: {exc}", hint
        ) from exc
    tokenizer = download / TOKENIZER
    found = converted(download / published.files[0], tokenizer, target, wanted.precision, "model hub")
    shutil.rmtree(download)
    return found


def _told(wanted: ModelSpec, weights: Weights, origin: str, asks: Published | Layout) -> Obtained:
    name, dimensions = (asks.name, asks.dimensions) if isinstance(asks, Published) else (wanted.model, 0)
    asked = (
        sha256_of(BACKGROUND),
        asks.pooling,
        str(asks.max_tokens),
        asks.query_prefix,
        asks.document_prefix,
    )
    digest = sha256_of("\0".join([origin, sha256(weights.tokenizer), *asked]))
    spec = ModelSpec(
        model=wanted.model,
        identity=identity(f"{name}@{digest[:12]}", wanted.precision),
        dimensions=dimensions,
        backend=wanted.backend,
        folder=wanted.folder,
        precision=wanted.precision,
        digest=digest,
        max_tokens=asks.max_tokens,
        pooling=asks.pooling,
        query_prefix=asks.query_prefix,
        document_prefix=asks.document_prefix,
    )
    return Obtained(weights, spec)


def sha256_of(text: str) -> str:
    """Return the SHA-256 of a text, hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()


def is_installed(published: Published, models: Path) -> bool:
    """Return whether a model of the catalogue is in the cache, in any precision."""
    return any((models / published.cached_as).glob("*/manifest.json"))


def slug(name: str) -> str:
    """Return a name as it can stand in a path."""
    return re.sub(r"[^a-z0-9]+", "-", name.casefold()).strip("-")
