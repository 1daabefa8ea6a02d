"""Finds what was said, in whichever session: by meaning, by words, by date."""

import sys
from collections.abc import Collection, Sequence
from datetime import UTC, datetime, timedelta

import anyio
import msgspec

from memoryd_actors.core.errors import IndexDamaged, ModelUnavailable, Refused, Unavailable
from memoryd_actors.indexing.message_indexer import MessageIndexer
from memoryd_actors.memory.fusion import VECTOR_WEIGHT, Ranked, fuse
from memoryd_actors.memory.visibility import Visibility, micros
from memoryd_actors.ports.embedder import Embedder, Vector
from memoryd_actors.ports.transcripts import MessageCandidate, MessageIndex, Transcripts, Wanted
from memoryd_actors.searching.ranking import rank, word_shares
from memoryd_client.base.wording import counted
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.memory import Source
from memoryd_client.wire.transcripts import (
    EXCERPT,
    PAGE_CHARACTERS,
    FoundMessage,
    FoundMessages,
    ReadTranscript,
    SearchMessages,
    Transcript,
    TranscriptRecord,
)

CANDIDATES = 100
"""Taken from each side of a search and ranked together, whichever page is asked for: pages must not overlap."""
LONGEST_QUERY = 20_000
FLOOR = 0.18
"""As that of memories, of messages. Of the evidence among the first ten two of 258 are below
(LoCoMo and BEAM), of twenty queries that make no sense 70 and 92% find nothing, and of the first ten that another
conversation's questions find half is gone. The BM25 of the index is relative to the best: a query that shares any word
with a message always found something."""
LOOKUP_S = 1.0
"""A judge waits for the index no longer than this."""
PATIENCE = 0.5
"""Share of a deadline that a search waits for what was said just now."""
OPENING = 0.9
"""Share of a deadline that a search waits for the index to be opened, without which nothing can be found."""
ANSWERED = 0.9
"""Share of a deadline after which a search is given up, while whoever asks is still there to be told. A read from an
object store that is away takes twenty seconds to fail."""
MOST_AWAITED = 500
"""Entries behind which the index is not waited for: an import under way."""


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Utterance(msgspec.Struct, frozen=True):
    """A message as `ranking` sees it."""

    id: str
    content: str
    speaker: str
    session: str
    source_messages: tuple[int, int]
    occurred_at: datetime
    title: str = ""
    category: str = ""
    source: Source = Source.AGENT


class Conversations:
    """Reads and searches transcripts."""

    def __init__(
        self, transcripts: Transcripts, index: MessageIndex, indexer: MessageIndexer, embedder: Embedder
    ) -> None:
        self._transcripts = transcripts
        self._index = index
        self._indexer = indexer
        self._embedder = embedder

    async def read(self, request: ReadTranscript, caller: Caller) -> Transcript:
        """Return a part of a transcript, oldest first.

        Raises:
            Refused: it is not said of which session.
        """
        key = caller.owner, request.session or caller.session
        if not key[1]:
            raise Refused("a transcript belongs to a session", "Name the session.")
        found = await self._part(request, key)
        info = await self._transcripts.info(key)
        return msgspec.structs.replace(found, missing=info.missing) if info is not None and info.missing else found

    async def _part(self, request: ReadTranscript, key: tuple[str, str]) -> Transcript:
        last = await self._transcripts.last(key)
        after = request.after
        limit = request.limit
        if after is not None:
            if request.before is not None:
                limit = min(limit, request.before - 1 - after)
            entries = await self._page(key, after, limit)
            return Transcript(entries=tuple(entries), last=last)
        before = last + 1 if request.before is None else min(request.before, last + 1)
        after = max(0, before - 1 - limit)
        entries = []
        while after < before - 1 and (page := await self._page(key, after, before - 1 - after)):
            # Of a page that is too long to be sent, the end is what was asked for.
            entries += page
            after = page[-1].sequence
            while len(entries) > 1 and sum(len(entry.content) for entry in entries) > PAGE_CHARACTERS:
                del entries[0]
        return Transcript(entries=tuple(entries), last=last)

    async def _page(self, key: tuple[str, str], after: int, limit: int) -> list[TranscriptRecord]:
        if limit <= 0:
            return []
        return await self._transcripts.read(key, after=after, limit=limit, characters=PAGE_CHARACTERS)

    async def found_in(self, visible: Visibility, session: str, query: str, limit: int) -> list[str]:
        """Return what was said in a session, or in all of the project, about something, best first: date, who, words.

        Raises:
            Unavailable: the index cannot be searched.
        """
        most = limit if session else CANDIDATES
        request = SearchMessages(
            query=query, session=session, scope="project", kind="message", related=True, limit=most
        )
        caller = Caller(owner=visible.owner, project=visible.project)
        found = await self.search(request, caller, deadline_s=LOOKUP_S)
        said = [one.record for one in found.found if not one.record.covers]
        return [f"{one.at:%Y-%m-%d} {one.who}: {one.content}" for one in said[:limit]]

    async def search(self, request: SearchMessages, caller: Caller, *, deadline_s: float) -> FoundMessages:
        """Return a page of what fits, everything acknowledged so far included; without a query the newest first.

        Without a model it searches by words alone, and says so.

        Raises:
            Unavailable: the index cannot be searched, or not in time.
        """
        with anyio.move_on_after(ANSWERED * deadline_s):
            try:
                return await self._searched(request, caller, deadline_s)
            except IndexDamaged:
                self._indexer.rebuild()
                raise
        reason = f": {self._indexer.problem}" if self._indexer.problem else ""
        raise Unavailable(
            f"the index of messages does not answer in time{reason}",
            "Try again; where it is in an object store, see that this is there.",
        )

    async def _searched(self, request: SearchMessages, caller: Caller, deadline_s: float) -> FoundMessages:
        patience_s = PATIENCE * deadline_s if self._indexer.behind <= MOST_AWAITED else 0.001
        complete = await self._indexer.caught_up(deadline_s=OPENING * deadline_s, patience_s=patience_s)
        note = "" if complete else f"not indexed yet: {counted(self._indexer.behind, 'message')}"
        wanted = Wanted(
            owner=caller.owner,
            session=request.session,
            sessions=None if request.session or request.scope == "everywhere" else await self._here(caller),
            role=request.role,
            kind=request.kind,
            since=None if request.since is None else micros(request.since),
            until=None if request.until is None else micros(request.until),
        )
        end = request.offset + request.limit
        if not request.query.strip():
            places = await self._index.newest(wanted, limit=request.limit + 1, offset=request.offset)
            found = [(session, sequence, None) for session, sequence in places]
            return await self._found(caller, found, request, note)
        vector = None
        weak = 0
        if request.by != "words":
            try:
                vector = (await self._embedder.embed([request.query], query=True))[0]
            except ModelUnavailable as missing:
                note = f"found by words alone: {missing}"
        words = "" if request.by == "meaning" and vector is not None else request.query[:LONGEST_QUERY]
        if request.by == "both":
            candidates = await self._index.search(wanted, vector=vector, words=words, limit=CANDIDATES)
            # As memories are: what was said around a message is part of its place.
            pool = [(one, _utterance(said)) for one, said in _paired(candidates)]
            ranked = rank(words, pool)
            if len(ranked) <= end and len(candidates) >= CANDIDATES:
                rest = await self._rest(
                    wanted, vector, words, end + 1, known={candidate.id for candidate in candidates}
                )
                last = ranked[-1].score
                after = fuse(rest, vector_weight=0.0 if vector is None else 1.0)
                ranked += [msgspec.structs.replace(one, score=min(one.score, last)) for one in after]
                candidates = [*candidates, *rest]
            if request.related and vector is not None:
                said = [text for _, text in pool]
                shares = {text.id: share for text, share in zip(said, word_shares(words, said), strict=True)}
                near = [one for one in ranked if _has_to_do_with_it(one, shares.get(one.id, 0.0))]
                weak = max(min(len(ranked), end) - max(len(near), request.offset), 0)
                ranked = near
        else:
            candidates = await self._index.search(wanted, vector=vector, words=words, limit=max(CANDIDATES, end + 1))
            ranked = fuse(candidates, vector_weight=1.0 if words == "" else 0.0)
        by_id = {candidate.id: candidate for candidate in candidates}
        page = ranked[request.offset : end + 1]
        answer = await self._found(
            caller, [(by_id[one.id].session, by_id[one.id].sequence, one) for one in page], request, note
        )
        return msgspec.structs.replace(answer, left_out=weak)

    async def _here(self, caller: Caller) -> frozenset[str]:
        """Return the sessions of the caller's project or of none, as memories are seen, and the one that it is in."""
        there = await self._transcripts.sessions(caller.owner, limit=sys.maxsize, offset=0)
        return frozenset({one.session for one in there if one.project in {"", caller.project}} | {caller.session})

    async def _rest(
        self, wanted: Wanted, vector: Vector | None, words: str, limit: int, *, known: Collection[str]
    ) -> list[MessageCandidate]:
        """Return what comes after the candidates that were ranked: by one side alone, whose order no limit changes."""
        words = "" if vector is not None else words
        found = await self._index.search(wanted, vector=vector, words=words, limit=limit)
        return [one for one in found if one.id not in known]

    async def _found(
        self,
        caller: Caller,
        places: Sequence[tuple[str, int, Ranked | None]],
        request: SearchMessages,
        note: str,
    ) -> FoundMessages:
        """Return what the transcripts have at these places: they have the last word."""
        more = len(places) > request.limit
        places = places[: request.limit]
        wanted: dict[str, list[int]] = {}
        for session, sequence, _ in places:
            wanted.setdefault(session, []).append(sequence)
        if not request.search_archived:
            # A page may be shorter than asked for then.
            infos = {session: await self._transcripts.info((caller.owner, session)) for session in wanted}
            archived = {session: info.summarized for session, info in infos.items() if info is not None}
            places = [place for place in places if place[1] > archived.get(place[0], 0)]
        records: dict[tuple[str, int], TranscriptRecord] = {}
        for session, sequences in wanted.items():
            for sequence, record in (await self._transcripts.get((caller.owner, session), sequences)).items():
                records[session, sequence] = record
        found: list[FoundMessage] = []
        for session, sequence, ranked in places:
            if (said := records.get((session, sequence))) is None:
                continue
            if ranked is None:
                found.append(FoundMessage(record=_excerpt(said)))
                continue
            found.append(
                FoundMessage(
                    record=_excerpt(said),
                    score=round(ranked.score, 4),
                    vector_score=round(ranked.vector_score, 4),
                    word_score=round(ranked.word_score, 4),
                )
            )
        if lost := len(places) - len(found):
            # Damaged since they were indexed, or destroyed just now.
            note = "; ".join(filter(None, (note, f"{lost} of what was found cannot be read any more")))
        return FoundMessages(found=tuple(found), next=request.offset + request.limit if more else None, note=note)


def _has_to_do_with_it(one: Ranked, share: float) -> bool:
    """Return whether a message, which has such a share of the query's words, has to do with it."""
    return VECTOR_WEIGHT * max(one.vector_score, 0.0) + (1 - VECTOR_WEIGHT) * share >= FLOOR


def _paired(candidates: Sequence[MessageCandidate]) -> list[tuple[Ranked, MessageCandidate]]:
    """Return the candidates with both scores fused, best first."""
    by_id = {candidate.id: candidate for candidate in candidates}
    return [(one, by_id[one.id]) for one in fuse(candidates)]


def _utterance(one: MessageCandidate) -> Utterance:
    # A tool has a name, too, but is nobody.
    speaker = (one.name or one.role) if one.kind == "message" else "tool"
    at = _EPOCH + timedelta(microseconds=one.at)
    return Utterance(one.id, one.text, speaker, one.session, (one.sequence, one.sequence), at)


def _excerpt(record: TranscriptRecord) -> TranscriptRecord:
    if len(record.content) <= EXCERPT:
        return record
    size = record.size or len(record.content)
    return msgspec.structs.replace(record, content=record.content[:EXCERPT], size=size)
