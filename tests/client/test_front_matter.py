"""Markdown with front matter, written and read back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd_client import front_matter
from memoryd_client.front_matter import FieldValue, FrontMatterInvalid, joined, split

NAMES = st.from_regex(r"\A[a-z_][a-z0-9_]{0,8}\Z")
TEXTS = st.text(max_size=40)
VALUES = st.one_of(TEXTS, st.lists(TEXTS, max_size=4), st.dictionaries(NAMES, TEXTS, max_size=3))


@given(st.dictionaries(NAMES, VALUES, max_size=5), st.text(max_size=200))
def test_what_is_written_is_read_back_character_by_character(head: dict[str, FieldValue], body: str) -> None:
    found, text = split(joined(head, body))
    assert text == body
    # What is empty is written as nothing, and nothing is read as an empty text.
    assert found == {name: value or "" for name, value in head.items()}


def test_the_front_matter_of_the_format_that_people_know_is_read() -> None:
    document = (
        "---\n"
        "id: mem_abc123\n"
        "name: Memory System\n"
        "description: |\n"
        "  How it works.\n"
        "\n"
        "  In two paragraphs.\n"
        "tags: [user_preference, 'two words', settings]\n"
        "files:\n"
        "  - a.py\n"
        '  - "b c.py"\n'
        "metadata:\n"
        "  lang: en   # a remark\n"
        "createdAt: 2024-01-01T00:00:00Z\n"
        "---\n"
        "\n"
        "User prefers dark mode.\n"
    )
    head, body = split(document)
    assert head == {
        "id": "mem_abc123",
        "name": "Memory System",
        "description": "How it works.\n\nIn two paragraphs.",
        "tags": ["user_preference", "two words", "settings"],
        "files": ["a.py", "b c.py"],
        "metadata": {"lang": "en"},
        "createdAt": "2024-01-01T00:00:00Z",
    }
    assert body == "User prefers dark mode."


@pytest.mark.parametrize(
    ("document", "line"),
    [
        ("no fence", 1),
        ("---\ntitle: open", 2),
        ("---\ntitle: a\nwhat is this\n---\n", 3),
        ("---\ntags: [a, b\n---\n", 2),
        ('---\ntitle: "open\n---\n', 2),
        ("---\ntitle: a\ntitle: b\n---\n", 3),
    ],
)
def test_what_cannot_be_read_is_told_with_its_line(document: str, line: int) -> None:
    with pytest.raises(FrontMatterInvalid) as told:
        split(document)
    assert told.value.line == line
    assert f"line {line}:" in str(told.value)


def test_a_fence_in_the_text_is_text() -> None:
    assert split(joined({"title": "a"}, "one\n---\ntwo")) == ({"title": "a"}, "one\n---\ntwo")
    assert front_matter.FENCE == "---"
