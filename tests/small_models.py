"""Embedding models of a few kilobytes, made on the spot: a vector of its own for each word, and a tokeniser."""

import json
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.normalizers import Lowercase
from tokenizers.pre_tokenizers import Whitespace

WORDS = tuple(
    """the a is in on of and to for with at by token login test midnight deploy server database password rotation
    coffee garden tomato bicycle concert violin mountain river passage query note number zero one two three four five
    six seven eight nine backup nightly ledger tea green kitchen broken lamp winter tyres office key drawer""".split()
)


def make_model(
    folder: Path,
    *,
    dimensions: int,
    seed: int = 0,
    offset: float = 0.0,
    pooled: bool = False,
    pooling: str = "",
    prompts: dict[str, str] | None = None,
    modules: tuple[str, ...] = (),
    known: tuple[str, ...] = WORDS,
) -> Path:
    """Write a model and return its folder: plain ONNX, or as sentence-transformers lays it out where it has `pooling`.

    It knows the `known` words. Without `pooled`, the graph ends with the vectors of the words. With an `offset`, they
    all point roughly one way.
    """
    folder.mkdir(parents=True, exist_ok=True)
    words = ["[UNK]", *known]
    table = _table(dimensions, seed, len(known)) + np.float32(offset)
    nodes = [helper.make_node("Gather", ["table", "input_ids"], ["token_embeddings"])]
    constants = [numpy_helper.from_array(table, "table")]
    shape: list[str | int] = ["batch", "sequence", dimensions]
    output = "token_embeddings"
    if pooled:
        nodes.append(helper.make_node("ReduceMean", ["token_embeddings", "axis"], ["sentence_embedding"], keepdims=0))
        constants.append(numpy_helper.from_array(np.array([1], np.int64), "axis"))
        output, shape = "sentence_embedding", ["batch", dimensions]
    text = ["batch", "sequence"]
    graph = helper.make_graph(
        nodes,
        "small",
        [helper.make_tensor_value_info(name, TensorProto.INT64, text) for name in ("input_ids", "attention_mask")],
        [helper.make_tensor_value_info(output, TensorProto.FLOAT, shape)],
        constants,
    )
    opset = [helper.make_opsetid("", 20)]
    onnx.save(helper.make_model(graph, opset_imports=opset, ir_version=10), str(folder / "model.onnx"))
    tokenizer = Tokenizer(WordLevel({word: number for number, word in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.normalizer = Lowercase()
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    if pooling:
        kinds = ("Transformer", "Pooling", *modules, "Normalize")
        _write(
            folder / "modules.json",
            [
                {"idx": n, "name": str(n), "path": f"{n}_{kind}" if n else "", "type": f"sentence_transformers.{kind}"}
                for n, kind in enumerate(kinds)
            ],
        )
        _write(folder / "1_Pooling" / "config.json", {"embedding_dimension": dimensions, "pooling_mode": pooling})
    if prompts is not None:
        _write(folder / "config_sentence_transformers.json", {"prompts": prompts})
    return folder


def vectors_of(words: str, *, dimensions: int, seed: int = 0) -> npt.NDArray[np.float32]:
    """Return what such a model has for each of these words; shape (words, dimensions)."""
    return _table(dimensions, seed)[[1 + WORDS.index(word) for word in words.split()]]


def _table(dimensions: int, seed: int, known: int = len(WORDS)) -> npt.NDArray[np.float32]:
    return np.random.default_rng(seed).normal(size=(1 + known, dimensions)).astype(np.float32)


def _write(file: Path, content: object) -> None:
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps(content), encoding="utf-8")
