"""Commands about all that is stored: backup, reindex."""

import os
import shutil
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memoryd_cli.base.failures import CommandFailed
from memoryd_cli.base.options import Autostart, connect, examples
from memoryd_cli.base.output import note, out
from memoryd_client.base.paths import Paths
from memoryd_client.wire.events import IndexProgress

if TYPE_CHECKING:
    from memoryd_client.base.remote import Remote
    from memoryd_client.client import Client
    from memoryd_client.transport.subscription import Subscription

    place = Remote.from_environment() or Paths.from_environment()
QUIET_S = 2.0
"""An index without news for this long is asked how far it is: an empty one has nothing to report."""


def add_to(app: typer.Typer) -> None:
    """Register the commands."""
    app.command(epilog=examples("memoryd backup", "memoryd backup /mnt/disk/memoryd.db"))(backup)
    app.command(epilog=examples("memoryd reindex"))(reindex)


def backup(
    file: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="A new file; else a dated one in the home's backups folder.")
    ] = None,
    *,
    autostart: Autostart = False,
) -> None:
    """Copy ledger and transcripts while the daemon runs, and print where the copy of the ledger is.

    Without FILE the transcripts are brought up to date in the backups folder, too. To restore: stop the daemon, put the
    copy in the place of ledger.db and transcripts in the place of transcripts, and start it again. The indexes mend
    themselves.
    """
    if file == Path("-"):
        raise CommandFailed("a copy of the ledger is no text for stdout", "Name a file.")
    if file is not None and file.exists():
        raise CommandFailed(f"{file} exists already", "Name a file that does not exist yet.")
    with connect("", "", "cli", "local", autostart=autostart) as memory:
        made = Path(memory.backup())
    if made.is_dir():
        note(f"the ledger is no file to be copied: for PostgreSQL use pg_dump; the transcripts are in {made}")
        if file is not None:
            raise CommandFailed(f"{file} was not written: the ledger is no file", "For PostgreSQL use pg_dump.")
    if file is None:
        out(str(made))
        return
    # Copied here, not there: as a service the daemon may write to its own home only.
    try:
        with made.open("rb") as source, open(file, "xb", opener=_private) as target:
            shutil.copyfileobj(source, target)
            os.fsync(target.fileno())
    except OSError as exc:
        raise CommandFailed(f"{file} cannot be written: {exc.strerror}", f"The copy is at {made}.") from exc
    out(str(file))


def _private(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_CLOEXEC, 0o600)


def reindex(*, autostart: Autostart = False) -> None:
    """Rebuild the index from the ledger, and wait until it is there."""
    from memoryd_client.base.remote import Remote
    from memoryd_client.transport.subscription import Subscription

    place = Remote.from_environment() or Paths.from_environment()
    with (
        connect("", "", "cli", "local", autostart=autostart) as memory,
        Subscription(place, "local") as news,
    ):
        begun = time.monotonic()
        note(memory.reindex())
        while not _caught_up(memory, news):
            pass
        if sys.stderr.isatty():
            sys.stderr.write("\r\033[K")
        out(f"reindexed in {time.monotonic() - begun:.1f} s")


def _caught_up(memory: "Client", news: "Subscription") -> bool:
    """Return whether the index has reached the ledger, going by the next event, or by the status where none comes."""
    news.wait(QUIET_S)
    event = news.next()
    if isinstance(event, IndexProgress):
        if sys.stderr.isatty():
            sys.stderr.write(f"\r{event.applied} of {event.target} changes")
        return event.applied >= event.target
    if event is not None:
        return False
    index = memory.status().components["index"]
    if index.state in {"degraded", "failed"}:
        raise CommandFailed(f"the index cannot be rebuilt: {index.message}", index.hint)
    return index.state == "ok"
