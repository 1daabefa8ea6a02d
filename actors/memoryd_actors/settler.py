"""Decides about pairs of memories that are in doubt: a model is asked, in the background, within the judge's budget."""

from collections.abc import Sequence
from itertools import groupby
from operator import attrgetter

from memoryd_actors.actor import ActorRef
from memoryd_actors.comparison import Comparison, action
from memoryd_actors.consolidation import Compared, in_order, settle, statement
from memoryd_actors.keeper import KeeperMessage, Perform
from memoryd_actors.neighbours import Neighbour
from memoryd_actors.pair_sidecar import MAX_PAIRS, PairSidecar
from memoryd_actors.ports import Clock, Ledger, OpenDoubt, Pair
from memoryd_actors.steps import CONTRADICTS, Settled, Step, Unrelate
from memoryd_client.memory import Memory

MOST_PAIRS = 50
"""Asked about in a day (seed 002, item 4)."""
KEEPER_S = 60.0
ACTOR = "memoryd"
NODE = "settler"
"""Who writes, in the history."""
MOOT = "moot"
"""Decision about a pair of which one is not active any more."""
UNSURE = "unsure"
"""Decision about a pair that a model, too, had doubts about: both stay."""


class Settler:
    """Asks about each open pair once, and once more every day as long as nobody could say.

    Without a model the pairs stay in doubt: what the local classifier can say, it has said.
    """

    def __init__(
        self,
        *,
        ledger: Ledger,
        pairs: PairSidecar,
        keeper: ActorRef[KeeperMessage, tuple[Memory, ...]],
        clock: Clock,
        most: int = MOST_PAIRS,
    ) -> None:
        self._ledger = ledger
        self._pairs = pairs
        self._keeper = keeper
        self._clock = clock
        self._most = most
        self._day = ""
        self._after = 0
        """The last pair that was asked about today."""
        self._asked = 0
        """How many were, today."""
        self.settled = 0

    async def settle(self) -> None:
        """Ask about what is open and was not asked about today, `MAX_PAIRS` in a call.

        Raises:
            Refused: the ledger failed.
            ActorError: the Keeper did not answer.

        """
        day = self._clock.now().date().isoformat()
        if day != self._day:
            self._day, self._after, self._asked = day, 0, 0
        while self._asked < self._most:
            limit = min(MAX_PAIRS, self._most - self._asked)
            waiting = await self._ledger.open_doubts(after=self._after, limit=limit)
            if not waiting:
                return
            # What belongs to different owners never meets in one prompt.
            _, group = next(groupby(waiting, key=attrgetter("owner")))
            some = list(group)
            if not await self._ask(some[0].owner, some):
                return
            self._after = some[-1].number

    async def _ask(self, owner: str, some: Sequence[OpenDoubt]) -> bool:
        """Ask about pairs of one owner; return False where nobody could be asked now."""
        known = await self._read(owner, some)
        moot = [one for one in some if not _is_open(one, known)]
        await self._perform(owner, [Settled(one.older, one.newer, MOOT) for one in moot])
        asked = [one for one in some if _is_open(one, known)]
        if not asked:
            return True
        classified = await self._pairs.classify([_pair(one, known) for one in asked])
        if not any(classified.by_model) and classified.note and not classified.output_tokens:
            # No call was made, or nobody answered: when there is news, it is tried again.
            return False
        self._asked += len(asked)
        now = await self._read(owner, asked)
        for one, comparison, by_model in zip(asked, classified.comparisons, classified.by_model, strict=True):
            unchanged = all(_is_as_read(side, known, now) for side in (one.older, one.newer))
            if by_model and comparison is not None and unchanged:
                # Each by itself, so that it can be taken back by itself.
                await self._perform(owner, steps(one, known, comparison))
                self.settled += 1
        return True

    async def _read(self, owner: str, some: Sequence[OpenDoubt]) -> dict[str, Memory]:
        return await self._ledger.get(owner, [side for one in some for side in (one.older, one.newer)])

    async def _perform(self, owner: str, some: Sequence[Step]) -> None:
        if some:
            await self._keeper.ask(Perform(owner, tuple(some), ACTOR, NODE), deadline_s=KEEPER_S)


def steps(one: OpenDoubt, known: dict[str, Memory], comparison: Comparison) -> list[Step]:
    """Return what follows from a model's comparison of a pair that was in doubt."""
    newer, older = in_order(known[one.newer], known[one.older])
    done = settle(newer, Compared(Neighbour(older, one.similarity), comparison, by_model=True))
    decided = action(comparison)
    if decided == "queue":
        return [Settled(one.older, one.newer, UNSURE)]
    if decided == "keep":
        # What was taken for a contradiction is none.
        done = [Unrelate(newer.id, older.id, CONTRADICTS)]
    return [*done, Settled(one.older, one.newer, comparison.relation)]


def _is_open(one: OpenDoubt, known: dict[str, Memory]) -> bool:
    return all(side in known and known[side].active for side in (one.older, one.newer))


def _is_as_read(memory_id: str, known: dict[str, Memory], now: dict[str, Memory]) -> bool:
    return memory_id in now and now[memory_id].revision == known[memory_id].revision


def _pair(one: OpenDoubt, known: dict[str, Memory]) -> Pair:
    newer, older = in_order(known[one.newer], known[one.older])
    return Pair(statement(newer), statement(older), one.similarity)
