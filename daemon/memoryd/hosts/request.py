"""What a hook sends: lines that say who asks, an empty line, and the host's event as it came."""

import re
from typing import Final

import msgspec
from anyio import EndOfStream, IncompleteRead
from anyio.streams.buffered import BufferedByteReceiveStream

FIRST_LINE: Final = b"memoryd-hook 1"
MAX_HEAD_BYTES: Final = 32_768
MAX_EVENT_BYTES: Final = 16 * 1024 * 1024
"""A prompt with all that was pasted into it; what is larger is not looked at."""
_HOST = re.compile(r"[a-z][a-z0-9-]{0,31}")


class HookRequest(msgspec.Struct, frozen=True):
    """One event of a host."""

    host: str
    """The name it was connected under: `claude`, `codex`, ..."""
    event: str = ""
    """The event's name, where the hook was configured with it."""
    folder: str = ""
    """The folder in which the hook was started."""
    project: str = ""
    """MEMORYD_PROJECT of the hook's environment."""
    owner: str = ""
    """MEMORYD_OWNER of the hook's environment."""
    body: bytes = b""
    """The event, untouched."""


class NotARequest(Exception):
    """Raised when what arrives is not what a hook sends."""


async def read_request(stream: BufferedByteReceiveStream) -> HookRequest:
    """Read one request.

    Raises:
        NotARequest: it is malformed, too large, or ends early.
    """
    try:
        head = await stream.receive_until(b"\n\n", MAX_HEAD_BYTES)
        said = _said(head)
        length = int(said.pop("length", "0"))
        if not 0 <= length <= MAX_EVENT_BYTES:
            raise NotARequest(f"an event of {length} bytes")
        body = await stream.receive_exactly(length) if length else b""
        request = msgspec.convert({**said, "body": body}, HookRequest)
    except (EndOfStream, IncompleteRead) as ended:
        raise NotARequest("it ends early") from ended
    except Exception as wrong:
        if isinstance(wrong, NotARequest | OSError):
            raise
        raise NotARequest(str(wrong)) from wrong
    if not _HOST.fullmatch(request.host):
        raise NotARequest("no host is named")
    return request


def _said(head: bytes) -> dict[str, str]:
    first, *lines = head.split(b"\n")
    if first != FIRST_LINE:
        raise NotARequest("it does not begin as a hook's request does")
    pairs = (line.decode(errors="surrogateescape").partition(" ") for line in lines)
    return {name: value for name, _, value in pairs}
