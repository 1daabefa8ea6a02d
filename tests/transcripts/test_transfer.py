"""Transcripts taken along: printed as JSON lines, brought back whole, gated again; and in the backup."""

import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from cli.memoryd_command import Command
from memoryd.transcripts.mirror import forget, mirror
from memoryd_client import Entry, Message
from memoryd_client.base.errors import InvalidArgument
from memoryd_client.transcript_lines import Header, Line, decode_any, decode_event, exported, form_of, record
from memoryd_client.wire.transcripts import TranscriptRecord
from running import RunningDaemon, until

KEY = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
DAY = datetime(2026, 3, 1, 12, 30, 0, 250_000, tzinfo=UTC)
SAID = (
    Entry(content="good morning\nline two \u2028 ünï 😀 \0", role="user", name="ada", at=DAY),
    Entry(kind="tool_call", content='{"path":"a.py","limit":1e3}', name="read_file", call_id="c1", at=DAY),
    Entry(kind="tool_call", content="not {json", name="shell", call_id="c2", at=DAY),
    Entry(kind="tool_result", content="x" * 400_000, name="read_file", call_id="c1", at=DAY),
    Entry(content="done", role="assistant", at=DAY),
)


@pytest.fixture(scope="module")
def two(models: Path) -> Iterator[tuple[RunningDaemon, RunningDaemon]]:
    with ExitStack() as stack:
        homes = [Path(tempfile.mkdtemp(prefix="md-")) for _ in range(2)]
        for home in homes:
            stack.callback(shutil.rmtree, home, ignore_errors=True)
        first, second = (stack.enter_context(RunningDaemon(home, models)) for home in homes)
        yield first, second


def all_of(daemon: RunningDaemon, session: str) -> list[TranscriptRecord]:
    found: list[TranscriptRecord] = []
    with daemon.client(session) as client:
        while page := client.messages(session, after=found[-1].sequence if found else 0).entries:
            found += page
    return found


def test_what_is_exported_comes_back_whole_in_another_home_and_twice_is_once(
    two: tuple[RunningDaemon, RunningDaemon],
) -> None:
    here, there = two
    with here.client("s1") as client:
        client.append(SAID)
        client.push_acknowledged([Message("user", "one more thing")])
        until(lambda: client.messages().last == 6, "the push to be written down")
    with here.client("s2", project="/elsewhere") as client:
        client.append([Entry(content=f"number {n}", role="user", at=DAY) for n in range(1_200)])
    out, into = Command(here.home), Command(there.home)
    lines = out.ok("session", "export", "--all")
    assert len(lines.split("\n")) == 2 + 6 + 1_200 + 1
    (there.home / "sessions.jsonl").write_text(lines, encoding="utf-8")
    into.ok("session", "import", there.home / "sessions.jsonl")
    for session in ("s1", "s2"):
        assert all_of(there, session) == all_of(here, session)
    with here.client() as before, there.client() as after:
        assert {one.session: one for one in after.sessions()} == {one.session: one for one in before.sessions()}
    assert '"stored":0' in into.ok("session", "import", "-", "--json", given=lines).replace(" ", "")
    assert into.ok("session", "export", "--all") == lines
    with there.client() as client:
        until(lambda: client.search_messages("number 777", by="words").found, "it to be found there, too")


@pytest.mark.parametrize("how", ["import", "append"])
def test_lines_without_ids_and_numbers_come_in_once(two: tuple[RunningDaemon, RunningDaemon], how: str) -> None:
    lines = (
        '{"type":"message","role":"user","content":"Hello","timestamp":"2024-01-01T00:00:00Z"}\n'
        '{"type":"message","role":"user","content":"Hello","timestamp":"2024-01-01T00:00:00Z"}\n'
        '{"type":"tool_call","toolName":"read","args":{"path":"a.txt"},"timestamp":"2024-01-01T00:00:02Z"}\n'
        '{"type":"tool_result","tool_call_id":"tc_123","output":"words","sent_at":"2024-01-01T00:00:03Z"}\n'
        '{"type":"tool_result","toolCallId":"tc_4","result":{"rows": [1, 2]},"timestamp":"2024-01-01T00:00:04Z"}\n'
        '{"type":"tool_result","toolCallId":"tc_5","content":["a"],"timestamp":"2024-01-01T00:00:05Z"}\n'
    )
    into = Command(two[1].home)
    arguments = ("import", "-", "--session") if how == "import" else ("append", "--session")
    for _ in range(2):
        into.ok("session", *arguments, f"plain-{how}", "--owner", "plain", given=lines)
    kept = all_of(two[1].seen_by("plain"), f"plain-{how}")
    assert [(one.kind, one.content, one.name, one.call_id) for one in kept] == [
        ("message", "Hello", "", ""),
        ("message", "Hello", "", ""),
        ("tool_call", '{"path":"a.txt"}', "read", ""),
        ("tool_result", "words", "", "tc_123"),
        ("tool_result", '{"rows":[1,2]}', "", "tc_4"),
        ("tool_result", '["a"]', "", "tc_5"),
    ]
    assert kept[-1].who == "tool result"
    assert kept[0].at == datetime(2024, 1, 1, tzinfo=UTC)


def test_what_users_asked_to_have_remembered_is_stored_right_after_an_import_as_of_when_they_said_it(
    two: tuple[RunningDaemon, RunningDaemon],
) -> None:
    line = '{"type":"message","role":"user","content":"%s","timestamp":"2024-05-01T10:00:00Z"}\n'
    given = line % "Good morning." + line % "Remember that the harbour crane is serviced in May."
    into = Command(two[1].home)
    into.ok("session", "import", "-", "--session", "old", "--owner", "asked", "--project", "", given=given)
    with two[1].seen_by("asked").client() as client:
        until(client.list, "what was asked to be remembered")
        (stored,) = client.list()
        assert stored.content == "the harbour crane is serviced in May."
        assert stored.occurred_at == datetime(2024, 5, 1, 10, tzinfo=UTC)
        assert stored.session == "old"


@pytest.mark.parametrize(
    ("line", "said", "form"),
    [
        (
            '{"type":"message","role":"user","result":"hi","timestamp":"2024-01-01T00:00:00Z"}',
            "`result` is called `content`",
            "message",
        ),
        ('{"type":"tool_call","toolName":"ls","args":{}}', "required field `timestamp`", "tool_call"),
        ('{"type":"toolCall","args":{},"timestamp":"2024-01-01T00:00:00Z"}', "value 'toolCall'", "message"),
    ],
)
def test_a_line_that_is_nearly_right_is_refused_with_what_is_wrong(line: str, said: str, form: str) -> None:
    with pytest.raises(msgspec.MsgspecError, match=said):
        decode_any(line.encode())
    with pytest.raises(msgspec.MsgspecError, match=said):
        decode_event(line.encode(), 0)
    assert json.loads(form_of(line.encode()))["type"] == form


def test_an_entry_may_have_any_json_as_the_result_of_a_call() -> None:
    assert decode_event(b'{"kind":"tool_result","content":{"rows": 2}}', 0).content == '{"rows":2}'
    with pytest.raises(msgspec.ValidationError, match="content"):
        decode_event(b'{"role":"user","content":{"rows": 2}}', 0)


LINES = (
    {"type": "message", "role": "user", "content": "Hello", "timestamp": "2026-03-01T12:30:00Z"},
    {"type": "message", "role": "assistant", "content": "Hi there!", "timestamp": "2026-03-01T12:30:01Z"},
    {"type": "tool_call", "toolName": "read", "args": {"path": "a.py"}, "timestamp": "2026-03-01T12:30:02Z"},
    {"type": "tool_result", "toolCallId": "tc_123", "result": "x = 1", "timestamp": "2026-03-01T12:30:03Z"},
)


def test_lines_of_other_programs_are_the_same_entries_by_client_and_by_command(
    two: tuple[RunningDaemon, RunningDaemon], tmp_path: Path
) -> None:
    here = two[0].seen_by("lines")
    with here.client("lines") as client:
        assert client.append(LINES).stored == len(LINES)
        assert client.append(LINES).known == len(LINES)
    file = tmp_path / "lines.jsonl"
    file.write_text("".join(f"{json.dumps(line, separators=(',', ':'))}\n" for line in LINES))
    command = Command(here.home)
    command.ok("session", "append", "--session", "lines", "--owner", "lines", given=file.read_text())
    command.ok("session", "import", file, "--session", "lines", "--owner", "lines")
    found = all_of(here, "lines")
    assert [(one.kind, one.role, one.name, one.call_id, one.content) for one in found] == [
        ("message", "user", "", "", "Hello"),
        ("message", "assistant", "", "", "Hi there!"),
        ("tool_call", "", "read", "", '{"path":"a.py"}'),
        ("tool_result", "", "", "tc_123", "x = 1"),
    ]


def test_a_mapping_that_is_no_event_is_refused_with_what_one_looks_like(
    two: tuple[RunningDaemon, RunningDaemon],
) -> None:
    with two[0].seen_by("wrong").client("wrong") as client:
        assert client.append([{"role": "user", "content": "hello", "at": DAY}]).stored == 1
        for wrong in ({"type": "message", "content": "x"}, {"type": "message", "content": object()}, {"role": "user"}):
            with pytest.raises(InvalidArgument, match="which is no event") as refused:
                client.append([wrong])
            assert '"content": "..."' in refused.value.hint
        assert client.messages().last == 1


def test_an_import_passes_the_gate_and_keeps_what_a_summary_covers(two: tuple[RunningDaemon, RunningDaemon]) -> None:
    there = two[1].seen_by("another")

    def entry(sequence: int, content: str, covers: int = 0) -> TranscriptRecord:
        return TranscriptRecord(
            session="", sequence=sequence, id=f"e{sequence}", role="user", content=content, at=DAY, covers=covers
        )

    with there.client() as client:
        done = client.import_transcript(
            "s3", [entry(1, f"my key is {KEY}"), entry(2, "tea"), entry(3, "they had tea", covers=2)]
        )
        assert (done.stored, done.left_out) == (3, 0)
        # Where the numbers are others, nobody knows what it covers.
        client.import_transcript("s3", [entry(7, "more"), entry(8, "they had more", covers=7)])
        client.import_transcript("s3", [entry(9, "<private>all of it</private>")])
    found = all_of(there, "s3")
    assert [one.covers for one in found] == [0, 0, 2, 0, 0]
    assert KEY not in found[0].content
    assert "redacted" in found[0].content
    with there.client() as client:
        (info,) = [one for one in client.sessions() if one.session == "s3"]
        assert (info.summarized, info.entries) == (2, 5)


@pytest.mark.parametrize(("line", "reason"), [("{}", "line 1"), ("nonsense", "line 1"), ("", "nothing in it")])
def test_what_is_no_transcript_is_refused_with_its_line(
    two: tuple[RunningDaemon, RunningDaemon], line: str, reason: str
) -> None:
    done = Command(two[1].home)("session", "import", "-", given=line)
    assert reason in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "moment",
    [
        "1e300",
        "-99999999999999999",
        '"10000-01-01T00:00:00Z"',
        '"0001-01-01T00:00:00+14:00"',
        '"9999-12-31T23:59:59-14:00"',
    ],
)
def test_a_moment_that_is_none_is_named_with_its_line(two: tuple[RunningDaemon, RunningDaemon], moment: str) -> None:
    given = f'{{"type":"message","content":"first","timestamp":{DAY.isoformat()!r}}}\n'.replace("'", '"')
    given += f'{{"type":"message","content":"second","timestamp":{moment}}}\n'
    done = Command(two[1].home)("session", "import", "-", "--session", "moments", given=given)
    assert done.returncode == 1
    assert "line 2" in done.stderr
    assert moment in done.stderr
    with two[1].client() as client:
        assert client.messages("moments").entries == ()


@pytest.mark.parametrize("entry", SAID)
def test_a_line_says_what_the_entry_said(entry: Entry) -> None:
    one = TranscriptRecord(
        session="s 1",
        sequence=7,
        id=entry.id,
        kind=entry.kind,
        role=entry.role,
        content=entry.content,
        name=entry.name,
        call_id=entry.call_id,
        at=DAY,
        size=9,
        pushed=True,
        covers=3,
        turns=2,
    )
    line = decode_any(exported(one))
    assert isinstance(line, Line)
    assert record(line, line.session) == one


def test_the_beginning_of_a_session_is_a_line_of_its_own_kind() -> None:
    header = Header(session="s1", project="/p", agent="tui")
    assert decode_any(msgspec.json.encode(header)) == header


def copied(daemon: RunningDaemon) -> bytes:
    return b"".join(file.read_bytes() for file in sorted(daemon.paths.transcripts_copy.rglob("session.jsonl*")))


def test_what_was_said_is_in_the_backup_and_comes_back_from_it(short_home: Path, models: Path) -> None:
    with RunningDaemon(short_home, models) as daemon:
        with daemon.client("s1") as client:
            client.append([Entry(id=f"e{n}", content=f"number {n}", role="user") for n in range(10)])
            stored = client.remember("The scheduler runs every seven minutes.")
            client.backup()
            client.append([Entry(id="e10", content="number 10", role="user")])
            ledger = client.backup()
        with daemon.client("gone") as client:
            client.append([Entry(content="wombatcoconut", role="user")])
            client.backup()
            assert b"wombatcoconut" in copied(daemon)
            client.purge_session("gone")
            assert b"wombatcoconut" not in copied(daemon)
        assert copied(daemon).count(b"\n") == 11
        daemon.kill()
        shutil.rmtree(daemon.paths.transcripts)
        for file in daemon.home.glob("ledger.db*"):
            file.unlink()
        shutil.copy(ledger, daemon.paths.ledger)
        shutil.copytree(daemon.paths.transcripts_copy, daemon.paths.transcripts)
        daemon.start()
        with daemon.client("s1") as client:
            assert [one.id for one in client.messages().entries] == [f"e{n}" for n in range(11)]
            assert client.get(stored.id).content == stored.content
            assert client.append([Entry(id="e10", content="number 10", role="user")]).known == 1
            assert client.search_messages("number 7", session="s1", by="words").found
            client.append([Entry(id="e11", content="number 11", role="user")])
            client.backup()
        assert copied(daemon).count(b"\n") == 12


@pytest.mark.slow
def test_a_copy_goes_on_where_it_broke_off_and_outlives_a_spoilt_transcript(tmp_path: Path) -> None:
    source, target = tmp_path / "transcripts" / "owner" / "s1", tmp_path / "copy"
    source.mkdir(parents=True)
    lines, copy = source / "session.jsonl", target / "owner" / "s1" / "session.jsonl"
    (source / "metadata.json").write_text("{}")
    lines.write_bytes(b'{"a":1}\n{"b":2}\n{"torn')
    assert mirror(tmp_path / "transcripts", target) == 1
    assert copy.read_bytes() == b'{"a":1}\n{"b":2}\n'
    assert mirror(tmp_path / "transcripts", target) == 0
    lines.write_bytes(b'{"a":1}\n{"b":2}\n{"c":3}\n')
    copy.write_bytes(b'{"a":1}\n{"b"')  # it broke off
    assert mirror(tmp_path / "transcripts", target) == 1
    assert copy.read_bytes() == lines.read_bytes()
    lines.write_bytes(b'{"x":1}\n')
    assert mirror(tmp_path / "transcripts", target) == 1
    assert copy.read_bytes() == b'{"x":1}\n'
    assert [file.read_bytes() for file in copy.parent.glob("session.jsonl.*")] == [b'{"a":1}\n{"b":2}\n{"c":3}\n']
    forget(target, "owner", "s1")
    assert not copy.parent.exists()
