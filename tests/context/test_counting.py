from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

import pytest

from memoryd.embedding import EmbeddingService
from memoryd_actors.context import Counting
from memoryd_actors.context.counting import BYTES_PER_TOKEN, CHUNK

Loaded = Callable[[], AbstractAsyncContextManager[EmbeddingService]]
MARK = "[cut here]"


async def test_a_text_of_any_length_is_counted_whole(loaded: Loaded) -> None:
    async with loaded() as embedder:
        counts = await Counting(embedder).count(["word " * 50_000, "", "one"])
    assert counts.exact
    assert counts.tokens[1:] == [0, 1]
    assert 50_000 <= counts.tokens[0] <= 50_000 + 2 * len("word " * 50_000) // CHUNK


async def test_what_the_tokeniser_takes_for_one_word_counts_by_its_size(loaded: Loaded) -> None:
    async with loaded() as embedder:
        counts = await Counting(embedder).count(["QUJD" * 30_000])
    assert counts.tokens[0] >= 120_000 / BYTES_PER_TOKEN


@pytest.mark.parametrize("room", [5, 12, 40, 200, 999])
@pytest.mark.parametrize("tail", [0.0, 0.3])
@pytest.mark.parametrize(
    "text", ["the quick brown fox " * 300, "x" * 20_000, "日本語の文章です。" * 400, "a\n\n" * 3_000]
)
async def test_a_text_is_cut_to_the_room_that_there_is(loaded: Loaded, room: int, tail: float, text: str) -> None:
    async with loaded() as embedder:
        counting = Counting(embedder)
        cut, tokens = await counting.fitted(text, room, MARK, tail=tail)
        assert tokens <= room
        assert (await counting.count([cut])).tokens == [tokens]
    assert MARK in cut or cut == ""
    assert not cut or text.startswith(cut.split(MARK)[0].rstrip()[:50])


async def test_without_a_tokeniser_sizes_are_estimated_and_it_is_said(loaded: Loaded) -> None:
    async with loaded() as embedder:

        class Nobody:
            async def count(self, texts: list[str]) -> list[int] | None:
                return None

        real, guessed = Counting(embedder), Counting(Nobody())  # type: ignore[arg-type]
        text = "Nobody knows how long this sentence is before a model is loaded, and that is no reason to fail."
        exact = await real.count([text])
        rough = await guessed.count([text])
    assert not rough.exact
    assert rough.tokens[0] >= exact.tokens[0]
