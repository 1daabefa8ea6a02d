"""What the daily consolidation finds that the comparison at each write does not, what it costs, and what it gets wrong.

Labelled pairs of sentences (duplicates and conflicts, from public sets) and real old and new statements of one user are
planted among unrelated messages of conversations, all in one project. Rows:

- cosine > 0.85 merges: on the planted pairs alone, the floor.
- at the write: every memory is compared with its nearest neighbours as it arrives, by the rules.
- knows all: further days of consolidation, with a judge that answers from the labels. No model is as good: it is what
  one could reach with the pairs that the worker puts before it, so it measures the choice of pairs, not a judge.

`merged` is the share of the planted duplicates, and of the conflicts, that became one memory; `settled` also counts
conflicts and updates that are superseded, linked as a contradiction, or in doubt. The cost of a plan is measured on
10,000 synthetic memories, beside the bare product of their vectors.

Reads `pairs/dev.jsonl` and `beam100k/{memories,update_pairs}.jsonl` from a data folder, which is not part of this
repository.
"""

import argparse
import sys
from collections import defaultdict
from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import perf_counter

import anyio
import msgspec
import numpy as np

from benchmarks.home import daemon, fill, home, wait_for_model
from benchmarks.recall.data import DEFAULT
from benchmarks.record import RESULTS, write
from benchmarks.vectors import MODEL, Embeddings
from memoryd.config import Config
from memoryd.embedding.model import MINILM_DIMENSIONS
from memoryd.index import LanceIndex
from memoryd.ledger import SqlLedger
from memoryd_actors.access.categories import Categories
from memoryd_actors.access.view import MemoryView
from memoryd_actors.comparison import Comparison, Relation
from memoryd_actors.consolidating.checker import Checker
from memoryd_actors.consolidating.comparer import Comparer
from memoryd_actors.consolidating.finder import PairFinder
from memoryd_actors.consolidating.near import ROWS, Band, near
from memoryd_actors.consolidating.pairs import in_turn
from memoryd_actors.consolidating.settings import ConsolidationSettings
from memoryd_actors.core.actor import ActorRef
from memoryd_actors.indexing.indexer import Indexer
from memoryd_actors.judging.pairs import Classified, Pair, weighed
from memoryd_actors.keeping.gatekeeper import Gatekeeper
from memoryd_actors.keeping.keeper import Keeper
from memoryd_actors.keeping.neighbours import Neighbours
from memoryd_actors.keeping.orders import KeeperMessage, Store
from memoryd_actors.ports.embedder import Vectors
from memoryd_client import Memory, NewMemory, Scope, State
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.events import Event

OWNER = "local"
PLANTED = {"dup": 200, "conflict": 200}
UNRELATED = 500
COSINE = 0.85
"""From which the floor merges."""
LONGEST = 400
"""Characters of an unrelated message."""
DAYS = (1, 5, 20)
MANY = 10_000
SETTINGS = ConsolidationSettings()
BATCH = 200


class Labelled(msgspec.Struct):
    """One line of the pairs: `b` is compared with the older `a`."""

    a: str
    b: str
    label: str


class Update(msgspec.Struct):
    """What a user said first and second about one thing."""

    first: tuple[str, ...]
    second: tuple[str, ...]


class Said(msgspec.Struct):
    """One message of a conversation."""

    text: str


@dataclass(frozen=True)
class Planted:
    """Two memories, and what they are to each other."""

    older: str
    newer: str
    label: str


class Calendar:
    """A clock on which days pass at once."""

    def __init__(self) -> None:
        self.days = 0

    def now(self) -> datetime:
        return datetime.now(UTC) + timedelta(days=self.days)

    def monotonic(self) -> float:
        return perf_counter()


class Known:
    """The embedder port over vectors that are kept in a file."""

    identity = MODEL
    dimensions = MINILM_DIMENSIONS

    def __init__(self, embeddings: Embeddings) -> None:
        self._embeddings = embeddings

    async def embed(
        self, texts: Sequence[str], *, max_tokens: int = 256, background: bool = False, query: bool = False
    ) -> Vectors:
        del max_tokens, background
        return self._embeddings.of(texts)


class KnowsAll:
    """A judge that answers from the labels: the ceiling."""

    name = "knows all"

    def __init__(self, planted: Iterable[tuple[str, str, str]]) -> None:
        said: dict[str, Relation] = {"dup": "same", "conflict": "contradicts", "update": "changes"}
        self._known: dict[frozenset[str], Relation] = {
            frozenset((one, other)): said[label] for one, other, label in planted
        }
        self.asked = 0
        self.met = 0

    async def classify(self, pairs: Sequence[Pair]) -> Classified:
        found: list[tuple[Comparison, bool]] = []
        for pair in pairs:
            known = self._known.get(frozenset((pair.new.text, pair.old.text)))
            self.met += known is not None
            relation: Relation = known or "resembles"
            found.append(weighed(pair, Comparison(relation, 1.0, "the label")))
        self.asked += len(pairs)
        comparisons = tuple(comparison for comparison, _ in found)
        return Classified(comparisons, self.name, by_model=(True,) * len(pairs), tokens=2)


class NothingInMemory:
    """No session is in memory."""

    def begin_purge(self, ids: Sequence[str]) -> None:
        """Forget nothing."""

    def end_purge(self, ids: Sequence[str]) -> None:
        """Forget nothing."""


class World:
    """The parts that writing and consolidating need, on a ledger and an index of their own."""

    def __init__(self, folder: Path, embeddings: Embeddings) -> None:
        self.clock = Calendar()
        self.ledger = SqlLedger(folder / "ledger.db", clock=self.clock)
        self.repository = self.ledger.consolidation
        self.index = LanceIndex(folder / "index", Config().index)
        embedder = Known(embeddings)
        self.indexer = Indexer(self.ledger, self.index, embedder, _silent)
        self.neighbours = Neighbours(embedder, self.index, self.indexer, self.ledger.memories)
        gate = Gatekeeper(clock=self.clock, embedding_model=lambda: MODEL)
        self.keeper: ActorRef[KeeperMessage, tuple[Memory, ...]] = ActorRef(
            "keeper",
            lambda: Keeper(
                ledger=self.ledger,
                gate=gate,
                view=MemoryView(self.ledger.memories, Categories()),
                neighbours=self.neighbours,
                clock=self.clock,
                publish=_silent,
                on_change=self.indexer.kick,
                recall=NothingInMemory(),
            ),
            on_crash=lambda name, bug: sys.exit(f"{name}: {bug!r}"),
            capacity=8,
        )
        self.comparer = Comparer(
            ledger=self.ledger.memories,
            index=self.index,
            indexer=self.indexer,
            neighbours=self.neighbours,
            keeper=self.keeper,
        )

    async def store(self, contents: Sequence[str]) -> list[str]:
        """Store memories in bulk; return their ids, in order."""
        ids: list[str] = []
        for start in range(0, len(contents), BATCH):
            new = tuple(NewMemory(content=one, scope=Scope.GLOBAL) for one in contents[start : start + BATCH])
            stored = await self.keeper.ask(Store(new, Caller(session="s")), deadline_s=60)
            ids += [one.id for one in stored]
        await self.indexer.wait_for(self.indexer.target, deadline_s=600)
        return ids

    async def compare_all(self, tasks: "anyio.abc.TaskGroup") -> float:
        """Compare everything as it is at a write; return the seconds without the rests between."""
        began = perf_counter()
        tasks.start_soon(self.comparer.run)
        while await self.ledger.memories.uncompared(limit=1):  # noqa: ASYNC110 - nothing tells when all are compared
            await anyio.sleep(0.2)
        return perf_counter() - began

    async def days(self, count: int, judge: KnowsAll) -> tuple[int, float]:
        """Let days of consolidation pass; return how many pairs were compared, and the seconds it took."""
        checker = Checker(
            ledger=self.ledger.memories,
            repository=self.repository,
            keeper=self.keeper,
            clock=self.clock,
            settings=SETTINGS,
            off=_nowhere,
            pairs=judge,
        )
        finder = PairFinder(
            ledger=self.ledger.memories,
            repository=self.repository,
            index=self.index,
            clock=self.clock,
            off=_nowhere,
        )
        compared, began = 0, perf_counter()
        for _ in range(count):
            allowed = (await checker.allowance(OWNER)).pairs
            open_pairs, moot = await checker.read_pairs(OWNER, await checker.find_open_pairs(OWNER, allowed))
            await checker.put_aside(OWNER, moot)
            found = await finder.find(OWNER, await checker.known(OWNER), allowed, _no_rest)
            for some in checker.groups(in_turn([*open_pairs, *found])[:allowed]):
                await checker.check(OWNER, some, 0)
            compared += (await self.repository.used(OWNER, self.clock.now().date().isoformat())).pairs
            await self.indexer.wait_for(self.indexer.target, deadline_s=60)
            self.clock.days += 1
        return compared, perf_counter() - began

    async def standing(self, planted: Sequence[Planted]) -> dict[str, float]:
        """Return of each label what share was merged, and what share was settled in any way."""
        memories = await self.ledger.memories.get(OWNER, [side for one in planted for side in (one.older, one.newer)])
        edges = await self.ledger.memories.edges(OWNER, list(memories))
        linked: dict[frozenset[str], set[str]] = defaultdict(set)
        for edge in edges:
            linked[frozenset((edge.from_id, edge.to_id))].add(edge.relation)
        queued = await self.repository.queued(OWNER)
        figures: dict[str, float] = {}
        for label in ("dup", "conflict", "update"):
            some = [one for one in planted if one.label == label]
            merged = settled = 0
            for one in some:
                relations = linked[frozenset((one.older, one.newer))]
                together = "merged_into" in relations or one.older == one.newer
                gone = any(memories[side].state is State.SUPERSEDED for side in (one.older, one.newer))
                doubted = (min(one.older, one.newer), max(one.older, one.newer)) in queued
                merged += together
                settled += together or gone or doubted or "contradicts" in relations
            if some:
                figures[f"{label} merged"] = round(merged / len(some), 4)
                figures[f"{label} settled"] = round(settled / len(some), 4)
        return figures


async def _no_rest(spent_s: float) -> None:
    del spent_s


def _silent(event: Event, /) -> None:
    del event


def _nowhere(owner: str, project: str) -> None:
    del owner, project


@asynccontextmanager
async def world(folder: Path, embeddings: Embeddings) -> AsyncGenerator[tuple[World, "anyio.abc.TaskGroup"]]:
    """A world that serves on what is in a folder."""
    made = World(folder, embeddings)
    async with AsyncExitStack() as stack:
        await made.ledger.open()
        await made.indexer.prepare()
        stack.push_async_callback(made.ledger.close)
        stack.push_async_callback(made.index.close)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(made.keeper.run)
            tasks.start_soon(made.indexer.run)
            await made.indexer.wait_open(deadline_s=60)
            yield made, tasks
            tasks.cancel_scope.cancel()


async def measure(data: Path, embeddings: Embeddings) -> dict[str, object]:
    """Plant, write, and let days pass with a judge that knows all."""
    chosen, unrelated = planted_in(data)
    sides = [side for one, other, _ in chosen for side in (one, other)]
    vectors = dict(zip(sides, embeddings.of(sides), strict=True))
    floor = {
        f"{label} merged": round(
            float(np.mean([vectors[one] @ vectors[other] > COSINE for one, other, of in chosen if of == label])), 4
        )
        for label in ("dup", "conflict", "update")
    }
    figures: dict[str, object] = {
        "planted": {label: sum(of == label for _, _, of in chosen) for label in ("dup", "conflict", "update")},
        "unrelated": len(unrelated),
        "cosine > 0.85": floor,
    }
    show("floor: cosine > 0.85", floor)
    with TemporaryDirectory() as given:
        written = Path(given) / "written"
        async with world(written, embeddings) as (made, tasks):
            order = [*unrelated, *(one for one, _, _ in chosen), *(other for _, other, _ in chosen)]
            ids = dict(zip(order, await made.store(order), strict=True))
            planted = [Planted(ids[one], ids[other], label) for one, other, label in chosen]
            seconds = await made.compare_all(tasks)
            standing = await made.standing(planted)
        figures["at the write"] = standing | {"seconds": round(seconds, 1)}
        show("at the write", standing, f"{seconds:.0f} s for {len(order)} memories, at half speed")
        async with world(written, embeddings) as (made, _):
            figures |= await pass_days(made, planted, KnowsAll(chosen))
    return figures


async def pass_days(made: World, planted: Sequence[Planted], judge: KnowsAll) -> dict[str, object]:
    """Let days pass, and return how the planted pairs stand after some of them."""
    figures: dict[str, object] = {}
    passed = 0
    for day in DAYS:
        compared, took = await made.days(day - passed, judge)
        name = f"{judge.name}, day {day}"
        standing = await made.standing(planted)
        told = f"{compared} compared, {took / (day - passed):.1f} s a day"
        told += f"; {judge.met} of {judge.asked} so far were planted"
        standing |= {"asked": judge.asked, "planted among them": judge.met}
        figures[name] = standing | {"compared": compared, "seconds a day": round(took / (day - passed), 2)}
        show(name, standing, told)
        passed = day
    return figures


def planted_in(data: Path) -> tuple[list[tuple[str, str, str]], list[str]]:
    """Return pairs of texts with their labels, no text twice, and unrelated texts."""
    random = Random(11)
    lines = (data / "pairs" / "dev.jsonl").read_bytes().splitlines()
    pairs = [msgspec.json.decode(line, type=Labelled) for line in lines if line]
    random.shuffle(pairs)
    seen: set[str] = set()
    chosen: list[tuple[str, str, str]] = []
    left = dict(PLANTED)
    for pair in pairs:
        one, other = " ".join(pair.a.split()), " ".join(pair.b.split())
        if left.get(pair.label, 0) and one.casefold() != other.casefold() and not {one, other} & seen:
            seen |= {one, other}
            left[pair.label] -= 1
            chosen.append((one, other, pair.label))
    for line in (data / "beam100k" / "update_pairs.jsonl").read_bytes().splitlines():
        update = msgspec.json.decode(line, type=Update)
        one, other = (" ".join(" ".join(side[:1]).split())[:1_000] for side in (update.first, update.second))
        if one and other and one != other and not {one, other} & seen:
            seen |= {one, other}
            chosen.append((one, other, "update"))
    memories = (data / "beam100k" / "memories.jsonl").read_bytes().splitlines()
    texts = {" ".join(msgspec.json.decode(line, type=Said).text.split())[:LONGEST] for line in memories}
    unrelated = sorted(one for one in texts if one and not any(one in each or each in one for each in seen))
    random.shuffle(unrelated)
    return chosen, unrelated[:UNRELATED]


def planning() -> dict[str, float]:
    """Seconds of a plan for 10,000 memories, in a daemon; the floor is the bare product of their vectors."""
    with home() as paths:
        fill(paths, MANY)
        with daemon(paths, MEMORYD_CONSOLIDATION_HOURS="0") as running:
            wait_for_model(running)
            with running.client() as client:
                before = running.resident_mb()
                times: list[float] = []
                pairs = 0
                for _ in range(3):
                    began = perf_counter()
                    pairs = len(client.consolidation_plan().pairs)
                    times.append(perf_counter() - began)
                after = running.resident_mb()
    generator = np.random.default_rng(7)
    vectors = generator.normal(size=(MANY, MINILM_DIMENSIONS)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    everything = np.ones(MANY, bool)
    began = perf_counter()
    for start in range(0, MANY, ROWS):
        near(vectors, start, everything, Band(0.4, 0.9))
    figures = {
        "plan_s": round(sorted(times)[1], 2),
        "floor_s": round(perf_counter() - began, 2),
        "pairs": float(pairs),
        "resident_mb_before": round(before, 1),
        "resident_mb_after": round(after, 1),
    }
    print(f"\na plan for {MANY} memories: {figures['plan_s']} s; the bare product: {figures['floor_s']} s")
    return figures


def show(name: str, figures: dict[str, float], told: str = "") -> None:
    """Print one row."""
    columns = ("dup merged", "conflict merged", "dup settled", "conflict settled", "update settled")
    cells = "".join(f"{figures[one]:18.3f}" if one in figures else f"{'':18}" for one in columns)
    if name.startswith("floor"):
        print(f"{'':24}" + "".join(f"{one:>18}" for one in columns))
    print(f"{name:24}{cells}  {told}", flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables, keep the JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.consolidation", description=__doc__)
    parser.add_argument("data", nargs="?", type=Path, default=DEFAULT, help="folder with pairs and beam100k")
    parser.add_argument("--cache", type=Path, help="keep the embeddings in this file")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder of the JSON")
    given = parser.parse_args(arguments)
    needed = [given.data / "pairs" / "dev.jsonl", given.data / "beam100k" / "update_pairs.jsonl"]
    if missing := [str(path) for path in needed if not path.is_file()]:
        sys.exit(f"missing: {', '.join(missing)}; name the data folder: python -m benchmarks.consolidation FOLDER")
    figures = anyio.run(measure, given.data, Embeddings(given.cache))
    figures["planning"] = planning()
    print(f"\nJSON: {write(given.results, 'consolidation', figures)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
