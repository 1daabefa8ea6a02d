"""What a new memory does to those that are there: the rules at the write.

Similarity alone decides nothing: half of all pairs that contradict each other are nearer than 0.85.
First it is decided what two memories are to each other (`comparison`), then what is done about it.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime

import msgspec

from memoryd_actors.comparison import Comparison, Statement, action, compare
from memoryd_actors.comparison.canon import canon
from memoryd_actors.comparison.compare import CERTAIN
from memoryd_actors.comparison.difference import difference
from memoryd_actors.keeping.neighbours import Neighbour
from memoryd_actors.memory.consent import field_of
from memoryd_actors.memory.settings import BY_USER, CORRECTION
from memoryd_actors.memory.standing import is_users_correction
from memoryd_actors.memory.steps import (
    CONTRADICTS,
    RELATED,
    Absorb,
    Add,
    AddCandidatePair,
    AddEdge,
    Merge,
    RemoveEdge,
    Step,
    Supersede,
)
from memoryd_actors.texts.quoting import what_was_said
from memoryd_client.wire.edges import Edge
from memoryd_client.wire.memory import MAX_CONTENT_BYTES, Memory, Source

LINKED_FROM = 0.5
"""Cosine from which a neighbour is worth an edge: of LoCoMo's extracted facts a quarter of the nearest five are."""
COMPARED_FROM = 0.5
"""Cosine from which it is asked what two memories are to each other. Real old and new versions of a fact have a median
of 0.70."""
MOST_EDGES = 5
LONGEST_STATEMENT = 1_000
"""Characters."""
_TOLD = ("episode", "episodic", "message", "summary", "project_summary", "session_summary", "relationship_dynamic")
APART = frozenset({"rule", "procedural", "file", "knowledge", *_TOLD})
"""Categories that are never merged or superseded by what they resemble: rules have keys, what happened twice happened
twice."""


class ComparedNeighbour(msgspec.Struct, frozen=True):
    """A neighbour, and what the new memory is to it."""

    neighbour: Neighbour
    comparison: Comparison
    by_model: bool = False
    """Whether a model said so. A word that differs may be the value of a thing or the name of another: `port 8080` and
    `port 9090`, `ward 3` and `ward 4`. The rules are believed where the text says that something changed, and where it
    is certain that both speak of the same (`cannot_both_be`)."""


def is_statement(memory: Memory) -> bool:
    """Return whether a memory claims something that can be the same, change, or be contradicted.

    A message that an agent keeps as it was said does not: who said it and when stays true whatever is said later. Nor
    does a text that claims many things, or a field of the person: only another value of that field changes it, and
    consent.
    """
    said_somewhere = memory.occurred_at is not None or memory.source_messages is not None
    quoted = bool(memory.speaker) and said_somewhere and memory.source in {Source.AGENT, Source.IMPORTED}
    apart = memory.category in APART or bool(field_of(memory.category, memory.title))
    return not apart and not quoted and len(memory.content) <= LONGEST_STATEMENT


def select_comparable(new: Memory, neighbours: Iterable[Neighbour]) -> list[Neighbour]:
    """Return the neighbours that the new memory has to be compared with."""
    if not is_statement(new):
        return []
    return [
        neighbour
        for neighbour in neighbours
        if neighbour.cosine >= COMPARED_FROM and is_statement(neighbour.memory) and _same_kind(new, neighbour.memory)
    ]


def compare_with(memory: Memory, neighbour: Neighbour) -> ComparedNeighbour:
    """Return what the newer of the two is to the older, as the rules have it.

    What would give way to the user's correction if that came later contradicts it, too, where it comes later itself.
    """
    newer, older = newer_first(memory, neighbour.memory)
    found = compare(as_statement(newer), as_statement(older), neighbour.cosine)
    if _gives_way(newer, older) and action(found) not in {"merge", "supersede"}:
        corrected = compare(as_statement(older), as_statement(newer), neighbour.cosine)
        known = action(found) == "contradict"
        found = corrected if action(corrected) in {"supersede", *(() if known else ("contradict",))} else found
    return ComparedNeighbour(neighbour, found)


def as_statement(memory: Memory) -> Statement:
    """Return what of a memory is compared."""
    return Statement(
        text=what_was_said(memory.content) if memory.source is Source.EXTRACTED else memory.content,
        category=memory.category,
        created_at=memory.created_at,
        occurred_at=memory.occurred_at,
        speaker=memory.speaker,
    )


def merged_content(old: Memory, new: Memory) -> str:
    """Return the content of two memories that say the same: of the same words those that were stored as they are."""
    before, after = as_statement(old).text, as_statement(new).text
    if before == after:
        quoted = old.source is Source.EXTRACTED and new.source is not Source.EXTRACTED
        return new.content if quoted else old.content
    return new.content if merge_content(before, after) == after else old.content


def newer_first(one: Memory, other: Memory) -> tuple[Memory, Memory]:
    """Return the newer and the older; of two that say the same moment, the first counts as newer."""
    return (other, one) if _when(one) < _when(other) else (one, other)


def plan(
    new: Memory, neighbours: Iterable[Neighbour], compared: Iterable[ComparedNeighbour], notes: Mapping[str, str]
) -> list[Step]:
    """Return the steps by which a new memory is stored beside its neighbours, nearest first.

    `notes` are for the history: what the gate did.
    """
    compared = list(compared)
    for one in compared:
        if action(one.comparison) == "merge" and one.neighbour.memory.category == new.category:
            old = one.neighbour.memory
            return [Merge(new, old.id, merged_content(old, new), notes)]
    beside = [step for one in compared for step in plan_pair(new, one)]
    return [Add(new, notes), *beside, *_edges(new, neighbours)]


def plan_stored(memory: Memory, neighbours: Iterable[Neighbour], compared: Iterable[ComparedNeighbour]) -> list[Step]:
    """Return the steps for a memory that is stored already, and has not been compared with its neighbours."""
    return [*(step for one in compared for step in plan_pair(memory, one)), *_edges(memory, neighbours)]


def plan_revised(
    memory: Memory, neighbours: Iterable[Neighbour], compared: Iterable[ComparedNeighbour], edges: Iterable[Edge]
) -> list[Step]:
    """Return the steps for a memory that reads anew, with the edges it had.

    What its former words contradicted is no longer contradicted, unless its new ones do so, too.
    """
    steps = plan_stored(memory, neighbours, compared)
    kept = {frozenset((step.from_id, step.to_id)) for step in steps if isinstance(step, AddEdge) and step.told}
    gone = [
        edge for edge in edges if edge.relation == CONTRADICTS and frozenset((edge.from_id, edge.to_id)) not in kept
    ]
    return [*(RemoveEdge(one.from_id, one.to_id, CONTRADICTS) for one in gone), *steps]


def plan_pair(memory: Memory, one: ComparedNeighbour) -> list[Step]:
    """Return the steps for two memories once it is known what they are to each other."""
    comparison = one.comparison
    newer, older = newer_first(memory, one.neighbour.memory)
    match action(comparison):
        case "merge" if newer.category == older.category:
            return [Absorb(newer.id, older.id, merged_content(older, newer), comparison.reason)]
        case "supersede":
            return [_contradicted(newer, older, comparison)]
        case "contradict" if one.by_model or comparison.confidence >= CERTAIN:
            return [_contradicted(newer, older, comparison)]
        case "contradict":
            return [
                AddEdge(newer.id, older.id, CONTRADICTS, 1.0, told=True),
                AddCandidatePair(older.id, newer.id, round(one.neighbour.cosine, 4), comparison.reason),
            ]
        case "queue":
            return [AddCandidatePair(older.id, newer.id, round(one.neighbour.cosine, 4), comparison.reason)]
        case "merge" | "keep":
            return []


def apart(one: str, other: str) -> list[Step]:
    """Return the steps for two memories that are both true, and about different things: neither stands by the other."""
    ends = (one, other), (other, one)
    return [RemoveEdge(*pair, relation) for pair in ends for relation in (CONTRADICTS, RELATED)]


def _edges(memory: Memory, neighbours: Iterable[Neighbour]) -> list[Step]:
    linked = [neighbour for neighbour in neighbours if neighbour.cosine >= LINKED_FROM][:MOST_EDGES]
    return [AddEdge(memory.id, one.memory.id, RELATED, round(min(one.cosine, 1.0), 4)) for one in linked]


def _contradicted(newer: Memory, older: Memory, comparison: Comparison) -> Step:
    """Decide between two that cannot both be true.

    The user's correction wins, whichever came later; else the one trusted more; else the newer. A pinned one is never
    retired but by the user's correction that came later. Where none wins, both stay and point at each other: so do a
    statement and what somebody trusted less says has changed since, which may be news.
    """
    if is_users_correction(newer):
        return Supersede(older.id, newer.id, comparison.reason)
    if _gives_way(newer, older):
        return Supersede(newer.id, older.id, f"the user's correction stands against it: {comparison.reason}")
    if is_users_correction(older):
        return AddEdge(newer.id, older.id, CONTRADICTS, 1.0, told=True)
    if newer.trust >= older.trust and not older.pinned:
        return Supersede(older.id, newer.id, comparison.reason)
    if newer.trust < older.trust and not newer.pinned and comparison.relation == "contradicts":
        return Supersede(newer.id, older.id, f"what is trusted more stands against it: {comparison.reason}")
    return AddEdge(newer.id, older.id, CONTRADICTS, 1.0, told=True)


def _same_kind(one: Memory, other: Memory) -> bool:
    """Return whether one memory can have a say about the other: a correction about anything, else within a category.

    Categories are seen by different agents.
    """
    return one.category == other.category or CORRECTION in {one.category, other.category}


def _gives_way(newer: Memory, older: Memory) -> bool:
    """Return whether the older is the user's correction, and the newer what others claim."""
    return is_users_correction(older) and newer.trust < BY_USER and not newer.pinned


def _when(memory: Memory) -> datetime:
    return memory.occurred_at or memory.created_at


def merge_content(old: str, new: str) -> str:
    """Return the more complete of two texts that say the same; never a text that nobody wrote.

    The new one where it says all that the old one says, and more; the old one otherwise, so that a memory does not
    change its wording at every repetition. At most `MAX_CONTENT_BYTES`, where either is.
    """
    if not old.strip():
        return new
    if not new.strip() or len(new.encode("utf-8", "replace")) > MAX_CONTENT_BYTES:
        return old
    if len(old.encode("utf-8", "replace")) > MAX_CONTENT_BYTES:
        return new
    found = difference(canon(new), canon(old))
    return new if found.new and not (found.old or found.denied) else old
