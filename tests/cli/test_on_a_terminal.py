"""`edit` and `import` where a person sits: on a real terminal, with its line editing, its prompts and its bar."""

import os
import pty
import select
import subprocess
import time
from pathlib import Path

import msgspec

from memoryd_client.wire.memory import Memory

from .memoryd_command import MEMORYD, Command

FACT = "The nightly build of the parser takes eleven minutes."
PATIENCE_S = 60.0


def at_terminal(memoryd: Command, *arguments: str, answers: dict[str, str] | None = None, **environment: str) -> str:
    """Run the command on a terminal of its own, answer what it asks, and return all that was to be seen there."""
    waiting = dict(answers or {})
    ours, theirs = pty.openpty()
    seen = ""
    with subprocess.Popen(
        [MEMORYD, *arguments],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**memoryd.environment, "TERM": "xterm", "COLUMNS": "100", **environment},
        cwd=memoryd.home,
        start_new_session=True,
    ) as running:
        os.close(theirs)
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            if not select.select([ours], [], [], 1.0)[0]:
                continue
            try:
                read = os.read(ours, 65_536)
            except OSError:  # the other side is closed: how a terminal says that it is over
                break
            seen += read.decode("utf-8", "replace")
            for question in [one for one in waiting if one in seen]:
                os.write(ours, waiting.pop(question).encode() + b"\n")
        else:
            running.kill()
    os.close(ours)
    assert not waiting, seen
    return seen


def shown(memoryd: Command, memory_id: str) -> Memory:
    return msgspec.json.decode(memoryd.ok("show", memory_id, "--json"), type=Memory)


def editor(folder: Path, script: str) -> str:
    """Return the path of an editor that does what the shell script says to the file `$1`."""
    file = folder / "editor.sh"
    file.write_text(f"#!/bin/sh\n[ -t 0 ] && [ -t 1 ] || exit 9\n{script}\n", encoding="utf-8")
    file.chmod(0o700)
    return str(file)


def test_a_text_that_cannot_be_read_is_edited_again_and_nothing_of_it_is_lost(served: Command) -> None:
    memory_id = served.ok("add", FACT).strip()
    # First it breaks the front matter and changes the text; the second time it only mends the front matter.
    script = """
if grep -q eleven "$1"; then sed -i 's/^importance:.*/importance: nine/; s/eleven/twelve/' "$1"
else sed -i 's/^importance:.*/importance: 4/' "$1"; fi"""
    seen = at_terminal(
        served,
        "edit",
        memory_id,
        answers={"Edit it again?": "y"},
        EDITOR=editor(served.home, script),
        VISUAL="",
    )
    after = shown(served, memory_id)
    assert (after.content, after.importance) == (FACT.replace("eleven", "twelve"), 4), seen
    assert "now at revision 2" in seen


def test_an_editor_that_fails_changes_nothing_and_what_was_written_is_kept(served: Command) -> None:
    memory_id = served.ok("add", FACT).strip()
    script = "sed -i 's/eleven/twelve/' \"$1\"; exit 3"
    seen = " ".join(at_terminal(served, "edit", memory_id, EDITOR=editor(served.home, script), VISUAL="").split())
    assert "left with 3" in seen
    assert shown(served, memory_id).content == FACT
    kept = Path("".join(seen.partition("kept in ")[2].split(".md")[0].split()) + ".md")
    assert "twelve" in kept.read_text(encoding="utf-8")


def test_an_import_shows_how_far_it_is(served: Command) -> None:
    file = served.home / "many.jsonl"
    lines = [
        msgspec.json.encode({"id": f"mem_{n:020d}", "content": f"Note {n} of the harbour.", "scope": "global"})
        for n in range(50)
    ]
    file.write_bytes(b"\n".join(lines) + b"\n")
    seen = at_terminal(served, "import", str(file))
    assert "100%" in seen, seen
    assert len(msgspec.json.decode(served.ok("list", "-n", "100", "--json"))) == 50


def test_a_narrow_line_of_a_list_shows_the_text_before_all_else(served: Command) -> None:
    memory_id = served.ok("add", FACT).strip()
    for command in ("list", "search eleven minutes"):
        seen = at_terminal(served, *command.split(), COLUMNS="40").splitlines()
        assert memory_id.removeprefix("mem_")[:8] in seen[1]
        assert FACT[:15] in seen[1]
        assert seen[1].endswith("…")
        assert len(seen[1]) == 40
