"""Which project a path belongs to; the repositories are real ones, made by git."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memoryd_client.project import named_or_root, project_root

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def git(folder: Path, *arguments: str) -> None:
    settled = ["-c", "user.name=t", "-c", "user.email=t@t", "-c", "protocol.file.allow=always"]
    subprocess.run(
        ["git", *settled, *arguments],
        cwd=folder,
        check=True,
        capture_output=True,
        env=os.environ | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"},
    )


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "main"
    folder.mkdir()
    git(folder, "init", "-q")
    git(folder, "commit", "-q", "--allow-empty", "-m", "x")
    return folder


def test_no_path_is_no_project() -> None:
    assert project_root(None) == ""
    assert project_root("") == ""


def test_a_path_outside_any_repository_is_its_own_root(tmp_path: Path) -> None:
    assert project_root(tmp_path / "a" / ".." / "b") == str(tmp_path / "b")


def test_a_file_belongs_to_its_folder(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").touch()
    assert project_root(tmp_path / "notes.txt") == str(tmp_path)


def test_links_are_followed(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    assert project_root(tmp_path / "link") == str(tmp_path / "real")


def test_a_loop_of_links_is_a_root_like_any_other(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    assert project_root(tmp_path / "a").startswith(str(tmp_path))


@needs_git
def test_every_folder_of_a_repository_is_the_repository(repository: Path) -> None:
    deep = repository / "src" / "deep"
    deep.mkdir(parents=True)
    assert project_root(deep) == project_root(str(repository)) == str(repository)


@needs_git
def test_worktrees_share_the_project_of_their_repository(repository: Path, tmp_path: Path) -> None:
    git(repository, "worktree", "add", "-q", str(tmp_path / "tree"))
    (tmp_path / "tree" / "src").mkdir()
    assert project_root(tmp_path / "tree" / "src") == str(repository)


@needs_git
def test_worktrees_of_a_bare_repository_share_it(repository: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--bare", str(repository), "bare.git")
    for name in ("one", "two"):
        git(tmp_path / "bare.git", "worktree", "add", "-q", "-b", name, str(tmp_path / name))
    assert project_root(tmp_path / "one") == project_root(tmp_path / "two") == str(tmp_path / "bare.git")


@needs_git
def test_a_submodule_is_a_project_of_its_own_with_its_worktrees(repository: Path, tmp_path: Path) -> None:
    outer = tmp_path / "outer"
    outer.mkdir()
    git(outer, "init", "-q")
    git(outer, "submodule", "--quiet", "add", str(repository), "sub")
    assert project_root(outer / "sub") == str(outer / "sub")
    assert project_root(outer) == str(outer)
    git(outer / "sub", "worktree", "add", "-q", str(tmp_path / "subtree"))
    assert project_root(tmp_path / "subtree") == str(outer / "sub")


@needs_git
def test_a_worktree_whose_repository_was_deleted_is_its_own_root(repository: Path, tmp_path: Path) -> None:
    git(repository, "worktree", "add", "-q", str(tmp_path / "tree"))
    shutil.rmtree(repository)
    assert project_root(tmp_path / "tree") == str(tmp_path / "tree")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=50)
@given(content=st.binary(max_size=300) | st.binary(max_size=100).map(lambda rest: b"gitdir: " + rest))
def test_a_malformed_git_file_marks_a_root(tmp_path: Path, content: bytes) -> None:
    folder = tmp_path / "odd"
    folder.mkdir(exist_ok=True)
    (folder / ".git").write_bytes(content)
    assert project_root(folder) == str(folder)


@pytest.mark.parametrize("common", [b"", b"\0", b"nowhere", b"../../elsewhere\n", b"x" * 100_000])
def test_a_malformed_commondir_marks_a_root(tmp_path: Path, common: bytes) -> None:
    (tmp_path / "git").mkdir()
    (tmp_path / "git" / "commondir").write_bytes(common)
    (tmp_path / ".git").write_text("gitdir: git\n")
    assert project_root(tmp_path) == str(tmp_path)


def test_a_folder_that_cannot_be_entered_is_passed_over(tmp_path: Path) -> None:
    assert project_root(tmp_path / ("x" * 5000)) == str(tmp_path / ("x" * 5000))


def test_a_project_may_be_named_as_users_do_where_no_folder_is_called_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ferry").mkdir()
    monkeypatch.chdir(tmp_path)
    assert named_or_root("hdrpop") == "hdrpop"
    assert named_or_root("ferry") == str(tmp_path / "ferry")
    assert named_or_root("./hdrpop") == str(tmp_path / "hdrpop")
    assert named_or_root("") == ""
    assert named_or_root("x" * 5_000) == "x" * 5_000  # longer than any file's name
