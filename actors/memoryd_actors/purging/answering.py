"""Answers what is asked about destroying memories: what a purge would reach, and the purge itself."""

from collections.abc import Sequence
from pathlib import Path

from anyio import to_thread

from memoryd_actors.access.view import MemoryView
from memoryd_actors.core.actor import ActorRef
from memoryd_actors.core.errors import Unavailable
from memoryd_actors.indexing.indexer import Indexer
from memoryd_actors.keeping.orders import KeeperMessage, PurgeMemories
from memoryd_actors.keeping.successors import find_heir
from memoryd_actors.memory.signature import signed
from memoryd_actors.memory.visibility import is_allowed
from memoryd_actors.ports.ledger import Ledger
from memoryd_actors.purging.purger import Places, PurgeReach, TranscriptPurger
from memoryd_client.drafts import destroy
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.memory import Memory
from memoryd_client.wire.purging import PlanPurge, Purge, PurgePlan
from memoryd_client.wire.request import Done

PLANNED = 2_000
"""Entries that the plan of a purge names: a frame has room for 4 KB of each."""
MOST_DERIVED = 500
"""Episodes and summaries that it names, each of some kilobytes,"""
NAMED = 5
"""and that an answer names by their ids."""


class PurgingAnswers:
    """Destroys memories, and says what still tells of them."""

    def __init__(
        self,
        *,
        keeper: ActorRef[KeeperMessage, tuple[Memory, ...]],
        purger: TranscriptPurger,
        indexer: Indexer,
        ledger: Ledger,
        view: MemoryView,
        drafts: Path,
    ) -> None:
        self._keeper = keeper
        self._purger = purger
        self._indexer = indexer
        self._ledger = ledger
        self._view = view
        self._drafts = drafts

    async def answer(self, request: Purge | PlanPurge, caller: Caller, deadline_s: float) -> Done | PurgePlan:
        """Answer a request within its deadline.

        Raises:
            NotFound: there is no such memory, or none that the caller may see.
            Refused: the agent may see some categories only, and asks about all transcripts.
            Unavailable: the index cannot be rewritten; the memories are gone from the ledger.
        """
        if isinstance(request, PlanPurge):
            return await self._plan(request, caller)
        return await self._purge(request, caller, deadline_s)

    async def _plan(self, request: PlanPurge, caller: Caller) -> PurgePlan:
        self._check_sees_all(caller)
        doomed = [await self._view.resolve(caller, memory_id) for memory_id in request.ids]
        reach = await self._purger.find_reach(caller.owner, doomed, every_session=request.every_session)
        return PurgePlan(
            ids=reach.ids,
            entries=reach.entries[:PLANNED],
            retold=reach.derived[:MOST_DERIVED],
            more=len(reach.entries[PLANNED:]),
            sessions=reach.sessions,
            unreadable=reach.unreadable,
            replaced=await self._replaced(reach.ids, caller),
        )

    async def _purge(self, request: Purge, caller: Caller, deadline_s: float) -> Done:
        if request.every_session:
            self._check_sees_all(caller)
        doomed = [await self._view.resolve(caller, memory_id) for memory_id in request.ids]
        reach = await self._purger.find_reach(caller.owner, doomed, every_session=request.every_session)
        visible = self._view.visible(caller)
        derived = [memory for memory in reach.derived if is_allowed(memory.category, visible)]
        ids = [memory.id for memory in (*doomed, *(derived if request.transcripts else ()))]
        replaced = await self._replaced(list(dict.fromkeys((*reach.ids, *ids))), caller)
        await to_thread.run_sync(destroy, self._drafts, ids)
        message = PurgeMemories(tuple(ids), caller.owner, signed(caller))
        gone = await self._keeper.ask(message, deadline_s=deadline_s)
        if not await self._indexer.purge(deadline_s=deadline_s):
            raise Unavailable(
                f"{len(gone)} memories are gone from the ledger, but their vectors are still on the disk",
                "They go when the index can be written; `memoryd status` says why it cannot.",
            )
        leaves = self._ledger.purges.leaves
        answer = f"{len(gone)} memories {f'purged: {leaves}' if leaves else 'destroyed'}"
        if request.transcripts:
            erased = await self._purger.erase(reach.places, deadline_s=deadline_s) if reach.places else 0
            answer += _erased(reach, erased)
        else:
            answer += _left(reach.places, derived)
        if replaced:
            answer += f"; superseded, by nothing that is there, until restored: {', '.join(replaced)}"
        return Done(answer)

    async def _replaced(self, ids: Sequence[str], caller: Caller) -> tuple[str, ...]:
        """Return what the caller may see of that which only these memories have taken the place of."""
        edges = await self._ledger.memories.edges(caller.owner, ids)
        ends = {end for edge in edges for end in (edge.from_id, edge.to_id)}
        there = await self._ledger.memories.get(caller.owner, sorted(ends))
        leaving = {memory_id: there[memory_id].superseded_by if memory_id in there else "" for memory_id in ids}
        visible = self._view.visible(caller)
        return tuple(
            memory.id
            for memory in there.values()
            if memory.superseded_by in leaving
            and memory.id not in leaving
            and not find_heir(memory.superseded_by, leaving)
            and is_allowed(memory.category, visible)
        )

    def _check_sees_all(self, caller: Caller) -> None:
        self._view.check_sees_all(
            caller, "of transcripts that of its own session", "Purge it as yourself: without `--agent`."
        )


def _erased(reach: PurgeReach, erased: int) -> str:
    """Say what was taken out of transcripts."""
    answer = f", and the words of {erased} entries of {len(reach.places)} transcripts" if reach.places else ""
    if reach.unreadable:
        answer += f"; {reach.unreadable} entries there have damaged lines and may tell it: `memoryd doctor` says which"
    return answer


def _left(places: Places, derived: Sequence[Memory]) -> str:
    """Say what still tells of memories that are gone."""
    answer = ""
    if places:
        sessions = ", ".join(f"`{session}` ({len(numbers)})" for (_, session), numbers in places.items())
        answer += f"; transcripts still tell it, entries by session: {sessions}; `--transcripts` takes them out, too"
    if derived:
        named = ", ".join(f"`{memory.id}`" for memory in derived[:NAMED])
        more = f" and {len(derived) - NAMED} more" if len(derived) > NAMED else ""
        answer += f"; episodes and summaries tell it, too, and go with `--transcripts`: {named}{more}"
    return answer
