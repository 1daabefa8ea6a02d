import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd_cli.demo.transcript import TranscriptUnusable, read_transcript

USER = '{"session": "s", "role": "user", "content": "hello"}'

text = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip)
messages = st.fixed_dictionaries(
    {"session": text, "role": st.sampled_from(["user", "assistant", "system", "tool"]), "content": text},
    optional={
        "name": text,
        "quiet": st.booleans(),
        "expects": st.lists(text, max_size=3),
        "ts": st.datetimes().map(lambda moment: moment.isoformat() + "Z"),
        "remember": st.fixed_dictionaries({"content": text}, optional={"label": text, "trust": st.floats(0, 1)}),
        "something_new": st.integers(),
    },
)


@given(st.lists(messages, min_size=1), st.booleans())
def test_every_line_written_in_the_format_is_read_as_it_was_written(
    lines: list[dict[str, object]], escaped: bool
) -> None:
    lines = [*lines, json.loads(USER)]
    transcript = read_transcript(json.dumps(line, ensure_ascii=escaped) for line in lines)
    assert transcript.problems == ()
    assert [(said.session, said.message.role, said.message.content, said.quiet) for said in transcript.said] == [
        (line["session"], line["role"], line["content"], line.get("quiet", False)) for line in lines
    ]
    assert sum(len(said.notes) for said in transcript.said) == sum("remember" in line for line in lines)


@given(st.lists(st.text()), st.integers(0))
def test_no_line_whatever_it_holds_stops_the_others_from_being_read(rubbish: list[str], at: int) -> None:
    lines = [line.replace("\n", " ") for line in rubbish]
    lines.insert(at % (len(lines) + 1), USER)
    transcript = read_transcript(lines)
    assert "hello" in [said.message.content for said in transcript.said]
    assert len(transcript.said) + len(transcript.problems) <= len(lines)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "truncated"),
        ("[]", "object"),
        ('{"session": "s", "role": "user"}', "content"),
        ('{"session": "s", "role": "robot", "content": "x"}', "robot"),
        ('{"session": "s", "role": "user", "content": "x", "ts": "yesterday"}', "ts"),
        ('{"session": "s", "role": "user", "content": "x", "remember": {"contents": "y"}}', "contents"),
        ('{"type": "user", "message": {"role": "user", "content": 7}}', "message"),
    ],
)
def test_a_line_that_cannot_be_used_is_reported_by_its_number_with_the_reason(line: str, reason: str) -> None:
    transcript = read_transcript([USER, "", line, USER])
    assert transcript.turns == 2
    (problem,) = transcript.problems
    assert problem.line == 3
    assert reason in problem.reason


@pytest.mark.parametrize("lines", [[], [""], ["{"], ['{"session": "s", "role": "assistant", "content": "x"}']])
def test_a_transcript_in_which_no_user_speaks_is_refused(lines: list[str]) -> None:
    with pytest.raises(TranscriptUnusable):
        read_transcript(lines)


def test_lines_that_name_no_session_belong_to_one() -> None:
    line = {"role": "user", "content": "x"}
    transcript = read_transcript([json.dumps(line), json.dumps({**line, "role": "assistant"})])
    assert (len(transcript.sessions), transcript.problems) == (1, ())
    assert not transcript.remembers


def test_several_memories_may_be_stored_after_one_message() -> None:
    line = {"session": "s", "role": "assistant", "content": "x", "remember": [{"content": "a"}, {"content": "b"}]}
    said = read_transcript([USER, json.dumps(line)]).said[1]
    assert [note.content for note in said.notes] == ["a", "b"]


def test_a_transcript_of_claude_code_is_understood() -> None:
    lines = [
        {"type": "summary", "summary": "Fixing the login"},
        {"type": "user", "isMeta": True, "sessionId": "c1", "message": {"role": "user", "content": "boot text"}},
        {
            "type": "user",
            "sessionId": "c1",
            "timestamp": "2026-03-02T09:05:00.000Z",
            "uuid": "u",
            "message": {"role": "user", "content": "Fix the login."},
        },
        {
            "type": "assistant",
            "sessionId": "c1",
            "message": {
                "role": "assistant",
                "model": "m",
                "content": [
                    {"type": "thinking", "thinking": "hm"},
                    {"type": "text", "text": "I look at it."},
                    {"type": "tool_use", "id": "t", "name": "Read", "input": {"path": "a.py"}},
                ],
            },
        },
        {
            "type": "user",
            "sessionId": "c1",
            "message": {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": "def a"}]}
                ],
            },
        },
        {
            "type": "user",
            "sessionId": "c1",
            "message": {
                "role": "user",
                "content": "<command-name>/clear</command-name>\n<command-args></command-args>",
            },
        },
        {
            "type": "user",
            "sessionId": "c1",
            "message": {"role": "user", "content": "<local-command-stdout>cleared</local-command-stdout>"},
        },
        {"type": "user", "sessionId": "c1", "message": {"role": "user", "content": "/compact"}},
        {"type": "file-history-snapshot", "snapshot": {}},
    ]
    transcript = read_transcript(map(json.dumps, lines))
    assert transcript.problems == ()
    assert transcript.sessions == ("c1",)
    assert [(said.message.role, said.message.content) for said in transcript.said] == [
        ("user", "Fix the login."),
        ("assistant", "I look at it."),
        ("tool", "def a"),
    ]
