"""Looking through memory files with a pattern, in a process that can be ended: some patterns take for ever."""

from collections.abc import Sequence

import anyio
from anyio import to_process

from memoryd_actors.memory.paths import matching
from memoryd_client.wire.virtual_files import FileMatch


async def grep(pattern: str, files: Sequence[tuple[str, str]], limit: int, timeout_s: float) -> list[FileMatch]:
    """Return the lines that match; after `timeout_s` seconds, or where the caller gives up, the process is killed.

    A thread would not do: the expression engine holds the interpreter, and with it the whole daemon.

    Raises:
        TimeoutError: the pattern takes longer.
    """
    # A new process takes its time to start and to import this, seconds on a busy machine.
    await to_process.run_sync(matching, "", [], 1, cancellable=True)
    with anyio.fail_after(timeout_s):
        return await to_process.run_sync(matching, pattern, list(files), limit, cancellable=True)
