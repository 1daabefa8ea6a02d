"""The model hub: is it there, and give me these files."""

import os
import threading
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from memoryd.embedding.model import MINILM

REVISION = "1110a243fdf4706b3f48f1d95db1a4f5529b4d41"
"""The hub's commit that the checksums belong to."""
ANSWER_S = 3.0
"""How long the hub may take to say that it has a file, in seconds."""


class HubUnreachable(Exception):
    """Raised when the hub does not answer, refuses, or breaks off."""


def check(
    endpoint: str | None = None,
    *,
    timeout_s: float = ANSWER_S,
    repository: str = MINILM,
    revision: str = REVISION,
) -> None:
    """Ask the hub whether it has the model.

    Raises:
        HubUnreachable: it did not say yes within `timeout_s` seconds.
    """
    problem: list[str] = ["no answer"]

    def ask() -> None:
        try:
            hub = _library()
            url = hub.hf_hub_url(repository, "tokenizer.json", revision=revision, endpoint=endpoint)
            # No token: nobody needs to know who asks for a public file.
            hub.get_hf_file_metadata(url, token=False, timeout=timeout_s, endpoint=endpoint)
            problem.clear()
        except HubUnreachable as exc:
            problem[:] = [str(exc)]
        except _failures() as exc:
            problem[:] = [_one_line(exc)]

    # In a thread of its own, because looking a name up has no timeout that one could set.
    asking = threading.Thread(target=ask, name="model-hub", daemon=True)
    asking.start()
    asking.join(timeout_s + 1.0)
    if problem:
        raise HubUnreachable(problem[0])


def download(
    names: Sequence[str],
    target: Path,
    *,
    endpoint: str | None = None,
    repository: str = MINILM,
    revision: str = REVISION,
) -> None:
    """Put these files of the model's repository under `target`, with the folders they have there.

    Raises:
        HubUnreachable: one of them could not be fetched.
    """
    check(endpoint, repository=repository, revision=revision)
    hub = _library()
    try:
        for name in names:
            hub.hf_hub_download(
                repository,
                name,
                revision=revision,
                local_dir=target,
                etag_timeout=ANSWER_S,
                token=False,
                endpoint=endpoint,
            )
    except _failures() as exc:
        raise HubUnreachable(_one_line(exc)) from exc


def _library() -> ModuleType:
    # It tells the hub which agent and which packages are around; and its other transport knows no timeout.
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    os.environ.setdefault("HF_HUB_DISABLE_XET", "1")
    try:
        import huggingface_hub
        from huggingface_hub.utils.tqdm import disable_progress_bars
    except ImportError as exc:
        raise HubUnreachable("the package huggingface-hub is not installed") from exc
    disable_progress_bars()
    return huggingface_hub


def _failures() -> tuple[type[Exception], ...]:
    """Return what the library raises; its HTTP errors come from whatever HTTP library its version is built on."""
    from huggingface_hub import errors

    http: object = getattr(errors, "HTTPError", OSError)
    known = http if isinstance(http, type) and issubclass(http, Exception) else OSError
    return (known, OSError, ValueError, RuntimeError)


def _one_line(exc: Exception) -> str:
    """Return the first line of what happened, and of what it came from."""
    cause = exc.__cause__ or exc.__context__
    first = (str(exc).strip() or type(exc).__name__).splitlines()[0]
    origin = str(cause).strip().splitlines()[0] if cause is not None and str(cause).strip() else first
    return first if origin == first else f"{first} ({origin})"
