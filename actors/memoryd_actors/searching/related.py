"""What belongs beside a memory that is shown: what contradicts it, and what is near to it."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from types import MappingProxyType

import msgspec

from memoryd_actors.memory.described import provenance
from memoryd_actors.memory.origin import other_end
from memoryd_actors.memory.render import EARLIER, MOST_RELATED, words_beside
from memoryd_actors.memory.settings import DERIVED
from memoryd_actors.memory.standing import is_users_correction
from memoryd_actors.memory.steps import CONTRADICTS, RELATED, RESERVED, SUMMARISES
from memoryd_actors.memory.visibility import Visibility, is_allowed, is_visible
from memoryd_actors.ports.ledger import MemoryRepository
from memoryd_actors.searching.near_identical import DatedText, adds_nothing, told, told_again
from memoryd_actors.texts.stems import stem_set
from memoryd_client.wire.edges import Edge
from memoryd_client.wire.memory import Memory
from memoryd_client.wire.pending import RelatedMemory, SurfacedMemory

LESS_TRUST = 0.2
"""By so much less a statement is trusted that a later date does not put it first."""
NEAR = 0.8
"""Cosine of an edge from which two statements share a place. No rule tells whether they say the same, so both are told;
at this strength real facts are about one thing."""


class Relatives:
    """Looks up what belongs beside memories: two questions to the ledger for all of them together."""

    def __init__(self, ledger: MemoryRepository) -> None:
        self._ledger = ledger

    async def together(
        self, owner: str, kept: Sequence[SurfacedMemory], request: str, *, most: int = MOST_RELATED
    ) -> list[SurfacedMemory]:
        """Return memories with those that say nearly the same, or contradict each other, in one place."""
        if len(kept) < 2:
            return list(kept)
        return fold(kept, await self._ledger.edges(owner, [one.id for one in kept]), request, most=most)

    async def beside(
        self,
        shown: Mapping[str, DatedText],
        visible: Visibility,
        *,
        hidden: Collection[str] = (),
        in_context: Collection[str] = (),
        passed_over: Collection[str] = (),
        room: Mapping[str, int] = MappingProxyType({}),
        unfit: Callable[[Memory], object] = lambda _: False,
    ) -> dict[str, tuple[RelatedMemory, ...]]:
        """Return what belongs beside each of the memories that are about to be shown, within `visible`.

        Nothing that is `hidden` or `unfit`, and of what stands `in_context` already only what the user corrected: a
        claim that contradicts it is never told without. Of what was looked at already and `passed_over`, and of a
        category beyond its `room`, only what contradicts one of them or was linked to it under a name of its own.
        """
        edges = [one for one in await self._ledger.edges(visible.owner, list(shown)) if one.relation not in RESERVED]
        others = {edge.to_id for edge in edges} | {edge.from_id for edge in edges}
        contradicting = {end for one in edges if one.relation == CONTRADICTS for end in (one.from_id, one.to_id)}
        wanted = sorted(others - shown.keys() - set(hidden) - (set(in_context) - contradicting))
        if not wanted:
            return {}
        known = await self._ledger.get(visible.owner, wanted)
        within = {
            one.id: one
            for one in known.values()
            if is_visible(one, visible) and not unfit(one) and (one.id not in in_context or is_users_correction(one))
        }
        return beside(shown, edges, within, passed_over=passed_over, room=room)

    async def contradictions(self, shown: Collection[str], visible: Visibility) -> tuple[tuple[str, str], ...]:
        """Return the pairs within `visible` that contradict each other, of which at least one is shown."""
        edges = [one for one in await self._ledger.edges(visible.owner, list(shown)) if one.relation == CONTRADICTS]
        others = {other for edge in edges for other in (edge.from_id, edge.to_id)} - set(shown)
        known = await self._ledger.get(visible.owner, sorted(others)) if others else {}
        there = {*shown, *(one.id for one in known.values() if is_visible(one, visible))}
        return tuple((edge.from_id, edge.to_id) for edge in edges if {edge.from_id, edge.to_id} <= there)


def fold(
    kept: Sequence[SurfacedMemory], edges: Iterable[Edge], request: str, *, most: int = MOST_RELATED
) -> list[SurfacedMemory]:
    """Return memories with the older of near statements, `most` of all, beneath the newest.

    The newest has the best of their scores.

    An older one that has a word of the request which the newer has not keeps its place: it may be about another thing,
    the one that is asked for.
    """
    near = [one for one in edges if one.relation == RELATED and one.strength >= NEAR]
    near += [one for one in edges if one.relation == CONTRADICTS]  # where there are both, it is what counts
    asked = stem_set(request)
    # The newest first, and before all those that are trusted much less: what an agent claims is no news of what the
    # user has said.
    best = max((one.trust for one in kept), default=0.0)
    newest_first = sorted(kept, key=lambda one: (one.trust > best - LESS_TRUST, one.date), reverse=True)
    heads: dict[str, SurfacedMemory] = {}
    folded: set[str] = set()
    for head in newest_first:
        if head.id in folded:
            continue
        heads[head.id] = head
        joined = {other_end(one, head.id): one for one in near if head.id in {one.from_id, one.to_id}}
        for older in newest_first:
            edge = joined.get(older.id)
            if edge is None or older.id in heads or older.id in folded or len(folded) == most:
                continue
            if (older.category in DERIVED) != (head.category in DERIVED):
                continue  # what a conversation went over takes no place of a statement, and none beneath it
            if asked & stem_set(older.content) - stem_set(head.content):
                continue
            folded.add(older.id)
            before = heads[head.id]
            beneath = _folded(older, edge, head)
            heads[head.id] = msgspec.structs.replace(
                before, score=max(before.score, older.score), related=(*before.related, beneath)
            )
    return [heads[one.id] for one in kept if one.id in heads]


def beside(
    shown: Mapping[str, DatedText],
    edges: Iterable[Edge],
    known: Mapping[str, Memory],
    *,
    passed_over: Collection[str] = (),
    room: Mapping[str, int] = MappingProxyType({}),
    most: int = MOST_RELATED,
) -> dict[str, tuple[RelatedMemory, ...]]:
    """Return at most `most` of the `known` memories for each that is shown, each once, contradictions first.

    Of a category that has a `room`, no more than that of what is merely near.

    None that adds nothing to what is shown, or is chosen already; nothing that is retold of a conversation, unless
    somebody linked it under a name of its own.
    """
    ranked = sorted(edges, key=lambda one: (one.relation != CONTRADICTS, one.relation == RELATED, -one.strength))
    texts = list(shown.values())
    chosen: dict[str, tuple[RelatedMemory, ...]] = {}
    used = set(shown)
    left = dict(room)
    for memory_id in shown:
        found: list[RelatedMemory] = []
        for edge in ranked:
            if len(found) == most:
                break
            if memory_id not in {edge.from_id, edge.to_id}:
                continue
            other = known.get(other_end(edge, memory_id))
            if other is None or other.id in used:
                continue
            if edge.relation == RELATED and (other.id in passed_over or left.get(other.category, 1) <= 0):
                continue
            if other.category in DERIVED and edge.relation in {RELATED, CONTRADICTS, SUMMARISES}:
                continue
            new = told(other)
            if any(adds_nothing(new, text) for text in texts):
                continue
            used.add(other.id)
            if other.category in left:
                left[other.category] -= 1
            texts.append(new)
            found.append(_related(other, edge, outgoing=edge.from_id == memory_id))
        if found:
            chosen[memory_id] = tuple(found)
    return chosen


def checked_again(
    shown: Sequence[SurfacedMemory], known: Mapping[str, Memory], visible: Visibility, *, hidden: Collection[str]
) -> list[SurfacedMemory]:
    """Return memories with what still belongs beside them: true, allowed, not shown meanwhile, and adding something.

    What the user corrected stands beside what contradicts it, although it was shown.
    """
    used = {one.id for one in shown}
    texts = [told_again(one) for one in shown]
    checked: list[SurfacedMemory] = []
    for memory in shown:
        kept: list[RelatedMemory] = []
        for one in memory.related:
            there, new = known.get(one.id), told_again(one)
            if there is None or not there.active or one.id in used or not is_allowed(there.category, visible):
                continue
            if one.id in hidden and not (one.relation == CONTRADICTS and is_users_correction(there)):
                continue
            if any(adds_nothing(new, text) for text in texts):
                continue
            used.add(one.id)
            texts.append(new)
            kept.append(one)
        checked.append(msgspec.structs.replace(memory, related=tuple(kept)) if memory.related else memory)
    return checked


def _folded(memory: SurfacedMemory, edge: Edge, head: SurfacedMemory) -> RelatedMemory:
    outgoing = edge.from_id == head.id
    is_earlier = edge.relation != CONTRADICTS and memory.date <= head.date
    return RelatedMemory(
        id=memory.id,
        content=memory.content,
        score=round(edge.strength, 4),
        reason=EARLIER if is_earlier else words_beside(edge.relation, outgoing=outgoing),
        category=memory.category,
        trust=memory.trust,
        date=memory.date,
        provenance=memory.provenance,
        relation=edge.relation,
        outgoing=outgoing,
    )


def _related(memory: Memory, edge: Edge, *, outgoing: bool) -> RelatedMemory:
    return RelatedMemory(
        id=memory.id,
        content=memory.content,
        score=round(edge.strength, 4),
        reason=words_beside(edge.relation, outgoing=outgoing),
        category=memory.category,
        trust=memory.trust,
        date=memory.occurred_at or memory.created_at,
        provenance=provenance(memory),
        relation=edge.relation,
        outgoing=outgoing,
    )
