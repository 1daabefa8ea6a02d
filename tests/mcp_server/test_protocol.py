"""What the MCP server says line by line, without a daemon."""

import json
import re
import subprocess
import sys

import pytest

from memoryd_cli.mcp.protocol import LEGACY, MODERN
from memoryd_cli.mcp.server import McpServer, agent_name
from memoryd_client.wire.caller import PERSON

META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "a-host", "version": "1"},
}


@pytest.fixture
def server() -> McpServer:
    return McpServer(tools="default", project="", owner="", session="", agent="")


def ask(server: McpServer, method: str, **parameters: object) -> dict[str, object]:
    message = {"jsonrpc": "2.0", "id": 7, "method": method, "params": parameters}
    line = server.protocol.answer(json.dumps(message).encode())
    assert line is not None
    assert line.endswith(b"\n")
    assert b"\n" not in line[:-1]
    answer = json.loads(line)
    assert answer["jsonrpc"] == "2.0"
    assert answer["id"] == 7
    found: dict[str, object] = answer
    return found


def result(server: McpServer, method: str, **parameters: object) -> dict[str, object]:
    found = ask(server, method, **parameters)["result"]
    assert isinstance(found, dict)
    return found


def code(answer: dict[str, object]) -> object:
    error = answer["error"]
    assert isinstance(error, dict)
    return error["code"]


@pytest.mark.parametrize("version", LEGACY)
def test_a_version_that_is_known_is_spoken(server: McpServer, version: str) -> None:
    found = result(server, "initialize", protocolVersion=version, capabilities={}, clientInfo={"name": "codex"})
    assert found["protocolVersion"] == version
    assert server.protocol.client == "codex"
    assert "resultType" not in found


@pytest.mark.parametrize("version", ["1999-01-01", MODERN, None])
def test_to_another_version_the_newest_is_offered_that_begins_so(server: McpServer, version: str | None) -> None:
    assert result(server, "initialize", protocolVersion=version)["protocolVersion"] == LEGACY[0]


def test_the_newer_era_discovers_and_each_result_is_complete(server: McpServer) -> None:
    found = result(server, "server/discover", _meta=META)
    assert found["supportedVersions"] == [MODERN, *LEGACY]
    assert server.protocol.client == "a-host"
    for method in ("server/discover", "tools/list", "prompts/list", "resources/list", "resources/templates/list"):
        found = result(server, method, _meta=META)
        assert found["resultType"] == "complete"
        assert found["cacheScope"] == "private"
        assert isinstance(found["ttlMs"], int)
        assert found["_meta"]


def test_in_the_older_era_lists_are_as_they_were(server: McpServer) -> None:
    assert set(result(server, "tools/list")) == {"tools"}


@pytest.mark.parametrize("method", ["initialize", "ping", "logging/setLevel", "resources/subscribe"])
def test_what_the_newer_era_dropped_is_not_found_in_it(server: McpServer, method: str) -> None:
    assert code(ask(server, method, _meta=META)) == -32601


def test_pings_and_levels_of_the_older_era_are_answered(server: McpServer) -> None:
    assert result(server, "ping") == result(server, "logging/setLevel", level="warning") == {}


@pytest.mark.parametrize(
    ("method", "parameters", "number"),
    [
        ("no/such", {}, -32601),
        ("tools/call", {"name": "no_such_tool"}, -32602),
        ("tools/call", {"name": "grep", "arguments": {"pattern": "x"}}, -32602),
        ("tools/call", {"name": "memory_search", "arguments": [1]}, -32602),
        ("prompts/get", {"name": "no_such"}, -32602),
        ("prompts/get", {"name": "recall"}, -32602),
        ("resources/read", {"uri": "memory://no/such"}, -32002),
        ("resources/read", {"uri": "memory://no/such", "_meta": META}, -32602),
        ("tools/list", {"_meta": {"io.modelcontextprotocol/protocolVersion": "2030-01-01"}}, -32022),
        ("tools/list", {"_meta": {"io.modelcontextprotocol/protocolVersion": MODERN}}, -32602),
        ("server/discover", {}, -32602),
        ("server/discover", {"_meta": {"io.modelcontextprotocol/clientCapabilities": {}}}, -32602),
    ],
)
def test_an_error_has_the_number_that_says_what_it_is(
    server: McpServer, method: str, parameters: dict[str, object], number: int
) -> None:
    assert code(ask(server, method, **parameters)) == number


@pytest.mark.parametrize(
    ("line", "number"),
    [
        (b"{not json", -32700),
        (b"\xff\xfe", -32700),
        (b"[" * 100_000, -32700),
        (b"3", -32600),
        (b"[]", -32600),
        (b'{"id":1,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":3}', -32600),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600),
    ],
)
def test_what_is_no_request_is_answered_as_such(server: McpServer, line: bytes, number: int) -> None:
    answer = server.protocol.answer(line)
    assert answer is not None
    assert code(json.loads(answer)) == number


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"  \r\n",
        b'{"jsonrpc":"2.0","method":"notifications/initialized"}',
        b'{"jsonrpc":"2.0","method":"notifications/no_such"}',
        b'{"jsonrpc":"2.0","id":1,"result":{}}',
    ],
)
def test_notifications_answers_and_blanks_are_met_with_silence(server: McpServer, line: bytes) -> None:
    assert server.protocol.answer(line) is None


def test_several_requests_in_one_line_are_answered_in_one(server: McpServer) -> None:
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    line = server.protocol.answer(json.dumps([ping, {"jsonrpc": "2.0", "method": "x"}, {**ping, "id": 2}]).encode())
    assert line is not None
    assert [answer["id"] for answer in json.loads(line)] == [1, 2]


def test_every_tool_is_annotated_and_keeps_its_place(server: McpServer) -> None:
    tools = result(server, "tools/list")["tools"]
    assert tools == result(server, "tools/list")["tools"]
    assert isinstance(tools, list)
    assert all(tool["annotations"]["openWorldHint"] is False for tool in tools)
    by_name = {tool["name"]: tool["annotations"] for tool in tools}
    assert by_name["memory_search"]["readOnlyHint"]
    assert not by_name["memory_write"]["destructiveHint"]
    assert by_name["memory_forget"]["destructiveHint"]


def test_tools_can_be_listed_before_anything_heavy_is_loaded() -> None:
    listing = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
    code = (
        "import sys; from memoryd_cli import main; from memoryd_cli.mcp.server import McpServer, agent_name\n"
        "server = McpServer(tools='all', project='', owner='', session='', agent='')\n"
        f"assert server.protocol.answer(b'{listing}')\nprint(sorted(sys.modules))"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    heavy = {"typer", "rich", "msgspec", "zmq", "anyio", "asyncio", "typing", "pathlib", "importlib.metadata", "mcp"}
    assert not heavy & set(re.findall(r"'([\w.]+)'", loaded))


@pytest.mark.parametrize(
    ("arguments", "status", "said"), [(["--tools", "rm"], 1, "no tool"), (["--nonsense"], 2, "--nonsense")]
)
def test_arguments_that_make_no_sense_are_told(arguments: list[str], status: int, said: str) -> None:
    run = subprocess.run(
        [sys.executable, "-c", "from memoryd_cli import main; main()", "mcp", *arguments],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert run.returncode == status
    assert not run.stdout
    assert said in run.stderr


def test_no_agent_is_the_user_whatever_it_calls_itself() -> None:
    assert [agent_name(name) for name in ("codex", "", PERSON)] == ["codex", "mcp", "mcp"]
