"""Bringing whole memories in: through the gate, once, and with everything that is known about them.

A record that is there already stays as it stands: by its id, or by what it says in the same place. So an import that
was broken off is simply begun again.

A record is what somebody says, not what is known: it is admitted as it would be if it were stored now. Only the person
at the command line can say that it is an export of their own, which then comes back as it was.
"""

from collections.abc import Sequence
from datetime import datetime

import anyio
import msgspec
from anyio import to_thread

from memoryd_actors.admission.gate import Admitted, content_hash
from memoryd_actors.admission.project_files import NO_FILES, ProjectFiles
from memoryd_actors.core.actor import ActorRef
from memoryd_actors.core.errors import Refused
from memoryd_actors.keeping.gatekeeper import Gatekeeper
from memoryd_actors.keeping.import_records import aware, project_of
from memoryd_actors.keeping.orders import Adopt, KeeperMessage, Perform
from memoryd_actors.keeping.performing import NODE
from memoryd_actors.keeping.sorting import Sorted, Sorter
from memoryd_actors.keeping.successors import LONGEST_CHAIN, find_unsound
from memoryd_actors.memory.signature import MAX_LABEL
from memoryd_actors.memory.steps import MERGED_INTO, RESERVED, AddEdge
from memoryd_actors.ports.clock import Clock
from memoryd_actors.ports.ledger import MemoryRepository
from memoryd_actors.redaction import redact
from memoryd_actors.texts.fence import one_line
from memoryd_client.wire.caller import PERSON, Caller
from memoryd_client.wire.edges import Edge
from memoryd_client.wire.importing import Import, Imported, LeftOut, MemoryRecord
from memoryd_client.wire.memory import Memory


class Importer:
    """Brings in what an import carries."""

    def __init__(
        self,
        *,
        ledger: MemoryRepository,
        keeper: ActorRef[KeeperMessage, tuple[Memory, ...]],
        clock: Clock,
        gate: Gatekeeper,
    ) -> None:
        self._ledger = ledger
        self._keeper = keeper
        self._clock = clock
        self._gate = gate
        self._sorter = Sorter(gate)
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
        behind = await self._ledger.behind([record.id for record in records])
        there = await self._ledger.get(caller.owner, sorted({found for _, found in behind.values()}))
        seen = await self._seen(records, caller)
        now = self._clock.now()

        def sort() -> Sorted:
            found = Sorted()
            for record in records:
                owner, target = behind.get(record.id, (caller.owner, ""))
                known = there.get(record.id) or there.get(target)
                files = seen.get(project_of(record, caller) or caller.project, NO_FILES)
                if owner != caller.owner:
                    found.left_out.append(LeftOut(id=record.id, reason=f"the id {record.id} is taken"))
                elif known is not None and (
                    known.id != record.id or content_hash(known.content) == content_hash(record.content)
                ):
                    # Under another id it was merged: what stands there now says more than the record did.
                    found.unchanged.append(record.id)
                else:
                    self._sorter.add(
                        found,
                        record,
                        known,
                        caller,
                        now=now,
                        files=files,
                        restore=request.restore,
                        own_word=not caller.is_agent,
                    )
            return found

        found = await to_thread.run_sync(sort, limiter=self._limiter)
        fresh, unlinked = await self._linked(found.fresh, caller.owner)
        added: list[str] = []
        proposed: list[str] = []
        actor = self._gate.sign(caller)
        if fresh:
            notes = {"imported": "true"} | ({"restored": "as the user's own export"} if request.restore else {})
            stored = await self._keeper.ask(
                Adopt(fresh, caller.owner, actor, notes, caller.session), deadline_s=deadline_s
            )
            for memory, (asked, _) in zip(stored, fresh, strict=True):
                (added if memory.id == asked.id and asked.id not in added else found.unchanged).append(asked.id)
        if found.asked:
            message = Perform(caller.owner, tuple(found.asked), actor, NODE, caller.session)
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

    async def _linked(self, fresh: Sequence[Admitted], owner: str) -> tuple[tuple[Admitted, ...], tuple[LeftOut, ...]]:
        """Take out what cannot be true of what took whose place: memories that are not there, and circles."""
        claimed = {one.memory.id: one.memory.superseded_by for one in fresh if one.memory.superseded_by}
        if not claimed:
            return tuple(fresh), ()
        # What is said to be there may have been merged into another, which then stands for it.
        behind = await self._ledger.behind(sorted({*claimed.values()}))
        merged = {given: found for given, (whose, found) in behind.items() if whose == owner}
        claimed = {one: merged.get(by, by) for one, by in claimed.items()}
        successors = {one.memory.id: "" for one in fresh}
        ahead = set(claimed.values()) - successors.keys()
        for _ in range(LONGEST_CHAIN):
            known = await self._ledger.get(owner, sorted(ahead)) if ahead else {}
            successors |= {one.id: one.superseded_by for one in known.values()}
            ahead = {one.superseded_by for one in known.values()} - successors.keys() - {""}
            if not ahead:
                break
        reasons = find_unsound(claimed, successors)
        kept = {one: by for one, by in claimed.items() if one not in reasons}
        linked = [
            Admitted(msgspec.structs.replace(one.memory, superseded_by=kept.get(one.memory.id, "")), one.notes)
            for one in fresh
        ]
        return tuple(linked), tuple(LeftOut(id=one, reason=reason) for one, reason in reasons.items())

    async def _seen(self, records: Sequence[MemoryRecord], caller: Caller) -> dict[str, ProjectFiles]:
        """Return by project what it says about the files that its records name, and its variables."""
        by_project: dict[str, list[MemoryRecord]] = {}
        for record in records:
            by_project.setdefault(project_of(record, caller) or caller.project, []).append(record)
        return {project: await self._gate.look(project, those) for project, those in by_project.items()}

    async def _edges(self, edges: Sequence[Edge], caller: Caller, deadline_s: float) -> Imported:
        behind = await self._ledger.behind(sorted({end for edge in edges for end in (edge.from_id, edge.to_id)}))
        here = {given: found for given, (owner, found) in behind.items() if owner == caller.owner}
        known = await self._ledger.edges(caller.owner, sorted({here.get(edge.from_id, "") for edge in edges}))
        there = {(edge.from_id, edge.to_id, edge.relation) for edge in known}
        ends = {here.get(end, "") for edge in edges if edge.relation in RESERVED for end in (edge.from_id, edge.to_id)}
        fates = await self._ledger.get(caller.owner, sorted(ends - {""}))
        steps: list[AddEdge] = []
        left_out: list[LeftOut] = []
        unchanged = 0
        for edge in edges:
            relation = redact(one_line(edge.relation[: 2 * MAX_LABEL]), self._gate.rules).text
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
                steps.append(AddEdge(*key, edge.strength, told=True, at=at))
        if steps:
            message = Perform(caller.owner, tuple(steps), self._gate.sign(caller), session=caller.session)
            await self._keeper.ask(message, deadline_s=deadline_s)
        return Imported(edges=len(steps), edges_unchanged=unchanged, edges_left_out=tuple(left_out))


def _since(edge: Edge) -> datetime | None:
    """Return since when there is an edge; None where it does not say, or says no date."""
    try:
        return aware(datetime.fromisoformat(edge.at)) if edge.at else None
    except ValueError:
        return None
