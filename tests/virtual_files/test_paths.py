"""What a virtual path may be, and what edits and patterns find."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd_actors.core.errors import Refused
from memoryd_actors.memory.paths import compiled, matching, plain, replaced


@pytest.mark.parametrize(
    ("given_", "expected"), [("a/b.md", "a/b.md"), ("/a//b.md/", "a/b.md"), (" Notizen/Müll.md", "Notizen/Müll.md")]
)
def test_a_path_is_relative_and_has_no_empty_parts(given_: str, expected: str) -> None:
    assert plain(given_) == expected


@pytest.mark.parametrize(
    "path", ["", "/", "../a", "a/../b", ".hidden", "a/ /b", 'a"b', "a\nb", "a\\b", "x" * 600, "a/%"]
)
def test_what_is_none_is_refused(path: str) -> None:
    with pytest.raises(Refused):
        plain(path)


@given(path=st.text(max_size=60))
def test_a_path_that_is_one_stays_as_it_is(path: str) -> None:
    try:
        once = plain(path)
    except Refused:
        return
    assert plain(once) == once
    assert ".." not in once.split("/")
    assert not once.startswith("/")


def test_an_edit_needs_its_passage_exactly_once() -> None:
    assert replaced("on Monday, at 5", "Monday", "Friday", "p") == "on Friday, at 5"
    for old in ("", "Sunday", "n"):
        with pytest.raises(Refused):
            replaced("on Monday, on", old, "x", "p")


def test_a_pattern_finds_lines_in_whatever_case_up_to_the_limit() -> None:
    files = [("a", "Host Alpha\nnothing\nhost beta"), ("b", "HOST gamma")]
    found = matching(r"host (alpha|beta|gamma)", files, 2)
    assert [(one.path, one.line, one.text) for one in found] == [("a", 1, "Host Alpha"), ("a", 3, "host beta")]
    with pytest.raises(Refused):
        compiled("(")
