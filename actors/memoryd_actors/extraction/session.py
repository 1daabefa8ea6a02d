"""A session that is being looked at: how far, what is kept of that, and what its owner's day has brought."""

import msgspec

from memoryd_actors.extraction.reader import Detail
from memoryd_actors.memory.progress import Progress
from memoryd_actors.memory.steps import Advance, UnlessPurged
from memoryd_actors.ports.transcripts import Key
from memoryd_client.wire.caller import Caller

JOB = "extraction"
DAY = "extracted"
"""The job, without a session, that counts what an owner's conversations brought today."""


class Day(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is kept of an owner's day."""

    day: str = ""
    calls: int = 0


class Today(msgspec.Struct):
    """What an owner's conversations brought today."""

    before: int
    """As it is put down."""
    stored: int
    calls: int
    day: str

    def advance(self, stored: int) -> Advance:
        """Return the step that puts it down."""
        return Advance("", DAY, self.before, stored, msgspec.json.encode(Day(self.day, self.calls)).decode())


class ExtractionSession(msgspec.Struct, frozen=True):
    """A session that is being looked at."""

    key: Key
    caller: Caller
    progress: Progress
    detail: Detail
    today: Today
    unless_purged: UnlessPurged

    @property
    def stored(self) -> int:
        """What it brought today."""
        return self.detail.stored if self.detail.day == self.today.day else 0

    def counted(self, detail: Detail | None, more: int = 0) -> Detail:
        """Return what is kept of it, with what it brought today."""
        stored = self.stored + more
        return msgspec.structs.replace(detail or Detail(), day=self.today.day if stored else "", stored=stored)


def detail_of(progress: Progress) -> Detail:
    """Return what is kept of a session's extraction."""
    try:
        return msgspec.json.decode(progress.detail or "{}", type=Detail)
    except msgspec.MsgspecError:  # of another version: the part is read again
        return Detail()


def encoded(detail: Detail | None) -> str:
    """Return it as the progress holds it; empty where there is nothing to keep."""
    return msgspec.json.encode(detail).decode() if detail is not None and detail != Detail() else ""
