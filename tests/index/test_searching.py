from datetime import UTC, datetime

import numpy as np
import pytest
from msgspec.structs import replace

from filtered import FILTERED
from memoryd.index import LanceIndex
from memoryd_actors.ports.index import IndexPassage, IndexRow
from memoryd_actors.texts.stems import stems
from memoryd_client.wire.filters import Filters

from .rows import DIMENSIONS, axis, row, seen_by, unit_vectors


async def ids(index: LanceIndex, words: str) -> list[str]:
    found = await index.search(vector=None, words=words, visible=seen_by(), limit=10)
    return [hit.id for hit in sorted(found, key=lambda hit: -hit.word_score)]


async def test_every_candidate_has_both_scores_wherever_it_came_from(index: LanceIndex) -> None:
    # More rows than are compared exactly, so that only the likely ones are.
    vectors = unit_vectors(2400)
    # Every row has the word; the shorter the text, the better it matches.
    rows = [
        row(f"m{number:04}", text="needle " + "straw " * (1 + number % 50), vector=vectors[number])
        for number in range(2400)
    ]
    await index.apply(rows, removed=[], sequence=1)
    await index.optimise()
    query = vectors[7]
    found = await index.search(vector=query, words="needle", visible=seen_by(), limit=5)
    assert 5 < len(found) <= 10
    for hit in found:
        assert hit.vector_score == pytest.approx(float(vectors[int(hit.id[1:])] @ query), abs=1e-5)
        assert hit.word_score > 0
    everything = await index.search(vector=None, words="needle", visible=seen_by(), limit=2400)
    scores = {hit.id: hit.word_score for hit in everything}
    assert [hit.word_score for hit in found] == pytest.approx([scores[hit.id] for hit in found])
    nearest = {f"m{number:04}" for number in np.argsort(-(vectors @ query))[:5]}
    assert nearest <= {hit.id for hit in found}


async def test_a_small_table_gives_the_same_word_scores_to_hits_of_either_side(index: LanceIndex) -> None:
    rows = [row("near", text="rare words"), row("far", text="rare rare words", vector=axis(1))]
    rows += [row(f"other{number}", text="nothing", vector=axis(2)) for number in range(20)]
    await index.apply(rows, removed=[], sequence=1)
    both = await index.search(vector=axis(0), words="rare", visible=seen_by(), limit=1)
    words = {
        hit.id: hit.word_score for hit in await index.search(vector=None, words="rare", visible=seen_by(), limit=9)
    }
    assert {hit.id: hit.word_score for hit in both} == words


async def test_without_a_vector_only_words_count_and_without_words_only_the_vector(index: LanceIndex) -> None:
    await index.apply([row("a", text="apple"), row("b", text="pear", vector=axis(1))], removed=[], sequence=1)
    (by_words,) = await index.search(vector=None, words="pear", visible=seen_by(), limit=5)
    assert (by_words.id, by_words.vector_score) == ("b", 0.0)
    by_vector = await index.search(vector=axis(1), words=" ", visible=seen_by(), limit=5)
    assert [(hit.id, hit.vector_score, hit.word_score) for hit in by_vector] == [("b", 1.0, 0.0), ("a", 0.0, 0.0)]
    assert await index.search(vector=None, words="", visible=seen_by(), limit=5) == []


async def test_an_empty_index_finds_nothing(index: LanceIndex) -> None:
    assert await index.search(vector=axis(0), words="anything", visible=seen_by(), limit=5) == []


async def test_words_are_found_in_other_forms_and_stop_words_are_not_words(index: LanceIndex) -> None:
    await index.apply([row("a", text="She was running the tests"), row("b", text="the and of")], removed=[], sequence=1)
    assert await ids(index, "runs test") == ["a"]
    assert await ids(index, "the and of") == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Die Größe der Datei", "größe"),
        ("Die Größe der Datei", "grosse"),
        ("Пароль хранится в сейфе", "сейфе"),
        ("明日は東京タワーに行きます", "東京"),
        ("明日は東京タワーに行きます", "東京タワー"),
        ("部署在周二进行", "周二"),
        ("ฉันชอบชาเขียว", "ชา"),
        ("회의는 화요일에 있다", "화요일에"),
        ("الاجتماع يوم الثلاثاء", "الثلاثاء"),
        ("naïve café", "cafe"),
        ("call token_expiry() in auth.py", "token_expiry"),
        ("pinned to version 3.14", "3.14"),
        ("\ud83d broken text", "broken"),
    ],
)
async def test_words_of_many_languages_and_of_code_are_found(index: LanceIndex, text: str, words: str) -> None:
    await index.apply([row("a", text=text), row("b", text="unrelated")], removed=[], sequence=1)
    assert await ids(index, words) == ["a"]
    await index.optimise()
    assert await ids(index, words) == ["a"]


@pytest.mark.parametrize(
    "words",
    [
        "\"unbalanced 'quotes",
        "a AND (b OR NOT c)",
        "title:secret^2 ~fuzzy* wild?card",
        "'; DROP TABLE memories; --",
        "\0",
        "\ud800",
        "\\",
        "def f(x: int) -> str: return f'{x}'",
        "\n".join(f"line{number} of a log" for number in range(2000)),
        "x" * 100_000,
        "東京" * 5000,
        "🚀" * 1000,
    ],
)
async def test_any_words_may_be_asked_for(index: LanceIndex, words: str) -> None:
    await index.apply([row("a", text="plain")], removed=[], sequence=1)
    found = await index.search(vector=axis(0), words=words, visible=seen_by(), limit=5)
    assert [hit.id for hit in found] == ["a"]


@pytest.mark.parametrize(("filters", "expected"), FILTERED)
async def test_filters_show_what_they_say(index: LanceIndex, filters: Filters, expected: set[str]) -> None:
    rows = [
        row("global"),
        row("here", scope="project", project="/here"),
        row("there", scope="project", project="/there"),
        row("tagged", scope="project", project="/here", category="preference", tags=("a", "b"), pinned=True),
        row("forgotten", state="forgotten"),
        row("foreign", owner="them"),
    ]
    await index.apply(rows, removed=[], sequence=1)
    for vector, words in ((axis(0), ""), (None, "words"), (axis(0), "words")):
        found = await index.search(
            vector=vector, words=words, visible=seen_by(project="/here", filters=filters), limit=10
        )
        assert {hit.id for hit in found} == expected


SINCE_1970_S = datetime(1970, 1, 1, 0, 0, 10, tzinfo=UTC)


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (Filters(agent="o'brien"), {"theirs"}),
        (Filters(role="assistant"), {"theirs"}),
        (Filters(speaker="Ana"), {"late"}),
        (Filters(session="s"), {"plain", "theirs", "late"}),
        (Filters(session="other"), set[str]()),
        (Filters(importance_min=4), {"theirs"}),
        (Filters(importance_max=2), {"late"}),
        (Filters(importance_min=2, importance_max=3), {"plain", "late"}),
        (Filters(updated_after=SINCE_1970_S), {"late"}),
        (Filters(updated_before=SINCE_1970_S), {"plain", "theirs"}),
        (Filters(updated_before=SINCE_1970_S.replace(tzinfo=None)), {"plain", "theirs"}),
    ],
)
async def test_filters_of_who_how_vital_and_when_show_what_they_say(
    index: LanceIndex, filters: Filters, expected: set[str]
) -> None:
    rows = [
        row("plain"),
        row("theirs", agent="o'brien", role="assistant", importance=5),
        row("late", speaker="Ana", importance=2, updated_at=10_000_000),
    ]
    await index.apply(rows, removed=[], sequence=1)
    for vector, words in ((axis(0), ""), (None, "words")):
        found = await index.search(vector=vector, words=words, visible=seen_by(filters=filters), limit=10)
        assert {hit.id for hit in found} == expected


@pytest.mark.parametrize(
    ("allowed", "without", "expected"),
    [
        (None, frozenset({"rule"}), {"fact", "plan"}),
        (frozenset({"rule", "fact"}), frozenset[str](), {"rule", "fact"}),
        (frozenset({"rule", "fact"}), frozenset({"rule"}), {"fact"}),
        (frozenset[str](), frozenset[str](), set[str]()),
    ],
)
async def test_categories_off_the_allowlist_or_kept_out_do_not_come_up(
    index: LanceIndex, allowed: frozenset[str] | None, without: frozenset[str], expected: set[str]
) -> None:
    await index.apply([row(one, category=one) for one in ("rule", "fact", "plan")], removed=[], sequence=1)
    visible = seen_by(allowed=allowed, without=without)
    for vector, words in ((axis(0), ""), (None, "words")):
        found = await index.search(vector=vector, words=words, visible=visible, limit=10)
        assert {hit.id for hit in found} == expected


async def test_what_is_written_is_found_at_once_beside_many(index: LanceIndex) -> None:
    vectors = unit_vectors(2000)
    old = [row(f"m{number}", text="old straw", vector=vectors[number]) for number in range(2000)]
    await index.apply(old, removed=[], sequence=1)
    fresh = -vectors[0]
    await index.search(vector=fresh, words="", visible=seen_by(), limit=3)
    await index.apply([row("fresh", text="brand new", vector=fresh, sequence=2)], removed=[], sequence=2)
    by_vector = await index.search(vector=fresh, words="", visible=seen_by(), limit=3)
    by_words = await index.search(vector=None, words="brand", visible=seen_by(), limit=3)
    assert by_vector[0].id == by_words[0].id == "fresh"
    assert by_vector[0].vector_score == pytest.approx(1.0, abs=1e-5)


async def test_of_many_those_are_found_that_are_nearest(index: LanceIndex) -> None:
    await index.reset(model="m", dimensions=384)
    # Of low rank, as embeddings are, and each with noise.
    random = np.random.default_rng(3)
    spread = unit_vectors(64, seed=5, dimensions=384)
    noisy = unit_vectors(9050, seed=3, dimensions=64) @ spread + 0.03 * random.normal(size=(9050, 384))
    noisy = (noisy / np.linalg.norm(noisy, axis=1, keepdims=True)).astype(np.float32)
    vectors, queries = noisy[:9000], noisy[9000:]
    owners = ["local" if number % 4 else "rare" for number in range(9000)]
    rows = [row(f"m{number}", vector=vectors[number], owner=owners[number]) for number in range(9000)]
    for start in range(0, 9000, 3000):  # the end of one part and the beginning of the next lie in one block
        await index.apply(rows[start : start + 3000], removed=[], sequence=1)
    for owner in ("local", "rare"):
        mine = np.flatnonzero(np.array([one == owner for one in owners]))
        hits = 0
        for query in queries:
            exact = {f"m{number}" for number in mine[np.argsort(-(vectors[mine] @ query))[:10]]}
            found = await index.search(vector=query, words="", visible=seen_by(owner), limit=50)
            hits += len(exact & {hit.id for hit in found[:10]})
        assert hits / 500 >= 0.98


async def test_a_batch_of_nothing_but_what_came_ahead_of_it_changes_nothing(index: LanceIndex) -> None:
    await index.apply([row("a", text="a pear", sequence=9)], removed=[], sequence=1)
    await index.apply([row("a", text="an apple", sequence=2)], removed=[], sequence=2)
    assert (await ids(index, "pear"), await ids(index, "apple")) == (["a"], [])


async def test_statistics_count_the_memories_that_somebody_may_see(index: LanceIndex) -> None:
    rows = [
        row("a", text="the deploy failed; deploying again"),
        row("b", text="a deploy to the café"),
        row("c", text="deploy", owner="them"),
        row("d", text="nothing of it", scope="project", project="/here"),
        row("e", text="deploys", scope="project", project="/there"),
    ]
    await index.apply(rows, removed=[], sequence=1)
    (deploy,) = stems("deployed")
    asked = (deploy, "café", "unheard")
    found = await index.statistics(asked, seen_by(project="/here"))
    assert (found.n, found.df) == (3, {deploy: 2, "café": 1, "unheard": 0})
    assert (await index.statistics(asked, seen_by("them"))).df == {deploy: 1, "café": 0, "unheard": 0}
    await index.apply([row("b", text="a walk", sequence=2)], removed=["a"], sequence=2)
    found = await index.statistics(asked, seen_by(project="/here"))
    assert (found.n, found.df[deploy]) == (2, 0)


def long_row(id: str, *passages: tuple[int, str], owner: str = "local", sequence: int = 1) -> IndexRow:  # noqa: A002
    (first, text), *others = passages
    further = (
        IndexPassage(100 * number, 100 * number + 90, axis(where), told)
        for number, (where, told) in enumerate(others, 1)
    )
    short = row(id, text=text, vector=axis(first), owner=owner, sequence=sequence)
    return replace(short, passages=tuple(further))


async def test_a_long_memory_is_found_by_each_of_its_passages(index: LanceIndex) -> None:
    rows = [
        row("short", text="beta", vector=axis(9)),
        long_row("long", (1, "alpha"), (2, "beta"), (3, "gamma delta")),
        row("last", text="omega", vector=axis(8)),
        long_row("theirs", (1, "alpha"), (2, "beta"), owner="them"),
    ]
    await index.apply(rows, removed=[], sequence=1)
    for _ in range(2):
        for axis_number, words, span in ((1, "alpha", (0, 100)), (2, "beta", (100, 190)), (3, "delta", (200, 290))):
            by_vector = await index.search(vector=axis(axis_number), words="", visible=seen_by(), limit=1)
            by_words = await index.search(vector=None, words=words, visible=seen_by(), limit=5)
            (both, *_) = await index.search(vector=axis(axis_number), words=words, visible=seen_by(), limit=5)
            assert [(hit.id, hit.passage) for hit in by_vector] == [("long", span)]
            assert ("long", span) in [(hit.id, hit.passage) for hit in by_words]
            assert (both.id, both.passage, both.vector_score) == ("long", span, 1.0)
            assert both.word_score == next(hit.word_score for hit in by_words if hit.id == "long")
        assert (await index.statistics(["alpha", "beta"], seen_by())).df == {"alpha": 1, "beta": 2}
        assert (await index.vectors(["long"]))["long"] == pytest.approx(axis(1))
        await index.close()
        assert await index.open(model="m", dimensions=DIMENSIONS) == 1
    await index.apply([long_row("long", (1, "alpha"), (4, "zeta"), sequence=2)], removed=["short"], sequence=2)
    assert await index.search(vector=None, words="beta gamma", visible=seen_by(), limit=5) == []
    await index.purge()
    (hit,) = await index.search(vector=None, words="zeta", visible=seen_by(), limit=5)
    assert (hit.id, hit.passage) == ("long", (100, 190))


async def test_a_long_memory_does_not_crowd_out_the_others(index: LanceIndex) -> None:
    many = long_row("long", *((1, f"straw number{number}") for number in range(80)))
    others = [row(f"m{number}", text="straw " * 5, vector=unit_vectors(10)[number]) for number in range(10)]
    await index.apply([many, *others], removed=[], sequence=1)
    by_vector = await index.search(vector=axis(1), words="", visible=seen_by(), limit=8)
    by_words = await index.search(vector=None, words="straw", visible=seen_by(), limit=8)
    assert len(by_vector) == len(by_words) == 8
    assert by_vector[0].id == "long"
