"""Answers what is asked about destroying memories: what a purge would reach, and the purge itself."""

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from anyio import to_thread

from memoryd_actors.access.view import MemoryView
from memoryd_actors.admission.gate import BY_AGENT
from memoryd_actors.core.actor import ActorRef
from memoryd_actors.core.errors import NotFound
from memoryd_actors.keeping.authorship import check_outranked
from memoryd_actors.keeping.orders import KeeperMessage, PurgeMemories
from memoryd_actors.keeping.successors import find_heir
from memoryd_actors.memory.signature import signed
from memoryd_actors.memory.visibility import is_allowed
from memoryd_actors.ports.ledger import Ledger
from memoryd_actors.purging.finisher import PurgeFinisher
from memoryd_actors.purging.purger import PurgeReach, ReachFinder
from memoryd_client.base.wording import counted
from memoryd_client.drafts import destroy
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.memory import Memory
from memoryd_client.wire.purging import PlanPurge, Purge, PurgePlan
from memoryd_client.wire.request import Done

PLANNED = 2_000
"""Entries that the plan of a purge names: a frame has room for 4 KB of each."""
MOST_DERIVED = 500
"""Memories that were made of transcripts and that the plan names, each of some kilobytes."""
PURGED = "PURGE"
"""What the history of a memory that was purged ends with."""
NAMED = 5
"""Memories that were made of transcripts and that an answer names by their ids."""


class PurgingAnswers:
    """Destroys memories, and says what still tells of them."""

    def __init__(
        self,
        *,
        keeper: ActorRef[KeeperMessage, tuple[Memory, ...]],
        finder: ReachFinder,
        finisher: PurgeFinisher,
        ledger: Ledger,
        view: MemoryView,
        drafts: Path,
        mirrored: Callable[[str, Sequence[str]], Awaitable[Sequence[str]]],
    ) -> None:
        """Prepare; `mirrored` destroys the files of memories, and returns what of them is out of reach, in words."""
        self._keeper = keeper
        self._finder = finder
        self._finisher = finisher
        self._ledger = ledger
        self._view = view
        self._drafts = drafts
        self._mirrored = mirrored

    async def answer(self, request: Purge | PlanPurge, caller: Caller, deadline_s: float) -> Done | PurgePlan:
        """Answer a request within its deadline.

        Raises:
            NotFound: there is no such memory, or none that the caller may see.
            Refused: the agent may see some categories only, and asks about all transcripts.
            PurgeUnfinished: the memories are gone, and something that has their words cannot be rewritten now.
        """
        if isinstance(request, PlanPurge):
            return await self._plan(request, caller)
        return await self._purge(request, caller, deadline_s)

    async def _plan(self, request: PlanPurge, caller: Caller) -> PurgePlan:
        self._check_sees_all(caller)
        doomed = [await self._view.resolve(caller, memory_id) for memory_id in request.ids]
        reach = await self._finder.find_reach(caller.owner, doomed, every_session=request.every_session)
        told = (*reach.entries, *(one.entry for one in reach.unanswered))
        return PurgePlan(
            ids=reach.ids,
            entries=told[:PLANNED],
            retold=reach.derived[:MOST_DERIVED],
            resting=reach.resting[:MOST_DERIVED],
            more=len(told[PLANNED:]),
            sessions=reach.sessions,
            unreadable=reach.unreadable,
            replaced=await self._replaced(reach.ids, caller),
            leaves=self._ledger.purges.leaves,
        )

    async def _purge(self, request: Purge, caller: Caller, deadline_s: float) -> Done:
        if request.every_session:
            self._check_sees_all(caller)
        meant = [await self._resolve(caller, memory_id) for memory_id in request.ids]
        doomed = [one for one in meant if isinstance(one, Memory)]
        for memory in doomed:
            self._view.check_write(caller, memory.category)
            if caller.is_agent:
                check_outranked(memory, BY_AGENT, "destroys")
        looked_at = await self._ledger.memories.last_sequence() if request.transcripts else None
        reach = await self._finder.find_reach(caller.owner, doomed, every_session=request.every_session)
        visible = self._view.visible(caller)
        derived = [memory for memory in reach.derived if is_allowed(memory.category, visible)]
        ids = [memory.id for memory in (*doomed, *(derived if request.transcripts else ()))]
        everything = list(dict.fromkeys((*reach.ids, *ids)))
        replaced = await self._replaced(everything, caller)
        before = [one for one in meant if isinstance(one, str)]
        await to_thread.run_sync(destroy, self._drafts, [*everything, *before])
        for prompt in reach.unanswered if request.transcripts else ():
            await self._finder.prompts.drop(caller.owner, prompt.session, prompt.number)
        told = {session: numbers for (_, session), numbers in reach.places.items()} if request.transcripts else {}
        message = PurgeMemories(tuple(ids), caller.owner, signed(caller), told, caller.session, looked_at)
        gone = await self._keeper.ask(message, deadline_s=deadline_s)
        out_of_reach = await self._mirrored(caller.owner, ids)
        await self._finisher.finish(deadline_s=deadline_s)
        if request.transcripts and (late := await self._finder.find_late_summaries(reach)):
            # Written as it was looked: what was written before the memories were gone is told by nothing else.
            await self._keeper.ask(PurgeMemories((), caller.owner, signed(caller), late), deadline_s=deadline_s)
            await self._finisher.finish(deadline_s=deadline_s)
        leaves = self._ledger.purges.leaves
        answer = f"{counted(len(gone), 'memory')} {f'purged: {leaves}' if leaves else 'destroyed'}"
        if request.transcripts:
            answer += _erased(reach, [memory for memory in reach.resting if is_allowed(memory.category, visible)])
        else:
            answer += _left(reach, derived)
        if replaced:
            answer += f"; superseded, by nothing that is there, until restored: {', '.join(replaced)}"
        return Done("; ".join((answer, *out_of_reach)))

    async def _resolve(self, caller: Caller, memory_id: str) -> Memory | str:
        """Return the memory that is meant; its id where it was purged: the request may have come before, and is done.

        Raises:
            NotFound: there never was one.
        """
        try:
            return await self._view.resolve(caller, memory_id)
        except NotFound:
            newest = await self._view.history(caller, memory_id=memory_id, limit=1)
            if not newest or newest[0].event != PURGED:
                raise
            return newest[0].memory_id

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


def _erased(reach: PurgeReach, resting: Sequence[Memory]) -> str:
    """Say what was taken out of transcripts, and what else rests on that and stays."""
    words = f"{counted(len(reach.entries), 'entry')} of {counted(len(reach.places), 'transcript')}"
    answer = f", and the words of {words}" if reach.places else ""
    if reach.unanswered:
        answer += f", and {counted(len(reach.unanswered), 'prompt')} without an answer yet"
    if reach.unreadable:
        answer += (
            f"; {counted(reach.unreadable, 'entry')} there with damaged lines may tell it: `memoryd doctor` says which"
        )
    if resting:
        answer += f"; what else rests on them stays, until it is purged: {_named(resting)}"
    return answer


def _left(reach: PurgeReach, derived: Sequence[Memory]) -> str:
    """Say what still tells of memories that are gone."""
    answer = ""
    places = reach.places
    if places:
        sessions = ", ".join(f"`{session}` ({len(numbers)})" for (_, session), numbers in places.items())
        answer += f"; transcripts still tell it, entries by session: {sessions}; `--transcripts` takes them out, too"
    if reach.unanswered:
        sessions = ", ".join(f"`{one.session}`" for one in reach.unanswered)
        answer += f"; prompts without an answer yet tell it, and go with `--transcripts`, of the sessions {sessions}"
    if derived:
        answer += f"; memories made of transcripts tell it, too, and go with `--transcripts`: {_named(derived)}"
    return answer


def _named(memories: Sequence[Memory]) -> str:
    more = f" and {len(memories) - NAMED} more" if len(memories) > NAMED else ""
    return ", ".join(f"`{memory.id}`" for memory in memories[:NAMED]) + more
