"""What arrives is cleaned before it is written down: under the rules of its project, on a thread of its own."""

from collections.abc import Sequence

from anyio import CapacityLimiter, to_thread

from memoryd_actors.admission.project_files import ProjectFiles, quoted_files
from memoryd_actors.admission.project_rules import ProjectRules
from memoryd_actors.admission.withheld import read_files, reason
from memoryd_actors.conversations.overlap import fingerprint
from memoryd_actors.conversations.recording import brought, recorded
from memoryd_actors.conversations.tail import Tail
from memoryd_actors.redaction import Rules
from memoryd_client.messages import Message
from memoryd_client.transcripts import Entry, Record, new_entry_id


class Cleaner:
    """Says what of entries, messages and records is written down."""

    def __init__(self, rules: ProjectRules, *, longest: int, threads: CapacityLimiter) -> None:
        """Prepare; of what has more than `longest` characters the beginning is kept."""
        self._rules = rules
        self._longest = longest
        self._threads = threads

    async def entries(self, entries: Sequence[Entry], project: str, tail: Tail) -> list[Entry | None]:
        """Return each entry as it is to be stored; None where nothing of it is."""
        rules, files = await self._look(entries, project)

        def clean() -> list[Entry | None]:
            return [self._clean(entry, rules, files, _withheld(entry, files, tail)) for entry in entries]

        return await to_thread.run_sync(clean, limiter=self._threads)

    async def fingerprints(self, messages: Sequence[Message], project: str, tail: Tail) -> list[int | None]:
        """Return what each pushed message is by fingerprint when cleaned; None where nothing of it is kept."""
        fresh = [as_entry(one) for one in messages if _raw(one) not in tail.seen]
        rules, files = await self._look(fresh, project)

        def read() -> list[int | None]:
            found: list[int | None] = []
            for message in messages:
                raw = _raw(message)
                if raw not in tail.seen:
                    entry = self._clean(as_entry(message), rules, files)
                    tail.saw(raw, None if entry is None else fingerprint(entry.kind, entry.role, entry.content))
                found.append(tail.seen[raw])
            return found

        return await to_thread.run_sync(read, limiter=self._threads)

    async def records(self, records: Sequence[Record], project: str) -> list[Entry | None]:
        """Return each record that was written down elsewhere as it is to be stored; None where nothing of it is."""
        rules, _ = await self._rules.look(project)

        def gate() -> list[Entry | None]:
            return [brought(_of_record(one), rules) for one in records]

        return await to_thread.run_sync(gate, limiter=self._threads)

    async def _look(self, entries: Sequence[Entry], project: str) -> tuple[Rules, ProjectFiles]:
        """Return the rules that are in force for entries, and what the project says of the files that they name."""
        named: list[str] = []
        if project and entries:
            named = await to_thread.run_sync(_named, entries, limiter=self._threads)
        return await self._rules.look(project, named)

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


def _of_record(record: Record) -> Entry:
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
    return [file for entry in entries for file in (*read_files(entry), *quoted_files(entry.content))]


def _withheld(entry: Entry, files: ProjectFiles, tail: Tail) -> str:
    """Return why nothing of a tool's call or result is kept; the call says of the result what file it is of."""
    why = reason(read_files(entry), files)
    if why and entry.call_id:
        tail.withhold(entry.call_id, why)
    return why or (tail.withheld.get(entry.call_id, "") if entry.kind == "tool_result" and entry.call_id else "")


def _raw(message: Message) -> int:
    return hash((message.role, message.content))
