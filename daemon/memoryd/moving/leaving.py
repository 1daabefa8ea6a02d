"""A home written into an archive, beside its daemon or without one. Blocks."""

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

import msgspec
from sqlalchemy import Connection

from memoryd.config import LedgerConfig
from memoryd.ledger import all_rows
from memoryd.ledger.tables import HEAD
from memoryd.moving import into_ledger, transcripts
from memoryd.moving.archive import FORMAT, ArchiveEnd, ArchiveHeader, ArchiveLine, ArchiveWriter, Setting
from memoryd_actors.core.errors import Refused
from memoryd_client.base.paths import Paths
from memoryd_client.version import VERSION


class Left(msgspec.Struct, frozen=True):
    """What was written."""

    end: ArchiveEnd
    left_out: tuple[str, ...]
    """What could not be taken along, and why."""


def leave(
    paths: Paths,
    config: LedgerConfig,
    stream: IO[bytes],
    *,
    settings: Mapping[str, Setting],
    advance: Callable[[], None],
) -> Left:
    """Write everything to a stream, as it is at one moment; `advance` is called for each line.

    Raises:
        Refused: there is no memory, or some was purged meanwhile: what was written is not to be used.
    """
    if not config.url and not paths.ledger.exists():
        raise Refused(f"there is no memory in {paths.home}", "MEMORYD_HOME says where it is.")
    left_out: list[str] = []
    with all_rows.opened(config.url or paths.ledger, paths.backups) as engine:
        shared = engine.dialect.name == "postgresql"
        if shared and into_ledger.waits(paths):
            raise Refused(
                "transcripts of this home are not in its ledger yet", "Start the daemon once, then try again."
            )
        before = all_rows.purges_begun(engine)
        with all_rows.moment(engine) as connection:
            at = datetime.now(UTC).isoformat(timespec="seconds")
            header = ArchiveHeader(format=FORMAT, schema=HEAD, made_by=VERSION, at=at, settings=dict(settings))
            writer = ArchiveWriter(stream, header)
            for line in contents(connection, None if shared else paths.transcripts, left_out):
                writer.add(line)
                advance()
        # Once more, at this moment: what is purged while it is read must not travel either.
        with all_rows.moment(engine):
            if all_rows.purges_begun(engine) != before:
                raise Refused("something was purged while it was exported: that may be in it", "Begin it again.")
    writer.finish()
    return Left(writer.tally.end, tuple(left_out))


def contents(connection: Connection, root: Path | None, left_out: list[str]) -> Iterator[ArchiveLine]:
    """Yield every row of a ledger and every line of the transcripts below a folder, or in the ledger.

    The ledger first: of what background work has done with a transcript, the transcript has all.
    """
    for table, row in all_rows.rows(connection):
        yield ArchiveLine(table=table, row=row)
    yield from transcripts.out_of_ledger(connection) if root is None else transcripts.out_of(root, left_out)
