"""What programs keep of conversations is read as what a person and an agent said, in small files of each format."""

from pathlib import Path

import pytest

from host_histories import WRITERS
from memoryd_cli.histories.programs import PROGRAMS


def test_every_program_is_tried() -> None:
    assert WRITERS.keys() == PROGRAMS.keys()


@pytest.mark.parametrize("program", WRITERS)
def test_only_what_was_said_is_read(program: str, tmp_path: Path) -> None:
    WRITERS[program](tmp_path)
    (file,) = PROGRAMS[program].files(tmp_path)
    (history,) = PROGRAMS[program].read(file)
    assert [(one.role, one.text) for one in history.said] == [
        ("user", "hello"),
        ("assistant", "hi"),
        ("user", "why is it red?"),
    ]
    assert {one.at.isoformat() for one in history.said if one.at} == {"2026-03-01T12:00:00+00:00"}
    assert len({one.id for one in history.said}) == 3
    assert history.project == ("" if program == "jsonl" else "/projects/app")


def test_no_folder_is_no_conversation(tmp_path: Path) -> None:
    assert [program.files(tmp_path) for program in PROGRAMS.values()] == [[]] * len(PROGRAMS)
