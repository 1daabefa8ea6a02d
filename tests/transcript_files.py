"""Transcripts, for tests: entries, and what is read of them."""

from datetime import UTC, datetime
from pathlib import Path

import msgspec

from memoryd_actors.ports.transcripts import Kept, Key, Transcripts
from memoryd_client.wire.transcripts import Entry

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
KEY = ("local", "s1")


def kept(content: str, **fields: str) -> Kept:
    """Return an entry as it is to be stored."""
    return Kept(msgspec.convert({"content": content, "role": "user", **fields}, Entry), AT)


async def append(transcripts: Transcripts, *entries: Kept, key: Key = KEY) -> int:
    """Append entries; return how many were new."""
    return (await transcripts.append(key, entries, project="/p", agent="a")).stored


async def contents(transcripts: Transcripts, key: Key = KEY) -> list[str]:
    """Return the contents of a session."""
    return [one.content for one in await transcripts.read(key, after=0, limit=1000, characters=10**9)]


def lines(root: Path) -> Path:
    """Return the file of the only session."""
    return next(root.rglob("session.jsonl"))
