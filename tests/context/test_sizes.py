"""Conversations are measured once, and those that nobody asks for any more leave memory."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from memoryd.transcripts import JsonlTranscripts
from memoryd_actors.context import Counting, sizes
from memoryd_actors.context.sizes import Sizes
from transcript_files import append, kept


class Words:
    """Counts words, and how often it was asked."""

    def __init__(self) -> None:
        self.asked = 0

    async def count(self, texts: Sequence[str]) -> list[int]:
        self.asked += 1
        return [len(text.split()) for text in texts]


async def test_of_many_conversations_those_asked_for_last_are_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sizes, "MOST_SESSIONS", 2)
    transcripts, words = JsonlTranscripts(tmp_path), Words()
    measured = Sizes(transcripts, Counting(words))
    for number in range(3):
        await append(transcripts, kept("word " * 100), key=("local", f"s{number}"))
    asked: list[int] = []
    for number in (0, 1, 2, 1, 2, 0):
        found = await measured.of(("local", f"s{number}"))
        assert len(found.said) == 1
        assert found.said.tokens >= 100
        asked.append(words.asked)
    assert asked == [1, 2, 3, 3, 3, 4]
