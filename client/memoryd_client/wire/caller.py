"""On whose behalf a request is made."""

from typing import Final

import msgspec

PERSON: Final = "cli"
"""The agent as which the user's own ways come: the command line at a terminal, `memoryd ui`, and a program that has
asked its user."""
SCRIPT: Final = "script"
"""The agent as which the command line comes where nobody is at a terminal."""


class Caller(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """On whose behalf a request is made. The daemon trusts it: only its own user can reach the sockets."""

    owner: str = "local"
    project: str = ""
    """Root of the project; empty outside any."""
    agent: str = ""
    session: str = ""

    @property
    def is_agent(self) -> bool:
        """Whether an agent asks: neither the user nor a program, which gives no name."""
        return self.agent not in {"", PERSON, SCRIPT}
