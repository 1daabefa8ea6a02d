"""What a file says of a memory, and what it is called."""

from contextlib import suppress
from datetime import UTC, datetime
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd_actors.mirroring.decision import FileSide, MemorySide, SyncVerdict, decide
from memoryd_actors.mirroring.document import NoteUnreadable, changes, parse, render, says_the_same
from memoryd_actors.mirroring.naming import file_name, folded, free_name, name_of
from memoryd_actors.texts.characters import clean
from memoryd_client import Memory
from memoryd_client.wire.editing import Changes

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
texts = st.text(max_size=60).map(clean)
lines = st.text(st.characters(exclude_characters="\r\n", exclude_categories=("Cs", "Cc")), max_size=40)
memories = st.builds(
    Memory,
    id=st.just("mem_4k2m9x0c"),
    owner=st.just("local"),
    content=texts.filter(str.strip).filter(lambda text: "\r" not in text),
    title=lines.map(str.strip),
    tags=st.lists(lines.map(str.strip).filter(bool), max_size=3, unique=True).map(tuple),
    files=st.lists(lines.map(str.strip).filter(bool), max_size=2, unique=True).map(tuple),
    importance=st.integers(1, 5),
    pinned=st.booleans(),
    speaker=lines.map(str.strip),
    occurred_at=st.none() | st.just(AT),
    metadata=st.dictionaries(lines.map(str.strip).filter(bool), texts, max_size=3),
    created_at=st.just(AT),
    updated_at=st.just(AT),
)


def memory(content: str = "Token expiry is computed in UTC.", **fields: object) -> Memory:
    return Memory(id="mem_4k2m9x0c", owner="local", content=content, created_at=AT, updated_at=AT, **fields)  # type: ignore[arg-type]


@given(memories)
def test_what_is_written_of_a_memory_says_what_it_says(one: Memory) -> None:
    file = render(one, {"related_to": ["Login test"], "depends on": ["x"]}).encode()
    if b"\n<<<<<<< " in file or b"\n>>>>>>> " in file:
        return
    note = parse(file)
    assert note.id == one.id
    assert changes(note, one) == Changes()


@given(st.binary(max_size=200))
def test_no_bytes_are_a_reason_to_fail(file: bytes) -> None:
    with suppress(NoteUnreadable):
        parse(file)


def test_links_are_such_as_obsidian_follows() -> None:
    assert 'related_to: ["[[Login test]]"]' in render(memory(), {"related_to": ["Login test"]}).splitlines()


def test_a_changed_line_is_all_that_changes() -> None:
    one = memory(title="Token expiry", tags=("auth",))
    file = render(one, {}).replace("tags: [auth]", "tags:\n  - auth\n  - login")
    assert changes(parse(file.encode()), one) == Changes(tags=("auth", "login"))


def test_a_line_that_is_taken_away_says_that_there_is_nothing() -> None:
    one = memory(title="Token expiry", pinned=True)
    file = render(one, {}).replace("title: Token expiry\n", "").replace("pinned: true\n", "")
    assert changes(parse(file.encode()), one) == Changes(title="", pinned=False)


def test_a_file_without_front_matter_speaks_of_the_content_only() -> None:
    one = memory(title="Token expiry", tags=("auth",))
    assert changes(parse(b"Another text.\n"), one) == Changes(content="Another text.")


def test_other_lines_are_kept_as_metadata_and_come_back_as_they_were() -> None:
    file = b'---\naliases: ["login", "auth"]\nmood: fine\n---\n\nText.\n'
    note = parse(file)
    assert note.metadata == {"aliases": '["login", "auth"]', "mood": "fine"}
    assert "aliases: [login, auth]" in render(memory(metadata=note.metadata), {})


def test_ends_of_lines_and_of_the_file_are_no_change() -> None:
    one = memory("Two lines\nof text.", title="Two")
    file = render(one, {})
    assert says_the_same(parse(file.replace("\n", "\r\n").encode()), one)
    assert says_the_same(parse(b"\xef\xbb\xbf" + file.rstrip().encode()), one)


@pytest.mark.parametrize(
    ("file", "reason"),
    [
        (b"", "empty"),
        (b" \n\n", "empty"),
        (b"---\ntitle: x\n", "no end"),
        (b"---\ntitle x\n---\ntext", "name: value"),
        (b"---\nimportance: 9\n---\ntext", "importance"),
        (b"---\npinned: perhaps\n---\ntext", "pinned"),
        (b"---\noccurred_at: yesterday\n---\ntext", "no date"),
        (b"---\nid: ../../x\n---\ntext", "`id`"),
        (b"a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> other\n", "merge"),
        (b"\xff\xfe\x00a", "UTF-8"),
        (b"\0\0\0\0", "NUL"),
    ],
)
def test_what_cannot_be_read_is_told(file: bytes, reason: str) -> None:
    with pytest.raises(NoteUnreadable, match=reason):
        parse(file)


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Token expiry", "Token expiry"),
        ("a/b\\c: d?*", "a b c d"),
        ("[[link]] #tag | x^y", "link tag x y"),
        ("..", "memory"),
        (".hidden", "hidden"),
        ("CON", "CON_"),
        ("nul.txt", "nul.txt_"),
        ("Index", "Index_"),
        ("ends with dots...", "ends with dots"),
        ("a\u202eb\0c\nd", "a b c d"),
        ("e\u0301", "é"),
        ("", "memory"),
    ],
)
def test_a_name_is_one_that_every_file_system_can_hold(title: str, name: str) -> None:
    assert name_of(title) == name


@given(st.text())
def test_every_text_has_a_name(text: str) -> None:
    name = name_of(text)
    assert 0 < len(name.encode()) <= 200
    assert not set(name) & set('\\/:*?"<>|#^[]\0\n')
    assert name == name.strip()
    assert not name.startswith(".")


def test_a_long_name_ends_with_a_word() -> None:
    assert name_of("word " * 40) == " ".join(["word"] * 16)
    assert len(name_of("ü" * 300).encode()) <= 160


def test_a_memory_without_a_title_is_called_by_how_it_begins() -> None:
    assert file_name(memory("\n# Deploys\n\nNever on Fridays.")) == "Deploys"


def test_names_that_differ_in_case_only_are_the_same() -> None:
    taken = {folded("Token Expiry")}
    assert free_name("token expiry", "mem_4k2m9x0c", taken.__contains__) == "token expiry 4k2m"
    assert free_name("other", "mem_4k2m9x0c", taken.__contains__) == "other"


def test_neither_side_is_ever_lost() -> None:
    table = {(file, side): decide(file, side) for file in get_args(FileSide) for side in get_args(MemorySide)}
    lost = {SyncVerdict.WRITE, SyncVerdict.REMOVE, SyncVerdict.DROP}
    assert not {key for key, verdict in table.items() if key[0] == "changed" and key[1] != "purged" and verdict in lost}
    gone = {SyncVerdict.TAKE, SyncVerdict.FORGET}
    assert not {key for key, verdict in table.items() if key[1] == "changed" and verdict in gone}
