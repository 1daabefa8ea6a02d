"""The server: what memory offers over the Model Context Protocol. The daemon is asked when a tool is first called.

`memoryd_cli` comes here without the rest of the command line, and nothing is imported before it is needed: listing the
tools takes the standard library's JSON only.
"""

import os
import signal
import sys

from memoryd_cli.mcp.protocol import INTERNAL_ERROR, INVALID_PARAMETERS, UNKNOWN_RESOURCE, Protocol, RpcError
from memoryd_client.tools.schemas import schemas
from memoryd_client.version import VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

    from memoryd_cli.mcp.protocol import Json
    from memoryd_client import Client

INSTRUCTIONS = (
    "Long-term memory of this user and project. Search it (memory_search) before you begin a task and before you "
    "answer about earlier work, people, decisions or preferences; write what will matter later with memory_write."
)
_DEADLINE_S = 30.0
_CORE, _RECENT, _ONE = "memory://core", "memory://recent", "memory://memories/"
_MARKDOWN = "text/markdown"
_PROMPTS = {
    "recall": ("What does memory know about a topic?", "topic", "what to look for"),
    "remember": ("Have something remembered.", "what", "what to remember"),
}


class McpServer:
    """Memory as tools, resources and prompts."""

    def __init__(self, *, tools: "str | Sequence[str]", project: str, owner: str, session: str, agent: str) -> None:
        self._schemas = schemas(tools)
        self._project, self._owner, self._session, self._agent = project, owner, session, agent
        self._client: Client | None = None
        self.protocol = Protocol(
            {
                "tools/list": self._tools,
                "tools/call": self._call,
                "resources/list": self._resources,
                "resources/templates/list": self._templates,
                "resources/read": self._read,
                "prompts/list": self._prompts,
                "prompts/get": self._prompt,
                "completion/complete": lambda _: {"completion": {"values": [], "hasMore": False}},
            },
            {
                "capabilities": {"tools": {}, "resources": {}, "prompts": {}, "logging": {}, "completions": {}},
                "serverInfo": {"name": "memoryd", "title": "memoryd", "version": VERSION},
                "instructions": INSTRUCTIONS,
            },
        )

    def _tools(self, _: "Json") -> "Json":
        fields = ("name", "title", "description", "annotations")
        return {
            "tools": [
                {**{field: tool[field] for field in fields}, "inputSchema": tool["parameters"]}
                for tool in self._schemas
            ]
        }

    def _call(self, parameters: "Json") -> "Json":
        name, arguments = parameters.get("name"), parameters.get("arguments")
        if name not in [tool["name"] for tool in self._schemas]:
            raise RpcError(INVALID_PARAMETERS, f"Unknown tool: {name}")
        if not isinstance(arguments, dict | None):
            raise RpcError(INVALID_PARAMETERS, "Invalid params: `arguments` is an object")
        text, failed = self._run(str(name), arguments or {})
        return {"content": [{"type": "text", "text": text}], "isError": failed}

    def _run(self, name: str, arguments: "Json") -> tuple[str, bool]:
        from memoryd_client.tools import Tools

        return Tools(self._connected(), [name]).run(name, arguments)

    def _connected(self) -> "Client":
        if self._client is None:
            from memoryd_client import Client

            self._client = Client(
                session=self._session,
                project=self._project or None,
                agent=agent_name(self._agent or self.protocol.client),
                owner=self._owner or "local",
                deadline_s=_DEADLINE_S,
            )
        return self._client

    def _resources(self, _: "Json") -> "Json":
        return {
            "resources": [
                {
                    "uri": _CORE,
                    "name": "core memory",
                    "mimeType": _MARKDOWN,
                    "description": "What stands in every context",
                },
                {"uri": _RECENT, "name": "recent memories", "mimeType": _MARKDOWN, "description": "The newest 20"},
            ]
        }

    def _templates(self, _: "Json") -> "Json":
        return {"resourceTemplates": [{"uriTemplate": _ONE + "{id}", "name": "memory", "mimeType": _MARKDOWN}]}

    def _read(self, parameters: "Json") -> "Json":
        uri = str(parameters.get("uri"))
        if uri == _CORE:
            text, failed = self._run("core_memory_view", {})
        elif uri == _RECENT:
            text, failed = self._recent()
        elif uri.startswith(_ONE):
            text, failed = self._run("memory_read", {"id": uri.removeprefix(_ONE)})
        else:
            raise RpcError(UNKNOWN_RESOURCE, f"Resource not found: {uri}", {"uri": uri})
        if failed:
            raise RpcError(UNKNOWN_RESOURCE if uri.startswith(_ONE) else INTERNAL_ERROR, text, {"uri": uri})
        return {"contents": [{"uri": uri, "mimeType": _MARKDOWN, "text": text}]}

    def _recent(self) -> tuple[str, bool]:
        from memoryd_client import MemorydError
        from memoryd_client.tools.tool import line, provenance, short

        try:
            memories = self._connected().list(limit=20, passages=False)
        except MemorydError as error:
            return f"{error}. {error.hint}", True
        return "\n".join(
            f"- [{provenance(memory)}, {short(memory.id)}] {line(memory.content)}" for memory in memories
        ), False

    def _prompts(self, _: "Json") -> "Json":
        return {
            "prompts": [
                {
                    "name": name,
                    "description": described,
                    "arguments": [{"name": argument, "description": meaning, "required": True}],
                }
                for name, (described, argument, meaning) in _PROMPTS.items()
            ]
        }

    def _prompt(self, parameters: "Json") -> "Json":
        name, given = str(parameters.get("name")), parameters.get("arguments")
        if name not in _PROMPTS:
            raise RpcError(INVALID_PARAMETERS, f"Unknown prompt: {name}")
        argument = _PROMPTS[name][1]
        value = given.get(argument) if isinstance(given, dict) else None
        if not isinstance(value, str) or not value.strip():
            raise RpcError(INVALID_PARAMETERS, f"Missing argument: {argument}")
        if name == "recall":
            text = f"What memory has about {value}:\n\n{self._run('memory_search', {'query': value, 'limit': 10})[0]}"
        else:
            text = f"Remember this with memory_write, in one self-contained sentence: {value}"
        return {"messages": [{"role": "user", "content": {"type": "text", "text": text}}]}


def agent_name(name: str) -> str:
    """Return the name of an agent: none is the user or a script (`memoryd_client.wire.caller`)."""
    return "mcp" if name in {"", "cli", "script"} else name


def main(arguments: "Sequence[str]") -> bool:
    """Serve as the arguments say; return False where they are not understood."""
    given: dict[str, str] = {}
    names = iter(arguments)
    for name in names:
        option, joined, value = name.removeprefix("--").partition("=")
        if not name.startswith("--") or option not in ("tools", "project", "owner", "session", "agent"):
            return False
        found = value if joined else next(names, None)
        if found is None:
            return False
        given[option] = found
    try:
        serve(**given)
    except ValueError:
        return False


def serve(
    *, tools: str = "default", project: str = "", owner: str = "", session: str = "", agent: str = ""
) -> "NoReturn":
    """Answer the lines on stdin until there are no more, or somebody ends it."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, _leave)
    which = tools if tools in ("default", "all") else [name.strip() for name in tools.split(",")]
    server = McpServer(tools=which, project=project or _project(), owner=owner, session=session, agent=agent)
    try:
        for line in sys.stdin.buffer:
            answer = server.protocol.answer(line)
            if answer is not None:
                sys.stdout.buffer.write(answer)
                sys.stdout.buffer.flush()
    except BrokenPipeError:
        pass
    os._exit(0)


def _leave(_number: int, _frame: object) -> None:
    os._exit(0)


def _project() -> str:
    """Return the project that the host works in; none where it runs its servers in a home or at the root."""
    named = os.environ.get("MEMORYD_PROJECT") or os.environ.get("CLAUDE_PROJECT_DIR")
    here = os.getcwd()
    return named or ("" if here in ("/", os.environ.get("HOME")) else here)
