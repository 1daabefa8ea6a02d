"""The tables of `make bench-recall`, on two made-up conversations and a few made-up dialogues and pairs."""

import json
from pathlib import Path

import anyio
import numpy as np
import pytest
from benchmarks.recall import __main__ as bench_recall
from benchmarks.recall.data import Said, read
from benchmarks.recall.play import cell
from benchmarks.recall.pools import fused_order, memories_of, own_pools
from benchmarks.vectors import Embeddings

from benchmarks import gate, topics

PAIRS = (
    {"a": "The mill opens at nine.", "b": "The mill opens at nine!", "label": "dup", "set": "made up"},
    {"a": "The mill opens at nine.", "b": "The mill opens at ten.", "label": "conflict", "set": "made up"},
    {"a": "The mill opens at nine.", "b": "A mill is open in the morning.", "label": "near", "set": "made up"},
    {"a": "The mill opens at nine.", "b": "The bakery sells bread.", "label": "related", "set": "made up"},
)
WATERS = ("The tap drips.", "Turn it off at the wall.", "It still drips.", "Then change the washer.")
WINES = ("Which wine goes with fish?", "A dry white one.", "And with cheese?", "A sweet one.")


def write(folder: Path, name: str, lines: object) -> None:
    (folder / name).mkdir(parents=True)
    assert isinstance(lines, (list, tuple))
    (folder / name / "dev.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines), encoding="utf-8")


def test_the_pool_of_a_question_is_what_its_conversation_has(data: Path, models: Path) -> None:
    home = read(data / "home")
    pools = anyio.run(own_pools, home, Embeddings(models=models))
    assert [(one.group, sorted(one.evidence)) for one in pools] == [
        ("kitchen", ["kitchen/1"]),
        ("garden", ["garden/1"]),
    ]
    for one in pools:
        assert fused_order(one)[0] == f"{one.group}/1"
        assert {memory.project for _, memory in one.found} == {one.group}


def test_what_a_conversation_says_twice_is_one_memory(data: Path) -> None:
    home = read(data / "home")
    again = Said("again", "kitchen", "Anna is  allergic to walnuts.", session=2, speaker="Ben")
    elsewhere = Said("elsewhere", "garden", "Anna is allergic to walnuts.", session=2, speaker="Ben")
    stored, held_by = memories_of(type(home)("home", (*home.messages, again, elsewhere), home.questions))
    assert held_by["again"] == "kitchen/1"
    assert held_by["elsewhere"] == "elsewhere"
    assert "again" not in stored


def test_the_gate_stays_clean_and_keeps_the_evidence(
    data: Path, models: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    figures = gate.run(data, embeddings=Embeddings(models=models))["home"]
    assert (figures["own"], figures["foreign"], figures["without answer"]) == (2, 2, 0)
    assert (figures["balanced"]["clean"], figures["balanced"]["evidence"]) == (1.0, 1.0)
    assert figures["ceiling"] == 1.0
    # Nobody asked what has no answer: nothing is said of it, which is not the same as never.
    assert figures["balanced"]["quiet"] is None
    (row,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("the judge, balanced")]
    assert row.split() == ["the", "judge,", "balanced", "(0.2)", "1.000", "1.000", "1.000", "1.0"]


def test_a_threshold_that_a_share_of_values_stays_below_is_above_that_share() -> None:
    values = [float(one) for one in range(101)]
    bar = gate.just_above(values)
    assert sum(one < bar for one in values) == 96
    assert gate.just_above([0.5] * 7) > 0.5


def test_topics_have_a_floor_that_calls_every_turn_new(
    tmp_path: Path, models: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    joined = {"id": "1", "utterances": WATERS + WINES, "segments": [4, 4]}
    write(tmp_path, "joined", [joined])
    write(tmp_path, "pairs", PAIRS)
    assert topics.available(tmp_path) == ["joined"]
    floor = topics.run(tmp_path, embeddings=Embeddings(models=models))["joined"]["floor"]
    # One of three turns after the first begins a topic.
    assert (floor["precision"], floor["recall"], floor["f1_next"]) == (0.3333, 1.0, 0.5)
    assert "floor: every turn" in capsys.readouterr().out


def test_each_table_is_left_out_where_it_is_not_wanted_or_has_no_data(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, results = tmp_path / "data", tmp_path / "results"
    write(folder, "pairs", PAIRS)
    assert bench_recall.main([str(folder), "--no-gate", "--results", str(results)]) == 0
    said = capsys.readouterr().out
    assert "recall: left out. no data in" in said
    assert "topics: left out. no dialogues in" in said
    assert "=== gate" not in said
    assert [one.name for one in results.iterdir()] == ["duplicates.json"]
    figures = json.loads((results / "duplicates.json").read_text("utf-8"))["figures"]
    assert figures["near identical"] == {"dup": 1.0, "conflict": 0.0, "near": 0.0, "related": 0.0}


def test_a_folder_without_any_data_is_named(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="make bench-recall DATA=FOLDER"):
        bench_recall.main([str(tmp_path / "nowhere")])
    with pytest.raises(SystemExit, match=r"memories\.jsonl(.|\n)*segments(.|\n)*pairs"):
        bench_recall.main([str(tmp_path)])


def test_kept_embeddings_need_no_model(tmp_path: Path, models: Path) -> None:
    cache = tmp_path / "cache.npz"
    texts = ["one", "", "z\N{LATIN SMALL LETTER E WITH ACUTE}ro", "one"]
    made = Embeddings(cache, models=models).of(texts)
    assert np.array_equal(made[0], made[3])
    # Where a file stands, no folder can keep weights: a model would fail to load.
    assert np.array_equal(Embeddings(cache, models=cache).of(texts), made)


def test_a_file_that_holds_no_embeddings_is_refused(tmp_path: Path) -> None:
    cache = tmp_path / "cache.npz"
    cache.write_text("nothing")
    with pytest.raises(SystemExit, match="name another file"):
        Embeddings(cache)
    np.savez(cache, model=np.array("another"), texts=np.zeros(1, np.uint8), vectors=np.zeros((1, 384)))
    with pytest.raises(SystemExit, match="embeddings of another"):
        Embeddings(cache)


def test_a_cell_has_the_mean_and_half_its_interval() -> None:
    assert cell({"mean": 0.5961, "low": 0.53, "high": 0.67}) == "0.596±.07"
