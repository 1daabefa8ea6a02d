"""The socket that hooks talk to: plain bytes, so that a hook needs no library. docs/hooks.md describes it."""

import logging
import os
import socket
import struct
from collections.abc import Awaitable, Callable
from typing import Final

import anyio
from anyio import TASK_STATUS_IGNORED
from anyio.abc import SocketAttribute, SocketStream, TaskStatus
from anyio.streams.buffered import BufferedByteReceiveStream

from memoryd.hosts.request import HookRequest, NotARequest, read_request
from memoryd.ipc.endpoints import check_vacant
from memoryd_client.base.paths import Paths

_log = logging.getLogger(__name__)
MOST_AT_ONCE: Final = 64
"""Hooks served at the same time; further ones go without an answer."""
OURSELVES: Final = "memoryd"
"""The host under which `memoryd doctor` asks whether the way through the hook is open."""
ALIVE: Final = b"memoryd"
_REQUEST_S: Final = 5.0
_UCRED = struct.Struct("3i")


class HookServer:
    """Serves `hooks.sock` beside the other sockets, for this user alone.

    `answer` returns what the host is to read on the hook's stdout; it is told whatever a hook sends. `wait_s` is how
    long it may take, beyond which hooks give up; they read it from a file beside the socket. `lost` is told of what
    was answered when its hook had given up.
    """

    def __init__(
        self,
        paths: Paths,
        answer: Callable[[HookRequest], Awaitable[bytes]],
        *,
        wait_s: float,
        lost: Callable[[HookRequest], Awaitable[None]] | None = None,
    ) -> None:
        self._paths = paths
        self._answer = answer
        self._lost = lost
        self._wait_s = wait_s
        self._open = 0

    async def run(self, *, task_status: TaskStatus[None] = TASK_STATUS_IGNORED) -> None:
        """Serve until cancelled; started once hooks are heard."""
        path, wait = self._paths.hooks_socket, self._paths.hooks_wait
        await anyio.to_thread.run_sync(check_vacant, path)
        async with await anyio.create_unix_listener(path, mode=0o600, backlog=512) as listener:
            try:
                await anyio.to_thread.run_sync(wait.write_text, f"{self._wait_s:g}")
                task_status.started()
                await listener.serve(self._serve)
            finally:
                for file in (path, wait):
                    file.unlink(missing_ok=True)

    async def _serve(self, stream: SocketStream) -> None:
        async with stream:
            if self._open >= MOST_AT_ONCE or not _is_ours(stream):
                return
            self._open += 1
            try:
                with anyio.fail_after(_REQUEST_S):
                    request = await read_request(BufferedByteReceiveStream(stream))
                answer = ALIVE if request.host == OURSELVES else await self._answer(request)
                try:
                    await stream.send(b"%d\n" % len(answer) + answer)
                except (anyio.BrokenResourceError, anyio.ClosedResourceError):  # the hook has given up
                    if answer and self._lost:
                        await self._lost(request)
            except (NotARequest, TimeoutError) as wrong:
                _log.info("a hook's request was not understood: %s", wrong)
            except (anyio.BrokenResourceError, anyio.ClosedResourceError):
                pass  # the hook has given up before it had said all
            except Exception as error:  # the outer edge: one event must not end the service
                _log.error("an event of a host failed", exc_info=error)
            finally:
                self._open -= 1


def _is_ours(stream: SocketStream) -> bool:
    """Return whether this user, or root, is at the other end, as far as the kernel says."""
    if not hasattr(socket, "SO_PEERCRED"):
        return True  # the folder of the sockets lets nobody else in
    raw = stream.extra(SocketAttribute.raw_socket)  # noqa: S610 - anyio's, not a query's
    _, user, _ = _UCRED.unpack(raw.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _UCRED.size))
    return user in (0, os.geteuid())
