import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memoryd.embedding.weights import Sources, fetch, packaged
from memoryd_actors.ports.embedder import Vectors


@pytest.fixture(scope="session")
def model_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cached model: model.onnx, weights.bin beside it and tokenizer.json, fit for embedding.folder; exported once."""
    return fetch(Sources(models=tmp_path_factory.mktemp("models"), offline=True)).model.parent


@pytest.fixture(scope="session")
def whole_folder(model_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with the weights inside of model.onnx, as the hub has it."""
    import onnx

    folder = tmp_path_factory.mktemp("whole")
    onnx.save(onnx.load(str(model_folder / "model.onnx")), str(folder / "model.onnx"))
    shutil.copyfile(model_folder / "tokenizer.json", folder / "tokenizer.json")
    return folder


@pytest.fixture(scope="session")
def sentence_transformer() -> Any:
    import torch
    from sentence_transformers import SentenceTransformer

    # With more, its threads spin for each other wherever tests share the cores.
    torch.set_num_threads(1)
    return SentenceTransformer(str(packaged()), device="cpu", local_files_only=True)


@pytest.fixture(scope="session")
def reference(sentence_transformer: Any) -> Callable[[list[str]], Vectors]:
    """What sentence-transformers makes of texts."""

    def encode(texts: list[str]) -> Vectors:
        vectors = sentence_transformer.encode(
            texts, batch_size=8, normalize_embeddings=True, convert_to_numpy=True, show_progress_bar=False
        )
        return np.asarray(vectors, np.float32)

    return encode
