from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memoryd.embedding.weights import Sources, fetch, packaged
from memoryd_actors.ports import Vectors


@pytest.fixture(scope="session")
def model_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with model.onnx and tokenizer.json, fit for embedding.folder; exported once."""
    return fetch(Sources(models=tmp_path_factory.mktemp("models"), offline=True)).model.parent


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
