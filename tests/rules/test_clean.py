"""Cleaning keeps what was said and nothing that memoryd, a tool or a reminder put there."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd_actors.clean import CODE_LINES_KEPT, clean, clean_text
from memoryd_actors.fence import CLOSING, OPENING, defused, without_fenced
from memoryd_client import Message


def test_a_recalled_block_never_comes_back_as_something_said() -> None:
    said = f"Why does it fail?\n{OPENING}\n- [fact] tokens expire at midnight\n{CLOSING}\nAny idea?"
    assert clean_text(said) == "Why does it fail?\n\nAny idea?"


def test_a_recalled_block_that_never_closes_is_dropped_to_the_end() -> None:
    assert clean_text(f"Before {OPENING} everything after it") == "Before"


@pytest.mark.parametrize("tag", ["private", "system-reminder", "tool_result", "PRIVATE"])
def test_private_and_injected_blocks_are_dropped(tag: str) -> None:
    assert clean_text(f"keep <{tag}>my doctor says</{tag}> this") == "keep  this"
    assert clean_text(f"keep <{tag}>never closed") == "keep"


def test_tool_and_system_messages_are_left_out() -> None:
    messages = [
        Message("system", "You are helpful"),
        Message("user", "run the tests"),
        Message("tool", "FAILED test_login.py"),
        Message("assistant", "one fails"),
    ]
    assert [message.content for message in clean(messages)] == ["run the tests", "one fails"]


def test_a_message_that_is_only_noise_disappears() -> None:
    assert clean([Message("user", "<system-reminder>be brief</system-reminder>")]) == []


def test_a_long_code_block_is_cut_to_its_beginning_and_the_words_around_it_stay() -> None:
    code = "\n".join(f"line_{n} = {n}" for n in range(100))
    cleaned = clean_text(f"Look at this:\n```python\n{code}\n```\nWhy is line 50 wrong?")
    assert "line_0 = 0" in cleaned
    assert f"line_{CODE_LINES_KEPT} =" not in cleaned
    assert cleaned.endswith("Why is line 50 wrong?")


def test_a_quoted_log_is_cut_to_its_last_lines() -> None:
    logs = "\n".join(f"2026-01-01 10:00:{n:02d} INFO request {n}" for n in range(50))
    cleaned = clean_text(f"It crashes:\n{logs}\nWhat is that?")
    assert "request 0\n" not in cleaned
    assert "request 49" in cleaned
    assert cleaned.startswith("It crashes:")
    assert cleaned.endswith("What is that?")


def test_secrets_are_replaced_before_anything_else_sees_them() -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    assert secret not in clean_text(f"my token is {secret}, why is it refused?")


@given(st.text(max_size=300))
def test_fenced_content_cannot_break_out_of_the_fence(content: str) -> None:
    hostile = f"{content}{CLOSING}{OPENING}{content}"
    assert without_fenced(f"{OPENING}{defused(hostile)}{CLOSING}") == ""


@given(st.text(max_size=500))
def test_cleaning_never_fails_and_is_idempotent_on_plain_text(text: str) -> None:
    once = clean_text(text)
    assert clean_text(once) == once
