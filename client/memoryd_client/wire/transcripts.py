"""What was said is appended, read back, listed and found again."""

import secrets
from datetime import datetime
from typing import Annotated, Final, Literal

import msgspec

from memoryd_client.wire.moments import to_utc
from memoryd_client.wire.request import Done, Request

MAX_APPENDED: Final = 1_000
"""Entries in one request."""
PAGE_CHARACTERS: Final = 512 * 1024
"""Text in one page of a transcript: 2 MiB where every character takes four bytes."""
EXCERPT: Final = 2_000
"""Characters of a message that a search shows."""
Kind = Literal["message", "tool_call", "tool_result"]
Role = Literal["", "user", "assistant", "system", "tool"]
Name = Annotated[str, msgspec.Meta(max_length=200)]
Count = Annotated[int, msgspec.Meta(ge=0, le=2**53 - 1)]
"""How many of something a transcript has."""


def new_entry_id() -> str:
    """Return a fresh id for an entry: 96 random bits."""
    return secrets.token_hex(12)


class Entry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One event of a conversation on its way into the transcript."""

    id: Annotated[str, msgspec.Meta(min_length=1, max_length=200)] = msgspec.field(default_factory=new_entry_id)
    """Drawn by the sender: the same id again is the same event, and is not stored twice."""
    kind: Kind = "message"
    role: Name = ""
    """Of a message: user, assistant, system or tool."""
    content: str
    """What was said; the arguments of a call, as JSON where they are; the result of a call."""
    name: Name = ""
    """Who spoke, or which tool."""
    call_id: Name = ""
    """Which call this is, or which one this is the result of."""
    at: datetime | None = None
    """When; None: now. Without a zone: UTC."""
    size: Count = 0
    """Characters of the whole content where only its beginning is here; else 0."""

    def __post_init__(self) -> None:
        """Bring its moments into UTC."""
        to_utc(self, "at")


class PurgeSession(Request[Done], frozen=True, kw_only=True, tag="purge_session"):
    """Destroy the transcript of a session, and what the index has of it."""

    session: Annotated[str, msgspec.Meta(min_length=1)]


class TranscriptRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One event of a conversation, as it is kept: secrets replaced, private blocks left out."""

    session: str
    sequence: int
    """Its number in the transcript, from 1."""
    id: Annotated[str, msgspec.Meta(min_length=1)]
    kind: Kind = "message"
    role: str = ""
    content: str
    name: str = ""
    call_id: str = ""
    at: datetime
    size: Count = 0
    """Characters of the whole content where it was too long to be kept whole; else 0."""
    pushed: bool = False
    """Whether it came with a pushed context."""
    covers: Count = 0
    """Of the summary that a compaction wrote: the last entry that it tells of; of all else 0."""
    turns: Count = 0
    """How many turns of the user that are, from the beginning."""

    def __post_init__(self) -> None:
        """Bring its moments into UTC."""
        to_utc(self, "at")

    @property
    def who(self) -> str:
        """Who said it, or which tool; where nobody is named, what it is."""
        return self.name or self.role or self.kind.replace("_", " ")


class Appended(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="appended"):
    """It is durable."""

    last: int
    """The number of the newest entry of the transcript."""
    stored: int
    known: int = 0
    """Were there already."""
    left_out: int = 0
    """Nothing was left of them: private, marked `#skip`, or empty."""


class Append(Request[Appended], frozen=True, kw_only=True, tag="append"):
    """Add to the transcript of the caller's session; answered when it is durable. All of them or none."""

    needs_memory = True

    entries: Annotated[tuple[Entry, ...], msgspec.Meta(min_length=1, max_length=MAX_APPENDED)]


class ImportTranscript(Request[Appended], frozen=True, kw_only=True, omit_defaults=True, tag="import_transcript"):
    """Bring entries of a transcript in, whole, in their order: moments, ids, what was cut, which summary covers what.

    They pass the gate like everything that is said; answered when they are durable. An id that is there already stays
    as it is, so that an import that was broken off is simply begun again.
    """

    needs_memory = True

    session: Annotated[str, msgspec.Meta(min_length=1, max_length=1_000)]
    records: Annotated[tuple["TranscriptRecord", ...], msgspec.Meta(min_length=1, max_length=MAX_APPENDED)]
    project: Annotated[str, msgspec.Meta(max_length=4_000)] = ""
    """Where it was last spoken from; empty: where the caller is."""
    agent: Name = ""
    """Who was last at work in it; empty: the caller."""


class Ended(msgspec.Struct, frozen=True, kw_only=True, tag="ended"):
    """It is noted."""

    session: str
    last: int
    """The number of the newest entry of its transcript; 0: nothing was said."""


class EndSession(Request[Ended], frozen=True, kw_only=True, omit_defaults=True, tag="end_session"):
    """Say that a session is over, after everything that was sent before; answered when that is durable.

    What is done at the end of a session begins then, in the background. Who goes on speaking in it may; it can be ended
    again.
    """

    session: str = ""
    """Empty: the caller's."""


class Transcript(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="transcribed"):
    """A part of a transcript, oldest first."""

    entries: tuple[TranscriptRecord, ...]
    last: int
    """The number of the newest entry of all."""
    missing: int = 0
    """Entries of all that cannot be read, because their lines are damaged: their numbers are left out."""


class ReadTranscript(Request[Transcript], frozen=True, kw_only=True, omit_defaults=True, tag="transcript"):
    """A part of a transcript, oldest first: its end, or what is right before or after an entry's number."""

    session: str = ""
    """Empty: the caller's."""
    before: Annotated[int, msgspec.Meta(ge=1)] | None = None
    after: Annotated[int, msgspec.Meta(ge=0)] | None = None
    limit: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 100


class SessionInfo(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A session that has a transcript."""

    session: str
    entries: int
    messages: int
    tokens: int
    """Estimated by length."""
    created_at: datetime
    updated_at: datetime
    project: str = ""
    """Where it was last spoken from."""
    agent: str = ""
    """Who was last at work in it."""
    agents: tuple[str, ...] = ()
    """Everybody who was at work in it."""
    last: int = 0
    """The number of the newest entry."""
    summarized: int = 0
    """The last entry that a summary tells of, and that is archived with all before it; 0: none."""
    last_summarized_turn: int = 0
    """How many turns of the user that are."""
    summary: int = 0
    """The number of that summary's own entry."""
    damaged: int = 0
    """Lines of its file that cannot be read. They are kept; `memoryd doctor` says which."""
    missing: int = 0
    """Entries that were said and cannot be read: their numbers are left out."""


class Sessions(msgspec.Struct, frozen=True, kw_only=True, tag="sessions"):
    """Sessions, the latest first."""

    sessions: tuple[SessionInfo, ...]


class ListSessions(Request[Sessions], frozen=True, kw_only=True, omit_defaults=True, tag="sessions"):
    """The owner's sessions that have a transcript, the latest first."""

    limit: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 50
    offset: Count = 0


class FoundMessage(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Something that was said, and how well it fits."""

    record: TranscriptRecord
    """Its content cut to 2,000 characters; the transcript has the rest."""
    score: float = 0.0
    """Fused relevance, 0 to 1; 0 where nothing was searched for."""
    vector_score: float = 0.0
    word_score: float = 0.0


class FoundMessages(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="said"):
    """What was found, best first; without a query the newest first."""

    found: tuple[FoundMessage, ...]
    next: int | None = None
    """Pass as `offset` for the next page; None at the end."""
    note: str = ""
    """What was not as asked."""
    left_out: int = 0
    """Messages that would have filled the page and have nothing to do with the query: only what is `related` was asked
    for."""


class SearchMessages(Request[FoundMessages], frozen=True, kw_only=True, omit_defaults=True, tag="conversation"):
    """Find what was said: by meaning, by words, by date, by session.

    Without a query everything that passes, the newest first.
    """

    needs_memory = True

    query: str = ""
    by: Literal["both", "meaning", "words"] = "both"
    session: str = ""
    """Empty: every session of the owner."""
    scope: Literal["everywhere", "project"] = "everywhere"
    """Where no session is named, `project`: those of the caller's project or of none, and its own."""
    since: datetime | None = None
    """Said then or later; without a zone: UTC."""
    until: datetime | None = None
    """Said before that moment."""
    role: Role = ""
    kind: Literal["", "message", "tool_call", "tool_result"] = ""
    search_archived: bool = True
    """Also what is archived: what a summary stands for in the contexts of its session."""
    related: bool = False
    """By both: only what has to do with the query, as a search for memories."""
    limit: Annotated[int, msgspec.Meta(ge=1, le=200)] = 10
    offset: Annotated[int, msgspec.Meta(ge=0, le=10_000)] = 0

    def __post_init__(self) -> None:
        """Bring its moments into UTC."""
        to_utc(self, "since", "until")


TranscriptRequest = (
    Append | ReadTranscript | ListSessions | SearchMessages | EndSession | ImportTranscript | PurgeSession
)
