"""Which model is configured, where it is, and what it is taken to cost."""

import shlex
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import msgspec

from memoryd.config import Config, ConfigInvalid, SidecarConfig, load
from memoryd.model.anthropic import AnthropicProvider
from memoryd.model.command import PRESETS, CommandProvider
from memoryd.model.openai import OpenAIProvider
from memoryd_actors.memory.budget import Prices
from memoryd_actors.model.provider import Provider

ANTHROPIC_URL: Final = "https://api.anthropic.com"
ANTHROPIC_MODEL: Final = "claude-haiku-5-5"
OLLAMA_URL: Final = "http://127.0.0.1:11434/v1"
ANTHROPIC_S: Final = 4.0
FAR_S: Final = 10.0
NEAR_S: Final = 20.0
"""A model on this machine takes some ten seconds: what it finds is for the next turn."""
COMMAND_S: Final = 60.0
"""An agent starts first, which takes some seconds more."""
FREE: Final = Prices(input_usd_per_million=0.0, output_usd_per_million=0.0)
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_OFFLINE = "privacy.offline is on"


class Chosen(msgspec.Struct, frozen=True):
    """The configured provider, or why there is none."""

    provider: Provider | None
    prices: Prices = FREE
    deadline_s: float = ANTHROPIC_S
    """For the judge, which a turn waits for."""
    why_off: str = ""


def choose(config: Config) -> Chosen:
    """Return the configured provider. Nothing is loaded and nobody called.

    Raises:
        ConfigInvalid: the key cannot be one, or the address is none, or would send the key and memories in the clear.
    """
    sidecar, offline = config.sidecar, config.privacy.offline
    match sidecar.provider:
        case "anthropic":
            return Chosen(None, why_off=_OFFLINE) if offline else _anthropic(sidecar)
        case "openai":
            return _openai(sidecar, offline=offline)
        case "command":
            return Chosen(None, why_off=_OFFLINE) if offline else _command(sidecar)
        case "none":
            return Chosen(None, why_off="sidecar.provider is none")


def _anthropic(sidecar: SidecarConfig) -> Chosen:
    key = checked_key("sidecar.api_key", sidecar.api_key)
    if not key:
        return Chosen(None, why_off="no model configured")
    base_url, deadline_s = sidecar.base_url or ANTHROPIC_URL, sidecar.deadline_s or ANTHROPIC_S
    check_url(base_url)
    model = sidecar.model or ANTHROPIC_MODEL
    provider = AnthropicProvider(api_key=key, base_url=base_url, model=model, timeout_s=deadline_s)
    return Chosen(provider, _prices(sidecar), deadline_s)


def _openai(sidecar: SidecarConfig, *, offline: bool) -> Chosen:
    base_url = sidecar.base_url or OLLAMA_URL
    near = check_url(base_url)
    if offline and not near:
        return Chosen(None, why_off=f"{_OFFLINE}, and sidecar.base_url is not on this machine")
    if not sidecar.model:
        raise ConfigInvalid("sidecar.model: name the model that sidecar.base_url is to answer with")
    deadline_s = sidecar.deadline_s or (NEAR_S if near else FAR_S)
    key = checked_key("sidecar.openai_api_key", sidecar.openai_api_key)
    provider = OpenAIProvider(api_key=key, base_url=base_url, model=sidecar.model, timeout_s=deadline_s)
    return Chosen(provider, FREE if near else _prices(sidecar), deadline_s)


def _command(sidecar: SidecarConfig) -> Chosen:
    return Chosen(CommandProvider(_words(sidecar), model=sidecar.model), FREE, sidecar.deadline_s or COMMAND_S)


def _words(sidecar: SidecarConfig) -> tuple[str, ...]:
    try:
        words = tuple(shlex.split(sidecar.command))
    except ValueError as exc:
        raise ConfigInvalid(f"sidecar.command: {sidecar.command!r} is no command line: {exc}") from exc
    if not words:
        raise ConfigInvalid("sidecar.command: name the program that is to be asked")
    return words


def agent_state(file: Path, home: Path) -> tuple[Path, ...]:
    """Return what the agent that a configuration file names has to be able to write, below the user's home.

    What an environment says is left out: a service has another one. A file that cannot be read names nobody.
    """
    try:
        sidecar = load(file, {}).sidecar
        words = _words(sidecar) if sidecar.provider == "command" else ("",)
    except ConfigInvalid:
        return ()
    preset = PRESETS.get(Path(words[0]).name)
    return tuple(home / name for name in preset.state) if preset is not None else ()


def _prices(sidecar: SidecarConfig) -> Prices:
    return Prices(
        input_usd_per_million=sidecar.input_usd_per_million, output_usd_per_million=sidecar.output_usd_per_million
    )


def checked_key(name: str, key: str) -> str:
    """Return a key without the blanks around it.

    Raises:
        ConfigInvalid: it cannot be a key.
    """
    key = key.strip()
    if key and (not (key.isascii() and key.isprintable()) or " " in key):
        raise ConfigInvalid(f"{name}: this is not a key; it must be one line of printable ASCII")
    return key


def check_url(base_url: str) -> bool:
    """Return whether an address is on this machine.

    Raises:
        ConfigInvalid: it is none, or what is sent there could be read by others.
    """
    try:
        url = urlsplit(base_url)
        host = url.hostname
    except ValueError as exc:
        raise ConfigInvalid(f"sidecar.base_url: {base_url!r} is not an address: {exc}") from exc
    if url.username or url.password:
        raise ConfigInvalid("sidecar.base_url: it must not contain a name or password; the key is a setting of its own")
    if url.scheme not in {"http", "https"} or not host:
        raise ConfigInvalid(f"sidecar.base_url: {base_url!r} is not an address; it begins with https://")
    if url.scheme == "http" and host not in _LOOPBACK:
        raise ConfigInvalid(f"sidecar.base_url: {base_url!r} would send memories in the clear; use https://")
    return host in _LOOPBACK
