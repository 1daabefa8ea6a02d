"""Whether the embedding model is at hand."""

from importlib.util import find_spec
from pathlib import Path

from memoryd.config import Config
from memoryd.doctor.finding import Finding, fail, ok, quoted, warn
from memoryd_client.base.paths import Paths


def examine_model(paths: Paths, config: Config) -> Finding:
    """Look for the weights where the daemon will, and verify those that are cached. Blocks, about 0.2 s."""
    if config.embedding.backend == "sentence-transformers":
        return ok("model", f"sentence-transformers loads {config.embedding.model} from its own cache")
    try:
        if config.embedding.folder:
            return _configured(Path(config.embedding.folder))
        return _in_cache(paths, config)
    except ModuleNotFoundError as exc:
        return fail("model", f"it cannot be looked at without the package {exc.name}", "pip install 'memoryd[daemon]'")


def _in_cache(paths: Paths, config: Config) -> Finding:
    from memoryd.embedding.catalogue import CATALOGUE, find
    from memoryd.embedding.model import MINILM

    published = find(config.embedding.model)
    if published is None:
        names = ", ".join(one.name for one in CATALOGUE)
        mend = "memoryd model embed use minilm"
        return fail("model", f"embedding.model is {config.embedding.model}, and the catalogue has {names}", mend)
    entry = paths.models / published.cached_as / config.embedding.precision
    if published.repository != MINILM and not entry.is_dir():
        return warn("model", f"{published.name} is not here", f"memoryd model embed use {published.name}")
    return _cached(entry, offline=config.privacy.offline)


def _configured(folder: Path) -> Finding:
    from memoryd.embedding.weights import GRAPHS, SAFETENSORS, TOKENIZER

    graphs = (*GRAPHS, SAFETENSORS)
    if (folder / TOKENIZER).is_file() and any((folder / name).is_file() for name in graphs):
        return ok("model", f"its files are in {folder}, as embedding.folder says")
    return fail(
        "model",
        f"embedding.folder is {folder}, which lacks {TOKENIZER} or one of {', '.join(graphs)}",
        "memoryd config set embedding.folder ''  # or put the files there",
    )


def _cached(entry: Path, *, offline: bool) -> Finding:
    from memoryd.embedding import cache

    try:
        manifest = cache.read(entry)
    except cache.Damaged as exc:
        return fail(
            "model", f"the cached model is damaged: {exc}", f"rm -r {quoted(entry)}  # the next start fetches it"
        )
    if manifest is None:
        return _to_be_fetched(offline=offline)
    return ok("model", f"{entry} is complete, its checksums are right; it comes from: {manifest.source}")


def _to_be_fetched(*, offline: bool) -> Finding:
    """Say where the first start will take the weights from."""
    from memoryd.embedding.weights import CONVERTER_COMMAND, OFFLINE_COMMAND, packaged

    here = packaged() is not None
    missing = [name for name in ("onnx", "safetensors") if find_spec(name) is None]
    if here and not missing:
        return ok("model", "it is not cached yet; its packaged weights are here, and are converted at the first start")
    if not offline:
        what = "it is not cached yet; the first start asks the model hub for it"
        return warn("model", what, f"memoryd start  # or, where the hub cannot be reached: {OFFLINE_COMMAND}")
    if here:
        return fail(
            "model", f"the packaged weights cannot be converted without {', '.join(missing)}", CONVERTER_COMMAND
        )
    return fail("model", "there are no weights, and the model hub is turned off (privacy.offline)", OFFLINE_COMMAND)
