"""The wire of core memory: the few sections that an agent keeps in its prompt and edits itself."""

import secrets
from datetime import datetime
from typing import Annotated

import msgspec

from memoryd_client.wire.request import Done, Request

SHARED = ""
"""The thread of what all threads of an owner share."""
MAX_NAME = 60
"""Characters of a section's name."""
MAX_THREAD = 500
"""Characters of a thread's name: some agents use the path of a transcript."""
MAX_EDIT = 100_000
"""Characters of a text on its way in; what a section may hold is a setting, far below."""
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_NAME)]
Thread = Annotated[str, msgspec.Meta(max_length=MAX_THREAD)]
Text = Annotated[str, msgspec.Meta(max_length=MAX_EDIT)]
Revision = Annotated[int, msgspec.Meta(ge=0, le=2**31)]
WriteId = Annotated[str, msgspec.Meta(min_length=8, max_length=64)]


def new_write_id() -> str:
    """Return a fresh id for one write: sent again under the same id, it is done once."""
    return secrets.token_hex(16)


class Section(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One section of core memory."""

    name: str
    """persona, human, context, or a name of the user's own."""
    thread: str = SHARED
    """Whose it is; empty: all threads share it."""
    text: str = ""
    revision: int = 0
    """Counts its writes; 0 where nothing was ever written."""
    limit: int
    """Characters that it may hold."""
    updated_at: datetime | None = None
    updated_by: str = ""
    """The agent or client that wrote last."""


class CoreWrite(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One write to a section."""

    name: str
    thread: str = SHARED
    revision: int
    """The section's after this write."""
    event: str
    """APPEND, REPLACE, SET, UNDO or PURGE."""
    at: datetime
    actor: str = ""
    before: str = ""
    """The whole text before."""


class CorePurge(Request[Done], frozen=True, kw_only=True, omit_defaults=True, tag="core_purge"):
    """Destroy a section and all that it ever said, in every backup, too. That it was purged stays in the history."""

    id: WriteId
    section: Name
    thread: Thread = SHARED


class SummarizedSoFar(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How far the conversation of a thread is summarised."""

    last_summarized_turn: int
    """Of those from the first on that are summarised without a gap, the last."""
    turns: int
    summaries: int
    last_summary: str = ""
    """The newest of them, its beginning."""
    archived_turns: int = 0
    total_archived: int = 0


class CoreSections(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="core_sections"):
    """Sections: the shared ones first, each thread's in the order persona, human, context, then by name."""

    sections: tuple[Section, ...]
    summarized: SummarizedSoFar | None = None
    """Of a view: how far the conversation of that thread, or else of the caller's session, is summarised."""

    @property
    def only(self) -> Section:
        """The one that was asked for."""
        (only,) = self.sections
        return only


class CoreView(Request[CoreSections], frozen=True, kw_only=True, omit_defaults=True, tag="core_view"):
    """What is in core memory: the shared sections, and those of a thread."""

    thread: Thread = SHARED
    own: bool = False
    """Without a thread: also those of the caller's session, as far as its agent may see them."""


class CoreAppend(Request[CoreSections], frozen=True, kw_only=True, omit_defaults=True, tag="core_append"):
    """Add lines to the end of a section. What does not fit is refused, never cut."""

    needs_memory = True

    id: WriteId
    section: Name
    text: Text
    thread: Thread = SHARED
    revision: Revision | None = None
    """Refused where somebody has written since this revision; None: added to whatever is there."""


class CoreReplace(Request[CoreSections], frozen=True, kw_only=True, omit_defaults=True, tag="core_replace"):
    """Replace a passage, which has to stand in the section exactly once."""

    needs_memory = True

    id: WriteId
    section: Name
    old: Text
    new: Text = ""
    thread: Thread = SHARED
    revision: Revision | None = None


class CoreSet(Request[CoreSections], frozen=True, kw_only=True, omit_defaults=True, tag="core_set"):
    """Write a section anew. One that has a text needs the revision that was read, so that nobody's words are lost."""

    needs_memory = True

    id: WriteId
    section: Name
    text: Text = ""
    thread: Thread = SHARED
    revision: Revision | None = None


class CoreUndo(Request[CoreSections], frozen=True, kw_only=True, omit_defaults=True, tag="core_undo"):
    """Take the last write to a section back; once more, and it is there again."""

    id: WriteId
    section: Name
    thread: Thread = SHARED
    revision: Revision | None = None


CoreEdit = CoreAppend | CoreReplace | CoreSet | CoreUndo


class CoreWrites(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="core_writes"):
    """Writes, newest first."""

    writes: tuple[CoreWrite, ...]


class GetCoreHistory(Request[CoreWrites], frozen=True, kw_only=True, omit_defaults=True, tag="core_history"):
    """The writes to core memory, newest first."""

    section: Annotated[str, msgspec.Meta(max_length=MAX_NAME)] = ""
    """Empty: all sections of the thread."""
    thread: Thread = SHARED
    limit: Annotated[int, msgspec.Meta(ge=1, le=500)] = 20


CoreRequest = CoreView | CoreEdit | CorePurge | GetCoreHistory
