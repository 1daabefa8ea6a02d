"""What the indexes hold in memory does not grow with what is written, only with what there is."""

from pathlib import Path

import anyio
import numpy as np

from memoryd.config import IndexConfig
from memoryd.index import LanceIndex, LanceMessages
from memoryd_actors.ports.transcripts import MessageRow, Wanted

from .rows import DIMENSIONS, axis, row, seen_by

ROUNDS = 5
COMMITS = 4
ROWS = 16
CONFIG = IndexConfig(keep_versions_s=600)
"""Old versions stay on the disk for their ten minutes, so that only the caches are looked at."""


def message(sequence: int) -> MessageRow:
    vector = axis(sequence % DIMENSIONS)
    return MessageRow("local", "s", sequence, f"word{sequence} said", vector, "message", "user", "", sequence)


async def test_the_index_of_messages_caches_no_more_the_longer_it_is_written_to(tmp_path: Path) -> None:
    index = LanceMessages(tmp_path / "index", CONFIG)
    await index.open(model="m", dimensions=DIMENSIONS)
    cached: list[int] = []
    for _ in range(ROUNDS):
        for start in range(0, COMMITS * ROWS, ROWS):
            # The same messages again and again: what there is does not grow.
            await index.apply([message(number) for number in range(start, start + ROWS)])
        await index.optimise()
        (hit,) = await index.search(Wanted("local"), vector=None, words="word7", limit=5)
        assert hit.sequence == 7
        cached.append(index.cached_bytes)
    await index.close()
    assert index.cached_bytes == 0
    assert 0 < cached[-1] < 1.5 * cached[1], cached


async def test_the_index_of_memories_caches_no_more_the_longer_it_is_written_to(tmp_path: Path) -> None:
    index = LanceIndex(tmp_path / "index", CONFIG)
    await index.open(model="m", dimensions=DIMENSIONS)
    cached: list[int] = []
    sequence = 0
    for _ in range(ROUNDS):
        for start in range(0, COMMITS * ROWS, ROWS):
            sequence += 1
            batch = [row(f"m{n}", text=f"word{n}", sequence=sequence) for n in range(start, start + ROWS)]
            await index.apply(batch, removed=[], sequence=sequence)
        await index.optimise()
        (hit,) = await index.search(vector=None, words="word7", visible=seen_by(), limit=5)
        assert hit.id == "m7"
        cached.append(index.cached_bytes)
    await index.close()
    assert index.cached_bytes == 0
    assert 0 < cached[-1] < 1.5 * cached[1], cached


async def test_messages_are_found_while_the_index_lets_go_of_what_it_cached(tmp_path: Path) -> None:
    index = LanceMessages(tmp_path / "index", CONFIG)
    await index.open(model="m", dimensions=DIMENSIONS)
    await index.apply([message(number) for number in range(ROWS)])
    found: list[bool] = []

    async def search() -> None:
        while len(found) < 30:
            hits = await index.search(Wanted("local"), vector=np.array(axis(7)), words="word7", limit=3)
            found.append(7 in {hit.sequence for hit in hits})

    async def look_after() -> None:
        for number in range(5):
            await index.apply([message(ROWS + number)])
            await index.optimise()

    async with anyio.create_task_group() as group:
        group.start_soon(search)
        group.start_soon(look_after)
    assert found == [True] * 30
    hits = await index.search(Wanted("local"), vector=None, words="word20", limit=3)
    assert [hit.sequence for hit in hits] == [20]
    await index.close()
