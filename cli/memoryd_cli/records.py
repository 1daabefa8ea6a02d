"""Memories in files: JSON lines, and Markdown with front matter."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import cast

import msgspec

from memoryd_cli.base.failures import CommandFailed
from memoryd_client import front_matter
from memoryd_client.project import moved, project_root
from memoryd_client.wire.edges import Edge
from memoryd_client.wire.importing import MemoryRecord
from memoryd_client.wire.memory import Memory, Share

DECIDED_ANEW = frozenset({"owner", "content_hash", "embedding_model"})
"""Fields of a memory that an import does not read."""
_ALSO = {"type": "category", "createdAt": "created_at", "updatedAt": "updated_at", "name": "title"}
"""Names that others give to fields."""


def _default(kind: type[msgspec.Struct], name: str) -> object:
    return next(field.default for field in msgspec.structs.fields(kind) if field.name == name)


class Relation(msgspec.Struct, frozen=True, kw_only=True):
    """An edge, as the memory that it begins at says it."""

    to_id: str
    relation: str = "related_to"
    strength: Share = 1.0
    at: str = ""


class _Relations(msgspec.Struct, frozen=True):
    relations: tuple[Relation, ...] = ()


_DIFFERENT = tuple(
    name
    for name in set(Memory.__struct_fields__) & set(MemoryRecord.__struct_fields__)
    if _default(Memory, name) != _default(MemoryRecord, name)
)
"""Fields whose absence would mean something else to an import."""
_decode_record = msgspec.json.Decoder(MemoryRecord).decode
_decode_relations = msgspec.json.Decoder(_Relations).decode


class Incoming(msgspec.Struct, frozen=True):
    """A record, its edges, and how large it is."""

    record: MemoryRecord
    edges: tuple[Edge, ...]
    size_bytes: int


# --- out


def line(memory: Memory, edges: Sequence[Edge]) -> str:
    """Return a memory, with the edges that begin at it, as a line of JSON with every field."""
    # Not `plain`, field by field: of a million memories that takes longer than all the rest.
    return msgspec.json.encode({**msgspec.structs.asdict(memory), "relations": _said(edges)}).decode() + "\n"


def markdown(memory: Memory, edges: Sequence[Edge]) -> str:
    """Return a memory, with the edges that begin at it, as Markdown; what an import supplies by itself is left out."""
    fields = cast("dict[str, front_matter.Written]", msgspec.to_builtins(memory))
    said = msgspec.to_builtins({name: getattr(memory, name) for name in _DIFFERENT})
    fields |= cast("dict[str, front_matter.Written]", said)
    head = {name: value for name, value in fields.items() if name != "content" and name not in DECIDED_ANEW}
    if edges:
        head["relations"] = cast("list[front_matter.Written]", _said(edges))
    return front_matter.joined(head, memory.content)


def _said(edges: Sequence[Edge]) -> list[dict[str, object]]:
    return [
        {"to_id": edge.to_id, "relation": edge.relation, "strength": edge.strength, "at": edge.at} for edge in edges
    ]


# --- in


def from_lines(lines: Iterable[str], name: str, places: Mapping[str, str]) -> list[Incoming]:
    """Read JSON lines, oldest first where they were exported; raise CommandFailed, naming the line, where one is none.

    `places`: folders of projects that are elsewhere now.
    """
    found: list[Incoming] = []
    for number, text in enumerate(lines, start=1):
        if text.strip():
            try:
                found.append(_incoming(_decode_record(text), _decode_relations(text).relations, len(text), places))
            except (msgspec.MsgspecError, ValueError) as exc:
                raise CommandFailed(f"{name}, line {number}: {exc}", "Nothing was imported.") from exc
    # As an export writes them, the newest comes first; of those of one instant, the one stored last.
    dates = [one.record.created_at for one in (found[:1] + found[-1:])]
    if None not in dates and dates == sorted(dates, key=lambda date: (date is not None, str(date)), reverse=True):
        found.reverse()
    return found


def from_folder(path: Path, places: Mapping[str, str]) -> list[Incoming]:
    """Read a Markdown file, or all below a folder; raise CommandFailed, naming file and line, where one is none."""
    files = [path] if path.is_file() else sorted(path.rglob("*.md"))
    return [_from_markdown(file.read_bytes().decode("utf-8", "replace"), file, places) for file in files]


def _from_markdown(text: str, file: Path, places: Mapping[str, str]) -> Incoming:
    head: dict[str, front_matter.FieldValue] = {}
    content = text
    try:
        if text.removeprefix("\ufeff").startswith(front_matter.FENCE):
            head, content = front_matter.split(text)
        given = {_ALSO.get(name, name): value for name, value in head.items() if value and name not in DECIDED_ANEW}
        relations = msgspec.convert(given.pop("relations", []), tuple[Relation, ...], strict=False)
        others = {name: given.pop(name) for name in sorted(given.keys() - set(MemoryRecord.__struct_fields__))}
        if others:
            said = {
                name: value if isinstance(value, str) else msgspec.json.encode(value).decode()
                for name, value in others.items()
            }
            given["metadata"] = {**said, **cast("dict[str, front_matter.FieldValue]", given.get("metadata", {}))}
        record = msgspec.convert({**given, "content": content}, MemoryRecord, strict=False)
    except (front_matter.FrontMatterInvalid, msgspec.ValidationError) as exc:
        raise CommandFailed(f"{file}: {exc}", "Nothing was imported.") from exc
    return _incoming(record, relations, len(text), places)


def _incoming(record: MemoryRecord, relations: Sequence[Relation], length: int, places: Mapping[str, str]) -> Incoming:
    edges = tuple(
        Edge(
            from_id=record.id,
            to_id=relation.to_id,
            relation=relation.relation,
            strength=relation.strength,
            at=relation.at,
        )
        for relation in relations
    )
    project = record.project
    if project:
        project = moved(project if os.path.isabs(project) else project_root(project), places)
    # A character takes at most four bytes.
    return Incoming(msgspec.structs.replace(record, project=project), edges, 4 * length)


def successors_first(incoming: Sequence[Incoming]) -> list[Incoming]:
    """Return the records, before each what took its place: then no batch names what is not there yet."""
    places = {one.record.id: place for place, one in enumerate(incoming)}
    done: set[int] = set()
    ordered: list[Incoming] = []
    for first in range(len(incoming)):
        chain: list[int] = []
        place: int | None = first
        while place is not None and place not in done:
            done.add(place)
            chain.append(place)
            place = places.get(incoming[place].record.superseded_by)
        ordered += (incoming[one] for one in reversed(chain))
    return ordered


def batches(incoming: Iterable[Incoming], *, rows: int, size_bytes: int) -> Iterator[list[Incoming]]:
    """Split into runs that are neither too long nor too large."""
    batch: list[Incoming] = []
    size = 0
    for one in incoming:
        if batch and (len(batch) >= rows or size + one.size_bytes > size_bytes):
            yield batch
            batch, size = [], 0
        batch.append(one)
        size += one.size_bytes
    if batch:
        yield batch
