"""Looking through memory files with a pattern, in a process that can be ended: some patterns take for ever."""

from collections.abc import Sequence

from anyio import to_process

from memoryd_actors.virtual_files.paths import matching
from memoryd_client.virtual_files import FileMatch


async def grep(pattern: str, files: Sequence[tuple[str, str]], limit: int) -> list[FileMatch]:
    """Return the lines that match; where the caller gives up, the process is killed.

    A thread would not do: the expression engine holds the interpreter, and with it the whole daemon.
    """
    return await to_process.run_sync(matching, pattern, list(files), limit, cancellable=True)
