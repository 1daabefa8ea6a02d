"""docs/json.md names every field that the commands print."""

import re
from pathlib import Path

import msgspec
import pytest

from memoryd.doctor import Finding
from memoryd_cli.demo.steps import ContextDecided, ContextPushed, DemoFigures, MemoryRemembered, SessionBegan, Took
from memoryd_cli.demo.transcript import Note
from memoryd_client.wire.archiving import TurnSummaries, TurnSummary
from memoryd_client.wire.categories import CategoryInfo, CategoryList
from memoryd_client.wire.checkpoints import CheckpointInfo
from memoryd_client.wire.consent import Consent
from memoryd_client.wire.consolidation import (
    Consolidation,
    ConsolidationPlan,
    PlannedChange,
    PlannedPair,
    PlannedRollup,
)
from memoryd_client.wire.core_memory import CoreWrite, Section
from memoryd_client.wire.edges import Edge
from memoryd_client.wire.event_counts import EventCount
from memoryd_client.wire.history import HistoryEntry
from memoryd_client.wire.knowledge import Document, Documents, KnowledgeHit, LeftOutFile
from memoryd_client.wire.memories import MemoryPage
from memoryd_client.wire.memory import Memory
from memoryd_client.wire.origin import Origin, Showing
from memoryd_client.wire.pending import PendingMemory, RelatedMemory, SurfacedMemory
from memoryd_client.wire.purging import PurgePlan, TellingEntry
from memoryd_client.wire.query import Bullet, Queried, RelatedBullet
from memoryd_client.wire.search import Hit
from memoryd_client.wire.session_context import Compacted, ContextEntry, ContextSection, SessionContext
from memoryd_client.wire.status import ComponentStatus, Status
from memoryd_client.wire.switching import Switched, SwitchedOff
from memoryd_client.wire.traces import CandidateTrace, Trace
from memoryd_client.wire.transcripts import (
    Appended,
    Ended,
    Entry,
    FoundMessage,
    FoundMessages,
    SessionInfo,
    Transcript,
    TranscriptRecord,
)
from memoryd_client.wire.virtual_files import FileMatch, MemoryFile

PAGE = (Path(__file__).parents[2] / "docs" / "json.md").read_text(encoding="utf-8")
SECTIONS = {
    "Memory": (Memory,),
    "Hit, page": (Hit, MemoryPage),
    "Query": (Queried, Bullet, RelatedBullet),
    "Pending memory": (PendingMemory, SurfacedMemory, RelatedMemory),
    "Proposal": (Consent,),
    "Categories": (CategoryList, CategoryInfo),
    "Event count": (EventCount,),
    "Write": (HistoryEntry,),
    "Transcript, found messages": (
        SessionInfo,
        Transcript,
        TranscriptRecord,
        FoundMessages,
        FoundMessage,
        Appended,
        Ended,
        Entry,
        PurgePlan,
        TellingEntry,
    ),
    "Memory file": (MemoryFile, FileMatch),
    "Knowledge": (Document, Documents, LeftOutFile, KnowledgeHit),
    "Context": (SessionContext, ContextSection, ContextEntry, Compacted),
    "Turn summary": (TurnSummary, TurnSummaries),
    "Edge, origin": (Edge, Origin, Showing),
    "Trace": (Trace, CandidateTrace),
    "Core memory": (Section, CoreWrite),
    "Checkpoint": (CheckpointInfo,),
    "Switches": (Switched, SwitchedOff),
    "Consolidation, plan": (Consolidation, ConsolidationPlan, PlannedPair, PlannedChange, PlannedRollup),
    "Status": (Status, ComponentStatus),
    "Findings": (Finding,),
    "Transcripts, for push and demo": (Note,),
    "What demo prints": (SessionBegan, ContextPushed, ContextDecided, MemoryRemembered, Took, DemoFigures),
}


@pytest.mark.parametrize("title", SECTIONS)
def test_every_field_is_on_the_page(title: str) -> None:
    section = PAGE.split(f"\n## {title}\n")[1].split("\n## ")[0]
    named = set(re.findall(r"`([a-z_]+)`", section))
    structs: tuple[type[msgspec.Struct], ...] = SECTIONS[title]
    assert {field for struct in structs for field in struct.__struct_fields__} <= named
