"""Anthropic's memory tool, kept by memoryd: for the tool runner of the Anthropic SDK, which has to be installed.

runner = anthropic.beta.messages.tool_runner(..., tools=[MemoryTool(Client(project="."))])
"""

from collections.abc import Coroutine
from typing import Any

from anthropic.lib.tools import ToolError
from anthropic.tools.memory import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool
from anthropic.types.beta import (
    BetaCacheControlEphemeralParam,
    BetaMemoryTool20250818CreateCommand,
    BetaMemoryTool20250818DeleteCommand,
    BetaMemoryTool20250818InsertCommand,
    BetaMemoryTool20250818RenameCommand,
    BetaMemoryTool20250818StrReplaceCommand,
    BetaMemoryTool20250818ViewCommand,
)

from memoryd_client.async_client import AsyncClient
from memoryd_client.base.errors import MemorydError
from memoryd_client.client import Client
from memoryd_client.memory_files import CommandRefused, MemoryFolder
from memoryd_client.transport.exchange import finish
from memoryd_client.wire.request import R, Request


class AsyncMemoryTool(BetaAsyncAbstractMemoryTool):
    """`MemoryTool`, awaited."""

    def __init__(
        self,
        client: AsyncClient,
        *,
        folder: str = "memories",
        cache_control: BetaCacheControlEphemeralParam | None = None,
    ) -> None:
        super().__init__(cache_control=cache_control)
        self._files = MemoryFolder(client.call, folder)

    async def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        """Show a file with numbered lines, or what is in a folder."""
        return await _answered(self._files.view(command.path, command.view_range))

    async def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        """Create a file."""
        return await _answered(self._files.create(command.path, command.file_text))

    async def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Replace a passage of a file."""
        return await _answered(self._files.replace(command.path, command.old_str, command.new_str))

    async def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """Insert lines into a file."""
        return await _answered(self._files.insert(command.path, command.insert_line, command.insert_text))

    async def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """Delete a file or a folder."""
        return await _answered(self._files.delete(command.path))

    async def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """Rename a file or a folder."""
        return await _answered(self._files.rename(command.old_path, command.new_path))

    async def clear_all_memory(self) -> str:
        """Delete everything."""
        return await _answered(self._files.clear())


class MemoryTool(BetaAbstractMemoryTool):
    """The memory tool of the Messages API on the memory files of a client, below `folder`.

    What it tells the model are the words of the SDK's own tool for local files.
    """

    def __init__(
        self,
        client: Client,
        *,
        folder: str = "memories",
        cache_control: BetaCacheControlEphemeralParam | None = None,
    ) -> None:
        super().__init__(cache_control=cache_control)

        async def ask(request: Request[R], deadline_s: float | None = None) -> R:
            return client.call(request, deadline_s)

        self._files = MemoryFolder(ask, folder)

    def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        """Show a file with numbered lines, or what is in a folder."""
        return finish(_answered(self._files.view(command.path, command.view_range)))

    def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        """Create a file."""
        return finish(_answered(self._files.create(command.path, command.file_text)))

    def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Replace a passage of a file."""
        return finish(_answered(self._files.replace(command.path, command.old_str, command.new_str)))

    def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """Insert lines into a file."""
        return finish(_answered(self._files.insert(command.path, command.insert_line, command.insert_text)))

    def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """Delete a file or a folder."""
        return finish(_answered(self._files.delete(command.path)))

    def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """Rename a file or a folder."""
        return finish(_answered(self._files.rename(command.old_path, command.new_path)))

    def clear_all_memory(self) -> str:
        """Delete everything."""
        return finish(_answered(self._files.clear()))


async def _answered(work: Coroutine[Any, Any, str]) -> str:
    """Return what came of a command; what went wrong is told to the model as an error of the tool."""
    try:
        return await work
    except CommandRefused as exc:
        raise ToolError(str(exc)) from exc
    except MemorydError as exc:
        raise ToolError(f"{exc}. {exc.hint}".rstrip()) from exc
