"""What programs keep of conversations is read as what a person and an agent said, in small files of each format."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from host_histories import WRITERS, claude_line, write
from memoryd.model.command import as_text
from memoryd_actors.model.question import Prompt
from memoryd_cli.histories.programs import PROGRAMS
from memoryd_cli.histories.spoken import spoken


def test_every_program_is_tried() -> None:
    assert WRITERS.keys() == PROGRAMS.keys()


@pytest.mark.parametrize("program", WRITERS)
def test_only_what_was_said_is_read(program: str, tmp_path: Path) -> None:
    WRITERS[program](tmp_path)
    (history,) = (history for file in PROGRAMS[program].files(tmp_path) for history in PROGRAMS[program].read(file))
    assert history.session == ("channel_user" if program == "jsonl" else "s1")
    assert [(one.role, one.text) for one in history.said] == [
        ("user", "hello"),
        ("assistant", "hi"),
        ("user", "why is it red?"),
    ]
    assert {one.at.isoformat() for one in history.said if one.at} == {"2026-03-01T12:00:00+00:00"}
    assert len({one.id for one in history.said}) == 3
    assert history.project == ("" if program == "jsonl" else "/projects/app")


@pytest.mark.parametrize("program", WRITERS)
def test_what_memoryd_asked_its_model_is_no_conversation(program: str, tmp_path: Path) -> None:
    asked = as_text(Prompt("You choose.", '{"message": "why is it red?"}', {"type": "object"}, 100)) + "\n\nAnswer now."
    WRITERS[program](tmp_path)
    for file in PROGRAMS[program].files(tmp_path):
        if file.suffix == ".db":
            with closing(sqlite3.connect(file)) as database, database:
                database.execute("UPDATE part SET data = replace(data, '\"hello\"', ?)", (json.dumps(asked),))
        else:
            file.write_text(file.read_text(encoding="utf-8").replace('"hello"', json.dumps(asked)), encoding="utf-8")
        assert "You choose." in file.read_bytes().decode("utf-8", "replace") or "s2" in file.name
    assert not [one for file in PROGRAMS[program].files(tmp_path) for one in PROGRAMS[program].read(file)]


def test_files_come_in_the_order_of_what_was_said_in_them(tmp_path: Path) -> None:
    for name, month in (("later", "03"), ("earlier", "01")):
        line = claude_line("user", "hello", timestamp=f"2026-{month}-01T12:00:00Z")
        write(tmp_path / ".claude/projects/x" / f"{name}.jsonl", [{"type": "summary"}, line])
    assert [file.stem for file in PROGRAMS["claude-code"].files(tmp_path)] == ["earlier", "later"]


@pytest.mark.parametrize("text", ["/tmp is full, what now?", "/tmp full", "/login is broken since yesterday"])
def test_what_begins_with_a_path_is_no_command(text: str) -> None:
    assert [one.text for one in spoken("1", "user", text, None)] == [text]


def test_a_project_of_gemini_is_found_in_its_list_where_its_folder_does_not_say(tmp_path: Path) -> None:
    WRITERS["gemini"](tmp_path)
    (tmp_path / ".gemini/tmp/app/.project_root").unlink()
    read = PROGRAMS["gemini"].read
    file = tmp_path / ".gemini/tmp/app/chats/session-1-s1.jsonl"
    assert [one.project for one in read(file)] == [""]
    (tmp_path / ".gemini/projects.json").write_text('{"projects": {"/projects/app": "app"}}', encoding="utf-8")
    assert [one.project for one in read(file)] == ["/projects/app"]


def test_no_folder_is_no_conversation(tmp_path: Path) -> None:
    assert [program.files(tmp_path) for program in PROGRAMS.values()] == [[]] * len(PROGRAMS)
