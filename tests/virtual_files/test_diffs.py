"""What a unified diff does to a text."""

import difflib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd_actors.core.errors import Refused
from memoryd_actors.memory.diffs import patched

TEXT = "one\ntwo\nthree\nfour\nfive\nsix\n"


def test_a_diff_as_programs_write_it_applies() -> None:
    names, first = "--- a/notes.md\n+++ b/notes.md\n", "@@ -2,2 +2,2 @@ one\n two\n-three\n+3\n"
    diff = f"{names}{first}@@ -5 +5,2 @@\n five\n+five and a half\n"
    assert patched(TEXT, diff, "notes.md") == "one\ntwo\n3\nfour\nfive\nfive and a half\nsix\n"


@pytest.mark.parametrize("header", ["@@", "@@ -40,3 +40,3 @@"])
def test_lines_that_are_counted_badly_or_not_are_found_where_they_stand(header: str) -> None:
    assert patched(TEXT, f"{header}\n four\n-five\n+5\n six", "notes.md") == TEXT.replace("five", "5")


@pytest.mark.parametrize(
    ("diff", "why"),
    [
        ("three -> 3", "no unified diff"),
        ("@@ -3 +3 @@\n-drei\n+3", "hunk 1 of 1 does not fit notes.md"),
        ("@@\n-same\n+other", "does not stand there once"),
        ("@@\n+from nowhere", "does not fit"),
        ("@@\n-one\n" * 301, "has 301 hunks and may have 300"),
    ],
)
def test_what_does_not_fit_is_refused(diff: str, why: str) -> None:
    with pytest.raises(Refused, match=why):
        patched("one\nthree\nsame\nother\nsame\n", diff, "notes.md")


LINES = st.lists(st.sampled_from(["a", "b", "c", "", "- d", "@@x", "\\"]), max_size=12)


@given(before=LINES, after=LINES)
def test_what_difflib_writes_applies(before: list[str], after: list[str]) -> None:
    diff = "\n".join(difflib.unified_diff(before, after, lineterm=""))
    if diff and before:
        assert patched("\n".join(before), diff, "p").split("\n") == (after or [""])
