"""Where the daemon's log goes: to systemd's journal, or else to a file beside the data.

Convention: what people said and what is remembered is logged at level debug only. From info upwards a line names ids,
counts, durations and reasons. Libraries, which do not know the convention, are heard from warning upwards.

Writing happens in a thread of its own, behind a bounded queue: a full disk or a stalled journal never holds up the
event loop; what does not fit is dropped, counted, and the count is logged.
"""

import logging
import os
import queue
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from io import TextIOWrapper
from logging.handlers import QueueHandler, QueueListener, RotatingFileHandler
from typing import TextIO, cast

from memoryd_client.base.paths import Paths

MAX_BYTES = 5 * 1024 * 1024
FILES = 3
"""The current file and the two before it."""
QUEUED_RECORDS = 10_000
OUR_PACKAGES = ("memoryd", "memoryd_actors", "memoryd_client")

_LINE = "%(asctime)s %(levelname)s %(name)s: %(message)s"
_PRIORITIES = ((logging.CRITICAL, 2), (logging.ERROR, 3), (logging.WARNING, 4), (logging.INFO, 6), (logging.DEBUG, 7))
"""Python's levels and the syslog priorities that sd-daemon(3) reads from the start of a line."""


class JournalFormatter(logging.Formatter):
    """Puts the priority before every line; the journal adds the time itself."""

    def __init__(self) -> None:
        super().__init__("%(name)s: %(message)s")

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as lines that each begin with `<priority>`."""
        priority = next((code for level, code in _PRIORITIES if record.levelno >= level), 7)
        return "\n".join(f"<{priority}>{line}" for line in super().format(record).splitlines() or [""])


class PrivateLogFile(RotatingFileHandler):
    """A log for its owner alone, in a few files of a few megabytes."""

    def _open(self) -> TextIOWrapper:
        def private(path: str, flags: int) -> int:
            descriptor = os.open(path, flags | os.O_CLOEXEC, 0o600)
            os.fchmod(descriptor, 0o600)
            return descriptor

        # A mode without b gives just this type; the handler closes it.
        return cast(
            TextIOWrapper,
            open(self.baseFilename, self.mode, encoding=self.encoding, errors=self.errors, opener=private),
        )

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - logging's name
        """Drop the record: the disk is full, and a traceback per line would not help."""


class DroppingHandler(QueueHandler):
    """Hands records to the writing thread, never waits, and tells later how many it had to drop."""

    def __init__(self, records: "queue.Queue[logging.LogRecord]") -> None:
        super().__init__(records)
        self.records = records
        self.dropped = 0

    def enqueue(self, record: logging.LogRecord) -> None:
        """Queue a record, after a line about dropped ones where there is room for it again."""
        try:
            if self.dropped:
                self.records.put_nowait(self._report())
                self.dropped = 0
            self.records.put_nowait(record)
        except queue.Full:
            self.dropped += 1

    def _report(self) -> logging.LogRecord:
        message = f"{self.dropped} log records were dropped: they could not be written fast enough"
        return logging.LogRecord(__name__, logging.WARNING, __file__, 0, message, None, None)


def writes_to_journal(stream: TextIO, environ: Mapping[str, str]) -> bool:
    """Return whether a stream is connected to systemd's journal: JOURNAL_STREAM names its device and inode."""
    device, _, inode = environ.get("JOURNAL_STREAM", "").partition(":")
    try:
        status = os.fstat(stream.fileno())
    except (OSError, ValueError):
        return False
    return (device, inode) == (str(status.st_dev), str(status.st_ino))


@contextmanager
def logging_to(
    paths: Paths,
    level: str,
    *,
    stream: TextIO | None = None,
    environ: Mapping[str, str] | None = None,
    queued: int = QUEUED_RECORDS,
) -> Generator[DroppingHandler]:
    """Log at `level` (debug, info, warning, error) until left; everything logged so far is written on leaving.

    To `stream` (standard error) with priorities under systemd; else to the home's log file, and to `stream`, too,
    where that is a terminal that somebody watches.

    Raises:
        OSError: the log file cannot be opened.
    """
    handlers = _handlers(paths, stream or sys.stderr, os.environ if environ is None else environ)
    front = DroppingHandler(queue.Queue(queued))
    listener = QueueListener(front.records, *handlers)
    root = logging.getLogger()
    before = {name: logging.getLogger(name).level for name in OUR_PACKAGES}
    root_level = root.level
    root.addHandler(front)
    root.setLevel(logging.WARNING)
    for name in OUR_PACKAGES:
        logging.getLogger(name).setLevel(level.upper())
    logging.captureWarnings(True)
    listener.start()
    try:
        yield front
    finally:
        logging.captureWarnings(False)
        root.removeHandler(front)
        root.setLevel(root_level)
        for name, previous in before.items():
            logging.getLogger(name).setLevel(previous)
        front.records.join()  # stopping needs room in the queue, and does not wait for it
        listener.stop()
        for handler in handlers:
            handler.close()


def _handlers(paths: Paths, stream: TextIO, environ: Mapping[str, str]) -> list[logging.Handler]:
    if writes_to_journal(stream, environ):
        journal = logging.StreamHandler(stream)
        journal.setFormatter(JournalFormatter())
        return [journal]
    paths.log.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handlers: list[logging.Handler] = [
        PrivateLogFile(
            paths.log, maxBytes=MAX_BYTES, backupCount=FILES - 1, encoding="utf-8", errors="backslashreplace"
        )
    ]
    if stream.isatty():
        handlers.append(logging.StreamHandler(stream))
    for handler in handlers:
        handler.setFormatter(logging.Formatter(_LINE))
    return handlers
