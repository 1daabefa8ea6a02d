"""A long session stays on the disk: memory keeps a few bytes of each entry."""

import gc
import tracemalloc
from collections.abc import Generator
from pathlib import Path

import pytest

from memoryd.transcripts import JsonlTranscripts
from memoryd_actors.conversations.tail import TAIL, Tails
from transcript_files import KEY, append, kept

AT_ONCE = 1024
KEPT_BYTES = 40
"""Of one entry: 8 for its id, a quarter for its place; an entry itself would be a thousand."""


@pytest.fixture
def traced() -> Generator[None]:
    tracemalloc.start()
    yield
    tracemalloc.stop()


def allocated() -> int:
    gc.collect()
    return tracemalloc.get_traced_memory()[0]


@pytest.mark.slow
@pytest.mark.usefixtures("traced")
async def test_memory_keeps_a_few_bytes_of_each_entry_of_a_long_session(tmp_path: Path) -> None:
    transcripts = JsonlTranscripts(tmp_path)
    tail = await Tails(transcripts).of(KEY)
    held: list[int] = []
    # Ids are sorted in by 4,096.
    for number in range(16):
        entries = [kept(f"{place} " + "said " * 100, id=f"{number}-{place}") for place in range(AT_ONCE)]
        assert await append(transcripts, *entries) == AT_ONCE
        for one in entries:
            tail.add(hash(one.entry.content), pushed=True)
        entries.clear()
        if number % 4 == 3:
            held.append(allocated())
    assert len(tail.said) == TAIL
    assert held[-1] - held[0] < 12 * AT_ONCE * KEPT_BYTES, held
