"""A record of an import as the memory that it is stored as: through the gate, and with all that is known about it."""

from datetime import UTC, datetime, timedelta

import msgspec

from memoryd_actors.admission.gate import MAX_SESSION, Admitted
from memoryd_actors.admission.project_files import ProjectFiles
from memoryd_actors.core.errors import Refused
from memoryd_actors.keeping.gatekeeper import Gatekeeper, as_new
from memoryd_actors.memory.settings import STAMP
from memoryd_actors.redaction import Rules, redact
from memoryd_actors.texts.fence import one_line
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.importing import MemoryRecord
from memoryd_client.wire.memory import Scope, Source

MAX_SOURCES = 10_000
"""Sessions that confirmed a memory."""
MOST_COUNTED = 1_000
"""Confirmations or accesses that a record may claim: who has more has an export of their own."""
MOST_RESTORED = 1_000_000_000
"""The same of an export of one's own, and of revisions: what every ledger can count."""
CLOCKS_APART = timedelta(days=1)
"""By which a record may be newer than now: another machine's clock, or another's zone."""


def admitted_record(
    record: MemoryRecord,
    caller: Caller,
    now: datetime,
    gate: Gatekeeper,
    files: ProjectFiles,
    *,
    restore: bool = False,
) -> Admitted:
    """Return the memory that a record is stored as: through the gate, and otherwise as whole as it came.

    `restore`: it was admitted once, so how a model has to write is not asked again. What it says may since have been
    merged into something longer.

    Raises:
        Refused: the gate keeps it out; see `admission.admit`. Or it counts more than anybody did, or is of the future.
    """
    project = project_of(record, caller)
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
    new = as_new(record)
    if restore and record.source is Source.EXTRACTED:
        new = msgspec.structs.replace(new, source=Source.IMPORTED)
    memory, notes = gate.admit(new, place, files, writer=caller)
    created = aware(record.created_at) or now
    stamp = record.metadata.get(STAMP, "")
    return Admitted(
        msgspec.structs.replace(
            memory,
            source=record.source,
            created_at=created,
            updated_at=aware(record.updated_at) or created,
            last_accessed_at=aware(record.last_accessed_at),
            access_count=record.access_count,
            strength=record.strength,
            sources=tuple(_label(one, gate.rules) for one in record.sources),
            state=record.state,
            superseded_by=_label(record.superseded_by, gate.rules),
            agent=_label(record.agent, gate.rules),
            role=_label(record.role, gate.rules) or memory.role,
            revision=record.revision,
            purge_at=aware(record.purge_at),
            expires_at=aware(record.expires_at),
            metadata={**memory.metadata, **({STAMP: stamp} if restore and stamp else {})},
        ),
        notes,
    )


def _check_counts(record: MemoryRecord, most: int) -> None:
    counts = {"strength": record.strength, "access_count": record.access_count}
    for name, count in counts.items():
        if count > most:
            raise Refused(f"`{name}` is {count} and may be {most}; an export of your own comes back with --restore")
    if record.revision > MOST_RESTORED:
        raise Refused(f"`revision` is {record.revision} and may be {MOST_RESTORED}")


def _check_moments(record: MemoryRecord, now: datetime) -> None:
    """Refuse what was written or read in the future; what happens then may be known already."""
    moments = {
        "created_at": record.created_at,
        "updated_at": record.updated_at,
        "last_accessed_at": record.last_accessed_at,
    }
    for name, given in moments.items():
        moment = aware(given)
        if moment is not None and moment > now + CLOCKS_APART:
            raise Refused(
                f"`{name}` is in the future: {moment.isoformat()}", "Mend it, or look at this machine's clock."
            )


def _label(text: str, rules: Rules) -> str:
    return redact(one_line(text, MAX_SESSION), rules).text


def project_of(record: MemoryRecord, caller: Caller) -> str:
    """Return the project that a record belongs to; empty where it belongs to none."""
    if record.scope is Scope.GLOBAL:
        return ""
    return caller.project if record.project is None else record.project


def aware(moment: datetime | None) -> datetime | None:
    """Return a moment with its zone, UTC where it names none, and within the calendar."""
    if moment is None:
        return None
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    try:
        return aware.astimezone(UTC)
    except OverflowError:
        raise Refused(f"{moment.isoformat()} is outside the calendar") from None
