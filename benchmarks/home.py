"""A daemon of its own in a temporary home, with as many memories as asked for."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import anyio
import numpy as np
import psutil
from msgspec.structs import replace

from memoryd.clock import SystemClock
from memoryd.config import Config
from memoryd.embedding.model import MINILM, MINILM_DIMENSIONS, identity
from memoryd.embedding.onnx import OnnxModel
from memoryd.embedding.weights import Sources, fetch
from memoryd.index import LanceIndex
from memoryd.ledger import SqlLedger
from memoryd_actors.admission.gate import content_hash
from memoryd_actors.memory.steps import Add
from memoryd_actors.ports.embedder import Vectors
from memoryd_actors.ports.index import IndexRow
from memoryd_client import Client, DaemonUnreachable, DeadlineExceeded, Memory, Scope
from memoryd_client.base.paths import Paths
from memoryd_client.wire.memory import new_memory_id

PROJECT = "/bench"
_INDEXED = 20_000
"""Memories that go into the index at once: of a large table each commit looks through all ids."""
_STEMS = """
    token expiry midnight login session cookie refresh database migration lock timeout retry queue worker deploy docker
    image layer cache build pipeline flaky test fixture date picker locale currency rounding invoice tax billing report
    export import parser schema index vector search ranking judge prompt budget latency throughput memory leak profile
""".split()
WORDS = [f"{one}{other}" if other else one for other in ["", *_STEMS] for one in _STEMS]
"""2,500 words, used with the frequencies of natural language: few often, most rarely (Zipf)."""
_RANKS = 1.0 / np.arange(1, len(WORDS) + 1)
FREQUENCIES = _RANKS / _RANKS.sum()


@dataclass(frozen=True)
class Running:
    """A daemon that serves."""

    paths: Paths
    process: psutil.Process
    ready_s: float
    """From the start of the process to the first answered ping that says ready, in seconds."""

    def client(self, session: str = "") -> Client:
        return Client(session=session, project=PROJECT, paths=self.paths, deadline_s=60)

    def resident_mb(self) -> float:
        return float(self.process.memory_info().rss) / 1e6


def memory_mb(process: psutil.Process) -> dict[str, float]:
    """What a process has in memory, in MB: `resident`, and what of it is `anonymous`, no page of any file."""
    now = process.memory_info()
    return {"resident": now.rss / 1e6, "anonymous": (now.rss - now.shared) / 1e6}


def at_rest(process: psutil.Process) -> dict[str, float]:
    """Wait until a process has done next to nothing for three seconds, and return what it has in memory then.

    Work goes on after it was acknowledged: looking after an index of 20,000 messages takes 45 MB for some seconds.
    """
    quiet = 0
    until = monotonic() + 600
    while quiet < 3:
        if monotonic() > until:
            raise RuntimeError("the process did not come to rest within ten minutes")
        before = sum(process.cpu_times()[:2])
        sleep(1)
        quiet = quiet + 1 if sum(process.cpu_times()[:2]) - before < 0.03 else 0
    return memory_mb(process)


def wake_ups(process: psutil.Process) -> dict[str, int]:
    """How often each thread of a process has waited and gone on so far, by the thread's id."""
    found: dict[str, int] = {}
    for thread in Path(f"/proc/{process.pid}/task").iterdir():
        with suppress(FileNotFoundError):  # it has ended meanwhile
            for line in (thread / "status").read_text(encoding="ascii", errors="replace").splitlines():
                if line.startswith("voluntary_ctxt_switches"):
                    found[thread.name] = int(line.split()[1])
    return found


def bare_model(paths: Paths) -> OnnxModel:
    """The model alone, on a daemon's own weights and with its number of threads: the floor under everything."""
    threads = max(1, min(4, (os.cpu_count() or 1) - 1))
    return OnnxModel(fetch(Sources(models=paths.models, offline=True)), threads=threads)


def text(generator: np.random.Generator, words: int) -> str:
    return " ".join(generator.choice(WORDS, words, p=FREQUENCIES))


Made = Callable[[int, int], tuple[list[str], Vectors]]
"""The contents and vectors of the memories from one number up to another."""


Fields = Mapping[str, Any]
"""Fields of a memory, by name."""


def plain(_: int) -> Fields:
    """Return what is the same of all memories: they are of the project, and nothing else is said of them."""
    return {}


def fill(
    paths: Paths,
    count: int,
    precision: str = "fp32",
    *,
    made: Made | None = None,
    compared: bool = False,
    about: Callable[[int], Fields] = plain,
) -> None:
    """Put `count` synthetic memories into ledger and index, as if the model had embedded them.

    Unless they are `made`: clustered unit vectors, texts of project vocabulary. `about` says what else is known of one.
    """
    made = made or clustered()

    async def write() -> None:
        ledger = SqlLedger(paths.ledger, backups=paths.backups, clock=SystemClock())
        index = LanceIndex(paths.index, Config().index)
        await ledger.open()
        await index.open(model=identity(MINILM, precision), dimensions=MINILM_DIMENSIONS)
        start = datetime.now(UTC) - timedelta(days=30)
        sequence = 0
        waiting: list[IndexRow] = []
        for begin in range(0, count, 1000):
            now = start + timedelta(seconds=begin)
            contents, vectors = made(begin, min(begin + 1000, count))
            memories = [
                replace(
                    Memory(
                        id=new_memory_id(),
                        owner="local",
                        content=content,
                        scope=Scope.PROJECT,
                        project=PROJECT,
                        created_at=now,
                        updated_at=now,
                        content_hash=content_hash(content),
                        # Else the daemon writes it down for all of them while it is measured.
                        embedding_model=identity(MINILM, precision),
                    ),
                    **about(number),
                )
                for number, content in enumerate(contents, begin)
            ]
            steps = [Add(memory, compared=compared) for memory in memories]
            sequence = (await ledger.memories.apply("local", steps, actor="benchmark")).sequence
            waiting += [
                IndexRow(
                    id=memory.id,
                    vector=vector.astype(np.float32),
                    text=memory.content,
                    owner=memory.owner,
                    scope=memory.scope.value,
                    project=memory.project,
                    category=memory.category,
                    state=memory.state.value,
                    session="",
                    tags=memory.tags,
                    pinned=memory.pinned,
                    sequence=sequence,
                )
                for memory, vector in zip(memories, vectors, strict=True)
            ]
            if len(waiting) >= _INDEXED or begin + 1000 >= count:
                await index.apply(waiting, removed=[], sequence=sequence)
                waiting = []
        await index.optimise()
        await index.close()
        await ledger.close()

    paths.home.mkdir(parents=True, exist_ok=True, mode=0o700)
    anyio.run(write)


def clustered() -> Made:
    """Return what makes texts of project vocabulary, and unit vectors around 200 centres."""
    generator = np.random.default_rng(7)
    centres = generator.normal(size=(200, MINILM_DIMENSIONS))

    def made(begin: int, end: int) -> tuple[list[str], Vectors]:
        contents = [f"{text(generator, 24)} note {number}" for number in range(begin, end)]
        vectors = centres[generator.integers(0, 200, end - begin)]
        vectors = vectors + 0.7 * generator.normal(size=vectors.shape)
        return contents, (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)

    return made


def shared_models() -> Path:
    """Return where weights are converted once for all benchmarks, as they are once for all starts of a daemon."""
    shared = Path(tempfile.gettempdir()) / f"memoryd-benchmark-models-{os.getuid()}"
    shared.mkdir(mode=0o700, exist_ok=True)
    return shared


@contextmanager
def home() -> Generator[Paths]:
    """A temporary home, removed afterwards. Its path is short: a socket's may have 104 bytes."""
    folder = Path(tempfile.mkdtemp(prefix="memoryd-"))
    try:
        yield Paths.from_environment({"MEMORYD_HOME": str(folder), "HOME": str(Path.home())})
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def daemon(paths: Paths, **settings: str) -> Generator[Running]:
    """Run a daemon on a home; `settings` are environment variables."""
    environment = {
        key: value for key, value in os.environ.items() if not key.startswith(("MEMORYD_", "ANTHROPIC_"))
    } | {"MEMORYD_HOME": str(paths.home), "MEMORYD_LEDGER_BACKUP_HOURS": "0", **settings}
    # As installed: pip compiles what it installs, and a start that compiles everything takes twice as long.
    bytecode = Path(tempfile.gettempdir()) / f"memoryd-benchmark-bytecode-{os.getuid()}"
    environment |= {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(bytecode)}
    if not (paths.home / "models").exists():
        (paths.home / "models").symlink_to(shared_models())
    began = monotonic()
    process = subprocess.Popen([sys.executable, "-m", "memoryd"], env=environment, stderr=subprocess.PIPE)
    try:
        yield Running(paths, psutil.Process(process.pid), _ready(paths, process, began))
    finally:
        process.terminate()
        process.communicate(timeout=60)


def _ready(paths: Paths, process: "subprocess.Popen[bytes]", began: float) -> float:
    with Client(paths=paths, deadline_s=1) as client:
        while monotonic() - began < 60:
            try:
                if client.ping().ready:
                    return monotonic() - began
            except (DaemonUnreachable, DeadlineExceeded):
                if process.poll() is not None:
                    raise RuntimeError((process.stderr.read() if process.stderr else b"").decode()) from None
                sleep(0.005)
    raise RuntimeError("the daemon did not get ready within 60 s")


def wait_for_model(running: Running) -> float:
    """Wait until model and index are loaded; return the seconds since this call."""
    began = monotonic()
    with running.client() as client:
        while monotonic() - began < 120:
            parts = client.status().components
            if parts["model"].state == "ok" and parts["index"].state == "ok":
                return monotonic() - began
            sleep(0.01)
    raise RuntimeError("the model was not loaded within 120 s")
