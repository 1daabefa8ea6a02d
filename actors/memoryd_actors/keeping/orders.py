"""What the keeper is asked to do."""

from collections.abc import Mapping, Sequence

import msgspec

from memoryd_actors.admission.gate import Admitted
from memoryd_actors.memory.steps import AddEdge, Advance, Step, Supersede, UnlessPurged
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.editing import Changes
from memoryd_client.wire.memory import NewMemory, State


class Store(msgspec.Struct, frozen=True):
    """Store memories: all of them or none."""

    memories: tuple[NewMemory, ...]
    caller: Caller
    replaces: str = ""
    """The memory whose place the only one takes; the id must be whole."""
    links: tuple[AddEdge, ...] = ()
    """What the only one is to others; none of a proposal."""
    from_user: bool = False
    """Whether memoryd found them in the user's own messages. Else what says that the user wrote it is the user's where
    it comes from the command line only."""
    told: frozenset[str] = frozenset()
    """Sentences about a person that the user told in the conversation in the same words."""
    unless_purged: UnlessPurged | None = None
    """Where something was purged since the conversation was read that they come from, nothing is stored."""

    @property
    def guards(self) -> tuple[UnlessPurged, ...]:
        """What has to hold for any of it to be stored."""
        return () if self.unless_purged is None else (self.unless_purged,)


class Adopt(msgspec.Struct, frozen=True):
    """Store memories that were admitted as whole as they came; one that is there already stays as it stands."""

    admitted: tuple[Admitted, ...]
    owner: str
    actor: str
    notes: Mapping[str, str]
    """For the history, beside what the gate did."""
    session: str = ""
    """In which it was asked for."""


class SetState(msgspec.Struct, frozen=True):
    """Forget or restore one memory; `memory_id` may be shortened."""

    memory_id: str
    state: State
    caller: Caller


class EditMemory(msgspec.Struct, frozen=True):
    """Change one memory; `memory_id` may be shortened. Refused where it is no longer at `revision`."""

    memory_id: str
    changes: Changes
    revision: int | None
    caller: Caller
    told: frozenset[str] = frozenset()
    """Sentences about a person that the user told in the conversation in the same words."""


class LinkMemories(msgspec.Struct, frozen=True):
    """Make an edge between two memories, or remove it; ids may be shortened."""

    from_id: str
    to_id: str
    relation: str
    strength: float
    caller: Caller
    remove: bool = False


class DecideProposal(msgspec.Struct, frozen=True):
    """The user's yes or no to a proposal; `memory_id` may be shortened."""

    memory_id: str
    approve: bool
    caller: Caller
    from_user: bool = False
    """Whether memoryd found it in the user's own messages."""


class TakeBack(msgspec.Struct, frozen=True):
    """Undo an operation."""

    operation: int
    caller: Caller


class Perform(msgspec.Struct, frozen=True):
    """Perform steps that were decided elsewhere: by the worker, by consent."""

    owner: str
    steps: tuple[Step, ...]
    actor: str
    node: str = "worker"
    """Who decided them, in the counts of events."""
    session: str = ""
    """In which they were asked for."""
    similarity: float | None = None
    """Cosine of the nearest neighbour of what they are for, where one was looked for."""


class PurgeMemories(msgspec.Struct, frozen=True):
    """Destroy memories for good; ids must be whole."""

    ids: tuple[str, ...]
    owner: str
    actor: str
    told: Mapping[str, Sequence[int]] = msgspec.field(default_factory=dict[str, Sequence[int]])
    """Entries of transcripts that go, too, by session."""
    session: str = ""
    """In which it was asked for."""
    looked_at: int | None = None
    """The change of the ledger up to which it was looked what tells them: what was written since and does goes, too."""


class StoreFindings(msgspec.Struct, frozen=True):
    """Store what a job found in a conversation and the gate admitted, and how far it is: in one transaction."""

    admitted: tuple[Admitted, ...]
    caller: Caller
    unless_purged: UnlessPurged
    """Where something was purged since the conversation was read, nothing is stored."""
    advances: tuple[Advance | Supersede | AddEdge, ...]
    """What is done with it."""
    node: str


KeeperMessage = (
    StoreFindings
    | Store
    | Adopt
    | SetState
    | EditMemory
    | LinkMemories
    | DecideProposal
    | TakeBack
    | Perform
    | PurgeMemories
)


def op(message: KeeperMessage) -> str:  # noqa: PLR0911 - one case a message
    """Return what a message asks for, as it is counted."""
    match message:
        case Store() | StoreFindings():
            return "create"
        case Adopt():
            return "import"
        case SetState():
            return "delete" if message.state is State.FORGOTTEN else "restore"
        case EditMemory():
            return "update"
        case LinkMemories():
            return "unlink" if message.remove else "link"
        case DecideProposal():
            return "consent"
        case TakeBack():
            return "undo"
        case Perform():
            return "perform"
        case PurgeMemories():
            return "purge"
