"""The official client talks to the server, in both eras of the protocol, and the server to a real daemon."""

import os
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal

import pytest
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.types import TextContent, TextResourceContents

from mcp import Client
from memoryd_cli.mcp.protocol import LEGACY, MODERN
from running import RunningDaemon

COMMAND = "from memoryd_cli import main; main()"
Era = Literal["auto", "legacy"]
ERAS = pytest.mark.parametrize("era", ["auto", "legacy"])


@asynccontextmanager
async def connected(daemon: RunningDaemon, era: Era, *options: str) -> AsyncGenerator[Client]:
    server = StdioServerParameters(
        command=sys.executable, args=["-c", COMMAND, "mcp", *options], env=daemon.environment, cwd=daemon.home
    )
    async with Client(stdio_client(server), mode=era) as client:
        yield client


async def called(client: Client, name: str, **arguments: object) -> tuple[str, bool]:
    result = await client.call_tool(name, arguments)
    (block,) = result.content
    assert isinstance(block, TextContent)
    return block.text, bool(result.is_error)


@ERAS
async def test_what_one_host_writes_another_finds(daemon: RunningDaemon, era: Era) -> None:
    async with connected(daemon, era, "--owner", era, "--agent", "one") as client:
        assert client.protocol_version == (MODERN if era == "auto" else LEGACY[0])
        said, failed = await called(client, "memory_write", content="The ferry to Aran sails at nine.")
        assert not failed
        assert said.startswith("Remembered: mem_")
    async with connected(daemon, era, "--owner", era, "--agent", "two") as client:
        found, failed = await called(client, "memory_search", query="ferry to Aran")
        assert not failed
        assert "sails at nine" in found
        wrong, failed = await called(client, "memory_search", query="x", limit=500)
        assert failed
        assert "from 1 to 50" in wrong


@ERAS
async def test_resources_and_prompts_are_there_for_hosts_that_show_them(daemon: RunningDaemon, era: Era) -> None:
    owner = f"resources-{era}"
    async with connected(daemon, era, "--owner", owner) as client:
        await called(client, "core_memory_update", section="human", content="Works with Ada.")
        written, _ = await called(client, "memory_write", content="The ferry to Aran sails at nine.")
        memory_id = written.split()[1]
        assert [str(one.uri) for one in (await client.list_resources()).resources] == [
            "memory://core",
            "memory://recent",
        ]
        for uri, text in (
            ("memory://core", "Works with Ada."),
            ("memory://recent", "sails at nine"),
            (f"memory://memories/{memory_id}", "sails at nine"),
        ):
            (content,) = (await client.read_resource(uri)).contents
            assert isinstance(content, TextResourceContents)
            assert text in content.text
        assert {one.name for one in (await client.list_prompts()).prompts} >= {"recall", "remember"}
        (message,) = (await client.get_prompt("recall", {"topic": "ferry to Aran"})).messages
        assert isinstance(message.content, TextContent)
        assert "sails at nine" in message.content.text


@ERAS
async def test_all_tools_are_offered_on_request(daemon: RunningDaemon, era: Era) -> None:
    async with connected(daemon, era, "--tools", "all", "--owner", f"all-{era}") as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
        assert names >= {"memory_search", "ls", "grep", "knowledge_search", "summarize_conversation"}
        assert (await called(client, "ls")) == ("There are none.", False)


@pytest.mark.slow
async def test_it_goes_on_after_a_restart_of_the_daemon_and_says_when_there_is_none(
    short_home: Path, models: Path
) -> None:
    daemon = RunningDaemon(short_home, models)
    async with connected(daemon, "auto") as client:
        said, failed = await called(client, "memory_search", query="x")
        assert failed
        assert "memoryd start" in said
        daemon.start()
        try:
            assert not (await called(client, "memory_write", content="The ferry sails at nine."))[1]
            daemon.kill()
            assert (await called(client, "memory_search", query="ferry"))[1]
            daemon.start()
            said, failed = await called(client, "memory_search", query="ferry")
            assert not failed
            assert "sails at nine" in said
        finally:
            daemon.kill()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, None])
def test_it_ends_when_it_is_told_to_and_when_nobody_is_left(number: signal.Signals | None, tmp_path: Path) -> None:
    environment = os.environ | {"MEMORYD_HOME": str(tmp_path)}
    process = subprocess.Popen(
        [sys.executable, "-c", COMMAND, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
    )
    assert process.stdin
    assert process.stdout
    process.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
    process.stdin.flush()
    assert process.stdout.readline() == b'{"jsonrpc": "2.0", "id": 1, "result": {}}\n'
    if number is not None:
        process.send_signal(number)
    rest, _ = process.communicate(timeout=60)
    assert (process.returncode, rest) == (0, b"")
