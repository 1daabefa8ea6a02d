"""The examples run: a model on this machine answers them, and a real daemon keeps what it writes."""

import json
import runpy
from pathlib import Path

from anthropic import Anthropic, AsyncAnthropic
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.providers.anthropic import AnthropicProvider

from memoryd_client import AsyncClient
from messages_api import MessagesApi, Reply
from running import PROJECT, RunningDaemon

EXAMPLES = Path(__file__).parents[2] / "examples"


def answer(block: dict[str, object], stop_reason: str) -> Reply:
    body = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-haiku-5-5",
        "content": [block],
        "stop_reason": stop_reason,
        "stop_sequence": None,
        "usage": {"input_tokens": 10, "output_tokens": 10},
    }
    return Reply(json.dumps(body).encode())


def calling(tool: str, **arguments: object) -> Reply:
    return answer({"type": "tool_use", "id": f"toolu_{tool}", "name": tool, "input": arguments}, "tool_use")


def saying(text: str) -> Reply:
    return answer({"type": "text", "text": text}, "end_turn")


def played(example: str, served: RunningDaemon, *replies: Reply) -> str:
    """Run an example against a model that answers so, and return what it says in the end."""
    with (
        MessagesApi() as api,
        served.client("example") as client,
        Anthropic(api_key="k", base_url=api.url, max_retries=0) as model,
    ):
        api.queue(*replies)
        said: str = runpy.run_path(str(EXAMPLES / example))["reply"]("Remember the ferry.", client, model)
        return said


def test_the_bare_loop_writes_with_a_tool_and_pushes_what_was_said(served: RunningDaemon) -> None:
    written = calling("memory_write", content="The ferry to Aran sails at nine.")
    assert played("bare_loop.py", served, written, saying("Noted.")) == "Noted."
    with served.client("example") as client:
        assert [memory.content for memory in client.list()] == ["The ferry to Aran sails at nine."]
        served.turn(client, "And what now?")
        assert [entry.content for entry in client.messages().entries][:2] == ["Remember the ferry.", "Noted."]


def test_the_tool_runner_keeps_its_files_here(served: RunningDaemon) -> None:
    made = calling("memory", command="create", path="/memories/ferry.md", file_text="The ferry sails at nine.\n")
    assert played("tool_runner.py", served, made, saying("Noted.")) == "Noted."
    with served.client("example") as client:
        assert client.read_file("memories/ferry.md").content == "The ferry sails at nine.\n"


async def test_an_agent_of_pydantic_ai_has_memory_in_its_prompt_and_writes_with_a_tool(served: RunningDaemon) -> None:
    with served.client("another") as client:
        client.remember("The ferry to Aran sails at nine.")
        served.indexed(client)
    with MessagesApi() as api:
        api.queue(calling("memory_write", content="The ferry to Aran takes bicycles."), saying("Noted."))
        async with (
            AsyncClient(session="example", project=PROJECT, owner=served.owner, paths=served.paths) as memory,
            AsyncAnthropic(api_key="k", base_url=api.url, max_retries=0) as sdk,
        ):
            model = AnthropicModel("claude-haiku-5-5", provider=AnthropicProvider(anthropic_client=sdk))
            example = runpy.run_path(str(EXAMPLES / "pydantic_agent.py"))
            assert await example["reply"]("When does the ferry to Aran sail?", memory, model) == "Noted."
        first, second = api.requests
    assert "memory_search" in {tool["name"] for tool in first.body["tools"]}
    assert "The ferry to Aran sails at nine." in json.dumps(first.body["messages"])
    assert "Remembered: mem_" in json.dumps(second.body["messages"])
    with served.client("example") as client:
        assert "The ferry to Aran takes bicycles." in [memory.content for memory in client.list()]
