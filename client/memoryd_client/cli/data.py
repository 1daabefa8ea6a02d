"""Commands about all memories together: import, export, backup, reindex."""

import os
import shutil
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from memoryd_client.cli.edge import CommandFailed
from memoryd_client.cli.options import Agent, Autostart, Json, Owner, Project, Session, connect, examples
from memoryd_client.cli.output import note, out, out_json, plain, write
from memoryd_client.cli.render import states
from memoryd_client.memory import Importance, NewMemory, Scope, Share, Source, State, new_memory_id
from memoryd_client.messages import IndexProgress
from memoryd_client.paths import Paths

if TYPE_CHECKING:
    from memoryd_client.client import Client
    from memoryd_client.subscription import Subscription

BATCH_ROWS = 200
BATCH_BYTES = 1024 * 1024
"""A quarter of the largest frame: one batch is one durable transaction, and others get their turn between batches."""
PAGE_ROWS = 500
QUIET_S = 2.0
"""An index without news for this long is asked how far it is: an empty one has nothing to report."""


def add_to(app: typer.Typer) -> None:
    """Register the commands."""
    app.command("import", epilog=examples("memoryd import memories.jsonl", "memoryd import - < memories.jsonl"))(
        import_
    )
    app.command(epilog=examples("memoryd export > memories.jsonl", "memoryd export --all memories.jsonl"))(export)
    app.command(epilog=examples("memoryd backup", "memoryd backup /mnt/disk/memoryd.db"))(backup)
    app.command(epilog=examples("memoryd reindex"))(reindex)


class _Line(msgspec.Struct, frozen=True, kw_only=True):
    """A line to import: an exported memory, or as little as its content. What an import decides anew is not read."""

    content: str
    id: str = msgspec.field(default_factory=new_memory_id)
    category: str = "fact"
    scope: Scope = Scope.PROJECT
    project: str | None = None
    title: str = ""
    tags: tuple[str, ...] = ()
    metadata: dict[str, str] = {}
    importance: Importance = 3
    pinned: bool = False
    source: Source = Source.IMPORTED
    speaker: str = ""
    occurred_at: datetime | None = None
    session: str = ""
    source_messages: tuple[int, int] | None = None
    files: tuple[str, ...] = ()
    trust: Share | None = None
    state: State = State.ACTIVE


@dataclass(frozen=True, slots=True)
class _Incoming:
    project: str | None
    memory: NewMemory
    size_bytes: int


def import_(
    file: Annotated[str, typer.Argument(metavar="FILE", help="JSON lines, as `memoryd export` writes; - is stdin.")],
    *,
    session: Session = "",
    project: Project = None,
    agent: Agent = "cli",
    owner: Owner = "local",
    autostart: Autostart = False,
    as_json: Json = False,
) -> None:
    """Store memories from a file. The file is checked first; importing it twice stores nothing twice.

    A line needs `content` only. Where a line names no project, --project is meant. Memories that were forgotten,
    replaced or archived are left out.

    Of an exported memory everything is kept but what this store counts and decides itself: its owner (--owner), when it
    was stored and changed, how often it was shown and confirmed, and by which sessions (created_at, updated_at,
    last_accessed_at, access_count, strength, sources). To move a whole store as it is, use `memoryd backup`.
    """
    if file == "-":
        incoming, left_out = _parse(sys.stdin, "stdin")
    else:
        with Path(file).open(encoding="utf-8") as lines:
            incoming, left_out = _parse(lines, file)
    stored = 0
    for batch in _batches(incoming):
        within = project if batch[0].project is None else batch[0].project
        with connect(session, within, agent, owner, autostart=autostart) as memory:
            stored += len(memory.remember_many([one.memory for one in batch]))
        if sys.stderr.isatty():
            sys.stderr.write(f"\r{stored} of {len(incoming)}")
    if sys.stderr.isatty() and incoming:
        sys.stderr.write("\r\033[K")
    if as_json:
        out_json({"imported": stored, "left_out": left_out})
    else:
        out(f"imported {stored}" + (f", left out {left_out} that are not active" if left_out else ""))


def _parse(lines: Iterable[str], name: str) -> tuple[list[_Incoming], int]:
    decode = msgspec.json.Decoder(_Line).decode
    incoming: list[_Incoming] = []
    left_out = 0
    for number, text in enumerate(lines, start=1):
        if not text.strip():
            continue
        try:
            line = decode(text)
            memory = _memory(line)
        except (msgspec.MsgspecError, ValueError) as exc:
            raise CommandFailed(f"{name}, line {number}: {exc}", "Nothing was imported.") from exc
        if line.state is not State.ACTIVE:
            left_out += 1
        else:
            incoming.append(_Incoming(line.project if line.scope is Scope.PROJECT else "", memory, len(text.encode())))
    return incoming, left_out


def _memory(line: _Line) -> NewMemory:
    return NewMemory(
        id=line.id,
        content=line.content,
        category=line.category,
        scope=line.scope,
        title=line.title,
        tags=line.tags,
        metadata=line.metadata,
        importance=line.importance,
        pinned=line.pinned,
        source=line.source,
        speaker=line.speaker,
        occurred_at=line.occurred_at,
        source_session=line.session,
        source_messages=line.source_messages,
        files=line.files,
        trust=line.trust,
    )


def _batches(incoming: Iterable[_Incoming]) -> Iterator[list[_Incoming]]:
    """Split into runs of one project, neither too long nor too large."""
    batch: list[_Incoming] = []
    size = 0
    for one in incoming:
        if batch and (
            one.project != batch[0].project or len(batch) >= BATCH_ROWS or size + one.size_bytes > BATCH_BYTES
        ):
            yield batch
            batch, size = [], 0
        batch.append(one)
        size += one.size_bytes
    if batch:
        yield batch


def export(
    file: Annotated[Path | None, typer.Argument(metavar="[FILE]", help="A new file; else stdout.")] = None,
    *,
    everything: Annotated[
        bool, typer.Option("--all", "-a", help="Forgotten, replaced and archived ones, too.")
    ] = False,
    session: Session = "",
    project: Project = None,
    agent: Agent = "cli",
    owner: Owner = "local",
    autostart: Autostart = False,
) -> None:
    """Write memories as JSON lines, newest first, with every field.

    This project's and the global ones. The file gets mode 0600 and must not exist yet.
    """
    with connect(session, project, agent, owner, autostart=autostart) as memory:
        rows = _rows(memory, states(everything=everything))
        if file is None:
            for row in rows:
                write(row)
            return
        try:
            handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            raise CommandFailed(f"{file} exists already", "Choose another name, or remove it.") from None
        with open(handle, "w", encoding="utf-8") as target:
            count = sum(1 for row in rows if target.write(row))
    note(f"exported {count} to {file}")


def _rows(memory: "Client", wanted: tuple[str, ...]) -> Iterator[str]:
    before = ""
    while page := memory.list(states=wanted, limit=PAGE_ROWS, before=before):
        for one in page:
            yield msgspec.json.encode(plain(one)).decode() + "\n"
        before = page[-1].id


def backup(
    file: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="A new file; else a dated one in the home's backups folder.")
    ] = None,
    *,
    autostart: Autostart = False,
) -> None:
    """Copy the ledger while the daemon runs, and print where the copy is.

    To restore it: stop the daemon, put the copy in the place of ledger.db, and start it again. The index mends itself.
    """
    if file is not None and file.exists():
        raise CommandFailed(f"{file} exists already", "Name a file that does not exist yet.")
    with connect("", "", "cli", "local", autostart=autostart) as memory:
        made = Path(memory.backup())
    if file is None:
        out(str(made))
        return
    # Copied here, not there: as a service the daemon may write to its own home only.
    try:
        with made.open("rb") as source, open(file, "xb", opener=_private) as target:
            shutil.copyfileobj(source, target)
            os.fsync(target.fileno())
    except OSError as exc:
        raise CommandFailed(f"{file} cannot be written: {exc.strerror}", f"The copy is at {made}.") from exc
    out(str(file))


def _private(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_CLOEXEC, 0o600)


def reindex(*, autostart: Autostart = False) -> None:
    """Rebuild the index from the ledger, and wait until it is there."""
    from memoryd_client.subscription import Subscription

    with connect("", "", "cli", "local", autostart=autostart) as memory, Subscription(Paths.from_environment()) as news:
        begun = time.monotonic()
        note(memory.reindex())
        while not _caught_up(memory, news):
            pass
        if sys.stderr.isatty():
            sys.stderr.write("\r\033[K")
        out(f"reindexed in {time.monotonic() - begun:.1f} s")


def _caught_up(memory: "Client", news: "Subscription") -> bool:
    """Return whether the index has reached the ledger, going by the next event, or by the status where none comes."""
    news.wait(QUIET_S)
    event = news.next()
    if isinstance(event, IndexProgress):
        if sys.stderr.isatty():
            sys.stderr.write(f"\r{event.applied} of {event.target} changes")
        return event.applied >= event.target
    if event is not None:
        return False
    index = memory.status().components["index"]
    if index.state in {"degraded", "failed"}:
        raise CommandFailed(f"the index cannot be rebuilt: {index.message}", index.hint)
    return index.state == "ok"
