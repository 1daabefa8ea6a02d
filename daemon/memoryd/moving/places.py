"""Folders of projects that are elsewhere now, wherever a row names one."""

from base64 import b64decode, b64encode
from collections.abc import Mapping
from typing import cast

import msgspec

from memoryd.moving.archive import ArchiveLine
from memoryd_client.project import moved

_PATHS = frozenset({"project", "thread"})
"""Columns that may hold the path of a project: agents name threads after it, too."""
_JSON = frozenset({"files", "sources", "metadata", "meta", "undo"})
"""Columns of JSON in which a text may be such a path."""
_STATES = frozenset({("sessions", "state")})
"""Columns of MessagePack, here in base64: a session knows standing memory by agent and project, each in a line."""
_WORDS = frozenset({"content", "content_hash", "title"})
"""Of what an undo restores, these are texts, whatever they look like."""


def relocated(line: ArchiveLine, places: Mapping[str, str]) -> ArchiveLine:
    """Return a line of an archive in which every path that lies in one of these places is the new one."""
    if not places:
        return line
    if line.session is not None:
        project = moved(line.session.project, places)
        return msgspec.structs.replace(line, session=msgspec.structs.replace(line.session, project=project))
    if line.table:
        row = {name: _column(line.table, name, value, places) for name, value in line.row.items()}
        return msgspec.structs.replace(line, row=row)
    return line


def _column(table: str, name: str, value: object, places: Mapping[str, str]) -> object:
    match value:
        case str() if name in _PATHS:
            return moved(value, places)
        case str() if name in _JSON and any(old in value for old in places):
            return msgspec.json.encode(_inside(msgspec.json.decode(value), places)).decode()
        case str() if (table, name) in _STATES:
            state = b64decode(value)
            if not any(old.encode() in state for old in places):
                return value
            return b64encode(msgspec.msgpack.encode(_inside(msgspec.msgpack.decode(state), places))).decode()
        case _:
            return value


def _inside(value: object, places: Mapping[str, str]) -> object:
    """Return a value in which every text that is a path, as a whole or in its second line, is the new one."""
    match value:
        case str() if value.startswith(("[", "{")):
            # What an undo restores of a column of JSON.
            try:
                return msgspec.json.encode(_inside(msgspec.json.decode(value), places)).decode()
            except msgspec.DecodeError:
                return value
        case str():
            head, line, path = value.rpartition("\n")
            return f"{head}{line}{moved(path, places)}"
        case dict():
            return {
                cast("str", _inside(name, places)): item if name in _WORDS else _inside(item, places)
                for name, item in value.items()
            }
        case list():
            return [_inside(item, places) for item in value]
        case _:
            return value
