"""On whose behalf a request is made."""

import msgspec


class Caller(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """On whose behalf a request is made. The daemon trusts it: only its own user can reach the sockets."""

    owner: str = "local"
    project: str = ""
    """Root of the project; empty outside any."""
    agent: str = ""
    session: str = ""
