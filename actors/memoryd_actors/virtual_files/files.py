"""Answers what is asked of memory files: of this project, and those that hold everywhere.

A file is a memory with a path in its metadata: it is found, recalled, shown and restored as any other, and has its
history. Episodes and summaries of projects have paths, too.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol, assert_never

import msgspec

from memoryd_actors.access.recording import ClientRecorder
from memoryd_actors.access.view import MemoryView
from memoryd_actors.admission.gate import BY_AGENT, agents_trust
from memoryd_actors.core.actor import ActorRef
from memoryd_actors.core.errors import Refused
from memoryd_actors.keeping.authorship import Authorship, check_file_by_agent, check_outranked, placed
from memoryd_actors.keeping.orders import EditMemory, KeeperMessage, SetState, Store
from memoryd_actors.memory.diffs import patched
from memoryd_actors.memory.identity import memory_id
from memoryd_actors.memory.paths import compiled, plain, replaced, to_write
from memoryd_actors.memory.settings import FILE, PATH
from memoryd_actors.memory.visibility import Visibility
from memoryd_actors.redaction.finding import reads_as
from memoryd_actors.searching.search import Searcher
from memoryd_actors.texts.fence import one_line
from memoryd_actors.texts.hidden import mentioned, strip_unkept
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.editing import Changes
from memoryd_client.wire.filters import Filters
from memoryd_client.wire.memories import MemoryPage, Page
from memoryd_client.wire.memory import Memory, NewMemory, Scope, State
from memoryd_client.wire.request import Done
from memoryd_client.wire.virtual_files import (
    DeleteFile,
    EditFile,
    FileMatch,
    FileMatches,
    FileRequest,
    GrepFiles,
    ListFiles,
    MemoryFile,
    MemoryFiles,
    ReadFile,
    SearchFiles,
    WriteFile,
)

MOST_FILES = 1_000
"""Looked through at once."""
MOST_HITS = 200
GREP_S = 2.0
"""A pattern that takes longer is given up: some take for ever."""
_TITLE = 120


class FileRepository(Protocol):
    """Finds memories by their paths; the ledger is one."""

    async def files(self, visible: Visibility, *, prefix: str, limit: int) -> list[Memory]:
        """Return visible memories that have a path that begins so, in the order of their paths."""
        ...


Grep = Callable[[str, Sequence[tuple[str, str]], int, float], Awaitable[list[FileMatch]]]


class VirtualFiles:
    """Memories as files."""

    def __init__(
        self,
        repository: FileRepository,
        keeper: ActorRef[KeeperMessage, tuple[Memory, ...]],
        view: MemoryView,
        searcher: Searcher,
        *,
        authorship: Authorship,
        named_project: Callable[[Caller], Awaitable[str]],
        recorder: ClientRecorder,
        grep: Grep,
    ) -> None:
        """Prepare; `grep` does the work of `matching`, and raises TimeoutError after so many seconds.

        `named_project` knows which project the user named in the caller's session; empty where none was.
        """
        self._named_project = named_project
        self._recorder = recorder
        self._repository = repository
        self._keeper = keeper
        self._view = view
        self._searcher = searcher
        self._authorship = authorship
        self._grep = grep

    async def answer(  # noqa: PLR0911 - one case a request
        self, request: FileRequest, caller: Caller, *, deadline_s: float
    ) -> MemoryFiles | FileMatches | Page | Done:
        """Answer one request; a write is durable then.

        Raises:
            Refused: there is no such file, or it cannot be written so.
        """
        match request:
            case ListFiles():
                found = await self._below(caller, request.prefix, request.limit)
                return MemoryFiles(files=tuple(map(_listed, found)))
            case ReadFile():
                return _page(await self._one(caller, request.path), request.offset, request.limit)
            case WriteFile():
                return MemoryFiles(files=(_listed(await self._write(request, caller, deadline_s)),))
            case EditFile():
                file = await self._one(caller, request.path)
                if request.diff and (request.old or request.new):
                    raise Refused("an edit is a diff, or `old` and `new`", "Leave one of them out.")
                content = (
                    patched(file.content, request.diff, request.path)
                    if request.diff
                    else replaced(file.content, request.old, request.new, request.path)
                )
                # At the revision that was read here, so that two edits that meet do not lose each other's words.
                revision = request.revision or file.revision
                _check_agent(caller, file, content)
                told = await self._authorship.told(caller, content)
                edit = EditMemory(file.id, Changes(content=content), revision, caller, told)
                return MemoryFiles(files=(_listed((await self._keeper.ask(edit, deadline_s=deadline_s))[0]),))
            case GrepFiles():
                return await self._matches(request, caller)
            case SearchFiles():
                return await self._found(request, caller, deadline_s)
            case DeleteFile():
                file = await self._one(caller, request.path)
                if caller.is_agent:
                    check_outranked(file, BY_AGENT, "deletes")
                await self._keeper.ask(SetState(file.id, State.FORGOTTEN, caller), deadline_s=deadline_s)
                return Done(f"{file.metadata[PATH]} deleted; `memoryd restore {file.id}` brings it back")
            case _:
                assert_never(request)

    async def _below(self, caller: Caller, prefix: str, limit: int) -> list[Memory]:
        wanted = prefix.strip().lstrip("/")
        found = await self._repository.files(self._view.visible(caller), prefix=wanted, limit=limit)
        # Of two files of one path the project's is meant.
        by_path: dict[str, Memory] = {}
        for one in sorted(found, key=lambda one: one.scope is Scope.PROJECT):
            by_path[one.metadata[PATH]] = one
        return [by_path[path] for path in sorted(by_path)]

    async def _one(self, caller: Caller, path: str) -> Memory:
        wanted = plain(path)
        for one in await self._below(caller, wanted, MOST_FILES):
            if one.metadata[PATH] == wanted:
                return one
        raise Refused(f"there is no memory file {wanted}", "`memoryd fs ls` shows those there are.")

    async def _write(self, request: WriteFile, caller: Caller, deadline_s: float) -> Memory:
        path = to_write(request.path)
        there = [one for one in await self._below(caller, path, MOST_FILES) if one.metadata[PATH] == path]
        if there:
            return await self._overwrite(there[0], path, request, caller, deadline_s)
        if request.revision is not None:
            raise Refused(f"there is no memory file {path}", "Write it without a revision.")
        in_project = bool(caller.project.strip())
        tags = request.tags or ()
        if in_project and caller.is_agent:
            tags = await placed(tags, request.content, lambda: self._named_project(caller))
        new = NewMemory(
            # Of one place and path there is one file, however many write it first.
            id=memory_id(caller.owner, caller.project if in_project else "", f"{FILE} {path}"),
            content=request.content,
            category=FILE,
            scope=Scope.PROJECT if in_project else Scope.GLOBAL,
            title=title_of(request.content, path),
            tags=tags,
            metadata={**_labels(request), PATH: path},
        )
        if caller.is_agent:
            with self._recorder.refusals("create", caller):
                check_file_by_agent(new.content)
            new = msgspec.structs.replace(new, trust=agents_trust(new))
        told = await self._authorship.told_in(caller, [new])
        stored = (await self._keeper.ask(Store((new,), caller, told=told), deadline_s=deadline_s))[0]
        if stored.id != new.id:
            where = stored.metadata.get(PATH) or stored.id
            raise Refused(f"what {path} would say is kept already, as {where}", "Say what is different about it.")
        if stored.state is State.PROPOSED:
            raise Refused(
                f"{path} tells of a person what only they decide about: it waits for the user's yes",
                "Ask them whether memory may keep this: their answer in the conversation decides.",
            )
        if not stored.active:
            # It was deleted before, and is written anew.
            stored = (await self._keeper.ask(SetState(stored.id, State.ACTIVE, caller), deadline_s=deadline_s))[0]
        elif stored.revision == 1 and PATH in stored.metadata and reads_as(stored.content, request.content):
            return stored
        return await self._overwrite(stored, path, request, caller, deadline_s)

    async def _overwrite(
        self, file: Memory, path: str, request: WriteFile, caller: Caller, deadline_s: float
    ) -> Memory:
        with self._recorder.refusals("update", caller):
            _check_agent(caller, file, request.content)
        # The path, too: as a memory it may have lost it.
        labels = file.metadata if request.metadata is None else _labels(request)
        metadata = {**labels, PATH: path}
        title = title_of(request.content, path)
        changes = Changes(content=request.content, title=title, metadata=metadata)
        if request.tags is not None:
            changes = msgspec.structs.replace(changes, tags=request.tags)
        told = await self._authorship.told(caller, title, request.content)
        edit = EditMemory(file.id, changes, request.revision, caller, told)
        return (await self._keeper.ask(edit, deadline_s=deadline_s))[0]

    async def _matches(self, request: GrepFiles, caller: Caller) -> FileMatches:
        compiled(request.pattern)
        files = await self._below(caller, request.prefix, MOST_FILES)
        texts = [(file.metadata[PATH], file.content) for file in files]
        try:
            found = await self._grep(request.pattern, texts, request.limit, GREP_S)
        except TimeoutError:
            raise Refused(
                f"the pattern took longer than {GREP_S:g} s and was given up", "Make it simpler, or name a prefix."
            ) from None
        return FileMatches(matches=tuple(found))

    async def _found(self, request: SearchFiles, caller: Caller, deadline_s: float) -> MemoryFiles:
        visible = self._view.visible(caller, Filters(tags=request.tags))
        known = {one.id: one for one in await self._below(caller, request.prefix, MOST_FILES)}
        # Unfolded: a file stands for itself, whatever else says the same.
        found = await self._searcher.search(
            request.query, visible, limit=MOST_HITS, deadline_s=deadline_s, folded=False
        )
        files = [
            msgspec.structs.replace(_listed(known[hit.id]), score=hit.score, snippet=_snippet(known[hit.id]))
            for hit in found.hits
            if hit.id in known
        ]
        return MemoryFiles(files=tuple(files[: request.limit]))


def _check_agent(caller: Caller, file: Memory, content: str) -> None:
    """Let no agent change a file that is pinned or trusted more than its word, or make it say what helps nobody.

    Raises:
        Refused: it would.
    """
    if caller.is_agent:
        check_outranked(file, BY_AGENT, "changes")
        check_file_by_agent(content)


def _labels(request: WriteFile) -> dict[str, str]:
    if PATH in (labels := request.metadata or {}):
        raise Refused("the path of a memory file is not among its metadata", f"Leave `{PATH}` out.")
    return labels


def _listed(memory: Memory) -> MemoryFile:
    return MemoryFile(
        path=memory.metadata[PATH],
        id=memory.id,
        title=memory.title,
        category=memory.category,
        tags=memory.tags,
        metadata={key: value for key, value in memory.metadata.items() if key != PATH},
        characters=len(memory.content),
        revision=memory.revision,
        updated_at=memory.updated_at,
    )


def _page(memory: Memory, offset: int, limit: int) -> Page:
    end = offset + limit
    return Page(
        MemoryPage(
            id=memory.id,
            content=memory.content[offset:end],
            offset=offset,
            total=len(memory.content),
            next_offset=end if end < len(memory.content) else None,
        )
    )


def title_of(content: str, path: str) -> str:
    """Return the title of a memory file: how it begins, and where it is empty its path."""
    first = next((line for line in content.split("\n") if line.strip()), "")
    # Of a cut that goes through backticks nothing is to be taken for a private block.
    return mentioned(one_line(strip_unkept(first).lstrip("# "), _TITLE)) or path


def _snippet(memory: Memory) -> str:
    body = memory.content.split("\n", 1)[-1] if memory.content.startswith("#") else memory.content
    return one_line(body, 200)
