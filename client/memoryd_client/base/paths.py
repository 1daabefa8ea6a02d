"""Where a daemon's data, configuration and sockets are, derived from the environment alone."""

import os
from collections.abc import Mapping
from pathlib import Path

import msgspec


class Paths(msgspec.Struct, frozen=True):
    """The three folders of one daemon and what lies in them."""

    home: Path
    """Data: ledger, index, transcripts, models, logs."""
    config: Path
    """The configuration file."""
    runtime: Path
    """The sockets."""

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] | None = None) -> "Paths":
        """Follow MEMORYD_HOME, MEMORYD_CONFIG and MEMORYD_RUNTIME_DIR, else the XDG base directories.

        A home of one's own has sockets and configuration of its own, too, so that a second daemon with another
        MEMORYD_HOME never meets the first one.
        """
        env = os.environ if environ is None else environ
        user_home = Path(env.get("HOME") or Path.home())
        own_home = env.get("MEMORYD_HOME")
        home = (
            Path(own_home).expanduser().absolute()
            if own_home
            else Path(env.get("XDG_DATA_HOME") or user_home / ".local/share") / "memoryd"
        )
        config = env.get("MEMORYD_CONFIG")
        runtime = env.get("MEMORYD_RUNTIME_DIR")
        xdg_runtime = env.get("XDG_RUNTIME_DIR")
        return cls(
            home=home,
            config=Path(config).expanduser().absolute()
            if config
            else home / "config.toml"
            if own_home
            else Path(env.get("XDG_CONFIG_HOME") or user_home / ".config") / "memoryd" / "config.toml",
            runtime=Path(runtime).expanduser().absolute()
            if runtime
            else home / "run"
            if own_home or not xdg_runtime
            else Path(xdg_runtime) / "memoryd",
        )

    @property
    def push_socket(self) -> Path:
        """Context updates, PUSH to PULL."""
        return self.runtime / "push.sock"

    @property
    def rpc_socket(self) -> Path:
        """Requests and replies, DEALER to ROUTER."""
        return self.runtime / "rpc.sock"

    @property
    def events_socket(self) -> Path:
        """What the daemon is doing, PUB to SUB."""
        return self.runtime / "events.sock"

    @property
    def hooks_socket(self) -> Path:
        """What hosts report, and what they are answered; a plain stream socket."""
        return self.runtime / "hooks.sock"

    @property
    def hooks_wait(self) -> Path:
        """How many seconds an answer to a hook may take."""
        return self.runtime / "hooks.wait"

    @property
    def arrivals(self) -> Path:
        """When each host was last heard from."""
        return self.home / "arrivals"

    @property
    def prompts(self) -> Path:
        """What hosts' users asked and nobody has answered yet."""
        return self.home / "prompts"

    @property
    def ledger(self) -> Path:
        """The SQLite ledger."""
        return self.home / "ledger.db"

    @property
    def index(self) -> Path:
        """The LanceDB folder."""
        return self.home / "index"

    @property
    def transcripts(self) -> Path:
        """What was said, a folder for each session."""
        return self.home / "transcripts"

    @property
    def messages_index(self) -> Path:
        """The LanceDB folder of what was said."""
        return self.home / "index-messages"

    @property
    def indexes(self) -> Path:
        """The indexes of embedding models that took the place of the first one, a folder for each."""
        return self.home / "indexes"

    def memories_index_at(self, place: str) -> Path:
        """Return the folder of an index of memories; of the first one the place is empty."""
        return self.indexes / place / "memories" if place else self.index

    def messages_index_at(self, place: str) -> Path:
        """Return the folder of an index of messages; of the first one the place is empty."""
        return self.indexes / place / "messages" if place else self.messages_index

    @property
    def generations(self) -> Path:
        """Which embedding model's index serves, and which one is kept."""
        return self.home / "embedding.json"

    @property
    def drafts(self) -> Path:
        """What somebody wrote in an editor and could not be stored."""
        return self.home / "drafts"

    @property
    def temporary(self) -> Path:
        """Temporary files of the daemon and of its libraries."""
        return self.home / "tmp"

    @property
    def mirrors(self) -> Path:
        """Which folders are mirrored, and what each of their files said last."""
        return self.home / "mirrors.db"

    @property
    def models(self) -> Path:
        """Cached model weights."""
        return self.home / "models"

    @property
    def backups(self) -> Path:
        """Copies of the ledger and, in a folder of its own, one of the transcripts."""
        return self.home / "backups"

    @property
    def transcripts_copy(self) -> Path:
        """The copy of the transcripts beside those of the ledger."""
        return self.backups / "transcripts"

    @property
    def arriving(self) -> Path:
        """What an import of everything has not put in its place yet."""
        return self.home / "arriving"

    @property
    def lock(self) -> Path:
        """The file whose kernel lock the one daemon of this home holds; its text says who."""
        return self.home / "memoryd.lock"

    @property
    def keys(self) -> Path:
        """The daemon's key for a network, and those of the clients that it lets in."""
        return self.home / "keys"

    @property
    def log(self) -> Path:
        """What the daemon logs when nobody else collects it."""
        return self.home / "memoryd.log"


def address(socket: Path) -> str:
    """Return the ZeroMQ address of a socket file."""
    return f"ipc://{socket}"
