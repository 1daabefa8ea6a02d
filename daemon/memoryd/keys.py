"""The keys of a daemon that serves a network: its own, and those of the clients that it lets in.

They lie in the home's folder `keys`, which is this user's alone: `server.key` and `clients.toml`. The command line
writes them and the daemon reads them again when they have changed.
"""

import fcntl
import json
import os
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar, cast

import msgspec
import zmq

from memoryd.private_folder import private_folder
from memoryd.rewriting import rewriting
from memoryd_actors.core.errors import Refused
from memoryd_client.base.errors import KeyRefused
from memoryd_client.base.remote import read_key

T = TypeVar("T")


class ServerKey(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The daemon's own pair of keys."""

    public: str
    secret: str


class Grant(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the holder of a key may do."""

    key: str
    """Its public half."""
    owners: tuple[str, ...]
    """On whose behalf."""
    agent: str
    """As which agent."""
    admin: bool = False
    """Whether also what concerns the whole daemon, is for a person to decide, or cannot be taken back."""


class Grants(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Every client that is let in, by its name."""

    clients: dict[str, Grant] = {}


class KeysUnusable(Refused):
    """Raised when the keys of the daemon cannot be used; the message names the file and the reason."""


class KeyRing:
    """The folder of the keys."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.server_file = folder / "server.key"
        self.clients_file = folder / "clients.toml"

    def server(self) -> ServerKey:
        """Return the daemon's own pair, made where there is none yet. Blocks.

        Raises:
            FolderUnsafe: the folder cannot be kept from others.
            KeysUnusable: the file cannot be used.
        """
        with self._locked():
            if not self.server_file.exists():
                public, secret = (key.decode() for key in zmq.curve_keypair())
                about = "The daemon's own keys. Nobody needs a copy."
                write_key(self.server_file, {"public": public, "secret": secret}, about)
        return _read(self.server_file, ServerKey)

    def grants(self) -> Mapping[str, Grant]:
        """Return who is let in, by name. Blocks.

        Raises:
            KeysUnusable: the file cannot be used.
        """
        try:
            self.clients_file.stat()
        except FileNotFoundError:
            return {}
        except OSError:
            pass  # reading it says what is wrong
        return _read(self.clients_file, Grants).clients

    def let_in(self, name: str, grant: Grant) -> None:
        """Let a client in. Blocks.

        Raises:
            KeysUnusable: there is one of that name, or with that key; or the file cannot be used.
        """
        with self._locked():
            known = dict(self.grants())
            if name in known:
                raise KeysUnusable(f"there is a client {name!r} already", f"`memoryd keys remove {name}` takes it out.")
            if other := [there for there, one in known.items() if one.key == grant.key]:
                raise KeysUnusable(f"the client {other[0]!r} has this key already", "Each client has a key of its own.")
            self._save(known | {name: grant})

    def shut_out(self, name: str) -> None:
        """Let a client in no more. Blocks.

        Raises:
            KeysUnusable: there is none of that name, or the file cannot be used.
        """
        with self._locked():
            known = dict(self.grants())
            if name not in known:
                raise KeysUnusable(f"there is no client {name!r}", "`memoryd keys list` names them.")
            del known[name]
            self._save(known)

    @contextmanager
    def _locked(self) -> Generator[None]:
        """Have this folder to ourselves, so that of two commands at once neither undoes what the other did."""
        private_folder(self.folder)
        descriptor = os.open(self.folder, os.O_RDONLY | os.O_CLOEXEC)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def _save(self, clients: Mapping[str, Grant]) -> None:
        with rewriting(self.clients_file) as file:
            for name, grant in sorted(clients.items()):
                file.write(f"[clients.{json.dumps(name)}]\n{toml(msgspec.to_builtins(grant))}\n".encode())


def toml(fields: Mapping[str, object]) -> str:
    """Return fields as lines of TOML, whose texts, lists and truths look as in JSON."""
    return "".join(f"{name} = {json.dumps(value, ensure_ascii=False)}\n" for name, value in fields.items())


def write_key(file: Path, fields: Mapping[str, object], about: str) -> None:
    """Write a new key file that is this user's alone. Blocks.

    Raises:
        KeysUnusable: there is such a file, or it cannot be written.
    """
    try:
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with open(descriptor, "wb") as target:
            target.write(f"# {about}\n{toml(fields)}".encode())
            target.flush()
            os.fsync(target.fileno())
    except FileExistsError as exc:
        raise KeysUnusable(f"{file} exists already", "Name a file that does not exist yet.") from exc
    except OSError as exc:
        raise KeysUnusable(f"{file} cannot be written: {exc.strerror}", "Name another file.") from exc


def _read(file: Path, kind: type[T]) -> T:
    try:
        return cast("T", read_key(file, kind))
    except KeyRefused as refused:
        raise KeysUnusable(str(refused), refused.hint) from refused
