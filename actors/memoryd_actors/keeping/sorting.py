"""What is to become of the records of an import: stored, asked about, known already, or left out and why."""

from datetime import datetime, timedelta

import msgspec

from memoryd_actors.admission.gate import Admitted, content_hash
from memoryd_actors.admission.project_files import ProjectFiles
from memoryd_actors.core.errors import Refused
from memoryd_actors.keeping.authorship import check_words_of_agent
from memoryd_actors.keeping.gatekeeper import Gatekeeper, gate_notes
from memoryd_actors.keeping.import_records import admitted_record
from memoryd_actors.memory.consent import asked_field, decide, needs_consent
from memoryd_actors.memory.personal_matters import matter_of
from memoryd_actors.memory.steps import Patch
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.importing import LeftOut, MemoryRecord
from memoryd_client.wire.memory import Memory, Source, State


class Sorted(msgspec.Struct):
    """What became of the records of one import so far."""

    fresh: list[Admitted] = msgspec.field(default_factory=list[Admitted])
    asked: list[Patch] = msgspec.field(default_factory=list[Patch])
    """Of what is known about the user: what a yes, or another session, has to say."""
    unchanged: list[str] = msgspec.field(default_factory=list[str])
    left_out: list[LeftOut] = msgspec.field(default_factory=list[LeftOut])


class Sorter:
    """Puts records where they belong."""

    def __init__(self, gate: Gatekeeper) -> None:
        self._gate = gate

    def add(
        self,
        found: Sorted,
        record: MemoryRecord,
        known: Memory | None,
        caller: Caller,
        *,
        now: datetime,
        files: ProjectFiles,
        restore: bool,
        own_word: bool = True,
    ) -> None:
        """Put a record where it belongs; what is known as it was given has not come this far.

        `own_word`: whether no agent brings it, whose word about a person's name, home or health is asked about.
        """
        try:
            admitted = admitted_record(record, caller, now, self._gate, files, restore=restore)
        except Refused as refused:
            found.left_out.append(LeftOut(id=record.id, reason=str(refused)))
            return
        memory = admitted.memory
        sensitive = needs_consent(memory.category, memory.title, self._gate.consent) or bool(
            matter_of(_claimed(memory), own_word=own_word)
        )
        if known is None and sensitive and memory.state is State.FORGOTTEN and not restore:
            # Whoever may forget may bring back: it would be active, and nobody would have been asked.
            reason = "what was forgotten of a person comes back with `memoryd import --restore` only"
            found.left_out.append(LeftOut(id=record.id, reason=reason))
        elif known is None and (why_not := _refusal(record, caller)):
            found.left_out.append(LeftOut(id=record.id, reason=why_not))
        elif known is None:
            patch = self._patch(admitted, now, restore=restore, own_word=own_word)
            if patch is None:
                found.fresh.append(admitted)
            else:
                found.asked.append(patch)
        elif content_hash(known.content) == content_hash(memory.content):
            found.unchanged.append(record.id)
        else:
            reason = f"{record.id} is there already and says something else (`memoryd show {record.id}`)"
            found.left_out.append(LeftOut(id=record.id, reason=reason))

    def _patch(self, admitted: Admitted, now: datetime, *, restore: bool, own_word: bool) -> Patch | None:
        """Return the step for what is said about the user; None where nobody has to be asked."""
        memory, settings = admitted.memory, self._gate.consent
        waits = memory.state is State.PROPOSED
        if not waits and (restore or not memory.active):
            return None
        claimed = _claimed(memory)
        decision = decide(claimed, settings, own_word=own_word)
        if waits and decision is None:
            decision = "propose"
        if decision is None:
            return None
        return Patch(
            msgspec.structs.replace(memory, state=State.ACTIVE, superseded_by=""),
            asked_field(claimed, own_word=own_word),
            decision,
            expires_at=now + timedelta(days=settings.days),
            signals=settings.signals if decision == "wait_for_signal" else 0,
            reason=f"imported, {memory.source.value}, trust {memory.trust:g}",
            notes={"imported": "true", **gate_notes(admitted)},
        )


def _refusal(record: MemoryRecord, caller: Caller) -> str:
    """Return why an agent's record is not kept: it passes what the agent's own words pass. Empty where it does."""
    try:
        if caller.is_agent:
            check_words_of_agent(record.content, record.category)
    except Refused as refused:
        return str(refused)
    return ""


def _claimed(memory: Memory) -> Memory:
    """Return what a record says without whose word it says it is: whoever wrote the file wrote that, too."""
    return msgspec.structs.replace(memory, source=Source.IMPORTED)
