"""The asynchronous client, for any event loop that anyio runs on. `client.py` is made of it by client/generate.py."""

import builtins
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, Unpack

from memoryd_client.agent_messages import Said
from memoryd_client.arguments import absolute, pairs, texts
from memoryd_client.base.errors import RequestFailed
from memoryd_client.interrupted import KIND, Interrupted, pack, run_in
from memoryd_client.outgoing import ContextArguments, conversation
from memoryd_client.project import named_or_root, project_root
from memoryd_client.requests import (
    ChangedFields,
    MemoryFields,
    Narrowing,
    Sought,
    changes,
    filters,
    new_checkpoint,
    new_memory,
    search_messages,
)
from memoryd_client.suspending import Suspending
from memoryd_client.wire.archiving import (
    ArchiveTurns,
    ListTurnSummaries,
    SummarizeTurns,
    TurnSummaries,
    TurnSummary,
)
from memoryd_client.wire.categories import CategoryList, ListCategories
from memoryd_client.wire.checkpoints import (
    Checkpoint,
    CheckpointInfo,
    DeleteCheckpoint,
    ListCheckpoints,
    LoadCheckpoint,
)
from memoryd_client.wire.consent import Consent, DecideConsent, ListConsents
from memoryd_client.wire.consolidation import (
    Consolidate,
    Consolidation,
    ConsolidationPlan,
    GatherEpisodes,
    ListConsolidations,
    PlanConsolidation,
    Rollup,
)
from memoryd_client.wire.context import Trigger
from memoryd_client.wire.core_memory import (
    CoreAppend,
    CorePurge,
    CoreReplace,
    CoreSet,
    CoreUndo,
    CoreView,
    CoreWrite,
    GetCoreHistory,
    Section,
    new_write_id,
)
from memoryd_client.wire.edges import Edge, GetEdges, Relate, Unrelate
from memoryd_client.wire.editing import Update
from memoryd_client.wire.event_counts import CountEvents, DoneEvent, EventCount, ListDone
from memoryd_client.wire.history import GetHistory, HistoryEntry, Undo
from memoryd_client.wire.importing import Import, Imported, MemoryRecord
from memoryd_client.wire.knowledge import (
    AddKnowledge,
    Document,
    Documents,
    KnowledgeHit,
    ListKnowledge,
    RemoveKnowledge,
    SearchKnowledge,
)
from memoryd_client.wire.memories import Forget, Get, List, MemoryPage, Read, Remember, Restore
from memoryd_client.wire.memory import Memory, NewMemory, Scope
from memoryd_client.wire.mirroring import ListMirrors, MirrorStatus, StartMirror, StopMirror
from memoryd_client.wire.origin import GetOrigin, Origin
from memoryd_client.wire.pending import Cleared, PendingMemory, Recall
from memoryd_client.wire.purging import PlanPurge, Purge, PurgePlan
from memoryd_client.wire.query import Queried, Query
from memoryd_client.wire.review import ReviewPairs, SettledPair, SettlePair, Verdict, WaitingPairs
from memoryd_client.wire.search import Hit, Search
from memoryd_client.wire.session_context import BuildContext, Compact, Compacted, SessionContext
from memoryd_client.wire.spending import CountSpending, DaySpending
from memoryd_client.wire.status import GetStatus, Ping, Pong, Status
from memoryd_client.wire.switching import Switch, Switched
from memoryd_client.wire.traces import Trace, Why
from memoryd_client.wire.transcripts import (
    Appended,
    Ended,
    EndSession,
    Entry,
    FoundMessages,
    ListSessions,
    PurgeSession,
    ReadTranscript,
    SessionInfo,
    Transcript,
    TranscriptRecord,
)
from memoryd_client.wire.upkeep import Backup, Reembed, Reindex
from memoryd_client.wire.virtual_files import (
    DeleteFile,
    EditFile,
    FileMatch,
    GrepFiles,
    ListFiles,
    MemoryFile,
    ReadFile,
    SearchFiles,
    WriteFile,
)


class AsyncClient(Suspending):
    """Talks to the daemon from asynchronous code. Tasks of one event loop may share one.

    `async with` it, or call `close`.

    Without a `project` it sees and stores global memories only. `paths` says where the daemon is, if not where the
    environment says; `remote`, made by `Remote.at("HOST:PORT", "KEY FILE")`, one that is on a network. Each call that
    has an answer gives up after `deadline_s` seconds. `close`, or the end of the process, gives queued context updates
    `linger_s` seconds to leave: enough for a daemon that runs. One that does not loses them with this process;
    `push_acknowledged` says so.

    Raises:
        UnsafeSocket: the runtime folder's path is too long for a socket.
        KeyRefused: the environment names a server, and its key file cannot be used.

    Every call that has an answer raises:
        DaemonUnreachable: no daemon listens; found out at once. UnsafeSocket where somebody else might, KeyRefused
            where it does not let this client in.
        DeadlineExceeded: it did not answer in time.
        RequestFailed: it answered with an error, in `code`, `message` and `hint`.
    """

    async def push_acknowledged(
        self,
        messages: Sequence[Said],
        *,
        trigger: Trigger = "turn",
        turn: int | None = None,
        files: Sequence[str] = (),
    ) -> None:
        """Say what the agent is doing now, and wait until the daemon has taken it in.

        What is new of a session that has a name is in its transcript then, durably.
        """
        said = ContextArguments(messages, trigger, turn, files)
        await self._do(lambda transport: self._core.push(transport, said))

    async def take_pending(self, *, deadline_s: float = 0.5, strict: bool = False) -> PendingMemory | None:
        """Take what is worth knowing on this turn, if anything; it counts as shown from now on.

        Where the answer is lost, nothing is: the next call asks for the same again. Where no daemon listens, or it does
        not answer within `deadline_s` seconds, there is nothing to take, and a warning the first time; with `strict` it
        is an error.
        """
        return await self._do(lambda transport: self._core.take(transport, deadline_s, strict=strict))

    async def turn(
        self,
        messages: Sequence[Said],
        *,
        wait_s: float = 0.15,
        trigger: Trigger = "turn",
        turn: int | None = None,
        files: Sequence[str] = (),
        deadline_s: float = 0.5,
        strict: bool = False,
    ) -> PendingMemory | None:
        """Push what the agent is doing now, wait at most `wait_s` seconds for what that brings up, and take it.

        What is not decided by then comes with the next turn, or `take_pending`. Answers as that does.
        """
        said = ContextArguments(messages, trigger, turn, files)
        return await self._do(lambda transport: self._core.turn(transport, said, wait_s, deadline_s, strict=strict))

    async def cleared(self) -> None:
        """Say that the host has compacted or cleared this session's context.

        The next take hands over standing memory again, and what was shown may come up again.
        """
        await self.call(Cleared())

    async def recall(self, messages: Sequence[Said] = ()) -> PendingMemory | None:
        """Judge memories against a context now, by default the one last pushed; marks nothing as shown."""
        return (await self.call(Recall(messages=conversation(messages)))).pending

    async def remember(
        self,
        content: str,
        *,
        replaces: str = "",
        related: Sequence[str] = (),
        relation: str = "related_to",
        **fields: Unpack[MemoryFields],
    ) -> Memory:
        """Store a memory and return it as it now stands; it is durable then.

        `replaces` names a memory whose place it takes, `related` others to which it is what `relation` says, all in the
        same operation.

        Raises:
            ValueError: a field has a value that it cannot have.
        """
        new = new_memory(content, **fields)
        request = Remember(memories=(new,), replaces=replaces, related=texts("related", related), relation=relation)
        return (await self.call(request)).memories[0]

    async def remember_many(self, memories: Sequence[NewMemory]) -> builtins.list[Memory]:
        """Store memories, in requests of at most 1,000 and 2 MiB; each of these is stored whole or not at all."""
        return await self._do(lambda transport: self._core.remember_many(transport, memories))

    async def search(
        self, query: str, *, limit: int = 10, everything: bool = False, **narrowing: Unpack[Narrowing]
    ) -> builtins.list[Hit]:
        """Find memories by meaning and words, best first; `everything`: also what has nothing to do with the query."""
        request = Search(query=query, limit=limit, filters=filters(**narrowing), everything=everything)
        return builtins.list((await self.call(request)).hits)

    async def query(
        self,
        query: str = "",
        *,
        top_k: int = 3,
        threshold: float | None = None,
        returns: Literal["bullets", "full"] = "bullets",
        budget_tokens: int = 512,
        everything: bool = False,
        **narrowing: Unpack[Narrowing],
    ) -> Queried:
        """Ask for what is relevant, within a budget of tokens; without a query for the newest.

        Drops what has a cosine below `threshold`, and without one what has nothing to do with the query, unless
        `everything` is asked for. Categories that an ordinary recall leaves out have to be named.
        """
        request = Query(
            query=query,
            filters=filters(**narrowing),
            top_k=top_k,
            threshold=threshold,
            return_=returns,
            budget_tokens=budget_tokens,
            everything=everything,
        )
        return await self.call(request)

    async def read(self, memory_id: str, *, offset: int = 0, limit: int = 1000) -> MemoryPage:
        """Return `limit` characters of a memory's content from `offset` on. The id may be shortened."""
        return (await self.call(Read(id=memory_id, offset=offset, limit=limit))).page

    async def list(
        self, *, limit: int = 50, before: str = "", passages: bool = True, **narrowing: Unpack[Narrowing]
    ) -> builtins.list[Memory]:
        """Return memories, newest first; continue after the id `before`. Not `passages`: without those of documents."""
        request = List(filters=filters(**narrowing), limit=limit, before=before, passages=passages)
        return builtins.list((await self.call(request)).memories)

    async def get(self, memory_id: str) -> Memory:
        """Return a memory with all its fields, whatever its state. The id may be shortened."""
        return (await self.call(Get(id=memory_id))).only

    async def forget(self, memory_id: str) -> Memory:
        """Put a memory out of sight and return it; `restore` brings it back. The id may be shortened."""
        return (await self.call(Forget(id=memory_id))).only

    async def restore(self, memory_id: str) -> Memory:
        """Undo a forget and return the memory. The id may be shortened."""
        return (await self.call(Restore(id=memory_id))).only

    async def update(self, memory_id: str, *, revision: int | None = None, **changed: Unpack[ChangedFields]) -> Memory:
        """Change a memory and return it as it now stands. The id may be shortened.

        With a `revision` it is refused where somebody else has changed the memory since.

        Raises:
            TypeError: there is no such field to change.
            ValueError: a field has a value that it cannot have.
        """
        request = Update(id=memory_id, changes=changes(**changed), revision=revision)
        return (await self.call(request)).only

    async def relate(
        self, from_id: str, to_id: str, *, relation: str = "related_to", strength: float = 1.0
    ) -> builtins.list[Edge]:
        """Say what one memory is to another; `supersedes` retires the second. Return the edges of the first."""
        request = Relate(from_id=from_id, to_id=to_id, relation=relation, strength=strength)
        return builtins.list((await self.call(request)).edges)

    async def unrelate(self, from_id: str, to_id: str, *, relation: str = "related_to") -> builtins.list[Edge]:
        """Remove an edge; return those that are left of the first memory."""
        return builtins.list((await self.call(Unrelate(from_id=from_id, to_id=to_id, relation=relation))).edges)

    async def purge(
        self,
        memory_ids: Sequence[str],
        *,
        transcripts: bool = False,
        every_session: bool = False,
        deadline_s: float = 300.0,
    ) -> str:
        """Destroy memories for good, wherever memoryd keeps them: ledger, history, index, backups. Say what was done.

        Ids may be shortened. What was merged into them goes with them; with `transcripts` also the words of the
        messages that they come from, and the episodes and summaries of their sessions that tell it, else the answer
        names them. With `every_session` also what says the same in the same words in any other session: `purge_plan`
        shows beforehand what that is.
        """
        request = Purge(
            ids=texts("memory_ids", memory_ids),
            transcripts=transcripts or every_session,
            every_session=every_session,
        )
        return (await self.call(request, deadline_s)).detail

    async def purge_plan(
        self, memory_ids: Sequence[str], *, every_session: bool = False, deadline_s: float = 300.0
    ) -> PurgePlan:
        """Return which entries of transcripts a purge of these memories would take the words from. Changes nothing."""
        request = PlanPurge(ids=texts("memory_ids", memory_ids), every_session=every_session)
        return await self.call(request, deadline_s)

    async def undo(self, operation: int) -> builtins.list[Memory]:
        """Take back an operation, as the history numbers them; return the memories that changed back."""
        return builtins.list((await self.call(Undo(operation=operation))).memories)

    async def origin(self, memory_id: str) -> Origin:
        """Return where a memory comes from, what it is to others, and when it was shown."""
        return await self.call(GetOrigin(id=memory_id))

    async def consents(self, *, limit: int = 50) -> builtins.list[Consent]:
        """Return the changes to what is known about the user that wait for a yes, newest first."""
        return builtins.list((await self.call(ListConsents(limit=limit))).consents)

    async def approve(self, memory_id: str) -> Memory:
        """Pass on the user's yes to a proposed change, and return the memory. The id may be shortened."""
        return (await self.call(DecideConsent(id=memory_id, approve=True))).only

    async def reject(self, memory_id: str) -> Memory:
        """Pass on the user's no to a proposed change, and return the memory. The id may be shortened."""
        return (await self.call(DecideConsent(id=memory_id, approve=False))).only

    async def history(self, memory_id: str = "", *, limit: int = 50, before: int = 0) -> builtins.list[HistoryEntry]:
        """Return the writes to one memory, or to all of them, newest first; continue after the sequence `before`."""
        return builtins.list((await self.call(GetHistory(id=memory_id, limit=limit, before=before))).entries)

    async def why(self, limit: int = 1) -> builtins.list[Trace]:
        """Return how the latest context updates of this session were decided, newest first."""
        return builtins.list((await self.call(Why(limit=limit))).traces)

    async def append(self, entries: Sequence[Entry | Mapping[str, object]]) -> Appended:
        """Add to the transcript of this session, in requests of at most 1,000 entries and 2 MiB; durable on return.

        A mapping has the fields of an entry, or those of a line that `memoryd session import` takes. An entry that is
        sent again under its id is not stored again. Of one that is longer than a request may be, only the beginning is
        sent.

        Raises:
            InvalidArgument: something is no entry.
        """
        return await self._do(lambda transport: self._core.append(transport, entries))

    async def messages(
        self, session: str = "", *, before: int | None = None, after: int | None = None, limit: int = 100
    ) -> Transcript:
        """Return a part of a transcript, by default the end of this session's: what is before or after a number."""
        request = ReadTranscript(session=session, before=before, after=after, limit=limit)
        return await self.call(request)

    async def sessions(self, *, limit: int = 50, offset: int = 0) -> builtins.list[SessionInfo]:
        """Return the sessions that have a transcript, the latest first."""
        return builtins.list((await self.call(ListSessions(limit=limit, offset=offset))).sessions)

    async def search_messages(self, query: str = "", **sought: Unpack[Sought]) -> FoundMessages:
        """Find what was said in any session, by meaning, words, date or session; without a query the newest.

        Raises:
            TypeError: there is no such criterion.
            ValueError: one has a value that it cannot have.
        """
        return await self.call(search_messages(query, **sought))

    async def build_context(
        self, budget: int | None = None, *, session: str = "", turns: int | None = None, take: bool = False
    ) -> SessionContext:
        """Return what to send of a session, by default this one, in at most `budget` tokens, counted.

        Core memory, rules, the summary of what was compacted, what memory has found, and the recent messages, at most
        `turns` of the user. What memory has found stays to be taken, unless `take` hands it over. `.system` and
        `.messages()` are ready for a model's API.

        Raises:
            RequestFailed: there is no session.
        """
        request = BuildContext(session=session, budget=budget, turns=turns, take=take)
        return await self.call(request)

    async def compact(self, session: str = "", *, deadline_s: float = 300.0) -> Compacted:
        """Let a summary take the place of what was said long ago in a session, by default this one.

        It is done by itself when a conversation has grown long. Nothing is deleted; done twice it changes nothing.
        """
        return await self.call(Compact(session=session), deadline_s)

    async def summarize_conversation(
        self,
        start_turn: int = 1,
        end_turn: int | None = None,
        *,
        focus: str = "",
        session: str = "",
        deadline_s: float = 300.0,
    ) -> TurnSummary:
        """Tell turns of a session shortly, by default all of this one, both ends among them; durable on return.

        A turn is what the user says and all that follows, counted from 1; without an end it is up to the last. `focus`:
        decisions, facts, context, or in words what matters most. Nothing is archived by it: see `archive_old_messages`.
        """
        request = SummarizeTurns(start_turn=start_turn, end_turn=end_turn or 0, focus=focus, session=session)
        (summary,) = (await self.call(request, deadline_s)).summaries
        return summary

    async def archive_old_messages(
        self, before_turn: int, *, session: str = "", deadline_s: float = 300.0
    ) -> TurnSummaries:
        """Let the summaries of the turns before this one take their place in contexts; nothing is deleted.

        A turn that has no answer yet stays: `archived_turns` is the last that is archived.

        Raises:
            RequestFailed: one of these turns has no summary.
        """
        return await self.call(ArchiveTurns(before_turn=before_turn, session=session), deadline_s)

    async def turn_summaries(self, session: str = "") -> TurnSummaries:
        """Return what of a session, by default this one, is summarised and archived."""
        return await self.call(ListTurnSummaries(session=session))

    async def import_transcript(
        self, session: str, records: Sequence[TranscriptRecord], *, project: str = "", agent: str = ""
    ) -> Appended:
        """Bring entries into a transcript whole, in the order in which they are given; durable on return.

        Entries that are there already, by their ids, stay as they are. `project` and `agent` say where and by whom it
        was spoken last; empty: here.
        """
        return await self._do(
            lambda transport: self._core.import_transcript(transport, session, records, project=project, agent=agent)
        )

    async def list_files(self, prefix: str = "", *, limit: int = 200) -> builtins.list[MemoryFile]:
        """Return the memory files of this project and those that hold everywhere, by path."""
        return builtins.list((await self.call(ListFiles(prefix=prefix, limit=limit))).files)

    async def read_file(self, path: str, *, offset: int = 0, limit: int = 20_000) -> MemoryPage:
        """Return a page of a memory file."""
        return (await self.call(ReadFile(path=path, offset=offset, limit=limit))).page

    async def write_file(
        self,
        path: str,
        content: str,
        *,
        tags: Sequence[str] | None = None,
        metadata: Mapping[str, str] | None = None,
        revision: int | None = None,
    ) -> MemoryFile:
        """Create a memory file, or overwrite it; refused where it is not at the `revision` that is given.

        Tags and metadata that are not given stay as they are.
        """
        kept = None if tags is None else texts("tags", tags)
        labels = None if metadata is None else pairs("metadata", metadata)
        request = WriteFile(path=path, content=content, tags=kept, metadata=labels, revision=revision)
        return (await self.call(request)).only

    async def edit_file(
        self, path: str, old: str = "", new: str = "", *, diff: str = "", revision: int | None = None
    ) -> MemoryFile:
        """Replace a passage of a memory file, which has to stand in it exactly once; or apply a unified `diff`."""
        return (await self.call(EditFile(path=path, old=old, new=new, diff=diff, revision=revision))).only

    async def grep_files(self, pattern: str, *, prefix: str = "", limit: int = 100) -> builtins.list[FileMatch]:
        """Return the lines of memory files that a regular expression matches, in whatever case."""
        return builtins.list((await self.call(GrepFiles(pattern=pattern, prefix=prefix, limit=limit))).matches)

    async def search_files(
        self, query: str, *, prefix: str = "", tags: Sequence[str] = (), limit: int = 5
    ) -> builtins.list[MemoryFile]:
        """Return memory files by meaning and words, best first, each with its score and a snippet."""
        request = SearchFiles(query=query, prefix=prefix, tags=texts("tags", tags), limit=limit)
        return builtins.list((await self.call(request)).files)

    async def delete_file(self, path: str) -> str:
        """Delete a memory file, and say how it is brought back."""
        return (await self.call(DeleteFile(path=path))).detail

    async def add_knowledge(
        self, path: str | Path, *, everywhere: bool = False, deadline_s: float = 600.0
    ) -> Documents:
        """Read a file, or all documents in a folder, as knowledge; durable on return.

        Markdown, text, PDF, HTML and code. What has changed since is read again by itself. `everywhere`: for every
        project, not for this one alone. What could not be read, or may not be kept, is in `left_out`.
        """
        scope = Scope.GLOBAL if everywhere else Scope.PROJECT
        request = AddKnowledge(path=absolute(path), scope=scope)
        return await self.call(request, deadline_s)

    async def list_knowledge(self) -> builtins.list[Document]:
        """Return the documents of this project and those that hold everywhere, by path."""
        return builtins.list((await self.call(ListKnowledge())).documents)

    async def remove_knowledge(self, path: str | Path, *, purge: bool = False, deadline_s: float = 300.0) -> str:
        """Forget what was read of a file or folder, or `purge` it with its earlier versions. Say what was done."""
        return (await self.call(RemoveKnowledge(path=absolute(path), purge=purge), deadline_s)).detail

    async def knowledge_search(self, query: str, *, limit: int = 3) -> builtins.list[KnowledgeHit]:
        """Return passages of documents by meaning and words, best first, each with file, heading and lines."""
        return builtins.list((await self.call(SearchKnowledge(query=query, limit=limit))).hits)

    async def end_session(self, session: str = "") -> Ended:
        """Say that a session, by default this one, is over, so that what is done then is done now; durable on return.

        Nothing ends a session by itself, also not leaving `with`; an idle one counts as over after half an hour.
        """
        return await self.call(EndSession(session=session))

    async def purge_session(self, session: str, *, deadline_s: float = 300.0) -> str:
        """Destroy the transcript of a session for good, and what the index has of it. Say what was done."""
        return (await self.call(PurgeSession(session=session), deadline_s)).detail

    async def status(self) -> Status:
        """Return the daemon's health."""
        return await self.call(GetStatus())

    async def event_counts(self, *, days: int = 7) -> builtins.list[EventCount]:
        """Return how often the daemon did what for the owner, by day (UTC), the newest first."""
        return builtins.list((await self.call(CountEvents(days=days))).counts)

    async def done(
        self,
        *,
        node: str = "",
        op: str = "",
        status: Literal["", "ok", "error", "skipped"] = "",
        session: str = "",
        memory: str = "",
        category: str = "",
        project: str = "",
        agent: str = "",
        days: int = 7,
        limit: int = 50,
        before: int = 0,
    ) -> builtins.list[DoneEvent]:
        """Return what the daemon did for the owner, row by row, newest first; continue after the number `before`.

        `session` and `agent` ask for what was done there and by that one, `project` (a root) for what was done with
        memories of that project.
        """
        request = ListDone(
            node=node,
            op=op,
            status=status,
            session=session,
            memory=memory,
            category=category,
            project=project,
            agent=agent,
            days=days,
            limit=limit,
            before=before,
        )
        return builtins.list((await self.call(request)).events)

    async def spending(self, *, days: int = 30) -> builtins.list[DaySpending]:
        """Return what the daemon's questions to models used, by day (UTC), the newest first."""
        return builtins.list((await self.call(CountSpending(days=days))).days)

    async def categories(self, *, scope: Literal["all", "project", "global", "everywhere"] = "all") -> CategoryList:
        """Return the categories there are, with how many memories each has here, and who may see and write which."""
        return await self.call(ListCategories(scope=scope))

    async def ping(self, *, deadline_s: float | None = None) -> Pong:
        """Ask whether the daemon is there and ready."""
        return await self.call(Ping(), deadline_s)

    async def backup(self, path: str | Path = "", *, deadline_s: float = 300.0) -> str:
        """Write a copy of the ledger to a new file, by default a dated one among the backups; return its path."""
        return (await self.call(Backup(path=str(path)), deadline_s)).detail

    async def import_records(
        self,
        records: Sequence[MemoryRecord] = (),
        edges: Sequence[Edge] = (),
        *,
        restore: bool = False,
        deadline_s: float = 120.0,
    ) -> Imported:
        """Bring in whole memories and what they are to each other, at most 1,000 of each; return what became of them.

        What is there already stays as it is: bringing in the same again changes nothing. `restore` is for the person at
        the command line only: it takes an export as their own, consent included.
        """
        request = Import(records=tuple(records), edges=tuple(edges), restore=restore)
        return await self.call(request, deadline_s)

    async def edges(self, memory_ids: Sequence[str]) -> builtins.list[Edge]:
        """Return the edges that begin or end at these memories, at most 1,000 of them, strongest first."""
        return builtins.list((await self.call(GetEdges(ids=texts("memory_ids", memory_ids)))).edges)

    async def consolidate(self) -> Consolidation:
        """Have your memories consolidated now, in the background; return the run, whose progress `consolidations` has.

        One that is under way already is returned as it is.
        """
        return (await self.call(Consolidate())).only

    async def roll_up(self, project: str | Path = "", *, deadline_s: float = 120.0) -> builtins.list[Rollup]:
        """Gather the episodes that wait into their projects' summaries now, of one project or of all.

        A project is its folder, or as users named it (`project: ferry`). What came of each says why nothing was done,
        where nothing was.
        """
        root = named_or_root(project)
        return builtins.list((await self.call(GatherEpisodes(project=root), deadline_s)).rollups)

    async def consolidation_plan(self, *, deadline_s: float = 600.0) -> ConsolidationPlan:
        """Return what a consolidation would do now. Nothing is written, and no model is asked."""
        return await self.call(PlanConsolidation(), deadline_s=deadline_s)

    async def consolidations(self, *, limit: int = 10) -> builtins.list[Consolidation]:
        """Return your last consolidations, newest first; one that is under way says how far it is."""
        return builtins.list((await self.call(ListConsolidations(limit=limit))).runs)

    async def review(self, *, limit: int = 10, contradicting: bool = False) -> WaitingPairs:
        """Return pairs of memories that may say the same or contradict each other, and wait for a decision.

        `contradicting`: instead those that are known to contradict each other, both still active.
        """
        return await self.call(ReviewPairs(limit=limit, contradicting=contradicting))

    async def settle(self, first: str, second: str, verdict: Verdict) -> SettledPair:
        """Say what one memory is to another: `same` (the first is kept), `replaces`, `contradicts`, or `both` are true.

        It is one operation, which `undo` takes back; nobody is asked about the two again. Ids may be shortened.
        """
        return await self.call(SettlePair(first=first, second=second, verdict=verdict))

    async def switch(self, *, on: bool, everywhere: bool = False) -> Switched:
        """Turn memory on or off for this project, or everywhere; return how the switches stand.

        While it is off, contexts are dropped, takes are empty, and what stores, searches or recalls is refused.
        """
        return await self.call(Switch(on=on, everywhere=everywhere))

    async def mirror(
        self,
        folder: str | Path,
        *,
        project: str | Path | None = None,
        adopt: bool = False,
        projects: Mapping[str, str] | None = None,
    ) -> MirrorStatus:
        """Keep a folder of Markdown files in step with memory, from now on and after every start of the daemon.

        With a `project` only its memories; else those of all, in folders by project; `projects` says which is meant by
        the name of a folder. `adopt` lets Markdown files that are there become memories.
        """
        request = StartMirror(
            folder=absolute(folder),
            project=None if project is None else project_root(project),
            adopt=adopt,
            projects={} if projects is None else pairs("projects", projects),
        )
        return (await self.call(request)).mirrors[0]

    async def end_mirror(self, folder: str | Path = "") -> builtins.list[MirrorStatus]:
        """Leave a folder as it is from now on, the only one where none is named; return the mirrors that are left."""
        named = absolute(folder) if folder else ""
        return builtins.list((await self.call(StopMirror(folder=named))).mirrors)

    async def mirrors(self) -> builtins.list[MirrorStatus]:
        """Return which folders are mirrored, and how they are."""
        return builtins.list((await self.call(ListMirrors())).mirrors)

    async def reindex(self) -> str:
        """Begin to rebuild the index from the ledger; status and events show how far it is."""
        return (await self.call(Reindex())).detail

    async def reembed(self) -> str:
        """Have the daemon change to the embedding model that its configuration names, in the background."""
        return (await self.call(Reembed())).detail

    async def core_view(self, *, thread: str = "") -> builtins.list[Section]:
        """Return core memory: the sections that all threads share, and those of a thread."""
        return builtins.list((await self.call(CoreView(thread=thread))).sections)

    async def core_append(self, section: str, text: str, *, thread: str = "", revision: int | None = None) -> Section:
        """Add lines to a section and return it; what does not fit is refused, with the room that is left."""
        request = CoreAppend(id=new_write_id(), section=section, text=text, thread=thread, revision=revision)
        return (await self.call(request)).only

    async def core_replace(
        self, section: str, old: str, new: str, *, thread: str = "", revision: int | None = None
    ) -> Section:
        """Replace a passage, which has to stand in the section exactly once, and return the section."""
        request = CoreReplace(id=new_write_id(), section=section, old=old, new=new, thread=thread, revision=revision)
        return (await self.call(request)).only

    async def core_set(self, section: str, text: str, *, thread: str = "", revision: int | None = None) -> Section:
        """Write a section anew; one that has a text already needs the `revision` that was read."""
        request = CoreSet(id=new_write_id(), section=section, text=text, thread=thread, revision=revision)
        return (await self.call(request)).only

    async def core_undo(self, section: str, *, thread: str = "", revision: int | None = None) -> Section:
        """Take the last write to a section back and return it; once more, and it is there again."""
        request = CoreUndo(id=new_write_id(), section=section, thread=thread, revision=revision)
        return (await self.call(request)).only

    async def core_purge(self, section: str, *, thread: str = "", deadline_s: float = 300.0) -> str:
        """Destroy a section and its history for good, in every backup, too. Say what was done."""
        request = CorePurge(id=new_write_id(), section=section, thread=thread)
        return (await self.call(request, deadline_s)).detail

    async def core_history(self, section: str = "", *, thread: str = "", limit: int = 20) -> builtins.list[CoreWrite]:
        """Return the writes to a section, or to all of a thread, newest first."""
        return builtins.list((await self.call(GetCoreHistory(section=section, thread=thread, limit=limit))).writes)

    async def save_checkpoint(
        self, thread: str, data: bytes, *, meta: Mapping[str, str] | None = None, expected: int | None = None
    ) -> CheckpointInfo:
        """Keep a state of at most 3.5 MiB, byte by byte; it is durable then.

        With `expected` it is refused where another version than that is the newest (0: where there is any).

        Raises:
            RequestFailed: it is too large, or somebody else has saved since.
        """
        return (await self.call(new_checkpoint(thread, data, meta, expected))).only

    async def load_checkpoint(self, thread: str, *, version: int | None = None) -> Checkpoint | None:
        """Return a state as it was saved, the newest by default; None where the thread has none.

        Raises:
            RequestFailed: the version that is named is not kept, or its bytes are damaged; it says which there are.
        """
        try:
            return await self.call(LoadCheckpoint(thread=thread, version=version))
        except RequestFailed as exc:
            if version is None and exc.code == "not_found":
                return None
            raise

    async def list_checkpoints(self, thread: str = "", *, limit: int = 100) -> builtins.list[CheckpointInfo]:
        """Return what is kept of a thread, or of all, newest first."""
        return builtins.list((await self.call(ListCheckpoints(thread=thread, limit=limit))).checkpoints)

    async def delete_checkpoint(
        self, thread: str, *, version: int | None = None, purge: bool = False, deadline_s: float | None = None
    ) -> str:
        """Delete a version, or all of a thread; with `purge` out of every backup, too. Say what was done."""
        request = DeleteCheckpoint(thread=thread, version=version, purge=purge)
        return (await self.call(request, deadline_s or (300.0 if purge else None))).detail

    async def interrupt(
        self, thread: str, run: Interrupted | Mapping[str, object], *, expected: int | None = None
    ) -> CheckpointInfo:
        """Store where a run stopped, as a checkpoint."""
        return await self.save_checkpoint(thread, pack(run), meta=KIND, expected=expected)

    async def resume(self, thread: str, *, version: int | None = None) -> Interrupted | None:
        """Return the run that `interrupt` stored; None where the thread has none.

        Raises:
            NotInterrupted: the checkpoint holds something else.
            RequestFailed: the version that is named is not kept, or its bytes are damaged; it says which there are.
        """
        found = await self.load_checkpoint(thread, version=version)
        return None if found is None else run_in(found)
