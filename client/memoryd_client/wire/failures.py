"""Why a request was not fulfilled, as the daemon says it."""

from typing import Literal

import msgspec

ErrorCode = Literal[
    "bad_request",  # cannot be decoded, or a field is out of range
    "unknown_request",
    "unsupported_version",
    "too_large",
    "not_found",
    "ambiguous",  # a shortened id fits several memories
    "refused",  # understood and declined; the message says why
    "overloaded",  # a queue is full; try again
    "unavailable",  # a part of the daemon is missing (model, index); the hint says what to do
    "disk_full",
    "deadline",
    "internal",
]


class Failure(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="failure"):
    """Why a request was not fulfilled: what, why, and what to do."""

    code: ErrorCode
    message: str
    hint: str = ""
