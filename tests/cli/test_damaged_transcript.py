"""A damaged line of a transcript, as a user meets it."""

import json
from pathlib import Path

import pytest

from .memoryd_command import Command


@pytest.mark.slow
def test_damage_is_told_wherever_the_session_is_looked_at(served: Command) -> None:
    owner = served.environment["MEMORYD_OWNER"]
    served.ok("session", "append", "--session", "hurt", "first words", "second words", "third words")
    file = next(one for one in (served.home / "transcripts").rglob("session.jsonl") if owner_of(one) == owner)
    file.write_bytes(file.read_bytes().replace(b"second words", b"second wo\xff\xfes"))
    shown = served("session", "show", "hurt")
    assert "2  cannot be read: damaged" in shown.stdout
    assert "first words" in shown.stdout
    assert "third words" in shown.stdout
    assert "1 of them cannot be read" in shown.stderr
    assert json.loads(served.ok("session", "show", "hurt", "--json"))["missing"] == 1
    listed = served("session", "list")
    assert "unreadable" in listed.stdout
    assert "memoryd doctor" in listed.stderr
    (info,) = json.loads(served.ok("session", "list", "--json"))
    assert (info["entries"], info["last"], info["damaged"], info["missing"]) == (2, 3, 1, 1)
    exported = served("session", "export", "hurt")
    assert exported.stdout.count('"type":"message"') == 2
    assert "1 of its 3 entries left out" in exported.stderr
    assert "1 entry whose lines are damaged" in served("session", "context", "hurt").stderr
    part = json.loads(served.ok("status", "--json"))["components"]["transcripts"]
    assert part["state"] == "degraded"
    assert part["message"] == "damaged lines: 1 entry in 1 session cannot be read"
    examined = served("doctor", "--json")
    assert examined.returncode == 1
    hurt = [one for one in json.loads(examined.stdout)["findings"] if one["file"] == str(file)]
    assert [one["lines"] for one in hurt] == [[2]]
    served.ok("session", "append", "--session", "hurt", "fourth words")
    assert "fourth words" in served.ok("session", "search", "fourth", "--in", "hurt")
    served.ok("session", "purge", "hurt", "--yes")
    assert json.loads(served.ok("status", "--json"))["components"]["transcripts"]["state"] == "ok"
    assert not file.parent.exists()


def owner_of(file: Path) -> str:
    return str(json.loads(file.with_name("metadata.json").read_bytes())["userId"])
