"""Tells each finished run of a session as an episode: when it is ended, or has been silent for half an hour.

In the background, one at a time. The transcript is the queue: the episode and how far the session is told are one
transaction, so that a crash neither loses one nor tells it twice.
"""

import logging
from datetime import datetime, timedelta
from time import perf_counter
from typing import Annotated, Final

import anyio
import msgspec

from memoryd_actors.access.switch import Switches
from memoryd_actors.admission.gate import Admitted
from memoryd_actors.context.summary_store import Introducer
from memoryd_actors.core.actor import ActorRef
from memoryd_actors.core.errors import DaemonError, OutOfStep
from memoryd_actors.core.worker import Worker, attempt, reason, rest
from memoryd_actors.episodes.episode import CATEGORY, AgentRun, episode, points, run_of
from memoryd_actors.keeping.gatekeeper import Gatekeeper
from memoryd_actors.keeping.orders import KeeperMessage, StoreFindings
from memoryd_actors.memory.progress import ENDED, ProgressRepository
from memoryd_actors.memory.steps import Advance, UnlessPurged
from memoryd_actors.ports.clock import Clock
from memoryd_actors.ports.publisher import Publisher
from memoryd_actors.ports.transcripts import Key, Transcripts
from memoryd_actors.summarising import SummarySidecar, said_of
from memoryd_actors.texts.labels import project_label
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.events import Warned
from memoryd_client.wire.memory import Memory
from memoryd_client.wire.status import ComponentStatus
from memoryd_client.wire.transcripts import SessionInfo, TranscriptRecord

log = logging.getLogger(__name__)

JOB: Final = "episode"
NODE: Final = "episodes"
LOOK_S = 30.0
"""How often it is looked whether a session has fallen silent."""
RETRY_S = 60.0
BUG_S = 3600.0
KEEPER_S = 60.0
READ = 1_000
READ_CHARACTERS = 2_000_000


class EpisodeSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What each run of a session was about, told when it is over."""

    write: bool = True
    """Whether finished runs are told."""
    idle_minutes: Annotated[float, msgspec.Meta(gt=0)] = 30.0
    """Without a message for so long a run counts as finished."""
    fewest_turns: Annotated[int, msgspec.Meta(ge=1)] = 3
    """Of the user; a shorter run is not worth an episode."""
    tokens: Annotated[int, msgspec.Meta(ge=64, le=2_000)] = 400
    """Size of its summary."""


class EpisodeCounts(msgspec.Struct):
    """What came of it since the start."""

    told: int = 0
    short: int = 0
    """Runs of too few turns."""
    refused: int = 0
    """Did not pass the gate, or the agent may not write episodes."""


class EpisodeWriter:
    """Looks for finished runs; `run` it in a task group."""

    def __init__(
        self,
        *,
        transcripts: Transcripts,
        summariser: SummarySidecar,
        recall: Introducer,
        keeper: ActorRef[KeeperMessage, tuple[Memory, ...]],
        repository: ProgressRepository,
        switches: Switches,
        clock: Clock,
        publish: Publisher,
        settings: EpisodeSettings,
        gate: Gatekeeper,
    ) -> None:
        self._transcripts = transcripts
        self._summariser = summariser
        self._recall = recall
        self._keeper = keeper
        self._repository = repository
        self._switches = switches
        self._clock = clock
        self._publish = publish
        self._settings = settings
        self._gate = gate
        self._idle = timedelta(minutes=settings.idle_minutes)
        self._open: dict[Key, float] = {}
        """Sessions with something that is not told, each not to be looked at before a time of the event loop."""
        self._began = clock.now()
        self._last_input: dict[Key, datetime] = {}
        """When these had their newest entry, by our clock: an entry may be dated in the future."""
        self._begun = False
        self._worker = Worker(self._work, complain=self._complain, retry_s=LOOK_S)
        self._trouble = ""
        self.counts = EpisodeCounts()

    def note(self, key: Key, last: int) -> None:
        """Hear that a session has a new entry; never waits."""
        del last
        if self._settings.write:
            self._open.setdefault(key, 0.0)
            self._last_input[key] = self._clock.now()

    def ended(self, key: Key) -> None:
        """Hear that a session is over, or was purged."""
        if self._settings.write:
            self._open[key] = 0.0
            self._worker.kick()

    async def run(self) -> None:
        """Tell what is finished until cancelled."""
        if self._settings.write:
            await self._worker.run()

    def status(self) -> ComponentStatus:
        """Return how many runs were told, and what stands in the way."""
        counts = self.counts
        if not self._settings.write:
            return ComponentStatus(state="off", message="runs are not told: episodes.write is off")
        return ComponentStatus(
            state="degraded" if self._trouble else "ok",
            message=f"runs are not told: {self._trouble}" if self._trouble else "",
            numbers={"told": counts.told, "short": counts.short, "refused": counts.refused, "open": len(self._open)},
        )

    async def _work(self) -> float:
        if not self._begun:
            await self._begin()
            self._begun = True
        for key in list(self._open):
            if self._open.get(key, 0.0) <= anyio.current_time():
                await self._look(key)
        return min(LOOK_S, max(self._idle.total_seconds(), 0.05))

    async def _begin(self) -> None:
        """Find the sessions that were not told to their end."""
        told = {(one.owner, one.session): one.sequence for one in await self._repository.progress_of(JOB)}
        for key, last in (await self._transcripts.heads()).items():
            if last > told.get(key, 0):
                self._open.setdefault(key, 0.0)

    async def _look(self, key: Key) -> None:
        """Tell a run that is finished; whatever goes wrong with it, the others go on."""
        began = perf_counter()
        done = await attempt(lambda: self._tell(key))
        if isinstance(done, OutOfStep):
            # Another daemon on this ledger has told it, or something was purged meanwhile.
            self._open[key] = anyio.current_time()
            self._worker.kick()
            return
        if isinstance(done, Exception):
            self._open[key] = anyio.current_time() + (RETRY_S if isinstance(done, DaemonError) else BUG_S)
            self._complain(reason(done))
            return
        self._trouble = ""
        if done:
            await rest(began)

    async def _tell(self, key: Key) -> bool:
        """Tell the run that is finished in a session, if there is one; return whether there was."""
        info = await self._transcripts.info(key)
        progress = await self._repository.progress(*key, JOB)
        before = progress.sequence if progress else 0
        if info is None or info.last <= before:
            self._forget(key)
            return False
        end = await self._end(key, info, before)
        if not end:
            return False
        if self._switches.off(key[0], info.project) is not None:
            self._open[key] = anyio.current_time() + RETRY_S
            return False
        purges = await self._repository.purges(*key)
        records = await self._records(key, before, end)
        run = run_of(records)
        caller = Caller(owner=key[0], project=info.project, agent=info.agent, session=key[1])
        admitted = await self._written(records, run, caller, before) if run else []
        if admitted:
            # Before it is stored, so that the session itself is not told what it has just done.
            await self._recall.note_written(caller, [one.memory.id for one in admitted])
        if await self._transcripts.last(key) < end:
            return False  # purged meanwhile
        advance = Advance(key[1], JOB, before, end)
        findings = StoreFindings(tuple(admitted), caller, UnlessPurged(purges, key[1]), (advance,), NODE)
        stored = await self._keeper.ask(findings, deadline_s=KEEPER_S)
        self.counts.told += len(stored)
        if await self._transcripts.last(key) <= end:
            self._forget(key)
        return True

    def _forget(self, key: Key) -> None:
        self._open.pop(key, None)
        self._last_input.pop(key, None)

    async def _end(self, key: Key, info: SessionInfo, before: int) -> int:
        """Return the last entry of the run that is finished; 0 where it goes on."""
        ended = await self._repository.progress(*key, ENDED)
        if ended is not None and before < ended.sequence <= info.last:
            return ended.sequence
        now = self._clock.now()
        since = info.updated_at if info.updated_at <= now else self._last_input.get(key, self._began)
        return info.last if now - since >= self._idle else 0

    async def _records(self, key: Key, after: int, end: int) -> list[TranscriptRecord]:
        found: list[TranscriptRecord] = []
        while after < end and (
            page := await self._transcripts.read(key, after=after, limit=READ, characters=READ_CHARACTERS)
        ):
            found += [one for one in page if one.sequence <= end and not one.covers]
            after = page[-1].sequence
        return found

    async def _written(
        self, records: list[TranscriptRecord], run: AgentRun, caller: Caller, before: int
    ) -> list[Admitted]:
        """Return the episode of a run; none where it is too short, says nothing, or may not be written."""
        if run.turns < self._settings.fewest_turns:
            self.counts.short += 1
            return []
        if not self._gate.may_write(caller, CATEGORY):
            self.counts.refused += 1
            return []
        said = said_of(records)
        summary = await self._summariser.summarise(said, budget_tokens=self._settings.tokens, purpose="episode")
        if summary.by_model and not points(summary):
            # Nothing that it wrote reads as an episode has to: what was said does, quoted.
            summary = await self._summariser.quote_instead(said, budget_tokens=self._settings.tokens, purpose="episode")
        if not points(summary):
            self.counts.refused += 1
            return []
        label = project_label(one.content for one in records if one.role == "user" and one.kind == "message")
        told = episode(summary, run, caller, before=before, label=label)
        admitted, refused = await self._gate.sift([told], caller)
        for new, why in refused:
            log.debug("a run of %s is not told: %s", new.source_session, why)
        self.counts.refused += len(refused)
        return admitted

    def _complain(self, problem: DaemonError) -> None:
        if str(problem) != self._trouble:
            message = f"runs are not told: {problem}"
            log.warning("%s", message)
            self._publish(Warned(component="episodes", message=message, hint=problem.hint))
        self._trouble = str(problem)
