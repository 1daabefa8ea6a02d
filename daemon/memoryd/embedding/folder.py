"""A model's folder: what sentence-transformers saved, or an ONNX graph and its tokeniser."""

from pathlib import Path
from typing import TypeVar

import msgspec

from memoryd.embedding.convert import GRAPH
from memoryd.embedding.model import MAXIMUM_TOKENS, Pooling
from memoryd_actors.core.errors import ModelUnavailable

TOKENIZER = "tokenizer.json"
GRAPHS = (GRAPH, f"onnx/{GRAPH}")
TORCH_WEIGHTS = ("model.safetensors", "pytorch_model.bin")
_HINT = (
    f"A folder needs {TOKENIZER} and {GRAPH} (or {GRAPHS[1]}), or is one that sentence-transformers saved. "
    "`memoryd model embed` shows what else there is."
)
_T = TypeVar("_T")
_MODES: dict[str, Pooling] = {"mean": "mean", "cls": "cls", "cls_token": "cls", "max": "max", "lasttoken": "last"}
"""As sentence-transformers calls them, now and earlier."""


class Layout(msgspec.Struct, frozen=True):
    """What a folder holds, and how its model is to be asked."""

    graph: Path | None
    """None: only sentence-transformers can run it."""
    tokenizer: Path
    weights: Path
    """The graph, or what torch reads."""
    pooling: Pooling
    """none: more than pooling comes after the model."""
    max_tokens: int
    query_prefix: str
    document_prefix: str


class _Module(msgspec.Struct):
    type: str
    path: str = ""


class _Prompts(msgspec.Struct):
    prompts: dict[str, str | None] = {}


class _Length(msgspec.Struct):
    max_seq_length: int | None = None
    model_max_length: float | None = None
    max_position_embeddings: int | None = None


def read_folder(folder: Path) -> Layout:
    """Return what is in the folder. Blocks.

    Raises:
        ModelUnavailable: it is no model's folder, or one of its files cannot be made sense of.
    """
    if not folder.is_dir():
        raise ModelUnavailable(f"there is no folder {folder}", _HINT)
    tokenizer = folder / TOKENIZER
    if not tokenizer.is_file():
        raise ModelUnavailable(f"the model folder {folder} has no {TOKENIZER}", _HINT)
    graph = next((folder / name for name in GRAPHS if (folder / name).is_file()), None)
    torch = next((folder / name for name in TORCH_WEIGHTS if (folder / name).is_file()), None)
    weights = graph or torch
    if weights is None:
        raise ModelUnavailable(f"the model folder {folder} has neither {GRAPH} nor {TORCH_WEIGHTS[0]}", _HINT)
    modules = _read(folder / "modules.json", list[_Module]) or []
    if graph is None and not modules:
        raise ModelUnavailable(
            f"the model folder {folder} has no {GRAPH}, and sentence-transformers did not save it", _HINT
        )
    kinds = {module.type.rpartition(".")[2]: module.path for module in modules}
    query, document = _prompts(folder)
    return Layout(
        graph,
        tokenizer,
        weights,
        pooling=_pooling(folder, kinds),
        max_tokens=_max_tokens(folder),
        query_prefix=query,
        document_prefix=document,
    )


def _pooling(folder: Path, kinds: dict[str, str]) -> Pooling:
    if kinds.keys() - {"Transformer", "Pooling", "Normalize"}:
        return "none"
    if "Pooling" not in kinds:
        return "mean"
    file = folder / kinds["Pooling"] / "config.json"
    settings = _read(file, dict[str, object]) or {}
    modes = [key.removeprefix("pooling_mode_").removesuffix("_tokens") for key, on in settings.items() if on is True]
    named = settings.get("pooling_mode")
    chosen: list[Pooling] = [_MODES[mode] for mode in ([named] if isinstance(named, str) else modes) if mode in _MODES]
    if len(chosen) != 1 or settings.get("include_prompt") is False:
        raise ModelUnavailable(
            f"{file} asks for a pooling that memoryd does not do",
            f"One of {', '.join(_MODES)} is done here; or export the model to a graph that contains the pooling.",
        )
    return chosen[0]


def _max_tokens(folder: Path) -> int:
    """Return the first limit that is told: sentence-transformers' own, the tokeniser's, the model's."""
    own = _read(folder / "sentence_bert_config.json", _Length) or _Length()
    tokenizer = _read(folder / "tokenizer_config.json", _Length) or _Length()
    model = _read(folder / "config.json", _Length) or _Length()
    # A tokeniser without a limit says 1e30.
    limits = (own.max_seq_length, tokenizer.model_max_length, model.max_position_embeddings)
    return next((int(limit) for limit in limits if limit and 2 <= limit < 1_000_000), MAXIMUM_TOKENS)


def _prompts(folder: Path) -> tuple[str, str]:
    prompts = (_read(folder / "config_sentence_transformers.json", _Prompts) or _Prompts()).prompts
    document = next((prompts[name] for name in ("document", "passage", "corpus") if prompts.get(name)), "")
    return prompts.get("query") or "", document or ""


def _read(file: Path, kind: type[_T]) -> _T | None:
    """Return a JSON file's content; None where there is no such file."""
    try:
        return msgspec.json.decode(file.read_bytes(), type=kind, strict=False)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.MsgspecError) as exc:
        raise ModelUnavailable(f"{file} cannot be read: {exc}", "Replace the file, or take another folder.") from exc
