"""Starting the daemon of one home, whatever its processes and its neighbours are doing."""

import os
import shutil
import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import pytest

from holding import held_by_another
from memoryd_cli.base import launch
from memoryd_client.base.paths import Paths


@contextmanager
def scratch() -> Generator[Path]:
    """Make a folder with a path short enough for sockets."""
    folder = Path(tempfile.mkdtemp(prefix="ml-", dir="/tmp"))
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def home() -> Iterator[Path]:
    with scratch() as folder:
        yield folder


def environment(home: Path, **more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MEMORYD_", "ANTHROPIC_"))}
    own = {"MEMORYD_HOME": str(home), "MEMORYD_PRIVACY_OFFLINE": "true"}
    # No weights to convert: a start does not wait for the model, but a stop waits for its conversion.
    return {**kept, **own, "MEMORYD_EMBEDDING_MODEL": "nobody/nothing", **more}


@pytest.fixture
def other_home() -> Iterator[Path]:
    """A home with a daemon of its own."""
    with scratch() as folder:
        paths = Paths.from_environment(environment(folder))
        launch.start(paths, environ=environment(folder))
        yield folder
        launch.stop(paths)


def test_a_start_while_the_old_daemon_is_stopping_starts_the_next_one_once_it_is_gone(home: Path) -> None:
    env = environment(home)
    paths = Paths.from_environment(env)
    started: list[launch.Launched] = []
    with held_by_another(paths) as old:
        starting = Thread(target=lambda: started.append(launch.start(paths, environ=env, timeout_s=50)))
        starting.start()
        starting.join(0.5)
        assert starting.is_alive(), "it did not wait for the old one"
        assert launch.holder_pid(paths) == old.pid
        old.kill()
        starting.join()
    (launched,) = started
    assert launched.fresh
    assert launched.pid == launch.holder_pid(paths) != old.pid
    assert launch.stop(paths) == launched.pid


def test_a_start_at_the_sockets_of_another_home_is_refused_and_says_whose_they_are(
    home: Path, other_home: Path
) -> None:
    env = environment(home, MEMORYD_RUNTIME_DIR=str(other_home / "run"))
    paths = Paths.from_environment(env)
    with pytest.raises(launch.LaunchFailed) as failed:
        launch.start(paths, environ=env, timeout_s=20)
    assert str(other_home) in str(failed.value)
    assert str(home) in str(failed.value)
    assert "MEMORYD_RUNTIME_DIR" in failed.value.hint
    assert launch.holder_pid(paths) is None


def test_a_home_held_by_a_process_that_serves_elsewhere_is_not_taken_for_the_one_that_answers(
    home: Path, other_home: Path
) -> None:
    env = environment(home, MEMORYD_RUNTIME_DIR=str(other_home / "run"))
    paths = Paths.from_environment(env)
    with held_by_another(paths), pytest.raises(launch.LaunchFailed, match="serves"):
        launch.start(paths, environ=env, timeout_s=20)


def test_a_failed_start_tells_what_it_logged_itself_and_nothing_from_before(home: Path) -> None:
    env = environment(home)
    paths = Paths.from_environment(env)
    paths.log.write_text("an old line\n" * 3, encoding="utf-8")
    paths.config.write_text("[recall]\nnonsense = 1\n", encoding="utf-8")
    with pytest.raises(launch.LaunchFailed) as failed:
        launch.start(paths, environ=env, timeout_s=20)
    assert "nonsense" in failed.value.last_lines
    assert "old" not in failed.value.last_lines


def test_the_end_of_a_log_that_was_rotated_meanwhile_is_told_from_its_beginning(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("new\n", encoding="utf-8")
    assert launch.tail(log, since=4000) == "new"
    assert launch.tail(log, since=4) == ""
    assert launch.tail(log, since=0) == "new"
    assert launch.tail(tmp_path / "none") == ""


def test_a_daemon_with_its_sockets_elsewhere_is_named_at_once(other_home: Path) -> None:
    elsewhere = Paths.from_environment(environment(other_home, MEMORYD_RUNTIME_DIR=str(other_home / "elsewhere")))
    with pytest.raises(launch.LaunchFailed, match=f"with its sockets in {other_home / 'run'}") as failed:
        launch.start(elsewhere, timeout_s=30)
    assert f"MEMORYD_RUNTIME_DIR={other_home / 'run'}" in failed.value.hint
