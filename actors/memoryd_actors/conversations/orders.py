"""What the scribe is asked to write down, or to destroy."""

import msgspec

from memoryd_actors.ports.transcripts import Key
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.context import ContextUpdate
from memoryd_client.wire.transcripts import Entry, TranscriptRecord


class Say(msgspec.Struct, frozen=True):
    """Entries that a client appends."""

    caller: Caller
    entries: tuple[Entry, ...]


class PushedContexts(msgspec.Struct):
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


class Destroy(msgspec.Struct, frozen=True):
    """A transcript to be destroyed, and what the index and the jobs have of it."""

    key: Key
    last: int
    """The last entry that goes: what was said since stays. `FILES_GONE`: the transcript itself went before."""


class Erase(msgspec.Struct, frozen=True):
    """Entries whose words are to be destroyed; the index begins anew with the session."""

    key: Key
    sequences: tuple[int, ...]


class End(msgspec.Struct, frozen=True):
    """A session that is over; noted durably is at which entry."""

    key: Key


class Last(msgspec.Struct, frozen=True):
    """Asks for the number of a session's last entry, after all that was accepted before."""

    key: Key


class Summarise(msgspec.Struct, frozen=True):
    """A summary that takes the place of everything up to an entry."""

    key: Key
    covers: int
    turns: int
    text: str
    by: str
    purges: int
    """The newest purge as what it tells was read; see `ProgressRepository.purges`."""


class ImportEntries(msgspec.Struct, frozen=True):
    """Entries that were written down elsewhere."""

    caller: Caller
    session: str
    records: tuple[TranscriptRecord, ...]
    project: str
    agent: str


ScribeMessage = Say | PushedContexts | Destroy | Erase | End | Last | Summarise | ImportEntries
