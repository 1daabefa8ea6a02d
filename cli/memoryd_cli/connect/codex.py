"""Codex: what stands in its configuration, and the trust that a hook needs there, given through its app-server."""

import json
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from threading import Timer

import msgspec

from memoryd_cli.base.failures import CommandFailed
from memoryd_cli.connect import tables
from memoryd_cli.connect.edit import Edit, Malformed
from memoryd_cli.connect.parts import hook_places, is_ours

_PATIENCE_S = 20.0


class Configuration(msgspec.Struct, frozen=True):
    """The MCP server in `config.toml`, and the trust in our hooks that Codex keeps there."""

    path: Path
    hooks: Path
    """The file of the hooks that are trusted."""
    table: tables.Table | None = None
    """The MCP server's; None where there is none."""
    mode: int | None = None

    def merge(self, edit: Edit) -> None:
        """Add the server, or renew what is said of it. Trust is Codex's to write."""
        if self.table is not None:
            tables.put(edit, ("mcp_servers", "memoryd"), self.table)

    def strip(self, edit: Edit) -> None:
        """Take out the server and the trust in our hooks."""
        server = tables.within(edit.text, ("mcp_servers", "memoryd"))
        if self.table is not None and server is not None and is_ours(server, self.table):
            tables.cut(edit, ("mcp_servers", "memoryd"))
            if tables.within(edit.text, ("mcp_servers", "memoryd")) is not None:
                raise Malformed("take `mcp_servers.memoryd` out by hand: it has no header of its own")
        for event, group, place in hook_places(self.hooks):
            name = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in event).lstrip("_")
            tables.cut(edit, ("hooks", "state", f"{self.hooks}:{name}:{group}:{place}"))
        if tables.within(edit.text, ("hooks", "state")) == {}:
            tables.cut(edit, ("hooks", "state"))

    def hollow(self, text: str) -> bool:
        """Return whether nothing else is there."""
        return not text.strip()


class Seen(msgspec.Struct, rename="camel"):
    """A hook as Codex sees it."""

    key: str
    event_name: str = ""
    command: str | None = None
    current_hash: str = ""
    trust_status: str = ""
    enabled: bool = True


class _Entry(msgspec.Struct):
    hooks: list[Seen] = []


class _Listed(msgspec.Struct):
    data: list[_Entry] = []


class _Reply(msgspec.Struct):
    id: int | str | None = None
    result: msgspec.Raw = msgspec.Raw()
    error: msgspec.Raw = msgspec.Raw()


class AppServer:
    """`codex app-server`: JSON lines on stdin and stdout."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process
        self._number = 0

    def ask(self, method: str, parameters: object) -> bytes:
        """Return the result of a request.

        Raises:
            CommandFailed: it answers with an error, or not at all.
        """
        self._number += 1
        self.tell({"id": self._number, "method": method, "params": parameters})
        assert self._process.stdout is not None  # noqa: S101 - it was made with one
        for line in self._process.stdout:
            reply = msgspec.json.decode(line, type=_Reply)
            if reply.id == self._number:
                if bytes(reply.error):
                    raise CommandFailed(f"codex app-server, {method}: {bytes(reply.error).decode()}")
                return bytes(reply.result)
        raise CommandFailed(f"codex app-server went away at {method}", "Codex's own `/hooks` trusts them, too.")

    def tell(self, message: object) -> None:
        """Send a message."""
        assert self._process.stdin is not None  # noqa: S101 - it was made with one
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()

    def hooks(self, folder: Path, command: str) -> list[Seen]:
        """Return the hooks that run a command line, as seen in a folder."""
        found = msgspec.json.decode(self.ask("hooks/list", {"cwds": [str(folder)]}), type=_Listed)
        return [hook for entry in found.data for hook in entry.hooks if hook.command == command]


@contextmanager
def app_server(folder: Path) -> Generator[AppServer]:
    """Run Codex's app-server for a moment.

    Raises:
        CommandFailed: there is no Codex, or it does not answer.
    """
    try:
        process = subprocess.Popen(
            ["codex", "app-server"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            cwd=folder,
        )
    except FileNotFoundError:
        raise CommandFailed("there is no `codex` to ask", "Codex asks about new hooks at its next start.") from None
    limit = Timer(_PATIENCE_S, process.kill)
    limit.start()
    try:
        server = AppServer(process)
        server.ask("initialize", {"clientInfo": {"name": "memoryd", "version": "1"}})
        server.tell({"method": "initialized"})
        yield server
    except (BrokenPipeError, msgspec.DecodeError) as failed:
        raise CommandFailed(f"codex app-server: {failed}", "Codex's own `/hooks` trusts them, too.") from failed
    finally:
        limit.cancel()
        process.kill()
        process.communicate()


def seen(folder: Path, command: str) -> list[Seen]:
    """Return our hooks as Codex sees them, with its trust in each."""
    with app_server(folder) as server:
        return server.hooks(folder, command)


def trust(folder: Path, command: str) -> list[Seen]:
    """Have Codex trust our hooks, and return them as it sees them then."""
    with app_server(folder) as server:
        wanted = {hook.key: {"trusted_hash": hook.current_hash} for hook in server.hooks(folder, command)}
        edit = {"keyPath": "hooks.state", "value": wanted, "mergeStrategy": "upsert"}
        server.ask("config/batchWrite", {"edits": [edit]})
        return server.hooks(folder, command)
