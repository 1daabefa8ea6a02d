"""Any model that sentence-transformers runs, on CPU, CUDA or MPS."""

from collections.abc import Callable, Sequence
from copy import deepcopy
from pathlib import Path
from typing import cast

import numpy as np

from memoryd.embedding.model import MAXIMUM_TOKENS, MINILM, clean
from memoryd_actors.core.errors import ModelUnavailable
from memoryd_actors.ports.embedder import Vectors

COMMAND = "pip install torch==2.13.0 && pip install 'memoryd[torch]'"
BATCH = 32


class SentenceTransformersModel:
    """A SentenceTransformer behind the port."""

    def __init__(self, model: str, *, folder: Path | None, offline: bool, device: str | None = None) -> None:
        """Load `model`, a hub name, from `folder` where given; `device` as torch names it, None for the best there is.

        Raises:
            ModelUnavailable: the library is missing, or it cannot load the model.
        """
        try:
            # 4 to 10 seconds and 400 MB, so only here.
            from sentence_transformers import SentenceTransformer
        except ImportError as exc:
            raise ModelUnavailable(
                f"embedding.backend is sentence-transformers, and the package {exc.name} is not installed",
                f"Run `{COMMAND}`, or set embedding.backend to onnx.",
            ) from exc
        source = str(folder) if folder is not None else model
        try:
            self._model = SentenceTransformer(source, device=device, local_files_only=offline or folder is not None)
        except (OSError, ValueError, RuntimeError) as exc:
            first = (str(exc).strip() or type(exc).__name__).splitlines()[0]
            raise ModelUnavailable(
                f"sentence-transformers cannot load {source}: {first}",
                "Set embedding.folder to the model's folder, or let it be downloaded once with privacy.offline off.",
            ) from exc
        # all-MiniLM-L6-v2 says 256 and has 512, as the other backend knows.
        self._limit = MAXIMUM_TOKENS if model == MINILM else self._model.max_seq_length or MAXIMUM_TOKENS
        self._dimensions = int(self._model.encode([""], show_progress_bar=False).shape[1])

    @property
    def dimensions(self) -> int:
        return self._dimensions

    @property
    def device(self) -> str:
        return f"torch on {self._model.device}"

    def encode(self, texts: Sequence[str], *, max_tokens: int) -> Vectors:
        """Return one unit vector per text; shape (len(texts), dimensions), float32."""
        if not texts:
            return np.empty((0, self._dimensions), np.float32)
        self._model.max_seq_length = min(max_tokens, self._limit)
        vectors = self._model.encode(
            [clean(text) for text in texts],
            batch_size=BATCH,
            normalize_embeddings=True,
            convert_to_numpy=True,
            show_progress_bar=False,
        )
        return np.asarray(cast(Vectors, vectors), dtype=np.float32)

    def counter(self) -> Callable[[Sequence[str]], list[int]]:
        """Return what counts tokens; see the port."""
        # A copy: the model's is set anew at each run.
        tokenizer = deepcopy(self._model.tokenizer)

        def count(texts: Sequence[str]) -> list[int]:
            rows = cast(
                "list[list[int]]",
                tokenizer([clean(text) for text in texts], add_special_tokens=False, truncation=False, verbose=False)[
                    "input_ids"
                ],
            )
            return [len(row) for row in rows]

        return count
