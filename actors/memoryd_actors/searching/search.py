"""Step 5 of the pipeline: find candidates by meaning and words, and let the ledger have the last word on them."""

from collections.abc import Awaitable, Collection, Sequence, Set
from contextlib import suppress

import anyio
import msgspec

from memoryd_actors.access.categories import Categories
from memoryd_actors.core.errors import IndexDamaged, ModelUnavailable, Refused, Unavailable, first_of
from memoryd_actors.core.slices import SLICES
from memoryd_actors.indexing.indexer import Indexer
from memoryd_actors.memory.case import StoreStatistics
from memoryd_actors.memory.decay import decay_score
from memoryd_actors.memory.described import MAX_SUMMARY, summary, surfaced
from memoryd_actors.memory.fusion import VECTOR_WEIGHT, Ranked, fuse
from memoryd_actors.memory.index_text import index_text, parts
from memoryd_actors.memory.settings import RecallSettings
from memoryd_actors.memory.visibility import Visibility, is_visible
from memoryd_actors.ports.clock import Clock
from memoryd_actors.ports.embedder import Embedder, Vector, Vectors
from memoryd_actors.ports.index import Index
from memoryd_actors.ports.ledger import MemoryRepository
from memoryd_actors.searching.ranking import rank
from memoryd_actors.searching.related import Relatives
from memoryd_actors.texts.fence import one_line
from memoryd_actors.texts.stems import stems
from memoryd_actors.texts.words import content_words
from memoryd_client.base.wording import counted
from memoryd_client.wire.memory import Memory
from memoryd_client.wire.pending import SurfacedMemory
from memoryd_client.wire.search import Hit, Hits, RelatedHit

LONGEST_QUERY = 4_000
"""Characters of a query that the word index reads."""

FLOOR = 0.14
"""Of 0.7 cosine + 0.3 of the query's words, each counting as much as it is rare: below, a memory has nothing to do with
the query. Of the evidence that is among the best ten of LoCoMo and BEAM two in 958 are below, and of the ten that
another conversation offers for the same questions a third (23 to 51%)."""
JOINED = 10
"""Candidates whose edges count: the best by meaning and words."""
MODEL_SHARE = 0.8
"""Of the deadline that a search waits for a model that is loading; the rest is for searching by words."""
MODEL_BEGINS_S = 0.001
"""How long reading ahead leaves the interpreter to the model's thread: both at once, the model began 2 to 3 ms late."""
FOLDED = 2
"""Times as many memories are looked for as hits are wanted: near ones share a place."""
MOST_FOUND = 200
NEWEST_READ = 1_000
"""Memories that a search reads itself where there is no model to index them with."""


class FoundMemory(msgspec.Struct, frozen=True):
    """A memory that came up, and how it ranked."""

    memory: Memory
    """Of a long one, the passage that was found stands for its content."""
    ranked: Ranked
    whole: Memory


class Findings(msgspec.Struct, frozen=True):
    """What somebody searched for."""

    found: list[FoundMemory]
    """Best first."""
    note: str
    """What was not searched yet, or not by meaning; else nothing."""


class Sifted(msgspec.Struct, frozen=True):
    """What a search came to."""

    found: tuple[FoundMemory, ...]
    """Visible memories, best first."""
    excluded: tuple[FoundMemory, ...]
    """Those that came up, too, but that the caller asked to leave out, best first."""


class Searcher:
    """Searches for whoever has a vector or words."""

    def __init__(
        self,
        embedder: Embedder,
        index: Index,
        indexer: Indexer,
        ledger: MemoryRepository,
        settings: RecallSettings,
        *,
        categories: Categories | None = None,
        clock: Clock | None = None,
    ) -> None:
        """Prepare; with a clock, what has faded ranks a little lower."""
        self._embedder = embedder
        self._index = index
        self._indexer = indexer
        self._ledger = ledger
        self._relatives = Relatives(ledger)
        self._settings = settings
        self._categories = categories or Categories()
        self._clock = clock

    async def statistics(self, text: str, visible: Visibility) -> StoreStatistics:
        """Return how rare the words of a text are in what is visible."""
        return await self._index.statistics(list(stems(text)), visible)

    async def sift(
        self,
        *,
        vector: Vector | None,
        words: str,
        visible: Visibility,
        limit: int,
        exclude: Collection[str] = (),
        stored: int = 0,
    ) -> Sifted:
        """Return at most `limit` visible memories, best first, without those in `exclude`.

        What was acknowledged up to the change `stored` is considered; of a large import under way, what is there.

        For a context (`Categories.recalled`), of each category no more than it may have there, by its weight.

        The index may be behind: only what the ledger knows as visible is returned, so nothing deleted, superseded or
        foreign ever is.
        """
        settings = self._settings
        reach = max(settings.candidates, limit)
        await self._indexer.catch_up(stored)
        try:
            candidates = await self._index.search(
                vector=vector, words=words[:LONGEST_QUERY], visible=visible, limit=reach
            )
        except IndexDamaged:
            self._indexer.rebuild()
            raise
        fused = fuse(candidates, vector_weight=settings.vector_weight, minimum_cosine=settings.minimum_cosine)
        # All of them at once, 0.8 ms more than the best twenty: what was said around a memory is part of its place.
        ids = [one.id for one in fused]
        memories, edges = await self._ledger.get_joined(visible.owner, ids, joined=ids[:JOINED])
        seen = [one for one in fused if one.id in memories and is_visible(memories[one.id], visible)]
        pool = [(one, _passage(memories[one.id], one.passage)) for one in seen]
        told = {memory.id: memory for _, memory in pool}
        ranked = [one for one, _ in pool]
        if settings.ranking == "context":
            await SLICES.pause()
            trust = [memory.trust for _, memory in pool]
            ranked = rank(words[:LONGEST_QUERY], pool, decay=self._decay(pool), trust=trust, edges=edges)
        if visible.for_context:
            ranked = self._categories.for_context(ranked, {one.id: memory.category for one, memory in pool})
        found: list[FoundMemory] = []
        excluded: list[FoundMemory] = []
        for one in ranked:
            if one.id in exclude:
                excluded.append(FoundMemory(told[one.id], one, memories[one.id]))
            elif len(found) < limit:
                found.append(FoundMemory(told[one.id], one, memories[one.id]))
        if self._indexer.applied < stored and isinstance(self._indexer.problem, ModelUnavailable):
            known = {one.memory.id for one in (*found, *excluded)}.union(exclude)
            found += [one for one in await self._unindexed(words, visible, limit=limit) if one.memory.id not in known]
            found = sorted(found, key=lambda one: -one.ranked.score)[:limit]
        return Sifted(tuple(found), tuple(excluded))

    async def nearness(self, text: str, ids: Sequence[str]) -> dict[str, float]:
        """Return the cosines of memories and a text, of those that are in the index."""
        try:
            vector = await self._vector(text)
            vectors = await self._index.vectors(ids) if vector is not None else {}
        except Unavailable:
            return {}
        if vector is None:
            return {}
        # Of another length: the model was changed in between.
        return {one: float(vector @ other) for one, other in vectors.items() if len(other) == len(vector)}

    async def meanwhile(self, vectors: Awaitable[Vectors], words: str, visible: Visibility) -> Vectors:
        """Return vectors once they are there, and read meanwhile what has the words: the search then finds it read.

        A search reads half of its candidates while the model runs.
        """
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._read_ahead, words, visible)
                found = await vectors
                tasks.cancel_scope.cancel()
                return found
        except ExceptionGroup as group:
            refusals, bugs = group.split(Refused)
            if refusals is None or bugs is not None:
                raise
            raise first_of(refusals) from None
        raise AssertionError("a task group whose own work was not cancelled has swallowed an error")

    async def _read_ahead(self, words: str, visible: Visibility) -> None:
        await anyio.sleep(MODEL_BEGINS_S)
        with suppress(Refused):  # the search itself will tell
            candidates = await self._index.search(
                vector=None, words=words[:LONGEST_QUERY], visible=visible, limit=self._settings.candidates
            )
            await self._ledger.read_ahead([candidate.id for candidate in candidates])

    def _decay(self, pool: Sequence[tuple[Ranked, Memory]]) -> list[float]:
        if self._clock is None:
            return []
        now = self._clock.now()
        return [decay_score(memory, now) for _, memory in pool]

    async def search(
        self,
        query: str,
        visible: Visibility,
        *,
        limit: int,
        deadline_s: float,
        floor: float = 0.0,
        folded: bool = True,
    ) -> Hits:
        """Return what `find` finds, each in a line; `folded`: near statements in one place with the newest."""
        wider = min(FOLDED * limit, MOST_FOUND) if folded else limit
        findings = await self.find(query, visible, limit=wider, deadline_s=deadline_s, floor=floor)
        together = [surfaced(one.memory, score=one.ranked.score, reason="") for one in findings.found]
        if folded:
            together = await self._relatives.together(visible.owner, together, query, most=len(together))
        by_id = {one.memory.id: one for one in findings.found}
        hits = (_hit(by_id[one.id], one) for one in sorted(together, key=lambda one: -one.score)[:limit])
        return Hits(hits=tuple(hits), note=findings.note)

    async def find(
        self, query: str, visible: Visibility, *, limit: int, deadline_s: float, floor: float = 0.0
    ) -> Findings:
        """Return what a person or agent searches for, everything acknowledged so far included.

        Without a model, or with one that still loads when most of `deadline_s` is over, it searches by words alone, and
        for what could not be indexed in the ledger itself. With one, it leaves out what is below the `floor`. Of an
        import that is not indexed yet it searches what is there, and notes how much is not.

        Raises:
            Unavailable: the index cannot be searched.
        """
        indexer = self._indexer
        try:
            await indexer.wait_open(deadline_s=deadline_s)
        except Unavailable:
            if not isinstance(indexer.problem, ModelUnavailable):
                raise
            found = await self._unindexed(query, visible, limit=limit)
            return Findings(found, f"found by words alone: {indexer.problem}")
        # What was stored just now is to be found. A large import under way is not waited for.
        stored = indexer.target
        vector = None
        with anyio.move_on_after(MODEL_SHARE * deadline_s):
            await indexer.catch_up(stored)
            vector = await self._vector(query, visible)
        sifted = await self.sift(vector=vector, words=query, visible=visible, limit=limit)
        found = [one for one in sifted.found if vector is None or _relevance(one.ranked) >= floor]
        behind = stored - indexer.applied
        if behind > 0 and (vector is None or indexer.is_near(stored)):
            known = {one.memory.id for one in found}
            found += [one for one in await self._unindexed(query, visible, limit=limit) if one.memory.id not in known]
            found.sort(key=lambda one: -one.ranked.score)
            behind -= NEWEST_READ
        notes = [f"not indexed yet: at most {counted(behind, 'change')}"] if behind > 0 else []
        if vector is None and query.strip():
            missing = indexer.problem if isinstance(indexer.problem, ModelUnavailable) else None
            notes.append(f"found by words alone: {missing or 'the embedding model did not answer in time'}")
        return Findings(found[:limit], "; ".join(notes))

    async def _vector(self, query: str, visible: Visibility | None = None) -> Vector | None:
        """Return the vector of a text; where it is told what is `visible`, read meanwhile what has its words."""
        if not query.strip():
            return None
        vectors = self._embedder.embed([query], query=True)
        try:
            found = await (vectors if visible is None else self.meanwhile(vectors, query, visible))
        except ModelUnavailable:
            return None
        vector: Vector = found[0]
        return vector

    async def _unindexed(self, query: str, visible: Visibility, *, limit: int) -> list[FoundMemory]:
        """Search the newest memories word by word: they wait for a model that is not there."""
        asked = set(content_words(query[:LONGEST_QUERY]))
        found: list[FoundMemory] = []
        for memory in await self._ledger.page(visible, limit=NEWEST_READ) if asked else []:
            share = len(asked & set(content_words(index_text(memory)))) / len(asked)
            if share > 0:
                score, span = share * (1 - self._settings.vector_weight), _best_passage(memory, asked)
                ranked = Ranked(memory.id, 0.0, share, score, passage=span)
                found.append(FoundMemory(_passage(memory, span), ranked, memory))
        return sorted(found, key=lambda one: -one.ranked.score)[:limit]


def _relevance(ranked: Ranked) -> float:
    return VECTOR_WEIGHT * max(ranked.vector_score, 0.0) + (1 - VECTOR_WEIGHT) * ranked.word_share


def _best_passage(memory: Memory, asked: Set[str]) -> tuple[int, int] | None:
    """Return where in a long memory the passage is that has the most of the words; None of a shorter one."""
    spans = [(part.start, part.end) for part in parts(memory)]
    return max(spans, key=lambda span: len(asked & set(content_words(memory.content[slice(*span)]))), default=None)


def _passage(memory: Memory, span: tuple[int, int] | None) -> Memory:
    """Return a memory with the passage that was found for its content.

    The index may be behind an edit: a passage that is there no more is none.
    """
    if span is None or not memory.content[slice(*span)].strip():
        return memory
    return msgspec.structs.replace(memory, content=memory.content[slice(*span)].strip())


def _hit(found: FoundMemory, shown: SurfacedMemory) -> Hit:
    memory, ranked = found.memory, found.ranked
    offset = ranked.passage[0] if ranked.passage else 0
    return Hit(
        id=memory.id,
        summary=summary(memory) if not offset else one_line(f"{memory.title} … {memory.content}", MAX_SUMMARY),
        score=shown.score,
        timestamp=memory.occurred_at or memory.created_at,
        category=memory.category,
        scope=memory.scope,
        vector_score=round(ranked.vector_score, 4),
        word_score=round(ranked.word_score, 4),
        tags=memory.tags,
        offset=offset,
        related=tuple(
            RelatedHit(id=one.id, summary=one_line(one.content, MAX_SUMMARY), reason=one.reason, timestamp=one.date)
            for one in shown.related
        ),
    )
