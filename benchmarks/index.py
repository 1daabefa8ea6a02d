"""The index beside its floors: an exact scan of the vectors that may be found, bare LanceDB, and the bare vectors.

Vectors are clustered and of low rank with noise, as embeddings are; words follow Zipf's law, as words do.
`python -m benchmarks.index --page docs` also draws how every cost grows with size, and writes its table.
"""

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import anyio
import lancedb
import numpy as np
import numpy.typing as npt
import psutil

from benchmarks.curves import draw, write_table
from benchmarks.home import memory_mb
from memoryd.config import IndexConfig
from memoryd.heap import share_arenas, trim
from memoryd.index import LanceIndex
from memoryd.index.tables import schema, table
from memoryd_actors.memory.visibility import Visibility
from memoryd_actors.ports.embedder import Vectors
from memoryd_actors.ports.index import IndexRow
from memoryd_client.wire.filters import Filters

DIMENSIONS = 384
SIZES = (1_000, 10_000, 100_000, 1_000_000)
"""The last one by name only: it takes a quarter of an hour."""
_RANK = 64
_VOCABULARY = 20_000
_NOT_INDEXED = 30
"""So many of the most frequent words are left out. In 24,000 sentences of conversations, those that are indexed are as
frequent as these: the first in one of 20, the hundredth in one of 90."""
_LIMIT = 50
_QUERIES = 60
_LOAD = 20_000
_AT_ONCE = 50_000
"""Vectors that are made at once."""

Numbers = dict[str, float]


@dataclass(frozen=True, slots=True)
class Corpus:
    """Rows of two owners and six projects, with queries near some of them."""

    vectors: Vectors
    texts: list[str]
    queries: Vectors
    questions: list[str]

    def row(self, number: int) -> IndexRow:
        return IndexRow(
            id=name(number),
            vector=self.vectors[number],
            text=self.texts[number],
            owner="other" if number % 10 == 0 else "local",
            scope="global" if number % 5 == 0 else "project",
            project="" if number % 5 == 0 else f"/projects/{number % 6}",
            category="fact",
            state="forgotten" if number % 20 == 1 else "active",
            session=f"s{number // 100}",
            tags=("a",) if number % 2 else (),
            pinned=False,
            sequence=number + 1,
        )

    def seen(self, visible: Visibility) -> npt.NDArray[np.int64]:
        """Return the numbers of the rows that may be found."""
        rows = (self.row(number) for number in range(len(self.texts)))
        mask = [
            row.owner == visible.owner
            and row.state == "active"
            and (row.scope == "global" or row.project == visible.project)
            for row in rows
        ]
        return np.flatnonzero(np.array(mask))


def name(number: int) -> str:
    return f"mem_{number * 2654435761 % 2**32:020d}"


def corpus(size: int, seed: int = 7) -> Corpus:
    random = np.random.default_rng(seed)
    basis = random.normal(size=(_RANK, DIMENSIONS)).astype(np.float32)
    centres = random.normal(size=(max(20, size // 50), _RANK)).astype(np.float32)
    words = [
        "".join(random.choice(list("abcdefghijklmnopqrstuvwxyz"), random.integers(3, 10))) for _ in range(_VOCABULARY)
    ]
    ranks = 1.0 / (np.arange(_VOCABULARY) + _NOT_INDEXED)

    def vectors(count: int, around: Vectors) -> Vectors:
        parts = [some(min(_AT_ONCE, count - start), around) for start in range(0, count, _AT_ONCE)]
        return np.concatenate(parts)

    def some(count: int, around: Vectors) -> Vectors:
        inner = around[random.integers(0, len(around), count)]
        inner = inner + 0.35 * random.normal(size=inner.shape).astype(np.float32)
        outer = inner @ basis + 0.8 * random.normal(size=(count, DIMENSIONS)).astype(np.float32)
        unit: Vectors = (outer / np.linalg.norm(outer, axis=1, keepdims=True)).astype(np.float32)
        return unit

    def sentences(count: int, low: int, high: int) -> list[str]:
        lengths = random.integers(low, high, count)
        drawn = random.choice(_VOCABULARY, int(lengths.sum()), p=ranks / ranks.sum())
        ends = np.cumsum(lengths)
        return [" ".join(words[word] for word in drawn[end - n : end]) for end, n in zip(ends, lengths, strict=True)]

    # Half the queries are like something stored, half like nothing.
    foreign = random.normal(size=(_QUERIES, _RANK)).astype(np.float32)
    half = _QUERIES // 2
    queries = np.concatenate([vectors(half, centres), vectors(_QUERIES - half, foreign)])
    return Corpus(vectors(size, centres), sentences(size, 8, 40), queries, sentences(_QUERIES, 5, 12))


async def timed(**works: Callable[[int], Awaitable[object]]) -> Numbers:
    """Run the works in turn, query by query, so that a busy machine slows all of them alike.

    Return the median of each in milliseconds and, as `<name>_best_ms`, the tenth percentile.
    """
    taken: dict[str, list[float]] = {name: [] for name in works}
    for number in range(_QUERIES):
        for name, work in works.items():
            began = time.perf_counter()
            await work(number)
            taken[name].append((time.perf_counter() - began) * 1000)
    found: Numbers = {}
    for name, times in taken.items():
        # The first ones fill the caches.
        found[f"{name}_ms"] = statistics.median(times[5:])
        found[f"{name}_best_ms"] = statistics.quantiles(times[5:], n=10)[0]
    return found


async def measure(size: int, folder: Path) -> Numbers:
    data = corpus(size)
    place = folder / f"index-{size}"
    found: Numbers = {"rows": float(size)}
    index = LanceIndex(place, IndexConfig(keep_versions_s=0.001))
    began = time.perf_counter()
    await index.open(model="bench", dimensions=DIMENSIONS)
    found["open_fresh_ms"] = (time.perf_counter() - began) * 1000
    began = time.perf_counter()
    for start in range(0, size, _LOAD):
        rows = [data.row(number) for number in range(start, min(size, start + _LOAD))]
        await index.apply(rows, removed=[], sequence=rows[-1].sequence)
    found["load_s"] = time.perf_counter() - began
    found["optimise_s"] = (await index.optimise())["seconds"]
    found["disk_mb"], found["vectors_mb"] = _disk_mb(place), size * DIMENSIONS * 4 / 1e6
    await index.close()
    await _opened(index, data, place, found)

    visible = Visibility(owner="local", project="/projects/1")
    found |= await _searches(index, data, visible)
    found["ratio"] = found["search_ms"] / found["exact_scan_ms"]
    found["recall_at_10"], found["recall_at_10_all"] = await _recall(index, data, visible)
    await _upkeep(index, data, found)
    await index.close()
    return found


async def _opened(index: LanceIndex, data: Corpus, place: Path, found: Numbers) -> None:
    """Measure opening, beside bare LanceDB and without the files beside the table, and the memory after searches."""

    async def bare() -> None:
        database = await lancedb.connect_async(place)
        await (await database.open_table("memories")).query().where("id = ''").select(["id"]).to_arrow()

    async def opened() -> None:
        await index.open(model="bench", dimensions=DIMENSIONS)

    async def took(work: Callable[[], Awaitable[object]]) -> float:
        began = time.perf_counter()
        await work()
        return (time.perf_counter() - began) * 1000

    found["open_bare_ms"] = statistics.median([await took(bare) for _ in range(5)])
    if (place / "resident").exists():
        (place / "resident").rename(place / "aside")
    found["open_reading_ms"] = await took(opened)
    await index.close()
    if (place / "aside").exists():
        (place / "aside").rename(place / "resident")
    trim()
    before = memory_mb(psutil.Process())
    times = [await took(opened)]
    everywhere = Visibility(owner="local", filters=Filters(scope="everywhere"))
    for vector, words in zip(data.queries, data.questions, strict=True):
        await index.search(vector=vector, words=words, visible=everywhere, limit=_LIMIT)
    trim()
    after = memory_mb(psutil.Process())
    found |= {f"{kind}_mb": after[kind] - before[kind] for kind in after}
    for _ in range(4):
        await index.close()
        times.append(await took(opened))
    found["open_ms"] = statistics.median(times)


async def _searches(index: LanceIndex, data: Corpus, visible: Visibility) -> Numbers:
    """Measure a search, its two sides, and an exact scan of nothing but the vectors."""

    async def ours(number: int) -> object:
        return await index.search(
            vector=data.queries[number], words=data.questions[number], visible=visible, limit=_LIMIT
        )

    async def vectors(number: int) -> object:
        return await index.search(vector=data.queries[number], words="", visible=visible, limit=_LIMIT)

    async def words(number: int) -> object:
        return await index.search(vector=None, words=data.questions[number], visible=visible, limit=_LIMIT)

    async def everywhere(number: int) -> object:
        everything = Visibility(owner="local", filters=Filters(scope="everywhere"))
        return await index.search(
            vector=data.queries[number], words=data.questions[number], visible=everything, limit=_LIMIT
        )

    seen = data.vectors[data.seen(visible)]

    async def exact(number: int) -> object:
        scores = np.einsum("ij,j->i", seen, data.queries[number])
        return np.argpartition(-scores, _LIMIT)[:_LIMIT]

    async def exact_everywhere(number: int) -> object:
        scores = np.einsum("ij,j->i", data.vectors, data.queries[number])
        return np.argpartition(-scores, _LIMIT)[:_LIMIT]

    found = await timed(search=ours, vectors=vectors, words=words, exact_scan=exact)
    return found | await timed(search_everywhere=everywhere, exact_scan_everywhere=exact_everywhere)


async def _recall(index: LanceIndex, data: Corpus, visible: Visibility) -> tuple[float, float]:
    """Return recall@10 of the nearest, over what one caller sees and over everything its owner has."""
    shares: list[float] = []
    for numbers, who in (
        (data.seen(visible), visible),
        (data.seen(Visibility(owner="other")), Visibility(owner="other")),
    ):
        hits = 0
        for number in range(_QUERIES):
            best = numbers[np.argsort(-(data.vectors[numbers] @ data.queries[number]))[:10]]
            got = await index.search(vector=data.queries[number], words="", visible=who, limit=_LIMIT)
            hits += len({name(int(one)) for one in best} & {hit.id for hit in got[:10]})
        shares.append(hits / (10 * _QUERIES))
    return shares[0], shares[1]


async def _upkeep(index: LanceIndex, data: Corpus, found: Numbers) -> None:
    """Measure small batches, a search while their rows are in no index yet, and the upkeep after them."""
    size = len(data.texts)
    with tempfile.TemporaryDirectory() as folder:
        bare = await (await lancedb.connect_async(folder)).create_table("bare", schema=schema("", DIMENSIONS))
        batch = table([data.row(number) for number in range(100)], DIMENSIONS)

        async def add(number: int) -> None:
            await bare.add(batch)

        found |= await timed(add_bare_100=add)
    for count in (1, 100):

        async def write(number: int, count: int = count) -> None:
            rows = [data.row((number * 7919 + k) % size) for k in range(count)]
            await index.apply(rows, removed=[], sequence=size + number)

        found |= await timed(**{f"apply_{count}": write})

    async def ours(number: int) -> object:
        return await index.search(
            vector=data.queries[number],
            words=data.questions[number],
            visible=Visibility(owner="local", project="/projects/1"),
            limit=_LIMIT,
        )

    found |= await timed(search_behind=ours)
    found["optimise_behind_s"] = (await index.optimise())["seconds"]


def _disk_mb(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def run(sizes: Sequence[int] = SIZES[:-1]) -> dict[str, Numbers]:
    """Measure every size in a folder of its own; milliseconds are medians."""

    async def all_sizes() -> dict[str, Numbers]:
        share_arenas()  # as the daemon does
        with tempfile.TemporaryDirectory() as folder:
            return {str(size): await measure(size, Path(folder)) for size in sizes}

    return anyio.run(all_sizes)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", nargs="*", type=int, default=SIZES)
    parser.add_argument(
        "--page", type=Path, help="the folder of the documentation, whose page and picture are made anew"
    )
    arguments = parser.parse_args()
    figures = run(arguments.sizes)
    print(json.dumps(figures, indent=2))
    if arguments.page:
        draw(figures, arguments.page / "pictures" / "sizes.svg")
        write_table(figures, arguments.page / "sizes.md")


if __name__ == "__main__":
    main()
