"""The archive: gzipped lines of JSON, written and read one at a time. docs/moving.md describes it.

First a header, then every row of the ledger and every transcript line by line, last the end, with the digest of all of
it. A stream that has no end was cut.
"""

import gzip
import zlib
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from typing import IO, Any

import msgspec
from msgspec import UNSET, Raw, UnsetType

from memoryd_actors.core.errors import Refused

FORMAT = 1
"""Raised when an older memoryd could not read what is written. What the rows hold is told by the ledger's schema."""
LONGEST_BYTES = 64 * 1024 * 1024
"""Of a line: what goes over the wire has 4 MiB at most, and nothing else becomes a row or an entry."""
Setting = str | int | float | bool | list[str]


class ArchiveUnreadable(Refused):
    """Raised when a file is no archive, or not a whole one."""


class ArchiveHeader(msgspec.Struct, frozen=True, kw_only=True):
    """What the rest is to be read by."""

    format: int
    schema: str
    """The version of the ledger's tables."""
    made_by: str
    """The version of memoryd."""
    at: str
    """ISO 8601, UTC."""
    settings: dict[str, Setting] = {}
    """Those of the configuration file, without keys and without what is of one machine only."""


class SessionHead(msgspec.Struct, frozen=True, kw_only=True):
    """Whose transcript follows."""

    owner: str
    session: str
    project: str = ""
    agent: str = ""


class ArchiveEnd(msgspec.Struct, frozen=True, kw_only=True):
    """What all of it came to."""

    digest: str
    counts: dict[str, int]


class ArchiveLine(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line: each has one thing only."""

    memoryd: ArchiveHeader | None = None
    table: str = ""
    row: dict[str, Any] = {}
    """Beside `table`: every column by its name; bytes in base64."""
    session: SessionHead | None = None
    line: Raw | UnsetType = UNSET
    """Of the transcript that was begun last, as it stands there."""
    damaged: bytes | UnsetType = UNSET
    """The same where it is no JSON that could stand there: in base64."""
    last: int | UnsetType = UNSET
    """Ends a transcript: the highest number that an entry of it had."""
    end: ArchiveEnd | None = None


_encode = msgspec.json.Encoder(order="deterministic").encode
_decode = msgspec.json.Decoder(ArchiveLine).decode


class ArchiveTally:
    """The digest of what a home holds, and how much that is.

    It is the sum, modulo 2^256, of the SHA-256 of each row's line and of each transcript's lines together: databases
    may return rows in any order.
    """

    def __init__(self) -> None:
        self._sum = 0
        self._transcript = sha256()
        self.counts: Counter[str] = Counter()

    @property
    def digest(self) -> str:
        """As hexadecimal digits."""
        return f"{self._sum:064x}"

    @property
    def end(self) -> ArchiveEnd:
        """All of it as the last line has it."""
        return ArchiveEnd(digest=self.digest, counts=dict(sorted(self.counts.items())))

    def add(self, line: ArchiveLine) -> bytes:
        """Count a line and return it as it is written."""
        encoded = _encode(line) + b"\n"
        if line.table:
            self._sum += int.from_bytes(sha256(encoded).digest())
            self.counts[line.table] += 1
        elif line.session is not None:
            self._transcript = sha256(encoded)
            self.counts["transcripts"] += 1
        else:
            self._transcript.update(encoded)
            if line.last is UNSET:
                self.counts["entries"] += 1
            else:
                self._sum += int.from_bytes(self._transcript.digest())
        self._sum %= 2**256
        return encoded


class ArchiveWriter:
    """Writes an archive to a stream."""

    def __init__(self, stream: IO[bytes], header: ArchiveHeader) -> None:
        # Without a name and a date of its own: the same contents are the same bytes.
        self._packed = gzip.GzipFile(filename="", mode="wb", fileobj=stream, mtime=0, compresslevel=6)
        self._packed.write(_encode(ArchiveLine(memoryd=header)) + b"\n")
        self.tally = ArchiveTally()

    def add(self, line: ArchiveLine) -> None:
        """Write a row, or a line of a transcript."""
        self._packed.write(self.tally.add(line))

    def finish(self) -> None:
        """Write the end."""
        self._packed.write(_encode(ArchiveLine(end=self.tally.end)) + b"\n")
        self._packed.close()


class ArchiveReader:
    """Reads an archive from a stream."""

    def __init__(self, stream: IO[bytes]) -> None:
        """Read the header.

        Raises:
            ArchiveUnreadable: it is no archive, or of a format that is not known.
        """
        self._packed = gzip.GzipFile(fileobj=stream, mode="rb")
        self._number = 0
        self._end: ArchiveEnd | None = None
        first = self._next()
        if first is None or first.memoryd is None:
            raise ArchiveUnreadable("this is no archive of memoryd", "`memoryd export --whole FILE` writes one.")
        self.header = first.memoryd
        if self.header.format > FORMAT:
            raise ArchiveUnreadable(
                f"the archive has format {self.header.format}, and this memoryd knows {FORMAT}",
                f"It was written by memoryd {self.header.made_by}: update this one.",
            )

    @property
    def end(self) -> ArchiveEnd:
        """What all of it came to, once it was read."""
        if self._end is None:
            raise ArchiveUnreadable("the archive was not read to its end")
        return self._end

    def lines(self) -> Iterator[ArchiveLine]:
        """Yield every row and every line of a transcript.

        Raises:
            ArchiveUnreadable: it is damaged or cut, or not what its end says.
        """
        tally = ArchiveTally()
        while (line := self._next()) is not None:
            if line.end is not None:
                if line.end != tally.end:
                    raise ArchiveUnreadable("the archive is not what its own digest says", "Take another copy of it.")
                self._end = line.end
                return
            if line.memoryd is not None or not (line.table or line.session or self._of_transcript(line)):
                raise ArchiveUnreadable(f"line {self._number} of the archive is of no known kind")
            tally.add(line)
            yield line
        raise ArchiveUnreadable("the archive is cut: its end is missing", "Take another copy of it.")

    @staticmethod
    def _of_transcript(line: ArchiveLine) -> bool:
        return not (line.line is UNSET and line.damaged is UNSET and line.last is UNSET)

    def _next(self) -> ArchiveLine | None:
        self._number += 1
        try:
            text = self._packed.readline(LONGEST_BYTES)
            return _decode(text) if text else None
        except (gzip.BadGzipFile, zlib.error, EOFError, msgspec.MsgspecError, RecursionError) as exc:
            raise ArchiveUnreadable(
                f"line {self._number} of the archive cannot be read: {exc}", "Take another copy of it."
            ) from exc
