"""What conversations bring is stored, with how far they are looked at: together, or not at all."""

import logging
from collections.abc import Sequence
from contextlib import suppress

import msgspec

from memoryd_actors.admission.gate import Admitted
from memoryd_actors.admission.writing import check_by_model
from memoryd_actors.core.actor import ActorRef
from memoryd_actors.core.errors import Ambiguous, NotFound, Refused
from memoryd_actors.extraction.candidate import Extraction
from memoryd_actors.extraction.reader import Detail
from memoryd_actors.extraction.session import DAY, JOB, Day, ExtractionSession, Today, encoded
from memoryd_actors.keeping.gatekeeper import Gatekeeper
from memoryd_actors.keeping.orders import KeeperMessage, Perform, StoreFindings
from memoryd_actors.memory.identity import memory_id
from memoryd_actors.memory.personal_matters import BASIS, BY_MODEL
from memoryd_actors.memory.progress import ProgressRepository
from memoryd_actors.memory.settings import CaptureSettings
from memoryd_actors.memory.steps import AddEdge, Advance, Step
from memoryd_actors.ports.clock import Clock
from memoryd_actors.ports.ledger import MemoryRepository
from memoryd_actors.ports.transcripts import Transcripts
from memoryd_actors.recall.memory_actor import MemoryActor
from memoryd_actors.texts.labels import project_tags
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.memory import Memory, NewMemory, Scope, Source

log = logging.getLogger(__name__)

NODE = "extractor"
"""Who writes, in the counts of events."""
DAILY = "capture.daily_memories"
OF_SESSION = "capture.session_memories"
KEEPER_S = 60.0


class ExtractionCounts(msgspec.Struct):
    """What came of it since the start."""

    windows: int = 0
    """Parts of conversations that were looked at."""
    extracted: int = 0
    extracted_known: int = 0
    """Was there before, in whatever state it is now."""
    extracted_refused: int = 0
    """Did not pass the gate, or its category is not the agent's."""
    extracted_over: int = 0
    """Were found and not stored: the part brought more than the day had room for."""
    crashed: int = 0


class ExtractionStore:
    """Stores what was found, as far as a day and a session may bring."""

    def __init__(
        self,
        *,
        transcripts: Transcripts,
        repository: ProgressRepository,
        ledger: MemoryRepository,
        keeper: ActorRef[KeeperMessage, tuple[Memory, ...]],
        recall: MemoryActor,
        clock: Clock,
        settings: CaptureSettings,
        gate: Gatekeeper,
        counts: ExtractionCounts,
    ) -> None:
        self._transcripts = transcripts
        self._repository = repository
        self._ledger = ledger
        self._keeper = keeper
        self._recall = recall
        self._clock = clock
        self._settings = settings
        self._gate = gate
        self._counts = counts
        self.last_refusal = ""

    def used_up(self, session: ExtractionSession) -> str:
        """Return the setting that allows no more of a session today; empty where there is none."""
        if session.today.stored >= self._settings.daily_memories:
            return DAILY
        return OF_SESSION if session.stored >= self._settings.session_memories else ""

    async def keep(
        self,
        session: ExtractionSession,
        candidates: Sequence[Extraction],
        upto: int,
        detail: Detail | None,
        *,
        label: str = "",
    ) -> None:
        """Store what was found, and how far the session is looked at: together, or not at all.

        It has the tag of the project that the user named, its `label`, but for what holds everywhere.
        """
        caller, today = session.caller, session.today
        fresh: list[NewMemory] = []
        for candidate in candidates:
            new = _as_new(candidate, caller, label)
            if await self._ledger.history(caller.owner, memory_id=new.id, limit=1):
                self._counts.extracted_known += 1
            else:
                fresh.append(new)
        sifted, refused = await self._gate.sift(fresh, caller)
        memories, poor = _lasting(sifted)
        self._note_refused([*refused, *poor])
        if await self._transcripts.last(session.key) < upto:
            return  # purged meanwhile
        room = min(self._settings.daily_memories - today.stored, self._settings.session_memories - session.stored)
        if over := len(memories[max(room, 0) :]):
            memories = memories[: max(room, 0)]
            self._counts.extracted_over += over
            log.warning("%d memories found in %s are not stored: the day's are used up", over, session.key[1])
        # Before it is stored, so that no context of this session finds it in between.
        if memories:
            await self._recall.note_written(caller, [admitted.memory.id for admitted in memories])
        stored = today.stored + len(memories)
        links = await self._links(caller, candidates, memories)
        advances = (
            *links,
            Advance(
                session.key[1], JOB, session.progress.sequence, upto, encoded(session.counted(detail, len(memories)))
            ),
            *((today.advance(stored),) if memories or today.calls else ()),
        )
        findings = StoreFindings(tuple(memories), caller, session.unless_purged, advances, NODE)
        brought = await self._keeper.ask(findings, deadline_s=KEEPER_S)
        self._counts.extracted += len(brought)
        if brought:
            await self._recall.note_written(caller, [memory.id for memory in brought])

    async def _links(
        self, caller: Caller, candidates: Sequence[Extraction], admitted: Sequence[Admitted]
    ) -> list[AddEdge]:
        """Return what new memories are to those that were known; a proposal is joined to nothing before its yes."""
        stored = {one.memory.id for one in admitted if self._gate.consent_step(one) is None}
        links: list[AddEdge] = []
        for candidate in candidates:
            new = _as_new(candidate, caller).id
            for relation, known in candidate.related if new in stored else ():
                with suppress(NotFound, Ambiguous):  # a model may have made it up
                    other = await self._ledger.resolve(caller.owner, known, allowed=self._gate.allowed(caller))
                    if other.active and other.id != new:
                        links.append(AddEdge(new, other.id, relation, 1.0, told=True))
        return links

    async def stay(self, session: ExtractionSession, detail: Detail | None) -> None:
        """Put down what is kept of a part that is not done with."""
        here = session.progress.sequence
        steps: list[Step] = [session.today.advance(session.today.stored)] if session.today.calls else []
        if detail is not None and (kept := session.counted(detail)) != session.detail:
            steps.append(Advance(session.key[1], JOB, here, here, encoded(kept)))
        if steps:
            await self._keeper.ask(Perform(session.key[0], tuple(steps), NODE, NODE), deadline_s=KEEPER_S)

    async def today(self, owner: str) -> Today:
        """Return what an owner's conversations brought today."""
        known = await self._repository.progress(owner, "", DAY)
        day = self._clock.now().date().isoformat()
        told = msgspec.json.decode(known.detail or "{}", type=Day) if known else Day()
        before = known.sequence if known else 0
        return Today(before, before if told.day == day else 0, told.calls if told.day == day else 0, day)

    def _note_refused(self, refused: Sequence[tuple[NewMemory | Memory, Refused]]) -> None:
        for new, reason in refused:
            log.debug("not kept, %s: %s", new.metadata.get(BASIS, ""), reason)
            self._counts.extracted_refused += 1
            self.last_refusal = str(reason)


def _lasting(sifted: Sequence[Admitted]) -> tuple[list[Admitted], list[tuple[Memory, Refused]]]:
    """Return what may stay, and what a model wrote and nobody will be glad to find: as of an agent, with the reason."""
    kept: list[Admitted] = []
    poor: list[tuple[Memory, Refused]] = []
    for one in sifted:
        try:
            if one.memory.metadata.get(BASIS) == BY_MODEL:
                check_by_model(one.memory.content, one.memory.category)
        except Refused as refused:
            poor.append((one.memory, refused))
        else:
            kept.append(one)
    return kept, poor


def _as_new(one: Extraction, caller: Caller, label: str = "") -> NewMemory:
    in_project = bool(caller.project.strip()) and not one.everywhere
    return NewMemory(
        id=memory_id(caller.owner, caller.project if in_project else "", one.content),
        content=one.content,
        category=one.category,
        title=one.title,
        scope=Scope.PROJECT if in_project else Scope.GLOBAL,
        source=Source.EXTRACTED,
        speaker=one.speaker,
        trust=one.trust,
        importance=one.importance,
        tags=one.tags if one.everywhere else tuple(dict.fromkeys((*one.tags, *project_tags(label)))),
        files=one.files,
        occurred_at=one.at,
        source_session=caller.session,
        source_messages=(one.first, one.last),
        metadata=one.metadata,
    )
