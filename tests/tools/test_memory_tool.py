"""The memory tool of the Messages API: as the SDK's own tool for local files says it, and driven by its tool runner."""

import json
import re
from pathlib import Path

import pytest
from anthropic import Anthropic, AsyncAnthropic
from anthropic.lib.tools import ToolError
from anthropic.tools.memory import BetaLocalFilesystemMemoryTool

from memoryd_client import AsyncClient
from memoryd_client.memory_tool import AsyncMemoryTool, MemoryTool
from messages_api import MessagesApi, Reply
from running import PROJECT, RunningDaemon

Command = dict[str, object]


def create(path: str, text: str) -> Command:
    return {"command": "create", "path": path, "file_text": text}


def view(path: str, *lines: int) -> Command:
    return {"command": "view", "path": path, "view_range": list(lines) or None}


def replace(path: str, old: str, new: str) -> Command:
    return {"command": "str_replace", "path": path, "old_str": old, "new_str": new}


def insert(path: str, line: int, text: str) -> Command:
    return {"command": "insert", "path": path, "insert_line": line, "insert_text": text}


def delete(path: str) -> Command:
    return {"command": "delete", "path": path}


def rename(old: str, new: str) -> Command:
    return {"command": "rename", "old_path": old, "new_path": new}


NOTES, DEEP = "/memories/notes.md", "/memories/projects/ferry/plan.md"
STORY = [
    view("/memories"),
    create(NOTES, "# Notes\nAda likes tea.\n\nThe ferry sails at nine.\nAda is at home.\n"),
    create(NOTES, "again"),
    create(DEEP, "  Sail at nine.\nBring tea."),
    create("/memories/projects/todo.xml", "<todo>\n  <item>paint the boat</item>\n</todo>\n"),
    view("/memories"),
    view("/memories/projects"),
    view("/memories/projects/ferry"),
    view(NOTES),
    view(NOTES, 2, 3),
    view(NOTES, 3, -1),
    view(NOTES, 40, 50),
    view(DEEP),
    view("/memories/none.md"),
    view("/etc/passwd"),
    view("/memories/../etc/passwd"),
    view("/memories/projects/../notes.md"),
    replace(NOTES, "nine", "noon"),
    replace(NOTES, "nine", "noon"),
    replace(NOTES, "Ada", "Grace"),
    replace("/memories/none.md", "a", "b"),
    replace("/memories/projects", "a", "b"),
    view(NOTES),
    insert(NOTES, 0, "First of all.\n"),
    insert(NOTES, 3, "In the middle,\nof two lines."),
    insert(NOTES, 99, "Too far."),
    insert("/memories/none.md", 0, "Nowhere."),
    view(NOTES),
    insert(DEEP, 2, "Come back."),
    view(DEEP),
    rename(NOTES, "/memories/old/notes.md"),
    rename("/memories/none.md", "/memories/some.md"),
    rename("/memories/projects/todo.xml", DEEP),
    rename("/memories", "/memories/self"),
    rename("/memories/projects", "/memories/work"),
    view("/memories/work"),
    view("/memories/work/ferry/plan.md"),
    view("/memories/old/notes.md"),
    delete("/memories"),
    delete("/memories/none.md"),
    delete("/memories/work/todo.xml"),
    delete("/memories/work"),
    view("/memories/work/ferry/plan.md"),
    create(NOTES, "Anew."),
    view(NOTES),
]
_FOLDER_SIZE = re.compile(r"^[\d.]+[BKMG](?=\t\S*(?:/|/memories|/projects|/ferry|/work)$)", re.MULTILINE)
"""Of a folder, the disk's in the one case, and what is in it in the other."""


def told(tool: MemoryTool | BetaLocalFilesystemMemoryTool, command: Command) -> str:
    try:
        said = tool.call(command)
    except ToolError as error:
        said = f"error: {error.content}"
    assert isinstance(said, str)
    return _FOLDER_SIZE.sub("SIZE", said)


def test_it_says_what_the_tool_of_the_sdk_says(served: RunningDaemon, tmp_path: Path) -> None:
    local = BetaLocalFilesystemMemoryTool(str(tmp_path))
    with served.client("s1") as client:
        kept = MemoryTool(client)
        for command in STORY:
            assert told(kept, command) == told(local, command), command
        assert kept.to_dict() == local.to_dict()
        assert kept.clear_all_memory() == local.clear_all_memory() == "All memory cleared"
        assert told(kept, view("/memories")) == told(local, view("/memories"))


def test_behind_it_are_memories_with_a_history_that_can_be_restored(served: RunningDaemon) -> None:
    with served.client("s1") as client:
        tool = MemoryTool(client, folder="desk")
        tool.call(create(NOTES, "The ferry sails at nine.\n"))
        tool.call(replace(NOTES, "nine", "noon"))
        (file,) = client.list_files("desk/")
        assert (file.path, file.revision) == ("desk/notes.md", 2)
        assert [entry.event for entry in client.history(file.id)] == ["UPDATE", "ADD"]
        tool.call(delete(NOTES))
        client.restore(file.id)
        assert "noon" in str(tool.call(view(NOTES)))


def test_what_the_daemon_refuses_is_an_error_of_the_tool(served: RunningDaemon) -> None:
    with served.client("s1") as client:
        tool = MemoryTool(client)
        with pytest.raises(ToolError, match="bytes and may have"):
            tool.call(create(NOTES, "ü" * 600_000))
        with pytest.raises(ToolError, match="nothing to remember"):
            tool.call(create(NOTES, ""))


def reply(*blocks: dict[str, object], stop_reason: str) -> Reply:
    body = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-haiku-5-5",
        "content": blocks,
        "stop_reason": stop_reason,
        "stop_sequence": None,
        "usage": {"input_tokens": 10, "output_tokens": 10},
    }
    return Reply(json.dumps(body).encode())


def calling(number: int, command: Command) -> Reply:
    block: dict[str, object] = {"type": "tool_use", "id": f"toolu_{number}", "name": "memory", "input": command}
    return reply(block, stop_reason="tool_use")


SCRIPT = (
    calling(1, view("/memories")),
    calling(2, create(NOTES, "Ada likes coffee.\n")),
    calling(3, create(NOTES, "again")),
    reply({"type": "text", "text": "Noted."}, stop_reason="end_turn"),
)
ASKED = "Remember that I like coffee."


def results(server: MessagesApi) -> list[tuple[str, bool]]:
    """What the model was told of its calls, each once."""
    blocks = {
        block["tool_use_id"]: block
        for request in server.requests
        for message in request.body["messages"]
        if isinstance(message["content"], list)
        for block in message["content"]
        if block["type"] == "tool_result"
    }
    return [(str(block["content"]), bool(block.get("is_error"))) for block in blocks.values()]


def check(server: MessagesApi) -> None:
    assert server.requests[0].body["tools"] == [{"type": "memory_20250818", "name": "memory"}]
    seen, made, again = results(server)
    assert seen[0].startswith("Here're the files and directories")
    assert made == ("File created successfully at: /memories/notes.md", False)
    assert again == ("File /memories/notes.md already exists", True)


def test_the_tool_runner_of_the_sdk_keeps_its_memory_here(served: RunningDaemon) -> None:
    with (
        MessagesApi() as server,
        served.client("s1") as client,
        Anthropic(api_key="k", base_url=server.url, max_retries=0) as sdk,
    ):
        server.queue(*SCRIPT)
        sdk.beta.messages.tool_runner(
            model="claude-haiku-5-5",
            max_tokens=100,
            messages=[{"role": "user", "content": ASKED}],
            tools=[MemoryTool(client)],
        ).until_done()
        check(server)
        assert client.read_file("memories/notes.md").content == "Ada likes coffee.\n"


async def test_the_asynchronous_tool_runner_does_so_too(served: RunningDaemon) -> None:
    with MessagesApi() as server:
        server.queue(*SCRIPT)
        async with (
            AsyncClient(session="s1", project=PROJECT, owner=served.owner, paths=served.paths) as client,
            AsyncAnthropic(api_key="k", base_url=server.url, max_retries=0) as sdk,
        ):
            runner = sdk.beta.messages.tool_runner(
                model="claude-haiku-5-5",
                max_tokens=100,
                messages=[{"role": "user", "content": ASKED}],
                tools=[AsyncMemoryTool(client)],
            )
            await runner.until_done()
        check(server)
