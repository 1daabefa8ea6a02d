"""The name of a home: given once, kept for life, so that homes which share a ledger can be told apart."""

import os
import secrets
from pathlib import Path


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
        new = file.with_name("name.new")
        with new.open("w", encoding="ascii") as stream:
            stream.write(f"{name}\n")
            stream.flush()
            os.fsync(stream.fileno())
        new.replace(file)
        return name
