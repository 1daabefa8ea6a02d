"""The memories under which the summaries of conversations are found from other sessions."""

import logging
from contextlib import suppress
from typing import Final, Protocol

import anyio

from memoryd_actors.access.switch import Switches
from memoryd_actors.admission.gate import Admitted
from memoryd_actors.core.actor import ActorRef
from memoryd_actors.core.errors import OutOfStep, Unavailable
from memoryd_actors.core.worker import repeat_purged
from memoryd_actors.keeping.gatekeeper import Gatekeeper
from memoryd_actors.keeping.orders import KeeperMessage, PurgeMemories, StoreFindings
from memoryd_actors.memory.identity import memory_id
from memoryd_actors.memory.progress import Progress, ProgressRepository
from memoryd_actors.memory.steps import Advance, Supersede, UnlessPurged
from memoryd_actors.memory.visibility import Visibility
from memoryd_actors.ports.ledger import MemoryRepository
from memoryd_actors.ports.transcripts import Key, Transcripts
from memoryd_actors.summarising import EXTRACTED
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.filters import Filters
from memoryd_client.wire.memory import MAX_CONTENT_BYTES, Memory, NewMemory, Scope, State
from memoryd_client.wire.session_context import SUMMARY_OPENING
from memoryd_client.wire.transcripts import SessionInfo, TranscriptRecord

log = logging.getLogger(__name__)

JOB: Final = "compaction"
CATEGORY: Final = "session_summary"
TELLING: Final = (CATEGORY, "episode")
"""Categories of the memories that tell a session, and are destroyed with its transcript."""
NODE: Final = "scribe"
KEEPER_S = 60.0
PURGE_S = 10.0
"""How long it is waited for a purge to be done with a transcript."""
LOOK_AGAIN_S = 0.05
MOST_SUMMARIES = 1_000


class Introducer(Protocol):
    """Told what is no news to a session; the Memory actor is one."""

    async def note_written(self, caller: Caller, ids: list[str]) -> None:
        """Remember that a session knows these memories."""
        ...


class SummaryStore:
    """Stores the newest summary of each session as a memory, and destroys what tells a session that is purged."""

    def __init__(
        self,
        *,
        transcripts: Transcripts,
        ledger: MemoryRepository,
        repository: ProgressRepository,
        keeper: ActorRef[KeeperMessage, tuple[Memory, ...]],
        recall: Introducer,
        switches: Switches,
        gate: Gatekeeper,
    ) -> None:
        self._transcripts = transcripts
        self._ledger = ledger
        self._repository = repository
        self._keeper = keeper
        self._recall = recall
        self._switches = switches
        self._gate = gate

    async def purges(self, key: Key) -> int:
        """Return the newest purge, once the transcript of a session has nothing left of it.

        Raises:
            Unavailable: it still has, for whatever reason.
        """
        with anyio.move_on_after(PURGE_S):
            while True:
                with suppress(Unavailable):
                    return await self._repository.purges(*key)
                await anyio.sleep(LOOK_AGAIN_S)
        return await self._repository.purges(*key)

    async def remember(self, key: Key, *, remembered: bool = False) -> None:
        """Store the newest summary as a memory in place of the one before, and note that: together, or not at all.

        What memories tell already is only noted.
        """
        try:
            await repeat_purged(lambda: self._remember_newest(key, remembered=remembered))
        except OutOfStep:
            log.info("another daemon has stored the summary of %s", key[1])

    async def _remember_newest(self, key: Key, *, remembered: bool) -> None:
        purges = await self.purges(key)
        info = await self._transcripts.info(key)
        if info is None or not info.summary:
            return
        progress = await self._repository.progress(*key, JOB) or Progress(*key, JOB, 0)
        entry = (await self._transcripts.get(key, [info.summary])).get(info.summary)
        if entry is None or progress.sequence >= info.summarized:
            return
        caller = Caller(owner=key[0], project=info.project, agent=info.agent, session=key[1])
        new = _as_memory(caller, entry, info)
        # Of a summary that told something that is purged, nothing is left but its place.
        is_new = not remembered and told(entry.content)
        memories = await self._admitted(new, caller) if is_new else []
        if memories:
            # Before it is stored: the session has it in its context already.
            await self._recall.note_written(caller, [new.id])
        older = await self._ledger.get(key[0], [progress.detail]) if memories and progress.detail else {}
        steps = tuple(Supersede(one, new.id, "a later summary tells it again") for one in older)
        told_as = new.id if memories else progress.detail
        advance = Advance(key[1], JOB, progress.sequence, info.summarized, told_as)
        unless_purged = UnlessPurged(purges, key[1])
        findings = StoreFindings(tuple(memories), caller, unless_purged, (*steps, advance), NODE)
        await self._keeper.ask(findings, deadline_s=KEEPER_S)

    async def forget(self, key: Key, project: str) -> list[str]:
        """Destroy the memories that tell a session whose transcript is destroyed; return their ids."""
        caller = Caller(owner=key[0], project=project, session=key[1])
        ids = await self._stored(caller, TELLING, tuple(State))
        if ids:
            await self._keeper.ask(PurgeMemories(tuple(ids), key[0], NODE), deadline_s=KEEPER_S)
        return ids

    async def _stored(self, caller: Caller, categories: tuple[str, ...], states: tuple[str, ...]) -> list[str]:
        """Return the ids of a session's memories of these categories."""
        filters = Filters(categories=categories, session=caller.session, states=states)
        visible = Visibility(owner=caller.owner, project=caller.project, filters=filters)
        return [one.id for one in await self._ledger.page(visible, limit=MOST_SUMMARIES)]

    async def _admitted(self, new: NewMemory, caller: Caller) -> list[Admitted]:
        if self._switches.off(caller.owner, caller.project) is not None or not self._gate.may_write(caller, CATEGORY):
            return []
        admitted, refused = await self._gate.sift([new], caller)
        for _, why in refused:
            log.warning("a summary of %s is in its transcript, but no memory", caller.session)
            log.debug("a summary of %s is no memory: %s", caller.session, why)
        return admitted


def told(content: str) -> str:
    """Return what the entry of a summary says, without its opening."""
    return content.removeprefix(SUMMARY_OPENING).strip()


def _as_memory(caller: Caller, entry: TranscriptRecord, info: SessionInfo) -> NewMemory:
    by = entry.name
    in_project = bool(caller.project.strip())
    # No two summaries read alike, or the second would count as the first said again.
    content = (
        f"What was said in the session {caller.session[:100]} up to entry {info.summarized}:\n{told(entry.content)}"
    )
    return NewMemory(
        # It follows from the entry: stored again after a crash it is the same.
        id=memory_id(caller.owner, caller.session, f"{CATEGORY} {entry.id}"),
        content=content.encode()[: MAX_CONTENT_BYTES - 100].decode(errors="ignore"),
        category=CATEGORY,
        scope=Scope.PROJECT if in_project else Scope.GLOBAL,
        title=f"Summary of session {caller.session[:100]}, to turn {info.last_summarized_turn}",
        speaker="quoted from the conversation" if by == EXTRACTED else by,
        source_session=caller.session,
        source_messages=(1, info.summarized),
        metadata={"summarised_by": by},
    )
