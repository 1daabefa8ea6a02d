"""What of ignored files a transcript does not hold."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd_actors.admission.project_files import ProjectFiles
from memoryd_actors.admission.withheld import read_files, without_files
from memoryd_client.wire.transcripts import Entry

SEEN = ProjectFiles(ignored={"notes.md": "which .gitignore leaves out"})
LEFT = "[left out: notes.md, which .gitignore leaves out]"


@pytest.mark.parametrize(
    ("kind", "text", "kept"),
    [
        ("message", "cat notes.md\nsecret\n\nAnd now?", f"cat notes.md\n{LEFT}\n\nAnd now?"),
        ("tool_result", "cat notes.md\nsecret\n\nsecret", f"cat notes.md\n{LEFT}"),
        ("message", "```notes.md\nsecret\n\nsecret\n```\nAnd now?", f"```notes.md\n{LEFT}\nAnd now?"),
        ("message", "notes.md:\n```\nsecret\n\nsecret\n```\nAnd now?", f"notes.md:\n{LEFT}\nAnd now?"),
        (
            "tool_result",
            "==> notes.md <==\nsecret\n==> a.md <==\nopen",
            f"==> notes.md <==\n{LEFT}\n==> a.md <==\nopen",
        ),
        ("message", "I read notes.md and a.md.\nNow what?", "I read notes.md and a.md.\nNow what?"),
        ("tool_result", "cat a.md\nopen", "cat a.md\nopen"),
        ("tool_result", "$ cat .env\nA=secret", "$ cat .env\n[left out: .env, which is an environment file]"),
    ],
)
def test_what_follows_the_name_of_a_file_that_is_not_kept_goes(kind: str, text: str, kept: str) -> None:
    assert without_files(text, kind, SEEN) == kept


@given(st.lists(st.sampled_from(["cat notes.md", "```", "secret", "", "notes.md:", "```notes.md", "a.md:"])))
def test_no_line_that_directly_follows_such_a_name_is_kept_of_a_result(lines: list[str]) -> None:
    kept = without_files("\n".join(lines), "tool_result", SEEN).splitlines()
    for before, after in pairwise(kept):
        if before in {"cat notes.md", "notes.md:", "```notes.md"}:
            assert after == LEFT


@pytest.mark.parametrize(
    ("arguments", "files"),
    [
        ('{"command": "head -n 5 notes.md | sort > out.txt"}', ("5", "notes.md", "out.txt")),
        ('{"file_path": "notes.md", "content": "secret"}', ("notes.md",)),
        ('{"command": "ls -la && cd notes"}', ()),
        ('{"path": 3}', ()),
        ("no JSON: cat notes.md", ()),
    ],
)
def test_a_call_names_the_files_that_it_reads_or_writes(arguments: str, files: tuple[str, ...]) -> None:
    assert read_files(Entry(kind="tool_call", content=arguments)) == files
