"""Kills a daemon with -9 at random moments under a mix of all that writes, and looks for what it acknowledged.

    python -m benchmarks.kills --times 50 --seed 7
    python -m benchmarks.kills --times 1000 --parts 40 --beside 2

Runs in parts: each has a home of its own, and so many run beside each other. Each kill is told as it has been looked
into, and the figures are written after each part, so that a run which is cut off has not been for nothing. What was
acknowledged has to be there, as it was last; what was under way may be there or not, but never half; of a purge that
was acknowledged, or has begun, no byte is left once the daemon says that none is unfinished; the ledger passes SQLite's
own check. All is mirrored into a folder, in which files are written as well: both say the same at last. Ends with 1
where anything else was found.
"""

import argparse
import random
import shutil
import sqlite3
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import ExitStack, closing, contextmanager, suppress
from multiprocessing import get_context
from pathlib import Path
from threading import Event, Thread
from time import monotonic, sleep
from typing import Any

from benchmarks.home import Running, daemon, home
from benchmarks.record import RESULTS, write
from memoryd_actors.mirroring.document import parse
from memoryd_client import Client, Entry, MemorydError, Message, NewMemory, RequestFailed, Scope
from memoryd_client.base.paths import Paths
from memoryd_client.wire.importing import MemoryRecord
from memoryd_client.wire.memory import new_memory_id

SYLLABLES = "ba ce di fo gu ha je ki lo mu na pe qui ro su ta ve wi xo zu bra cle dri flo gre".split()
DEADLINE_S = 8.0
SETTLE_S = 120.0

Outcome = tuple[str, str]
"""A memory's state and content."""


class Writer:
    """Writes of one kind in a thread of its own, and what has to be there afterwards."""

    def __init__(self, paths: Paths, name: str, seed: int, kind: "Callable[[Writer, Client], str]") -> None:
        self.session = name
        self.draw = random.Random(f"{name} {seed}")
        self.memories: dict[str, set[Outcome]] = {}
        """What each may be: one outcome where it was acknowledged."""
        self.entries: list[str] = []
        """Ids of acknowledged entries, in order."""
        self.kept: dict[str, set[str]] = {}
        """What each section of core memory, checkpoint and file may hold: one text where it was acknowledged."""
        self.ended: set[str] = set()
        """Texts of sessions whose purge was acknowledged."""
        self.purged: dict[str, tuple[str, ...]] = {}
        """By the id of the memory, what has to be gone where that is."""
        self.files: dict[str, Path] = {}
        """By the id of the memory, the file in which it was written."""
        self.counts: Counter[str] = Counter()
        self.mirror = mirror_of(paths)
        self._paths = paths
        self._kind = kind

    def text(self) -> str:
        """Return words that nobody has said before."""
        words = ("".join(self.draw.choice(SYLLABLES) for _ in range(4)) for _ in range(9))
        return f"{' '.join(words).capitalize()} {self.draw.randrange(10**12):012d}."

    def client(self, session: str = "") -> Client:
        """Return a client of the writer's session, or of another one."""
        return Client(
            session=session or self.session, project="/kills", agent="cli", paths=self._paths, deadline_s=DEADLINE_S
        )

    def write_until(self, stop: Event) -> None:
        """Write until told to stop, or until the daemon does not answer any more."""
        with self.client() as client:
            while not stop.is_set():
                try:
                    self.counts[self._kind(self, client)] += 1
                except RequestFailed as failed:
                    self.counts[f"refused: {failed.code}"] += 1
                except MemorydError:
                    return

    def change(self, memory_id: str, outcome: Outcome, work: Callable[[], object]) -> None:
        """Do something to a memory; until it is acknowledged it may have happened or not."""
        self.memories[memory_id] = {*self.memories.get(memory_id, set()), outcome}
        work()
        self.memories[memory_id] = {outcome}

    def settled(self) -> list[str]:
        """Return the memories of which is known how they are."""
        return [memory_id for memory_id, outcomes in self.memories.items() if len(outcomes) == 1]


def change_memories(writer: Writer, client: Client) -> str:
    """Remember, update, forget, restore, undo."""
    mine = writer.settled()
    what = writer.draw.choice(("remember", "remember", "update", "forget", "restore", "undo")) if mine else "remember"
    said = writer.text()
    if what == "remember":
        memory_id = new_memory_id()
        new = NewMemory(id=memory_id, content=said, scope=Scope.GLOBAL)
        client.remember_many([new])
        writer.memories[memory_id] = {("active", said)}
        return what
    memory_id = writer.draw.choice(mine)
    ((state, content),) = writer.memories[memory_id]
    if what == "forget":
        writer.change(memory_id, ("forgotten", content), lambda: client.forget(memory_id))
    elif what == "restore":
        writer.change(memory_id, ("active", content), lambda: client.restore(memory_id))
    elif state == "active":
        writer.change(memory_id, ("active", said), lambda: client.update(memory_id, content=said))
        if what == "undo":
            operation = client.history(memory_id, limit=1)[0].operation
            writer.change(memory_id, ("active", content), lambda: client.undo(operation))
    return what


def append(writer: Writer, client: Client) -> str:
    """Append entries, push contexts, compact."""
    entries = [Entry(content=writer.text(), role="user") for _ in range(writer.draw.choice((1, 3, 20)))]
    client.append(entries)
    writer.entries += [entry.id for entry in entries]
    if writer.draw.random() < 0.05:
        client.compact()
        return "compact"
    if writer.draw.random() < 0.1:
        client.push_acknowledged([Message("user", writer.text())])
        return "push"
    return "append"


def bring(writer: Writer, client: Client) -> str:
    """Import records."""
    size = writer.draw.choice((1, 20, 100))
    records = [MemoryRecord(content=writer.text(), scope=Scope.GLOBAL) for _ in range(size)]
    done = set(client.import_records(records).added)
    writer.memories |= {one.id: {("active", one.content)} for one in records if one.id in done}
    return "import"


def purge(writer: Writer, client: Client) -> str:
    """Purge a memory with its transcripts, or a session, each with an earlier wording."""
    first, second = writer.text(), writer.text()
    memory = client.remember(first, scope="global")
    client.append([Entry(content=f"As I said: {first}", role="user")])
    client.update(memory.id, content=second)
    client.append([Entry(content=f"Or rather: {second}", role="user")])
    writer.purged[memory.id] = first, second
    client.purge([memory.id], transcripts=True)
    return "purge"


def keep(writer: Writer, client: Client) -> str:
    """Write a section of core memory, a checkpoint, a memory file."""
    what = writer.draw.choice(("core", "checkpoint", "file"))
    said = writer.text()
    before = writer.kept.get(what, {""})
    writer.kept[what] = {*before, said}
    if what == "core":
        there = [one for one in client.core_view(thread=writer.session) if one.name == "notes"]
        revision = there[0].revision if there else None
        client.core_set("notes", said, thread=writer.session, revision=revision)
    elif what == "checkpoint":
        client.save_checkpoint(writer.session, said.encode())
    else:
        client.write_file(f"{writer.session}/notes.md", said)
    writer.kept[what] = {said}
    return what


def held(client: Client, session: str, what: str) -> str:
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


def end(writer: Writer, client: Client) -> str:
    """Say something in a session of its own, and purge that."""
    said, session = writer.text(), f"{writer.session}-{writer.draw.randrange(10**9)}"
    with writer.client(session) as other:
        other.append([Entry(content=said, role="user")])
    client.purge_session(session, deadline_s=DEADLINE_S)
    writer.ended.add(said)
    return "purge session"


def edit_files(writer: Writer, client: Client) -> str:
    """Add, edit or delete files of the mirrored folder, each at once, as editors do."""
    sleep(writer.draw.uniform(0.0, 0.2))
    what = writer.draw.choice(("add file", "add file", "edit file", "delete file")) if writer.files else "add file"
    memory_id, said = new_memory_id(), writer.text()
    path = writer.mirror / "global" / "fact" / f"{said[:20]} {memory_id[-4:]}.md"
    if what != "add file":
        memory_id, path = writer.draw.choice(list(writer.files.items()))
    if what == "delete file":
        content = client.get(memory_id).content
        if writer.memories[memory_id] != {("active", content)}:
            return "not yet taken"
        # A kill before it was noted that there is a file: then it comes again.
        writer.memories[memory_id] = {("forgotten", content), ("active", content)}
        writer.files.pop(memory_id).unlink()
        return what
    new = path.with_name(f".{path.name}")
    new.parent.mkdir(parents=True, exist_ok=True)
    new.write_text(f"---\nid: {memory_id}\n---\n\n{said}\n")
    new.replace(path)
    writer.files[memory_id], writer.memories[memory_id] = path, {("active", said)}
    return what


def upkeep(writer: Writer, client: Client) -> str:
    """Reindex, back up, consolidate, search."""
    sleep(writer.draw.uniform(0.05, 0.5))
    what = writer.draw.choice(("reindex", "backup", "consolidate", "search"))
    if what == "reindex":
        client.reindex()
    elif what == "backup":
        client.backup()
    elif what == "consolidate":
        client.consolidate()
    else:
        client.search(writer.text())
    return what


KINDS = (change_memories, change_memories, append, append, bring, purge, purge, keep, end, edit_files, upkeep)


def mirror_of(paths: Paths) -> Path:
    """Return the folder into which all memories of a home are mirrored."""
    return paths.home.with_name(f"{paths.home.name}-mirror")


def unlike(writers: Sequence[Writer], running: Running, client: Client) -> list[str]:
    """Return which memories and files do not say the same, once folder and memory had time to come together."""
    until = monotonic() + SETTLE_S
    while True:
        files = list(mirror_of(running.paths).rglob("[!.]*.md"))
        said = {note.id: note.content for note in map(parse, (file.read_bytes() for file in files)) if note.id}
        found = [f"a conflict: {file}" for file in files if ".conflict-" in file.name]
        for memory_id in (one for writer in writers for one in writer.memories):
            with suppress(RequestFailed):  # lost: told by `problems`
                memory = client.get(memory_id)
                if said.get(memory_id, "") != (memory.content if memory.active else ""):
                    found.append(f"its file says otherwise: {memory_id}")
        if not found or monotonic() > until:
            return found
        sleep(0.5)


def files_with(folder: Path, needles: Sequence[str]) -> list[str]:
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


def problems(writers: Sequence[Writer], running: Running) -> Iterator[str]:
    """Yield what is not as it was acknowledged."""
    with running.client() as client:
        if not client.mirrors():
            client.mirror(mirror_of(running.paths))
        yield from unlike(writers, running, client)
        for writer in writers:
            for memory_id, outcomes in writer.memories.items():
                try:
                    memory = client.get(memory_id)
                except RequestFailed:
                    yield f"lost: {memory_id}"
                    continue
                if (memory.state.value, memory.content) not in outcomes:
                    yield f"wrong: {memory_id} is {memory.state.value}"
                writer.memories[memory_id] = {(memory.state.value, memory.content)}
            yield from _entries(writer, client)
            with writer.client() as own:
                for what, texts in writer.kept.items():
                    there = held(own, writer.session, what)
                    if there not in texts:
                        yield f"lost: {what} of {writer.session}"
                    writer.kept[what] = {there}
        gone = {
            memory_id: texts
            for writer in writers
            for memory_id, texts in writer.purged.items()
            if not _is_there(client, memory_id)
        }
        until = monotonic() + SETTLE_S
        while client.status().components["ledger"].numbers["purges_unfinished"] and monotonic() < until:
            sleep(0.1)
        erased = [text for texts in gone.values() for text in texts]
        erased += [text for writer in writers for text in writer.ended]
        left = [
            file
            for folder in (running.paths.home, mirror_of(running.paths))
            for file in files_with(folder, [text[:-1] for text in erased])
        ]
        if left:
            yield f"a purge has left bytes in {', '.join(left)}"


def _is_there(client: Client, memory_id: str) -> bool:
    try:
        client.get(memory_id)
    except RequestFailed:
        return False
    return True


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


def is_sound(paths: Paths) -> bool:
    """Return whether a copy of the ledger, with its log, passes SQLite's own check."""
    with tempfile.TemporaryDirectory() as folder:
        for file in paths.home.glob("ledger.db*"):
            shutil.copy(file, folder)
        with closing(sqlite3.connect(Path(folder) / "ledger.db")) as ledger:
            return bool(ledger.execute("PRAGMA integrity_check").fetchall() == [("ok",)])


@contextmanager
def writing(writers: Sequence[Writer]) -> Generator[None]:
    """Let all write; on the way out they stop."""
    stop = Event()
    threads = [Thread(target=writer.write_until, args=(stop,), daemon=True) for writer in writers]
    for thread in threads:
        thread.start()
    yield
    stop.set()
    for thread in threads:
        thread.join()


Figures = dict[str, Any]


def part(times: int, seed: int) -> Figures:
    """Kill a daemon that often, in a home of its own; return what was found."""
    draw = random.Random(seed)
    found: list[str] = []
    starts: list[float] = []
    with home() as paths, ExitStack() as tidy:
        tidy.callback(shutil.rmtree, mirror_of(paths), ignore_errors=True)
        writers = [Writer(paths, f"{kind.__name__}-{at}", seed, kind) for at, kind in enumerate(KINDS)]
        for number in range(times + 1):
            with daemon(paths) as running:
                starts.append(running.ready_s)
                now = [f"seed {seed}, after kill {number}: {problem}" for problem in problems(writers, running)]
                print(f"seed {seed}, {number} of {times} kills: {'; '.join(now) or 'nothing lost'}", flush=True)
                found += now
                if number < times:
                    with writing(writers):
                        sleep(draw.uniform(0.3, 4.0))
                        running.process.kill()
            if number < times and not is_sound(paths):
                found.append(f"seed {seed}, after kill {number + 1}: the ledger is damaged")
    return {
        "kills": times,
        "acknowledged": sum((writer.counts for writer in writers), Counter[str]()),
        "memories": sum(len(writer.memories) for writer in writers),
        "entries": sum(len(writer.entries) for writer in writers),
        "purges": sum(len(writer.purged) + len(writer.ended) for writer in writers),
        "longest_start_s": round(max(starts), 2),
        "problems": found,
    }


def together(parts: Sequence[Figures]) -> Figures:
    """Return the figures of several parts as those of one run."""
    summed = ("kills", "memories", "entries", "purges")
    acknowledged = sum((one["acknowledged"] for one in parts), Counter[str]())
    return {
        **{name: sum(one[name] for one in parts) for name in summed},
        "acknowledged": dict(acknowledged.most_common()),
        "longest_start_s": max(one["longest_start_s"] for one in parts),
        "problems": [problem for one in parts for problem in one["problems"]],
    }


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.kills", description=__doc__)
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder of the JSON")
    parser.add_argument("--parts", type=int, default=1, help="homes, among which the kills are divided")
    parser.add_argument("--beside", type=int, default=1, help="parts that run beside each other")
    given = parser.parse_args(arguments)
    done: list[Figures] = []
    shares = [given.times // given.parts + (number < given.times % given.parts) for number in range(given.parts)]
    with ProcessPoolExecutor(given.beside, get_context("spawn")) as beside:
        running = [beside.submit(part, times, given.seed + number) for number, times in enumerate(shares)]
        for finished in as_completed(running):
            done.append(finished.result())
            path = write(given.results, "kills", together(done))
    for name, figure in together(done).items():
        print(f"{name:16} {figure}")
    print(f"\nJSON: {path}")
    return 1 if together(done)["problems"] else 0


if __name__ == "__main__":
    sys.exit(main())
