"""The rules of the Scribe: what is new of a push, and what of an entry is written down."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd_actors.conversations.overlap import fingerprint, new_after, new_places
from memoryd_actors.conversations.recording import recorded
from memoryd_actors.redaction import Rules
from memoryd_client.wire.transcripts import Entry

KEY = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
RULES = Rules()


@given(st.lists(st.integers(0, 1000), unique=True, max_size=60), st.data())
def test_pushing_windows_of_a_conversation_again_and_again_keeps_each_message_once(
    said: list[int], data: st.DataObject
) -> None:
    stored: list[int] = []
    at = 0
    while at < len(said):
        at = data.draw(st.integers(at + 1, len(said)))
        # Windows overlap, or at least follow one another.
        window = said[data.draw(st.integers(0, len(stored))) : at]
        stored += [window[place] for place in new_places(stored, window)]
        assert new_places(stored, window) == []
    assert stored == said


def test_what_was_said_twice_is_there_twice() -> None:
    yes, question, other = 1, 2, 3
    assert new_places([yes, question], [question, yes]) == [1]
    assert new_places([yes, question, other], [question, other, yes]) == [2]
    assert new_places([yes], [yes, yes]) == [1]


def test_what_a_client_appended_itself_is_not_taken_from_its_push_again() -> None:
    first, reply, second = 1, 2, 3
    assert new_places([first, second], [first, reply, second]) == [1]
    assert new_places([7, first, 8, second], [first, second]) == []


def test_a_short_window_comes_after_the_one_before_it() -> None:
    yes, explain, reply, other = 1, 2, 3, 4
    assert new_after([explain], [], [yes]) == [0]
    assert new_after([yes], [], [yes]) == []
    assert new_after([yes], [], [yes, reply]) == [1]
    assert new_after([explain], [reply], [yes]) == [0]
    assert new_after([explain], [yes], [yes]) == [], "the agent appended it itself"
    assert new_after([explain, yes], [], [yes, other]) == [1]
    assert new_after([explain], [], [yes, reply, other]) is None


def test_a_tool_says_the_same_in_whatever_role_it_is_pushed() -> None:
    assert fingerprint("tool_result", "tool", "x") == fingerprint("tool_result", "", "x")
    assert fingerprint("message", "user", "x") != fingerprint("message", "assistant", "x")


def test_private_blocks_recalled_memory_and_secrets_are_not_written_down() -> None:
    text = f"before <private>mine</private> {KEY} <recalled-memories source='memoryd'>old</recalled-memories> after"
    entry = recorded(Entry(content=text, role="user"), RULES, longest=1000)
    assert entry is not None
    assert entry.content == "before  [redacted:github-token]  after"


def test_a_size_that_is_no_more_than_what_is_here_cuts_nothing() -> None:
    text = "The vault code word is marzipan.\nSay it twice."
    entry = recorded(Entry(content=text, role="user", size=9), RULES, longest=1000)
    assert entry is not None
    assert (entry.content, entry.size) == (text, 0)


def test_a_size_that_no_transcript_can_hold_is_refused_before_anything_is_stored() -> None:
    said = {"role": "user", "content": "Too long to be true.", "size": 2**53}
    with pytest.raises(msgspec.ValidationError, match="size"):
        msgspec.convert(said, Entry)


def test_of_what_was_private_or_skipped_altogether_nothing_is_written_down() -> None:
    assert recorded(Entry(content="<private>all of it"), RULES, longest=1000) is None
    assert recorded(Entry(content="forget this #skip"), RULES, longest=1000) is None
    assert recorded(Entry(content=" \n"), RULES, longest=1000) is None
    assert recorded(Entry(content="", kind="tool_call", name="now"), RULES, longest=1000) is not None


@given(st.integers(0, 9000), st.integers(1, 5000))
def test_no_part_of_a_secret_is_left_where_a_long_text_is_cut(before: int, longest: int) -> None:
    entry = recorded(Entry(content="a " * (before // 2) + KEY + " b" * 6000), RULES, longest=longest)
    assert entry is not None
    assert KEY[:12] not in entry.content
    assert len(entry.content) <= longest + 50
    assert entry.content.endswith(f"[cut: {entry.size} characters in all]")
    assert entry.size == before // 2 * 2 + len(KEY) + 12_000


def test_escapes_in_the_arguments_of_a_call_hide_no_secret() -> None:
    arguments = (
        r'{"c": "Das Passwort f\u00fcr den Router ist 8jhYQusDRpUk", "n": 1.50, "p": "C:\\u00fc", "e": "\u0007"}'
    )
    kept = recorded(Entry(kind="tool_call", content=arguments), RULES, longest=1_000)
    assert kept is not None
    assert kept.content == (
        r'{"c":"Das Passwort für den Router ist [redacted:password]","n":1.50,"p":"C:\\u00fc","e":"\u0007"}'
    )


def test_arguments_of_a_call_keep_their_numbers_and_lose_their_white_space() -> None:
    entry = recorded(Entry(content='{ "n": 1.0,\n "s": "a b" }', kind="tool_call"), RULES, longest=1000)
    assert entry is not None
    assert entry.content == '{"n":1.0,"s":"a b"}'
