"""Carries the ledger's changes into the index: embed, apply in batches, remember how far.

The only writer of the index. A write is acknowledged by the ledger alone; whoever needs to find it right away waits for
its sequence number here.
"""

import logging
import math
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager

import anyio
from anyio.streams.memory import MemoryObjectSendStream

from memoryd_actors.core.errors import DaemonError, IndexDamaged, Refused, Unavailable, first_of
from memoryd_actors.core.worker import Worker
from memoryd_actors.indexing.embedded import Batch, embedded, row_of
from memoryd_actors.ports.embedder import Embedder, Vector
from memoryd_actors.ports.index import FurtherIndexes, Index, IndexRow
from memoryd_actors.ports.ledger import Ledger, LedgerChange
from memoryd_actors.ports.publisher import Publisher
from memoryd_client.wire.events import IndexProgress, Warned
from memoryd_client.wire.memory import Memory

log = logging.getLogger(__name__)

BATCH = 256
"""Changes in one commit of the index: a commit costs 13 ms, whether for one row or for many."""
COMMIT_WEIGHT = 10
"""Changes that one commit counts for, at least, towards the next optimisation."""
QUIET_S = 0.1
"""Without a further write, or a step of one, until what was written is carried over: a commit takes 20 to 40 ms of a
core, as much as the write itself, and an agent that stores several memories would wait for the one while it does the
other. On a busy machine one write takes longer than this: there it cost every second one a commit of its own."""
LONGEST_REST_S = 1.0
"""From a write until it is carried over, however many follow it, unless somebody wants it sooner."""
MOST_AHEAD = 256
SHORT_QUEUE = 2 * BATCH
"""Changes that a search waits for until they are in the index: some seconds' work for the model at most."""
LONG_CHARACTERS = 64_000
"""Of one batch that takes longer: a memory file of a megabyte takes the model a minute and a half."""
LONG_TEXT = 16_000
"""Characters of one text for whose end what is shorter does not wait."""
RETRY_S = 30.0
"""Until a missing model or a failing index is tried again without being asked."""


class Indexer:
    """Applies changes in the background; `run` it in a task group."""

    def __init__(
        self,
        ledger: Ledger,
        index: Index,
        embedder: Embedder,
        publish: Publisher,
        *,
        further: Sequence[FurtherIndexes] = (),
    ) -> None:
        """Prepare; what is purged is purged in the `further` indexes, too."""
        self._ledger = ledger
        self._index = index
        self._embedder = embedder
        self._publish = publish
        self._further = further
        self._worker = Worker(self._work, complain=self._settle, retry_s=RETRY_S, gather=self._rest)
        self.run = self._worker.run
        self._moved = anyio.Event()
        self._hurried = anyio.Event()
        self._wanted = 0
        """Somebody waits for the changes up to here."""
        self._expected = 0
        """How often a write was said to be on its way."""
        self._rebuild = False
        self._ahead: list[IndexRow] = []
        """Single writes that do not wait for what came in bulk before them."""
        self._ahead_target = self._ahead_applied = 0
        """The newest change among those, and among those of them that are in the index."""
        self._ahead_came = anyio.Event()
        self._long = False
        """Whether the batch that is embedded now takes long."""
        self._purges: list[anyio.Event] = []
        """Asked for, and not begun."""
        self._at_start = 0
        self._turn = anyio.Lock()
        """Held while the index moves."""
        self.opened = anyio.Event()
        self.applied = 0
        self.target = 0
        self.unoptimised = 0
        """Changes applied since the index was last looked after, small commits counted as `COMMIT_WEIGHT`."""
        self.beyond = 0
        """Changes that the index knew at the start and the ledger does not: it is older than it was."""
        self.problem: DaemonError | None = None

    def kick(self, sequence: int = 0) -> None:
        """Say that there is something to apply, up to `sequence` where known."""
        self.target = max(self.target, sequence)
        self._worker.kick()

    def expect(self) -> None:
        """Say that a write is on its way: unless somebody wants it, what there is goes into the index with that."""
        self._expected += 1

    def go_ahead(self, memory: Memory, vector: Vector, sequence: int) -> None:
        """Put what was written by itself into a commit ahead of a bulk or a long text that takes longer than one.

        It comes again in its turn, which changes nothing: no row replaces one of a later sequence.
        """
        if len(vector) != self._embedder.dimensions:
            return  # the model was changed meanwhile
        if (self._long or sequence - self.applied > BATCH) and len(self._ahead) < MOST_AHEAD:
            self._ahead.append(row_of(memory, vector, sequence))
            self._ahead_target = max(self._ahead_target, sequence)
            self._ahead_came.set()

    def hurry(self, sequence: int | None = None) -> None:
        """Say that somebody wants what there is, up to `sequence` where known: it is not waited for more to come."""
        self._wanted = max(self._wanted, self.target if sequence is None else sequence)
        self._hurried.set()

    def rebuild(self) -> None:
        """Throw the index away and build it anew from the ledger."""
        self._rebuild = True
        self._worker.kick()
        self._hurried.set()

    async def purge(self, *, deadline_s: float) -> bool:
        """Apply what there is, then destroy every byte of what was removed; return whether it was done in time.

        Where it was not, it is done as soon as it can be.
        """
        purged = self.begin_purge()
        with anyio.move_on_after(deadline_s):
            await purged.wait()
        return purged.is_set()

    def begin_purge(self) -> anyio.Event:
        """Have every byte of what was removed destroyed once it is; return what is set then."""
        purged = anyio.Event()
        self._purges.append(purged)
        self._worker.kick()
        self._hurried.set()
        return purged

    async def wait_for(self, sequence: int, *, deadline_s: float) -> bool:
        """Wait until `sequence` is applied; return False where that takes longer than `deadline_s` seconds."""
        self.hurry(sequence)
        with anyio.move_on_after(deadline_s):
            while self.applied < sequence and self.problem is None:
                await self._moved.wait()
        return self.applied >= sequence

    def is_near(self, sequence: int) -> bool:
        """Return whether what there is up to `sequence` is in the index, or will be in a moment."""
        return self.applied >= sequence or (sequence - self.applied <= SHORT_QUEUE and not self._long)

    async def catch_up(self, sequence: int) -> None:
        """Wait until what there is up to `sequence` is in the index.

        Of a large import or a long text under way, only for what was written by itself beside it.
        """
        self.hurry(sequence)
        while self.applied < sequence and self.is_near(sequence) and self.problem is None:
            await self._moved.wait()
        if not self.is_near(sequence):
            await self._wait_for_those_ahead()

    async def _wait_for_those_ahead(self) -> None:
        wanted = self._ahead_target
        while max(self._ahead_applied, self.applied) < wanted and self.problem is None:
            await self._moved.wait()

    async def wait_beyond(self, sequence: int) -> None:
        """Wait until the index has everything there is, and more than up to `sequence`."""
        while not self.opened.is_set() or self.applied <= sequence or self.applied < self.target:
            await self._moved.wait()

    async def wait_unoptimised(self, changes: int) -> None:
        """Wait until that many changes were applied since `unoptimised` was last set to 0."""
        while self.unoptimised < changes:
            await self._moved.wait()

    async def wait_open(self, *, deadline_s: float) -> None:
        """Wait until the index can be searched.

        Raises:
            Unavailable: it cannot be, for a reason that is known already, or is not within `deadline_s` seconds.
        """
        with anyio.move_on_after(deadline_s):
            while not self.opened.is_set() and self.problem is None:
                await self._moved.wait()
        if not self.opened.is_set():
            hint = self.problem.hint if self.problem else "Try again in a moment."
            raise Unavailable(f"the index is not open{f': {self.problem}' if self.problem else ' yet'}", hint)

    async def prepare(self) -> None:
        """Note how far the ledger is, before anybody can write to it: an index that knows more is not its own."""
        self._at_start = await self._ledger.changes.last_sequence()

    async def open(self, newest: int) -> None:
        """Open the index and see how far it is; one that knows of changes after `newest` begins anew."""
        model, dimensions = self._embedder.identity, self._embedder.dimensions
        applied = await self._index.open(model=model, dimensions=dimensions)
        if applied > newest:
            # The ledger was restored from a backup: what the index knows beyond it never happened.
            log.warning("the index of %s is ahead of the ledger (%d > %d): rebuilding it", model, applied, newest)
            self.beyond = applied - newest
            await self._index.reset(model=model, dimensions=dimensions)
            applied = 0
            await self._purge_further()
        self.applied, self.target = applied, max(self.target, newest)

    async def advance(self, limit: int) -> bool:
        """Index up to so many of the next changes; return whether there were any.

        For an index that is built beside the one that serves: nobody runs this one.
        """
        changes = await self._ledger.changes.changes_after(self.applied, limit=limit)
        if not changes:
            return False
        batch = await embedded(changes, self._embedder, background=True)
        await self._index.apply(batch.rows, removed=batch.removed, sequence=batch.sequence)
        self.applied = batch.sequence
        self.unoptimised += batch.changes
        return True

    @asynccontextmanager
    async def replaced(self, other: "Indexer") -> AsyncGenerator[None]:
        """Stand still while the index of another one is put in the place of this one's."""
        async with self._turn:
            yield
            self.applied = other.applied
            self._ahead = []
            self.opened.set()
            self._settle(None)
        self._worker.kick()

    async def _work(self) -> float:
        """Open the index, and catch up with the ledger."""
        async with self._turn:
            return await self._move()

    async def _move(self) -> float:
        rebuilding = self._rebuild
        # One that is asked for from here on may concern changes that are not followed any more.
        purges, self._purges = self._purges, []
        try:
            newest = await self._ledger.purges.left_in_index() if purges else 0
            await self._follow()
            if purges and not self._rebuild:
                await self._index.purge()
                await self._purge_further()
                await self._ledger.purges.gone_from_index(newest)
                while purges:
                    purges.pop().set()
        except IndexDamaged as damaged:
            self._settle(damaged)
            if not rebuilding:  # one that fails to be rebuilt is tried again later, not for ever at once
                self.rebuild()
            return RETRY_S
        finally:
            self._purges += purges
        self._settle(None)
        return math.inf

    async def _rest(self) -> None:
        """Let the writes that come together go into the index together, unless somebody waits for it."""
        self._hurried = anyio.Event()
        with anyio.move_on_after(LONGEST_REST_S):
            while self._wanted <= self.applied and not self._rebuild and not self._purges:
                before = self.target, self._expected
                with anyio.move_on_after(QUIET_S):
                    await self._hurried.wait()
                if (self.target, self._expected) == before:
                    return

    async def _follow(self) -> None:
        if self._rebuild:
            await self._index.reset(model=self._embedder.identity, dimensions=self._embedder.dimensions)
            self.applied = 0
            self._rebuild = False  # not before: one that fails has to be tried again
        elif not self.opened.is_set():
            await self.open(self._at_start)
        self.target = await self._ledger.changes.last_sequence()
        self.opened.set()
        self._wake()
        # One batch is embedded while the one before it is written: the model never waits for the disk.
        send, receive = anyio.create_memory_object_stream[Batch](0)
        refusals = None
        try:
            async with anyio.create_task_group() as tasks, receive:
                tasks.start_soon(self._embed_changes, send, self.applied)
                tasks.start_soon(self._carry_ahead)
                async for batch in receive:
                    await self._apply(batch)
                tasks.cancel_scope.cancel()
        except* Refused as group:
            refusals = group
        if refusals is not None:
            raise first_of(refusals)

    async def _purge_further(self) -> None:
        for others in self._further:
            await others.purge()

    async def _embed_changes(self, send: MemoryObjectSendStream[Batch], after: int) -> None:
        """Turn the changes after that sequence number into batches, until there are no more or a rebuild is due."""
        async with send:
            while not self._rebuild:
                changes = await self._ledger.changes.changes_after(after, limit=BATCH)
                if not changes:
                    return
                after = changes[-1].sequence
                self._long = sum(len(one.memory.content) for one in changes if one.memory) > LONG_CHARACTERS
                try:
                    if self._long:
                        await self._take_short_ahead(changes)
                    self._wake()  # who waits for these need not, where they take long
                    self._ahead_came.set()
                    await send.send(await embedded(changes, self._embedder))
                finally:
                    self._long = False

    async def _take_short_ahead(self, changes: Sequence[LedgerChange]) -> None:
        """Put what is short ahead of a long text that came in one batch with it."""
        sizes = [(one, len(one.memory.content)) for one in changes if one.memory is not None]
        short = [one for one, size in sizes if size <= LONG_TEXT]
        if not short or len(short) == len(sizes):
            return
        self._ahead_target = max(self._ahead_target, short[-1].sequence)
        self._ahead += (await embedded(short, self._embedder)).rows

    async def _carry_ahead(self) -> None:
        """While a long text is embedded, put into the index what was written by itself."""
        while True:
            self._ahead_came = anyio.Event()
            if not (self._long and self._ahead):
                await self._ahead_came.wait()
                continue
            ahead, self._ahead = self._ahead, []
            with anyio.CancelScope(shield=True):
                await self._index.apply(ahead, removed=[], sequence=self.applied)
            self._ahead_applied = max(row.sequence for row in ahead)
            self._wake()

    async def _apply(self, batch: Batch) -> None:
        ahead, self._ahead = self._ahead, []
        await self._index.apply([*batch.rows, *ahead], removed=batch.removed, sequence=batch.sequence)
        self.applied = batch.sequence
        self._ahead_applied = max((row.sequence for row in ahead), default=self._ahead_applied)
        self.target = max(self.target, self.applied)
        # Fragments cost a search more than rows do: fifty small commits call for upkeep as 500 rows do.
        self.unoptimised += max(batch.changes, COMMIT_WEIGHT)
        self._publish(IndexProgress(applied=self.applied, target=self.target))
        self._wake()

    def _settle(self, problem: DaemonError | None) -> None:
        if problem is not None and str(problem) != str(self.problem):
            log.warning("the index does not move: %s", problem)
            self._publish(Warned(component="index", message=str(problem), hint=problem.hint))
        self.problem = problem
        self._wake()

    def _wake(self) -> None:
        self._moved.set()
        self._moved = anyio.Event()
