"""What arrives is cleaned before it is written down: under the rules of its project, in a worker thread."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from anyio import CapacityLimiter, to_thread

from memoryd_actors.admission.project_files import ProjectFiles, quoted_files
from memoryd_actors.admission.project_rules import ProjectRules
from memoryd_actors.admission.withheld import read_files, reason
from memoryd_actors.conversations.overlap import fingerprint
from memoryd_actors.conversations.recording import brought, recorded
from memoryd_actors.conversations.tail import Tail
from memoryd_actors.core.worker_threads import WorkerThreads
from memoryd_actors.redaction import Rules
from memoryd_client.wire.context import Message
from memoryd_client.wire.transcripts import Entry, TranscriptRecord, new_entry_id

T = TypeVar("T")
SHORT = 16_000
"""Characters that are cleaned together with what others wait for: 10 ms at most. What is longer has threads of its
own, so that a result of many megabytes keeps no other session waiting."""


class Cleaner:
    """Says what of entries, messages and records is written down."""

    def __init__(self, rules: ProjectRules, *, longest: int) -> None:
        """Prepare; of what has more than `longest` characters the beginning is kept."""
        self._rules = rules
        self._longest = longest
        self._thread = WorkerThreads(name="cleaning")
        self._threads = CapacityLimiter(2)  # cleaning is work for a core

    async def entries(self, entries: Sequence[Entry], project: str, tail: Tail) -> list[Entry | None]:
        """Return each entry as it is to be stored; None where nothing of it is."""
        if not entries:
            return []
        since = self._rules.looks

        def clean() -> list[Entry | None]:
            rules, files = self._rules.look_now(project, _named(entries), since=since)
            return [self._clean(entry, rules, files, _withheld(entry, files, tail)) for entry in entries]

        return await self._in_thread(clean, _characters(entries))

    async def fingerprints(self, messages: Sequence[Message], project: str, tail: Tail) -> list[int | None]:
        """Return what each pushed message is by fingerprint when cleaned; None where nothing of it is kept."""
        raws = [_raw(message.role, message.content) for message in messages]
        fresh = {raw: as_entry(one) for raw, one in zip(raws, messages, strict=True) if raw not in tail.seen}
        if fresh:
            entries = list(fresh.values())
            since = self._rules.looks

            def read() -> list[int | None]:
                rules, files = self._rules.look_now(project, _named(entries), since=since)
                cleaned = (self._clean(entry, rules, files) for entry in entries)
                return [None if one is None else fingerprint(one.kind, one.role, one.content) for one in cleaned]

            found = await self._in_thread(read, _characters(entries))
            for raw, said in zip(fresh, found, strict=True):
                tail.saw(raw, said)
        return [tail.seen[raw] for raw in raws]

    @staticmethod
    def note(entries: Sequence[Entry], cleaned: Sequence[Entry | None], tail: Tail) -> None:
        """Note in a tail what appended messages are, so that the context that has them next is cleaned already."""
        for entry, kept in zip(entries, cleaned, strict=True):
            if entry.kind == "message" and entry.role != "tool" and not entry.size:
                said = None if kept is None else fingerprint(kept.kind, kept.role, kept.content)
                tail.saw(_raw(entry.role, entry.content), said)

    async def records(self, records: Sequence[TranscriptRecord], project: str) -> list[Entry | None]:
        """Return each record that was written down elsewhere as it is to be stored; None where nothing of it is."""
        rules, _ = await self._rules.look(project)

        def gate() -> list[Entry | None]:
            return [brought(_of_record(record), rules) for record in records]

        return await to_thread.run_sync(gate, limiter=self._threads)

    async def _in_thread(self, work: Callable[[], T], characters: int) -> T:
        if characters > SHORT:
            return await to_thread.run_sync(work, limiter=self._threads)
        return await self._thread.run(work)

    def _clean(self, entry: Entry, rules: Rules, files: ProjectFiles, withheld: str = "") -> Entry | None:
        return recorded(entry, rules, longest=self._longest, seen=files, withheld=withheld)


def as_entry(message: Message) -> Entry:
    """Return a message of a pushed context as an entry."""
    tool = message.role == "tool"
    return Entry(
        id=new_entry_id(),
        kind="tool_result" if tool else "message",
        role=message.role[:200],
        content=message.content,
        name=message.name[:200],
    )


def _of_record(record: TranscriptRecord) -> Entry:
    return Entry(
        id=record.id,
        kind=record.kind,
        role=record.role,
        content=record.content,
        name=record.name,
        call_id=record.call_id,
        size=record.size,
    )


def _named(entries: Sequence[Entry]) -> list[str]:
    files = (file for entry in entries for file in (*read_files(entry), *quoted_files(entry.content)))
    return list(dict.fromkeys(files))


def _withheld(entry: Entry, files: ProjectFiles, tail: Tail) -> str:
    """Return why nothing of a tool's call or result is kept; the call says of the result what file it is of."""
    why = reason(read_files(entry), files)
    if why and entry.call_id:
        tail.withhold(entry.call_id, why)
    return why or (tail.withheld.get(entry.call_id, "") if entry.kind == "tool_result" and entry.call_id else "")


def _raw(role: str, content: str) -> int:
    return hash((role, content))


def _characters(entries: Sequence[Entry]) -> int:
    return sum(len(entry.content) for entry in entries)
