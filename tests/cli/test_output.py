import json
from datetime import UTC, datetime

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd_cli.base import output, render
from memoryd_client.base.errors import InvalidArgument
from memoryd_client.base.wording import sentence
from memoryd_client.wire.memory import ID_PREFIX, Memory, Scope, new_memory_id

ids = st.text("0123456789abcdefghjkmnpqrstvwxyz", min_size=20, max_size=20).map(ID_PREFIX.__add__)
AT = datetime(2026, 3, 2, tzinfo=UTC)


@given(st.sets(ids, min_size=1, max_size=30))
def test_short_ids_tell_their_memories_apart_and_begin_the_full_ones(full: set[str]) -> None:
    short = output.short_ids(full)
    assert len(set(short.values())) == len(full)
    for one, shortened in short.items():
        assert len(shortened) >= 8
        assert one.removeprefix(ID_PREFIX).startswith(shortened)


def test_ids_that_share_their_beginning_are_shown_longer() -> None:
    first, second = ID_PREFIX + "0" * 20, ID_PREFIX + "0" * 12 + "1" * 8
    assert output.short_ids([first, second]) == {first: "0" * 13, second: "0" * 12 + "1"}


@given(st.text())
def test_printable_text_has_no_control_characters(text: str) -> None:
    shown = output.printable(text)
    assert len(shown) == len(text)
    assert all(c.isprintable() or c in "\n\t" for c in shown)


def test_an_escape_sequence_in_a_memory_does_not_reach_the_terminal() -> None:
    assert "\x1b" not in output.printable("harmless \x1b]0;title\x07")


def test_json_shows_every_field_and_decodes_into_the_struct(capsys: pytest.CaptureFixture[str]) -> None:
    memory = Memory(id=new_memory_id(), owner="local", content="x", created_at=AT, updated_at=AT, scope=Scope.GLOBAL)
    output.out_json(memory)
    printed = capsys.readouterr().out
    assert set(json.loads(printed)) == set(Memory.__struct_fields__)
    assert msgspec.json.decode(printed, type=Memory) == memory


def test_a_plain_table_is_aligned_and_cuts_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    long = "word " * 100
    output.table(("id", "n", "memory"), [("a", "1", long), ("bcd", "22", "one\ntwo")], right=("n",))
    head, first, second = capsys.readouterr().out.splitlines()
    assert head == "id    n  memory"
    assert first == f"a     1  {long.strip()}"
    assert second == "bcd  22  one two"


@pytest.mark.parametrize(
    ("line", "shown", "room"),
    [
        (120, ["id", "date", "scope", "memory"], 89),
        (60, ["id", "date", "memory"], 38),
        (40, ["id", "memory"], 30),
        (12, ["id", "memory"], 2),
    ],
)
def test_the_last_column_has_half_of_a_line_and_others_give_way(line: int, shown: list[str], room: int) -> None:
    widths = {"id": 8, "date": 10, "scope": 7, "memory": 200}
    assert output.fitting(widths, ("scope", "date"), line) == (shown, room)


def test_where_the_last_column_fits_nothing_gives_way() -> None:
    assert output.fitting({"id": 8, "date": 10, "memory": 8}, ("date",), 30) == (["id", "date", "memory"], 8)


@pytest.mark.parametrize(
    ("message", "hint", "line"),
    [
        ("no memoryd at /x", "Start it with `memoryd start`.", "no memoryd at /x; start it with `memoryd start`"),
        ("it failed.", "", "it failed"),
        ("two\nlines", "`memoryd doctor` may know.", "two lines; `memoryd doctor` may know"),
        ("too long", "MEMORYD_HOME says where.", "too long; MEMORYD_HOME says where"),
    ],
)
def test_what_happened_and_what_helps_become_one_line(message: str, hint: str, line: str) -> None:
    assert sentence(message, hint) == line


@pytest.mark.parametrize("date", ["9999-12-31T23:59:59-12:00", "0001-01-01T00:00+12:00"])
def test_a_date_outside_the_calendar_is_refused_in_words(date: str) -> None:
    with pytest.raises(InvalidArgument, match="outside the calendar"):
        render.parse_date(date)
    assert render.parse_date("9999-12-31") == datetime(9999, 12, 31, tzinfo=UTC)


def test_a_table_leaves_columns_out_rather_than_cutting_short_ones() -> None:
    widths = {"day": 10, "node": 8, "op": 12, "status": 6, "count": 5}
    assert output.whole_columns(widths, 80) == list(widths)
    assert output.whole_columns(widths, 41) == ["day", "node", "op", "count"]
    assert output.whole_columns(widths, 12) == ["day", "count"]
