"""Messages are taken as agents have them."""

import pytest
from anthropic.types import Message as ApiMessage
from anthropic.types import TextBlock, ToolUseBlock, Usage

from memoryd_client import Message
from memoryd_client.agent_messages import as_message
from memoryd_client.outgoing import MAX_PUSHED_MESSAGES, conversation

CALL = {"type": "tool_use", "id": "t1", "name": "ls", "input": {"path": "."}}
RESULT = {"type": "tool_result", "tool_use_id": "t1", "content": "a.py"}


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"role": "user", "content": "why?"}, Message("user", "why?")),
        ({"role": "user", "content": "why?", "name": "Ada"}, Message("user", "why?", "Ada")),
        ({"role": "user", "content": [{"type": "text", "text": "why?"}]}, Message("user", "why?")),
        (
            {"role": "assistant", "content": [{"type": "text", "text": "Let me see."}, CALL]},
            Message("assistant", "Let me see."),
        ),
        ({"role": "user", "content": [RESULT, {"type": "text", "text": "and now?"}]}, Message("user", "and now?")),
        ({"role": "user", "content": [{"type": "input_text", "text": "why?"}]}, Message("user", "why?")),
        ({"role": "assistant", "content": [{"type": "output_text", "text": "so"}]}, Message("assistant", "so")),
        ({"role": "tool", "tool_call_id": "c1", "content": "a.py"}, Message("tool", "a.py")),
        ({"role": "user", "content": ["a", {"type": "text", "text": "b"}]}, Message("user", "a\n\nb")),
    ],
)
def test_a_mapping_is_a_message(said: dict[str, object], message: Message) -> None:
    assert as_message(said) == message


@pytest.mark.parametrize(
    "said",
    [
        {"role": "user", "content": [RESULT]},
        {"role": "assistant", "content": [CALL]},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "type": "function"}]},
        {"role": "user", "content": [{"type": "image", "source": {}}]},
    ],
)
def test_what_only_tools_said_is_left_out(said: dict[str, object]) -> None:
    assert as_message(said) is None
    assert conversation([said, Message("user", "why?")]) == (Message("user", "why?"),)


def test_the_objects_of_an_sdk_are_messages() -> None:
    answer = ApiMessage(
        id="m1",
        type="message",
        role="assistant",
        model="claude-haiku-5-5",
        content=[TextBlock(type="text", text="Done."), ToolUseBlock(type="tool_use", id="t", name="ls", input={})],
        usage=Usage(input_tokens=1, output_tokens=1),
    )
    said: list[dict[str, object]] = [
        {"role": "user", "content": "do it"},
        {"role": "assistant", "content": answer.content},
    ]
    assert conversation(said) == (Message("user", "do it"), Message("assistant", "Done."))
    assert as_message(answer) == Message("assistant", "Done.")


@pytest.mark.parametrize("said", ["why?", 3, None, {"content": "why?"}, {"role": "user", "content": 3}])
def test_what_is_no_message_is_refused(said: object) -> None:
    with pytest.raises(TypeError, match=r"message"):
        as_message(said)


def test_the_newest_of_many_are_kept() -> None:
    said = [{"role": "user", "content": str(number)} for number in range(MAX_PUSHED_MESSAGES + 5)]
    kept = conversation(said)
    assert len(kept) == MAX_PUSHED_MESSAGES
    assert kept[0].content == "5"
