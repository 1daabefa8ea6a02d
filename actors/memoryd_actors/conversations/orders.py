"""What the scribe is asked to write down, or to destroy."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from memoryd_actors.ports.transcripts import Key
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.context import ContextUpdate
from memoryd_client.wire.transcripts import Entry, Record


@dataclass(frozen=True, slots=True)
class Say:
    """Entries that a client appends."""

    caller: Caller
    entries: tuple[Entry, ...]


@dataclass(slots=True)
class Pushed:
    """Contexts of one caller, in order, each of which may have something new at its end.

    Those that come while the writer is busy join the one that waits, until something else is asked of the session:
    what is pushed in a tight loop is written in one go, and in its order.
    """

    updates: list[ContextUpdate]
    characters: int

    @property
    def caller(self) -> Caller:
        """Return who pushed them."""
        return self.updates[0].caller


@dataclass(frozen=True, slots=True)
class Destroy:
    """A transcript to be destroyed; `forget` takes it out of the index first and last."""

    key: Key
    forget: Callable[[Key], Awaitable[None]] | None = None


@dataclass(frozen=True, slots=True)
class Erase:
    """Entries whose words are to be destroyed; `forget` takes the session out of the index, which then begins anew."""

    key: Key
    sequences: tuple[int, ...]
    forget: Callable[[Key], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class End:
    """A session that is over; `note` learns at which entry."""

    key: Key
    note: Callable[[int], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Summarise:
    """A summary that takes the place of everything up to an entry."""

    key: Key
    covers: int
    turns: int
    text: str
    by: str


@dataclass(frozen=True, slots=True)
class Bring:
    """Entries that were written down elsewhere."""

    caller: Caller
    session: str
    records: tuple[Record, ...]
    project: str
    agent: str


ScribeMessage = Say | Pushed | Destroy | Erase | End | Summarise | Bring
