import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd_actors.core.errors import Refused
from memoryd_actors.keeping.core_memory import MAX_SECTIONS, SectionState, arranged, edited, named
from memoryd_actors.redaction.rules import DEFAULT
from memoryd_client.wire.core_memory import CoreAppend, CoreEdit, CoreReplace, CoreSet, CoreUndo, Section

ID = "0123456789"
WORDS = st.text(alphabet="abc \n", max_size=60)


def of(edit: CoreEdit, text: str = "", *, revision: int = 1, before: str | None = None, limit: int = 100) -> str:
    return edited(edit, SectionState(text, revision, before, others=0), DEFAULT, limit)


def append(text: str, revision: int | None = None) -> CoreAppend:
    return CoreAppend(id=ID, section="human", text=text, revision=revision)


def replace(old: str, new: str) -> CoreReplace:
    return CoreReplace(id=ID, section="human", old=old, new=new)


def test_what_is_appended_stands_in_a_line_of_its_own() -> None:
    assert of(append("Drinks tea."), "Is called Ana.") == "Is called Ana.\nDrinks tea."
    assert of(append("Drinks tea.")) == "Drinks tea."


def test_what_does_not_fit_is_refused_with_the_room_that_is_left() -> None:
    with pytest.raises(Refused, match="there is room for 9 more"):
        of(append("x" * 10), "y" * 90)
    assert len(of(append("x" * 9), "y" * 90)) == 100


def test_a_section_over_a_lowered_limit_can_still_be_shortened() -> None:
    assert of(replace("y" * 150, "z" * 140), "y" * 150) == "z" * 140
    with pytest.raises(Refused, match="room for 0 more"):
        of(append("x"), "y" * 150)


def test_a_passage_has_to_stand_there_exactly_once() -> None:
    assert of(replace("tea", "coffee"), "Drinks tea.") == "Drinks coffee."
    with pytest.raises(Refused, match="does not stand"):
        of(replace("Tea", "coffee"), "Drinks tea.")
    with pytest.raises(Refused, match="more than once"):
        of(replace("aa", "b"), "aaa")
    with pytest.raises(Refused, match="empty"):
        of(replace("", "b"), "aaa")


def test_a_text_is_overwritten_by_those_only_who_have_read_it() -> None:
    with pytest.raises(Refused, match="at revision 3"):
        of(CoreSet(id=ID, section="human", text="new"), "old", revision=3)
    with pytest.raises(Refused, match="at revision 3, not 2"):
        of(CoreSet(id=ID, section="human", text="new", revision=2), "old", revision=3)
    assert of(CoreSet(id=ID, section="human", text="new", revision=3), "old", revision=3) == "new"
    with pytest.raises(Refused, match="written since"):
        of(append("more", revision=2), "old", revision=3)


def test_an_undo_brings_back_the_text_before_the_last_write() -> None:
    undo = CoreUndo(id=ID, section="human")
    assert of(undo, "new", before="old") == "old"
    with pytest.raises(Refused, match="nothing was written"):
        of(undo, "")


def test_private_parts_and_secrets_are_not_kept() -> None:
    assert of(append("Drinks tea.<private> And gin.</private>")) == "Drinks tea."
    assert "ghp_" not in of(append("token: ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"))
    with pytest.raises(Refused, match="cannot be kept"):
        of(append("gin</private>"))
    with pytest.raises(Refused, match="#skip"):
        of(append("gin #skip"))


def test_a_secret_in_two_halves_is_found_when_it_is_whole() -> None:
    halves = "ghp_a1B2c3D4e5a1B2c3D4", "e5a1B2c3D4e5f6G7h8"
    assert "ghp_a1" not in of(replace("HERE", halves[1]), f"{halves[0]}HERE")


def test_a_thread_has_a_bounded_number_of_sections() -> None:
    with pytest.raises(Refused, match="that is the most"):
        edited(append("x"), SectionState("", 0, None, others=MAX_SECTIONS), DEFAULT, 100)


def test_names_are_compared_without_case_and_have_no_odd_characters() -> None:
    assert named(" Human ") == "human"
    for wrong in ("", "a b", "../x", "-x", "x" * 61):
        with pytest.raises(Refused, match="a section's name"):
            named(wrong)


def test_the_standard_sections_are_always_there_shared_ones_first() -> None:
    mine = Section(name="zoo", thread="t", limit=10)
    places = [(one.thread, one.name) for one in arranged([mine], "t", 10)]
    standard = ["persona", "human", "context"]
    assert places == [("", name) for name in standard] + [("t", name) for name in standard] + [("t", "zoo")]


@given(st.lists(WORDS, max_size=8), st.integers(20, 120))
def test_no_edit_ever_goes_over_the_limit_or_loses_a_word(texts: list[str], limit: int) -> None:
    standing = ""
    accepted: list[str] = []
    for text in texts:
        try:
            standing = of(append(text), standing, limit=limit)
        except Refused:
            continue
        accepted += text.split()
    assert len(standing) <= limit
    assert re.split(r"\s+", standing.strip()) == (accepted or [""])
