"""Vectors of texts, from the real model; a file may keep them from one run to the next."""

import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from memoryd.embedding.model import MINILM, MINILM_DIMENSIONS, identity
from memoryd.embedding.onnx import OnnxModel
from memoryd.embedding.weights import Sources, fetch
from memoryd_actors.ports.embedder import Vector, Vectors

MODEL = identity(MINILM, "fp32")
TOKENS = 256
"""Of a text that are read, as in the daemon."""
_BATCH = 256
_SAID = 8
"""Batches from one line of progress to the next."""


class Embeddings:
    """Embeds texts, each once."""

    def __init__(self, cache: Path | None = None, *, models: Path | None = None) -> None:
        """Read what the file `cache` keeps; `models` is a folder that keeps the converted weights.

        A file that is not such a cache, or one of another model, ends the process with a message.
        """
        self._cache = cache
        self._models = models
        self._model: OnnxModel | None = None
        self._known: dict[str, Vector] = {}
        if cache is not None and cache.exists():
            self._known = _read(cache)

    def of(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector per text; shape (len(texts), 384), float32."""
        if not texts:
            return np.empty((0, MINILM_DIMENSIONS), np.float32)
        # Texts of one length together: the model pads each run to its longest.
        new = sorted({text for text in texts if text not in self._known}, key=lambda text: (len(text), text))
        for at in range(0, len(new), _BATCH):
            batch = new[at : at + _BATCH]
            self._known.update(zip(batch, self._loaded().encode(batch, max_tokens=TOKENS), strict=True))
            if len(new) > _BATCH * _SAID and at // _BATCH % _SAID == 0:
                print(f"embedded {at + len(batch)} of {len(new)} texts", file=sys.stderr, flush=True)
        if new and self._cache is not None:
            self._write(self._cache)
        return np.stack([self._known[text] for text in texts])

    def _loaded(self) -> OnnxModel:
        if self._model is None:
            with TemporaryDirectory() as folder:
                self._model = OnnxModel(fetch(Sources(models=self._models or Path(folder), offline=True)), threads=2)
        return self._model

    def _write(self, cache: Path) -> None:
        cache.parent.mkdir(parents=True, exist_ok=True)
        unfinished = cache.with_name(f"{cache.name}.part")
        with unfinished.open("wb") as file:
            # As bytes: an array of strings would give each the room of the longest.
            texts = "\0".join(text.replace("\0", "") for text in self._known).encode(errors="surrogatepass")
            vectors = np.stack(list(self._known.values()))
            np.savez(file, model=np.array(MODEL), texts=np.frombuffer(texts, np.uint8), vectors=vectors)
        unfinished.replace(cache)


def _read(cache: Path) -> dict[str, Vector]:
    try:
        with np.load(cache, allow_pickle=False) as kept:
            model, texts, vectors = str(kept["model"]), kept["texts"].tobytes(), kept["vectors"]
    except (OSError, ValueError, KeyError) as exc:
        sys.exit(f"{cache} holds no embeddings ({exc}): name another file, or remove it")
    if model != MODEL:
        sys.exit(f"{cache} holds embeddings of {model}, not of {MODEL}: name another file, or remove it")
    return dict(zip(texts.decode(errors="surrogatepass").split("\0"), vectors, strict=True))
