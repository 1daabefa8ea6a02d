"""Export and import with the real command: from one daemon into another, whole."""

import json
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from memoryd_cli import records
from memoryd_cli.base.output import out_json
from memoryd_cli.transfer import PAGE_ROWS
from memoryd_client.wire.edges import Edge
from memoryd_client.wire.importing import MemoryRecord
from memoryd_client.wire.memory import Memory, Scope

from .memoryd_command import Command

FIRST = "The parser of the grammar is written in Lua."
SECOND = "Since March, what reads the grammar is written in Rust."
THIRD = "Ada keeps the spare key of the boathouse\n\n  under the third flowerpot: `---`."
FOURTH = "Water boils at 93 degrees up at the hut."
MAY = datetime(2026, 5, 1, tzinfo=UTC)
TOKEN = "ghp_Zq8LrT4vWx2NcY6uKd9sBf3hJm5pAe7gQo1i"


def listed(memoryd: Command, project: str) -> dict[str, Memory]:
    """Return all memories but for what a store decides itself."""
    found = msgspec.json.decode(memoryd.ok("list", "--all", "--project", project, "--json"), type=list[Memory])
    return {one.id: msgspec.structs.replace(one, owner="", embedding_model="") for one in found}


def edges(memoryd: Command, memory_id: str) -> set[tuple[str, str, str, float, str]]:
    origin = json.loads(memoryd.ok("why", memory_id, "--json"))
    found = msgspec.convert(origin["edges"], list[Edge])
    return {(one.from_id, one.to_id, one.relation, one.strength, one.at) for one in found}


def filled(memoryd: Command) -> list[str]:
    """Store memories of which every kind of field is set, and return their ids."""
    first = memoryd.ok("add", FIRST, "--session", "monday", "--speaker", "Ada").strip()
    second = memoryd.ok("add", SECOND, "--session", "friday", "--title", "'Rust': now", "--tag", "a, b").strip()
    third = memoryd.ok("add", THIRD, "--pinned", "--importance", "5", "--occurred-at", "2026-03-02").strip()
    memoryd.ok("add", THIRD, "--session", "another")
    memoryd.ok("add", FOURTH, "--scope", "global", "--trust", "0.35", "--file", "hut notes.md")
    memoryd.ok("update", second, "--metadata", "where=the 'wiki': page 2", "--metadata", "n=1.10")
    memoryd.ok("relate", second, first, "--relation", "supersedes")
    memoryd.ok("relate", third, second, "--relation", "contradicts", "--strength", "0.25")
    forgotten = memoryd.ok("add", "This one is forgotten.").strip()
    memoryd.ok("forget", forgotten)
    memoryd.ok("read", third)
    return [first, second, third, forgotten]


@pytest.mark.slow
@pytest.mark.timeout(300)  # about thirty processes, one after the other
@pytest.mark.parametrize("markdown", [False, True], ids=["lines", "markdown"])
def test_memories_survive_an_export_and_an_import_elsewhere_whole_and_twice_changes_nothing(
    served: Command, alone: Command, tmp_path: Path, *, markdown: bool
) -> None:
    ids = filled(served)
    target = tmp_path / "taken"
    served.ok("export", "--all", *(("--markdown",) if markdown else ()), target)
    assert target.stat().st_mode & 0o077 == 0
    assert served("export", *(("--markdown",) if markdown else ()), target).returncode == 1, "nothing is overwritten"
    project = str(served.home)
    before = listed(served, project)
    assert len(before) == 5
    assert {one.state.value for one in before.values()} == {"active", "superseded", "forgotten"}
    assert max(one.strength for one in before.values()) == 2

    result = json.loads(alone.ok("import", target, "--json"))
    assert (result["imported"], result["unchanged"], result["left_out"], result["relations_left_out"]) == (5, 0, 0, 0)
    after = listed(alone, project)
    assert after == before
    for one in ids:
        told = {edge for edge in edges(served, one) if edge[2] != "related_to"}
        assert told <= edges(alone, one)

    again = json.loads(alone.ok("import", target, "--json"))
    assert (again["imported"], again["unchanged"], again["relations"]) == (0, 5, 0)
    assert listed(alone, project) == before


@pytest.mark.slow
def test_a_foreign_id_with_another_content_a_taken_id_and_a_refusal_are_reported(
    served: Command, tmp_path: Path
) -> None:
    memory_id = served.ok("add", FIRST).strip()
    theirs = served.with_environment(MEMORYD_OWNER="somebody else").ok("add", THIRD).strip()
    file = tmp_path / "in.jsonl"
    lines = [
        {"id": memory_id, "content": SECOND},
        {"id": theirs, "content": SECOND},
        {"content": "<private>All of it.</private>"},
        {"content": f"The token of the mirror is {TOKEN}.", "relations": [{"to_id": "mem_nowhere"}]},
        {"content": FIRST.replace(" ", "  ")},
    ]
    file.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    result = json.loads(served.ok("import", file, "--json"))
    assert (result["imported"], result["unchanged"], result["left_out"]) == (1, 1, 3)
    reasons = " | ".join(one["reason"] for one in result["reasons"])
    assert "says something else" in reasons
    assert "is taken" in reasons
    assert "private" in reasons
    assert result["relations_left_out"] == 1
    assert json.loads(served.ok("show", memory_id, "--json"))["strength"] == 1
    exported = served.ok("export")
    assert TOKEN not in exported
    assert "[redacted:github-token]" in exported
    told = served("import", file)
    assert "says something else" in told.stderr
    assert "imported 0" in told.stdout


def test_projects_are_remapped_and_a_line_without_one_belongs_here(served: Command, tmp_path: Path) -> None:
    file = tmp_path / "in.jsonl"
    new = tmp_path / "new"
    new.mkdir()
    lines = [
        {"content": FIRST, "project": "/old/place"},
        {"content": SECOND, "project": "/old/place/inside"},
        {"content": THIRD},
        {"content": FOURTH, "project": "/old/placement"},
    ]
    file.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    served.ok("import", file, "--project-map", f"/old/place={new}", "--project", tmp_path)
    projects = {
        one["content"]: one["project"]
        for project in (new, new / "inside", tmp_path, "/old/placement")
        for one in json.loads(served.ok("list", "--project", project, "--scope", "project", "--json"))
    }
    assert projects == {FIRST: str(new), SECOND: f"{new}/inside", THIRD: str(tmp_path), FOURTH: "/old/placement"}
    assert served("import", file, "--project-map", "nonsense").returncode == 2


def test_notes_that_others_wrote_are_imported_and_a_broken_one_stops_it_before_anything(
    served: Command, tmp_path: Path
) -> None:
    notes = tmp_path / "notes"
    (notes / "deep").mkdir(parents=True)
    (notes / "one.md").write_text(
        "---\nid: mem_abc123\ntype: preference\ntags: [user_preference, settings]\ncreatedAt: 2024-01-01T00:00:00Z\n"
        "mood: sunny\n---\n\nUser prefers dark mode and concise responses.\n",
        encoding="utf-8",
    )
    (notes / "deep" / "two.md").write_text(f"{FOURTH}\n", encoding="utf-8")
    broken = notes / "three.md"
    broken.write_text("---\nimportance: nine\n---\n\nNine lives.\n", encoding="utf-8")
    done = served("import", notes)
    assert (done.returncode, "three.md" in done.stderr, "importance" in done.stderr) == (1, True, True)
    assert served.ok("list") == ""
    broken.unlink()
    assert served.ok("import", notes).startswith("imported 2")
    found = msgspec.json.decode(served.ok("show", "mem_abc123", "--json"), type=Memory)
    assert (found.category, found.tags, found.metadata) == (
        "preference",
        ("user_preference", "settings"),
        {"mood": "sunny"},
    )
    assert found.created_at.year == 2024
    assert FOURTH in served.ok("list")


def test_nothing_is_imported_into_a_project_in_which_memory_is_off(served: Command, tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir()
    served.ok("off", "--project", closed)
    file = tmp_path / "in.jsonl"
    lines = [{"content": FIRST, "project": str(closed)}, {"content": SECOND}]
    file.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    result = json.loads(served.ok("import", file, "--json"))
    assert (result["imported"], result["left_out"]) == (1, 1)
    assert "memory is off" in result["reasons"][0]["reason"]
    assert served("import", file, "--project", closed).returncode == 1


def test_records_are_sent_in_batches_that_fit_a_frame() -> None:
    lines = [json.dumps({"content": f"{number} " + "x" * 10_000}) for number in range(1_500)]
    incoming = records.from_lines(lines, "test", {})
    made = list(records.batches(incoming, rows=1_000, size_bytes=2 * 1024 * 1024))
    assert [one for batch in made for one in batch] == incoming
    assert all(sum(one.size_bytes for one in batch) <= 2 * 1024 * 1024 for batch in made)


def test_markdown_says_all_that_an_import_would_otherwise_decide(tmp_path: Path) -> None:
    plain = Memory(
        id="mem_plain", owner="local", project="/p", content="Said by an agent.", created_at=MAY, updated_at=MAY
    )
    (tmp_path / "plain.md").write_text(records.markdown(plain, []), encoding="utf-8")
    (incoming,) = records.from_folder(tmp_path, {})
    lost = {
        name: (getattr(plain, name), getattr(incoming.record, name))
        for name in set(MemoryRecord.__struct_fields__) - records.DECIDED_ANEW
        if getattr(plain, name) != getattr(incoming.record, name)
    }
    assert lost == {}


def test_what_is_no_text_is_refused_by_name(served: Command, tmp_path: Path) -> None:
    file = tmp_path / "in.jsonl"
    file.write_bytes(b'{"content": "caf\xe9"}\n')
    told = served("import", file)
    assert told.returncode == 1
    assert f"{file} is not UTF-8" in told.stderr
    assert "bug" not in told.stderr


def test_an_import_of_which_nothing_can_be_stored_has_failed(served: Command, tmp_path: Path) -> None:
    file = tmp_path / "in.jsonl"
    file.write_text(json.dumps({"content": "<private>All of it.</private>"}), encoding="utf-8")
    told = served("import", file)
    assert told.returncode == 1
    assert "private" in told.stderr


def test_a_line_has_every_field_as_json_of_a_command_shows_it(capsys: pytest.CaptureFixture[str]) -> None:
    whole = Memory(
        id="mem_a", owner="local", content="é\u2028\n", created_at=MAY, updated_at=MAY, occurred_at=MAY,
        scope=Scope.PROJECT, project="/here", tags=("a", "b"), metadata={"n": "1"}, source_messages=(1, 2), pinned=True,
    )  # fmt: skip
    edge = Edge(from_id="mem_a", to_id="mem_b", strength=0.5)
    line = json.loads(records.line(whole, [edge]))
    assert line.pop("relations") == [{"to_id": "mem_b", "relation": "related_to", "strength": 0.5, "at": ""}]
    out_json(whole)
    assert line == json.loads(capsys.readouterr().out)


def test_an_export_of_several_pages_has_each_memory_once_newest_first(served: Command, tmp_path: Path) -> None:
    count = 2 * PAGE_ROWS + 1
    lines = [
        {"content": f"Pier {number} of the harbour has a lamp.", "created_at": f"2026-01-01T00:{number // 60:02}:00Z"}
        for number in range(count)
    ]
    file = tmp_path / "in.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    served.ok("import", file, "--project", tmp_path)
    exported = [json.loads(line) for line in served.ok("export", "--project", tmp_path).splitlines()]
    found = [one for one in exported if one["content"].startswith("Pier ")]
    assert len({one["id"] for one in found}) == len(found) == count
    assert [one["created_at"] for one in found] == sorted((one["created_at"] for one in found), reverse=True)


def test_an_export_of_everything_has_every_project(served: Command, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        served.ok("add", f"The gate of project {name} squeaks.", "--project", tmp_path / name)
    there = {json.loads(line)["content"] for line in served.ok("export", "--everywhere").splitlines()}
    assert {"The gate of project one squeaks.", "The gate of project two squeaks."} <= there
    here = served.ok("export", "--project", tmp_path / "one")
    assert "project one" in here
    assert "project two" not in here
