"""What happens in conversations becomes memory by itself: looked at part by part, in the background, one at a time.

The transcripts are the queue, and `progress` says how far each is looked at: nothing is lost with a session's end or a
crash, and what a part brings is stored together with the mark behind it. Where a key is configured a model reads; what
it cannot or may not read, rules do.
"""

import logging
from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from functools import partial
from time import perf_counter

from anyio import CapacityLimiter, to_thread

from memoryd_actors.access.switch import Switches
from memoryd_actors.core.actor import ActorRef
from memoryd_actors.core.errors import DaemonError, OutOfStep
from memoryd_actors.core.worker import Worker, attempt, rest
from memoryd_actors.extraction import Extraction, InputMessage, capped, input_messages, stated
from memoryd_actors.extraction.due import PATIENT, Reason, Waiting, due
from memoryd_actors.extraction.extraction_store import ExtractionCounts, ExtractionStore
from memoryd_actors.extraction.insights import Insights
from memoryd_actors.extraction.question import ConversationPart
from memoryd_actors.extraction.reader import Reader
from memoryd_actors.extraction.session import JOB, ExtractionSession, detail_of
from memoryd_actors.extraction.window import BEFORE, windows
from memoryd_actors.keeping.gatekeeper import Gatekeeper
from memoryd_actors.keeping.orders import KeeperMessage
from memoryd_actors.memory.progress import ENDED, Progress, ProgressRepository
from memoryd_actors.memory.settings import CaptureSettings
from memoryd_actors.memory.steps import UnlessPurged
from memoryd_actors.ports.clock import Clock
from memoryd_actors.ports.ledger import MemoryRepository
from memoryd_actors.ports.publisher import Publisher
from memoryd_actors.ports.transcripts import Key, Transcripts
from memoryd_actors.recall.memory_actor import MemoryActor
from memoryd_actors.redaction import Rules
from memoryd_actors.redaction.rules import DEFAULT
from memoryd_actors.texts.labels import project_label
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.events import PipelineRan, Warned
from memoryd_client.wire.memory import Memory

log = logging.getLogger(__name__)

LOOK_S = 30.0
"""How often it is looked whether a session has fallen silent."""
READ = 200
"""Entries that are read at once."""
READ_CHARACTERS = 400_000
RETRY_S = 60.0
"""Until it is tried again where the ledger failed, or memory is off."""


class Extractor:
    """Looks at conversations when they are due; `run` it in a task group."""

    def __init__(
        self,
        *,
        transcripts: Transcripts,
        repository: ProgressRepository,
        ledger: MemoryRepository,
        keeper: ActorRef[KeeperMessage, tuple[Memory, ...]],
        recall: MemoryActor,
        reader: Reader,
        near: Callable[[str, Caller], Awaitable[tuple[str, ...]]],
        switches: Switches,
        insights: Insights | None = None,
        clock: Clock,
        publish: Publisher,
        settings: CaptureSettings,
        rules: Rules = DEFAULT,
        gate: Gatekeeper,
    ) -> None:
        self._transcripts = transcripts
        self._repository = repository
        self._reader = reader
        self._near = near
        self._switches = switches
        self.insights = insights
        self._clock = clock
        self._publish = publish
        self._settings = settings
        self._rules = rules
        self._waiting: dict[Key, Waiting] = {}
        self._full: dict[Key, tuple[str, str]] = {}
        """Sessions that wait for the next day: the setting that they have come up to, and the day."""
        self._worker = Worker(
            self._work, complain=lambda why: log.warning("conversations wait: %s", why), retry_s=LOOK_S
        )
        self._threads = CapacityLimiter(1)
        self._idle = timedelta(minutes=settings.extract_idle_minutes)
        self.counts = ExtractionCounts()
        self._store = ExtractionStore(
            transcripts=transcripts,
            repository=repository,
            ledger=ledger,
            keeper=keeper,
            recall=recall,
            clock=clock,
            settings=settings,
            gate=gate,
            counts=self.counts,
        )
        self.reader = reader
        self.begun = not settings.extract
        """Whether it is known which sessions wait."""

    @property
    def waiting(self) -> int:
        """Sessions with something that was not looked at yet."""
        return len(self._waiting)

    def full(self, setting: str) -> int:
        """Return how many sessions wait because what this setting allows in a day is used up."""
        today = self._clock.now().date().isoformat()
        return sum(full == (setting, today) for key, full in self._full.items() if key in self._waiting)

    @property
    def last_refusal(self) -> str:
        """Why the last memory that was not admitted was not."""
        return self._store.last_refusal

    @property
    def settings(self) -> CaptureSettings:
        """What is in force."""
        return self._settings

    # --- what is heard of sessions; never waits

    def note(self, key: Key, last: int) -> None:
        """Hear that a session has a new entry."""
        if not self._settings.extract:
            return
        waiting = self._waiting.get(key)
        if waiting is None:
            waiting = self._waiting[key] = Waiting(last, self._clock.now())
        waiting.last, waiting.quiet_since = last, self._clock.now()
        if self._may_be_enough(waiting):
            self._worker.kick()

    def pipeline_ran(self, event: PipelineRan) -> None:
        """Hear of a turn; with a new topic what was said before it is due."""
        waiting = self._waiting.get((event.owner, event.trace.session))
        if waiting is not None and event.trace.topic_changed:
            waiting.topic = True
            self._worker.kick()

    def ended(self, key: Key) -> None:
        """Hear that a session is over, or was purged: what is known of it is read again."""
        if self._settings.extract:
            waiting = self._waiting.setdefault(key, Waiting(0, self._clock.now()))
            waiting.known = False
            waiting.not_before = None
            self._worker.kick()

    def _may_be_enough(self, waiting: Waiting) -> bool:
        """Return whether there are enough turns if all that was not counted yet are turns."""
        return waiting.turns + waiting.last - waiting.counted >= self._settings.extract_turns

    # --- life

    async def run(self) -> None:
        """Look at what is due until cancelled."""
        if self._settings.extract:
            await self._worker.run()

    async def _work(self) -> float:
        if not self.begun:
            await self._begin()
            self.begun = True
        while await self._look():
            pass
        return min(LOOK_S, max(self._idle.total_seconds(), 0.05), self._reader.look_s)

    async def _begin(self) -> None:
        """Find the sessions that were not looked at to their end."""
        heads = await self._transcripts.heads()
        known = await self._repository.progress_of(JOB)
        for one in known:
            self._reader.expect(detail_of(one))
        done = {(one.owner, one.session): one.sequence for one in known}
        now = self._clock.now()
        for key, last in heads.items():
            if last > done.get(key, 0) and key not in self._waiting:
                info = await self._transcripts.info(key)
                quiet = min(info.updated_at, now) if info else now
                self._waiting[key] = Waiting(last, quiet)

    async def _look(self) -> bool:
        """Take the next session that is due; return whether there was one."""
        for key in list(self._waiting):
            waiting = self._waiting.get(key)
            if waiting is None or (waiting.not_before and self._clock.now() < waiting.not_before):
                continue
            if not waiting.known:
                await self._know(key, waiting)
            if waiting.last <= waiting.done:
                self._waiting.pop(key, None)
                self._full.pop(key, None)
                continue
            if waiting.topic or self._may_be_enough(waiting):
                await self._count(key, waiting)
            found = due(waiting, self._clock.now(), turns=self._settings.extract_turns, idle=self._idle)
            waiting.topic = False
            if found is None:
                continue
            self._waiting[key] = self._waiting.pop(key)  # due again at once, it waits for the others
            began = perf_counter()
            await self._take(key, waiting, *found)
            await rest(began)
            return True
        return False

    async def _know(self, key: Key, waiting: Waiting) -> None:
        # Before it is read: a session that ends meanwhile is read again.
        waiting.known = True
        progress = await self._repository.progress(*key, JOB)
        ended = await self._repository.progress(*key, ENDED)
        waiting.done = waiting.counted = progress.sequence if progress else 0
        waiting.turns = 0
        waiting.ended = ended.sequence if ended else 0
        waiting.last = await self._transcripts.last(key)

    async def _count(self, key: Key, waiting: Waiting) -> None:
        """Count the turns among what is new."""
        while records := await self._transcripts.read(
            key, after=waiting.counted, limit=READ, characters=READ_CHARACTERS
        ):
            said = [record.sequence for record in records if record.kind == "message" and record.role == "user"]
            waiting.turns += len(said)
            waiting.latest = said[-1] if said else waiting.latest
            waiting.counted = records[-1].sequence

    async def _take(self, key: Key, waiting: Waiting, reason: Reason, upto: int) -> None:
        """Look at the next part of a session; whatever goes wrong with it, the others go on."""
        wait = await attempt(lambda: self._part(key, reason, upto))
        if isinstance(wait, OutOfStep):
            # Another daemon on this ledger counted what its own sessions brought on the owner's day, or something was
            # purged meanwhile.
            log.info("a part of %s is looked at again: %s", key[1], wait)
            wait = timedelta(0)
        elif isinstance(wait, DaemonError):
            log.warning("a part of %s waits: %s", key[1], wait)
            wait = timedelta(seconds=RETRY_S)
        elif isinstance(wait, Exception):
            self.counts.crashed += 1
            self._publish(Warned(component="capture", message=f"a conversation stands still: {type(wait).__name__}"))
            wait = timedelta(hours=1)
        waiting.not_before = self._clock.now() + wait if wait else None
        waiting.known = False

    # --- one part of a conversation

    async def _part(self, key: Key, reason: Reason, upto: int) -> timedelta | None:
        """Look at what comes next in a session, up to an entry; return how long to leave it alone, if at all."""
        info = await self._transcripts.info(key)
        if info is None or self._switches.off(key[0], info.project) is not None:
            return timedelta(seconds=RETRY_S) if info else None
        unless_purged = UnlessPurged(await self._repository.purges(*key), key[1])
        progress = await self._repository.progress(*key, JOB) or Progress(*key, JOB, 0)
        caller = Caller(owner=key[0], project=info.project, agent=info.agent, session=key[1])
        today = await self._store.today(key[0])
        session = ExtractionSession(key, caller, progress, detail_of(progress), today, unless_purged)
        self._full.pop(key, None)
        if full := self._store.used_up(session):
            self._full[key] = full, session.today.day
            return timedelta(seconds=RETRY_S)
        parts, end = session.detail.parts, upto
        if not parts:
            parts, end = await self._parts(session, upto)
        if not parts:
            await self._store.keep(session, (), end, None)
            return None
        outcome = await self._reader.read(
            session.detail,
            parts,
            lambda part: self._passage(session, part),
            patient=reason in PATIENT,
            calls_left=self._settings.daily_calls - session.today.calls,
        )
        session.today.calls += outcome.calls
        if outcome.wait is not None:
            await self._store.stay(session, outcome.detail)
            return outcome.wait
        messages = await self._messages(session, *parts[0])
        if outcome.candidates is None:
            found: Sequence[Extraction] = await to_thread.run_sync(partial(stated, messages), limiter=self._threads)
        elif outcome.read_messages in {None, len(messages)}:
            found = outcome.candidates
        else:
            # Something was taken out of the transcript while a model read it: it must not come back.
            await self._store.stay(session, None)
            return timedelta(0)
        self.counts.windows += 1
        label = await self._label(session, messages, parts[0][0])
        await self._store.keep(session, capped(found, messages), parts[0][1], outcome.detail, label=label)
        if self.insights is not None and self._settings.insights and reason in PATIENT and messages:
            await self.insights.think(caller, messages, unless_purged)
        return None

    async def _parts(self, session: ExtractionSession, upto: int) -> tuple[tuple[tuple[int, int], ...], int]:
        """Cut what comes next into parts, and return how far it was read; none where nobody said anything in it."""
        after = session.progress.sequence
        records = await self._transcripts.read(session.key, after=after, limit=READ, characters=READ_CHARACTERS)
        records = [record for record in records if record.sequence <= upto]
        if not records:
            return (), upto
        messages = await to_thread.run_sync(input_messages, records, self._rules, limiter=self._threads)
        found: list[tuple[int, int]] = []
        for part in windows(messages, turns=self._settings.extract_turns):
            found.append((after, part[-1].sequence))
            after = part[-1].sequence
        end = records[-1].sequence
        if found:
            found[-1] = (found[-1][0], end)
        return tuple(found), end

    async def _messages(self, session: ExtractionSession, after: int, upto: int) -> list[InputMessage]:
        records = await self._transcripts.get(session.key, range(after + 1, upto + 1))
        ordered = [records[number] for number in sorted(records)]
        return await to_thread.run_sync(input_messages, ordered, self._rules, limiter=self._threads)

    async def _label(self, session: ExtractionSession, messages: Sequence[InputMessage], before: int) -> str:
        """Return the project that the user named last in a part, or else before it; empty where none was named."""
        if label := project_label(one.text for one in messages if one.role == "user"):
            return label
        if not before:
            return ""
        records = await self._transcripts.read(
            session.key, after=max(before - READ, 0), limit=min(before, READ), characters=READ_CHARACTERS
        )
        said = [one.content for one in records if one.role == "user" and one.kind == "message"]
        return await to_thread.run_sync(project_label, said, limiter=self._threads)

    async def _passage(self, session: ExtractionSession, part: tuple[int, int]) -> ConversationPart:
        messages = await self._messages(session, *part)
        before = await self._messages(session, max(part[0] - 2 * BEFORE, 0), part[0])
        words = "\n".join(message.text for message in messages if message.role == "user")
        known = await self._near(words, session.caller)
        return ConversationPart(tuple(messages), tuple(before[-BEFORE:]), known)
