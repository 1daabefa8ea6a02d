"""Carries what was said into the index of messages, in the background and behind everything else.

How far it is with a session is told by the rows themselves, so that there is nothing to keep in step. Without a model
the rows come without vectors, which are supplied when there is one: words and dates find them meanwhile.
"""

import logging
import math
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager

import anyio
import numpy as np

from memoryd_actors.core.errors import DaemonError, IndexDamaged, ModelUnavailable, Unavailable
from memoryd_actors.core.worker import Worker
from memoryd_actors.memory.visibility import micros
from memoryd_actors.ports.embedder import Embedder, Vector
from memoryd_actors.ports.index import FurtherIndexes
from memoryd_actors.ports.publisher import Publisher
from memoryd_actors.ports.transcripts import (
    Key,
    MessageIndex,
    MessageRow,
    TranscriptNews,
    Transcripts,
    digest_of,
)
from memoryd_client.wire.events import Warned
from memoryd_client.wire.transcripts import TranscriptRecord

log = logging.getLogger(__name__)

BATCH = 256
"""Entries in one commit of the index: a commit costs 13 ms, whether for one row or for many."""
BATCH_CHARACTERS = 1_000_000
RUN_CHARACTERS = 2_000
"""Text embedded in one go: what a context may have to wait for, 60 ms on one core."""
LONGEST_TEXT = 20_000
"""Characters of an entry that are found by their words; its meaning is that of its first 256 tokens."""
GATHER_S = 0.5
"""How long entries gather before they are indexed, where nobody waits for them."""
RETRY_S = 30.0
OPTIMISE_ROWS = 2_000
OPTIMISE_COMMITS = 50
MOST_COMMITS = 400
"""Rows, or commits, after which the index is looked after: fragments cost a search more than rows do. Each time all of
it is written anew, so a large one waits for more: a tenth of its rows, or a commit for each two hundred of them."""


class MessageIndexer:
    """Follows the transcripts; `run` it in a task group."""

    def __init__(
        self,
        transcripts: Transcripts,
        index: MessageIndex,
        embedder: Embedder,
        publish: Publisher,
        *,
        further: Sequence[FurtherIndexes] = (),
    ) -> None:
        """Prepare; a session that is forgotten is forgotten in the `further` indexes, too."""
        self._transcripts = transcripts
        self._index = index
        self._embedder = embedder
        self._publish = publish
        self._further = further
        self._heads: dict[Key, int] = {}
        self._applied: dict[Key, int] = {}
        self._heard = 0
        """The last change of transcripts that is known here."""
        self._erased = 0
        """The last one that is known to have taken words out of one."""
        self._gone = set[Key]()
        """Sessions out of which words were taken, of which the index may have them still."""
        self._opened = False
        self._rebuild = False
        """Whether a search came upon damage: the index begins anew."""
        self._lacking = True
        """Whether there may be rows without a vector."""
        self._rows = self._commits = 0
        self._turn = anyio.Lock()
        self._wanted = anyio.Event()
        self._worker = Worker(self._work, complain=self._settle, retry_s=RETRY_S, gather=self._gather)
        self.kick = self._worker.kick
        self.run = self._worker.run
        self._moved = anyio.Event()
        self.problem: DaemonError | None = None

    @property
    def heads(self) -> Mapping[Key, int]:
        """How far each transcript goes."""
        return self._heads

    @property
    def is_lacking(self) -> bool:
        """Whether there may be messages without a vector."""
        return self._lacking

    @property
    def behind(self) -> int:
        """How many entries are not in the index yet."""
        return sum(max(0, head - self._applied.get(key, 0)) for key, head in self._heads.items())

    def note(self, key: Key, last: int) -> None:
        """Say how far a transcript goes now."""
        self._heads[key] = max(last, self._heads.get(key, 0))
        self.kick()

    def rebuild(self) -> None:
        """Have the index begin anew, in the background."""
        self._rebuild = True
        self.kick()

    async def caught_up(self, *, deadline_s: float, patience_s: float) -> bool:
        """Wait until everything acknowledged so far can be found; return False where it is not within `patience_s`.

        Raises:
            Unavailable: the index cannot be opened, or was not within `deadline_s`.
        """
        self._wanted.set()
        self.kick()
        with anyio.move_on_after(deadline_s):
            while not self._opened and self.problem is None:
                await self._moved.wait()
        if self._opened:
            self._take_in(await self._transcripts.news(self._heard))
            self.kick()
        goal = dict(self._heads)
        with anyio.move_on_after(patience_s):
            while self.problem is None and any(self._applied.get(key, 0) < last for key, last in goal.items()):
                await self._moved.wait()
        if not self._opened:
            why = f": {self.problem}" if self.problem else " yet"
            raise Unavailable(f"the index of messages is not open{why}", "Try again in a moment.")
        return all(self._applied.get(key, 0) >= last for key, last in goal.items())

    async def forget(self, key: Key) -> None:
        """Destroy what the index has of a session whose transcript is gone."""
        async with self._turn:
            for others in self._further:
                await others.forget(key)
            if not self._opened:
                await self.open()
            self._heads.pop(key, None)
            await self._index.remove(key)
            self._applied.pop(key, None)
        self._wake()

    async def destroy_erased(self) -> None:
        """Destroy what the index has of words that were taken out of transcripts, whichever daemon did it."""
        async with self._turn:
            if not self._opened:
                await self.open()
            await self._listen()
        self.kick()

    async def advance(self, heads: Mapping[Key, int]) -> bool:
        """Index the next batch of what transcripts have up to `heads`; return whether there was one.

        For an index that is built beside the one that serves: nobody runs this one.
        """
        for key, last in heads.items():
            self._heads[key] = max(last, self._heads.get(key, 0))
        async with self._turn:
            moved = await self._next()
        if not moved and self._lacking:
            await self._supply()
        return moved

    @asynccontextmanager
    async def replaced(self, other: "MessageIndexer") -> AsyncGenerator[None]:
        """Stand still while the index that another one has completed is put in the place of this one's."""
        async with self._turn:
            yield
            self._applied, self._lacking, self._opened = dict(other._applied), False, True
            self._settle(None)
        self.kick()

    async def _work(self) -> float:
        """Open the index, and catch up."""
        try:
            await self._follow()
        except IndexDamaged as damaged:
            self._settle(damaged)
            self._opened = False
            log.warning("the index of messages is damaged and begins anew: %s", damaged)
            return RETRY_S
        self._settle(None)
        return RETRY_S if self._lacking else math.inf

    async def _gather(self) -> None:
        with anyio.move_on_after(GATHER_S):
            await self._wanted.wait()
        self._wanted = anyio.Event()

    async def _follow(self) -> None:
        async with self._turn:
            if self._rebuild or not self._opened:
                await self.open()
            await self._listen()
        moved = True
        while moved:
            async with self._turn:
                moved = await self._next()
            self._wake()
        if self._lacking:
            await self._supply()
        there = sum(self._applied.values())
        commits = min(max(there // 200, OPTIMISE_COMMITS), MOST_COMMITS)
        if self._rows >= max(there // 10, OPTIMISE_ROWS) or self._commits >= commits:
            await self._index.optimise()
            self._rows = self._commits = 0

    async def open(self) -> None:
        """Open the index, and see how far it is."""
        dimensions = self._embedder.dimensions
        if self._rebuild or isinstance(self.problem, IndexDamaged):
            await self._index.reset(model=self._embedder.identity, dimensions=dimensions)
            self._rebuild = False
            applied: dict[Key, int] = {}
        else:
            applied = await self._index.open(model=self._embedder.identity, dimensions=dimensions)
        there = await self._transcripts.heads()
        for key, last in there.items():
            self._heads[key] = max(last, self._heads.get(key, 0))
        self._applied = applied
        self._heard = self._index.heard
        for key in [key for key, last in applied.items() if last > self._heads.get(key, 0)]:
            # A transcript that was deleted, or put back as it was earlier, by hand.
            await self._index.remove(key)
            self._applied.pop(key)
        self._opened = True
        self._wake()

    async def _listen(self) -> None:
        """Take in what was said elsewhere, and destroy here what was destroyed there."""
        news = await self._transcripts.news(self._heard)
        if news.changed < self._heard:
            # The ledger was put back as it was earlier.
            await self._index.note_heard(news.changed)
            self._heard = self._erased = news.changed
        self._take_in(news)
        while self._gone:
            key = next(iter(self._gone))
            for others in self._further:
                await others.forget(key)
            if key in self._applied:
                await self._index.remove(key)
                self._applied.pop(key)
            self._gone.discard(key)
        if self._index.heard < self._erased:
            await self._index.note_heard(self._heard)

    def _take_in(self, news: TranscriptNews) -> None:
        if news.changed <= self._heard:
            return  # Who asked later was answered first, and knows how far transcripts are now.
        if news.erased:
            for key in [one for one in {*self._heads, *self._applied} if digest_of(one) in news.erased]:
                self._heads.pop(key, None)
                self._gone.add(key)
            self._erased = news.changed
        for key, last in news.heads.items():
            self._heads[key] = max(last, self._heads.get(key, 0))
        self._heard = news.changed

    async def _next(self) -> bool:
        """Index a batch of whatever sessions have something new; return whether there was anything."""
        batch: list[tuple[Key, TranscriptRecord]] = []
        applied: dict[Key, int] = {}
        room = BATCH_CHARACTERS
        for key in [key for key, head in self._heads.items() if self._applied.get(key, 0) < head]:
            if len(batch) >= BATCH or room <= 0:
                break
            after = self._applied.get(key, 0)
            records = await self._transcripts.read(key, after=after, limit=BATCH - len(batch), characters=room)
            if not records:
                head = await self._transcripts.last(key)
                if head > after:
                    applied[key] = head  # what is there cannot be read
                else:
                    # The file has less than was said of it: destroyed meanwhile.
                    self._heads.pop(key, None)
                continue
            batch += [(key, record) for record in records]
            room -= sum(len(record.content) for record in records)
            applied[key] = records[-1].sequence
        if batch:
            await self._apply(batch)
        self._applied |= applied
        return bool(applied)

    async def _apply(self, batch: Sequence[tuple[Key, TranscriptRecord]]) -> None:
        # A summary is nothing that was said; what it tells of is found where it was said, and as a memory.
        batch = [(key, record) for key, record in batch if not record.covers]
        if not batch:
            return
        vectors = await self._vectors([record for _, record in batch])
        rows = [
            MessageRow(
                owner=owner,
                session=session,
                sequence=record.sequence,
                text=f"{_text(record)}\n({record.at:%d %B %Y})",
                vector=vector,
                kind=record.kind,
                role=record.role,
                name=record.name,
                at=micros(record.at),
            )
            for ((owner, session), record), vector in zip(batch, vectors, strict=True)
        ]
        await self._index.apply(rows)
        self._rows += len(rows)
        self._commits += 1

    async def _vectors(self, records: Sequence[TranscriptRecord]) -> list[Vector | None]:
        found: list[Vector | None] = []
        run: list[str] = []
        characters = 0
        try:
            for record in records:
                text = _text(record)
                characters += len(text)
                if run and characters > RUN_CHARACTERS:
                    found += list(np.asarray(await self._embedder.embed(run, background=True)))
                    run, characters = [], len(text)
                run.append(text)
            found += list(np.asarray(await self._embedder.embed(run, background=True)))
        except ModelUnavailable:
            self._lacking = True
            return [None] * len(records)
        return found

    async def _supply(self) -> None:
        """Give vectors to the rows that came without, as far as there is a model."""
        while True:
            async with self._turn:
                places = await self._index.lacking(BATCH)
                if not places:
                    self._lacking = False
                    return
                try:
                    await self._embedder.embed(["ready?"], background=True)
                except ModelUnavailable:
                    return
                by_session: dict[Key, list[int]] = {}
                for key, sequence in places:
                    by_session.setdefault(key, []).append(sequence)
                batch: list[tuple[Key, TranscriptRecord]] = []
                for key, sequences in by_session.items():
                    batch += [(key, one) for one in (await self._transcripts.get(key, sequences)).values()]
                if not batch:
                    return
                await self._apply(batch)

    def _settle(self, problem: DaemonError | None) -> None:
        if problem is not None and str(problem) != str(self.problem):
            log.warning("the index of messages does not move: %s", problem)
            self._publish(Warned(component="transcripts", message=str(problem), hint=problem.hint))
        self.problem = problem
        self._wake()

    def _wake(self) -> None:
        self._moved.set()
        self._moved = anyio.Event()


def _text(record: TranscriptRecord) -> str:
    said = record.content[:LONGEST_TEXT]
    return f"{record.name}: {said}" if record.name else said
