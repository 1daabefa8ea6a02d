"""Compaction: what a conversation said long ago gives way to a summary, in the background and on request.

One durable append decides: the summary is an entry of the transcript that says up to which one it tells. Everything
else follows from it and is made good after a crash: which messages are archived, how many turns are summarised, and
the memory under which the summary is found from other sessions. Nothing is deleted.
"""

import logging
import math
from collections.abc import Awaitable, Callable
from typing import Protocol

import anyio
import msgspec

from memoryd_actors.access.switch import Switches
from memoryd_actors.context.sizes import Measured, Sizes
from memoryd_actors.context.summary_store import JOB, SummaryStore, told
from memoryd_actors.context.window import WindowItem, WindowSettings, to_compact
from memoryd_actors.core.errors import DaemonError, Refused, Unavailable
from memoryd_actors.core.worker import Worker, attempt, reason, repeat_purged
from memoryd_actors.memory.progress import ProgressRepository
from memoryd_actors.ports.publisher import Publisher
from memoryd_actors.ports.transcripts import Key, Transcripts
from memoryd_actors.summarising import Spoken, Summariser, said_of
from memoryd_client.base.wording import counted
from memoryd_client.wire.events import Warned
from memoryd_client.wire.session_context import SUMMARY_OPENING, Compacted
from memoryd_client.wire.status import ComponentStatus
from memoryd_client.wire.transcripts import SessionInfo

log = logging.getLogger(__name__)

GATHER_S = 1.0
"""How long entries gather before their session is measured."""
RETRY_S = 60.0
"""Until it is tried again where a disk is full, or the ledger cannot be written."""
BUG_S = 3600.0
READ = 1_000
READ_CHARACTERS = 2_000_000
SCRIBE_S = 60.0
WAITING_SHARE = 0.8
"""Of a request's deadline, for the tokeniser to be loaded: the refusal has to arrive within it."""
DENSEST = 4
"""Tokens there may be at most for one that is estimated by length: in Chinese every character is one."""


class Appender(Protocol):
    """Writes a summary into a transcript; the Scribe is one."""

    async def summarise(
        self, key: Key, *, covers: int, turns: int, text: str, by: str, purges: int, deadline_s: float
    ) -> bool:
        """Append the summary of everything up to an entry, durably; False where that is summarised already.

        Raises:
            PurgedMeanwhile: something was purged since that was read: `purges` is no longer the newest one.
        """
        ...


class CompactionCounts(msgspec.Struct):
    """What came of it since the start."""

    compactions: int = 0
    entries: int = 0
    """Archived by them."""
    mended: int = 0
    """Summaries whose memory a crash had prevented."""


class Compactor:
    """Compacts what has grown too long; `run` it in a task group."""

    def __init__(
        self,
        *,
        transcripts: Transcripts,
        sizes: Sizes,
        warm: Callable[[], Awaitable[None]],
        summariser: Summariser,
        appender: Appender,
        summaries: SummaryStore,
        repository: ProgressRepository,
        switches: Switches,
        publish: Publisher,
        settings: WindowSettings,
    ) -> None:
        """Prepare; `warm` loads the tokeniser, or raises ModelUnavailable."""
        self._transcripts = transcripts
        self._sizes = sizes
        self._warm = warm
        self._summariser = summariser
        self._appender = appender
        self._summaries = summaries
        self._repository = repository
        self._switches = switches
        self._publish = publish
        self._settings = settings
        self._grown: dict[Key, float] = {}
        """What is to be looked at, each not before a time of the event loop."""
        self._mended = False
        self._worker = Worker(
            self._work, complain=self._complain, retry_s=RETRY_S, gather=lambda: anyio.sleep(GATHER_S)
        )
        self.run = self._worker.run
        self._locks: dict[Key, anyio.Lock] = {}
        self._trouble = ""
        self.counts = CompactionCounts()

    def note(self, key: Key, last: int) -> None:
        """Hear that a session has grown; never waits."""
        del last
        self._grown.setdefault(key, 0.0)
        self._worker.kick()

    async def _work(self) -> float:
        """Make good what a crash left undone, then follow the conversations."""
        if not self._mended:
            await self._mend()
            self._mended = True
        for key in list(self._grown):
            if self._grown[key] <= anyio.current_time():
                await self._look(key)
        return RETRY_S if self._grown else math.inf

    async def compact(self, key: Key, *, deadline_s: float = math.inf) -> Compacted:
        """Compact a session now, however short; what is protected stays. Done twice it changes nothing.

        Raises:
            Unavailable: nobody can count its tokens (yet).
            Refused: nothing was said in it, or it cannot be written down.
        """
        measured = await self._counted(key, deadline_s)
        if measured.info is None:
            raise Refused(
                f"nothing was said in the session {key[1]!r}", "`memoryd session list` shows those there are."
            )
        before, tokens = measured.info, measured.said.tokens
        async with self._lock(key):
            taken = await repeat_purged(lambda: self._compact_what_is_old(key, deadline_s))
        after = await self._sizes.of(key)
        info = after.info or before
        entry = (await self._transcripts.get(key, [info.summary])).get(info.summary)
        return Compacted(
            session=key[1],
            entries=len(taken),
            tokens_before=tokens,
            tokens_after=after.said.tokens,
            last_summarized=info.summarized,
            last_summarized_turn=info.last_summarized_turn,
            summary=entry.content if entry else "",
        )

    async def archive(self, key: Key, *, covers: int, turns: int, text: str, by: str, purges: int) -> None:
        """Let what memories tell already take the place of everything up to an entry, durably.

        It becomes no memory once more. Where that is archived already, nothing is done.

        Raises:
            PurgedMeanwhile: something was purged since what it tells was read.
        """
        async with self._lock(key):
            whole = f"{SUMMARY_OPENING}\n{text}"
            if await self._appender.summarise(
                key, covers=covers, turns=turns, text=whole, by=by, purges=purges, deadline_s=SCRIBE_S
            ):
                self.counts.compactions += 1
            await self._summaries.remember(key, remembered=True)

    async def tokens_of(self, text: str) -> int:
        """Return the tokens of a text; estimated where there is no tokeniser."""
        return await self._sizes.tokens_of(text)

    def status(self) -> ComponentStatus:
        """Return how many conversations were compacted, and what stands in the way."""
        counts = self.counts
        return ComponentStatus(
            state="degraded" if self._trouble else "ok",
            message=f"conversations are not compacted: {self._trouble}" if self._trouble else "",
            numbers={"compactions": counts.compactions, "entries": counts.entries, "mended": counts.mended},
        )

    # --- in the background

    async def _look(self, key: Key) -> None:
        """Compact a session where it is due; whatever goes wrong with it, the others go on."""
        self._grown.pop(key, None)
        problem = await attempt(lambda: self._compact_if_due(key))
        if problem is None:
            self._trouble = ""
        else:
            self._grown[key] = anyio.current_time() + (RETRY_S if isinstance(problem, DaemonError) else BUG_S)
            self._complain(reason(problem))

    async def _compact_if_due(self, key: Key) -> None:
        info = await self._transcripts.info(key)
        if info is None or info.tokens * DENSEST < self._settings.compact_from:
            return
        if self._switches.off(key[0], info.project) is not None:
            return
        if (await self._counted(key)).said.tokens >= self._settings.compact_from:
            await self.compact(key)

    async def _mend(self) -> None:
        """Store the memories of summaries that were written when the daemon died."""
        known = {(one.owner, one.session): one.sequence for one in await self._repository.progress_of(JOB)}
        for key, info in (await self._transcripts.infos()).items():
            if info.summarized > known.get(key, 0):
                async with self._lock(key):
                    await self._summaries.remember(key)
                self.counts.mended += 1
            if info.tokens >= self._settings.compact_from // DENSEST:
                self._grown.setdefault(key, 0.0)

    # --- one compaction

    async def _counted(self, key: Key, deadline_s: float = math.inf) -> Measured:
        """Return a session as it was counted: by estimates more would be archived than has to be."""
        measured = await self._sizes.of(key)
        if not measured.exact:
            with anyio.move_on_after(deadline_s * WAITING_SHARE):
                await self._warm()
            measured = await self._sizes.of(key)
        if not measured.exact:
            raise Unavailable(
                f"the tokens of the session {key[1]!r} cannot be counted: the tokeniser is not loaded yet",
                "Try again in a moment; `memoryd status` says how the model is.",
            )
        return measured

    async def _compact_what_is_old(self, key: Key, deadline_s: float) -> list[WindowItem]:
        """Compact a session as it is now, and return what of it gave way to the summary."""
        purges = await self._summaries.purges(key)
        measured = await self._counted(key, deadline_s)
        taken = to_compact(measured.said, self._settings)
        if measured.info is not None and taken:
            await self._compact(key, measured, measured.info, taken, purges)
        return taken

    async def _compact(
        self, key: Key, measured: Measured, info: SessionInfo, taken: list[WindowItem], purges: int
    ) -> None:
        covers = taken[-1].sequence
        turns = info.last_summarized_turn + sum(item.begins_turn for item in taken)
        earlier = ""
        if info.summary:
            entry = (await self._transcripts.get(key, [info.summary])).get(info.summary)
            earlier = told(entry.content) if entry else ""
        said = await self._said(key, info.summarized, covers)
        summary = await self._summariser.summarise(
            said, budget_tokens=self._settings.summary_tokens, purpose="compaction", earlier=earlier
        )
        text = summary.text or f"- {counted(len(taken), 'entry')} in which nothing was said."
        done = await self._appender.summarise(
            key,
            covers=covers,
            turns=turns,
            text=f"{SUMMARY_OPENING}\n{text}",
            by=summary.by,
            purges=purges,
            deadline_s=SCRIBE_S,
        )
        if done:
            self.counts.compactions += 1
            self.counts.entries += len(taken)
            log.info("%d entries of %s, %d tokens, are summarised", len(taken), key[1], measured.said.tokens)
        await self._summaries.remember(key)

    async def _said(self, key: Key, after: int, upto: int) -> list[Spoken]:
        found: list[Spoken] = []
        while after < upto and (
            page := await self._transcripts.read(key, after=after, limit=READ, characters=READ_CHARACTERS)
        ):
            found += said_of(one for one in page if one.sequence <= upto and not one.covers)
            after = page[-1].sequence
        return found

    def _lock(self, key: Key) -> anyio.Lock:
        idle = [one for one, lock in self._locks.items() if one != key and not lock.locked()]
        for one in idle[: max(0, len(self._locks) - 100)]:
            del self._locks[one]
        return self._locks.setdefault(key, anyio.Lock())

    def _complain(self, problem: DaemonError) -> None:
        if str(problem) != self._trouble:
            message = f"conversations are not compacted: {problem}"
            log.warning("%s", message)
            self._publish(Warned(component="context", message=message, hint=problem.hint))
        self._trouble = str(problem)
