"""Which model is configured, where it is, and what it is taken to cost."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from memoryd.config import Config, ConfigInvalid
from memoryd.model.anthropic import AnthropicProvider
from memoryd_actors.memory.budget import Prices
from memoryd_actors.model.provider import Provider

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True)
class Chosen:
    """The configured provider, or why there is none."""

    provider: Provider | None
    prices: Prices
    deadline_s: float
    """For the judge, which somebody waits for."""
    why_off: str = ""


def choose(config: Config) -> Chosen:
    """Return the configured provider. Nothing is loaded and nobody called.

    Raises:
        ConfigInvalid: the key cannot be one, or the address is none, or would send the key and memories in the clear.

    """
    sidecar = config.sidecar
    prices = Prices(
        input_usd_per_million=sidecar.input_usd_per_million, output_usd_per_million=sidecar.output_usd_per_million
    )
    if config.privacy.offline:
        return Chosen(None, prices, sidecar.deadline_s, "privacy.offline is on")
    key = checked_key("sidecar.api_key", sidecar.api_key)
    if not key:
        return Chosen(None, prices, sidecar.deadline_s, "no key configured")
    check_url(sidecar.base_url)
    provider = AnthropicProvider(
        api_key=key, base_url=sidecar.base_url, model=sidecar.model, timeout_s=sidecar.deadline_s
    )
    return Chosen(provider, prices, sidecar.deadline_s)


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
