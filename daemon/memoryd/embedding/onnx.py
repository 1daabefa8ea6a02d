"""A model in onnxruntime: all-MiniLM-L6-v2 takes a quarter of a second to load, and no torch.

Where the installed onnxruntime has a provider for an accelerator, that one is tried first. What it cannot do, the CPU
does; where it cannot even begin, the CPU does everything.
"""

import logging
import os
import warnings
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import onnxruntime as ort
from onnxruntime.capi import onnxruntime_pybind11_state as ort_errors  # pyright: ignore[reportAttributeAccessIssue] - a binary module
from tokenizers import Tokenizer

from memoryd.config import Device
from memoryd.embedding.model import MAXIMUM_CHARACTERS, MAXIMUM_TOKENS, MINILM, ModelSpec, Pooling, clean, identity
from memoryd.embedding.weights import Weights
from memoryd_actors.core.errors import ModelUnavailable
from memoryd_actors.ports.embedder import Vectors

RUN_TOKENS = (256, 512)
"""Tokens in one run, padding included, on one thread and on several: as many as one text may have, and so many that
threads have enough to share (on two, 20% slower by 256). More cost more per text, because they leave the processor's
cache (mixed lengths on one thread: 54 ms a text by 256, 56 by 512, 64 by 1,024), and memory, which the model's
allocator keeps once it was needed: 10 MB by 256, 21 by 512, 41 by 1,024."""
CHARACTERS_PER_TOKEN = 16
"""How much of a text the tokeniser is given at first; ordinary text has 4 to 5."""
PROBE_TEXT = "The quick brown fox jumps over the lazy dog."
# fmt: off
PROBE = (
    0.0439, 0.0589, 0.0482, 0.0775, 0.0267, -0.0376, -0.0026, -0.0599,
    -0.0025, 0.0221, 0.0480, 0.0558, -0.0389, -0.0266, 0.0077, -0.0262,
    -0.0364, -0.0378, 0.0741, -0.0495, -0.0585, -0.0636, 0.0324, 0.0220,
)
# fmt: on
"""The first components of the probe's vector, so that another model in the same shape is not mistaken for this one."""
PROBE_COSINE = {"fp32": 0.999, "int8": 0.9}

DEVICES: dict[Device, str] = {
    "cuda": "CUDAExecutionProvider",
    "openvino": "OpenVINOExecutionProvider",
    "coreml": "CoreMLExecutionProvider",
}
"""onnxruntime's providers, in the order in which they are tried."""
CPU = "CPUExecutionProvider"
_POOLED = "sentence_embedding"
"""What an output is called that needs no pooling any more."""

IdRow = list[int]
log = logging.getLogger(__name__)


@contextmanager
def _translated(what: str) -> Generator[None]:
    """Turn what onnxruntime and tokenizers raise about a file into ModelUnavailable."""
    try:
        yield
    except (
        ort_errors.EPFail,
        ort_errors.Fail,
        ort_errors.InvalidArgument,
        ort_errors.InvalidGraph,
        ort_errors.InvalidProtobuf,
        ort_errors.NoModel,
        ort_errors.NoSuchFile,
        ort_errors.NotImplemented,
        ort_errors.RuntimeException,
        OSError,
    ) as exc:
        raise ModelUnavailable(f"{what} cannot be loaded: {exc}", "Replace the file, or remove it.") from exc


class OnnxModel:
    """A session and its tokeniser."""

    def __init__(
        self, weights: Weights, *, threads: int, spec: ModelSpec | None = None, providers: Sequence[str] = (CPU,)
    ) -> None:
        """Load the model, all-MiniLM-L6-v2 where none is named; `threads` threads share one run.

        The first of the providers that can run it does; the last is the CPU.

        Raises:
            ModelUnavailable: a file is not what it should be.
        """
        # The tokeniser's own thread pool gains nothing on these lengths, runs at full priority, and complains on
        # stderr when the process forks.
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
        self._weights = weights
        self._spec = spec or ModelSpec(identity=identity(MINILM, weights.precision))
        self._tokenizer = _load_tokenizer(weights)
        self._run_tokens = RUN_TOKENS[threads > 1]
        self._threads = threads
        self.dimensions = 0
        served, faults = "", list[str]()
        for provider in providers:
            try:
                self._begin(provider)
            except (ModelUnavailable, RuntimeError, ValueError) as fault:
                if provider == CPU:
                    raise
                faults.append(f"; {provider} failed: {str(fault).splitlines()[0][:200]}")
            else:
                # onnxruntime itself goes on with the CPU where a provider's libraries are missing.
                served = self._session.get_providers()[0]
                if served == provider:
                    break
                faults.append(f"; {provider} is not there, or lacks its libraries")
        self.device = served + "".join(faults)
        if faults:
            log.warning("the embedding model runs with %s", self.device)

    def _begin(self, provider: str) -> None:
        """Open a session with a provider, and see whether it gives what it should."""
        with _translated(str(self._weights.model)), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that a provider is missing is told in other words
            providers = [provider] if provider == CPU else [provider, CPU]
            self._session = ort.InferenceSession(str(self._weights.model), _options(self._threads), providers=providers)
        self._inputs = {
            node.name: np.int32 if "int32" in node.type else np.int64 for node in self._session.get_inputs()
        }
        if unknown := self._inputs.keys() - {"input_ids", "attention_mask", "token_type_ids", "position_ids"}:
            raise ModelUnavailable(
                f"{self._weights.model} wants {', '.join(sorted(unknown))}, which no embedding model of text does",
                "Export the model for feature extraction.",
            )
        outputs = [cast(str, node.name) for node in self._session.get_outputs()]
        self._output = _POOLED if _POOLED in outputs else outputs[0]
        self._check()

    def encode(self, texts: Sequence[str], *, max_tokens: int) -> Vectors:
        """Return one unit vector per text; shape (len(texts), dimensions), float32.

        Of each text, no more than `max_tokens` tokens are looked at, nor more than the model takes.
        """
        rows = self._tokenise(texts, max_tokens)
        vectors = np.empty((len(rows), self.dimensions), np.float32)
        for chosen in _runs([len(row) for row in rows], self._run_tokens):
            vectors[chosen] = self._run([rows[index] for index in chosen])
        return vectors

    def counter(self) -> Callable[[Sequence[str]], list[int]]:
        """Return what counts tokens; see the port."""
        # The model's own, of 9 MB, for any number of threads; and not the model, which may be let go.
        tokenizer = self._tokenizer
        return lambda texts: [len(tokenizer.encode(clean(text), add_special_tokens=False)) for text in texts]

    def _tokenise(self, texts: Sequence[str], max_tokens: int) -> list[IdRow]:
        return [self._ids(clean(text), max_tokens) for text in texts]

    def _ids(self, text: str, max_tokens: int) -> IdRow:
        """Tokenise no more of the text than it takes to fill the model: a megabyte would cost half a second."""
        limit = CHARACTERS_PER_TOKEN * max_tokens
        most = min(max(max_tokens, 2), self._spec.max_tokens, MAXIMUM_TOKENS)
        room = max(0, most - self._tokenizer.num_special_tokens_to_add(is_pair=False))
        while True:
            encoding = self._tokenizer.encode(_cut(text, limit), add_special_tokens=False)
            # With more than there is room for, the last token kept is not the one that the cut may have damaged.
            if limit >= len(text) or limit >= MAXIMUM_CHARACTERS or len(encoding) > room:
                encoding.truncate(room)
                return self._tokenizer.post_process(encoding).ids
            limit *= 8

    def _run(self, rows: list[IdRow]) -> Vectors:
        ids, mask = _padded(rows)
        given = {
            "input_ids": ids,
            "attention_mask": mask,
            "token_type_ids": np.zeros_like(ids),
            "position_ids": np.tile(np.arange(ids.shape[1]), (len(ids), 1)),
        }
        feed = {name: given[name].astype(kind, copy=False) for name, kind in self._inputs.items()}
        output = np.asarray(self._session.run([self._output], feed)[0], np.float32)
        if output.ndim == 3:  # it stops before pooling
            output = _pooled(output, mask, self._spec.pooling)
        norms = np.linalg.norm(output, axis=1, keepdims=True)
        return np.asarray(output / np.maximum(norms, 1e-12), np.float32)

    def _check(self) -> None:
        """Run the model once; of all-MiniLM-L6-v2 it is known what comes out.

        Raises:
            ModelUnavailable: no vector comes out, or another one.
        """
        path = self._weights.model
        with _translated(str(path)):
            vector = self._run(self._tokenise([PROBE_TEXT], 32))
        if vector.ndim != 2 or len(vector) != 1 or not np.isclose(np.linalg.norm(vector), 1, atol=1e-3):
            raise ModelUnavailable(
                f"{path} makes no vector of a sentence, but something of shape {vector.shape}",
                "Export the model for feature extraction, or take another folder.",
            )
        self.dimensions = vector.shape[1]
        if self._spec.model != MINILM:
            return
        known = np.array(PROBE, np.float32)
        part = vector[0, : len(PROBE)]
        cosine = (
            float(part @ known / (np.linalg.norm(part) * np.linalg.norm(known))) if len(part) == len(known) else 0.0
        )
        # Written so that a vector of NaN fails.
        if not cosine >= PROBE_COSINE[self._weights.precision]:
            raise ModelUnavailable(
                f"{path} is not all-MiniLM-L6-v2 in {self._weights.precision}: a known sentence gets another vector",
                "Put the right model there, or empty the setting embedding.folder.",
            )


def providers(device: Device) -> list[str]:
    """Return what is tried, in this order."""
    if device == "auto":
        there = ort.get_available_providers()
        return [*(provider for provider in DEVICES.values() if provider in there), CPU]
    return [CPU] if device == "cpu" else [DEVICES[device], CPU]


def _pooled(output: Vectors, mask: npt.NDArray[np.int64], pooling: Pooling) -> Vectors:
    """Make one vector of those of a text's tokens, (texts, tokens, dimensions); its length is nobody's concern yet."""
    match pooling:
        case "mean":
            return np.asarray(np.matmul(mask[:, None, :].astype(np.float32), output)[:, 0])
        case "cls":
            return output[:, 0]
        case "max":
            return np.asarray(np.where(mask[:, :, None] == 1, output, -np.inf).max(axis=1))
        case "last":
            return np.asarray(output[np.arange(len(output)), mask.sum(axis=1) - 1])
        case "none":
            return output


def _options(threads: int) -> Any:
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # Threads that spin while they wait take the cores from the event loop.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    # The arena stays on: without it runs of 4 by 256 tokens take 45% longer, for 3 MB.
    options.log_severity_level = 3
    return options


def _load_tokenizer(weights: Weights) -> Tokenizer:
    try:
        tokenizer = Tokenizer.from_str(weights.tokenizer.read_text(encoding="utf-8"))
    except Exception as exc:  # tokenizers raises bare Exception on a file that it cannot read
        raise ModelUnavailable(
            f"{weights.tokenizer} cannot be loaded: {exc}", "Replace the file, or remove its folder."
        ) from exc
    # Not what tokenizer.json says, which is 128 for both: vectors made that way are useless.
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def _cut(text: str, limit: int) -> str:
    """Return the beginning of the text, ending between words where there is a blank within the last 200 characters."""
    if limit >= len(text):
        return text
    blank = text.rfind(" ", max(limit - 200, 1), limit)
    return text[: blank if blank > 0 else limit]


def _runs(lengths: list[int], most: int) -> Iterator[list[int]]:
    """Yield the indexes of the texts that run together: of like length, and at most so many tokens in all."""
    run: list[int] = []
    for index in sorted(range(len(lengths)), key=lengths.__getitem__):
        # Sorted, so this text is the longest, and the others are padded to it.
        if run and (len(run) + 1) * lengths[index] > most:
            yield run
            run = []
        run.append(index)
    if run:
        yield run


def _padded(rows: list[IdRow]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return token ids and attention mask, shape (len(rows), longest row), int64; padding is token 0."""
    shape = (len(rows), max(len(row) for row in rows))
    ids, mask = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    for index, row in enumerate(rows):
        ids[index, : len(row)] = row
        mask[index, : len(row)] = 1
    return ids, mask
