"""The tools of a client: their schemas for an API, and one call for all of them."""

from collections.abc import Iterable, Mapping
from typing import Final, Literal

import msgspec

from memoryd_client.arguments import converted
from memoryd_client.async_client import AsyncClient
from memoryd_client.base.errors import DaemonUnreachable, InvalidArgument, MemorydError, RequestFailed
from memoryd_client.client import Client
from memoryd_client.tools.conversations import ArchiveOldMessages, SessionSearch, SummarizeConversation, ViewSummaries
from memoryd_client.tools.core import CoreMemoryUpdate, CoreMemoryView
from memoryd_client.tools.files import (
    DeleteMemoryFile,
    EditMemoryFile,
    Grep,
    Ls,
    ReadMemoryFile,
    SearchMemoryFiles,
    WriteMemoryFile,
)
from memoryd_client.tools.knowledge import KnowledgeSearch
from memoryd_client.tools.memories import (
    MemoryForget,
    MemoryRead,
    MemoryReview,
    MemorySearch,
    MemoryWrite,
    RecallNow,
)
from memoryd_client.tools.schemas import for_anthropic, for_openai, schemas
from memoryd_client.tools.tool import Outcome, Tool
from memoryd_client.transport.exchange import finish
from memoryd_client.wire.request import Ask, R, Request

ALL: Final[tuple[type[Tool], ...]] = (
    MemorySearch,
    MemoryRead,
    MemoryWrite,
    MemoryForget,
    MemoryReview,
    SessionSearch,
    CoreMemoryView,
    CoreMemoryUpdate,
    RecallNow,
    KnowledgeSearch,
    SummarizeConversation,
    ArchiveOldMessages,
    ViewSummaries,
    Ls,
    ReadMemoryFile,
    WriteMemoryFile,
    EditMemoryFile,
    Grep,
    SearchMemoryFiles,
    DeleteMemoryFile,
)
"""In the order in which they are offered."""
Arguments = Mapping[str, object] | str | None
"""What a model gives a tool: an object, or its JSON as OpenAI's API has it."""
_BY_NAME: Final[Mapping[str, type[Tool]]] = {tool.name: tool for tool in ALL}

_ALSO: Final[Mapping[str, str]] = {"type": "category"}
"""What other memories' tools call an argument, and what it is called here: both are taken."""


class _Offered:
    """What tools look like to a model."""

    def __init__(self, which: Literal["default", "all"] | Iterable[str]) -> None:
        self._schemas = schemas(which)

    def for_anthropic(self) -> list[dict[str, object]]:
        """Return the tools as the Messages API takes them."""
        return for_anthropic(self._schemas)

    def for_openai(self) -> list[dict[str, object]]:
        """Return the tools as the chat completions API takes them."""
        return for_openai(self._schemas)

    @property
    def names(self) -> list[str]:
        """The names of the tools."""
        return [str(schema["name"]) for schema in self._schemas]


class Tools(_Offered):
    """The tools of a client: `which` is "default", "all", or their names."""

    def __init__(self, client: Client, which: Literal["default", "all"] | Iterable[str] = "default") -> None:
        super().__init__(which)
        self._client = client

    def call(self, name: str, arguments: Arguments = None) -> str:
        """Call a tool as a model asks for it, and return what to tell it; what went wrong is told, too."""
        return self.run(name, arguments).text

    def run(self, name: str, arguments: Arguments = None) -> Outcome:
        """Call a tool; the outcome also says whether it failed."""
        return finish(outcome(self._ask, name, arguments, self.names))

    async def _ask(self, request: Request[R], deadline_s: float | None = None) -> R:
        return self._client.call(request, deadline_s)


class AsyncTools(_Offered):
    """The tools of an asynchronous client: `Tools`, awaited."""

    def __init__(self, client: AsyncClient, which: Literal["default", "all"] | Iterable[str] = "default") -> None:
        super().__init__(which)
        self._client = client

    async def call(self, name: str, arguments: Arguments = None) -> str:
        """Call a tool as a model asks for it, and return what to tell it; what went wrong is told, too."""
        return (await self.run(name, arguments)).text

    async def run(self, name: str, arguments: Arguments = None) -> Outcome:
        """Call a tool; the outcome also says whether it failed."""
        return await outcome(self._client.call, name, arguments, self.names)


async def outcome(ask: Ask, name: str, given: Arguments, offered: Iterable[str]) -> Outcome:
    """Call one of the tools that are offered."""
    names = list(offered)
    if name not in names:
        return Outcome(f"There is no tool {name[:60]!r}. There are: {', '.join(names)}.", failed=True)
    tool = _BY_NAME[name]
    try:
        arguments = msgspec.json.decode(given or "{}", type=dict[str, object]) if isinstance(given, str) else given
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError) as exc:
        return Outcome(f"{name} failed: its arguments are no JSON object: {exc}. Call it again.", failed=True)
    try:
        return Outcome(await converted(_named(arguments or {}, tool), tool).answer(ask))
    except DaemonUnreachable as exc:
        return Outcome(f"Memory is away: {exc}. {exc.hint} Go on without it, and tell the user.", failed=True)
    except InvalidArgument as exc:
        takes = f"It takes {', '.join(f'`{field}`' for field in tool.__struct_encode_fields__) or 'no arguments'}."
        return Outcome(f"{name} failed: {str(exc).rstrip('.')}. {f'{exc.hint} ' * bool(exc.hint)}{takes}", failed=True)
    except MemorydError as exc:
        lost = isinstance(exc, RequestFailed) and exc.code == "not_found"
        hint = f"{tool.found_by} shows what there is." if lost else exc.hint
        return Outcome(f"{name} failed: {str(exc).rstrip('.')}. {hint}".rstrip(), failed=True)


def _named(given: Mapping[str, object], tool: type[Tool]) -> dict[str, object]:
    """Return arguments as they are called here."""
    takes = tool.__struct_encode_fields__
    meant = {name: _ALSO.get(name, name) for name in given if name not in takes}
    return {
        new if (new := meant.get(name, name)) in takes and new not in given else name: value
        for name, value in given.items()
    }
