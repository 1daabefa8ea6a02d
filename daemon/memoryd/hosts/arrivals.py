"""When each host was last heard from: a small file for each, so that it can be told without the daemon, too."""

from datetime import UTC, datetime
from pathlib import Path

import msgspec

from memoryd.private_folder import private_folder


class Arrival(msgspec.Struct, frozen=True):
    """The last event of a host."""

    event: str
    at: datetime


def note(folder: Path, host: str, event: str) -> None:
    """Write down that a host has just reported an event. Blocks for a moment."""
    private_folder(folder)
    (folder / host).write_text(event[:80], encoding="utf-8", errors="replace")


def last(folder: Path, host: str) -> Arrival | None:
    """Return the last event of a host; None where none ever came."""
    file = folder / host
    try:
        event = file.read_text(encoding="utf-8", errors="replace")
        return Arrival(event, datetime.fromtimestamp(file.stat().st_mtime, UTC))
    except OSError:
        return None
