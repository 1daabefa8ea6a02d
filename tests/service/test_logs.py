import logging
import os
import threading
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import TextIO

import pytest

from memoryd.logs import MAX_BYTES, logging_to, writes_to_journal
from memoryd_client.base.paths import Paths

OURS = logging.getLogger("memoryd.example")
THEIRS = logging.getLogger("some_library")


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    return Paths.from_environment({"MEMORYD_HOME": str(tmp_path / "home")})


@pytest.fixture
def piped(tmp_path: Path) -> Iterator[TextIO]:
    with (tmp_path / "stderr").open("w+", encoding="utf-8") as stream:
        yield stream


def journal_stream(stream: TextIO) -> dict[str, str]:
    status = os.fstat(stream.fileno())
    return {"JOURNAL_STREAM": f"{status.st_dev}:{status.st_ino}"}


def test_without_systemd_lines_go_to_a_file_for_its_owner_alone(paths: Paths, piped: TextIO) -> None:
    with logging_to(paths, "info", stream=piped, environ={}):
        OURS.info("opened %d memories", 3)
    assert paths.log.read_text(encoding="utf-8").endswith("INFO memoryd.example: opened 3 memories\n")
    assert paths.log.stat().st_mode & 0o777 == 0o600
    piped.seek(0)
    assert piped.read() == ""


def test_a_log_that_others_can_read_is_closed_to_them(paths: Paths, piped: TextIO) -> None:
    paths.home.mkdir()
    paths.log.touch()
    paths.log.chmod(0o644)
    with logging_to(paths, "info", stream=piped, environ={}):
        pass
    assert paths.log.stat().st_mode & 0o777 == 0o600


def test_under_systemd_every_line_carries_its_priority(paths: Paths, piped: TextIO) -> None:
    with logging_to(paths, "debug", stream=piped, environ=journal_stream(piped)):
        OURS.debug("one")
        OURS.info("two")
        OURS.warning("three\nand more")
        try:
            raise ValueError("four")
        except ValueError:
            OURS.exception("failed")
    piped.seek(0)
    lines = piped.read().splitlines()
    assert lines[:4] == [
        "<7>memoryd.example: one",
        "<6>memoryd.example: two",
        "<4>memoryd.example: three",
        "<4>and more",
    ]
    assert lines[4] == "<3>memoryd.example: failed"
    assert lines[-1] == "<3>ValueError: four"
    assert all(line.startswith("<3>") for line in lines[4:])
    assert not paths.log.exists()


def test_a_stream_that_was_redirected_since_is_not_taken_for_the_journal(piped: TextIO) -> None:
    assert writes_to_journal(piped, journal_stream(piped))
    assert not writes_to_journal(piped, {"JOURNAL_STREAM": "1:2"})
    assert not writes_to_journal(piped, {})
    assert not writes_to_journal(StringIO(), journal_stream(piped))


def test_libraries_are_heard_from_warning_upwards_even_at_level_debug(paths: Paths, piped: TextIO) -> None:
    with logging_to(paths, "debug", stream=piped, environ={}):
        OURS.debug("ours")
        THEIRS.info("a request with all its content")
        THEIRS.warning("theirs")
    text = paths.log.read_text(encoding="utf-8")
    assert "ours" in text
    assert "theirs" in text
    assert "content" not in text


def test_below_the_level_nothing_is_written(paths: Paths, piped: TextIO) -> None:
    with logging_to(paths, "warning", stream=piped, environ={}):
        OURS.info("quiet")
        OURS.warning("loud")
    text = paths.log.read_text(encoding="utf-8")
    assert "quiet" not in text
    assert "loud" in text


def test_the_log_rotates_and_keeps_three_private_files(paths: Paths, piped: TextIO) -> None:
    line = "x" * (MAX_BYTES // 4)
    with logging_to(paths, "info", stream=piped, environ={}):
        for _ in range(20):
            OURS.info(line)
    files = sorted(paths.home.glob("memoryd.log*"))
    assert [file.name for file in files] == ["memoryd.log", "memoryd.log.1", "memoryd.log.2"]
    assert all(file.stat().st_size <= MAX_BYTES and file.stat().st_mode & 0o777 == 0o600 for file in files)


class StalledStream(StringIO):
    """A journal that does not read until it is let go; it has a file's number, like standard error."""

    def __init__(self, file: TextIO) -> None:
        super().__init__()
        self._file = file
        self.reached, self.go = threading.Event(), threading.Event()

    def fileno(self) -> int:
        return self._file.fileno()

    def write(self, text: str, /) -> int:
        self.reached.set()
        self.go.wait()
        return super().write(text)


def test_a_stalled_sink_holds_nobody_up_and_what_was_dropped_is_told(paths: Paths, piped: TextIO) -> None:
    stream = StalledStream(piped)
    with logging_to(paths, "info", stream=stream, environ=journal_stream(piped), queued=2) as front:
        OURS.info("being written")
        assert stream.reached.wait(10)
        for number in range(5):
            OURS.info("waiting %d", number)
        assert front.dropped == 3
        stream.go.set()
        front.records.join()
        OURS.info("again")
    assert stream.getvalue().splitlines() == [
        "<6>memoryd.example: being written",
        "<6>memoryd.example: waiting 0",
        "<6>memoryd.example: waiting 1",
        "<4>memoryd.logs: 3 log records were dropped: they could not be written fast enough",
        "<6>memoryd.example: again",
    ]


def test_leaving_restores_the_loggers(paths: Paths, piped: TextIO) -> None:
    root = logging.getLogger()
    before = (list(root.handlers), root.level, logging.getLogger("memoryd").level)
    with logging_to(paths, "debug", stream=piped, environ={}):
        assert list(root.handlers) != before[0]
    assert (list(root.handlers), root.level, logging.getLogger("memoryd").level) == before
