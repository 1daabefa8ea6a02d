"""Every request of the wire, sent by somebody else: it sees nothing of the owner's, and changes nothing."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import get_args

import msgspec
import pytest
import zmq

from memoryd_client import Message, NewMemory, State
from memoryd_client.wire.archiving import ArchiveTurns, ListTurnSummaries, SummarizeTurns
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.categories import ListCategories
from memoryd_client.wire.checkpoints import DeleteCheckpoint, ListCheckpoints, LoadCheckpoint, SaveCheckpoint
from memoryd_client.wire.consent import Consents, DecideConsent, ListConsents
from memoryd_client.wire.consolidation import Consolidate, GatherEpisodes, ListConsolidations, PlanConsolidation
from memoryd_client.wire.context import ContextUpdate, Push
from memoryd_client.wire.core_memory import (
    CoreAppend,
    CorePurge,
    CoreReplace,
    CoreSet,
    CoreUndo,
    CoreView,
    GetCoreHistory,
)
from memoryd_client.wire.edges import Edge, GetEdges, Relate, Unrelate
from memoryd_client.wire.editing import Changes, Update
from memoryd_client.wire.event_counts import CountEvents, ListDone
from memoryd_client.wire.failures import Failure
from memoryd_client.wire.history import GetHistory, Undo
from memoryd_client.wire.importing import Import, Imported, MemoryRecord
from memoryd_client.wire.knowledge import AddKnowledge, ListKnowledge, RemoveKnowledge, SearchKnowledge
from memoryd_client.wire.memories import Forget, Get, List, Read, Remember, Restore
from memoryd_client.wire.mirroring import ListMirrors, StartMirror, StopMirror
from memoryd_client.wire.origin import GetOrigin
from memoryd_client.wire.pending import Cleared, Recall, Take, Turn
from memoryd_client.wire.protocol import AnyRequest, Envelope, Reply, decode_answer, encode
from memoryd_client.wire.purging import PlanPurge, Purge
from memoryd_client.wire.query import Query
from memoryd_client.wire.review import ReviewPairs, SettlePair
from memoryd_client.wire.search import Search
from memoryd_client.wire.session_context import BuildContext, Compact
from memoryd_client.wire.spending import CountSpending
from memoryd_client.wire.status import GetStatus, Ping
from memoryd_client.wire.switching import Switch
from memoryd_client.wire.traces import Why
from memoryd_client.wire.transcripts import (
    Append,
    EndSession,
    Entry,
    ImportTranscript,
    ListSessions,
    PurgeSession,
    ReadTranscript,
    SearchMessages,
    TranscriptRecord,
)
from memoryd_client.wire.upkeep import Backup, Reembed, Reindex
from memoryd_client.wire.virtual_files import (
    DeleteFile,
    EditFile,
    GrepFiles,
    ListFiles,
    ReadFile,
    SearchFiles,
    WriteFile,
)
from running import PROJECT, RunningDaemon

SECRET = "The vault of the library opens with the northern door's third brass key."
ASKED = "how does the vault of the library open, with which key?"
THEM = Caller(owner="them", project=PROJECT, agent="other", session="mine")
MINE = Caller(owner="local", project=PROJECT, agent="test", session="mine")
SAID = (Message("user", ASKED),)

CASES: dict[type, Callable[[str], AnyRequest]] = {
    Ping: lambda _: Ping(),
    GetStatus: lambda _: GetStatus(),
    Push: lambda _: Push(update=ContextUpdate(caller=THEM, messages=SAID)),
    Take: lambda _: Take(take_id="theirs"),
    Turn: lambda _: Turn(update=ContextUpdate(caller=THEM, messages=SAID), take_id="theirs", wait_s=0.0),
    Cleared: lambda _: Cleared(),
    Remember: lambda memory: Remember(memories=(NewMemory(id=memory, content="In its place."),)),
    Search: lambda _: Search(query=ASKED, limit=200),
    Query: lambda _: Query(query=ASKED, top_k=50, budget_tokens=100_000, return_="full"),
    Recall: lambda _: Recall(messages=SAID),
    List: lambda _: List(),
    Get: lambda memory: Get(id=memory),
    Read: lambda memory: Read(id=memory),
    Forget: lambda memory: Forget(id=memory),
    Restore: lambda memory: Restore(id=memory),
    Update: lambda memory: Update(id=memory, changes=Changes(content="The vault is open.")),
    Relate: lambda memory: Relate(from_id=memory, to_id=memory, relation="contradicts"),
    Unrelate: lambda memory: Unrelate(from_id=memory, to_id=memory),
    Undo: lambda _: Undo(operation=1),
    Purge: lambda memory: Purge(ids=(memory,)),
    PlanPurge: lambda memory: PlanPurge(ids=(memory,), every_session=True),
    GetOrigin: lambda memory: GetOrigin(id=memory),
    GetHistory: lambda memory: GetHistory(id=memory),
    ListConsents: lambda _: ListConsents(),
    DecideConsent: lambda memory: DecideConsent(id=memory, approve=True),
    CountEvents: lambda _: CountEvents(days=366),
    ListDone: lambda _: ListDone(days=366, limit=1000),
    CountSpending: lambda _: CountSpending(),
    Why: lambda _: Why(limit=50),
    Backup: lambda _: Backup(),
    Reembed: lambda _: Reembed(),
    Reindex: lambda _: Reindex(),
    CoreView: lambda _: CoreView(thread="mine"),
    CoreAppend: lambda _: CoreAppend(id="theirs-append", section="human", text="They were here."),
    CoreReplace: lambda _: CoreReplace(id="theirs-replace", section="human", old=SECRET, new="gone"),
    CoreSet: lambda _: CoreSet(id="theirs-set", section="human", text="gone", thread="mine", revision=1),
    CoreUndo: lambda _: CoreUndo(id="theirs-undo", section="human"),
    CorePurge: lambda _: CorePurge(id="theirs-purge", section="human", thread="mine"),
    GetCoreHistory: lambda _: GetCoreHistory(thread="mine"),
    SaveCheckpoint: lambda _: SaveCheckpoint(id="theirs-save", thread="mine", data=b"gone"),
    LoadCheckpoint: lambda _: LoadCheckpoint(thread="mine", version=1),
    ListCheckpoints: lambda _: ListCheckpoints(thread="mine"),
    DeleteCheckpoint: lambda _: DeleteCheckpoint(thread="mine", purge=True),
    Append: lambda _: Append(entries=(Entry(id="of-the-owner", content="In its place."),)),
    BuildContext: lambda _: BuildContext(session="mine", take=True),
    ListFiles: lambda _: ListFiles(),
    ReadFile: lambda _: ReadFile(path="notes/vault.md"),
    WriteFile: lambda _: WriteFile(path="notes/vault.md", content="In its place."),
    EditFile: lambda _: EditFile(path="notes/vault.md", old="third brass key", new="hand"),
    GrepFiles: lambda _: GrepFiles(pattern="brass"),
    SearchFiles: lambda _: SearchFiles(query=ASKED, limit=100),
    DeleteFile: lambda _: DeleteFile(path="notes/vault.md"),
    Compact: lambda _: Compact(session="mine"),
    ReadTranscript: lambda _: ReadTranscript(session="mine"),
    ListSessions: lambda _: ListSessions(),
    SearchMessages: lambda _: SearchMessages(query=ASKED, session="mine"),
    EndSession: lambda _: EndSession(session="mine"),
    ImportTranscript: lambda _: ImportTranscript(
        session="mine",
        records=(
            TranscriptRecord(
                session="mine", sequence=1, id="of-the-owner", content="In its place.", at=datetime.now(UTC)
            ),
        ),
    ),
    PurgeSession: lambda _: PurgeSession(session="mine"),
    Import: lambda memory: Import(
        records=(MemoryRecord(id=memory, content="In its place."),),
        edges=(Edge(from_id=memory, to_id=memory, relation="contradicts"),),
    ),
    GetEdges: lambda memory: GetEdges(ids=(memory,)),
    Switch: lambda _: Switch(on=False, everywhere=True),
    ReviewPairs: lambda _: ReviewPairs(),
    SettlePair: lambda memory: SettlePair(first=memory, second=memory, verdict="same"),
    Consolidate: lambda _: Consolidate(),
    PlanConsolidation: lambda _: PlanConsolidation(),
    ListConsolidations: lambda _: ListConsolidations(),
    GatherEpisodes: lambda _: GatherEpisodes(project=PROJECT),
    ListCategories: lambda _: ListCategories(scope="everywhere"),
    AddKnowledge: lambda _: AddKnowledge(path="/no/such/file.md"),
    ListKnowledge: lambda _: ListKnowledge(),
    RemoveKnowledge: lambda _: RemoveKnowledge(path="/no/such/file.md", purge=True),
    SearchKnowledge: lambda _: SearchKnowledge(query=ASKED),
    SummarizeTurns: lambda _: SummarizeTurns(start_turn=1, end_turn=1, session="mine"),
    ArchiveTurns: lambda _: ArchiveTurns(before_turn=2, session="mine"),
    ListTurnSummaries: lambda _: ListTurnSummaries(session="mine"),
    StartMirror: lambda _: StartMirror(folder="/no/such/folder"),
    StopMirror: lambda _: StopMirror(),
    ListMirrors: lambda _: ListMirrors(),
}
"""A new kind of request needs a case here: how somebody else would reach for the memory of that id with it."""


class Owned:
    """A daemon in which the owner has a memory, shown to its session and waiting in another."""

    def __init__(self, daemon: RunningDaemon) -> None:
        self.daemon = daemon
        with daemon.client("earlier") as client:
            self.memory = client.remember(SECRET).id
            self.proposed = client.remember("Brass Key Ana", category="profile", title="preferred_name").id
            client.remember("never tell where the vault is", category="rule")
            daemon.indexed(client)
            client.core_set("human", SECRET)
            client.core_set("human", SECRET, thread="mine")
            client.save_checkpoint("mine", SECRET.encode(), meta={"about": SECRET})
        with daemon.client("mine") as client:
            daemon.turn(client, ASKED)
            client.append([Entry(id="of-the-owner", content=SECRET)])
            client.write_file("notes/vault.md", f"# Vault\n{SECRET}")
            assert client.search_messages("vault").found

    def ask(self, request: AnyRequest, caller: Caller) -> Reply:
        context = zmq.Context[zmq.Socket[bytes]]()
        with context, context.socket(zmq.DEALER) as socket:
            socket.set(zmq.LINGER, 0)
            socket.set(zmq.RCVTIMEO, 30_000)
            socket.connect(f"ipc://{self.daemon.paths.rpc_socket}")
            socket.send(encode(Envelope(id=1, request=request, caller=caller, deadline_s=30)))
            return decode_answer(socket.recv()).reply

    def standing(self) -> bytes:
        """Everything that the owner sees of what is stored."""
        with self.daemon.client("observer") as client:
            # How often it was looked at counts as nothing changed.
            memories = [
                msgspec.structs.replace(one, access_count=0, last_accessed_at=None)
                for one in client.list(states=tuple(State))
            ]
            core = (client.core_view(thread="mine"), client.core_history(), client.core_history(thread="mine"))
            kept = (client.list_checkpoints(), client.load_checkpoint("mine"))
            said = client.messages("mine").entries
            return msgspec.msgpack.encode((memories, client.history(limit=1000), core, kept, said))


@pytest.fixture(scope="module")
def owned(tmp_path_factory: pytest.TempPathFactory, models: Path) -> Iterator[Owned]:
    del tmp_path_factory
    import shutil
    import tempfile

    home = Path(tempfile.mkdtemp(prefix="md-"))
    with RunningDaemon(home, models) as daemon:
        yield Owned(daemon)
    shutil.rmtree(home, ignore_errors=True)


def test_every_kind_of_request_has_a_case() -> None:
    assert set(CASES) == set(get_args(AnyRequest))


@pytest.mark.parametrize("kind", CASES, ids=lambda kind: kind.__name__)
def test_another_owner_sees_nothing_and_changes_nothing(owned: Owned, kind: type) -> None:
    before = owned.standing()
    reply = owned.ask(CASES[kind](owned.memory), THEM)
    seen = msgspec.msgpack.encode(reply)
    assert b"brass key" not in seen
    assert b"vault is" not in seen
    # An id is known to whoever asks with it, and comes back in the error at most.
    assert isinstance(reply, Failure | Imported) or owned.memory.encode() not in seen
    assert owned.standing() == before


def test_another_owner_can_not_push_into_a_session_of_the_owners(owned: Owned) -> None:
    reply = owned.ask(Push(update=ContextUpdate(caller=MINE, messages=SAID)), THEM)
    assert isinstance(reply, Failure)
    assert reply.code == "refused"


def test_another_owner_sees_no_proposal_and_decides_none(owned: Owned) -> None:
    before = owned.standing()
    assert owned.ask(ListConsents(), THEM) == Consents(consents=())
    for approve in (True, False):
        reply = owned.ask(DecideConsent(id=owned.proposed, approve=approve), THEM)
        assert isinstance(reply, Failure)
        assert reply.code == "not_found"
    assert owned.standing() == before


def test_what_waits_for_the_owner_is_still_there_after_all_of_that(owned: Owned) -> None:
    with owned.daemon.client("mine") as client:
        pending = client.take_pending(deadline_s=10)
    assert pending is not None
    assert [memory.id for memory in pending.memories] == [owned.memory]
    assert [memory.content for memory in pending.always] == ["never tell where the vault is"]
