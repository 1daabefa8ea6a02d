"""Bringing whole memories in: through the gate, once, and with everything that is known about them.

A record that is there already stays as it stands: by its id, or by what it says in the same place. So an import that
was broken off is simply begun again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Protocol

import anyio
import msgspec
from anyio import to_thread

from memoryd_actors.actor import ActorRef
from memoryd_actors.admission import MAX_LABEL, MAX_SESSION, Admitted, admit, content_hash, signed
from memoryd_actors.errors import Refused
from memoryd_actors.fence import one_line
from memoryd_actors.keeper import Adopt, KeeperMessage, Perform
from memoryd_actors.ports import Clock, IgnoredFiles, Ledger
from memoryd_actors.project_files import NO_FILES, ProjectFiles, quoted_files
from memoryd_actors.redaction import Rules, redact
from memoryd_actors.redaction.rules import DEFAULT
from memoryd_actors.steps import Relate
from memoryd_client.importing import Import, Imported, LeftOut, Record
from memoryd_client.memory import MAX_CONTENT_BYTES, Edge, Memory, NewMemory, Scope, Source
from memoryd_client.messages import Caller

MAX_SOURCES = 10_000
"""Sessions that confirmed a memory."""


class Standing(Protocol):
    """Who is behind an id: the part of the ledger that is needed beside its port."""

    async def behind(self, ids: Sequence[str]) -> Mapping[str, tuple[str, str]]:
        """Return owner and id of the memory that each of these ids stands for, of those that are known."""
        ...


@dataclass(slots=True)
class _Sorted:
    """What became of the records of one import so far."""

    fresh: list[Admitted] = field(default_factory=list[Admitted])
    unchanged: list[str] = field(default_factory=list[str])
    left_out: list[LeftOut] = field(default_factory=list[LeftOut])


class Importer:
    """Brings in what an import carries."""

    def __init__(
        self,
        *,
        ledger: Ledger,
        standing: Standing,
        keeper: ActorRef[KeeperMessage, tuple[Memory, ...]],
        clock: Clock,
        embedding_model: str,
        rules: Rules = DEFAULT,
        files: IgnoredFiles | None = None,
    ) -> None:
        self._ledger = ledger
        self._standing = standing
        self._keeper = keeper
        self._clock = clock
        self._embedding_model = embedding_model
        self._rules = rules
        self._files = files
        # The gate takes a whole thread for a moment: one import at a time, so that others are not slowed down.
        self._limiter = anyio.CapacityLimiter(1)

    async def bring_in(self, request: Import, caller: Caller, *, deadline_s: float) -> Imported:
        """Bring records in, then edges; return what became of each."""
        memories = await self._memories(request.records, caller, deadline_s) if request.records else Imported()
        edges = await self._edges(request.edges, caller, deadline_s) if request.edges else Imported()
        return msgspec.structs.replace(
            memories,
            edges=edges.edges,
            edges_unchanged=edges.edges_unchanged,
            edges_left_out=edges.edges_left_out,
        )

    async def _memories(self, records: Sequence[Record], caller: Caller, deadline_s: float) -> Imported:
        behind = await self._standing.behind([record.id for record in records])
        there = await self._ledger.get(caller.owner, sorted({found for _, found in behind.values()}))
        seen = await self._seen(records, caller)
        now = self._clock.now()

        def sort() -> _Sorted:
            found = _Sorted()
            for record in records:
                owner, target = behind.get(record.id, (caller.owner, ""))
                known = there.get(record.id) or there.get(target)
                if owner != caller.owner:
                    found.left_out.append(LeftOut(id=record.id, reason=f"the id {record.id} is taken"))
                else:
                    self._sort(found, record, known, caller, now=now, seen=seen)
            return found

        found = await to_thread.run_sync(sort, limiter=self._limiter)
        added: list[str] = []
        if found.fresh:
            message = Adopt(tuple(found.fresh), caller.owner, signed(caller, self._rules))
            stored = await self._keeper.ask(message, deadline_s=deadline_s)
            for memory, (asked, _) in zip(stored, found.fresh, strict=True):
                (added if memory.id == asked.id and asked.id not in added else found.unchanged).append(asked.id)
        return Imported(added=tuple(added), unchanged=tuple(found.unchanged), left_out=tuple(found.left_out))

    def _sort(
        self,
        found: _Sorted,
        record: Record,
        known: Memory | None,
        caller: Caller,
        *,
        now: datetime,
        seen: Mapping[str, ProjectFiles],
    ) -> None:
        """Put a record where it belongs; one that is known as it was given need not pass the gate again."""
        # Under another id it was merged: what stands there now says more than the record did.
        if known is not None and (known.id != record.id or known.content_hash == content_hash(record.content)):
            found.unchanged.append(record.id)
            return
        try:
            admitted = admitted_record(record, caller, now, self._rules, seen.get(_project(record, caller), NO_FILES))
        except Refused as refused:
            found.left_out.append(LeftOut(id=record.id, reason=str(refused)))
            return
        memory = msgspec.structs.replace(admitted.memory, embedding_model=self._embedding_model)
        if known is None:
            found.fresh.append(Admitted(memory, admitted.notes))
        elif known.content_hash == memory.content_hash:
            found.unchanged.append(record.id)
        else:
            reason = f"{record.id} is there already and says something else (`memoryd show {record.id}`)"
            found.left_out.append(LeftOut(id=record.id, reason=reason))

    async def _seen(self, records: Sequence[Record], caller: Caller) -> dict[str, ProjectFiles]:
        """Return by project what it says about the files that its records name, and its variables."""
        if self._files is None:
            return {}
        named: dict[str, list[str]] = {}
        for record in records:
            paths = (*record.files, *quoted_files(record.content[:MAX_CONTENT_BYTES]))
            named.setdefault(_project(record, caller), []).extend(paths)
        return {project: await self._files.look(project, paths) for project, paths in named.items()}

    async def _edges(self, edges: Sequence[Edge], caller: Caller, deadline_s: float) -> Imported:
        behind = await self._standing.behind(sorted({end for edge in edges for end in (edge.from_id, edge.to_id)}))
        here = {given: found for given, (owner, found) in behind.items() if owner == caller.owner}
        known = await self._ledger.edges(caller.owner, sorted({here.get(edge.from_id, "") for edge in edges}))
        there = {(edge.from_id, edge.to_id, edge.relation) for edge in known}
        steps: list[Relate] = []
        left_out: list[LeftOut] = []
        unchanged = 0
        for edge in edges:
            missing = [end for end in (edge.from_id, edge.to_id) if end not in here]
            if missing:
                left_out.append(LeftOut(id=edge.from_id, reason=f"`{edge.relation}`: {missing[0]} is not there"))
                continue
            key = (here[edge.from_id], here[edge.to_id], edge.relation.strip())
            at = _since(edge)
            if key in there or key[0] == key[1]:
                unchanged += 1
            elif not 0 < len(key[2]) <= MAX_LABEL or not 0 <= edge.strength <= 1 or (edge.at and at is None):
                left_out.append(LeftOut(id=edge.from_id, reason=f"`{edge.relation[:60]}` is no relation"))
            else:
                there.add(key)
                steps.append(Relate(*key, edge.strength, told=True, at=at))
        if steps:
            message = Perform(caller.owner, tuple(steps), signed(caller, self._rules))
            await self._keeper.ask(message, deadline_s=deadline_s)
        return Imported(edges=len(steps), edges_unchanged=unchanged, edges_left_out=tuple(left_out))


def admitted_record(
    record: Record, caller: Caller, now: datetime, rules: Rules = DEFAULT, seen: ProjectFiles = NO_FILES
) -> Admitted:
    """Return the memory that a record is stored as: through the gate, and otherwise as whole as it came.

    Raises:
        Refused: the gate keeps it out; see `admission.admit`.

    """
    project = _project(record, caller)
    place = Caller(owner=caller.owner, project=project, agent=record.agent or caller.agent)
    if len(record.sources) > MAX_SOURCES:
        raise Refused(f"`sources` has {len(record.sources)} entries and may have {MAX_SOURCES}")
    longest = max(map(len, (*record.sources, record.superseded_by, record.role, record.agent)))
    if longest > MAX_SESSION:
        raise Refused(
            f"`sources`, `superseded_by`, `role` or `agent` has {longest} characters, of {MAX_SESSION} at most"
        )
    new = NewMemory(
        id=record.id,
        content=record.content,
        category=record.category,
        scope=record.scope,
        title=record.title,
        tags=record.tags,
        metadata=record.metadata,
        importance=record.importance,
        pinned=record.pinned,
        # Not as extracted: what once passed how a model has to write may have been merged into something longer.
        source=record.source if record.source is not Source.EXTRACTED else Source.IMPORTED,
        speaker=record.speaker,
        occurred_at=record.occurred_at,
        source_session=record.session,
        source_messages=record.source_messages,
        files=record.files,
        trust=record.trust,
    )
    memory, notes = admit(new, place, now, rules, seen)
    created = _aware(record.created_at) or now
    return Admitted(
        msgspec.structs.replace(
            memory,
            source=record.source,
            created_at=created,
            updated_at=_aware(record.updated_at) or created,
            last_accessed_at=_aware(record.last_accessed_at),
            access_count=record.access_count,
            strength=record.strength,
            sources=tuple(_label(one, rules) for one in record.sources),
            state=record.state,
            superseded_by=_label(record.superseded_by, rules),
            agent=_label(record.agent, rules),
            role=_label(record.role, rules) or memory.role,
            revision=record.revision,
            purge_at=_aware(record.purge_at),
        ),
        notes,
    )


def _label(text: str, rules: Rules) -> str:
    return redact(one_line(text, MAX_SESSION), rules).text


def _project(record: Record, caller: Caller) -> str:
    if record.scope is Scope.GLOBAL:
        return ""
    return caller.project if record.project is None else record.project


def _since(edge: Edge) -> datetime | None:
    """Return since when there is an edge; None where it does not say, or says no date."""
    try:
        return _aware(datetime.fromisoformat(edge.at)) if edge.at else None
    except ValueError:
        return None


def _aware(moment: datetime | None) -> datetime | None:
    """Return a moment with its zone, UTC where it names none, and within the calendar."""
    if moment is None:
        return None
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    try:
        return aware.astimezone(UTC)
    except OverflowError:
        raise Refused(f"{moment.isoformat()} is outside the calendar") from None
