"""Where the files of a session are: names that are safe whatever an owner or a session is called."""

import re
from hashlib import sha256
from pathlib import Path

LINES = "session.jsonl"
METADATA = "metadata.json"
_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")
_READABLE = 40
"""Characters of a session's name that its folder begins with, so that a person finds it."""


def owner_folder(root: Path, owner: str) -> Path:
    """Return the folder of everything that an owner's sessions said."""
    return root / _digest(owner)


def session_folder(root: Path, owner: str, session: str) -> Path:
    """Return the folder of one session. Names that differ in case only differ in it, too."""
    readable = _UNSAFE.sub("-", session)[:_READABLE].strip("-")
    return owner_folder(root, owner) / f"{readable}-{_digest(session)}".lstrip("-")


def _digest(name: str) -> str:
    return sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:20]
