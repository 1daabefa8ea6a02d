"""Decides about pairs of memories, by a model: without one nothing is compared again, and near pairs stay near.

All that is asked about pairs goes through here, whether they were in doubt when they were written or came up in the
daily consolidation: one cap on the pairs of an owner's day, one budget of tokens, and no pair twice.
"""

from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from typing import Protocol

import anyio
import msgspec

from memoryd_actors.comparison import Comparison, action
from memoryd_actors.consolidating.fingerprints import NOBODY, REMEMBERED, Fingerprint, fingerprint, known
from memoryd_actors.consolidating.pairs import Suspect, in_turn, suspect
from memoryd_actors.consolidating.repository import CandidatePair, ConsolidationRepository, Used
from memoryd_actors.consolidating.settings import ConsolidationSettings
from memoryd_actors.core.actor import ActorRef
from memoryd_actors.judging.pairs import Classified, Pair, planned_tokens
from memoryd_actors.keeping.merging import ComparedNeighbour, apart, as_statement, plan_pair
from memoryd_actors.keeping.neighbours import Neighbour
from memoryd_actors.keeping.orders import KeeperMessage, Perform
from memoryd_actors.memory.budget import today
from memoryd_actors.memory.steps import (
    AddCandidatePair,
    Checked,
    Noted,
    Settled,
    Step,
    UnlessPurged,
)
from memoryd_actors.ports.clock import Clock
from memoryd_actors.ports.ledger import MemoryRepository
from memoryd_client.wire.memory import Memory

KEEPER_S = 60.0
PAGE = 200
ACTOR = "memoryd"
NODE = "consolidation"
"""Who writes, in the history and in the counts."""
MOOT = "moot"
"""Decision about a pair of which one is not active any more."""
UNSURE = "unsure"
"""Decision about a pair that a model, too, had doubts about: both stay."""


class CheckOutcome(Enum):
    """What came of asking about pairs."""

    DONE = "done"
    NOT_TODAY = "not today"
    """What the owner is allowed in a day is used up."""
    NOT_NOW = "not now"
    """Nobody can be asked, whosever pairs they are."""


class Allowance(msgspec.Struct, frozen=True):
    """What may still be done for an owner today."""

    pairs: int
    tokens: int


class PairJudge(Protocol):
    """Says what pairs are to each other."""

    async def classify(self, pairs: Sequence[Pair]) -> Classified:
        """Return what each pair is, in order, none left out."""
        ...


class Checker:
    """Compares pairs within what an owner is allowed in a day, a few in one prompt."""

    def __init__(
        self,
        *,
        ledger: MemoryRepository,
        repository: ConsolidationRepository,
        keeper: ActorRef[KeeperMessage, tuple[Memory, ...]],
        clock: Clock,
        settings: ConsolidationSettings,
        off: Callable[[str, str], object | None],
        pairs: PairJudge | None = None,
    ) -> None:
        """Prepare; `off` says where memory is turned off for an owner; without `pairs` there is no model to ask."""
        self._ledger = ledger
        self._repository = repository
        self._keeper = keeper
        self._clock = clock
        self._settings = settings
        self._off = off
        self._pairs = pairs
        self._one_at_a_time = anyio.Lock()

    @property
    def by_model(self) -> bool:
        """Whether there is a model to ask."""
        return self._pairs is not None

    async def allowance(self, owner: str) -> Allowance:
        """Return what may still be done for an owner today."""
        used = await self._repository.used(owner, today(self._clock.now()))
        settings = self._settings
        return Allowance(max(settings.pairs_a_day - used.pairs, 0), max(settings.tokens_a_day - used.tokens, 0))

    async def charge(self, owner: str, tokens: int) -> None:
        """Count what a model used for an owner besides comparing."""
        await self._repository.use(owner, today(self._clock.now()), Used(tokens=tokens))

    async def known(self, owner: str) -> frozenset[Fingerprint]:
        """Return the pairs that were compared lately."""
        now = self._clock.now()
        return known(await self._repository.checks(owner, since=now - REMEMBERED), now)

    async def find_open_pairs(self, owner: str, most: int) -> list[CandidatePair]:
        """Return what an owner has in doubt and was not asked about lately, the nearest first.

        Nothing where there is nobody to ask.
        """
        found: list[CandidatePair] = []
        if not self.by_model or not most:
            return found
        lately = await self.known(owner)
        seen = 0
        while len(found) < most and (page := await self._repository.open_pairs(owner, skip=seen, limit=PAGE)):
            found += [one for one in page if fingerprint(one.older, one.newer, one.similarity) not in lately]
            seen += len(page)
        return found[:most]

    async def settle(self) -> None:
        """Ask about what is in doubt, of every owner, as far as that is allowed today.

        Raises:
            Refused: the ledger failed.
            ActorError: the Keeper did not answer.
        """
        if not self.by_model:
            return
        async with self._one_at_a_time:
            for owner in await self._repository.owners_with_open_pairs():
                waiting = await self.find_open_pairs(owner, (await self.allowance(owner)).pairs)
                suspects, moot = await self.read_pairs(owner, waiting)
                await self.put_aside(owner, moot)
                for some in self.groups(in_turn(suspects)):
                    said = await self._check(owner, some)
                    if said is CheckOutcome.NOT_NOW:
                        return
                    if said is CheckOutcome.NOT_TODAY:
                        break

    async def read_pairs(self, owner: str, pairs: Sequence[CandidatePair]) -> tuple[list[Suspect], list[Settled]]:
        """Return pairs in doubt as pairs to be compared, and of those that are none any more that it is so."""
        memories = await self._ledger.get(owner, [side for pair in pairs for side in (pair.older, pair.newer)])
        found: list[Suspect] = []
        moot: list[Settled] = []
        for pair in pairs:
            older, newer = memories.get(pair.older), memories.get(pair.newer)
            if older is None or newer is None or not (older.active and newer.active):
                moot.append(Settled(pair.older, pair.newer, MOOT))
            elif self._off(owner, newer.project) is None:
                found.append(suspect(newer, older, pair.similarity, doubted=True))
        return found, moot

    async def put_aside(self, owner: str, moot: Sequence[Settled], run: int = 0) -> None:
        """Write down which pairs are none any more."""
        if moot:
            await self._perform(owner, [*moot, Noted(run, {"moot": len(moot)})])

    def groups(self, pairs: Sequence[Suspect]) -> Iterable[Sequence[Suspect]]:
        """Return what is asked about together."""
        size = self._settings.pairs_in_a_prompt
        return (pairs[at : at + size] for at in range(0, len(pairs), size))

    async def check(self, owner: str, some: Sequence[Suspect], run: int) -> CheckOutcome:
        """Compare pairs of one owner in one prompt, and do what follows.

        Raises:
            Refused: the ledger failed.
            ActorError: the Keeper did not answer.
        """
        async with self._one_at_a_time:
            return await self._check(owner, some, run)

    async def _check(self, owner: str, some: Sequence[Suspect], run: int = 0) -> CheckOutcome:
        allowed = await self.allowance(owner)
        unless_purged = UnlessPurged(await self._repository.purges(owner))
        # As they are now: what was decided about one pair may have taken a memory of the next.
        there = await self._read(owner, some)
        some = [one for one in some if _stand(one, there)][: allowed.pairs]
        if not some or self._pairs is None:
            return CheckOutcome.DONE if allowed.pairs else CheckOutcome.NOT_TODAY
        asked = [Pair(as_statement(one.newer), as_statement(one.older), one.cosine) for one in some]
        if planned_tokens(asked) > allowed.tokens:
            return CheckOutcome.NOT_TODAY
        said = await self._pairs.classify(asked)
        if not any(said.by_model) and said.note and not said.tokens:
            # No call was made, or nobody answered: when there is news, it is tried again.
            return CheckOutcome.NOT_NOW
        tokens = said.tokens
        await self._repository.use(owner, today(self._clock.now()), Used(len(some), tokens))
        if run:
            await self._perform(owner, [Noted(run, {"tokens": tokens})])
        for one, comparison, by_model in zip(some, said.comparisons, said.by_model, strict=True):
            if not by_model:
                await self._perform(owner, list(_marks(one, NOBODY, None, run)))
            elif _stand(one, await self._read(owner, [one])):
                # Each by itself, so that it can be taken back by itself.
                # What the model says of it may be in the words of another pair.
                await self._perform(
                    owner, [unless_purged, *decided(one, comparison), *_marks(one, said.judge, comparison, run)]
                )
        return CheckOutcome.DONE

    async def _read(self, owner: str, some: Sequence[Suspect]) -> dict[str, Memory]:
        return await self._ledger.get(owner, [side.id for one in some for side in (one.older, one.newer)])

    async def _perform(self, owner: str, some: Sequence[Step]) -> None:
        await self._keeper.ask(Perform(owner, tuple(some), ACTOR, NODE), deadline_s=KEEPER_S)


def decided(one: Suspect, comparison: Comparison) -> list[Step]:
    """Return what follows from what a model made of a pair: it is settled then, and nobody asks about it again."""
    older, newer = one.older, one.newer
    # As a pair that was in doubt and is not any more: who takes this back does not want it made again.
    pair = AddCandidatePair(older.id, newer.id, round(one.cosine, 4), comparison.reason)
    match action(comparison):
        case "queue":
            # A model, too, has its doubts: both stay.
            return [pair, Settled(older.id, newer.id, UNSURE)]
        case "keep":
            return [pair, *apart(newer.id, older.id), Settled(older.id, newer.id, comparison.relation)]
        case _:
            done = plan_pair(newer, ComparedNeighbour(Neighbour(older, one.cosine), comparison, by_model=True))
            return [pair, *done, Settled(older.id, newer.id, comparison.relation)]


def _marks(one: Suspect, judge: str, comparison: Comparison | None, run: int) -> Iterable[Step]:
    yield Checked(*fingerprint(one.older.id, one.newer.id, one.cosine), judge)
    if run:
        wrote = {_COUNTED[action(comparison)]: 1} if comparison is not None else {}
        yield Noted(run, {"compared": 1}, wrote)


_COUNTED = {
    "merge": "merged",
    "supersede": "superseded",
    "contradict": "contradictions",
    "queue": "left in doubt",
    "keep": "changed",
}


def _stand(one: Suspect, there: dict[str, Memory]) -> bool:
    """Return whether both of a pair are as they were read."""
    return all(
        side.id in there and there[side.id].active and there[side.id].revision == side.revision
        for side in (one.older, one.newer)
    )
