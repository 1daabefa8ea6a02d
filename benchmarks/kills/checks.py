"""What is not as it was acknowledged, looked for after a kill."""

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from time import monotonic, sleep

from benchmarks.home import Running
from benchmarks.kills.writers import OWN, Writer, mirror_of, user_of
from memoryd_actors.mirroring.document import parse
from memoryd_client import Client, RequestFailed
from memoryd_client.base.paths import Paths

SETTLE_S = 120.0
SEARCHED = 5
"""Memories, and entries, of each writer that are searched for."""


def lost(writers: Sequence[Writer], client: Client) -> Iterator[str]:
    """Yield what is not as it was acknowledged, as far as nothing has to be waited for."""
    for writer in writers:
        # What was written into files was not acknowledged yet: it is looked for once all has settled.
        yield from () if writer.files else _memories(writer, client)
        yield from _entries(writer, client)
        yield from _kept(writer)
        yield from (f"was purged and is there: {name}" for name in writer.gone if _is_there(name, client))
        yield from _connected(writer)


def unsettled(writers: Sequence[Writer], running: Running) -> Iterator[str]:
    """Yield what is not as it was acknowledged once all had time to settle: files, index, purges, backups, programs."""
    with running.client() as client:
        yield from _unlike(writers, running, client)
        for writer in writers:
            yield from _memories(writer, client) if writer.files else ()
        yield from _left_of_purges(writers, running, client)
        yield from _not_found(writers, client)
    for file in [*running.paths.backups.glob("ledger-*.db"), *running.paths.backups.glob(".*.part*")]:
        if not _is_whole(file):
            yield f"a damaged backup: {file}"
    for writer in writers:
        yield from _not_taken_back(writer)


def is_sound(paths: Paths) -> bool:
    """Return whether a copy of the ledger, with its log, passes SQLite's own check."""
    with tempfile.TemporaryDirectory() as folder:
        for file in paths.home.glob("ledger.db*"):
            shutil.copy(file, folder)
        return _is_whole(Path(folder) / "ledger.db")


def _is_whole(file: Path) -> bool:
    with closing(sqlite3.connect(file)) as ledger:
        try:
            return bool(ledger.execute("PRAGMA integrity_check").fetchall() == [("ok",)])
        except sqlite3.DatabaseError:
            return False


def _memories(writer: Writer, client: Client) -> Iterator[str]:
    for memory_id, outcomes in writer.memories.items():
        try:
            memory = client.get(memory_id)
        except RequestFailed:
            yield f"lost: {memory_id}"
            continue
        if (memory.state.value, memory.content) not in outcomes:
            yield f"wrong: {memory_id} is {memory.state.value}"
        writer.memories[memory_id] = {(memory.state.value, memory.content)}


def _entries(writer: Writer, client: Client) -> Iterator[str]:
    there: list[str] = []
    after = 0
    while page := client.messages(writer.session, after=after, limit=1000).entries:
        there += [one.id for one in page]
        after = page[-1].sequence
    place = {entry_id: number for number, entry_id in enumerate(there)}
    missing = [entry_id for entry_id in writer.entries if entry_id not in place]
    if missing:
        yield f"lost: {len(missing)} entries of {writer.session}"
    order = [place[entry_id] for entry_id in writer.entries if entry_id in place]
    if len(there) != len(place) or order != sorted(order):
        yield f"twice or out of order: entries of {writer.session}"


def _kept(writer: Writer) -> Iterator[str]:
    with writer.client() as client:
        for what, texts in writer.kept.items():
            there = _held(client, writer.session, what)
            if there not in texts:
                yield f"lost: {what} of {writer.session}"
            writer.kept[what] = {there}


def _held(client: Client, session: str, what: str) -> str:
    """Return what is there of what `keep` wrote; nothing where nothing is."""
    if what == "core":
        return "".join(one.text for one in client.core_view(thread=session) if one.name == "notes")
    if what == "checkpoint":
        found = client.load_checkpoint(session)
        return found.data.decode() if found is not None else ""
    try:
        return client.read_file(f"{session}/notes.md").content
    except RequestFailed:
        return ""


def _connected(writer: Writer) -> Iterator[str]:
    yield from writer.failed
    writer.failed.clear()
    for file in OWN if writer.connected else ():
        said = (user_of(writer.paths) / file).read_text(encoding="utf-8")
        host = file[1:].split("/")[0]
        if "mine" not in said:
            yield f"lost: what the user wrote in {file}"
        if ("memoryd" in said) not in writer.connected.get(host, {False}):
            yield f"connected or disconnected only in part: {host}"


def _not_taken_back(writer: Writer) -> Iterator[str]:
    """Disconnect what may be connected, and yield what is not as it was then."""
    if not writer.connected:
        return
    writer.resume()
    for host, states in writer.connected.items():
        if len(states) > 1 and writer.draw.random() < 0.5:
            writer.run("connect", host)
        if True in states:
            writer.run("disconnect", host)
        writer.connected[host] = {False}
    yield from writer.failed
    writer.failed.clear()
    folder = user_of(writer.paths)
    files = {str(file.relative_to(folder)): file.read_text() for file in folder.rglob("*") if file.is_file()}
    for file in sorted(files.keys() | OWN.keys()):
        if files.get(file) != OWN.get(file):
            yield f"is not as before it was connected: {file}"


def _unlike(writers: Sequence[Writer], running: Running, client: Client) -> list[str]:
    """Return which memories and files do not say the same, once folder and memory had time to come together."""
    until = monotonic() + SETTLE_S
    while True:
        files = list(mirror_of(running.paths).rglob("[!.]*.md"))
        said = {note.id: note.content for note in map(parse, (file.read_bytes() for file in files)) if note.id}
        found = [f"a conflict: {file}" for file in files if ".conflict-" in file.name]
        for memory_id in (one for writer in writers for one in writer.memories):
            with suppress(RequestFailed):  # lost: told elsewhere
                memory = client.get(memory_id)
                if said.get(memory_id, "") != (memory.content if memory.active else ""):
                    found.append(f"its file says otherwise: {memory_id}")
        if not found or monotonic() > until:
            return found
        sleep(0.5)


def _left_of_purges(writers: Sequence[Writer], running: Running, client: Client) -> Iterator[str]:
    """What was purged, or begun to be, has not left a byte once the daemon says that none is unfinished."""
    until = monotonic() + SETTLE_S
    while client.status().components["ledger"].numbers["purges_unfinished"]:
        if monotonic() > until:
            yield "a purge stays unfinished"
            return
        sleep(0.1)
    texts = [
        text
        for writer in writers
        for name, texts in writer.purged.items()
        if not _is_there(name, client)
        for text in texts
    ]
    for folder in (running.paths.home, mirror_of(running.paths)):
        yield from (f"a purge has left bytes in {file}" for file in _files_with(folder, [text[:-1] for text in texts]))


def _is_there(name: str, client: Client) -> bool:
    """Return whether a memory, or anything of a session, is there."""
    if not name.startswith("mem_"):
        return bool(client.messages(name).entries)
    try:
        client.get(name)
    except RequestFailed:
        return False
    return True


def _files_with(folder: Path, needles: Sequence[str]) -> list[str]:
    """Return the files that have one of the texts, read byte by byte."""
    wanted = [needle.encode() for needle in needles]
    found: list[str] = []
    for file in folder.rglob("*"):
        if file.is_file() and "models" not in file.parts:
            with suppress(FileNotFoundError):  # an index that is looked after changes its files
                content = file.read_bytes()
                if any(needle in content for needle in wanted):
                    found.append(str(file))
    return found


def _not_found(writers: Sequence[Writer], client: Client) -> Iterator[str]:
    """Search for what is there, once no index has anything to catch up with and no model is being changed."""
    until = monotonic() + SETTLE_S
    while waiting := _behind(client):
        if monotonic() > until:
            yield f"an index does not catch up: {waiting}"
            return
        sleep(0.1)
    for writer in writers:
        active = [name for name, outcomes in writer.memories.items() if {state for state, _ in outcomes} == {"active"}]
        for memory_id in writer.draw.sample(active, min(SEARCHED, len(active))):
            ((_, content),) = writer.memories[memory_id]
            if memory_id not in {hit.id for hit in client.search(content, limit=5)}:
                yield f"is not found: {memory_id}"
        for entry_id in writer.draw.sample(sorted(writer.entries), min(SEARCHED, len(writer.entries))):
            found = client.search_messages(writer.entries[entry_id], limit=5).found
            if entry_id not in {one.record.id for one in found}:
                yield f"is not found: entry {entry_id} of {writer.session}"


def _behind(client: Client) -> list[str]:
    """Return which indexes have something to catch up with, and the model that is being changed."""
    parts = client.status().components
    waiting = {
        "index": parts["index"].state != "ok",
        "transcripts": parts["transcripts"].numbers["behind"] > 0,
        "embedding": parts["embedding"].state != "ok",
    }
    return [f"{name} {parts[name].message}".strip() for name, waits in waiting.items() if waits]
