"""What a project says about its files, beside what git itself says."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memoryd.project_files import LARGEST_BYTES, ProjectFolders
from memoryd_actors.admission.ignore_rules import parse, verdict
from memoryd_actors.redaction.rules import Variable

GIT = shutil.which("git") or ""
needs_git = pytest.mark.skipif(not GIT, reason="git is not installed")


def git(folder: Path, *arguments: str, given: str = "") -> str:
    environment = {"HOME": str(folder), "PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(
        [GIT, *arguments], cwd=folder, env=environment, input=given, capture_output=True, text=True, check=False
    )
    assert done.returncode in {0, 1}, done.stderr
    return done.stdout


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


def put(project: Path, **files: str) -> None:
    for name, text in files.items():
        path = project / name.replace("__", "/").replace("DOT", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def ignored(project: Path, *paths: str) -> set[str]:
    return set(ProjectFolders().look_now(str(project), list(paths)).ignored)


names = st.text("ab.", min_size=1, max_size=3).filter(lambda name: name.strip("."))
globs = st.text("ab.*?", min_size=1, max_size=4).filter(lambda name: name.strip(".")) | st.sampled_from(
    ["**", "[ab]", "[!a]", "[^b]*", "\\*", "*.a", "a**b"]
)


def _pattern(negated: str, rooted: str, parts: list[str], folder: str) -> str:
    return negated + rooted + "/".join(parts) + folder


patterns = st.builds(
    _pattern,
    st.sampled_from(["", "", "!"]),
    st.sampled_from(["", "/"]),
    st.lists(globs, min_size=1, max_size=3),
    st.sampled_from(["", "", "/"]),
)


@needs_git
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(
    st.lists(patterns, max_size=6),
    st.lists(patterns, max_size=3),
    st.lists(st.lists(names, min_size=1, max_size=3).map("/".join), min_size=1, max_size=8, unique=True),
)
def test_gitignore_means_what_git_says_it_means(
    tmp_path: Path, root: list[str], nested: list[str], paths: list[str]
) -> None:
    project = tmp_path / "repo"
    if not project.exists():
        project.mkdir()
        git(project, "init", "-q")
        (project / "a").mkdir()
    (project / ".gitignore").write_text("\n".join(root), encoding="utf-8")
    (project / "a" / ".gitignore").write_text("\n".join(nested), encoding="utf-8")
    said = git(project, "check-ignore", "--no-index", "--stdin", "-z", given="\0".join(paths))
    assert ignored(project, *paths) == {path for path in said.split("\0") if path}


def test_ignore_files_at_every_level_count_and_the_nearest_wins(project: Path) -> None:
    put(project, DOTgitignore="*.log\nbuild/\n", api__DOTgitignore="!keep.log\n", DOTsecretsignore="notes/\n*.pem\n")
    put(project, DOTgit__info__exclude="mine.txt\n")
    kept = ("api/keep.log", "src/a.py", "notes.md")
    out = {"x.log", "api/x.log", "build/a/b.txt", "notes/diary.md", "k/tls.pem", "mine.txt"}
    assert ignored(project, *kept, *out) == out
    reasons = ProjectFolders().look_now(str(project), ["x.log", "notes/diary.md"]).ignored
    assert reasons == {"x.log": "which .gitignore leaves out", "notes/diary.md": "which .secretsignore leaves out"}


def test_a_path_may_be_absolute_and_one_elsewhere_is_not_judged(project: Path) -> None:
    put(project, DOTgitignore="*.log\n")
    inside, outside = str(project / "x.log"), str(project.parent / "x.log")
    assert ignored(project, inside, outside, "../x.log", "a/../x.log", "", ".", "a\0b.log") == {inside, "a/../x.log"}


def test_a_changed_ignore_file_is_read_again(project: Path) -> None:
    folders = ProjectFolders()
    assert folders.look_now(str(project), ["a.txt"]).ignored == {}
    put(project, DOTgitignore="b.txt\n")
    assert folders.look_now(str(project), ["a.txt"]).ignored == {}
    put(project, DOTgitignore="b.txt\na.txt\n")
    assert set(folders.look_now(str(project), ["a.txt"]).ignored) == {"a.txt"}
    (project / ".gitignore").unlink()
    assert folders.look_now(str(project), ["a.txt"]).ignored == {}


def test_the_variables_of_environment_files_are_found_those_beside_the_named_files_first(project: Path) -> None:
    put(
        project,
        DOTenv="# a comment\nexport A=one two # why\nB='it # stays'\nC: \"x\"\n\nnot a line\nD=\n",
        DOTenvDOTexample="E=placeholder\n",
        api__DOTenvDOTlocal="F=far\n",
        other__DOTenv="G=elsewhere\n",
    )
    seen = ProjectFolders().look_now(str(project), ["api/main.py"]).environment
    assert seen == (
        Variable("A", "one two"),
        Variable("B", "it # stays"),
        Variable("C", "x"),
        Variable("F", "far"),
        Variable("G", "elsewhere"),
    )
    assert [found.value for found in seen] == ["one two", "it # stays", "x", "far", "elsewhere"]


@pytest.mark.parametrize("project_path", ["", "relative", "/nonexistent/project", "/dev/null"])
def test_a_project_that_is_no_folder_says_nothing(project_path: str) -> None:
    seen = ProjectFolders().look_now(project_path, ["a.txt"])
    assert seen.ignored == {}
    assert seen.environment == ()


def test_a_pipe_or_a_huge_file_in_the_place_of_an_ignore_file_stops_nothing(project: Path) -> None:
    os.mkfifo(project / ".gitignore")
    put(project, DOTsecretsignore="a.txt\n" + "#" * LARGEST_BYTES + "\nb.txt\n")
    assert ignored(project, "a.txt", "b.txt") == {"a.txt"}


@pytest.mark.anyio
async def test_looking_happens_in_a_worker_thread(project: Path) -> None:
    put(project, DOTgitignore="*.log\n")
    seen = await ProjectFolders().look(str(project), ["x.log"])
    assert set(seen.ignored) == {"x.log"}


def test_hostile_patterns_are_matched_without_backtracking() -> None:
    rules = parse("\n".join(["*a" * 200 + "b", "**/" * 100 + "b", "[" * 200, "a" * 501, "*?" * 200]))
    assert len(rules) == 4
    assert verdict(rules, ("a" * 5_000,) * 50, is_folder=False) in {True, None}


@given(st.text(max_size=200), st.lists(st.text(min_size=1, max_size=10), min_size=1, max_size=4))
def test_any_text_is_read_as_rules(text: str, path: list[str]) -> None:
    assert verdict(parse(text), tuple(path), is_folder=True) in {True, False, None}
