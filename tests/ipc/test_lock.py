"""One daemon per home."""

import os
import stat
import subprocess
import sys

import pytest

from holding import held_by_another
from memoryd.lock import Holder, HomeLocked, hold_home, holder
from memoryd.private_folder import FolderUnsafe
from memoryd_client.base.paths import Paths


def test_a_home_has_one_holder_and_the_second_learns_which(paths: Paths) -> None:
    with held_by_another(paths) as process:
        with pytest.raises(HomeLocked, match=f"process {process.pid} since 20.*{paths.home}/run") as locked:
            hold_home(paths, version="1").__enter__()
        assert "MEMORYD_HOME" in locked.value.hint
        held = holder(paths)
        assert held is not None
        assert (held.pid, held.version, held.runtime) == (process.pid, "9.9", str(paths.home / "run"))


def test_the_kernel_lets_go_when_the_holder_is_killed(paths: Paths) -> None:
    with held_by_another(paths) as process:
        process.kill()
        process.wait()
        assert paths.lock.read_text() != ""
        assert holder(paths) is None
        with hold_home(paths, version="1") as mine:
            assert mine.pid == os.getpid()


def test_a_home_that_is_let_go_can_be_held_again(paths: Paths) -> None:
    for _ in range(2):
        with hold_home(paths, version="1"):
            held = holder(paths)
            assert held is not None
            assert held.pid == os.getpid()
        assert holder(paths) is None


def test_a_home_without_a_lock_file_has_no_holder(paths: Paths) -> None:
    assert holder(paths) is None


@pytest.mark.parametrize("text", ["", "not JSON", "[]", '{"pid": "12"}', '{"pid": 0}', '{"pid": -1}', '"\\ud800"'])
def test_a_lock_held_under_an_unreadable_file_is_still_held_by_no_known_process(paths: Paths, text: str) -> None:
    with hold_home(paths, version="1"):
        paths.lock.write_text(text)
        assert holder(paths) == Holder(pid=None)
        with pytest.raises(HomeLocked, match="does not say"):
            hold_home(paths, version="1").__enter__()


def test_a_longer_text_from_before_leaves_no_trace(paths: Paths) -> None:
    paths.home.mkdir(parents=True)
    paths.lock.write_text("x" * 10_000)
    with hold_home(paths, version="1"):
        held = holder(paths)
        assert held is not None
        assert held.pid == os.getpid()


def test_the_home_is_made_for_its_owner_alone_and_mended(paths: Paths) -> None:
    with hold_home(paths, version="1"):
        assert stat.S_IMODE(paths.home.stat().st_mode) == 0o700
        assert stat.S_IMODE(paths.lock.stat().st_mode) == 0o600
    paths.home.chmod(0o755)
    with hold_home(paths, version="1"):
        assert stat.S_IMODE(paths.home.stat().st_mode) == 0o700


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_home_of_somebody_else_is_refused(paths: Paths) -> None:
    paths.home.mkdir(parents=True)
    os.chown(paths.home, 12345, 12345)
    with pytest.raises(FolderUnsafe, match="12345"):
        hold_home(paths, version="1").__enter__()
    assert not paths.lock.exists()


def test_a_program_that_the_daemon_starts_does_not_hold_the_lock(paths: Paths) -> None:
    with hold_home(paths, version="1"):
        child = subprocess.Popen(
            [sys.executable, "-c", "input(1)"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, close_fds=False
        )
    try:
        # The parent goes on a moment before the kernel has closed what is not to be inherited.
        assert child.stdout is not None
        assert child.stdout.read(1) == b"1"
        assert holder(paths) is None
    finally:
        child.communicate(b"\n")
