"""Which model's index serves, and which one is kept to go back to: a small file beside them, replaced as a whole."""

import shutil
from collections.abc import Collection
from pathlib import Path

import msgspec

from memoryd.config import EmbeddingConfig, IndexConfig
from memoryd.embedding.build import described, is_told
from memoryd.embedding.model import ModelSpec
from memoryd.rewriting import is_disk_full, rewriting
from memoryd_actors.core.errors import DiskFull, Unavailable
from memoryd_client.paths import Paths


class Generation(msgspec.Struct, frozen=True, kw_only=True):
    """The indexes of one model."""

    spec: ModelSpec
    place: str = ""
    """The folder's name among the others; empty: where the first ones are."""


class Generations(msgspec.Struct, frozen=True, kw_only=True):
    """What there is."""

    active: Generation
    previous: Generation | None = None


def first(config: EmbeddingConfig) -> Generations:
    """Return what serves before anything was noted.

    A model whose files have to be read first is changed to like any other: in the background.
    """
    spec = described(config)
    return Generations(active=Generation(spec=spec if is_told(spec) else described(EmbeddingConfig())))


def at_start(paths: Paths, config: EmbeddingConfig) -> Generations:
    """Return what there is; of a model whose files are known by heart, the configuration says where they are. Blocks.

    Raises:
        Unavailable: it cannot be read.
    """
    noted, spec = read(paths) or first(config), described(config)
    if not is_told(spec) or spec.identity != noted.active.spec.identity:
        return noted
    return msgspec.structs.replace(noted, active=msgspec.structs.replace(noted.active, spec=spec))


def read(paths: Paths) -> Generations | None:
    """Return what was noted; None where nothing was. Blocks, a moment.

    Raises:
        Unavailable: the note cannot be read.
    """
    try:
        return msgspec.json.decode(paths.generations.read_bytes(), type=Generations)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.MsgspecError) as exc:
        hint = f"Remove {paths.generations}: the index is then built anew with the model of the configuration."
        raise Unavailable(f"{paths.generations} cannot be read: {exc}", hint) from exc


def write(paths: Paths, generations: Generations) -> None:
    """Note what there is, all or nothing. Blocks while it goes to the disk.

    Raises:
        DiskFull: there is no space for it; what was noted before holds, as it does with any other failure.
        Unavailable: it cannot be written.
    """
    file = paths.generations
    try:
        with rewriting(file) as opened:
            opened.write(msgspec.json.format(msgspec.json.encode(generations)))
    except OSError as exc:
        if is_disk_full(exc):
            raise DiskFull(str(file)) from exc
        hint = "Check the folder's permissions and its file system."
        raise Unavailable(f"{file} cannot be written: {exc.strerror or exc}", hint) from exc


def memories_at(paths: Paths, config: IndexConfig, place: str) -> Path | str:
    """Return where the memories of a generation are indexed."""
    if config.url:
        return f"{config.url.rstrip('/')}/models/{place}/memories" if place else config.url
    return paths.memories_index_at(place)


def messages_at(paths: Paths, config: IndexConfig, place: str) -> Path | str:
    """Return where the messages of a generation are indexed."""
    if config.url:
        return f"{config.url.rstrip('/')}/{f'models/{place}/' if place else ''}messages"
    return paths.messages_index_at(place)


def destroy_others(paths: Paths, kept: Collection[str]) -> None:
    """Destroy the local indexes at all places but these. Blocks.

    Those in an object store stay: nobody knows who else uses it.

    Raises:
        Unavailable: one cannot be removed; what was purged may still be in it.
    """
    folders = [] if "" in kept else [paths.index, paths.messages_index]
    if paths.indexes.is_dir():
        folders += [folder for folder in paths.indexes.iterdir() if folder.is_dir() and folder.name not in kept]
    for folder in folders:
        try:
            shutil.rmtree(folder)
        except FileNotFoundError:
            continue
        except OSError as exc:
            hint = "Remove the folder, or make it writable; it is tried again by itself."
            raise Unavailable(f"the old index {folder} cannot be removed: {exc.strerror or exc}", hint) from exc
