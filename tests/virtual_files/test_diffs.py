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


HUNK = "@@ -1 +1 @@\n-one\n+1\n"


@pytest.mark.parametrize(
    ("names", "other"),
    [
        ("--- a/other.md\n+++ b/other.md\n", "other.md"),
        ("--- a/docs/notes.md\n+++ b/docs/notes.md\n", "docs/notes.md"),
        ("diff --git a/todo b/todo\nindex 1..2 100644\n--- a/todo\n+++ b/todo\n", "todo"),
        ("--- /dev/null\n+++ b/other.md\n", "other.md"),
        ("--- other.md\t2026-01-31 12:00:00\n+++ other.md\t2026-01-31 12:01:00\n", "other.md"),
    ],
)
def test_a_diff_of_another_file_is_refused(names: str, other: str) -> None:
    with pytest.raises(Refused, match=rf"headed for {other}, not for plans/notes\.md"):
        patched(TEXT, names + HUNK, "plans/notes.md")


@pytest.mark.parametrize(
    "names",
    [
        "--- a/plans/notes.md\n+++ b/plans/notes.md\n",
        "--- notes.md\n+++ notes.md\n",
        "--- a/home/me/plans/notes.md\n+++ b/home/me/plans/notes.md\n",
        "--- /plans/notes.md\n+++ /plans/notes.md\n",
        "--- a/plans/notes.md\n+++ b/plans/renamed.md\n",
        "--- a/plans/notes.md\n+++ /dev/null\n",
        "--- before\n+++ after\n",
        "---\n+++\n",
        "",
    ],
)
def test_a_diff_that_names_this_file_or_none_applies(names: str) -> None:
    assert patched(TEXT, names + HUNK, "plans/notes.md") == TEXT.replace("one", "1")


def test_what_a_diff_takes_away_is_no_name_of_a_file() -> None:
    assert patched("-- a/x.md\ntwo\n", "@@\n--- a/x.md\n two", "notes.md") == "two\n"


LINES = st.lists(st.sampled_from(["a", "b", "c", "", "- d", "@@x", "\\"]), max_size=12)


@given(before=LINES, after=LINES)
def test_what_difflib_writes_applies(before: list[str], after: list[str]) -> None:
    diff = "\n".join(difflib.unified_diff(before, after, lineterm=""))
    if diff and before:
        assert patched("\n".join(before), diff, "p").split("\n") == (after or [""])
