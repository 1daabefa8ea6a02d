"""The mix of all that writes: each kind in a thread of its own, with what has to be there afterwards."""

import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Event, Lock, Thread
from time import sleep

from memoryd_client import Client, Entry, MemorydError, Message, NewMemory, RequestFailed, Scope
from memoryd_client.base.paths import Paths
from memoryd_client.wire.importing import MemoryRecord
from memoryd_client.wire.memory import new_memory_id

_SYLLABLES = "ba ce di fo gu ha je ki lo mu na pe qui ro su ta ve wi xo zu bra cle dri flo gre".split()
WORDS = tuple(f"{first}{second}" for first in _SYLLABLES for second in _SYLLABLES)
"""What the texts are made of."""
DEADLINE_S = 8.0
OWN = {
    ".gemini/settings.json": '{\n  "theme": "dark" // mine\n}\n',
    ".qwen/settings.json": '{"mine": true}\n',
    ".codex/config.toml": 'model = "mine"\n',
}
"""What stands in the files of agents' programs before they are connected."""
HOSTS = ("gemini", "qwen", "codex")

Outcome = tuple[str, str]
"""A memory's state and content."""


class Writer:
    """Writes of one kind, and what has to be there afterwards."""

    def __init__(
        self, paths: Paths, name: str, seed: int, kind: "Callable[[Writer, Client], str]", models: Sequence[str]
    ) -> None:
        self.session = name
        self.draw = random.Random(f"{name} {seed}")
        self.memories: dict[str, set[Outcome]] = {}
        """What each may be: one outcome where it was acknowledged."""
        self.entries: dict[str, str] = {}
        """What acknowledged entries say, by their ids, in order."""
        self.kept: dict[str, set[str]] = {}
        """What each section of core memory, checkpoint and file may hold: one text where it was acknowledged."""
        self.to_purge: tuple[str, tuple[str, ...]] | None = None
        """A memory or session, and its texts."""
        self.purged: dict[str, tuple[str, ...]] = {}
        """By the id of the memory, or the name of the session, what has to be gone where that is."""
        self.gone: set[str] = set()
        """Memories and sessions whose purge was acknowledged."""
        self.files: dict[str, Path] = {}
        """By the id of the memory, the file in which it was written."""
        self.connected: dict[str, set[bool]] = {}
        """Whether each agents' program may be connected."""
        self.failed: list[str] = []
        """What commands said that failed."""
        self.counts: Counter[str] = Counter()
        self.paths = paths
        self.models = models
        self.mirror = mirror_of(paths)
        self._kind = kind
        self._stop = Event()
        self._lock = Lock()
        self._clients: list[Client] = []
        self._command: subprocess.Popen[str] | None = None

    def text(self) -> str:
        """Return words that nobody has said before."""
        return f"{' '.join(self.draw.choices(WORDS, k=9)).capitalize()} {self.draw.randrange(10**12):012d}."

    def client(self, session: str = "") -> Client:
        """Return a client of the writer's session, or of another one."""
        client = Client(
            session=session or self.session, project="/kills", agent="cli", paths=self.paths, deadline_s=DEADLINE_S
        )
        self._clients.append(client)
        return client

    def begin(self) -> Thread:
        """Write until told to stop, or until the daemon does not answer any more."""
        self.resume()
        thread = Thread(target=self._write, daemon=True)
        thread.start()
        return thread

    def _write(self) -> None:
        with self.client() as client:
            while not self._stop.is_set():
                try:
                    self.counts[self._kind(self, client)] += 1
                except RequestFailed as failed:
                    self.counts[f"refused: {failed.code}"] += 1
                except MemorydError:
                    break

    def resume(self) -> None:
        """Let commands be run again."""
        self._stop.clear()

    def stop(self) -> None:
        """Begin nothing any more, and kill what command is under way: it would start a daemon."""
        with self._lock:
            self._stop.set()
            if self._command is not None:
                self._command.kill()

    def hang_up(self) -> None:
        """Wait for no answer any more."""
        while self._clients:
            self._clients.pop().close()

    def change(self, memory_id: str, outcome: Outcome, work: Callable[[], object]) -> None:
        """Do something to a memory; until it is acknowledged it may have happened or not."""
        self.memories[memory_id] = {*self.memories.get(memory_id, set()), outcome}
        work()
        self.memories[memory_id] = {outcome}

    def settled(self) -> list[str]:
        """Return the memories of which is known how they are."""
        return [memory_id for memory_id, outcomes in self.memories.items() if len(outcomes) == 1]

    def run(self, *arguments: str) -> bool:
        """Run a command of the command line, as a user whose own folder lies beside the home; return whether it did."""
        kept = {key: value for key, value in os.environ.items() if not key.startswith("MEMORYD_")}
        environment = {**kept, "MEMORYD_HOME": str(self.paths.home), "HOME": str(user_of(self.paths))}
        with self._lock:
            if self._stop.is_set():
                return False
            self._command = subprocess.Popen(
                [Path(sys.executable).with_name("memoryd"), *arguments], env=environment, stderr=subprocess.PIPE,
                stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL, text=True,
            )  # fmt: skip
        _, said = self._command.communicate()
        if self._command.returncode > 0:
            self.failed.append(f"`{' '.join(arguments)}` failed: {said.strip()}")
        return self._command.returncode == 0


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
    entries = [Entry(content=writer.text(), role="user") for _ in range(writer.draw.choice((1, 1, 3, 20)))]
    client.append(entries)
    writer.entries |= {entry.id: entry.content for entry in entries}
    what = writer.draw.choices(("append", "push", "compact"), (12, 2, 1))[0]
    if what == "compact":
        client.compact()
    elif what == "push":
        client.push_acknowledged([Message("user", writer.text())])
    sleep(writer.draw.uniform(0.0, 0.05))
    return what


def bring(writer: Writer, client: Client) -> str:
    """Import records."""
    size = writer.draw.choice((1, 20, 100))
    records = [MemoryRecord(content=writer.text(), scope=Scope.GLOBAL) for _ in range(size)]
    done = set(client.import_records(records).added)
    writer.memories |= {one.id: {("active", one.content)} for one in records if one.id in done}
    sleep(writer.draw.uniform(0.0, 0.2))
    return "import"


def purge(writer: Writer, client: Client) -> str:
    """Purge a memory with its transcripts, of which there is an earlier wording."""
    if writer.to_purge is None:
        first, second = writer.text(), writer.text()
        memory = client.remember(first, scope="global")
        client.append([Entry(content=f"As I said: {first}", role="user")])
        client.update(memory.id, content=second)
        client.append([Entry(content=f"Or rather: {second}", role="user")])
        writer.to_purge = memory.id, (first, second)
        return "tell what is purged"
    (memory_id, texts), writer.to_purge = writer.to_purge, None
    writer.purged[memory_id] = texts
    client.purge([memory_id], transcripts=True)
    writer.gone.add(memory_id)
    return "purge"


def end(writer: Writer, client: Client) -> str:
    """Purge a session."""
    if writer.to_purge is None:
        said, session = writer.text(), f"{writer.session}-{writer.draw.randrange(10**9)}"
        with writer.client(session) as other:
            other.append([Entry(content=said, role="user")])
        writer.to_purge = session, (said,)
        return "begin a session"
    (session, texts), writer.to_purge = writer.to_purge, None
    writer.purged[session] = texts
    client.purge_session(session, deadline_s=DEADLINE_S)
    writer.gone.add(session)
    return "purge session"


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
    """Reindex, back up, consolidate, search, change the embedding model."""
    sleep(writer.draw.uniform(0.05, 0.5))
    what = writer.draw.choice(("reindex", "backup", "consolidate", "search", "re-embed"))
    if what == "reindex":
        client.reindex()
    elif what == "backup":
        client.backup()
    elif what == "consolidate":
        client.consolidate()
    elif what == "re-embed":
        writer.paths.config.write_text(writer.draw.choice(writer.models), encoding="utf-8")
        client.reembed()
    else:
        client.search(writer.text())
    return what


def connect(writer: Writer, client: Client) -> str:
    """Connect agents' programs, and disconnect them."""
    sleep(writer.draw.uniform(0.1, 0.5))
    host = writer.draw.choice(HOSTS)
    before = writer.connected.get(host, {False})
    what = "disconnect" if before == {True} and writer.draw.random() < 0.6 else "connect"
    writer.connected[host] = {*before, what == "connect"}
    if not writer.run(what, host):
        return f"cut off: {what}"
    writer.connected[host] = {what == "connect"}
    return what


KINDS = (change_memories, change_memories, append, append, bring, purge, end, keep, edit_files, upkeep, connect)


def mirror_of(paths: Paths) -> Path:
    """Return the folder into which all memories of a home are mirrored."""
    return paths.home.with_name(f"{paths.home.name}-mirror")


def user_of(paths: Paths) -> Path:
    """Return the folder of the user whose agents' programs are connected."""
    return paths.home.with_name(f"{paths.home.name}-user")
