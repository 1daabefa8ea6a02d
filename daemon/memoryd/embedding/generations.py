"""Whose indexes there are: of the model that serves, of the one before, and of the one that comes.

Which one serves is noted in a small file beside them, replaced as a whole.
"""

import shutil
from collections.abc import Awaitable, Callable, Collection
from pathlib import Path

import anyio
import msgspec
from anyio import to_thread

from memoryd.config import EmbeddingConfig, IndexConfig
from memoryd.embedding.build import described, is_told
from memoryd.embedding.model import ModelSpec
from memoryd.embedding.service import EmbeddingService
from memoryd.index import LanceIndex, LanceMessages
from memoryd.rewriting import is_disk_full, rewriting
from memoryd_actors.core.errors import DiskFull, Unavailable
from memoryd_actors.indexing.successor import Successor
from memoryd_actors.ports.transcripts import Key
from memoryd_client.base.paths import Paths


class Generation(msgspec.Struct, frozen=True, kw_only=True):
    """The indexes of one model."""

    spec: ModelSpec
    place: str = ""
    """The folder's name among the others; empty: where the first ones are."""


class GenerationsNote(msgspec.Struct, frozen=True, kw_only=True):
    """What serves, and what is kept to go back to."""

    active: Generation
    previous: Generation | None = None


class Coming(msgspec.Struct, frozen=True, kw_only=True):
    """What is built, and is to take the place of what serves."""

    generation: Generation
    embedder: EmbeddingService
    memories: LanceIndex
    messages: LanceMessages
    successor: Successor


class Generations:
    """The one owner of what there is; see `memoryd_actors.ports.index.FurtherIndexes`."""

    def __init__(self, paths: Paths, noted: GenerationsNote) -> None:
        self._paths = paths
        self.active, self.previous = noted.active, noted.previous
        self.coming: Coming | None = None
        self.turn = anyio.Lock()
        """Held while what does not serve moves; taken after the turns of the indexers that serve, never before."""

    async def note(self, active: Generation, previous: Generation | None) -> None:
        """Note what serves from now on, also after a restart, and what is kept.

        Raises:
            DiskFull: there is no space for it; what was noted before holds, as it does with any other failure.
            Unavailable: it cannot be written.
        """
        await to_thread.run_sync(write, self._paths, GenerationsNote(active=active, previous=previous))
        self.active, self.previous = active, previous

    async def purge(self) -> None:
        await self._destroy_also(Successor.purge)

    async def forget(self, key: Key) -> None:
        await self._destroy_also(lambda successor: successor.messages.forget(key))

    async def tidy(self) -> None:
        """Destroy what neither serves nor is built nor kept."""
        async with self.turn:
            await self._destroy_all_but(self.active, self.previous, self.coming.generation if self.coming else None)

    async def _destroy_also(self, destroy: Callable[[Successor], Awaitable[None]]) -> None:
        """Destroy something also in what is built, and all that is kept from before."""
        async with self.turn:
            kept = [self.active]
            if self.coming is not None and self.coming.successor.opened:
                await destroy(self.coming.successor)
                kept.append(self.coming.generation)
            await self._destroy_all_but(*kept)

    async def _destroy_all_but(self, *kept: Generation | None) -> None:
        places = {one.place for one in kept if one is not None}
        await to_thread.run_sync(destroy_others, self._paths, places)


def first(config: EmbeddingConfig) -> GenerationsNote:
    """Return what serves before anything was noted.

    A model whose files have to be read first is changed to like any other: in the background.
    """
    spec = described(config)
    return GenerationsNote(active=Generation(spec=spec if is_told(spec) else described(EmbeddingConfig())))


def at_start(paths: Paths, config: EmbeddingConfig) -> GenerationsNote:
    """Return what there is; of a model whose files are known by heart, the configuration says where they are. Blocks.

    Raises:
        Unavailable: it cannot be read.
    """
    noted, spec = read(paths) or first(config), described(config)
    if not is_told(spec) or spec.identity != noted.active.spec.identity:
        return noted
    return msgspec.structs.replace(noted, active=msgspec.structs.replace(noted.active, spec=spec))


def read(paths: Paths) -> GenerationsNote | None:
    """Return what was noted; None where nothing was. Blocks, a moment.

    Raises:
        Unavailable: the note cannot be read.
    """
    try:
        return msgspec.json.decode(paths.generations.read_bytes(), type=GenerationsNote)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.MsgspecError) as exc:
        hint = f"Remove {paths.generations}: the index is then built anew with the model of the configuration."
        raise Unavailable(f"{paths.generations} cannot be read: {exc}", hint) from exc


def write(paths: Paths, noted: GenerationsNote) -> None:
    """Note what there is, all or nothing. Blocks while it goes to the disk.

    Raises:
        DiskFull: there is no space for it; what was noted before holds, as it does with any other failure.
        Unavailable: it cannot be written.
    """
    file = paths.generations
    try:
        with rewriting(file) as opened:
            opened.write(msgspec.json.format(msgspec.json.encode(noted)))
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
