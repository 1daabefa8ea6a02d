"""An archive brought into an empty home: all of it or nothing, and checked before it counts. Blocks.

Everything is staged in a folder of the home and in one transaction. Where the process dies before that is committed,
the next attempt begins anew; where it dies after it, the next one only has the transcripts to move. Until then no
daemon starts on the home: see `unfinished`.
"""

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import IO

import msgspec
from sqlalchemy import Engine

from memoryd.config import LedgerConfig
from memoryd.ledger import all_rows
from memoryd.lock import hold_home
from memoryd.moving import into_ledger, transcripts
from memoryd.moving.archive import (
    ArchiveEnd,
    ArchiveHeader,
    ArchiveLine,
    ArchiveReader,
    ArchiveTally,
    ArchiveUnreadable,
    Setting,
)
from memoryd.moving.places import relocated
from memoryd.private_folder import private_folder
from memoryd.rewriting import rewriting, sync
from memoryd.transcripts.jsonl import translated
from memoryd_actors.core.errors import Refused, Unavailable
from memoryd_client.base.paths import Paths
from memoryd_client.version import VERSION


class Arrived(msgspec.Struct, frozen=True):
    """What was brought in."""

    header: ArchiveHeader
    end: ArchiveEnd
    """What the archive says that it has."""
    digest: str
    """Of what is here now: the archive's, unless projects have other places."""


class _Staging(msgspec.Struct, frozen=True):
    """What is not in its place yet."""

    folder: Path

    @property
    def transcripts(self) -> Path:
        return self.folder / "transcripts"

    @property
    def digest(self) -> Path:
        """There once all is written and is about to be committed: what the home has then."""
        return self.folder / "digest"

    @property
    def begun(self) -> bool:
        """Whether there is anything in it: an empty one is left of an import that is done, or has not begun."""
        return self.folder.exists() and any(self.folder.iterdir())

    def discard(self) -> None:
        if self.folder.exists():
            shutil.rmtree(self.folder)
            sync(self.folder.parent)


def unfinished(paths: Paths) -> None:
    """Raise Unavailable where an import was cut off."""
    staging = _Staging(paths.arriving)
    if not staging.begun:
        return
    hint = "Run the same `memoryd import` once more."
    if not staging.digest.exists():
        hint = f"Run the same `memoryd import` once more, or remove {staging.folder} to go on without it."
    raise Unavailable(f"an import of everything into {paths.home} was cut off", hint)


def arrive(
    paths: Paths,
    config: LedgerConfig,
    stream: IO[bytes],
    *,
    places: Mapping[str, str],
    configure: Callable[[Mapping[str, Setting]], None],
    advance: Callable[[], None],
) -> Arrived:
    """Bring an archive into a home that has nothing yet.

    `places` are new folders of projects by their old ones. `configure` is given the settings, perhaps twice; `advance`
    is called for each line.

    Raises:
        Refused: the home has something, a daemon is at work on it, or what is there afterwards would not be what the
            archive has; then nothing has changed.
    """
    archive = ArchiveReader(stream)
    with (
        hold_home(paths, version=VERSION),
        all_rows.opened(config.url or paths.ledger, paths.backups) as engine,
    ):
        staging = _Staging(paths.arriving)
        lines = _relocated(archive, places, advance)
        # Transcripts are in their place only once the ledger was committed, which may have nothing itself.
        if staging.digest.exists() and (not all_rows.is_empty(engine) or transcripts.are_in(paths.transcripts)):
            digest = _check_committed(staging, lines)
        else:
            _check_empty(paths, engine)
            staging.discard()
            private_folder(staging.folder)
            try:
                with translated(staging.folder):
                    digest = _fill(paths, engine, staging, archive.header.schema, lines)
            except BaseException:
                if all_rows.is_empty(engine):
                    staging.discard()
                raise
        _put_in_place(paths, staging)
        if engine.dialect.name == "postgresql":
            into_ledger.bring_over(paths, engine)
        configure(archive.header.settings)
        staging.discard()
    return Arrived(archive.header, archive.end, digest)


def _check_empty(paths: Paths, engine: Engine) -> None:
    what = "" if all_rows.is_empty(engine) else "its ledger has memories, or their history"
    if not what and transcripts.are_in(paths.transcripts):
        what = "it has transcripts"
    if what:
        raise Refused(
            f"{paths.home} is not empty: {what}",
            "Everything goes into an empty home: MEMORYD_HOME names another one. What is to be added to this one: "
            "`memoryd export --all --everywhere` there and `memoryd import --restore` here, and `memoryd session "
            "export --all` there and `memoryd session import` here.",
        )


def _relocated(archive: ArchiveReader, places: Mapping[str, str], advance: Callable[[], None]) -> Iterator[ArchiveLine]:
    for line in archive.lines():
        try:
            yield relocated(line, places)
        except (ValueError, msgspec.MsgspecError) as exc:
            raise ArchiveUnreadable(f"a row of {line.table} says no project that can be moved: {exc}") from exc
        advance()


def _fill(paths: Paths, engine: Engine, staging: _Staging, schema: str, lines: Iterator[ArchiveLine]) -> str:
    """Write everything, look whether it is what the archive has, and commit; return its digest."""
    wanted = ArchiveTally()
    with all_rows.replacing(engine, schema) as connection:
        filling = all_rows.Filling(connection)
        with transcripts.TranscriptsWriter(staging.transcripts) as writer:
            for line in lines:
                wanted.add(line)
                if line.table:
                    filling.add(line.table, line.row)
                else:
                    writer.add(line)
        filling.finish()
        found = ArchiveTally()
        there = (ArchiveLine(table=table, row=row) for table, row in all_rows.rows(connection, filling.tables))
        for line in chain(there, transcripts.out_of(staging.transcripts, [])):
            found.add(line)
        if found.end != wanted.end:
            raise Refused(
                f"what was written is not what the archive has: {found.digest} instead of {wanted.digest}",
                "Nothing was changed. This is a bug of memoryd, or of the disk.",
            )
        _destroy_indexes(paths)
        with rewriting(staging.digest) as file:
            file.write(wanted.digest.encode())
    return wanted.digest


def _check_committed(staging: _Staging, lines: Iterator[ArchiveLine]) -> str:
    """Return the digest of what was committed when the process died; refuse another archive."""
    wanted = ArchiveTally()
    for line in lines:
        wanted.add(line)
    if wanted.digest != staging.digest.read_text(encoding="ascii"):
        raise Refused(
            "the import that was cut off was of another archive, or with another --project-map",
            "Run that one once more: it only has to be finished.",
        )
    return wanted.digest


def _destroy_indexes(paths: Paths) -> None:
    """Destroy what is derived from a ledger that is no more."""
    for folder in (paths.index, paths.messages_index, paths.indexes):
        shutil.rmtree(folder, ignore_errors=True)
    paths.generations.unlink(missing_ok=True)


def _put_in_place(paths: Paths, staging: _Staging) -> None:
    if staging.transcripts.exists():
        if paths.transcripts.exists():
            shutil.rmtree(paths.transcripts)  # it has none, as was seen
        os.rename(staging.transcripts, paths.transcripts)
        sync(paths.home)
