"""Searched from files beside the table, an index answers as it does from memory, whatever became of the files."""

import json
import signal
import sys
from pathlib import Path
from random import Random

import anyio
import numpy as np
import pytest
from msgspec.structs import replace

from memoryd.config import IndexConfig
from memoryd.index import LanceIndex, postings
from memoryd.index.kept import leave, read
from memoryd_actors.memory.visibility import Visibility
from memoryd_actors.ports.index import IndexPassage, IndexRow
from memoryd_client.wire.filters import Filters

from .rows import DIMENSIONS, axis, row, seen_by, unit_vectors

CONFIG = IndexConfig(ann_rows=1_500, keep_versions_s=0.001)
WORDS = "apple pear plum fig quince medlar sloe größe café 東京".split()
WHO = [
    seen_by(),
    seen_by("them"),
    seen_by(project="/p", filters=Filters(tags=("t1",))),
    seen_by(filters=Filters(scope="everywhere", states=("active", "forgotten"))),
    seen_by(filters=Filters(categories=("rule", "unheard of"), pinned=False)),
]


def kept_in(folder: Path) -> Path:
    return folder / "resident"


def drawn(random: Random, number: int, sequence: int) -> IndexRow:
    vectors = unit_vectors(4, seed=random.randrange(10**6))
    passages = tuple(
        IndexPassage(100 * n, 100 * n + 90, vectors[n], " ".join(random.choices(WORDS, k=3)))
        for n in range(1, random.choice((1, 1, 1, 4)))
    )
    fruit = row(
        f"m{number}é",
        text=" ".join(random.choices(WORDS, k=random.randrange(6))),
        vector=vectors[0],
        owner=random.choice(("local", "local", "them")),
        scope=random.choice(("global", "project")),
        project=random.choice(("/p", "/q")),
        category=random.choice(("fact", "rule")),
        state=random.choice(("active", "active", "forgotten")),
        tags=tuple(random.sample(("t1", "t2", "t3"), random.randrange(3))),
        sequence=sequence,
    )
    return replace(fruit, passages=passages)


async def shown(index: LanceIndex, callers: list[Visibility] = WHO) -> list[object]:
    """Return all that the index answers."""
    found: list[object] = [await index.count()]
    for who in callers:
        for vector, words in ((axis(3), ""), (None, "pears größe 東京"), (axis(5), "apple fig café")):
            hits = await index.search(vector=vector, words=words, visible=who, limit=100)
            scores = [(hit.id, hit.vector_score, hit.word_score, hit.word_share, hit.passage) for hit in hits]
            # Words are added up in an order of their own.
            found.append(sorted((one, *np.round(numbers, 3).tolist(), where) for one, *numbers, where in scores))
        found.append(await index.statistics(["appl", "sloe", "unheard"], who))
    vectors = await index.vectors([f"m{number}é" for number in range(60)])
    found.append({one: vector.tolist() for one, vector in sorted(vectors.items())})
    return found


async def change(index: LanceIndex, what: str, rows: list[IndexRow], sequence: int) -> None:
    match what:
        case "write":
            await index.apply(rows, removed=[], sequence=sequence)
        case "remove":
            await index.apply([], removed=[one.id for one in rows[:3]], sequence=sequence)
        case "optimise":
            await index.optimise()
        case "purge":
            await index.purge()
        case _:
            await index.close()
            assert await index.open(model="m", dimensions=DIMENSIONS) <= sequence


@pytest.mark.parametrize("seed", [1, 2])
async def test_files_and_memory_answer_alike_whatever_is_done(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    files = LanceIndex(tmp_path / "files" / "index", CONFIG, mapped_rows=10)
    memory = LanceIndex(tmp_path / "memory" / "index", CONFIG, mapped_rows=10**9)
    for index in (files, memory):
        await index.open(model="m", dimensions=DIMENSIONS)
    seen_files = 0
    for sequence in range(10, 200, 10):
        what = random.choice(("write", "write", "remove", "optimise", "open", "open", "purge"))
        # Some come late, some before their turn.
        numbers = random.sample(range(60), 12)
        rows = [drawn(random, number, sequence + random.choice((-25, 0, 0, 0, 4))) for number in numbers]
        for index in (files, memory):
            await change(index, what, rows, sequence)
        seen_files += what == "open" and kept_in(tmp_path / "files" / "index").exists()
        assert await shown(files) == await shown(memory)
    assert seen_files
    assert not kept_in(tmp_path / "memory" / "index").exists()
    for index in (files, memory):
        await index.close()


@pytest.mark.parametrize("mapped_rows", [10, 10**9])
async def test_who_asked_before_a_change_is_answered_as_after_a_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mapped_rows: int
) -> None:
    monkeypatch.setattr(postings, "COMMON", 5)  # how many have a word is remembered, too
    random = Random(9)
    callers = WHO[:4]  # what they see is remembered
    index = LanceIndex(tmp_path / "index", CONFIG, mapped_rows=mapped_rows)
    await index.open(model="m", dimensions=DIMENSIONS)
    for sequence in range(10, 50, 10):
        answers: list[object] = []
        for what in random.sample(("write", "write", "remove", "optimise"), 3):
            rows = [drawn(random, number, sequence) for number in random.sample(range(60), 12)]
            await change(index, what, rows, sequence)
            answers = await shown(index, callers)
        await change(index, "open", [], sequence)
        assert await shown(index, callers) == answers
    await index.close()


@pytest.fixture
async def closed(tmp_path: Path) -> tuple[LanceIndex, Path, list[object]]:
    """An index of 40 rows with files beside its table, closed; where it is, and what it answers."""
    index = LanceIndex(tmp_path / "index", CONFIG, mapped_rows=10)
    await index.open(model="m", dimensions=DIMENSIONS)
    random = Random(5)
    await index.apply([drawn(random, number, 1) for number in range(40)], removed=[], sequence=1)
    answers = await shown(index)
    await index.optimise()
    assert kept_in(tmp_path / "index").is_dir()
    await index.close()
    return index, tmp_path / "index", answers


async def test_damaged_files_are_not_used(closed: tuple[LanceIndex, Path, list[object]]) -> None:
    index, folder, answers = closed
    for number, file in enumerate(sorted(kept_in(folder).iterdir())):
        whole = file.read_bytes()
        # Of the vectors only the length is looked at.
        damaged = (b"", whole[:-1], whole[:64], whole[:-4] + b"\xa5\xa5\xa5\xa5")[
            1 if "vectors" in file.stem else number % 4
        ]
        file.write_bytes(damaged)
        assert await index.open(model="m", dimensions=DIMENSIONS) == 1
        assert await shown(index) == answers, (file.name, damaged[:64])
        await index.close()
        file.write_bytes(whole)
    # Damaged, they are written anew.
    (kept_in(folder) / "about.json").unlink()
    await index.open(model="m", dimensions=DIMENSIONS)
    await index.optimise()
    assert (kept_in(folder) / "about.json").exists()
    await index.close()


@pytest.mark.parametrize(
    ("name", "was", "becomes"),
    [
        ("vectors.npy", b"<f4", b">f4"),  # numbers of another order of bytes
        ("first.npy", b"<i4", b">i4"),
        ("codes.npy", b"|i1", b"|u1"),
        ("ids.order.npy", b"}", b"\x7f"),  # nothing that Python can read
        ("about.json", b'"sequence":1', b'"sequence":0'),
    ],
)
async def test_files_of_which_a_header_is_damaged_are_not_used(
    closed: tuple[LanceIndex, Path, list[object]], name: str, was: bytes, becomes: bytes
) -> None:
    index, folder, answers = closed
    of = json.loads((kept_in(folder) / "about.json").read_bytes())["about"]["of"]
    assert read(kept_in(folder), of=of) is not None
    leave(kept_in(folder))
    file = kept_in(folder) / name
    whole = file.read_bytes()
    file.write_bytes(whole.replace(was, becomes, 1))
    assert file.read_bytes() != whole
    assert read(kept_in(folder), of=of) is None
    assert await index.open(model="m", dimensions=DIMENSIONS) == 1
    assert await shown(index) == answers
    await index.close()


_SHORTENED = """
import os, sys, anyio
from pathlib import Path
from memoryd.index import LanceIndex
from tests.index.test_kept import CONFIG, kept_in, shown
from tests.index.rows import DIMENSIONS

async def main():
    folder = Path(sys.argv[1])
    index = LanceIndex(folder, CONFIG, mapped_rows=10)
    await index.open(model="m", dimensions=DIMENSIONS)
    await shown(index)
    os.truncate(kept_in(folder) / "vectors.npy", 0)
    await shown(index)

anyio.run(main)
"""


async def test_a_file_that_cannot_be_read_any_more_ends_the_process_and_is_done_without_by_the_next(
    closed: tuple[LanceIndex, Path, list[object]],
) -> None:
    index, folder, answers = closed
    # A page beyond the end of a file is as one that the disk cannot read.
    command = [sys.executable, "-c", _SHORTENED, str(folder)]
    ended = await anyio.run_process(command, check=False, cwd=Path(__file__).parents[2])
    assert ended.returncode == -signal.SIGBUS
    assert await index.open(model="m", dimensions=DIMENSIONS) == 1
    assert await shown(index) == answers
    await index.optimise()
    await index.close()
    assert (kept_in(folder) / "vectors.npy").stat().st_size
    await index.open(model="m", dimensions=DIMENSIONS)
    assert await shown(index) == answers
    await index.close()


async def test_after_an_end_in_the_middle_the_vectors_are_checked_too(
    closed: tuple[LanceIndex, Path, list[object]],
) -> None:
    index, folder, answers = closed
    vectors = kept_in(folder) / "vectors.npy"
    whole = vectors.read_bytes()
    await index.open(model="m", dimensions=DIMENSIONS)
    vectors.write_bytes(whole[:-400] + bytes(400))
    # Never closed, the first one is to the files as a process that was killed.
    after = LanceIndex(folder, CONFIG, mapped_rows=10)
    await after.open(model="m", dimensions=DIMENSIONS)
    assert await shown(after) == answers
    await after.optimise()
    assert vectors.stat().st_size == len(whole)
    assert await shown(after) == answers
    await after.close()
    await index.close()
    assert not (kept_in(folder) / "in-use").exists()


async def test_files_that_cannot_be_written_are_done_without(
    closed: tuple[LanceIndex, Path, list[object]], caplog: pytest.LogCaptureFixture
) -> None:
    index, folder, answers = closed
    kept_in(folder).rename(folder.parent / "gone")
    kept_in(folder).write_text("in the way")
    await index.open(model="m", dimensions=DIMENSIONS)
    await index.optimise()
    assert "was not written" in caplog.text
    assert await shown(index) == answers
    await index.close()


async def test_an_unfinished_folder_is_not_used_and_taken_away(
    closed: tuple[LanceIndex, Path, list[object]],
) -> None:
    index, folder, answers = closed
    unfinished = folder / "resident.unfinished"
    kept_in(folder).rename(unfinished)
    await index.open(model="m", dimensions=DIMENSIONS)
    assert await shown(index) == answers
    await index.optimise()
    assert kept_in(folder).is_dir()
    assert not unfinished.exists()
    await index.close()


async def test_a_purge_leaves_no_byte_in_the_files(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    index = LanceIndex(folder, CONFIG, mapped_rows=10)
    await index.open(model="m", dimensions=DIMENSIONS)
    secret = unit_vectors(1, seed=99)[0]
    rows = [row(f"m{number}", text="apple", vector=axis(number)) for number in range(20)]
    gone = row("mem_purged", text="purgeable", vector=secret, tags=("hidden",), project="/purged")
    await index.apply([*rows, gone], removed=[], sequence=1)
    await index.optimise()
    traces = (b"mem_purged", b"purgeabl", b"hidden", b"/purged", secret.tobytes())

    def left() -> set[bytes]:
        there = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
        return {trace for trace in traces if trace in there}

    assert left() == set(traces)
    await index.apply([], removed=["mem_purged"], sequence=2)
    await index.purge()
    assert left() == set()
    assert kept_in(folder).is_dir()
    await index.close()
    await index.open(model="m", dimensions=DIMENSIONS)
    assert await index.count() == 20
    await index.close()


async def test_of_many_the_nearest_are_found_in_the_files_and_among_what_came_later(tmp_path: Path) -> None:
    index = LanceIndex(tmp_path / "index", CONFIG, mapped_rows=10)
    await index.open(model="m", dimensions=DIMENSIONS)
    vectors = unit_vectors(2_600)
    rows = [row(f"m{number}", vector=vector, sequence=number + 1) for number, vector in enumerate(vectors)]
    await index.apply(rows[:2_400], removed=[], sequence=2_400)
    await index.optimise()
    await index.apply(rows[2_400:], removed=[], sequence=2_600)
    await index.close()
    await index.open(model="m", dimensions=DIMENSIONS)
    found = 0
    for number in range(0, 2_600, 130):
        nearest = {f"m{place}" for place in np.argsort(-(vectors @ vectors[number]))[:10].tolist()}
        hits = await index.search(vector=vectors[number], words="", visible=Visibility("local"), limit=10)
        assert hits[0].id == f"m{number}"
        found += len(nearest & {hit.id for hit in hits})
    assert found >= 195
    await index.close()
