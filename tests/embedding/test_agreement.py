from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from memoryd.config import EmbeddingConfig
from memoryd.embedding import build_embedder
from memoryd.embedding.onnx import OnnxModel
from memoryd.embedding.weights import Sources, fetch
from memoryd_actors.core.errors import ModelUnavailable
from memoryd_actors.ports.embedder import Vectors

from .texts import cosines, varied_texts

Encode = Callable[[list[str]], Vectors]


@pytest.mark.slow
@pytest.mark.torch
@pytest.mark.filterwarnings("default::DeprecationWarning")
async def test_vectors_agree_with_sentence_transformers_whatever_the_text(
    model_folder: Path, tmp_path: Path, reference: Encode
) -> None:
    texts = varied_texts()
    assert len(texts) >= 200
    expected = reference(texts)
    async with build_embedder(EmbeddingConfig(folder=str(model_folder)), models=tmp_path, offline=True) as embedder:
        vectors = await embedder.embed(texts)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert min(cosines(vectors, expected)) >= 0.9999


@pytest.mark.slow
@pytest.mark.torch
@pytest.mark.filterwarnings("default::DeprecationWarning")
async def test_both_backends_give_one_model_one_identity_and_the_same_vectors(
    model_folder: Path, tmp_path: Path
) -> None:
    texts = varied_texts()[::12]
    torch = EmbeddingConfig(backend="sentence-transformers")
    async with (
        build_embedder(torch, models=tmp_path, offline=True, device="cpu") as other,
        build_embedder(EmbeddingConfig(folder=str(model_folder)), models=tmp_path, offline=True) as embedder,
    ):
        assert (other.identity, other.dimensions) == (embedder.identity, embedder.dimensions)
        for max_tokens in (16, 256, 512):
            ours, theirs = [await each.embed(texts, max_tokens=max_tokens) for each in (embedder, other)]
            assert min(cosines(ours, theirs)) >= 0.9999
        # Whole texts are counted, not what the model takes of them.
        counted = [await each.count([*texts, "word " * 3000, ""]) for each in (embedder, other)]
        assert counted[0] == counted[1]
        assert counted[0] is not None
        assert counted[0][-2:] == [3000, 0]


@pytest.mark.usefixtures("model_folder")
async def test_nothing_is_counted_before_there_is_a_model(tmp_path: Path) -> None:
    async with build_embedder(EmbeddingConfig(folder=str(tmp_path / "gone")), models=tmp_path, offline=True) as one:
        assert await one.count(["hello"]) is None


@pytest.mark.torch
@pytest.mark.filterwarnings("default::DeprecationWarning")
async def test_sentence_transformers_refuses_a_model_that_is_not_there(tmp_path: Path) -> None:
    config = EmbeddingConfig(backend="sentence-transformers", model="nobody/nothing", folder=str(tmp_path / "gone"))
    async with build_embedder(config, models=tmp_path, offline=True) as embedder:
        with pytest.raises(ModelUnavailable, match="dimensions of nobody/nothing/fp32 are not known"):
            _ = embedder.dimensions
        with pytest.raises(ModelUnavailable, match="there is no folder") as caught:
            await embedder.embed(["hello"])
    assert "tokenizer.json" in caught.value.hint


@pytest.mark.slow
def test_int8_is_another_model_whose_vectors_are_near(model_folder: Path, tmp_path: Path) -> None:
    texts = varied_texts()[12:132:2]
    weights = fetch(Sources(models=tmp_path, offline=True), "int8")
    fp32 = OnnxModel(fetch(Sources(models=tmp_path, folder=model_folder)), threads=1).encode(texts, max_tokens=256)
    int8 = OnnxModel(weights, threads=1).encode(texts, max_tokens=256)
    near = cosines(fp32, int8)
    sizes = [(folder / "weights.bin").stat().st_size for folder in (weights.model.parent, model_folder)]
    assert sizes[0] < sizes[1] / 3
    assert np.mean(near) > 0.98
    assert min(near) > 0.9
    assert max(near) < 0.99999
    names = [
        build_embedder(EmbeddingConfig(precision=each), models=tmp_path, offline=True).identity
        for each in ("fp32", "int8")
    ]
    assert names == ["all-MiniLM-L6-v2/fp32", "all-MiniLM-L6-v2/int8"]
