"""A memory as a text that a person edits, and what of it they changed."""

from datetime import datetime
from typing import cast

import msgspec

from memoryd_cli.base.failures import CommandFailed
from memoryd_client import front_matter
from memoryd_client.requests import ChangedFields
from memoryd_client.wire.memory import Importance, Memory, Share

FIELDS = (
    *("title", "category", "tags", "importance", "pinned", "trust", "speaker", "occurred_at", "expires_at"),
    *("files", "metadata"),
)
"""What may be changed beside the content, in the order in which it is shown."""


class _Draft(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What stands in the front matter."""

    id: str = ""
    revision: int = 0
    title: str = ""
    category: str = ""
    tags: tuple[str, ...] = ()
    importance: Importance = 3
    pinned: bool = False
    trust: Share = 0.5
    speaker: str = ""
    occurred_at: str = ""
    expires_at: str = ""
    files: tuple[str, ...] = ()
    metadata: dict[str, str] = {}


_MOMENTS = ("occurred_at", "expires_at")
_EMPTY: dict[str, object] = {
    **{"title": "", "tags": [], "speaker": "", "files": [], "metadata": {}},
    **dict.fromkeys(_MOMENTS, ""),
}
"""What a line without a value says of the fields that may be empty; of the others it says nothing."""


def written(memory: Memory) -> str:
    """Return a memory as Markdown with front matter; fields without a value are there, to be filled in."""
    head = {"id": memory.id, "revision": memory.revision, **_fields(memory)}
    return front_matter.joined(cast("dict[str, front_matter.Written]", head), memory.content)


def changed(text: str, memory: Memory) -> ChangedFields:
    """Return what a text changes in the memory that it was made from. A line that is not there changes nothing.

    Raises:
        CommandFailed: it cannot be read, or is of another memory.
    """
    try:
        head, content = front_matter.split(text)
        said = {
            name: _EMPTY.get(name, value) if value == "" else value
            for name, value in head.items()
            if value != "" or name in _EMPTY or name not in _Draft.__struct_fields__
        }
        draft = msgspec.convert(said, _Draft, strict=False)
    except (front_matter.FrontMatterInvalid, msgspec.ValidationError) as wrong:
        raise CommandFailed(f"the text cannot be read: {wrong}") from wrong
    if draft.id not in {"", memory.id}:
        raise CommandFailed(f"the text is of {draft.id}, not of {memory.id}", "Leave `id` as it is.")
    before = _fields(memory)
    found: dict[str, object] = {
        name: getattr(draft, name) for name in FIELDS if name in said and getattr(draft, name) != before[name]
    }
    found |= {name: found[name] or None for name in _MOMENTS if name in found}
    if content.strip() != memory.content.strip():
        found["content"] = content
    return cast("ChangedFields", found)


def _fields(memory: Memory) -> dict[str, object]:
    shown: dict[str, object] = {name: getattr(memory, name) for name in FIELDS}
    moments = {name: shown[name] for name in _MOMENTS}
    return shown | {
        name: moment.isoformat() if isinstance(moment, datetime) else "" for name, moment in moments.items()
    }
