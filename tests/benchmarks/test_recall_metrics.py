import math
from pathlib import Path

import pytest
from benchmarks.recall import metrics
from benchmarks.recall.data import Asked, DataSet, Said, available, memories, moment, read
from benchmarks.recall.play import Turn, weigh_clean, weigh_own
from hypothesis import given
from hypothesis import strategies as st

from memoryd_client.wire.memory import MAX_CONTENT_BYTES

rankings = st.lists(st.sampled_from("abcdefghij"), unique=True, min_size=1)
evidence = st.sets(st.sampled_from("abcdefghij"), min_size=1)


def test_recall_counts_the_evidence_that_is_among_the_first() -> None:
    assert metrics.recall(["a", "b", "c"], {"b", "c", "d", "e"}, 2) == 0.25
    assert metrics.recall(["a", "b", "c"], {"b", "c", "d", "e"}, 3) == 0.5


def test_a_hit_needs_only_one_of_the_evidence() -> None:
    assert metrics.hit(["a", "b", "c"], {"c", "z"}, 2) == 0.0
    assert metrics.hit(["a", "b", "c"], {"c", "z"}, 3) == 1.0


def test_the_reciprocal_rank_is_that_of_the_first_relevant_one() -> None:
    assert metrics.reciprocal_rank(["a", "b", "c"], {"b", "c"}) == 0.5
    assert metrics.reciprocal_rank(["a"], {"b"}) == 0.0


def test_discounted_gain_is_the_textbooks() -> None:
    gained = 1 / math.log2(3) + 1 / math.log2(5)
    possible = 1 / math.log2(2) + 1 / math.log2(3) + 1 / math.log2(4)
    assert metrics.ndcg(["x", "a", "y", "b"], {"a", "b", "c"}, 10) == pytest.approx(gained / possible)


@given(rankings, evidence)
def test_a_ranking_that_begins_with_all_the_evidence_is_perfect(ranked: list[str], relevant: set[str]) -> None:
    best = [*sorted(relevant), *(one for one in ranked if one not in relevant)]
    figures = metrics.ranking(best, relevant)
    assert figures["R@10"] == figures["nDCG@10"] == figures["MRR"] == figures["hit@5"] == 1.0
    assert all(0.0 <= value <= 1.0 for value in metrics.ranking(ranked, relevant).values())


def test_a_question_without_evidence_has_no_figure() -> None:
    with pytest.raises(ValueError, match="relevant"):
        metrics.recall(["a"], (), 5)
    with pytest.raises(ValueError, match="relevant"):
        metrics.ndcg(["a"], (), 5)


def test_an_interval_encloses_the_mean_and_narrows_with_more_questions() -> None:
    few = metrics.interval([0.0, 1.0] * 10)
    many = metrics.interval([0.0, 1.0] * 1000)
    assert few[0] < many[0] < 0.5 < many[1] < few[1]
    assert metrics.interval([0.3, 0.3]) == pytest.approx((0.3, 0.3))


def test_a_session_counts_where_it_first_appears() -> None:
    assert metrics.firsts(["s2", "s1", "s2", "s3"]) == ["s2", "s1", "s3"]


def test_messages_become_memories_with_their_place_in_the_session() -> None:
    first = Said("1", "talk", "hello", session=1, ts="2023-05-08T13:56:00", speaker="Ann")
    picture = Said("2", "talk", "look", session=1, speaker="Bob", caption="a dog")
    later = Said("3", "talk", "ä" * MAX_CONTENT_BYTES, session=2, ts="March-15-2024")
    one, two, three = memories([first, picture, later])
    assert (one.speaker, one.source_session, one.source_messages) == ("Ann", "talk/1", (0, 0))
    assert one.occurred_at is not None
    assert one.occurred_at.isoformat() == "2023-05-08T13:56:00+00:00"
    assert (two.content, two.source_messages, two.occurred_at) == ("look [image: a dog]", (1, 1), None)
    assert (three.source_session, three.source_messages) == ("talk/2", (0, 0))
    assert len(three.content.encode()) == MAX_CONTENT_BYTES


def test_a_date_in_no_known_form_is_an_error() -> None:
    with pytest.raises(ValueError, match="soon"):
        moment("soon")


def test_only_questions_with_evidence_are_answerable() -> None:
    messages = (Said("1", "g", "a", speaker="user"), Said("2", "g", "b", speaker="assistant"))
    questions = (
        Asked("q1", "g", "?", "single-hop", ("1",)),
        Asked("q2", "g", "?", "single-hop", ("2",)),
        Asked("q3", "g", "?", "abstention", ("1",)),
        Asked("q4", "g", "?", "open-domain", ()),
    )
    data = DataSet("some", messages, questions)
    assert [one.id for one in data.answerable()] == ["q1", "q2"]
    assert [one.id for one in data.said_by("user").answerable()] == ["q1"]


def test_data_sets_are_found_by_their_two_files(tmp_path: Path) -> None:
    for name, files in {"whole": ("memories", "queries"), "half": ("queries",)}.items():
        (tmp_path / name).mkdir()
        for file in files:
            (tmp_path / name / f"{file}.jsonl").write_text("", encoding="utf-8")
    assert available(tmp_path) == ["whole"]
    assert available(tmp_path / "nowhere") == []
    (tmp_path / "whole" / "memories.jsonl").write_text('{"id":"1","group":"g","text":"t","more":2}\n', "utf-8")
    assert read(tmp_path / "whole").messages == (Said("1", "g", "t"),)


def test_the_gate_is_weighed_by_evidence_and_by_silence() -> None:
    turns = [Turn(("a", "b"), frozenset({"a", "c"})), Turn((), frozenset({"d"}))]
    own = weigh_own(turns)
    assert (own["evidence"], own["precision"], own["injected"]) == (0.25, 0.5, 1.0)
    assert weigh_clean(turns)["clean"] == 0.5
