"""What the remote judge may look up before it decides, from transcripts and from the memories themselves."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Protocol

import anyio.to_thread
import msgspec

from memoryd_actors.core.errors import Refused
from memoryd_actors.memory.case import Case, Lookup, Passage
from memoryd_actors.memory.visibility import Visibility, is_visible
from memoryd_actors.ports.ledger import MemoryRepository
from memoryd_actors.ports.transcripts import Transcripts
from memoryd_actors.redaction import Rules, redact
from memoryd_actors.redaction.rules import DEFAULT
from memoryd_actors.searching.search import Searcher
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
SEARCH_S = 1.0
"""A search for the judge waits for the index no longer than this."""
CHARACTERS_PER_TOKEN = 3
"""As in `budget`: rather too few."""


class Lookups(Protocol):
    """What the remote judge may look up. Secrets are replaced in all it returns."""

    async def source(self, memory_id: str, visible: Visibility) -> Sequence[str]:
        """Return what was said around a memory in its session, in order; nothing where that is not known.

        Raises:
            Refused: it cannot be looked up now.
        """
        ...

    async def session_search(self, query: str, memory_id: str, visible: Visibility) -> Sequence[str]:
        """Return what the session of a memory has on a query, best first; without a memory, all that is visible.

        Raises:
            Refused: it cannot be searched now.
        """
        ...


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
                case "source":
                    texts = await lookups.source(memory_id, case.visible)
                case "session_search":
                    texts = await lookups.session_search(one.query, memory_id, case.visible)
        except Refused as refused:
            trouble = str(refused)
            continue
        found.append(Passage(one, within(texts, room)))
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
    ) -> None:
        self._ledger = ledger
        self._searcher = searcher
        self._rules = rules
        self._transcripts = transcripts

    async def source(self, memory_id: str, visible: Visibility) -> list[str]:
        """Return what was said around a memory; without a transcript the memories around it, in their order."""
        memory = await self._memory(memory_id, visible)
        if memory is None or not memory.session:
            return []
        if said := await self._said(memory, visible):
            return await self._redacted(said)
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
            f"{one.at:%Y-%m-%d} {one.name or one.role}: {one.content[:_LONGEST_READ]}"
            for one in sorted(nearest, key=lambda one: one.sequence)
        ]

    async def session_search(self, query: str, memory_id: str, visible: Visibility) -> list[str]:
        """Search the memories of that memory's session, or all that is visible where there is none."""
        memory = await self._memory(memory_id, visible) if memory_id else None
        session = memory.session if memory is not None else ""
        within = of_session(visible, session)
        hits = await self._searcher.search(query, within, limit=MOST_TEXTS + 1, deadline_s=SEARCH_S)
        # The candidate itself is before the judge already.
        ids = [hit.id for hit in hits if hit.id != memory_id]
        known = await self._ledger.get(visible.owner, ids)
        return await self._told(known[one] for one in ids if one in known)

    async def _memory(self, memory_id: str, visible: Visibility) -> Memory | None:
        memory = (await self._ledger.get(visible.owner, [memory_id])).get(memory_id)
        return memory if memory is not None and is_visible(memory, visible) else None

    async def _told(self, memories: Iterable[Memory]) -> list[str]:
        return await self._redacted([_text(one) for one in memories])

    async def _redacted(self, texts: Sequence[str]) -> list[str]:
        # In a thread: looking for secrets takes half a millisecond per kilobyte.
        return await anyio.to_thread.run_sync(lambda: [redact(text, self._rules).text for text in texts])


def of_session(visible: Visibility, session: str) -> Visibility:
    """Return the same view, of one session's memories only where one is named, as a search sees it."""
    return replace(visible, filters=msgspec.structs.replace(visible.filters, session=session), for_context=False)


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
