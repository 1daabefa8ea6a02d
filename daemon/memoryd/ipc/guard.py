"""Who is let in from a network, and how much of what: each message belongs to a key, and each key to a grant."""

from collections.abc import Callable, Iterable
from time import monotonic
from typing import Final

import msgspec

from memoryd.keys import Grant, KeyRing, KeysUnusable
from memoryd_actors.memory.settings import name_of
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.checkpoints import DeleteCheckpoint
from memoryd_client.wire.context import Push
from memoryd_client.wire.failures import Failure
from memoryd_client.wire.importing import Import
from memoryd_client.wire.knowledge import RemoveKnowledge
from memoryd_client.wire.pending import Turn
from memoryd_client.wire.protocol import AnyRequest, owner_topic, topics_for
from memoryd_client.wire.transcripts import ImportTranscript

ORDINARY: Final = frozenset(
    """
    append archive_turns build_context categories checkpoint_delete checkpoint_list checkpoint_load checkpoint_save
    cleared compact consents consolidations conversation core_append core_history core_replace core_set core_undo
    core_view counts end_session files_delete files_edit files_grep files_list files_read files_search files_write
    forget get get_edges history import import_transcript knowledge_list knowledge_remove knowledge_search list
    list_done origin ping plan_consolidation purge_plan push query read recall relate remember restore review search
    sessions settle summarize_turns take transcript turn turn_summaries undo unrelate update why
    """.split()
)
"""What the holder of any key may ask for. All else is administration: what concerns the whole daemon, reads or writes
files of its machine, is for a person to decide, or cannot be taken back."""
_AHEAD_S: Final = 4.0
"""How much of what it may send in a time a client may send at once, in seconds."""
_MESSAGE_BYTES: Final = 64 * 1024
"""A larger message counts as several."""


class Network(msgspec.Struct, frozen=True):
    """Where a network is served, and who is let in there."""

    host: str
    port: int
    ring: KeyRing
    guard: "Guard"


class GuardCounts(msgspec.Struct):
    """Counts since the start."""

    strangers: int = 0
    """Greetings with a key that is not let in."""
    overstepped: int = 0
    """Messages in the name of somebody else, or for what their key does not allow."""
    too_fast: int = 0
    """Messages of keys that sent more than they may; pushes among them are lost."""


class _Purse(msgspec.Struct):
    """What a key may still send now."""

    left: float
    since: float


class Guard:
    """Knows the keys that are let in, reads them again when they have changed, and counts what each one sends."""

    def __init__(
        self,
        ring: KeyRing,
        *,
        rate: float,
        restricted: Iterable[str] = (),
        clock: Callable[[], float] = monotonic,
    ) -> None:
        """Prepare; `restricted` are the agents that may see some categories only."""
        self._ring = ring
        self._restricted = frozenset(map(name_of, restricted))
        self._rate = rate
        self._clock = clock
        self._grants: dict[str, Grant] = {}
        self._read: tuple[int, int, int] | None = None
        self._purses: dict[str, _Purse] = {}
        self.counts = GuardCounts()
        self.problem: KeysUnusable | None = None
        """Why nobody is let in."""

    def look(self) -> bool:
        """Read the keys again where they have changed; return whether somebody has lost what they had. Blocks.

        Keys that cannot be read let nobody in.
        """
        stamp = self._stamp()
        if stamp == self._read and self.problem is None:
            return False
        before, self._read, self.problem = self._grants, stamp, None
        try:
            self._grants = {grant.key: grant for grant in self._ring.grants().values()}
        except KeysUnusable as unusable:
            self._grants, self.problem = {}, unusable
        for key in set(self._purses) - set(self._grants):  # in a thread: messages are counted meanwhile
            self._purses.pop(key, None)
        return any(self._grants.get(key) != grant for key, grant in before.items())

    def _stamp(self) -> tuple[int, int, int] | None:
        try:
            status = self._ring.clients_file.stat()
        except OSError:
            return None
        return status.st_ino, status.st_mtime_ns, status.st_mode

    def shut_out(self, key: str) -> None:
        """Let the holder of a key in no more, until the keys change or the daemon starts again."""
        self._grants = {known: grant for known, grant in self._grants.items() if known != key}

    def grant(self, key: str) -> Grant | None:
        """Return what the holder of a key may do; None where nobody knows it."""
        return self._grants.get(key)

    def admits(self, grant: Grant, size: int) -> bool:
        """Return whether the holder of a key may send a message of so many bytes now, and count it."""
        now = self._clock()
        purse = self._purses.setdefault(grant.key, _Purse(_AHEAD_S * self._rate, now))
        purse.left = min(_AHEAD_S * self._rate, purse.left + (now - purse.since) * self._rate)
        purse.since = now
        if purse.left < 0:
            return False
        purse.left -= 1 + size / _MESSAGE_BYTES
        return True

    def may_speak(self, grant: Grant, caller: Caller) -> bool:
        """Return whether the holder of a key is who it says that it is."""
        return caller.owner in grant.owners and caller.agent == grant.agent

    def refusal(self, grant: Grant, request: AnyRequest, caller: Caller) -> Failure | None:
        """Return why a request is not answered, if it is not."""
        callers = (caller, request.update.caller) if isinstance(request, Push | Turn) else (caller,)
        for one in callers:
            if not self.may_speak(grant, one):
                return _not_they(grant, one)
        if isinstance(request, ImportTranscript) and request.agent not in {"", grant.agent}:
            return _not_they(grant, Caller(owner=caller.owner, agent=request.agent))
        if grant.admin or _is_ordinary(request):
            return None
        return Failure(
            code="refused",
            message=f"this key may not ask for `{request.__struct_config__.tag}`",
            hint="Ask where the daemon runs, or with a key that was made with --admin.",
        )

    def may_hear(self, grant: Grant, topic: bytes) -> bool:
        """Return whether the holder of a key may listen to a topic: its owners', with --admin also everybody's.

        Events tell what was said and found in every session, so an agent that may not see all hears none.
        """
        if name_of(grant.agent) in self._restricted:
            return False
        topics = [owner_topic(owner) for owner in grant.owners]
        return any(topic.startswith(one) for one in (*topics, *(topics_for("") if grant.admin else ())))


def _is_ordinary(request: AnyRequest) -> bool:
    match request:
        case DeleteCheckpoint(purge=True) | Import(restore=True) | RemoveKnowledge(purge=True):
            return False
        case _:
            return request.__struct_config__.tag in ORDINARY


def _not_they(grant: Grant, caller: Caller) -> Failure:
    owners = " or ".join(repr(owner) for owner in grant.owners)
    return Failure(
        code="refused",
        message=f"this key speaks for owner {owners} as agent {grant.agent!r}, "
        f"not for {caller.owner!r} as {caller.agent!r}",
        hint="`memoryd keys list`, where the daemon runs, shows what each key may.",
    )
