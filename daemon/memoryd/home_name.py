"""The name of a home: given once, kept for life, so that homes which share a ledger can be told apart."""

import secrets
from pathlib import Path

from memoryd.rewriting import rewriting


def home_name(home: Path) -> str:
    """Return the name of a home, and give it one where it has none. Blocks.

    Raises:
        OSError: it cannot be read or written.
    """
    file = home / "name"
    try:
        return file.read_text(encoding="ascii").strip()
    except FileNotFoundError:
        name = secrets.token_hex(8)
        with rewriting(file) as target:
            target.write(f"{name}\n".encode())
        return name
