"""CONTRIBUTING names a room and a test for each system, and they are there."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCES = ("client/memoryd_client", "actors/memoryd_actors", "daemon/memoryd", "cli/memoryd_cli")
ROW = re.compile(r"^\| ([^|]+) \| (`[^|]+`) \| `([\w/]+\.py)` \|$", re.MULTILINE)


def test_each_system_has_a_room_and_a_test_of_its_own() -> None:
    page = (
        (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split("## Systems and their tests")[1].split("\n## ")[0]
    )
    rows = ROW.findall(page)
    assert len(rows) > 60
    assert len({system for system, _, _ in rows}) == len({test for _, _, test in rows}) == len(rows)
    for system, rooms, test in rows:
        for room in re.findall("`([^`]+)`", rooms):
            assert any((ROOT / source / room).exists() for source in SOURCES), f"{system}: there is no {room}"
        assert "def test_" in (ROOT / "tests" / test).read_text(encoding="utf-8"), system
