"""What the remote judge may look up before it decides: in transcripts, in the project's files, in memories."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from typing import Protocol

import anyio.to_thread
from msgspec.structs import replace

from memoryd_actors.admission.project_rules import ProjectRules
from memoryd_actors.core.errors import Refused
from memoryd_actors.memory.case import Case, Lookup, Passage
from memoryd_actors.memory.visibility import Visibility, is_visible
from memoryd_actors.ports.ledger import MemoryRepository
from memoryd_actors.ports.transcripts import Transcripts
from memoryd_actors.redaction import Rules, redact
from memoryd_actors.redaction.rules import DEFAULT
from memoryd_actors.searching.search import Searcher
from memoryd_actors.texts.hidden import strip_unkept
from memoryd_actors.texts.stems import stem_set
from memoryd_client.wire.memory import Memory

AROUND = 3
"""Messages before and after a memory that are its source."""
MOST_TEXTS = 6
"""Memories that one look-up brings back."""
LONGEST_TEXT = 600
"""Characters of each."""
_LONGEST_READ = 4_000
"""Characters of each in which secrets are looked for: one that this cut goes through lies far behind the other."""
SESSION_READ = 1_000
"""Memories of one session, the newest, among which its source is looked for."""
EXCERPT_LINES = 12
EXCERPT_STEP = 4
"""Lines from one excerpt of a file to the next that is compared."""
SEARCH_S = 1.0
"""A search for the judge waits for the index no longer than this."""
CHARACTERS_PER_TOKEN = 3
"""As in `budget`: rather too few."""


class Lookups(Protocol):
    """What the remote judge may look up. Secrets are replaced in all it returns."""

    async def source(self, memory_id: str, visible: Visibility) -> Sequence[str]:
        """Return what was said around a memory, or what its files say of it; nothing where that is not known.

        Raises:
            Refused: it cannot be looked up now.
        """
        ...

    async def session_search(self, query: str, memory_id: str, visible: Visibility) -> Sequence[str]:
        """Return what the session of a memory has on a query, best first; without a memory, all sessions and memories.

        Raises:
            Refused: it cannot be searched now.
        """
        ...

    async def file(self, path: str, about: str, visible: Visibility) -> Sequence[str]:
        """Return the part of a project's file that has most to do with a text; nothing where it is not to be read."""
        ...


class ProjectTexts(Protocol):
    """Reads a project's files, as far as what they hold may be kept."""

    async def text(self, project: str, path: str) -> str:
        """Return what a file says; nothing where it is none of the project's, no text, or not to be kept."""
        ...


SearchMessages = Callable[[Visibility, str, str, int], Awaitable[Sequence[str]]]
"""Finds what was said in a session, or in all of the project: whose and where, session, query, at most how many."""


async def look_up(
    lookups: Lookups, wanted: Sequence[Lookup], case: Case, *, budget_tokens: int
) -> tuple[tuple[Passage, ...], str]:
    """Return what the look-ups bring to light, within the budget, each with an equal share of it, and what went wrong.

    A look-up that cannot be answered is left out; what it said is the second part of the answer.
    """
    if case.visible is None:
        return (), "nothing may be looked up"
    found: list[Passage] = []
    trouble = ""
    room = budget_tokens * CHARACTERS_PER_TOKEN // max(len(wanted), 1)
    for one in wanted:
        memory_id = case.exhibits[one.index].id if one.index >= 0 else ""
        try:
            match one.kind:
                case "read_source" if one.query:
                    texts = await lookups.file(one.query, case.focus, case.visible)
                case "read_source":
                    texts = await lookups.source(memory_id, case.visible)
                case "session_search":
                    texts = await lookups.session_search(one.query, memory_id, case.visible)
        except Refused as refused:
            trouble = str(refused)
            continue
        # What is before the judge already is no news: a search finds the message itself.
        news = [text for text in texts if (text.partition(": ")[2] or text) not in f"{case.focus}\n{case.window}"]
        found.append(Passage(one, within(news, room)))
    return tuple(found), trouble


def within(texts: Iterable[str], room: int) -> tuple[str, ...]:
    """Return the texts that fit into so many characters together, the last one cut."""
    kept: list[str] = []
    for text in texts:
        short = text[: min(LONGEST_TEXT, room)]
        if not short:
            break
        kept.append(short)
        room -= len(short)
        if len(kept) == MOST_TEXTS:
            break
    return tuple(kept)


class MemoryLookups:
    """Looks things up: what was said around a memory, and what memories come from its session."""

    def __init__(
        self,
        ledger: MemoryRepository,
        searcher: Searcher,
        rules: Rules = DEFAULT,
        *,
        transcripts: Transcripts | None = None,
        files: ProjectTexts | None = None,
        here: ProjectRules | None = None,
    ) -> None:
        """Prepare; `files` are those of projects, and `here` says what is not to be kept in one."""
        self._files = files
        self._here = here
        self._messages: SearchMessages | None = None
        self._ledger = ledger
        self._searcher = searcher
        self._rules = rules
        self._transcripts = transcripts

    def search_messages(self, search: SearchMessages) -> None:
        """Search the transcripts so from now on: their index is put together after the judge."""
        self._messages = search

    async def source(self, memory_id: str, visible: Visibility) -> list[str]:
        """Return what was said around a memory; without a transcript what its files say, or the memories around."""
        memory = await self._memory(memory_id, visible)
        if memory is None:
            return []
        if said := await self._said(memory, visible):
            return await self._redacted(said)
        for path in memory.files:
            if lines := await self.file(path, memory.content, visible):
                return lines
        if not memory.session:
            return []
        session = await self._ledger.page(of_session(visible, memory.session), limit=SESSION_READ)
        return await self._told(nearby(memory, session))

    async def _said(self, memory: Memory, visible: Visibility) -> list[str]:
        """Return the messages on which a memory rests, and those around them.

        To an agent whose categories are limited a conversation is closed: it may tell what others are for.
        """
        if self._transcripts is None or memory.source_messages is None or visible.allowed is not None:
            return []
        first, last = memory.source_messages
        records = await self._transcripts.read(
            (memory.owner, memory.session),
            after=max(0, first - AROUND - 1),
            limit=min(last - first, MOST_TEXTS) + 1 + 2 * AROUND,
            characters=MOST_TEXTS * _LONGEST_READ,
        )
        said = [one for one in records if one.kind == "message" and not one.covers]
        # The nearest stay where there are more than may come back.
        nearest = sorted(said, key=lambda one: max(first - one.sequence, one.sequence - last, 0))[:MOST_TEXTS]
        return [
            f"{one.at:%Y-%m-%d} {one.who}: {one.content[:_LONGEST_READ]}"
            for one in sorted(nearest, key=lambda one: one.sequence)
        ]

    async def session_search(self, query: str, memory_id: str, visible: Visibility) -> list[str]:
        """Search what was said in that memory's session, or else its memories; without one both, in all of the project.

        To an agent whose categories are limited conversations are closed.
        """
        memory = await self._memory(memory_id, visible) if memory_id else None
        session = memory.session if memory is not None else ""
        said: list[str] = []
        if (session or not memory_id) and self._messages is not None and visible.allowed is None:
            with suppress(Refused):  # memories are there still
                found = await self._messages(visible, session, query, MOST_TEXTS if session else MOST_TEXTS // 2)
                said = await self._redacted([text[:_LONGEST_READ] for text in found])
        if said and session:
            return said
        within = of_session(visible, session)
        near = await self._searcher.search(query, within, limit=MOST_TEXTS + 1, deadline_s=SEARCH_S)
        # The candidate itself is before the judge already.
        ids = [hit.id for hit in near.hits if hit.id != memory_id]
        known = await self._ledger.get(visible.owner, ids)
        return said + await self._told(known[one] for one in ids if one in known)

    async def file(self, path: str, about: str, visible: Visibility) -> list[str]:
        """Return the part of a file that has most to do with a text, with its first line's number.

        To an agent whose categories are limited files are closed, as conversations are.
        """
        if self._files is None or not visible.project or visible.allowed is not None:
            return []
        # Before a part is chosen: of a block that is cut nobody could tell any more that it is private.
        text = strip_unkept(await self._files.text(visible.project, path))
        if not text.strip():
            return []
        # What stands in the project's environment files may stand in others as well.
        rules = (await self._here.look(visible.project))[0] if self._here is not None else self._rules
        return await self._redacted([excerpt(text, about)], rules)

    async def _memory(self, memory_id: str, visible: Visibility) -> Memory | None:
        memory = (await self._ledger.get(visible.owner, [memory_id])).get(memory_id)
        return memory if memory is not None and is_visible(memory, visible) else None

    async def _told(self, memories: Iterable[Memory]) -> list[str]:
        return await self._redacted([_text(one) for one in memories])

    async def _redacted(self, texts: Sequence[str], rules: Rules | None = None) -> list[str]:
        # In a thread: looking for secrets takes half a millisecond per kilobyte.
        return await anyio.to_thread.run_sync(lambda: [redact(text, rules or self._rules).text for text in texts])


def of_session(visible: Visibility, session: str) -> Visibility:
    """Return the same view, of one session's memories only where one is named, as a search sees it."""
    return replace(visible, filters=replace(visible.filters, session=session), for_context=False)


def excerpt(text: str, about: str) -> str:
    """Return the lines of a text, as many as a look-up shows, that have most of the words of another."""
    lines = text.splitlines()
    wanted = stem_set(about)
    best, most = 0, -1
    for start in range(0, len(lines), EXCERPT_STEP):
        shared = len(wanted & stem_set(_from(lines, start)))
        if shared > most:
            best, most = start, shared
    return f"line {best + 1}: {_from(lines, best)}"


def _from(lines: Sequence[str], start: int) -> str:
    """Return what fits of the lines from one on."""
    return "\n".join(lines[start : start + EXCERPT_LINES])[:LONGEST_TEXT]


def nearby(memory: Memory, session: Iterable[Memory]) -> list[Memory]:
    """Return the session's memories that rest on messages next to this one's, in their order, without itself.

    Where nobody knows on which messages it rests, those that were stored nearest to it in time.
    """
    others = [one for one in session if one.id != memory.id]
    if memory.source_messages is None:
        others.sort(key=lambda one: abs((one.created_at - memory.created_at).total_seconds()))
        return sorted(others[:MOST_TEXTS], key=lambda one: one.created_at)
    first, last = memory.source_messages
    placed = [(one.source_messages, one) for one in others if one.source_messages is not None]
    around = [(place, one) for place, one in placed if place[1] >= first - AROUND and place[0] <= last + AROUND]
    # The nearest stay where there are more than may come back.
    around.sort(key=lambda each: max(first - each[0][1], each[0][0] - last, 0))
    return [one for _, one in sorted(around[:MOST_TEXTS], key=lambda each: each[0])]


def _text(memory: Memory) -> str:
    said = f"{memory.speaker}: {memory.content}" if memory.speaker else memory.content
    return f"{memory.occurred_at or memory.created_at:%Y-%m-%d} {said[:_LONGEST_READ]}"
