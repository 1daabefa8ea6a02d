"""Models other than all-MiniLM-L6-v2: folders of any kind, the catalogue, and what runs them."""

import re
from pathlib import Path

import msgspec
import numpy as np
import pytest

from memoryd.config import EmbeddingConfig
from memoryd.embedding import build_embedder
from memoryd.embedding.build import resolve
from memoryd.embedding.catalogue import CATALOGUE, find
from memoryd.embedding.centred import Centred
from memoryd.embedding.model import ModelSpec
from memoryd.embedding.onnx import CPU, OnnxModel, providers
from memoryd.embedding.weights import Weights
from memoryd_actors.core.errors import ModelUnavailable
from memoryd_actors.ports.embedder import Vectors
from small_models import WORDS, make_model, vectors_of

from .hub_server import closed_port, serving


def config_for(folder: Path, **settings: str) -> EmbeddingConfig:
    return msgspec.convert({"model": folder.name, "folder": str(folder), **settings}, EmbeddingConfig)


def resolved(folder: Path, models: Path, **settings: str) -> ModelSpec:
    return resolve(config_for(folder, **settings), models=models, offline=True)


def weights_in(folder: Path) -> Weights:
    return Weights(folder / "model.onnx", folder / "tokenizer.json", "fp32", "test")


async def test_a_plain_onnx_folder_is_a_model_with_dimensions_of_its_own(tmp_path: Path) -> None:
    folder = make_model(tmp_path / "small", dimensions=24)
    spec = resolved(folder, tmp_path)
    assert (spec.dimensions, spec.pooling, spec.query_prefix) == (24, "mean", "")
    assert spec.identity.startswith("small@")
    async with build_embedder(config_for(folder), spec=spec, models=tmp_path, offline=True) as embedder:
        near, like, far = await embedder.embed(["the login test", "a login test", "green tea in the garden"])
    assert near.shape == (24,)
    assert near @ like > 0.5
    assert near @ like > near @ far + 0.2


async def test_a_sentence_transformers_folder_says_how_it_is_asked(tmp_path: Path) -> None:
    prompts = {"query": "query: ", "passage": "passage: "}
    folder = make_model(tmp_path / "asked", dimensions=16, pooling="cls", prompts=prompts)
    spec = resolved(folder, tmp_path)
    assert (spec.pooling, spec.query_prefix, spec.document_prefix) == ("cls", "query: ", "passage: ")
    async with build_embedder(config_for(folder), spec=spec, models=tmp_path, offline=True) as embedder:
        asked, told = [(await embedder.embed(["coffee"], query=query))[0] for query in (True, False)]
        other = (await embedder.embed(["violin"], query=True))[0]
    # The first word's vector alone, which is that of the prefix.
    assert asked @ other == pytest.approx(1, abs=1e-5)
    assert asked @ told < 0.9


@pytest.mark.parametrize(("pooling", "tokens"), [("mean", (0, 1)), ("cls", (0,)), ("lasttoken", (1,)), ("max", (0, 1))])
def test_each_pooling_makes_what_it_says(tmp_path: Path, pooling: str, tokens: tuple[int, ...]) -> None:
    folder = make_model(tmp_path / "pooled", dimensions=8, pooling=pooling)
    model = OnnxModel(weights_in(folder), threads=1, spec=resolved(folder, tmp_path))
    chosen = vectors_of("tea river", dimensions=8)[list(tokens)]
    expected = chosen.max(axis=0) if pooling == "max" else chosen.mean(axis=0)
    # Beside a longer text, so that there is padding.
    vectors = model.encode(["tea river", "tea river note number zero"], max_tokens=64)
    assert vectors[0] @ (expected / np.linalg.norm(expected)) == pytest.approx(1, abs=1e-5)


def test_texts_that_have_nothing_in_common_are_at_about_0_whatever_the_model(tmp_path: Path) -> None:
    folder = make_model(tmp_path / "one way", dimensions=64, offset=3.0)
    spec = resolved(folder, tmp_path)
    raw = OnnxModel(weights_in(folder), threads=1, spec=spec)
    model = Centred(raw, spec, [f"{WORDS[n]} {WORDS[n + 1]} {WORDS[n + 2]}" for n in range(0, len(WORDS) - 2)])
    texts = ["coffee garden tomato", "login test midnight", "violin concert", "a garden with coffee and tomato"]
    before, after = [each.encode(texts, max_tokens=64) for each in (raw, model)]
    assert before[0] @ before[1] > 0.9
    assert abs(after[0] @ after[1]) < 0.35
    assert abs(after[1] @ after[2]) < 0.35
    assert after[0] @ after[3] > 0.5
    assert np.allclose(np.linalg.norm(after, axis=1), 1, atol=1e-5)


def test_a_graph_that_pools_itself_is_taken_at_its_word(tmp_path: Path) -> None:
    folder = make_model(tmp_path / "whole", dimensions=12, pooled=True, pooling="mean", modules=("Dense",))
    assert resolved(folder, tmp_path).dimensions == 12


def test_a_graph_without_what_comes_after_the_pooling_is_refused(tmp_path: Path) -> None:
    folder = make_model(tmp_path / "part", dimensions=12, pooling="mean", modules=("Dense",))
    with pytest.raises(ModelUnavailable, match="makes no vector of a sentence"):
        resolved(folder, tmp_path)


def test_int8_of_a_folder_is_made_once_and_counts_as_another_model(tmp_path: Path) -> None:
    folder = make_model(tmp_path / "small", dimensions=24)
    whole, small = resolved(folder, tmp_path), resolved(folder, tmp_path, precision="int8")
    assert (whole.identity, small.identity) == (f"small@{whole.digest[:12]}/fp32", f"small@{whole.digest[:12]}/int8")
    assert (tmp_path / "small-folder" / "int8" / "manifest.json").is_file()


def test_the_identity_is_that_of_the_files_and_of_how_they_are_asked(tmp_path: Path) -> None:
    specs = [
        resolved(make_model(tmp_path / name / "m", dimensions=8, seed=seed, pooling="mean", prompts=prompts), tmp_path)
        for name, seed, prompts in (("a", 0, None), ("b", 0, None), ("c", 1, None), ("d", 0, {"query": "query: "}))
    ]
    assert specs[0].identity == specs[1].identity
    assert len({spec.identity for spec in specs}) == 3


async def test_files_that_changed_under_an_index_are_noticed(tmp_path: Path) -> None:
    folder = make_model(tmp_path / "small", dimensions=8)
    spec = resolved(folder, tmp_path)
    make_model(folder, dimensions=8, seed=1)
    async with build_embedder(config_for(folder), spec=spec, models=tmp_path, offline=True) as embedder:
        with pytest.raises(ModelUnavailable, match="not those any more") as caught:
            await embedder.embed(["tea"])
    assert f"memoryd model embed use {folder}" in caught.value.hint


@pytest.mark.parametrize(
    ("file", "content", "reason"),
    [
        ("model.onnx", "no graph", "model.onnx cannot be loaded"),
        ("tokenizer.json", "{}", "tokenizer.json cannot be loaded"),
        ("tokenizer.json", None, "has no tokenizer.json"),
        ("model.onnx", None, "neither model.onnx nor model.safetensors"),
        ("modules.json", "{", "modules.json cannot be read"),
        ("1_Pooling/config.json", '{"pooling_mode": "weightedmean"}', "asks for a pooling that memoryd does not do"),
    ],
)
def test_a_damaged_folder_is_refused_by_the_name_of_what_is_damaged(
    tmp_path: Path, file: str, content: str | None, reason: str
) -> None:
    folder = make_model(tmp_path / "damaged", dimensions=8, pooling="mean")
    if content is None:
        (folder / file).unlink()
    else:
        (folder / file).write_text(content, encoding="utf-8")
    with pytest.raises(ModelUnavailable, match=reason) as caught:
        resolved(folder, tmp_path)
    assert caught.value.hint


def test_what_is_no_folder_and_no_name_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match="there is no folder"):
        resolved(tmp_path / "nowhere", tmp_path)
    with pytest.raises(ModelUnavailable, match="nobody/nothing is not in the catalogue") as caught:
        resolve(EmbeddingConfig(model="nobody/nothing"), models=tmp_path, offline=True)
    assert "memoryd model embed" in caught.value.hint


def test_a_folder_that_only_torch_can_run_says_so(tmp_path: Path) -> None:
    folder = make_model(tmp_path / "torch", dimensions=8, pooling="mean")
    (folder / "model.onnx").rename(folder / "model.safetensors")
    with pytest.raises(ModelUnavailable, match="has no ONNX graph") as caught:
        resolved(folder, tmp_path)
    assert "embedding.backend" in caught.value.hint


def test_the_catalogue_knows_its_models_by_short_and_long_names() -> None:
    assert {"minilm", "multilingual-e5-small", "bge-small", "embeddinggemma"} == {one.name for one in CATALOGUE}
    for one in CATALOGUE:
        assert find(one.name.upper()) is one
        assert find(one.repository) is one
        assert one.languages
        assert one.licence
        assert one.files[-1] == "tokenizer.json"
        assert re.fullmatch("[0-9a-f]{40}", one.revision), "a branch may move, a commit stays what it was"


@pytest.mark.parametrize("offline", [True, False])
def test_a_model_that_cannot_be_fetched_says_how_to_bring_its_folder(tmp_path: Path, offline: bool) -> None:
    with closed_port() as endpoint, pytest.raises(ModelUnavailable, match="bge-small is not here") as caught:
        resolve(EmbeddingConfig(model="bge-small"), models=tmp_path, offline=offline, endpoint=endpoint)
    assert "memoryd model embed use bge-small --folder FOLDER" in caught.value.hint
    assert not (tmp_path / "bge-small" / "fp32").exists()


def test_a_model_of_the_catalogue_is_fetched_once_and_then_cached(tmp_path: Path) -> None:
    folder = make_model(tmp_path / "published", dimensions=24, seed=3)
    published = find("bge-small")
    assert published is not None
    files = {"onnx/model.onnx": folder / "model.onnx", "tokenizer.json": folder / "tokenizer.json"}
    config = EmbeddingConfig(model="bge-small")
    with serving(files, repository=published.repository, revision=published.revision) as hub:
        fetched = resolve(config, models=tmp_path / "models", offline=False, endpoint=hub.endpoint)
    with closed_port() as endpoint:
        again = resolve(config, models=tmp_path / "models", offline=False, endpoint=endpoint)
    assert fetched == again
    assert (fetched.pooling, fetched.dimensions) == ("cls", 24)
    assert fetched.query_prefix.startswith("Represent this sentence")
    # The same files from a folder are the same model.
    brought = resolve(EmbeddingConfig(model="bge-small", folder=str(folder)), models=tmp_path / "none", offline=True)
    assert brought.identity == fetched.identity


@pytest.mark.parametrize("provider", ["CUDAExecutionProvider", "NoSuchExecutionProvider"])
def test_an_accelerator_that_is_not_there_leaves_it_to_the_cpu(model_folder: Path, provider: str) -> None:
    model = OnnxModel(weights_in(model_folder), threads=1, providers=(provider, CPU))
    assert model.device == f"{CPU}; {provider} is not there, or lacks its libraries"
    assert model.encode(["hello"], max_tokens=32).shape == (1, 384)


class Accelerator(OnnxModel):
    """The real model; the first provider begins, and fails at its first run."""

    def _run(self, rows: list[list[int]]) -> Vectors:
        if not hasattr(self, "failed"):
            self.failed = True
            raise RuntimeError("no kernel image is available for execution on the device")
        return super()._run(rows)


def test_an_accelerator_that_fails_leaves_it_to_the_cpu_and_is_told(model_folder: Path) -> None:
    model = Accelerator(weights_in(model_folder), threads=1, providers=("CUDAExecutionProvider", CPU))
    assert (
        model.device == f"{CPU}; CUDAExecutionProvider failed: no kernel image is available for execution on the device"
    )
    assert model.encode(["hello"], max_tokens=32).shape == (1, 384)


def test_the_cpu_can_be_asked_for_and_is_what_is_left() -> None:
    assert providers("cpu") == [CPU]
    assert providers("cuda") == ["CUDAExecutionProvider", CPU]
    assert providers("auto")[-1] == CPU


async def test_status_says_what_runs_the_model(model_folder: Path, tmp_path: Path) -> None:
    config = EmbeddingConfig(folder=str(model_folder), device="openvino")
    async with build_embedder(config, models=tmp_path, offline=True) as embedder:
        await embedder.warm()
        assert embedder.statistics().device.startswith(CPU)
