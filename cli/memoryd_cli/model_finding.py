"""What runs on this machine and could be asked: keys in the environment, servers on their ports, agents' commands."""

import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import suppress
from http.client import HTTPConnection, HTTPException
from typing import Final, Literal

import msgspec

PRESETS: Final = ("claude", "codex", "gemini", "opencode")
_SERVERS: Final[Mapping[str, int]] = {"Ollama": 11434, "LM Studio": 1234, "llama.cpp": 8080, "vLLM": 8000}
_WAIT_S: Final = 0.5
_MOST_BYTES: Final = 1024 * 1024
_MOST_MODELS: Final = 50


class FoundModel(msgspec.Struct, frozen=True):
    """Something that could be asked."""

    kind: Literal["key", "server", "command"]
    name: str
    where: str
    models: tuple[str, ...]
    use: str
    """The command that sets it."""


def find(environ: Mapping[str, str], servers: Mapping[str, int] = _SERVERS) -> list[FoundModel]:
    """Return what was found: keys first, then servers on this machine, then commands."""
    return [*_keys(environ), *_running(servers), *_commands()]


def program(name: str) -> str | None:
    """Return where an agent's command is; None where there is none."""
    return shutil.which(name)


def _keys(environ: Mapping[str, str]) -> Iterator[FoundModel]:
    if environ.get("ANTHROPIC_API_KEY"):
        yield FoundModel("key", "Anthropic", "ANTHROPIC_API_KEY", (), "memoryd model use anthropic")
    if environ.get("OPENAI_API_KEY"):
        use = "memoryd model use openai MODEL --base-url https://api.openai.com/v1"
        yield FoundModel("key", "OpenAI", "OPENAI_API_KEY", (), use)


def _running(servers: Mapping[str, int]) -> Iterator[FoundModel]:
    for name, port in servers.items():
        models = _models(port)
        if models is None:
            continue
        url = f"http://127.0.0.1:{port}/v1"
        model = models[0] if models else "MODEL"
        use = f"memoryd model use ollama {model}" if name == "Ollama" else f"memoryd model use openai {model}"
        yield FoundModel("server", name, url, models, use if name == "Ollama" else f"{use} --base-url {url}")


def _commands() -> Iterator[FoundModel]:
    for name in PRESETS:
        if path := program(name):
            yield FoundModel("command", name, path, (), f"memoryd model use {name}")


def _models(port: int) -> tuple[str, ...] | None:
    """Return the models that a server on this machine offers; None where none of that kind answers."""
    connection = HTTPConnection("127.0.0.1", port, timeout=_WAIT_S)
    with suppress(OSError, HTTPException, ValueError, RecursionError):
        connection.request("GET", "/v1/models")
        answer = connection.getresponse()
        said = json.loads(answer.read(_MOST_BYTES)) if answer.status == 200 else None
        connection.close()
        listed = said.get("data") if isinstance(said, dict) else None
        if isinstance(listed, list):
            named = (one.get("id") for one in listed[:_MOST_MODELS] if isinstance(one, dict))
            return tuple(name for name in named if isinstance(name, str) and name.isprintable())
    return None
