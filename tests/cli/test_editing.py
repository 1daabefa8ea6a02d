"""Seeing and changing memories with the real command, against a real daemon."""

import json
import re
import sys
from pathlib import Path

import msgspec
import pytest

from memoryd_client import Client
from memoryd_client.base.paths import Paths
from memoryd_client.wire.edges import Edge
from memoryd_client.wire.history import HistoryEntry
from memoryd_client.wire.memory import Memory
from memoryd_client.wire.origin import Origin

from .memoryd_command import Command

FACT = "The nightly build of the parser takes eleven minutes."
OTHER = "Ada keeps the spare key of the boathouse under the third flowerpot."


def shown(memoryd: Command, memory_id: str) -> Memory:
    return msgspec.json.decode(memoryd.ok("show", memory_id, "--json"), type=Memory)


def writes(memoryd: Command, *arguments: str) -> list[HistoryEntry]:
    return msgspec.json.decode(memoryd.ok("history", *arguments, "--json"), type=list[HistoryEntry])


def editing(memoryd: Command, script: str) -> Command:
    """Return the command with an editor that does what the sed script says."""
    return memoryd.with_environment(EDITOR=f"sed -i -e '{script}'", VISUAL="")


def test_a_memory_is_edited_as_markdown_and_the_change_can_be_undone(served: Command) -> None:
    memory_id = served.ok("add", FACT, "--tag", "build").strip()
    done = editing(served, "s/eleven/nine/; s/^title:/title: How long it takes/; s/^tags:.*/tags: [build, ci]/")(
        "edit", memory_id
    )
    assert done.returncode == 0, done.stderr
    after = shown(served, memory_id)
    assert after.content == FACT.replace("eleven", "nine")
    assert (after.title, after.tags, after.importance, after.revision) == (
        "How long it takes",
        ("build", "ci"),
        3,
        2,
    )
    entry = writes(served, memory_id)[0]
    assert (entry.event, entry.old) == ("UPDATE", FACT)
    assert f"memoryd undo {entry.operation}" in done.stderr

    back = msgspec.json.decode(served.ok("undo", str(entry.operation), "--json"), type=list[Memory])
    assert [(one.id, one.content, one.title) for one in back] == [(memory_id, FACT, "")]


def test_an_edit_that_changes_nothing_says_so_and_leaves_no_file(served: Command) -> None:
    memory_id = served.ok("add", FACT, "--title", "Zeit: 'elf' Minuten", "--occurred-at", "2026-03-02").strip()
    temporary = served.home / "tmp"
    temporary.mkdir(exist_ok=True)
    done = served.with_environment(EDITOR="true", VISUAL="", TMPDIR=str(temporary))("edit", memory_id)
    assert (done.returncode, "nothing changed" in done.stderr) == (0, True)
    assert shown(served, memory_id).revision == 1
    assert list(temporary.iterdir()) == []


def kept(stderr: str) -> str:
    """Return what the file says that a message names."""
    named = re.search(r"kept in (\S+\.md)", stderr)
    assert named is not None, stderr
    file = Path(named[1])
    assert file.stat().st_mode & 0o777 == 0o600 or file.parent.stat().st_mode & 0o777 == 0o700
    return file.read_text(encoding="utf-8")


def test_a_change_that_somebody_else_made_meanwhile_is_told_and_the_text_is_kept(served: Command) -> None:
    memory_id = served.ok("add", FACT).strip()
    script = served.home / "meanwhile.sh"
    script.write_text(
        f'memoryd update {memory_id} --title "Somebody else was here"\nsed -i s/eleven/seven/ "$1"\n', encoding="utf-8"
    )
    path = f"{Path(sys.executable).parent}:{served.environment['PATH']}"
    done = served.with_environment(EDITOR=f"sh {script}", VISUAL="", PATH=path)("edit", memory_id)
    assert done.returncode == 1
    assert "changed meanwhile" in done.stderr
    assert "seven" in kept(done.stderr)
    assert shown(served, memory_id).content == FACT


@pytest.mark.parametrize("last", ["sed -i~ s/eleven/seven/", "sed -i s/^tags:.*/tags:[/", "false"])
def test_of_a_memory_that_was_purged_while_it_was_edited_nothing_is_kept_and_that_is_told(
    served: Command, last: str
) -> None:
    memory_id = served.ok("add", FACT).strip()
    script = served.home / "meanwhile.sh"
    copy = served.home / "opened"
    script.write_text(f'cp "$1" {copy}\nmemoryd purge --yes {memory_id}\nmv {copy} "$1"\n{last} "$1"\n', "utf-8")
    path = f"{Path(sys.executable).parent}:{served.environment['PATH']}"
    done = served.with_environment(EDITOR=f"sh {script}", VISUAL="", PATH=path)("edit", memory_id)
    assert done.returncode == 1
    assert "was purged meanwhile" in done.stderr
    assert "kept in" not in done.stderr
    assert [file.name for file in (served.home / "drafts").iterdir() if memory_id in file.name] == []


def test_a_purge_that_is_asked_for_once_more_destroys_what_was_left_of_it_in_drafts(served: Command) -> None:
    texts = ("The cobalt gate opens at six in the morning.", "Nobody but Ada has a key to the orchard.")
    first, second = (served.ok("add", text).strip() for text in texts)
    broken_off = served.with_environment(EDITOR="sh -c 'echo more >> $0; exit 1'", VISUAL="")
    assert all(broken_off("edit", memory_id).returncode for memory_id in (first, second))
    drafts = served.home / "drafts"
    assert {file.name.partition(".")[0] for file in drafts.iterdir()} >= {first, second}
    paths = Paths.from_environment(served.environment)
    owner = served.environment["MEMORYD_OWNER"]
    with Client(project=shown(served, first).project, owner=owner, paths=paths) as client:
        client.settle(first, second, "same")
        client.purge([first])
    assert not {file.name.partition(".")[0] for file in drafts.iterdir()} & {first, second}
    (drafts / f"{first}.12345678.md").write_text(texts[0], "utf-8")
    assert served.ok("purge", "--yes", first) == "0 memories destroyed\n"
    assert first not in {file.name.partition(".")[0] for file in drafts.iterdir()}


@pytest.mark.slow
def test_broken_front_matter_is_told_with_its_line_and_the_text_is_kept(served: Command) -> None:
    memory_id = served.ok("add", FACT).strip()
    for script, told in (
        ("s/^tags:.*/tags: [a, b/", "line"),
        ("s/^importance:.*/importance: nine/", "importance"),
        ("s/^title:/titel:/", "titel"),
        ("s/^id: .*/id: mem_another/", "mem_another"),
        ("s/eleven.*/AKIAQYLPMN5HFIQR7XYZ/; 1d", "line 1"),
    ):
        done = editing(served, script)("edit", memory_id)
        assert done.returncode == 1, script
        assert told in done.stderr
        assert kept(done.stderr)
    assert shown(served, memory_id).revision == 1


def test_an_editor_that_fails_or_is_missing_changes_nothing(served: Command) -> None:
    memory_id = served.ok("add", FACT).strip()
    for editor, told in (("false", "left with 1"), ("no-such-editor-here", "no editor")):
        done = served.with_environment(EDITOR=editor, VISUAL="")("edit", memory_id)
        assert done.returncode == 1
        assert told in done.stderr
    assert shown(served, memory_id).revision == 1


def test_an_update_changes_what_it_names_and_nothing_else(served: Command) -> None:
    memory_id = served.ok("add", FACT, "--tag", "build", "--importance", "5", "--file", "ci.yml").strip()
    arguments = ("--content", "-", "--tag", "ci", "--metadata", "host=a=b", "--pinned", "--trust", "0.9", "--json")
    after = msgspec.json.decode(
        served.ok("update", memory_id, *arguments, given=FACT.replace("eleven", "ten")), type=Memory
    )
    assert (after.content, after.tags, after.metadata) == (FACT.replace("eleven", "ten"), ("ci",), {"host": "a=b"})
    assert (after.pinned, after.trust, after.importance, after.files) == (True, 0.9, 5, ("ci.yml",))
    assert shown(served, memory_id) == after

    emptied = served("update", memory_id, "--tag", "", "--file", "", "--not-pinned")
    assert emptied.returncode == 0, emptied.stderr
    now = shown(served, memory_id)
    assert (now.tags, now.files, now.pinned) == ((), (), False)
    assert "nothing changed" in served("update", memory_id, "--trust", "0.9").stderr
    assert served("update", memory_id).returncode == 2
    refused = served("update", memory_id, "--title", "x", "--revision", "1")
    assert (refused.returncode, "changed meanwhile" in refused.stderr) == (1, True)


@pytest.mark.slow
def test_relations_are_made_removed_and_explained_with_where_a_memory_comes_from(served: Command) -> None:
    old = served.ok("add", "The parser is written in Lua.", "--session", "monday", "--speaker", "Ada").strip()
    new = served.ok("add", "Since March, what reads the grammar is written in Rust.", "--session", "friday").strip()
    third = served.ok("add", OTHER).strip()
    edges = msgspec.json.decode(
        served.ok("relate", new, third, "--relation", "contradicts", "--strength", "0.5", "--json"), type=list[Edge]
    )
    assert (new, third, "contradicts", 0.5) in [(e.from_id, e.to_id, e.relation, e.strength) for e in edges]
    served.ok("relate", new, old, "--relation", "supersedes")

    told = served.ok("why", old)
    for part in ("monday", "Ada", "superseded", "replaced by", new.removeprefix("mem_")[:8], "SUPERSEDE"):
        assert part in told
    assert "contradicting" in served.ok("why", new)
    assert "contradicted by" in served.ok("why", third)
    origin = msgspec.json.decode(served.ok("why", old, "--json"), type=Origin)
    assert origin.memory.superseded_by == new
    assert new in {one.id for one in origin.others}

    left = msgspec.json.decode(
        served.ok("unrelate", new, third, "--relation", "contradicts", "--json"), type=list[Edge]
    )
    assert "contradicts" not in {edge.relation for edge in left}
    assert served("why", old, "--turn", "1").returncode == 2


def test_where_a_memory_was_shown_is_part_of_why(served: Command) -> None:
    memory_id = served.ok("add", OTHER).strip()
    served.ok("push", "--session", "visit", "Where is the spare key of the boathouse?")
    while not json.loads(served.ok("why", "--session", "visit", "--json")):
        pass
    assert "visit" in served.ok("why", memory_id)


@pytest.mark.slow
def test_what_a_purge_would_take_out_of_conversations_is_shown_first(served: Command) -> None:
    told = "The lighthouse keeper keeps a blue parrot named Zephyrine."
    memory_id = json.loads(served.ok("add", told, "--json"))["id"]
    served.ok("session", "append", "--session", "parrots", "Good morning.", f"By the way: {told.lower()}")
    shown = served.ok("purge", memory_id, "--all-sessions", "--dry-run")
    assert "parrots 2" in shown
    assert "(says the same): By the way: the lighthouse keeper" in shown
    assert "1 entry of transcripts loses its words" in shown
    plan = json.loads(served.ok("purge", memory_id, "--all-sessions", "--dry-run", "--json"))
    assert [(one["session"], one["sequence"], one["reason"]) for one in plan["entries"]] == [("parrots", 2, "words")]
    asked = served("purge", memory_id, "--all-sessions")
    assert asked.returncode == 1
    assert "parrots 2" in asked.stderr
    assert told in served.ok("read", memory_id)
    assert "the words of 1 entry of 1 transcript" in served.ok("purge", memory_id, "--all-sessions", "--yes")
    assert "parrot" not in served.ok("session", "show", "parrots")


def test_a_purge_says_what_goes_and_asks_first(served: Command) -> None:
    memory_id = served.ok("add", OTHER).strip()
    done = served("purge", memory_id)
    assert done.returncode == 1
    assert OTHER in done.stderr
    assert "--yes" in done.stderr
    assert shown(served, memory_id).content == OTHER

    purged = json.loads(served.ok("purge", memory_id, "--yes", "--json"))
    assert purged["purged"] == [memory_id]
    assert served("show", memory_id).returncode == 1
    assert [(entry.event, entry.new) for entry in writes(served, memory_id)] == [("PURGE", ""), ("ADD", "")]


@pytest.mark.slow
def test_history_tells_operations_and_the_gate_and_is_exported_whole(served: Command) -> None:
    served.ok("add", "The deploy token is ghp_Zq8LrT4vWx2NcY6uKd9sBf3hJm5pAe7gQo1i, see <private>me</private>.")
    second = served.ok("add", OTHER).strip()
    served.ok("forget", second)
    table = served.ok("history")
    assert "redacted:github-token" in table
    assert "ghp_" not in table
    assert str(writes(served)[0].operation) in table.splitlines()[1]
    lines = served.ok("history", "--export").splitlines()
    assert [msgspec.json.decode(line, type=HistoryEntry) for line in lines] == writes(served, "--limit", "1000")


@pytest.mark.slow
def test_a_memory_with_a_time_to_live_says_until_when_it_lasts(served: Command) -> None:
    memory_id = served.ok("add", "The lift of the boathouse is out of order.", "--ttl", "7d").strip()
    until = shown(served, memory_id).expires_at
    assert until is not None
    for command in ("show", "why"):
        assert re.search(rf"^lasts until +{until:%Y-%m-%d %H:%M} UTC$", served.ok(command, memory_id), re.MULTILINE)
    assert f"{until:%Y-%m-%d}" in served.ok("list")
    served.ok("update", memory_id, "--ttl", "")
    assert shown(served, memory_id).expires_at is None
    assert served("add", "x y z", "--ttl", "soon").returncode == 2
