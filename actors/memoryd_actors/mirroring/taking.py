"""What files say goes into memory: through the gate, each by itself, and all of it as one operation.

A git checkout changes a thousand files at once, and is one thing to its user: `memoryd undo` takes it back as one. A
file that the gate keeps out keeps out itself only.
"""

from collections.abc import Sequence

import anyio
import msgspec
from anyio import to_thread

from memoryd_actors.access.switch import Switches, refusal
from memoryd_actors.admission.project_files import NO_FILES, ProjectFiles
from memoryd_actors.core.actor import ActorRef
from memoryd_actors.core.errors import Refused
from memoryd_actors.keeping.changing import changed_memory, check_edit, check_return, revised
from memoryd_actors.keeping.gatekeeper import Gatekeeper, check_expiry, gate_notes
from memoryd_actors.keeping.import_records import project_of
from memoryd_actors.keeping.orders import KeeperMessage, Perform
from memoryd_actors.keeping.sorting import Sorted, Sorter
from memoryd_actors.memory.steps import Add, ChangeState, Revise, Step
from memoryd_actors.mirroring.document import MemoryNote, changes
from memoryd_actors.ports.clock import Clock
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.editing import Changes
from memoryd_client.wire.importing import MemoryRecord
from memoryd_client.wire.memory import Memory, NewMemory, Scope, State

NODE = "mirror"
"""Who writes, in the counts of events."""
DEADLINE_S = 600.0
"""For ten thousand files at once."""


class FileChange(msgspec.Struct, frozen=True):
    """What a file says of one memory."""

    memory_id: str
    note: MemoryNote | None
    """None: the file was deleted."""
    before: Memory | None
    """The memory as it stands; None where there is none."""
    project: str
    """Where it belongs; empty: everywhere."""


class FileTaker:
    """Takes what files say into memory."""

    def __init__(
        self, *, keeper: ActorRef[KeeperMessage, tuple[Memory, ...]], gate: Gatekeeper, switches: Switches, clock: Clock
    ) -> None:
        self._keeper = keeper
        self._gate = gate
        self._sorter = Sorter(gate)
        self._switches = switches
        self._clock = clock
        self._limiter = anyio.CapacityLimiter(1)

    async def take(self, found: Sequence[FileChange], caller: Caller) -> dict[str, Refused]:
        """Have the changes of files performed, as one operation; return by memory those that could not be, and why."""
        seen = await self._seen(found, caller)
        refused: dict[str, Refused] = {}

        def plan() -> dict[str, list[Step]]:
            planned: dict[str, list[Step]] = {}
            for change in found:
                try:
                    planned[change.memory_id] = self._steps(change, caller, seen.get(change.project, NO_FILES))
                except Refused as reason:
                    refused[change.memory_id] = reason
            return planned

        planned = await to_thread.run_sync(plan, limiter=self._limiter)
        await self._perform([(one, steps) for one, steps in planned.items() if steps], caller, refused)
        return refused

    async def _perform(
        self, planned: Sequence[tuple[str, list[Step]]], caller: Caller, refused: dict[str, Refused]
    ) -> None:
        """Perform what was planned as one operation; where one of them cannot be, the others without it."""
        if not planned:
            return
        steps = tuple(step for _, those in planned for step in those)
        try:
            await self._keeper.ask(Perform(caller.owner, steps, self._gate.sign(caller), NODE), deadline_s=DEADLINE_S)
        except Refused as reason:
            if len(planned) == 1:
                refused[planned[0][0]] = reason
                return
            half = len(planned) // 2
            await self._perform(planned[:half], caller, refused)
            await self._perform(planned[half:], caller, refused)

    async def _seen(self, found: Sequence[FileChange], caller: Caller) -> dict[str, ProjectFiles]:
        """Return by project what it says about the files that memories name."""
        by_project: dict[str, list[NewMemory]] = {}
        for change in found:
            if change.note is not None:
                named = NewMemory(content=change.note.content, files=change.note.files)
                by_project.setdefault(change.project, []).append(named)
        return {project: await self._gate.look(project, those) for project, those in by_project.items()}

    def _steps(self, change: FileChange, caller: Caller, seen: ProjectFiles) -> list[Step]:
        off = self._switches.off(caller.owner, change.project)
        if off is not None and change.note is not None:
            raise refusal(off)
        note, before = change.note, change.before
        if note is None:
            gone = "its file was deleted"
            return [ChangeState(before.id, State.FORGOTTEN, "DELETE", reason=gone)] if before is not None else []
        if before is None:
            return [self._new(change, note, caller, seen)]
        return self._changed(before, changes(note, before), caller, seen)

    def _new(self, change: FileChange, note: MemoryNote, caller: Caller, seen: ProjectFiles) -> Step:
        record = MemoryRecord(
            id=change.memory_id,
            content=note.content,
            category=note.category or "fact",
            scope=Scope.PROJECT if change.project else Scope.GLOBAL,
            project=change.project,
            title=note.title,
            tags=note.tags,
            metadata=note.metadata,
            importance=note.importance,
            pinned=note.pinned,
            source=note.source,
            speaker=note.speaker,
            occurred_at=note.occurred_at,
            expires_at=note.expires_at,
            files=note.files,
            created_at=note.created_at,
            agent=note.agent,
        )
        there = msgspec.structs.replace(caller, project=project_of(record, caller))
        found = Sorted()
        self._sorter.add(found, record, None, there, now=self._clock.now(), files=seen, restore=False)
        for left_out in found.left_out:
            raise Refused(left_out.reason)
        for patch in found.asked:
            return patch
        admitted = found.fresh[0]
        return Add(admitted.memory, gate_notes(admitted), compared=False, confirm=False)

    def _changed(self, before: Memory, said: Changes, caller: Caller, seen: ProjectFiles) -> list[Step]:
        steps: list[Step] = []
        if not before.active:
            check_return(before, caller, self._gate.consent)
            steps.append(ChangeState(before.id, State.ACTIVE, "RESTORE", reason="its file is there"))
        if said == Changes():
            return steps
        place = msgspec.structs.replace(caller, project=before.project, session=before.session)
        new = changed_memory(before, said)
        if new.expires_at != before.expires_at:
            check_expiry(new.expires_at, self._clock.now())
        after = revised(before, self._gate.admit(new, place, seen))
        check_edit(before, after.memory, caller, self._gate.consent)
        if steps:
            after_return = {"revision": before.revision + 1, "state": State.ACTIVE, "superseded_by": ""}
            wanted = msgspec.structs.replace(after.memory, **after_return)
        else:
            wanted = after.memory
        return [*steps, Revise(wanted, notes=gate_notes(after), compared=False)]
