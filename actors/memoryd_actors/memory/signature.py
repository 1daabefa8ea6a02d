"""The name under which somebody's write goes into the history."""

from memoryd_actors.redaction import Rules, redacted
from memoryd_actors.redaction.rules import DEFAULT
from memoryd_actors.texts.fence import one_line
from memoryd_client.wire.caller import Caller

MAX_LABEL = 200
"""Characters of a title, a speaker, a tag, an owner, the name of a metadata entry."""


def signed(caller: Caller, rules: Rules = DEFAULT) -> str:
    """Return the name under which a caller's write goes into the history: never a reason to refuse it, so it is cut."""
    return redacted(one_line(caller.agent, MAX_LABEL), rules)
