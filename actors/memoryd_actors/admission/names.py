"""Names under which things are kept and found again: owner, session, thread, id, project.

They stand in tables, file names, events and logs as they are, so none may be a secret: what looks like one is refused,
because replaced it would be another name.
"""

import re

from msgspec.structs import replace

from memoryd_actors.core.errors import Refused
from memoryd_actors.core.remembered import remembered
from memoryd_actors.redaction import redact
from memoryd_actors.redaction.rules import DEFAULT, Rules
from memoryd_actors.redaction.vendors import find_tokens
from memoryd_client.wire.caller import Caller

_SECRETS_ONLY: Rules = replace(DEFAULT, personal_data=frozenset())
# Not the user's own words, and no personal data: whoever has their name replaced has it in the path of their home, too.
_OF_CHANCE = frozenset({"artifactory-key"})
"""Formats of so few letters that random names have them, too: one in 3,000 of 16 random bytes in base 64."""
_DRAWN = re.compile(r"(?:mem_)?(?:[0-9a-z]{20}|[0-9a-f]{32})|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
"""Ids that memoryd draws, and UUIDs: most names."""
_PART = re.compile(r"[_:./@-]+")
_MOST_PARTS = 64
_LONGEST_TOKEN = 400
"""Characters behind a sign in which a token is looked for: what is longer is known by its beginning."""


def check_names(**names: str) -> None:
    """Refuse names that are secrets; empty ones are none.

    Raises:
        Refused: one holds a secret. The message shows it with the secret replaced.
    """
    for field, name in names.items():
        if name and (shown := _shown(name)):
            raise Refused(
                f"`{field}` holds a secret: {shown}",
                f"Use another {field}: it stands beside everything that is kept under it, so it cannot hold one.",
            )


def are_names(caller: Caller) -> bool:
    """Return whether what a caller names may be kept."""
    return not any(name and _shown(name) for name in (caller.owner, caller.session, caller.project))


@remembered(4096)
def _shown(name: str) -> str:
    """Return a name without the secret in it; empty where there is none. 3 µs a character, then remembered."""
    if _DRAWN.fullmatch(name):
        return ""
    whole = redact(name, _SECRETS_ONLY)
    if any(found.rule not in _OF_CHANCE for found in whole.findings):
        return whole.text[:200]
    # Within a name a token may follow a sign that elsewhere is part of a word: `mem_ghp_…`.
    for part in list(_PART.finditer(name))[:_MOST_PARTS]:
        rest = name[part.end() : part.end() + _LONGEST_TOKEN]
        for found in find_tokens(rest):
            if found.rule not in _OF_CHANCE:
                return f"{name[: part.end()]}{rest[: found.start]}{found.marker}"[:200]
    return ""
