"""What was asked to be remembered and was not stored with a push is looked for in the transcripts.

Some was appended there and never pushed. And a request is durable once it is in a transcript: a daemon that dies before
it is stored, a full disk or a full queue lose nothing. That something is there already, in whatever state, its id says.
What was said before capture was turned on was not asked of this daemon.
"""

import logging
import math
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from functools import partial
from typing import Final

from memoryd_actors.access.switch import Switches
from memoryd_actors.capture.capture_input import DatedMessage
from memoryd_actors.core.errors import DaemonError
from memoryd_actors.core.worker import Worker, attempt
from memoryd_actors.memory.progress import Progress, ProgressRepository
from memoryd_actors.memory.settings import CaptureSettings
from memoryd_actors.ports.clock import Clock
from memoryd_actors.ports.transcripts import Key, Transcripts
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.transcripts import TranscriptRecord

log = logging.getLogger(__name__)

JOB: Final = "requests"
"""The job, without owner and session, that says what is captured, and since when: the sum of `_KINDS`; 0: nothing."""
_ANY: Final = 1
"""What was put down where anything was captured, before it was put down what."""
_KINDS: Final = {"explicit": 2, "standing": 4, "procedures": 8}
BACK: Final = timedelta(days=1)
"""What was said since then is looked at after a start."""
LATELY: Final = timedelta(days=1)
"""What was said longer ago keeps its date, so that it does not pass for newer than what was said since."""
READ: Final = 200
"""Entries in one go."""
BEFORE: Final = 10
"""Entries before those that are new."""
MOST_READ: Final = 20_000
"""Entries at the end of a session in which it is looked for what was said since."""
MOST_SESSIONS: Final = 10_000
"""Of which it is known how far they were looked over: some 2 MB."""
READ_CHARACTERS: Final = 1_000_000
RETRY_S: Final = 30.0

Hear = Callable[[list[DatedMessage], Caller, int], Awaitable[bool]]
"""Looks a conversation over that was read after so many purges; False where something could not be stored for now."""


class SecondLook:
    """Looks over sessions: the latest ones after a start, and those in which something was asked that is not stored."""

    def __init__(
        self,
        transcripts: Transcripts,
        repository: ProgressRepository,
        switches: Switches,
        clock: Clock,
        hear: Hear,
        *,
        settings: CaptureSettings,
    ) -> None:
        self._transcripts = transcripts
        self._repository = repository
        self._on = sum(number for kind, number in _KINDS.items() if getattr(settings, kind))
        self._since = clock.now()
        self._switches = switches
        self._clock = clock
        self._hear = hear
        self._sessions: dict[Key, datetime] = {}
        """What is to be looked over, and since when what was said there counts."""
        self._looked: OrderedDict[Key, int] = OrderedDict()
        """Up to which entry everything is dealt with."""
        self._began = False
        self._worker = Worker(self.work, complain=_complain, retry_s=RETRY_S)
        self.run = self._worker.run

    def note(self, key: Key, since: datetime | None = None) -> None:
        """Hear that something that was said in a session, perhaps long ago, is not stored yet."""
        if key[1] and self._on:
            self._add(key, min(since or self._since, self._since))
            self._worker.kick()

    def _add(self, key: Key, since: datetime) -> None:
        self._sessions[key] = min(since, self._sessions.get(key, since))

    async def work(self) -> float:
        """Look; where capture is off, only put that down."""
        if not self._began:
            await self._begin()
            self._began = True
        for key in sorted(self._sessions):
            since = self._sessions.pop(key)  # first: what is said meanwhile is noted again
            done = await attempt(partial(self._look, key, since))
            if isinstance(done, Exception):
                log.warning("%s is looked at again later: %s", key[1], done)
            if done is not True:
                self._add(key, since)
        return RETRY_S if self._sessions else math.inf

    async def _begin(self) -> None:
        """Find out since when capture is on, and what was said since."""
        now = self._clock.now()
        before = await self._repository.progress("", "", JOB)
        if before is None:
            # What was pushed before the very first start was meant for this daemon, too.
            self._since = now - BACK
        elif before.sequence == _ANY or self._on & before.sequence == self._on != 0:
            self._since = max(before.at or now, now - BACK)
        else:
            self._since = now
        await self._repository.note_progress(Progress("", "", JOB, self._on, at=self._since))
        if self._on:
            infos = await self._transcripts.infos()
            for key, info in infos.items():
                if info.updated_at >= self._since:
                    self._add(key, self._since)

    async def _look(self, key: Key, since: datetime) -> bool:
        info = await self._transcripts.info(key)
        if info is None or self._switches.off(key[0], info.project) is not None:
            return True
        purges = await self._repository.purges(*key)
        last = await self._transcripts.last(key)
        after = self._looked.get(key)
        if after is None or after > last:
            after = await self._beginning(key, last, since)
        caller = Caller(owner=key[0], project=info.project, agent=info.agent, session=key[1])
        done = True
        before: list[DatedMessage] = []
        lately = self._clock.now() - LATELY
        # With what was said before it, to which `remember that` may point.
        after = max(0, min(after, last - READ) - BEFORE)
        while records := await self._transcripts.read(key, after=after, limit=READ, characters=READ_CHARACTERS):
            said = (
                record for record in records if record.kind == "message" and not record.covers and record.at >= since
            )
            messages = [*before, *(_past(one, lately) for one in said)]
            done = await self._hear(messages, caller, purges) and done
            before, after = messages[-1:], records[-1].sequence
        if done:
            self._looked[key] = after
            self._looked.move_to_end(key)
            while len(self._looked) > MOST_SESSIONS:
                self._looked.popitem(last=False)
        return done

    async def _beginning(self, key: Key, last: int, since: datetime) -> int:
        """Return after which entry that begins which was said since; a run of an agent may have thousands of calls."""
        after = max(0, last - READ)
        while after and last - after < MOST_READ:
            first = await self._transcripts.read(key, after=after, limit=1, characters=1)
            if not first or first[0].at < since:
                break
            after = max(0, after - READ)
        return after


def _past(record: TranscriptRecord, lately: datetime) -> DatedMessage:
    return DatedMessage(record.role, record.content, at=record.at if record.at < lately else None)


def _complain(problem: DaemonError) -> None:
    log.warning("what was asked for before the start is looked for later: %s", problem)
