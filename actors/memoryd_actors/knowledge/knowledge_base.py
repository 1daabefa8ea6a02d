"""Knowledge: documents as memories, one for each passage. They are found, recalled, redacted and purged as any other.

The first passage of a document also says which version of the file was read. What has changed is read again before
knowledge is searched or listed, and once a minute; passages that stand in it as they did stay the memories they are.
"""

import logging
from collections.abc import Mapping, Sequence
from datetime import timedelta
from hashlib import sha256
from typing import Final, Protocol, assert_never

import anyio
import msgspec
from anyio import to_thread
from anyio.lowlevel import checkpoint

from memoryd_actors.access.recording import ClientRecorder
from memoryd_actors.access.switch import Switches
from memoryd_actors.access.view import MemoryView
from memoryd_actors.admission.gate import Admitted
from memoryd_actors.admission.project_files import ProjectFiles, named_files
from memoryd_actors.admission.project_rules import IgnoredFiles
from memoryd_actors.core.actor import ActorRef
from memoryd_actors.core.errors import ActorError, DaemonError, DiskFull, Refused, Unavailable
from memoryd_actors.core.worker import attempt
from memoryd_actors.keeping.gatekeeper import Gatekeeper
from memoryd_actors.keeping.orders import KeeperMessage, Perform, PurgeMemories
from memoryd_actors.knowledge.document_text import DocumentReader, FileStamp
from memoryd_actors.knowledge.passage_memories import (
    COUNT,
    HOME,
    KEPT_DAYS,
    NUMBER,
    as_memories,
    labelled,
    modified,
    number,
    span,
    steps_between,
)
from memoryd_actors.knowledge.passages import DocumentPassage, passages_of
from memoryd_actors.memory.settings import DOCUMENT, HEADING, KNOWLEDGE, LINES, PAGES, STAMP
from memoryd_actors.memory.steps import ChangeState
from memoryd_actors.memory.visibility import Visibility
from memoryd_actors.ports.clock import Clock
from memoryd_actors.purging.finisher import PurgeFinisher
from memoryd_actors.searching.search import FLOOR, Searcher
from memoryd_client.base.wording import counted
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.filters import Filters
from memoryd_client.wire.knowledge import (
    AddKnowledge,
    Document,
    Documents,
    KnowledgeHit,
    KnowledgeHits,
    KnowledgeRequest,
    LeftOutFile,
    ListKnowledge,
    RemoveKnowledge,
    SearchKnowledge,
)
from memoryd_client.wire.memory import Memory, NewMemory, Scope, State
from memoryd_client.wire.request import Done

log = logging.getLogger(__name__)

MOST_PASSAGES = 3_000
"""Of one document: a book of 2 MB."""
MOST_READ = 100_000
AT_ONCE = 1_000
"""Memories that are purged in one go."""
EVERY_S = 60.0
REFRESH_SHARE = 0.4
"""Of a request's deadline, for reading again what has changed; what takes longer is done in the background."""
KEEPER_S = 300.0
NODE: Final = "knowledge"


class PassageRepository(Protocol):
    """Finds memories by an entry of their metadata; the ledger is one."""

    async def files(self, visible: Visibility, *, prefix: str, limit: int, key: str) -> list[Memory]:
        """Return visible memories whose metadata have a `key` with a value that begins so, in its order."""
        ...

    async def owners_of(self, category: str) -> list[str]:
        """Return who has memories of a category."""
        ...


class NotKept(Refused):
    """Raised when what a file holds may not be kept, or not any more."""


class KnowledgeBase:
    """Answers what is asked of documents, and follows the files; `run` it in a task group."""

    def __init__(
        self,
        reader: DocumentReader,
        repository: PassageRepository,
        keeper: ActorRef[KeeperMessage, tuple[Memory, ...]],
        *,
        view: MemoryView,
        searcher: Searcher,
        recorder: ClientRecorder,
        gate: Gatekeeper,
        files: IgnoredFiles,
        finisher: PurgeFinisher,
        switches: Switches,
        clock: Clock,
        owners: set[str],
        home: str = "",
    ) -> None:
        """Prepare; `home` names this daemon where others share its ledger.

        `owners` are kept up to date: those who have documents.
        """
        self._reader = reader
        self._repository = repository
        self._keeper = keeper
        self._view = view
        self._searcher = searcher
        self._recorder = recorder
        self._gate = gate
        self._files = files
        self._finisher = finisher
        self._switches = switches
        self._clock = clock
        self._home = home
        self._reading = anyio.Lock()
        self._unreadable: dict[str, str] = {}
        """The version of a file that could not be read, by its path: it is not tried again every minute."""
        self._owners = owners

    async def run(self) -> None:
        """Read again what has changed, once a minute."""
        self._owners.update(await self._repository.owners_of(KNOWLEDGE))
        while True:
            await anyio.sleep(EVERY_S)
            problem = await attempt(self._refresh_all)
            if problem is not None:
                log.warning("documents are not read again: %s", problem)

    async def answer(
        self, request: KnowledgeRequest, caller: Caller, deadline_s: float
    ) -> Documents | KnowledgeHits | Done:
        """Answer one request within its deadline.

        Raises:
            Refused: there is no such document, or it cannot be read or may not be kept.
            Unavailable: the index cannot be searched.
        """
        visible = self._view.visible(caller, Filters(categories=(KNOWLEDGE,)))
        match request:
            case AddKnowledge():
                self._owners.add(caller.owner)
                return await self._add(request, caller)
            case ListKnowledge():
                await self._refresh_within(visible, deadline_s)
                return Documents(documents=await self._documents(visible))
            case RemoveKnowledge():
                return await self._remove(request, caller, visible, deadline_s)
            case SearchKnowledge():
                with self._recorder.recorded("knowledge_search", caller) as outcome:
                    await self._refresh_within(visible, deadline_s)
                    findings = await self._searcher.find(
                        request.query, visible, limit=request.limit, deadline_s=deadline_s, floor=FLOOR
                    )
                    outcome.note(one.ranked.vector_score for one in findings.found)
                stamps = await self._stamps([one.memory for one in findings.found])
                hits = (self._hit(one.memory, one.ranked.score, stamps) for one in findings.found)
                return KnowledgeHits(hits=tuple(hits), note=findings.note)
            case _:
                assert_never(request)

    # --- documents come in

    async def _add(self, request: AddKnowledge, caller: Caller) -> Documents:
        if request.scope is Scope.PROJECT and not caller.project.strip():
            raise Refused(
                "knowledge of scope `project` needs a project",
                "Give the project's folder, or add it for all of them: `--scope global`.",
            )
        if why := await self._why_closed(request.path, caller):
            hint = "All else the user adds: `memoryd knowledge add`." if caller.is_agent else ""
            raise Refused(f"{request.path} is a place {why}", hint)
        found = await self._reader.find(request.path)
        visible = self._place(caller, request.scope)
        left_out = list(found.left_out)
        async with self._reading:
            known = {one.metadata[DOCUMENT]: one for one in await self._firsts(visible)}
            for path in found.paths:
                try:
                    left_out += await self._read(path, known.get(path), caller, request.scope)
                except Refused as refused:
                    if found.paths == (request.path,):
                        raise
                    left_out.append(LeftOutFile(path=path, reason=str(refused)))
        there = [one for one in await self._documents(visible) if one.path in found.paths]
        return Documents(documents=tuple(there), left_out=tuple(left_out))

    async def _read(self, path: str, known: Memory | None, caller: Caller, scope: Scope) -> list[LeftOutFile]:
        """Read a document where it is not the version that is known; return what of it may not be kept."""
        stamp = (await self._reader.stamps([path])).get(path)
        if stamp is None:
            raise Refused(f"there is no file {path}", "Name one that there is.")
        if known is not None and known.metadata[STAMP] == str(stamp) and known.metadata.get(HOME, "") == self._home:
            return []
        root = await self._reader.root(path)
        if why := await self._why_not(path, caller):
            raise NotKept(f"{path} is a file {why}", "What such files hold is not kept.")
        text = await self._reader.read(path)
        passages = await to_thread.run_sync(passages_of, text)
        if not passages:
            raise Refused(f"{path} has no text", "Of a scanned page only the picture is there.")
        if len(passages) > MOST_PASSAGES:
            raise Refused(f"{path} has {len(passages)} passages and may have {MOST_PASSAGES}", "Add parts of it.")
        named = await to_thread.run_sync(_named_in, passages)
        seen = await self._files.look(root, [path, *named])
        offered = as_memories(path, text, passages, stamp, scope)
        admitted, left_out = await self._admitted(offered, caller, seen)
        if not admitted:
            raise NotKept(f"nothing of {path} may be kept: {left_out[0].reason}", "")
        first = {STAMP: str(stamp), COUNT: str(len(admitted)), **({HOME: self._home} if self._home else {})}
        admitted[0] = labelled(admitted[0], first)
        of_path = await self._of_document(self._place(caller, scope), path)
        before = [one for one in of_path if one.metadata[DOCUMENT] == path]
        steps = steps_between(before, admitted, self._clock.now())
        if steps:
            message = Perform(caller.owner, tuple(steps), self._gate.sign(caller), NODE, caller.session)
            await self._keeper.ask(message, deadline_s=KEEPER_S)
        log.info("%s: %d passages are knowledge", unnamed(path), len(admitted))
        return left_out

    async def _why_not(self, path: str, caller: Caller) -> str:
        """Return why a file may not be kept that a caller had read; empty where it may."""
        ignored = (await self._files.look(await self._reader.root(path), [path])).why_not(path)
        return ignored or await self._why_closed(path, caller)

    async def _why_closed(self, path: str, caller: Caller) -> str:
        return await self._reader.why_closed(path, caller.project if caller.is_agent else None)

    async def _admitted(
        self, offered: Sequence[NewMemory], caller: Caller, seen: ProjectFiles
    ) -> tuple[list[Admitted], list[LeftOutFile]]:
        """Return the passages as they may be kept, and those that may not."""
        place = msgspec.structs.replace(caller, session="")
        admitted: list[Admitted] = []
        left_out: list[LeftOutFile] = []
        for new in offered:
            await checkpoint()  # each takes a moment of a core
            try:
                # The path is the one under which the file is found again.
                admitted.append(labelled(self._gate.admit(new, place, seen), {DOCUMENT: new.metadata[DOCUMENT]}))
            except Refused as refused:
                where = f"{LINES} {new.metadata[LINES]}" if LINES in new.metadata else f"{PAGES} {new.metadata[PAGES]}"
                left_out.append(LeftOutFile(path=f"{new.metadata[DOCUMENT]}, {where}", reason=str(refused)))
        return admitted, left_out

    # --- the files are followed

    async def _refresh_all(self) -> None:
        everywhere = Filters(categories=(KNOWLEDGE,), scope="everywhere")
        self._owners.update(await self._repository.owners_of(KNOWLEDGE))  # another daemon may have read some
        for owner in sorted(self._owners):
            await self._refresh(Visibility(owner=owner, filters=everywhere), thoroughly=True)

    async def _refresh_within(self, visible: Visibility, deadline_s: float) -> None:
        """Read again what has changed, as far as there is time: the background does the rest."""
        with anyio.move_on_after(deadline_s * REFRESH_SHARE):
            await self._refresh(visible)

    async def _refresh(self, visible: Visibility, *, thoroughly: bool = False) -> None:
        """Read again what has changed, and let go of what may not be kept any more.

        `thoroughly`: also of what has not changed, but is ignored now.
        """
        async with self._reading:
            firsts = [one for one in await self._firsts(visible) if one.metadata.get(HOME, "") == self._home]
            stamps = await self._reader.stamps([one.metadata[DOCUMENT] for one in firsts])
            for first in firsts:
                path = first.metadata[DOCUMENT]
                same = path not in stamps or first.metadata[STAMP] == str(stamps[path])
                if self._switches.off(first.owner, first.project) is not None or (same and not thoroughly):
                    continue
                try:
                    if not same and self._unreadable.get(path) != str(stamps[path]):
                        await self._read_again(path, first)
                    elif thoroughly and path in stamps and (why := await self._why_not(path, _reader_of(first))):
                        raise NotKept(f"{path} is a file {why} now")
                except NotKept as problem:
                    await self._forget_document(path, first, str(problem))
                except DaemonError as problem:
                    if not isinstance(problem, ActorError | Unavailable | DiskFull):
                        self._unreadable[path] = str(stamps[path])
                    log.warning("%s has changed and is not read again: %s", unnamed(path), unnamed(path, problem))

    async def _read_again(self, path: str, first: Memory) -> None:
        for part in await self._read(path, first, _reader_of(first), first.scope):
            log.warning("a part of %s is left out: %s", unnamed(path), unnamed(path, part.reason))

    async def _forget_document(self, path: str, first: Memory, why: str) -> None:
        caller = _reader_of(first)
        there = await self._of_document(self._place(caller, first.scope), path)
        await self._forget([one.id for one in there if one.metadata[DOCUMENT] == path], caller, why)
        log.warning("%s; what was read of it is forgotten", unnamed(path, why))

    async def _forget(self, ids: Sequence[str], caller: Caller, why: str) -> None:
        purge_at = self._clock.now() + timedelta(days=KEPT_DAYS)
        forget = [ChangeState(one, State.FORGOTTEN, "DELETE", purge_at, why) for one in ids]
        message = Perform(caller.owner, tuple(forget), self._gate.sign(caller), NODE, caller.session)
        await self._keeper.ask(message, deadline_s=KEEPER_S)

    # --- what there is

    async def _remove(self, request: RemoveKnowledge, caller: Caller, visible: Visibility, deadline_s: float) -> Done:
        self._gate.check_write(caller, KNOWLEDGE)
        wanted = visible
        if request.purge:
            filters = Filters(categories=(KNOWLEDGE,), states=tuple(State))
            wanted = self._view.visible(caller, filters)
        path = request.path if request.path == "/" else request.path.rstrip("/")
        async with self._reading:
            passages = [
                one
                for one in await self._of_document(wanted, path)
                if one.metadata[DOCUMENT] == path or one.metadata[DOCUMENT].startswith(f"{path.rstrip('/')}/")
            ]
            if not passages:
                raise Refused(f"nothing was read of {path}", "`memoryd knowledge list` shows the documents.")
            ids, actor = [one.id for one in passages], self._gate.sign(caller)
            if request.purge:
                _check_own(passages, caller)
                for at in range(0, len(ids), AT_ONCE):
                    some = tuple(ids[at : at + AT_ONCE])
                    purge = PurgeMemories(some, caller.owner, actor, session=caller.session)
                    await self._keeper.ask(purge, deadline_s=KEEPER_S)
            else:
                await self._forget(ids, caller, "knowledge removed")
        if request.purge:
            await self._finisher.finish(deadline_s=deadline_s)
        documents = len({one.metadata[DOCUMENT] for one in passages})
        what = f"{counted(len(ids), 'passage')} of {counted(documents, 'document')}"
        if request.purge:
            return Done(f"{what} destroyed; the files are as they were")
        return Done(f"{what} forgotten, and destroyed in {KEPT_DAYS} days; the files are as they were")

    async def _documents(self, visible: Visibility) -> tuple[Document, ...]:
        firsts = await self._firsts(visible)
        stamps = await self._stamps(firsts)
        documents = [
            Document(
                path=one.metadata[DOCUMENT],
                scope=one.scope,
                title=one.title.partition(" > ")[0],
                passages=number(one, COUNT, 1),
                modified=modified(one),
                read_at=one.updated_at,
                gone=self._gone(one, stamps),
            )
            for one in firsts
        ]
        return tuple(sorted(documents, key=lambda one: one.path))

    async def _firsts(self, visible: Visibility) -> list[Memory]:
        """Return the first passage of each document."""
        firsts = await self._repository.files(visible, prefix="", limit=MOST_READ, key=STAMP)
        return [one for one in firsts if one.metadata.get(DOCUMENT)]

    async def _of_document(self, visible: Visibility, path: str) -> list[Memory]:
        """Return the passages of a document, in order, and those of documents whose path begins so."""
        found = await self._repository.files(visible, prefix=path, limit=MOST_READ, key=DOCUMENT)
        return sorted(found, key=lambda one: number(one, NUMBER, 0))

    async def _stamps(self, passages: Sequence[Memory]) -> Mapping[str, FileStamp]:
        return await self._reader.stamps([path for one in passages if (path := one.metadata.get(DOCUMENT))])

    def _gone(self, passage: Memory, stamps: Mapping[str, FileStamp]) -> bool:
        path = passage.metadata.get(DOCUMENT, "")
        return bool(path) and passage.metadata.get(HOME, "") == self._home and path not in stamps

    def _place(self, caller: Caller, scope: Scope) -> Visibility:
        filters = Filters(categories=(KNOWLEDGE,), scope="project" if scope is Scope.PROJECT else "global")
        return self._view.visible(caller, filters)

    def _hit(self, memory: Memory, score: float, stamps: Mapping[str, FileStamp]) -> KnowledgeHit:
        return KnowledgeHit(
            id=memory.id,
            path=memory.metadata.get(DOCUMENT, ""),
            heading=memory.metadata.get(HEADING, ""),
            lines=span(memory.metadata.get(LINES, "")),
            pages=span(memory.metadata.get(PAGES, "")),
            text=memory.content,
            modified=memory.occurred_at or memory.created_at,
            score=round(score, 4),
            gone=self._gone(memory, stamps),
        )


def unnamed(path: str, told: object = "") -> str:
    """Return what the log says of a document, or what is told of it, without its path, which a purge is to destroy."""
    sign = f"document {sha256(path.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"
    return str(told).replace(path, sign) if told else sign


def _check_own(passages: Sequence[Memory], caller: Caller) -> None:
    """Let no agent destroy what it was not an agent that added.

    Raises:
        Refused: it would.
    """
    if caller.is_agent and not all(Caller(agent=one.agent).is_agent for one in passages):
        raise Refused(
            "only the user destroys what was read of a document that no agent added",
            f"Remove it without `purge`: it is out of sight, and destroyed in {KEPT_DAYS} days. Or tell the user.",
        )


def _reader_of(first: Memory) -> Caller:
    """Return who had a document read."""
    return Caller(owner=first.owner, project=first.project, agent=first.agent)


def _named_in(passages: Sequence[DocumentPassage]) -> list[str]:
    return [file for passage in passages for file in named_files(passage.text)]
