"""Passages of documents as the memories that they become, and what turns those of one version into the next. Pure."""

import posixpath
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

import msgspec

from memoryd_actors.admission.gate import Admitted
from memoryd_actors.keeping.gatekeeper import gate_notes
from memoryd_actors.knowledge.document_text import DocumentText, FileStamp
from memoryd_actors.knowledge.passages import DocumentPassage
from memoryd_actors.memory.settings import DOCUMENT, HEADING, KNOWLEDGE, LINES, PAGES, STAMP
from memoryd_actors.memory.steps import Add, ChangeState, Revise, Step
from memoryd_actors.texts.fence import one_line
from memoryd_actors.texts.hidden import mentioned
from memoryd_client.wire.memory import Memory, NewMemory, Scope, Source, State

COUNT: Final = "passages"
NUMBER: Final = "passage"
HOME: Final = "home"
"""Of the daemon that reads the file, where several share a ledger: the others may have another file of that path."""
TRUST = 0.8
"""As of what a user stores."""
KEPT_DAYS = 30
"""After which what stood in earlier versions is destroyed."""
LONGEST_TITLE = 150
LONGEST_HEADING = 300


def as_memories(
    path: str, text: DocumentText, passages: Sequence[DocumentPassage], stamp: FileStamp, scope: Scope
) -> list[NewMemory]:
    """Return the passages of a document as memories on their way in."""
    name = text.title or posixpath.basename(path)
    return [
        NewMemory(
            # Where lines are numbered, what is private left the document as a whole; passages may cut through code.
            content=passage.text if text.paged else mentioned(passage.text),
            category=KNOWLEDGE,
            scope=scope,
            title=mentioned(one_line(f"{name} > {passage.heading}" if passage.heading else name, LONGEST_TITLE)),
            metadata={
                DOCUMENT: path,
                HEADING: mentioned(one_line(passage.heading, LONGEST_HEADING)),
                PAGES if text.paged else LINES: f"{passage.first}-{passage.last}",
                NUMBER: str(number),
            },
            source=Source.IMPORTED,
            occurred_at=stamp.modified,
            trust=TRUST,
        )
        for number, passage in enumerate(passages, start=1)
    ]


def steps_between(before: Sequence[Memory], admitted: Sequence[Admitted], now: datetime) -> list[Step]:
    """Return what turns the passages that there are into those that the document has now."""
    left: dict[tuple[str, str], list[Memory]] = {}
    for memory in before:
        left.setdefault((memory.title, memory.content), []).append(memory)
    steps: list[Step] = []
    for one in admitted:
        same = left.get((one.memory.title, one.memory.content))
        if not same:
            steps.append(Add(one.memory, gate_notes(one), confirm=False))
            continue
        # It stands there since it was read first, in whatever lines.
        memory = same.pop(0)
        if memory.metadata != one.memory.metadata:
            steps.append(Revise(msgspec.structs.replace(memory, metadata=one.memory.metadata, updated_at=now)))
    gone = [memory for same in left.values() for memory in same]
    purge_at = now + timedelta(days=KEPT_DAYS)
    reason = "it stands in the document no more"
    return [*(ChangeState(one.id, State.FORGOTTEN, "DELETE", purge_at, reason) for one in gone), *steps]


def labelled(admitted: Admitted, entries: Mapping[str, str]) -> Admitted:
    """Return a passage with entries of ours in its metadata, which are no words of anybody."""
    metadata = {**admitted.memory.metadata, **entries}
    return admitted._replace(memory=msgspec.structs.replace(admitted.memory, metadata=metadata))


def modified(first: Memory) -> datetime:
    """Return when the file was last changed, as the document was read whose first passage this is."""
    try:
        return datetime.fromisoformat(first.metadata[STAMP].partition(" ")[0])
    except ValueError:  # an export that was restored may say anything
        return first.occurred_at or first.created_at


def number(passage: Memory, entry: str, otherwise: int) -> int:
    """Return a number among the metadata; `otherwise` where there is none."""
    given = passage.metadata.get(entry, "")
    return int(given) if given.isdecimal() else otherwise


def span(text: str) -> tuple[int, int] | None:
    """Return the first and the last of some lines or pages; None where it names none."""
    first, joined, last = text.partition("-")
    return (int(first), int(last)) if joined and first.isdecimal() and last.isdecimal() else None
