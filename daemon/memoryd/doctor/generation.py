"""Where the indexes are that serve. Known without the daemon's packages, which may be missing."""

from pathlib import Path

import msgspec

from memoryd_client.base.paths import Paths


class _Active(msgspec.Struct, frozen=True):
    place: str = ""


class _Noted(msgspec.Struct, frozen=True):
    active: _Active = _Active()


def memories_index(paths: Paths) -> Path:
    """Return the folder of the index of memories."""
    return paths.memories_index_at(_place(paths))


def messages_index(paths: Paths) -> Path:
    """Return the folder of the index of messages."""
    return paths.messages_index_at(_place(paths))


def _place(paths: Paths) -> str:
    """Return the name of their folder; a note that cannot be read keeps the daemon from starting, and it says so."""
    try:
        return msgspec.json.decode(paths.generations.read_bytes(), type=_Noted).active.place
    except (OSError, msgspec.MsgspecError):
        return ""
