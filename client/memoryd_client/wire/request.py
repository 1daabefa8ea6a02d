"""What every request is: of a protocol version, and answered."""

import msgspec

PROTOCOL_VERSION = 1


class Done(msgspec.Struct, frozen=True, omit_defaults=True, tag="done"):
    """It is done; `detail` says what, where that is not obvious."""

    detail: str = ""
