# ruff: noqa: ASYNC240 - these tests have the loop to themselves
"""Transcripts on the disk: what a crash leaves, what is sent twice, and names that no file may have."""

import os
import stat
from pathlib import Path

import msgspec
import pytest

from memoryd.transcripts import JsonlTranscripts
from memoryd_actors.core.errors import Unavailable
from transcript_files import AT, KEY, append, contents, kept, lines


async def test_a_line_has_the_form_of_its_kind(tmp_path: Path) -> None:
    transcripts = JsonlTranscripts(tmp_path)
    call = '{"path":"a.txt","line":1.0}'
    await append(
        transcripts,
        kept("Hello"),
        kept(call, kind="tool_call", name="read", call_id="tc_1", role=""),
        kept("not json", kind="tool_call", name="read", role=""),
        kept("the text", kind="tool_result", call_id="tc_1", role=""),
    )
    found = [msgspec.json.decode(line) for line in lines(tmp_path).read_bytes().splitlines()]
    assert [line["type"] for line in found] == ["message", "tool_call", "tool_call", "tool_result"]
    assert found[0]["role"] == "user"
    assert found[0]["content"] == "Hello"
    assert found[1]["toolName"] == "read"
    assert found[1]["args"] == {"path": "a.txt", "line": 1.0}
    assert found[3]["toolCallId"] == "tc_1"
    assert found[3]["result"] == "the text"
    assert await contents(JsonlTranscripts(tmp_path)) == ["Hello", call, "not json", "the text"]


async def test_the_same_id_is_stored_once_also_after_a_restart(tmp_path: Path) -> None:
    first = JsonlTranscripts(tmp_path)
    assert await append(first, kept("a", id="1"), kept("a again", id="1"), kept("b", id="2")) == 2
    assert await append(first, kept("a", id="1")) == 0
    second = JsonlTranscripts(tmp_path)
    assert await append(second, kept("a", id="1"), kept("c", id="3")) == 1
    assert await contents(second) == ["a", "b", "c"]


@pytest.mark.parametrize("cut", [2, 20, 70])
async def test_a_torn_last_line_is_taken_away_and_nothing_else(tmp_path: Path, cut: int) -> None:
    await append(JsonlTranscripts(tmp_path), kept("a", id="1"), kept("b", id="2"), kept("c", id="3"))
    file = lines(tmp_path)
    os.truncate(file, file.stat().st_size - cut)
    again = JsonlTranscripts(tmp_path)
    assert await contents(again) == ["a", "b"]
    assert await append(again, kept("c", id="3"), kept("d", id="4")) == 2
    assert await contents(JsonlTranscripts(tmp_path)) == ["a", "b", "c", "d"]
    assert [one.sequence for one in await again.read(KEY, after=0, limit=9, characters=99)] == [1, 2, 3, 4]


async def test_zeros_at_the_end_of_the_file_are_taken_away(tmp_path: Path) -> None:
    await append(JsonlTranscripts(tmp_path), kept("a"))
    with lines(tmp_path).open("ab") as file:
        file.write(b"\0" * 4096)
    assert await contents(JsonlTranscripts(tmp_path)) == ["a"]
    assert b"\0" not in lines(tmp_path).read_bytes()


async def test_a_line_spoilt_in_the_middle_costs_itself_only(tmp_path: Path) -> None:
    await append(JsonlTranscripts(tmp_path), kept("first"), kept("second"), kept("third"))
    file = lines(tmp_path)
    file.write_bytes(file.read_bytes().replace(b'"second"', b'"sec\xff\xff"'))
    again = JsonlTranscripts(tmp_path)
    assert await contents(again) == ["first", "third"]
    assert await append(again, kept("fourth")) == 1
    assert sorted(await again.get(KEY, [1, 2, 3, 4])) == [1, 3, 4]


async def test_metadata_that_a_crash_left_behind_are_told_from_the_lines(tmp_path: Path) -> None:
    transcripts = JsonlTranscripts(tmp_path)
    await append(transcripts, kept("a" * 35), kept("b"))
    assert msgspec.json.decode(next(tmp_path.rglob("metadata.json")).read_bytes())["messageCount"] == 0
    (info,) = await JsonlTranscripts(tmp_path).sessions("local", limit=9, offset=0)
    assert (info.session, info.messages, info.tokens, info.project, info.updated_at) == ("s1", 2, 11, "/p", AT)
    await transcripts.save()
    written = msgspec.json.decode(next(tmp_path.rglob("metadata.json")).read_bytes())
    assert (written["id"], written["userId"], written["messageCount"]) == ("s1", "local", 2)


@pytest.mark.parametrize("session", ["../../etc", "", ".", "a/b", "x" * 5000, "\0\n", "日本", "CON", "-rf"])
async def test_any_name_has_a_folder_of_its_own(tmp_path: Path, session: str) -> None:
    transcripts = JsonlTranscripts(tmp_path / "t")
    await append(transcripts, kept("a"), key=("local", session))
    await append(transcripts, kept("b"), key=("local", session + "x"))
    await append(transcripts, kept("c"), key=("them", session))
    assert await contents(JsonlTranscripts(tmp_path / "t"), ("local", session)) == ["a"]
    assert await JsonlTranscripts(tmp_path / "t").heads() == {
        ("local", session): 1,
        ("local", session + "x"): 1,
        ("them", session): 1,
    }
    assert len(list((tmp_path / "t").rglob("session.jsonl"))) == 3
    assert [entry.name for entry in tmp_path.iterdir()] == ["t"]
    for entry in (tmp_path / "t").rglob("*"):
        assert stat.S_IMODE(entry.stat().st_mode) == (0o700 if entry.is_dir() else 0o600)


async def test_a_long_transcript_is_read_from_any_number_on(tmp_path: Path) -> None:
    transcripts = JsonlTranscripts(tmp_path)
    for start in range(0, 5000, 500):
        await append(transcripts, *(kept(f"m{number}", id=str(number)) for number in range(start, start + 500)))
    for one in (transcripts, JsonlTranscripts(tmp_path)):
        assert [r.content for r in await one.read(KEY, after=4321, limit=3, characters=99)] == [
            "m4321",
            "m4322",
            "m4323",
        ]
        assert {n: r.content for n, r in (await one.get(KEY, [1, 64, 65, 4999, 5001])).items()} == {
            1: "m0",
            64: "m63",
            65: "m64",
            4999: "m4998",
        }
        assert await append(one, kept("again", id="4500"), kept("again", id="17")) == 0


async def test_a_page_ends_where_there_is_no_room_for_more_and_has_one_entry_at_least(tmp_path: Path) -> None:
    transcripts = JsonlTranscripts(tmp_path)
    await append(transcripts, kept("a" * 100), kept("b" * 10), kept("c" * 10))
    read = transcripts.read
    assert [one.sequence for one in await read(KEY, after=0, limit=9, characters=20)] == [1]
    assert [one.sequence for one in await read(KEY, after=1, limit=9, characters=20)] == [2, 3]
    assert await read(KEY, after=3, limit=9, characters=20) == []
    assert await read(("local", "unknown"), after=0, limit=9, characters=20) == []


async def test_where_the_folder_can_not_be_used_it_is_said_and_goes_on_once_it_can(tmp_path: Path) -> None:
    root = tmp_path / "t"
    transcripts = JsonlTranscripts(root)
    await append(transcripts, kept("a", id="1"))
    file = lines(root)
    file.rename(tmp_path / "aside")
    file.mkdir()
    with pytest.raises(Unavailable, match="cannot be used"):
        await append(transcripts, kept("b", id="2"))
    file.rmdir()
    (tmp_path / "aside").rename(file)
    assert await append(transcripts, kept("b", id="2")) == 1
    assert await contents(transcripts) == ["a", "b"]


async def test_a_purge_leaves_no_file_and_the_session_may_begin_anew(tmp_path: Path) -> None:
    transcripts = JsonlTranscripts(tmp_path)
    await append(transcripts, kept("a", id="1"))
    assert await transcripts.purge(KEY) == 1
    assert list(tmp_path.rglob("*.json*")) == []
    assert await transcripts.purge(KEY) == 0
    assert await append(transcripts, kept("a", id="1")) == 1
    assert await transcripts.last(KEY) == 1


async def test_what_is_said_while_the_folder_is_away_is_refused_and_goes_on_once_it_is_back(tmp_path: Path) -> None:
    root = tmp_path / "transcripts"
    transcripts = JsonlTranscripts(root)
    await append(transcripts, kept("before"))
    away = root.rename(tmp_path / "away")
    for _ in range(2):
        with pytest.raises(Unavailable, match="is gone"):
            await append(transcripts, kept("meanwhile"))
    assert not root.exists()
    away.rename(root)
    await append(transcripts, kept("after"))
    assert await contents(JsonlTranscripts(root)) == ["before", "after"]


async def test_what_is_read_while_the_folder_is_away_is_refused_and_not_taken_for_a_session_without_entries(
    tmp_path: Path,
) -> None:
    root = tmp_path / "there"
    root.mkdir()
    transcripts = JsonlTranscripts(root)
    await append(transcripts, kept("a"), kept("b"))
    root.rename(tmp_path / "away")
    with pytest.raises(Unavailable, match="is gone"):
        await append(transcripts, kept("c"))
    for _ in range(2):
        with pytest.raises(Unavailable, match="is gone"):
            await contents(transcripts)
        with pytest.raises(Unavailable, match="is gone"):
            await transcripts.info(KEY)
        with pytest.raises(Unavailable, match="is gone"):
            await transcripts.heads()
    (tmp_path / "away").rename(root)
    await append(transcripts, kept("c"))
    assert [one.sequence for one in await transcripts.read(KEY, after=0, limit=9, characters=99)] == [1, 2, 3]
    assert await contents(JsonlTranscripts(root)) == ["a", "b", "c"]


async def test_what_a_new_session_makes_durable_and_that_an_entry_more_waits_for_the_disk_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made_durable: list[Path] = []
    fsync = os.fsync

    def noted(file: int) -> None:
        fsync(file)
        made_durable.append(Path(f"/proc/self/fd/{file}").readlink())

    monkeypatch.setattr(os, "fsync", noted)
    transcripts = JsonlTranscripts(tmp_path)
    await append(transcripts, kept("a"))
    session = lines(tmp_path).parent
    # What names the first line is durable before it is there.
    assert made_durable == [session / "metadata.json", session, session.parent, tmp_path, session / "session.jsonl"]
    made_durable.clear()
    await append(transcripts, kept("b"))
    assert made_durable == [session / "session.jsonl"]
