"""What still tells of memories that are purged: entries of transcripts, and what was made of these."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from itertools import chain
from typing import Protocol

import msgspec
from anyio import CapacityLimiter, to_thread

from memoryd_actors.memory.settings import DERIVED
from memoryd_actors.memory.steps import MERGED_INTO
from memoryd_actors.memory.visibility import Visibility
from memoryd_actors.ports.ledger import MemoryRepository
from memoryd_actors.ports.transcripts import Key, Transcripts
from memoryd_actors.purging.derived import ELSEWHERE, PhraseMatcher
from memoryd_client.wire.filters import Filters
from memoryd_client.wire.memory import Memory, Source, State
from memoryd_client.wire.purging import TellingEntry
from memoryd_client.wire.transcripts import TranscriptRecord

_PAGE = 1_000
_PAGE_CHARACTERS = 4_000_000
_EXCERPT = 200

Places = Mapping[Key, Sequence[int]]


class Unanswered(msgspec.Struct, frozen=True):
    """A prompt that waits for its answer, with which it comes into the transcript."""

    session: str
    number: str
    text: str
    at: datetime

    @property
    def entry(self) -> TellingEntry:
        """What a plan shows of it."""
        return TellingEntry(session=self.session, sequence=0, at=self.at, role="user", excerpt=self.text[:_EXCERPT])


class UnansweredPrompts(Protocol):
    """The prompts of all sessions that wait for their answers. The port."""

    async def of_owner(self, owner: str) -> Sequence[Unanswered]:
        """Return those of an owner."""
        ...

    async def drop(self, owner: str, session: str, number: str) -> None:
        """Forget the one of a session that has this number: it comes into no transcript. A later one stays."""
        ...


class PurgeReach(msgspec.Struct, frozen=True):
    """What tells of memories in the transcripts of their owner."""

    owner: str
    ids: tuple[str, ...]
    """The memories, and what was merged into them."""
    entries: tuple[TellingEntry, ...]
    """By session, oldest first in each."""
    unanswered: tuple[Unanswered, ...]
    """Prompts that wait for their answers."""
    derived: tuple[Memory, ...]
    """Episodes, summaries and what was extracted that tell it in the same words."""
    resting: tuple[Memory, ...]
    """What else rests on these entries: it tells it in other words, or something else, or is the user's own word."""
    sessions: int
    """How many were looked through."""
    unreadable: int
    """Entries in them that nobody can read."""
    telling: Mapping[str, PhraseMatcher]
    """What the memories say and ever said that come from a session, by session."""
    everywhere: PhraseMatcher
    """What they say that tells them in any session; of nothing where only theirs were looked through."""

    @property
    def places(self) -> Places:
        """Where it is told."""
        found: dict[Key, list[int]] = {}
        for entry in self.entries:
            found.setdefault((self.owner, entry.session), []).append(entry.sequence)
        return found


class ReachFinder:
    """Looks through the sessions that memories come from, or through all."""

    def __init__(self, ledger: MemoryRepository, transcripts: Transcripts, prompts: UnansweredPrompts) -> None:
        self._ledger = ledger
        self._transcripts = transcripts
        self.prompts = prompts
        self._threads = CapacityLimiter(1)

    async def find_reach(self, owner: str, memories: Sequence[Memory], *, every_session: bool) -> PurgeReach:
        """Return the entries that tell what these memories say: those they rest on, and those in the same words.

        What was merged into the memories goes with them, and is looked for as they are.
        """
        memories = await self._with_merged(owner, memories)
        said = {one.id: await self._wordings(owner, one) for one in memories}
        sessions = [one for memory in memories for one in (memory.session, *memory.sources) if one]
        if every_session:
            sessions += [info.session for info in await self._transcripts.sessions(owner, limit=_ALL, offset=0)]
        everywhere = (
            PhraseMatcher(chain.from_iterable(said.values()), telling=ELSEWHERE) if every_session else PhraseMatcher(())
        )
        sessions = list(dict.fromkeys(sessions))
        entries: list[TellingEntry] = []
        unreadable = 0
        telling = {session: self._of_session(session, memories, said) for session in sessions}
        for session, here in telling.items():
            entries += await self._find_in((owner, session), memories, here, everywhere)
            info = await self._transcripts.info((owner, session))
            unreadable += info.missing if info else 0
        ids = tuple(one.id for one in memories)
        # What an episode says of itself, all of them do: of those that are purged themselves nothing is looked for.
        own = PhraseMatcher(
            (text for memory in memories if memory.category not in DERIVED for text in said[memory.id]),
            telling=ELSEWHERE,
        )
        derived = await self._find_derived(owner, ids, own, None if every_session else set(sessions))
        rest = await self._find_resting(owner, entries, ids)
        extracted = [one for one in rest if one.source is Source.EXTRACTED]
        in_words = await to_thread.run_sync(partial(_telling, own, extracted), limiter=self._threads)
        unanswered = [
            one
            for one in await self.prompts.of_owner(owner)
            if everywhere.within(one.text) or self._of_session(one.session, memories, said).within(one.text)
        ]
        return PurgeReach(
            owner=owner,
            ids=ids,
            entries=tuple(entries),
            unanswered=tuple(unanswered),
            derived=(*derived, *in_words),
            resting=tuple(one for one in rest if one not in in_words),
            sessions=len(sessions),
            unreadable=unreadable,
            telling=telling,
            everywhere=everywhere,
        )

    @staticmethod
    def _of_session(session: str, memories: Sequence[Memory], said: Mapping[str, Iterable[str]]) -> PhraseMatcher:
        """Return what the memories say that come from a session."""
        return PhraseMatcher(
            text for one in memories if session in (one.session, *one.sources) for text in said[one.id]
        )

    async def find_late_summaries(self, reach: PurgeReach) -> dict[str, Sequence[int]]:
        """Return the summaries that tell it and were written into its transcripts since they were looked through."""
        found: dict[str, Sequence[int]] = {}
        for (owner, session), numbers in reach.places.items():
            info = await self._transcripts.info((owner, session))
            if info is None or not info.summary or info.summary in numbers:
                continue
            entry = (await self._transcripts.get((owner, session), [info.summary])).get(info.summary)
            # In the words by which it was looked for: another summary was there before, and stays.
            if entry and (reach.telling[session].within(entry.content) or reach.everywhere.within(entry.content)):
                found[session] = [info.summary]
        return found

    async def _with_merged(self, owner: str, memories: Sequence[Memory]) -> list[Memory]:
        """Return memories and, over however many steps, those that were merged into them."""
        found = {memory.id: memory for memory in memories}
        front = list(found)
        while front:
            edges = await self._ledger.edges(owner, front)
            merged = {edge.from_id for edge in edges if edge.relation == MERGED_INTO and edge.to_id in front}
            more = await self._ledger.get(owner, sorted(merged - found.keys()))
            found |= more
            front = list(more)
        return list(found.values())

    async def _wordings(self, owner: str, memory: Memory) -> set[str]:
        """Return what a memory says and ever said: a transcript tells it as it was then."""
        found = {memory.content}
        before = 0
        while page := await self._ledger.history(owner, memory_id=memory.id, limit=_PAGE, before=before):
            found.update(text for one in page for text in (one.old, one.new) if text)
            before = page[-1].sequence
        return found

    async def _find_derived(
        self, owner: str, ids: Collection[str], telling: PhraseMatcher, sessions: set[str] | None
    ) -> tuple[Memory, ...]:
        """Return the episodes and summaries of these sessions, or of all, that tell it, but for these themselves.

        Those of projects are of every session that was held there.
        """
        if not telling:
            return ()
        filters = Filters(categories=tuple(DERIVED), scope="everywhere", states=tuple(State))
        found: list[Memory] = []
        before = ""
        while page := await self._ledger.page(Visibility(owner, filters=filters), limit=_PAGE, before=before):
            some = [one for one in page if one.id not in ids and (sessions is None or one.session in {"", *sessions})]
            found += await to_thread.run_sync(partial(_telling, telling, some), limiter=self._threads)
            before = page[-1].id
        return tuple(found)

    async def _find_resting(self, owner: str, entries: Sequence[TellingEntry], known: Collection[str]) -> list[Memory]:
        """Return the memories that rest on these entries, but for those that are known, and episodes and summaries."""
        told: dict[str, list[int]] = {}
        for entry in entries:
            told.setdefault(entry.session, []).append(entry.sequence)
        found: list[Memory] = []
        for session, numbers in told.items():
            filters = Filters(session=session, scope="everywhere", states=tuple(State))
            before = ""
            while page := await self._ledger.page(Visibility(owner, filters=filters), limit=_PAGE, before=before):
                found += [one for one in page if one.id not in known and _rests_on(one, numbers)]
                before = page[-1].id
        return found

    async def _find_in(
        self, key: Key, memories: Sequence[Memory], here: PhraseMatcher, everywhere: PhraseMatcher
    ) -> list[TellingEntry]:
        rested = [memory.source_messages for memory in memories if memory.source_messages and memory.session == key[1]]
        if not rested and not here and not everywhere:
            return []

        def telling(page: Sequence[TranscriptRecord]) -> list[TellingEntry]:
            found: list[TellingEntry] = []
            for one in page:
                source = any(first <= one.sequence <= last for first, last in rested)
                if one.content and (source or here.within(one.content) or everywhere.within(one.content)):
                    found.append(_entry(one, source=source))
            return found

        found: list[TellingEntry] = []
        after = 0
        while page := await self._transcripts.read(key, after=after, limit=_PAGE, characters=_PAGE_CHARACTERS):
            found += await to_thread.run_sync(partial(telling, page), limiter=self._threads)
            after = page[-1].sequence
        return found


_ALL = 2**31


def _telling(telling: PhraseMatcher, memories: Sequence[Memory]) -> list[Memory]:
    return [memory for memory in memories if telling.within(memory.content)]


def _rests_on(memory: Memory, numbers: Sequence[int]) -> bool:
    """Return whether a memory comes from any of these entries of its session."""
    if memory.category in DERIVED or memory.source_messages is None:
        return False
    first, last = memory.source_messages
    return any(first <= number <= last for number in numbers)


def _entry(one: TranscriptRecord, *, source: bool) -> TellingEntry:
    return TellingEntry(
        session=one.session,
        sequence=one.sequence,
        at=one.at,
        kind=one.kind,
        role=one.role,
        name=one.name,
        reason="source" if source else "words",
        excerpt=one.content[:_EXCERPT],
    )
