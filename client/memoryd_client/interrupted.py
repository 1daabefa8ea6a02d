"""A run that was interrupted: what an agent needs to go on exactly where it stopped."""

from collections.abc import Mapping
from typing import Final, cast

import msgspec

from memoryd_client.base.errors import NotInterrupted
from memoryd_client.wire.checkpoints import Checkpoint

KIND: Final = {"kind": "interrupted"}
"""What marks such a checkpoint in its `meta`."""


class PendingCall(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A tool call that was decided on and has not been answered yet."""

    id: str
    name: str
    arguments: dict[str, object] = {}


class Interrupted(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Where a run stopped. Values may be anything that MessagePack knows: text, numbers, bytes, dates, lists, dicts.

    They come back equal; only tuples and sets inside come back as lists.
    """

    position: str
    """Where in its task the run is, in the agent's own terms."""
    working_memory: dict[str, object] = {}
    """What it was thinking with."""
    pending_calls: tuple[PendingCall, ...] = ()
    """In the order in which they are to be made."""


_decode = msgspec.msgpack.Decoder(Interrupted).decode


def pack(run: Interrupted | Mapping[str, object]) -> bytes:
    """Return a run, or a mapping that says the same, as the content of a checkpoint.

    Raises:
        TypeError: it holds a value that cannot be stored, or is no run.
    """
    try:
        packed = msgspec.msgpack.encode(run, enc_hook=_plain)
        _decode(packed)
    except (ValueError, OverflowError, RecursionError) as exc:
        raise TypeError(f"an interrupted run holds a value that cannot be stored: {exc}") from exc
    return packed


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(cast("Mapping[object, object]", value))
    raise TypeError(f"an interrupted run holds a {type(value).__name__}, which cannot be stored")


def run_in(checkpoint: Checkpoint) -> Interrupted:
    """Return the run that `pack` made a checkpoint's bytes of.

    Raises:
        NotInterrupted: they are something else.
    """
    try:
        return _decode(checkpoint.data)
    except (ValueError, RecursionError) as exc:
        info = checkpoint.info
        raise NotInterrupted(
            info.thread, info.version, size=info.size, meta=info.meta, reason=str(exc) or type(exc).__name__
        ) from exc
