"""Bringing whole memories in: through the gate, once, and with everything that is known about them.

A record that is there already stays as it stands: by its id, or by what it says in the same place. So an import that
was broken off is simply begun again.

A record is what somebody says, not what is known: it is admitted as it would be if it were stored now. Only the person
at the command line can say that it is an export of their own, which then comes back as it was.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Protocol

import anyio
import msgspec
from anyio import to_thread

from memoryd_actors.actor import ActorRef
from memoryd_actors.admission.gate import MAX_LABEL, MAX_SESSION, Admitted, admit, content_hash, signed
from memoryd_actors.admission.project_files import NO_FILES, ProjectFiles, named_files
from memoryd_actors.admission.project_rules import IgnoredFiles
from memoryd_actors.errors import Refused
from memoryd_actors.keeping.consent import ConsentSettings, decide, field_of, needs_consent
from memoryd_actors.keeping.operations import NODE
from memoryd_actors.keeping.orders import PERSON, Adopt, KeeperMessage, Perform
from memoryd_actors.keeping.steps import MERGED_INTO, RESERVED, Patch, Relate
from memoryd_actors.keeping.successors import LONGEST_CHAIN, unsound
from memoryd_actors.ports.clock import Clock
from memoryd_actors.ports.ledger import Ledger
from memoryd_actors.recall.fence import one_line
from memoryd_actors.redaction import Rules, redact
from memoryd_actors.redaction.rules import DEFAULT
from memoryd_client.importing import Import, Imported, LeftOut, Record
from memoryd_client.memory import MAX_CONTENT_BYTES, Edge, Memory, NewMemory, Scope, Source, State
from memoryd_client.messages import Caller

MAX_SOURCES = 10_000
"""Sessions that confirmed a memory."""
MOST_COUNTED = 1_000
"""Confirmations or accesses that a record may claim: who has more has an export of their own."""
MOST_RESTORED = 1_000_000_000
"""The same of an export of one's own, and of revisions: what every ledger can count."""
CLOCKS_APART = timedelta(days=1)
"""By which a record may be newer than now: another machine's clock, or another's zone."""


class Standing(Protocol):
    """Who is behind an id: the part of the ledger that is needed beside its port."""

    async def behind(self, ids: Sequence[str]) -> Mapping[str, tuple[str, str]]:
        """Return owner and id of the memory that each of these ids stands for, of those that are known."""
        ...


@dataclass(slots=True)
class _Sorted:
    """What became of the records of one import so far."""

    fresh: list[Admitted] = field(default_factory=list[Admitted])
    asked: list[Patch] = field(default_factory=list[Patch])
    """Of what is known about the user: what a yes, or another session, has to say."""
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
        consent: ConsentSettings = ConsentSettings(),  # noqa: B008 - frozen
    ) -> None:
        self._consent = consent
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
        """Bring records in, then edges; return what became of each.

        Raises:
            Refused: an agent says that it is the person's own export.

        """
        if request.restore and caller.agent != PERSON:
            raise Refused(
                "only the user restores an export as their own: it brings back what they consented to",
                "`memoryd import --restore`; without it, each record is admitted as if it were stored now.",
            )
        memories = await self._memories(request, caller, deadline_s) if request.records else Imported()
        edges = await self._edges(request.edges, caller, deadline_s) if request.edges else Imported()
        return msgspec.structs.replace(
            memories,
            edges=edges.edges,
            edges_unchanged=edges.edges_unchanged,
            edges_left_out=(*memories.edges_left_out, *edges.edges_left_out),
        )

    async def _memories(self, request: Import, caller: Caller, deadline_s: float) -> Imported:
        records = request.records
        behind = await self._standing.behind([record.id for record in records])
        there = await self._ledger.get(caller.owner, sorted({found for _, found in behind.values()}))
        seen = await self._seen(records, caller)
        now = self._clock.now()

        def sort() -> _Sorted:
            found = _Sorted()
            for record in records:
                owner, target = behind.get(record.id, (caller.owner, ""))
                known = there.get(record.id) or there.get(target)
                files = seen.get(_project(record, caller) or caller.project, NO_FILES)
                if owner != caller.owner:
                    found.left_out.append(LeftOut(id=record.id, reason=f"the id {record.id} is taken"))
                elif known is not None and (
                    known.id != record.id or known.content_hash == content_hash(record.content)
                ):
                    # Under another id it was merged: what stands there now says more than the record did.
                    found.unchanged.append(record.id)
                else:
                    self._sort(found, record, known, caller, now=now, files=files, restore=request.restore)
            return found

        found = await to_thread.run_sync(sort, limiter=self._limiter)
        fresh, unlinked = await self._linked(found.fresh, caller.owner)
        added: list[str] = []
        proposed: list[str] = []
        actor = signed(caller, self._rules)
        if fresh:
            notes = {"imported": "true"} | ({"restored": "as the user's own export"} if request.restore else {})
            stored = await self._keeper.ask(Adopt(fresh, caller.owner, actor, notes), deadline_s=deadline_s)
            for memory, (asked, _) in zip(stored, fresh, strict=True):
                (added if memory.id == asked.id and asked.id not in added else found.unchanged).append(asked.id)
        if found.asked:
            message = Perform(caller.owner, tuple(found.asked), actor, NODE)
            for memory, patch in zip(await self._keeper.ask(message, deadline_s=deadline_s), found.asked, strict=True):
                if memory.id == patch.memory.id:
                    (added if memory.active else proposed).append(memory.id)
                else:
                    found.unchanged.append(patch.memory.id)
        return Imported(
            added=tuple(added),
            proposed=tuple(proposed),
            unchanged=tuple(found.unchanged),
            left_out=tuple(found.left_out),
            edges_left_out=unlinked,
        )

    def _sort(
        self,
        found: _Sorted,
        record: Record,
        known: Memory | None,
        caller: Caller,
        *,
        now: datetime,
        files: ProjectFiles,
        restore: bool,
    ) -> None:
        """Put a record where it belongs; what is known as it was given has not come this far."""
        try:
            admitted = admitted_record(record, caller, now, self._rules, files, restore=restore)
        except Refused as refused:
            found.left_out.append(LeftOut(id=record.id, reason=str(refused)))
            return
        memory = msgspec.structs.replace(admitted.memory, embedding_model=self._embedding_model)
        sensitive = needs_consent(memory.category, memory.title, self._consent)
        if known is None and sensitive and memory.state is State.FORGOTTEN and not restore:
            # Whoever may forget may bring back: it would be active, and nobody would have been asked.
            reason = "a forgotten field of the user comes back with `memoryd import --restore` only"
            found.left_out.append(LeftOut(id=record.id, reason=reason))
        elif known is None:
            admitted = Admitted(memory, admitted.notes)
            patch = self._patch(admitted, now, restore=restore)
            if patch is None:
                found.fresh.append(admitted)
            else:
                found.asked.append(patch)
        elif known.content_hash == memory.content_hash:
            found.unchanged.append(record.id)
        else:
            reason = f"{record.id} is there already and says something else (`memoryd show {record.id}`)"
            found.left_out.append(LeftOut(id=record.id, reason=reason))

    def _patch(self, admitted: Admitted, now: datetime, *, restore: bool) -> Patch | None:
        """Return the step for what is said about the user; None where nobody has to be asked.

        A record that says it is the user's word is not: whoever wrote the file wrote that, too.
        """
        memory, settings = admitted.memory, self._consent
        waits = memory.state is State.PROPOSED
        if not waits and (restore or not memory.active):
            return None
        decision = decide(msgspec.structs.replace(memory, source=Source.IMPORTED), settings)
        if waits and decision is None:
            decision = "propose"
        if decision is None:
            return None
        return Patch(
            msgspec.structs.replace(memory, state=State.ACTIVE, superseded_by=""),
            field_of(memory.category, memory.title) or memory.title or memory.category,
            decision,
            expires_at=now + timedelta(days=settings.days),
            signals=settings.signals if decision == "wait_for_signal" else 0,
            reason=f"imported, {memory.source.value}, trust {memory.trust:g}",
            notes={"imported": "true", **({"gate": ",".join(admitted.notes)} if admitted.notes else {})},
        )

    async def _linked(self, fresh: Sequence[Admitted], owner: str) -> tuple[tuple[Admitted, ...], tuple[LeftOut, ...]]:
        """Take out what cannot be true of what took whose place: memories that are not there, and circles."""
        claimed = {one.memory.id: one.memory.superseded_by for one in fresh if one.memory.superseded_by}
        if not claimed:
            return tuple(fresh), ()
        # What is said to be there may have been merged into another, which then stands for it.
        behind = await self._standing.behind(sorted({*claimed.values()}))
        merged = {given: found for given, (whose, found) in behind.items() if whose == owner}
        claimed = {one: merged.get(by, by) for one, by in claimed.items()}
        standing = {one.memory.id: "" for one in fresh}
        ahead = set(claimed.values()) - standing.keys()
        for _ in range(LONGEST_CHAIN):
            known = await self._ledger.get(owner, sorted(ahead)) if ahead else {}
            standing |= {one.id: one.superseded_by for one in known.values()}
            ahead = {one.superseded_by for one in known.values()} - standing.keys() - {""}
            if not ahead:
                break
        reasons = unsound(claimed, standing)
        kept = {one: by for one, by in claimed.items() if one not in reasons}
        linked = [
            Admitted(msgspec.structs.replace(one.memory, superseded_by=kept.get(one.memory.id, "")), one.notes)
            for one in fresh
        ]
        return tuple(linked), tuple(LeftOut(id=one, reason=reason) for one, reason in reasons.items())

    async def _seen(self, records: Sequence[Record], caller: Caller) -> dict[str, ProjectFiles]:
        """Return by project what it says about the files that its records name, and its variables."""
        if self._files is None:
            return {}
        named: dict[str, list[str]] = {}
        for record in records:
            paths = (*record.files, *named_files(record.content[:MAX_CONTENT_BYTES]))
            named.setdefault(_project(record, caller) or caller.project, []).extend(paths)
        return {project: await self._files.look(project, paths) for project, paths in named.items()}

    async def _edges(self, edges: Sequence[Edge], caller: Caller, deadline_s: float) -> Imported:
        behind = await self._standing.behind(sorted({end for edge in edges for end in (edge.from_id, edge.to_id)}))
        here = {given: found for given, (owner, found) in behind.items() if owner == caller.owner}
        known = await self._ledger.edges(caller.owner, sorted({here.get(edge.from_id, "") for edge in edges}))
        there = {(edge.from_id, edge.to_id, edge.relation) for edge in known}
        ends = {here.get(end, "") for edge in edges if edge.relation in RESERVED for end in (edge.from_id, edge.to_id)}
        fates = await self._ledger.get(caller.owner, sorted(ends - {""}))
        steps: list[Relate] = []
        left_out: list[LeftOut] = []
        unchanged = 0
        for edge in edges:
            relation = redact(one_line(edge.relation[: 2 * MAX_LABEL]), self._rules).text
            missing = [end for end in (edge.from_id, edge.to_id) if end not in here]
            if missing:
                left_out.append(LeftOut(id=edge.from_id, reason=f"`{relation}`: {missing[0]} is not there"))
                continue
            key = (here[edge.from_id], here[edge.to_id], relation)
            at = _since(edge)
            old, new = (key[0], key[1]) if key[2] == MERGED_INTO else (key[1], key[0])
            if key in there or key[0] == key[1]:
                unchanged += 1
            elif not 0 < len(key[2]) <= MAX_LABEL or not 0 <= edge.strength <= 1 or (edge.at and at is None):
                left_out.append(LeftOut(id=edge.from_id, reason=f"`{relation[:60]}` is no relation"))
            elif key[2] in RESERVED and fates[old].superseded_by != new:
                # Only what became of a memory makes such an edge: so there is no circle of them, either.
                reason = f"`{key[2]}`: {new} did not take the place of {old}"
                left_out.append(LeftOut(id=edge.from_id, reason=reason))
            else:
                there.add(key)
                steps.append(Relate(*key, edge.strength, told=True, at=at))
        if steps:
            message = Perform(caller.owner, tuple(steps), signed(caller, self._rules))
            await self._keeper.ask(message, deadline_s=deadline_s)
        return Imported(edges=len(steps), edges_unchanged=unchanged, edges_left_out=tuple(left_out))


def admitted_record(
    record: Record,
    caller: Caller,
    now: datetime,
    rules: Rules = DEFAULT,
    seen: ProjectFiles = NO_FILES,
    *,
    restore: bool = False,
) -> Admitted:
    """Return the memory that a record is stored as: through the gate, and otherwise as whole as it came.

    `restore`: it was admitted once, so how a model has to write is not asked again. What it says may since have been
    merged into something longer.

    Raises:
        Refused: the gate keeps it out; see `admission.admit`. Or it counts more than anybody did, or is of the future.

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
    _check_counts(record, MOST_RESTORED if restore else MOST_COUNTED)
    _check_moments(record, now)
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
        source=Source.IMPORTED if restore and record.source is Source.EXTRACTED else record.source,
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


def _check_counts(record: Record, most: int) -> None:
    counts = {"strength": record.strength, "access_count": record.access_count}
    for name, count in counts.items():
        if count > most:
            raise Refused(f"`{name}` is {count} and may be {most}; an export of your own comes back with --restore")
    if record.revision > MOST_RESTORED:
        raise Refused(f"`revision` is {record.revision} and may be {MOST_RESTORED}")


def _check_moments(record: Record, now: datetime) -> None:
    """Refuse what was written or read in the future; what happens then may be known already."""
    moments = {
        "created_at": record.created_at,
        "updated_at": record.updated_at,
        "last_accessed_at": record.last_accessed_at,
    }
    for name, given in moments.items():
        moment = _aware(given)
        if moment is not None and moment > now + CLOCKS_APART:
            raise Refused(
                f"`{name}` is in the future: {moment.isoformat()}", "Mend it, or look at this machine's clock."
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
