import gc
import json
import shutil
import sys
from pathlib import Path

import numpy as np
import psutil
import pytest

from memoryd.embedding.onnx import OnnxModel
from memoryd.embedding.weights import Sources, Weights, fetch
from memoryd_actors.core.errors import ModelUnavailable

from .texts import SENTENCES, cosines


@pytest.fixture(scope="module")
def model(model_folder: Path) -> OnnxModel:
    return OnnxModel(fetch(Sources(models=model_folder, folder=model_folder)), threads=1)


def test_truncation_keeps_the_beginning(model: OnnxModel) -> None:
    start = "token expiry is computed in UTC "
    short, longer, other = model.encode(
        [start * 8, start * 8 + "and bananas are yellow " * 50, "bananas are yellow " * 50 + start], max_tokens=32
    )
    assert short @ longer > 0.9999
    assert short @ other < 0.5


def test_max_tokens_counts_the_two_that_frame_a_text(model: OnnxModel) -> None:
    # "one two three" is five tokens with its frame.
    framed, whole, cut = [
        model.encode(["one two three four" if tokens == 5 else "one two three"], max_tokens=tokens)[0]
        for tokens in (5, 256, 4)
    ]
    assert framed @ whole > 0.9999
    assert cut @ whole < 0.999


@pytest.mark.parametrize("max_tokens", [16, 256, 512])
def test_a_huge_text_gets_the_vector_of_its_beginning(model: OnnxModel, max_tokens: int) -> None:
    sentence = SENTENCES["english"] + ". "
    huge, enough = model.encode([sentence * 20_000, sentence * 40], max_tokens=max_tokens)
    assert huge @ enough > 0.99999


def test_text_behind_thousands_of_blanks_is_still_read(model: OnnxModel) -> None:
    far, near = model.encode([" " * 30_000 + SENTENCES["german"], SENTENCES["german"]], max_tokens=64)
    assert far @ near > 0.99999


def test_a_vector_does_not_depend_on_its_company(model: OnnxModel) -> None:
    texts = [sentence * repeated for sentence in SENTENCES.values() for repeated in (1, 9)]
    together = model.encode(texts, max_tokens=256)
    alone = np.concatenate([model.encode([text], max_tokens=256) for text in texts])
    assert min(cosines(together, alone)) > 0.99999


def test_lone_surrogates_are_replaced_and_pairs_are_joined(model: OnnxModel) -> None:
    lone, without, pair, character = model.encode(
        ["broken \ud800 text", "broken text", "party \ud83c\udf89 time", "party 🎉 time"], max_tokens=256
    )
    assert lone @ without > 0.99
    assert pair @ character > 0.99999


def test_no_texts_make_no_vectors(model: OnnxModel) -> None:
    assert model.encode([], max_tokens=256).shape == (0, 384)


def test_a_model_like_the_hubs_without_pooling_is_pooled_here(
    model: OnnxModel, model_folder: Path, tmp_path: Path
) -> None:
    import onnx

    graph = onnx.load(str(model_folder / "model.onnx"))
    hidden = next(node.input[1] for node in graph.graph.node if node.output[0] == "summed")
    del graph.graph.output[:]
    graph.graph.output.append(onnx.helper.make_tensor_value_info(hidden, 1, ["batch", "sequence", 384]))
    graph.graph.input.append(onnx.helper.make_tensor_value_info("token_type_ids", 7, ["batch", "sequence"]))
    onnx.save(graph, str(tmp_path / "model.onnx"))
    unpooled = OnnxModel(Weights(tmp_path / "model.onnx", model_folder / "tokenizer.json", "fp32", "test"), threads=1)
    texts = [SENTENCES["english"], SENTENCES["code"] * 5, ""]
    ours = unpooled.encode(texts, max_tokens=256)
    assert min(cosines(ours, model.encode(texts, max_tokens=256))) > 0.99999


def test_another_model_in_the_same_shape_is_refused(model_folder: Path, tmp_path: Path) -> None:
    import onnx
    from onnx import numpy_helper

    graph = onnx.load(str(model_folder / "model.onnx"))
    words = next(each for each in graph.graph.initializer if "word_embeddings" in each.name)
    words.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(words)[::-1].copy(), words.name))
    onnx.save(graph, str(tmp_path / "model.onnx"))
    weights = Weights(tmp_path / "model.onnx", model_folder / "tokenizer.json", "fp32", "test")
    with pytest.raises(ModelUnavailable, match="is not all-MiniLM-L6-v2"):
        OnnxModel(weights, threads=1)


def test_weights_that_are_missing_beside_their_graph_are_named(model_folder: Path, tmp_path: Path) -> None:
    for name in ("model.onnx", "tokenizer.json"):
        shutil.copyfile(model_folder / name, tmp_path / name)
    with pytest.raises(ModelUnavailable, match=r"model\.onnx cannot be loaded.*weights\.bin"):
        OnnxModel(Weights(tmp_path / "model.onnx", tmp_path / "tokenizer.json", "fp32", "test"), threads=1)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lists what a process has mapped")
def test_weights_beside_their_graph_are_mapped_and_let_go_with_the_model(model_folder: Path, tmp_path: Path) -> None:
    folder = tmp_path / "own"  # what other tests have loaded is mapped, too
    shutil.copytree(model_folder, folder)

    def mapped() -> bool:
        return any(each.path == str(folder / "weights.bin") for each in psutil.Process().memory_maps())

    model = OnnxModel(fetch(Sources(models=tmp_path, folder=folder)), threads=1)
    assert model.encode(["hello"], max_tokens=256).shape == (1, 384)
    assert mapped()
    del model
    gc.collect()
    assert not mapped()


@pytest.mark.parametrize("broken", ["model.onnx", "tokenizer.json"])
def test_a_file_that_cannot_be_read_is_named(whole_folder: Path, tmp_path: Path, broken: str) -> None:
    for name in ("model.onnx", "tokenizer.json"):
        (tmp_path / name).symlink_to(whole_folder / name)
    (tmp_path / broken).unlink()
    (tmp_path / broken).write_text(json.dumps({"not": "it"}))
    weights = Weights(tmp_path / "model.onnx", tmp_path / "tokenizer.json", "fp32", "test")
    with pytest.raises(ModelUnavailable, match=f"{broken} cannot be loaded"):
        OnnxModel(weights, threads=1)
