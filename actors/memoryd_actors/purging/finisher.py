"""Finishes what purges have left: in the files and backups of the ledger, in the index, in transcripts.

A purge is one transaction, in which all that it leaves is noted. What cannot be destroyed now, because somebody reads
the ledger or the disk is full, and what was interrupted, is destroyed as soon as it can be.
"""

import logging
import math
from collections.abc import Awaitable, Callable
from functools import partial

import anyio
import msgspec

from memoryd_actors.conversations.scribe import Scribe
from memoryd_actors.core.errors import DaemonError, PurgeUnfinished, Unavailable
from memoryd_actors.core.remembered import forget_texts
from memoryd_actors.core.worker import Worker, attempt, reason
from memoryd_actors.indexing.indexer import Indexer
from memoryd_actors.memory.progress import PURGED_ENTRIES, PURGED_SESSION, Progress, ProgressRepository
from memoryd_actors.ports.ledger import PurgeRepository
from memoryd_actors.ports.publisher import Publisher
from memoryd_actors.ports.transcripts import Key
from memoryd_client.wire.events import Warned

log = logging.getLogger(__name__)

RETRY_S = 10.0
"""Until what could not be finished is tried again: mostly, somebody reads the ledger for a moment."""
INDEX_S = 20.0
"""How long the index is waited for before it is said that it is not done."""
SCRIBE_S = 60.0
"""How long a transcript is waited for, whose file may be long, and whose writer may have others to write first."""
_numbers = msgspec.json.Decoder(tuple[int, ...]).decode


class PurgeFinisher:
    """Destroys what purges have noted; `run` it in a task group."""

    def __init__(
        self,
        *,
        purges: PurgeRepository,
        progress: ProgressRepository,
        indexer: Indexer,
        scribe: Scribe,
        forget: Callable[[Key, str], Awaitable[None]],
        destroy_erased: Callable[[], Awaitable[None]],
        publish: Publisher,
    ) -> None:
        """Prepare; `forget` destroys the memories that tell a session of a project.

        `destroy_erased` destroys what the index of messages has of what is gone from transcripts in the ledger.
        """
        self._purges = purges
        self._progress = progress
        self._indexer = indexer
        self._scribe = scribe
        self._forget = forget
        self._destroy_erased = destroy_erased
        self._publish = publish
        # Transcripts first: with a session go memories, which are then to be finished themselves.
        works = self._finish_transcripts, self._finish_files, self._finish_index
        self._parts = [_Part(work, self._complain) for work in works]

    @property
    def problem(self) -> DaemonError | None:
        """Why something is not finished; None where nothing is left, or it is on its way."""
        return next((part.problem for part in self._parts if part.problem is not None), None)

    def kick(self) -> None:
        """Say that there is something to finish; never waits."""
        for part in self._parts:
            part.kick()

    async def run(self) -> None:
        """Finish what was interrupted, and then what comes, until cancelled."""
        async with anyio.create_task_group() as tasks:
            for part in self._parts:
                tasks.start_soon(part.run)

    async def finish(self, *, deadline_s: float) -> None:
        """Wait until nothing is left of what was purged before.

        Raises:
            PurgeUnfinished: something cannot be destroyed now, or not within the deadline; it is gone on with.
        """
        self.kick()
        with anyio.move_on_after(deadline_s) as limit:
            for part in self._parts:
                await part.finish()
        if limit.cancelled_caught:
            raise PurgeUnfinished(Unavailable(f"it takes longer than {deadline_s:g} s"))
        if (problem := self.problem) is not None:
            raise PurgeUnfinished(problem)

    async def _finish_files(self) -> None:
        forget_texts()
        await self._purges.finish()

    async def _finish_index(self) -> None:
        if await self._purges.left_in_index() and not await self._indexer.purge(deadline_s=INDEX_S):
            problem = self._indexer.problem
            why, hint = (f": {problem}", problem.hint) if problem else ("", "")
            raise Unavailable(f"vectors are still in the index, which does not move{why}", hint)

    async def _finish_transcripts(self) -> None:
        works: list[Callable[[], Awaitable[None]]] = []
        works += [partial(self._destroy, one) for one in await self._progress.progress_of(PURGED_SESSION)]
        works += [partial(self._erase, one) for one in await self._progress.progress_of(PURGED_ENTRIES)]
        works.append(self._destroy_erased)
        problems = [problem for work in works if (problem := await attempt(work)) is not None]
        if problems:
            raise reason(problems[0])

    async def _destroy(self, left: Progress) -> None:
        key = left.owner, left.session
        await self._forget(key, left.detail)
        await self._scribe.purge(key, last=left.sequence, deadline_s=SCRIBE_S)

    async def _erase(self, left: Progress) -> None:
        await self._scribe.erase((left.owner, left.session), _numbers(left.detail), deadline_s=SCRIBE_S)
        await self._purges.gone_from_transcript(left)

    def _complain(self, problem: DaemonError) -> None:
        log.warning("a purge is not finished yet: %s", problem)
        self._publish(Warned(component="ledger", message=f"a purge is not finished yet: {problem}", hint=problem.hint))


class _Part:
    """One kind of place, with a worker of its own: an index that does not move keeps no file from being rewritten."""

    def __init__(self, work: Callable[[], Awaitable[None]], complain: Callable[[DaemonError], None]) -> None:
        self._work = work
        self._complain = complain
        self._worker = Worker(self._go, complain=self._failed, retry_s=RETRY_S)
        self.kick = self._worker.kick
        self.run = self._worker.run
        self._asked = self._begun = self._done = 0
        self._moved = anyio.Event()
        self.problem: DaemonError | None = None

    async def finish(self) -> None:
        """Wait until what there is now was tried to be destroyed."""
        self._asked += 1
        wanted = self._asked
        self.kick()
        while self._done < wanted:
            await self._moved.wait()

    async def _go(self) -> float:
        self._begun = self._asked
        await self._work()
        self._settle(None)
        return math.inf

    def _failed(self, problem: DaemonError) -> None:
        if str(problem) != str(self.problem):
            self._complain(problem)
        self._settle(problem)

    def _settle(self, problem: DaemonError | None) -> None:
        self.problem = problem
        self._done = self._begun
        self._moved.set()
        self._moved = anyio.Event()
