"""A daemon on the other side of a network: its address, and the key file that lets a client in there."""

import os
import stat
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from memoryd_client.base.errors import KeyRefused


class ClientKey(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a client's key file holds."""

    server: str
    """The daemon's public key: nobody else can answer in its place."""
    public: str
    secret: str
    owners: tuple[str, ...] = ("local",)
    """On whose behalf its holder speaks; the first where it says nothing else."""
    agent: str = ""
    """As which agent."""


class Remote(msgspec.Struct, frozen=True):
    """Where a daemon listens on a network, and as whom this client comes. The two ports above belong to it, too."""

    host: str
    port: int
    key: ClientKey

    @classmethod
    def at(cls, server: str, key: str | Path) -> "Remote":
        """Return the daemon at HOST:PORT, for the holder of a key file.

        Raises:
            KeyRefused: the address is none, or the key file cannot be used.
        """
        host, port = host_and_port(server)
        if not key:
            raise KeyRefused(server, "there is no key for it", "Name the key file: MEMORYD_KEY, or `key`.")
        return cls(host, port, read_key(Path(key).expanduser(), ClientKey))

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] | None = None) -> "Remote | None":
        """Follow MEMORYD_SERVER and MEMORYD_KEY; None where no server is named: the daemon is on this machine.

        Raises:
            KeyRefused: as `at`.
        """
        env = os.environ if environ is None else environ
        server = env.get("MEMORYD_SERVER")
        return cls.at(server, env.get("MEMORYD_KEY", "")) if server else None

    def url(self, beyond: int) -> str:
        """Return the ZeroMQ address of the port so many above the first."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"tcp://{host}:{self.port + beyond}"


def host_and_port(address: str) -> tuple[str, int]:
    """Return what HOST:PORT names, with or without tcp:// before it; raise KeyRefused where it names nothing."""
    host, _, port = address.removeprefix("tcp://").rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not host or not port.isascii() or not port.isdigit() or not 1 <= int(port) <= 65_533:
        raise KeyRefused(address, "an address is HOST:PORT, with a port from 1 to 65533", "For example 127.0.0.1:7117.")
    return host, int(port)


def read_key(file: Path, kind: type[Any]) -> Any:
    """Return what a key file holds.

    Raises:
        KeyRefused: it is not there, others may read it, or it holds something else.
    """
    import tomllib  # nobody else needs it here

    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as opened:
            status = os.fstat(descriptor)
            _check_private(file, status)
            text = opened.read(64 * 1024).decode()
        key = msgspec.convert(tomllib.loads(text), kind)
    except OSError as exc:
        raise KeyRefused(str(file), exc.strerror or str(exc), "`memoryd keys create` makes a key file.") from exc
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, msgspec.ValidationError) as exc:
        raise KeyRefused(str(file), f"it is no key file: {exc}", "`memoryd keys create` makes one.") from exc
    for name in ("server", "public", "secret"):
        if hasattr(key, name) and not is_key(getattr(key, name)):
            raise KeyRefused(str(file), f"its `{name}` is no key", "`memoryd keys create` makes a key file.")
    return key


def is_key(text: str) -> bool:
    """Return whether a text is a key of CURVE: 32 bytes in the letters of Z85."""
    from zmq.utils import z85

    try:
        return len(z85.decode(text)) == 32
    except (ValueError, KeyError, struct.error):
        return False


def _check_private(file: Path, status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise KeyRefused(str(file), "it is not a file", "`memoryd keys create` makes a key file.")
    if status.st_uid not in (0, os.geteuid()):
        raise KeyRefused(str(file), f"it belongs to user {status.st_uid}, not to you", "Make a copy of your own.")
    if status.st_mode & 0o077:
        mode = f"{stat.S_IMODE(status.st_mode):04o}"
        raise KeyRefused(str(file), f"others may use it (mode {mode})", f"Run `chmod go= {file}`.")
