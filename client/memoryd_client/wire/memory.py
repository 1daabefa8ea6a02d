"""What memoryd remembers, as both sides of the socket see it."""

import secrets
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Final

import msgspec

from memoryd_client.wire.moments import to_utc

MAX_CONTENT_BYTES = 64 * 1024
"""The longest explicit memory. Longer text belongs in a file that a memory points at."""
MAX_FILE_BYTES = 1024 * 1024
"""Of a memory file, all the same."""
MAX_COUNT = 2**53
"""Of whatever is numbered or counted: what every database and every JSON keeps exactly."""
Importance = Annotated[int, msgspec.Meta(ge=1, le=5)]
"""1 trivial, 3 ordinary, 5 vital."""
Share = Annotated[float, msgspec.Meta(ge=0.0, le=1.0)]
"""A number between 0 and 1: trust, scores."""
_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
ID_PREFIX = "mem_"


def new_memory_id() -> str:
    """Return a fresh memory id: `mem_` and 20 random characters of Crockford's base 32 (100 bits).

    Ids are random rather than time-ordered so that a short beginning already tells two memories apart, as with git.
    """
    return memory_id_of(secrets.token_bytes(20))  # all bytes in one call: 2 us instead of 25


def memory_id_of(drawn: bytes) -> str:
    """Return the memory id that 20 bytes make."""
    # 256 is a multiple of 32, so each letter is as likely.
    return ID_PREFIX + "".join(_ALPHABET[byte % len(_ALPHABET)] for byte in drawn[:20])


class Scope(StrEnum):
    """How far a memory reaches."""

    PROJECT = "project"
    """One project, and every worktree of it."""
    GLOBAL = "global"
    """Everything its owner does."""


class State(StrEnum):
    """Where a memory is in its life. Only `ACTIVE` memories are recalled."""

    ACTIVE = "active"
    SUPERSEDED = "superseded"
    FORGOTTEN = "forgotten"
    """Soft-deleted: out of sight, restorable."""
    ARCHIVED = "archived"
    """Decayed below the archive threshold."""
    PROPOSED = "proposed"
    """Waits for the user's consent; see `memoryd consent`."""


class Source(StrEnum):
    """Who wrote a memory."""

    USER = "user"
    AGENT = "agent"
    EXTRACTED = "extracted"
    IMPORTED = "imported"


PERSONAL: Final = frozenset({"profile", "user_context"})
"""Categories whose titles name fields of the person."""


class Memory(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One memory, with its owner, its scope and what is known about its origin."""

    id: str
    owner: str
    content: str
    category: str = "fact"
    scope: Scope = Scope.PROJECT
    project: str = ""
    """Root of the project (the git common directory's where there is one); empty for global memories."""
    title: str = ""
    tags: tuple[str, ...] = ()
    metadata: dict[str, str] = {}
    importance: Importance = 3
    pinned: bool = False
    source: Source = Source.AGENT
    speaker: str = ""
    """Who said it."""
    occurred_at: datetime | None = None
    """When it happened or was said, if that is not when it was stored."""
    session: str = ""
    """The session it comes from."""
    source_messages: tuple[int, int] | None = None
    """First and last message of that session it rests on."""
    files: tuple[str, ...] = ()
    created_at: datetime
    updated_at: datetime
    last_accessed_at: datetime | None = None
    access_count: int = 0
    strength: int = 1
    """How often it was stored or confirmed."""
    sources: tuple[str, ...] = ()
    """Sessions that confirmed it."""
    trust: Share = 0.5
    """1.0 a correction by the user, 0.5 an inference of the agent."""
    state: State = State.ACTIVE
    superseded_by: str = ""
    content_hash: str = ""
    """SHA-256 of the normalised content, hexadecimal."""
    embedding_model: str = ""
    """Identity of the model whose vector the index holds."""
    agent: str = ""
    """The agent that stored it."""
    role: str = ""
    """Whose voice it has: user, assistant, system or tool."""
    revision: int = 1
    """Counts the writes to it. An edit names the one it began with, and loses nobody's change."""
    purge_at: datetime | None = None
    """When it will be destroyed, if nobody restores it."""
    expires_at: datetime | None = None
    """When it is forgotten by itself; None: never. One that was written to since then stays."""

    @property
    def active(self) -> bool:
        """Whether it may be recalled."""
        return self.state is State.ACTIVE

    @property
    def told_by_agent(self) -> bool:
        """Whether it is an agent that says that the user said it."""
        return self.source is Source.AGENT and self.speaker.casefold() in {"user", "the user"}


class NewMemory(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A memory on its way in. The sender draws the id, so that a request sent twice is stored once."""

    id: str = msgspec.field(default_factory=new_memory_id)
    content: str
    category: str = "fact"
    scope: Scope = Scope.PROJECT
    title: str = ""
    tags: tuple[str, ...] = ()
    metadata: dict[str, str] = {}
    importance: Importance = 3
    pinned: bool = False
    source: Source = Source.AGENT
    speaker: str = ""
    occurred_at: datetime | None = None
    source_session: str = ""
    source_messages: tuple[int, int] | None = None
    files: tuple[str, ...] = ()
    trust: Share | None = None
    """None: 1.0 for a user's correction, 0.8 for what a user stored, 0.5 otherwise."""
    expires_at: datetime | None = None
    """When it is to be forgotten by itself; None: never."""

    def __post_init__(self) -> None:
        """Bring its moments into UTC."""
        to_utc(self, "occurred_at", "expires_at")
