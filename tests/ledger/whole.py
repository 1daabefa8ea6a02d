"""All of a ledger that operations write, read with plain SQL, and what must always be true of it."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

import msgspec
from sqlalchemy import Engine, select

from memoryd.ledger.records import UNTRACKED, Before
from memoryd.ledger.tables import aliases, changes, doubts, history, memories, memory_tags, relations
from memoryd_actors.admission.gate import content_hash
from memoryd_actors.memory.steps import MERGED_INTO, SUPERSEDES

Row = dict[str, Any]
Edge = tuple[str, str, str, float, int]
OF_EVERY_WRITE = {"updated_at", "revision"}
_NOT_TOLD = UNTRACKED | {"number", "compared"}


@dataclass(frozen=True)
class Whole:
    """Every row at one moment."""

    memories: dict[str, Row]
    edges: frozenset[Edge]
    """Living ones: from, to, relation, strength, made when."""
    rows: tuple[Row, ...]
    """Of the relations, living or not."""
    history: tuple[Row, ...]
    changes: tuple[Row, ...]
    doubts: tuple[Row, ...]
    aliases: dict[str, str]
    tags: dict[str, list[str]]

    def told(self) -> dict[str, Row]:
        """What operations change of each memory."""
        return {
            one: {column: value for column, value in row.items() if column not in _NOT_TOLD}
            for one, row in self.memories.items()
        }

    def standing(self) -> dict[str, Row]:
        """The same but for what every write changes."""
        return {
            one: {column: value for column, value in row.items() if column not in OF_EVERY_WRITE}
            for one, row in self.told().items()
        }


def read(engine: Engine) -> Whole:
    with engine.connect() as connection:

        def rows(table: Any, order: Any) -> list[Row]:
            return [dict(row) for row in connection.execute(select(table).order_by(order)).mappings()]

        found = rows(relations, relations.c.id)
        tags: dict[str, list[str]] = {}
        for row in rows(memory_tags, memory_tags.c.tag):
            tags.setdefault(row["memory_id"], []).append(row["tag"])
        return Whole(
            memories={row["id"]: row for row in rows(memories, memories.c.number)},
            edges=frozenset(
                (row["from_id"], row["to_id"], row["relation_type"], row["strength"], row["created_at"])
                for row in found
                if row["removed_by"] is None
            ),
            rows=tuple(found),
            history=tuple(rows(history, history.c.id)),
            changes=tuple(rows(changes, changes.c.sequence)),
            doubts=tuple(rows(doubts, doubts.c.id)),
            aliases={row["id"]: row["memory_id"] for row in rows(aliases, aliases.c.id)},
            tags=tags,
        )


def check(whole: Whole, purged: set[str]) -> None:
    """Assert what must be true at every moment."""
    active = Counter(
        (row["owner"], row["scope"], row["project"], row["content_hash"])
        for row in whole.memories.values()
        if row["state"] == "active"
    )
    assert not [place for place, count in active.items() if count > 1], "two active memories say the same"
    for row in whole.memories.values():
        assert row["content_hash"] == content_hash(row["content"], row["category"])
        assert sorted(msgspec.json.decode(row["tags"], type=list[str])) == whole.tags.get(row["id"], [])
        _check_fate(whole, row, purged)
    assert set(whole.tags) <= set(whole.memories)
    living = [row for row in whole.rows if row["removed_by"] is None]
    for row in living:
        ends = {whole.memories[row["from_id"]]["owner"], whole.memories[row["to_id"]]["owner"]}
        assert ends == {row["owner"]}, "an edge between owners"
        assert row["from_id"] != row["to_id"]
        assert row["relation_type"] not in {SUPERSEDES, MERGED_INTO} or _fate(row) in {
            (one["id"], one["superseded_by"]) for one in whole.memories.values()
        }, "an edge says another fate than the memory"
    edges = Counter((row["from_id"], row["to_id"], row["relation_type"]) for row in living)
    assert not [edge for edge, count in edges.items() if count > 1]
    for row in whole.doubts:
        assert {whole.memories[row[end]]["owner"] for end in ("older_id", "newer_id")} == {row["owner"]}
        assert row["older_id"] != row["newer_id"]
    assert set(whole.aliases.values()) <= set(whole.memories)
    assert len(whole.changes) == len(whole.history)


def explained(before: Whole, after: Whole) -> None:
    """Assert that the history which was written in between accounts for every difference."""
    known = len(before.history)
    written = after.history[known:]
    gone = set(before.memories) - set(after.memories)
    found = after.told()
    for row in reversed(written):
        if not row["undo"]:
            continue
        told = msgspec.json.decode(row["undo"], type=Before)
        assert row["owner"] == after.memories[row["memory_id"]]["owner"]
        if told.created:
            del found[row["memory_id"]]
        else:
            found[row["memory_id"]] |= told.columns
    former = {one: row for one, row in before.told().items() if one not in gone}
    for one, row in former.items():
        # What took the place of a memory that a purged one had replaced is told without a way back.
        if row["superseded_by"] in gone:
            row |= {"superseded_by": found[one]["superseded_by"], "revision": found[one]["revision"]}
    assert found == former
    assert {row["memory_id"] for row in written if row["event"] == "PURGE"} == gone
    for one, row in after.memories.items():
        earlier = before.memories.get(one)
        if earlier is not None and any(row[column] != earlier[column] for column in row.keys() - _NOT_TOLD):
            assert row["revision"] > earlier["revision"]
    assert len({row["operation"] for row in written}) <= 1
    assert not {row["operation"] for row in written} & {row["operation"] for row in before.history}


def _check_fate(whole: Whole, row: Row, purged: set[str]) -> None:
    seen, follow = {row["id"]}, row["superseded_by"]
    assert not (row["state"] == "active" and follow)
    while follow:
        assert follow not in seen, f"a circle of supersessions: {seen}"
        seen.add(follow)
        assert follow in whole.memories, "superseded by what is not there"
        assert whole.memories[follow]["owner"] == row["owner"]
        follow = whole.memories[follow]["superseded_by"]
    edges = [one for one in whole.rows if one["removed_by"] is None and _fate(one)[0] == row["id"]]
    assert len(edges) == bool(row["superseded_by"])


def _fate(row: Row) -> tuple[str, str]:
    """Of an edge that says what became of a memory: that memory, and what stands for it."""
    match row["relation_type"]:
        case "supersedes":
            return row["to_id"], row["from_id"]
        case "merged_into":
            return row["from_id"], row["to_id"]
        case _:
            return "", ""
