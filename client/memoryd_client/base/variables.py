"""The environment variables that are no settings of the daemon: where it is, and on whose behalf one speaks."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Final

OWN: Final = frozenset(
    f"MEMORYD_{name}"
    for name in (
        "HOME CONFIG RUNTIME_DIR SESSION PROJECT AGENT OWNER SERVER KEY AUTOSTART DEBUG INTERNAL QUESTION".split()
    )
)


def unread(name: str, known: Iterable[str]) -> str:
    """Return the sentence about a variable that nobody reads, with the one that may be meant."""
    near = get_close_matches(name, known, n=1)
    return f"nobody reads {name}" + (f"; is {near[0]} meant?" if near else "")


def misspelt(environ: Mapping[str, str]) -> list[str]:
    """Return a sentence for each variable that can only be one of these, and is none.

    A setting of the daemon has a section and a name, so it is of several words; it is the daemon that looks at these.
    """
    return [
        unread(name, OWN)
        for name in sorted(environ)
        if name.startswith("MEMORYD_") and "_" not in name.removeprefix("MEMORYD_") and name not in OWN
    ]
