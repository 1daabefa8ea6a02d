"""On whose behalf a request is made."""

from typing import Final

import msgspec

PERSON: Final = "cli"
"""The agent as which the user's own ways come: the command line at a terminal, `memoryd ui`, and a program that has
asked its user."""


class Caller(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """On whose behalf a request is made. The daemon trusts it: only its own user can reach the sockets."""

    owner: str = "local"
    project: str = ""
    """Root of the project; empty outside any."""
    agent: str = ""
    session: str = ""
