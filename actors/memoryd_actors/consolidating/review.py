"""Shows which pairs of memories wait for a decision, and settles them as somebody says."""

from typing import Final, assert_never

from memoryd_actors.access.view import MemoryView
from memoryd_actors.consolidating.repository import CandidatePair, ConsolidationRepository
from memoryd_actors.core.actor import ActorRef
from memoryd_actors.core.errors import Refused
from memoryd_actors.keeping.authorship import check_outranked
from memoryd_actors.keeping.changing import check_retired
from memoryd_actors.keeping.merging import apart, newer_first
from memoryd_actors.keeping.orders import KeeperMessage, Perform
from memoryd_actors.memory.consent import ConsentSettings
from memoryd_actors.memory.signature import signed
from memoryd_actors.memory.steps import (
    CONTRADICTS,
    Absorb,
    AddCandidatePair,
    AddEdge,
    Settled,
    Step,
    Supersede,
)
from memoryd_actors.memory.visibility import is_visible
from memoryd_client.wire.caller import PERSON, SCRIPT, Caller
from memoryd_client.wire.filters import Filters
from memoryd_client.wire.memory import Memory
from memoryd_client.wire.review import (
    ReviewPairs,
    ReviewRequest,
    SettledPair,
    SettlePair,
    Verdict,
    WaitingPair,
    WaitingPairs,
)

NODE: Final = "review"
REASON: Final = "settled by hand"
_PAGE = 100


class ReviewAnswers:
    """Answers what is asked of pairs in doubt."""

    def __init__(
        self,
        repository: ConsolidationRepository,
        keeper: ActorRef[KeeperMessage, tuple[Memory, ...]],
        view: MemoryView,
        consent: ConsentSettings,
    ) -> None:
        self._repository = repository
        self._keeper = keeper
        self._view = view
        self._consent = consent

    async def answer(self, request: ReviewRequest, caller: Caller, deadline_s: float) -> WaitingPairs | SettledPair:
        """Answer a request.

        Raises:
            Refused: the two are one, one of them is no longer active, or an agent would retire what is about the user.
            NotFound: there is no such memory that the caller may see.

        """
        match request:
            case ReviewPairs():
                return await self._waiting(caller, request)
            case SettlePair():
                return await self._settle(request, caller, deadline_s)
            case _:
                assert_never(request)

    async def _waiting(self, caller: Caller, request: ReviewPairs) -> WaitingPairs:
        # A person reviews what waits anywhere; an agent what concerns the project that it is at work in.
        everywhere = caller.agent in {PERSON, SCRIPT}
        visible = self._view.visible(caller, Filters(scope="everywhere" if everywhere else "all"))
        pairs_of = self._repository.contradictions if request.contradicting else self._repository.open_pairs
        found: list[WaitingPair] = []
        seen, limit = 0, request.limit
        while len(found) <= limit and (page := await pairs_of(caller.owner, skip=seen, limit=_PAGE)):
            seen += len(page)
            there = await self._view.get(caller, [side for pair in page for side in (pair.older, pair.newer)])
            there = {memory.id: memory for memory in there.values() if is_visible(memory, visible)}
            found += [waiting for pair in page if (waiting := _pair(pair, there)) is not None]
        return WaitingPairs(pairs=tuple(found[:limit]), more=len(found) > limit)

    async def _settle(self, request: SettlePair, caller: Caller, deadline_s: float) -> SettledPair:
        first = await self._view.resolve(caller, request.first)
        second = await self._view.resolve(caller, request.second)
        if first.id == second.id:
            raise Refused(f"{first.id} is one memory", "Name two.")
        for memory in (first, second):
            if not memory.active:
                raise Refused(
                    f"{memory.id} is {memory.state.value}, and only active memories are settled",
                    "`memoryd review` shows the pairs that wait.",
                )
        if request.verdict in {"same", "replaces"}:
            self._view.check_write(caller, second.category)
            check_retired(second, caller, self._consent)
            if caller.agent != PERSON:
                check_outranked(second, first.trust)
        before = await self._operation(caller, first, second)
        steps = _steps(first, second, request.verdict)
        await self._keeper.ask(
            Perform(caller.owner, steps, signed(caller), NODE, caller.session), deadline_s=deadline_s
        )
        after = await self._operation(caller, first, second)
        return SettledPair(
            first=await self._view.resolve(caller, first.id),
            second=await self._view.resolve(caller, second.id),
            operation=after if after != before else 0,
        )

    async def _operation(self, caller: Caller, first: Memory, second: Memory) -> int:
        """Return the last operation that wrote to one of them."""
        written = [await self._view.history(caller, memory_id=one.id, limit=1) for one in (first, second)]
        return max((entry.operation for entries in written for entry in entries), default=0)


def _pair(pair: CandidatePair, there: dict[str, Memory]) -> WaitingPair | None:
    one, other = there.get(pair.newer), there.get(pair.older)
    if one is None or other is None or not (one.active and other.active):
        return None
    newer, older = newer_first(one, other)
    return WaitingPair(first=newer, second=older, similarity=pair.similarity, reason=pair.reason)


def _steps(first: Memory, second: Memory, verdict: Verdict) -> tuple[Step, ...]:
    """Return what is done with a pair. That it is settled is noted also of one that nobody had in doubt."""
    steps: list[Step] = [AddCandidatePair(second.id, first.id, 0.0, REASON)]
    match verdict:
        case "same":
            steps.append(Absorb(second.id, first.id, first.content, REASON))
        case "replaces":
            steps.append(Supersede(second.id, first.id, REASON))
        case "contradicts":
            steps.append(AddEdge(first.id, second.id, CONTRADICTS, 1.0, told=True))
        case "both":
            steps += apart(first.id, second.id)
        case _:
            assert_never(verdict)
    return (*steps, Settled(second.id, first.id, verdict))
