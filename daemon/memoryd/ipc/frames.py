"""Frames become typed messages here, once, or the failure that says why not."""

from collections.abc import Sequence
from typing import Final

import msgspec

from memoryd_client.arguments import explain
from memoryd_client.wire.context import ContextUpdate
from memoryd_client.wire.failures import Failure
from memoryd_client.wire.protocol import MAX_FRAME_BYTES, Envelope, decode_envelope, decode_update
from memoryd_client.wire.request import PROTOCOL_VERSION

HARD_LIMIT_BYTES: Final = 2 * MAX_FRAME_BYTES
"""ZeroMQ drops the connection of a peer that announces more. Between the two limits it can still be told why."""
_UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
_MAX_REASON = 300
_LONGEST_EXPLAINED = 64 * 1024
"""Bytes of a frame that is read once more to say in words what is wrong with it."""


class _Tag(msgspec.Struct):
    type: str = ""


class _Header(msgspec.Struct):
    """What an envelope of any version is expected to have."""

    id: int = 0
    v: int = PROTOCOL_VERSION
    request: _Tag = msgspec.field(default_factory=_Tag)


class _Number(msgspec.Struct):
    id: int = 0
    v: int = PROTOCOL_VERSION


_decode_header = msgspec.msgpack.Decoder(_Header).decode
_decode_number = msgspec.msgpack.Decoder(_Number).decode


class Unreadable(Exception):
    """Raised when a frame is no message of this protocol; `request_id` is 0 where even that could not be read."""

    def __init__(self, failure: Failure, request_id: int = 0) -> None:
        super().__init__(failure.message)
        self.failure = failure
        self.request_id = request_id


def read_update(frames: Sequence[bytes]) -> ContextUpdate:
    """Return the context update in a message of the push socket; raise Unreadable where there is none."""
    payload = _only(frames)
    try:
        update = decode_update(payload)
    except _UNREADABLE as exc:
        raise Unreadable(_bad_request(exc, payload, ContextUpdate)) from exc
    if update.v != PROTOCOL_VERSION:
        raise Unreadable(_other_version(update.v))
    return update


def read_envelope(frames: Sequence[bytes]) -> Envelope:
    """Return the envelope in a message of the rpc socket, its sender's identity taken off; raise Unreadable."""
    payload = _only(frames)
    try:
        envelope = decode_envelope(payload)
    except _UNREADABLE as exc:
        raise _explained(payload, exc) from exc
    if envelope.v != PROTOCOL_VERSION:
        raise Unreadable(_other_version(envelope.v), envelope.id)
    if not envelope.deadline_s > 0:  # NaN, too
        raise Unreadable(
            Failure(code="bad_request", message=f"deadline_s must be above 0, not {envelope.deadline_s}"), envelope.id
        )
    return envelope


def _only(frames: Sequence[bytes]) -> bytes:
    if len(frames) != 1:
        raise Unreadable(Failure(code="bad_request", message=f"a message has one frame, not {len(frames)}"))
    if len(frames[0]) > MAX_FRAME_BYTES:
        number = _number(frames[0])
        raise Unreadable(
            Failure(
                code="too_large",
                message=f"the message has {len(frames[0])} bytes and may have {MAX_FRAME_BYTES}",
                hint="Send less at once.",
            ),
            number.id,
        )
    return frames[0]


def _explained(payload: bytes, error: Exception) -> Unreadable:
    """Say as precisely as the rest of the frame allows why it cannot be read."""
    number = _number(payload)
    if number.v != PROTOCOL_VERSION:
        return Unreadable(_other_version(number.v), number.id)
    try:
        tag = _decode_header(payload).request.type
    except _UNREADABLE:
        return Unreadable(_bad_request(error, payload, Envelope), number.id)
    if tag and tag not in _KNOWN:
        return Unreadable(
            Failure(
                code="unknown_request",
                message=f"this memoryd knows no request {tag[:40]!r}",
                hint="It is older than the client: upgrade it, then `memoryd restart`.",
            ),
            number.id,
        )
    return Unreadable(_bad_request(error, payload, Envelope), number.id)


def number_of(payload: bytes) -> int:
    """Return the id of a request; 0 where it cannot be read."""
    return _number(payload).id


def _number(payload: bytes) -> _Number:
    try:
        return _decode_number(payload)
    except _UNREADABLE:
        return _Number()


def _bad_request(error: Exception, payload: bytes, kind: type[msgspec.Struct]) -> Failure:
    reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)[:_MAX_REASON]
    if isinstance(error, msgspec.ValidationError) and len(payload) <= _LONGEST_EXPLAINED:
        try:
            problem = explain(error, kind, msgspec.msgpack.decode(payload))
        except _UNREADABLE:
            pass
        else:
            return Failure(code="bad_request", message=problem.message, hint=problem.hint)
    return Failure(code="bad_request", message=f"the message cannot be read: {reason}")


def _other_version(version: int) -> Failure:
    older = version < PROTOCOL_VERSION
    return Failure(
        code="unsupported_version",
        message=f"the message is written for protocol version {version}, this memoryd speaks {PROTOCOL_VERSION}",
        hint="Upgrade the client." if older else "Upgrade memoryd, then `memoryd restart`.",
    )


def _tags() -> frozenset[str]:
    from typing import get_args

    from memoryd_client.wire.protocol import AnyRequest

    return frozenset(str(kind.__struct_config__.tag) for kind in get_args(AnyRequest))


_KNOWN = _tags()
