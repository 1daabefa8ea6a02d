# ruff: noqa: ASYNC240 - these tests have the loop to themselves
"""Lines of a transcript that are damaged: told, kept, mended from the copy, and never in the way of the others."""

import json
import os
from io import BytesIO
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd.transcripts import JsonlTranscripts
from memoryd.transcripts.aside import kept as kept_aside
from memoryd.transcripts.jsonl import OPEN
from memoryd.transcripts.places import session_folder
from memoryd.transcripts.scanning import places
from memoryd_client.wire.transcripts import SessionInfo
from transcript_files import KEY, append, contents, kept, lines


def spoil(file: Path, number: int) -> bytes:
    """Overwrite the middle of a line, without its end and at the same length; return what it is now."""
    all_of_it = file.read_bytes().splitlines(keepends=True)
    spoilt = all_of_it[number - 1]
    spoilt = spoilt[:10] + b"\xff" * (len(spoilt) - 20) + spoilt[-10:]
    all_of_it[number - 1] = spoilt
    file.write_bytes(b"".join(all_of_it))
    return spoilt


async def session(root: Path, *said: str) -> Path:
    """Write a session whose metadata are on the disk, too; return its file."""
    transcripts = JsonlTranscripts(root)
    await append(transcripts, *(kept(one, id=one) for one in said))
    await transcripts.save()
    return lines(root)


async def info(transcripts: JsonlTranscripts) -> SessionInfo:
    (found,) = await transcripts.sessions("local", limit=9, offset=0)
    return found


@pytest.mark.parametrize("number", [1, 2, 4, 5])
async def test_a_damaged_line_is_counted_kept_and_costs_itself_only(tmp_path: Path, number: int) -> None:
    said = ["one", "two", "three", "four", "five"]
    file = await session(tmp_path, *said)
    spoilt = spoil(file, number)
    again = JsonlTranscripts(tmp_path)
    del said[number - 1]
    assert await contents(again) == said
    assert await again.last(KEY) == 5
    found = await info(again)
    assert (found.entries, found.last, found.damaged, found.missing) == (4, 5, 1, 1)
    assert again.damaged == {KEY: 1}
    assert [(one.line, one.bytes) for one in kept_aside(file.parent)] == [(number, spoilt)]
    await append(again, kept("six"))
    assert [one.sequence for one in await again.read(KEY, after=4, limit=9, characters=99)][-1] == 6
    third = JsonlTranscripts(tmp_path)
    assert await contents(third) == [*said, "six"]
    assert (await info(third)).missing == 1
    assert spoilt in file.read_bytes()
    assert len(kept_aside(file.parent)) == 1


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("timestamp", "0001-01-01T00:00:00+23:59"),  # before the first year, in UTC
        ("timestamp", "9999-12-31T23:59:59-23:59"),
        ("covers", 2**64),
        ("turns", -1),
        ("size", 2**64),
        ("seq", 2**64),
    ],
)
async def test_a_line_with_a_value_that_cannot_be_is_a_damaged_one(
    tmp_path: Path, field: str, value: str | int
) -> None:
    file = await session(tmp_path, "one", "two", "three")
    first, second, third = file.read_bytes().splitlines(keepends=True)
    changed = json.dumps(json.loads(second) | {field: value}).encode() + b"\n"
    file.write_bytes(first + changed + third)
    again = JsonlTranscripts(tmp_path)
    assert await contents(again) == ["one", "three"]
    assert msgspec.msgpack.encode(found := await info(again))
    assert (found.entries, found.last, found.damaged) == (2, 3, 1)
    assert [one.bytes for one in kept_aside(file.parent)] == [changed]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("last", 2**64),
        ("last", -5),
        ("bytes", -1),
        ("tokenCount", 10**30),
        ("createdAt", "2026-01-01T00:00:00"),  # of no zone
        ("updatedAt", "0001-01-01T00:00:00+23:59"),
    ],
)
async def test_metadata_with_a_value_that_cannot_be_are_told_from_the_lines(
    tmp_path: Path, field: str, value: str | int
) -> None:
    transcripts = JsonlTranscripts(tmp_path)
    await append(transcripts, kept("one"), kept("two"))
    await append(transcripts, kept("else"), key=("local", "s2"))
    await transcripts.save()
    right = await transcripts.info(KEY)
    written = session_folder(tmp_path, *KEY) / "metadata.json"
    written.write_text(json.dumps(json.loads(written.read_bytes()) | {field: value}), encoding="utf-8")
    again = JsonlTranscripts(tmp_path)
    assert right in await again.sessions("local", limit=9, offset=0)
    assert len(await again.sessions("local", limit=9, offset=0)) == 2
    assert await again.last(KEY) == 2
    await again.save()
    assert right in await JsonlTranscripts(tmp_path).sessions("local", limit=9, offset=0)


async def test_damage_that_happens_while_it_is_open_is_noticed_by_the_next_reading(tmp_path: Path) -> None:
    transcripts = JsonlTranscripts(tmp_path)
    await append(transcripts, kept("one"), kept("two"), kept("three"))
    spoil(lines(tmp_path), 2)
    assert await contents(transcripts) == ["one", "three"]
    assert transcripts.damaged == {KEY: 1}
    assert (await info(transcripts)).missing == 1


async def test_damage_that_a_reading_comes_upon_is_mended_within_it(tmp_path: Path) -> None:
    transcripts = JsonlTranscripts(tmp_path / "t", tmp_path / "copy")
    await append(transcripts, kept("one"), kept("two"), kept("three"))
    await transcripts.back_up()
    spoil(lines(tmp_path / "t"), 2)
    assert [one.content for one in (await transcripts.get(KEY, [1, 2, 3])).values()] == ["one", "two", "three"]
    assert transcripts.damaged == {}


async def test_a_damaged_end_that_was_acknowledged_is_kept_and_its_number_never_given_out_again(tmp_path: Path) -> None:
    file = await session(tmp_path, "one", "two", "three")
    os.truncate(file, file.stat().st_size - 20)
    again = JsonlTranscripts(tmp_path)
    assert await contents(again) == ["one", "two"]
    assert await append(again, kept("four")) == 1
    assert await again.last(KEY) == 4
    found = await info(again)
    assert (found.damaged, found.missing) == (1, 1)
    assert b'"three"' in kept_aside(file.parent)[0].bytes


async def test_lines_that_are_gone_altogether_are_missed(tmp_path: Path) -> None:
    file = await session(tmp_path, "one", "two", "three")
    file.write_bytes(file.read_bytes().splitlines(keepends=True)[0])
    again = JsonlTranscripts(tmp_path)
    assert await contents(again) == ["one"]
    found = await info(again)
    assert (found.last, found.damaged, found.missing) == (3, 0, 2)
    await append(again, kept("four"))
    assert sorted(await again.get(KEY, [1, 2, 3, 4])) == [1, 4]


async def test_a_last_line_without_its_end_is_kept(tmp_path: Path) -> None:
    await append(JsonlTranscripts(tmp_path), kept("one"), kept("two"))
    file = lines(tmp_path)
    os.truncate(file, file.stat().st_size - 1)
    again = JsonlTranscripts(tmp_path)
    assert await contents(again) == ["one", "two"]
    await append(again, kept("three"))
    assert await contents(JsonlTranscripts(tmp_path)) == ["one", "two", "three"]
    assert (await info(again)).missing == 0


async def test_erasing_words_keeps_the_damaged_line(tmp_path: Path) -> None:
    file = await session(tmp_path, "one", "two", "three")
    spoilt = spoil(file, 2)
    transcripts = JsonlTranscripts(tmp_path)
    assert await transcripts.erase(KEY, [1, 2]) == 1
    assert await contents(transcripts) == ["", "three"]
    assert spoilt in file.read_bytes()
    assert (await info(transcripts)).missing == 1


async def test_of_lines_aside_those_that_came_back_go_with_the_words_of_any_entry(tmp_path: Path) -> None:
    transcripts = JsonlTranscripts(tmp_path / "t", tmp_path / "copy")
    await append(transcripts, kept("one"), kept("two"), kept("three"))
    await transcripts.back_up()
    file = lines(tmp_path / "t")
    file.write_bytes(file.read_bytes().replace(b'"two"', b'two"'))  # readable for whoever looks
    again = JsonlTranscripts(tmp_path / "t", tmp_path / "copy")
    assert await contents(again) == ["one", "two", "three"]
    await again.back_up()
    # Damaged later, and not in the copy: this one stays damaged.
    await append(again, kept("four"))
    spoilt = spoil(file, 4)
    again = JsonlTranscripts(tmp_path / "t", tmp_path / "copy")
    assert await contents(again) == ["one", "two", "three"]
    assert [one.line for one in kept_aside(file.parent)] == [2, 4]
    assert await again.erase(KEY, [2]) == 1
    assert [one.bytes for one in kept_aside(file.parent)] == [spoilt]
    await again.back_up()
    (copied,) = (tmp_path / "copy").rglob("damaged.jsonl")
    assert [one.bytes for one in kept_aside(copied.parent)] == [spoilt]


async def test_a_purge_leaves_nothing_aside(tmp_path: Path) -> None:
    file = await session(tmp_path / "t", "one", "two", "three")
    spoil(file, 2)
    transcripts = JsonlTranscripts(tmp_path / "t", tmp_path / "copy")
    assert await contents(transcripts) == ["one", "three"]
    await transcripts.back_up()
    assert list((tmp_path / "copy").rglob("damaged.jsonl"))
    await transcripts.purge(KEY)
    assert [file for file in tmp_path.rglob("*") if file.is_file()] == []
    assert transcripts.damaged == {}


@pytest.mark.parametrize("numbers", [[1], [2, 3], [5], [1, 3, 5]])
async def test_what_the_copy_has_comes_back(tmp_path: Path, numbers: list[int]) -> None:
    said = ["one", "two", "three", "four", "five"]
    before = JsonlTranscripts(tmp_path / "t", tmp_path / "copy")
    await append(before, *(kept(one, id=one) for one in said))
    await before.back_up()
    file = lines(tmp_path / "t")
    whole = file.read_bytes()
    spoilt = [spoil(file, number) for number in numbers]
    again = JsonlTranscripts(tmp_path / "t", tmp_path / "copy")
    assert await contents(again) == said
    assert (await info(again)).missing == 0
    assert again.damaged == {}
    assert file.read_bytes() == whole
    assert [one.bytes for one in kept_aside(file.parent)] == spoilt
    assert await append(again, kept("two", id="two"), kept("six", id="six")) == 1


async def test_nothing_comes_back_from_the_copy_of_another_conversation(tmp_path: Path) -> None:
    other = JsonlTranscripts(tmp_path / "o", tmp_path / "copy")
    await append(other, kept("a"), kept("b"), kept("c"))
    await other.back_up()
    file = await session(tmp_path / "t", "one", "two", "three")
    spoil(file, 2)
    assert await contents(JsonlTranscripts(tmp_path / "t", tmp_path / "copy")) == ["one", "three"]


async def test_a_line_that_somebody_took_out_does_not_come_back(tmp_path: Path) -> None:
    before = JsonlTranscripts(tmp_path / "t", tmp_path / "copy")
    await append(before, kept("one"), kept("two"), kept("three"))
    await before.back_up()
    file = lines(tmp_path / "t")
    text = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(text[0] + text[2])
    again = JsonlTranscripts(tmp_path / "t", tmp_path / "copy")
    assert await contents(again) == ["one", "three"]
    assert (await info(again)).missing == 1


async def test_a_session_without_metadata_is_found_by_what_stands_beside_it(tmp_path: Path) -> None:
    transcripts = JsonlTranscripts(tmp_path)
    await append(transcripts, kept("one"))
    await append(transcripts, kept("two"), key=("local", "other"))
    next(tmp_path.glob("*/s1-*/metadata.json")).write_bytes(b"{")
    again = JsonlTranscripts(tmp_path)
    assert {one.session for one in await again.sessions("local", limit=9, offset=0)} == {"s1", "other"}
    assert await contents(again) == ["one"]


async def test_a_session_that_cannot_be_read_hides_no_other(tmp_path: Path) -> None:
    transcripts = JsonlTranscripts(tmp_path)
    await append(transcripts, kept("one"))
    await append(transcripts, kept("two"), key=("local", "other"))
    file = next(tmp_path.glob("*/s1-*/session.jsonl"))
    file.unlink()
    file.mkdir()
    again = JsonlTranscripts(tmp_path)
    assert "other" in {one.session for one in await again.sessions("local", limit=9, offset=0)}


async def test_a_date_without_a_zone_and_numbers_beyond_all_are_no_crash(tmp_path: Path) -> None:
    file = await session(tmp_path, "one", "two")
    text = file.read_bytes().replace(b'"2026-03-01T12:00:00Z","id":"two"', b'"2026-03-01T12:00:00","id":"two"')
    assert text != file.read_bytes()
    huge = b'{"type":"message","content":"x","timestamp":"2026-03-01T12:00:00Z","id":"x","seq":99999999999999999999999}'
    file.write_bytes(text + huge + b"\n" + b'{"type":"message","args":' + b"[" * 100_000 + b"\n")
    assert await contents(JsonlTranscripts(tmp_path)) == ["one", "two"]


async def test_arguments_nested_beyond_all_are_kept_as_text(tmp_path: Path) -> None:
    deep = '{"a":' + "[" * 50_000 + "]" * 50_000 + "}"
    await append(JsonlTranscripts(tmp_path), kept(deep, kind="tool_call", role=""))
    assert await contents(JsonlTranscripts(tmp_path)) == [deep]


def line(number: int) -> bytes:
    """Return a line with that number."""
    return b'{"type":"message","content":"c","timestamp":"2026-03-01T12:00:00Z","id":"i%d","seq":%d}\n' % (
        number,
        number,
    )


@given(st.lists(st.sampled_from(["whole", "damaged", "gone", "wrong number"]), max_size=12), st.integers(2, 900))
def test_what_can_be_read_is_in_order_and_everything_else_is_damage(fates: list[str], wrong: int) -> None:
    written: list[bytes] = []
    for number, fate in enumerate(fates, start=1):
        match fate:
            case "whole":
                written.append(line(number))
            case "damaged":
                written.append(b"\xfe\xff\n")
            case "wrong number":
                written.append(line(number + wrong))
            case _:
                pass
    found = list(places(BytesIO(b"".join(written))))
    assert b"".join(place.text for place in found) == b"".join(written)
    assert [place.number for place in found] == list(range(1, len(written) + 1))
    numbers = [place.line.seq for place in found if place.line is not None]
    assert numbers == sorted(set(numbers))
    if "wrong number" not in fates:
        assert numbers == [number for number, fate in enumerate(fates, start=1) if fate == "whole"]
        assert sum(place.damaged for place in found) == fates.count("damaged")


def test_a_number_that_is_wrong_costs_its_own_line_only() -> None:
    text = b"".join(line(number) for number in (1, 2, 9, 4, 5, 3, 6))
    assert [place.line and place.line.seq for place in places(BytesIO(text))] == [1, 2, None, 4, 5, None, 6]


def test_kept_lines_read_as_json(tmp_path: Path) -> None:
    assert kept_aside(tmp_path) == []
    (tmp_path / "damaged.jsonl").write_bytes(b'\n{"line":3,"bytes":"/w=="}\n{"li\n')
    assert [(one.line, one.bytes) for one in kept_aside(tmp_path)] == [(3, b"\xff")]


async def test_making_room_for_one_session_fails_for_no_other(tmp_path: Path) -> None:
    transcripts = JsonlTranscripts(tmp_path)
    await append(transcripts, kept("first"), key=("local", "first"))
    metadata = next(tmp_path.glob("*/first-*/metadata.json"))
    metadata.unlink()
    metadata.mkdir()  # nothing can take its place
    (metadata / "full").touch()
    for number in range(OPEN + 1):
        await append(transcripts, kept("x"), key=("local", f"s{number}"))
    assert await contents(transcripts, ("local", "first")) == ["first"]
