"""CONTRIBUTING names a test for each system, and it is there."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
ROW = re.compile(r"^\| ([^|]+) \| `([\w/]+\.py)` \|$", re.MULTILINE)


def test_each_system_has_a_test_of_its_own() -> None:
    page = (
        (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split("## Systems and their tests")[1].split("\n## ")[0]
    )
    rows = ROW.findall(page)
    assert len(rows) > 50
    assert len({system for system, _ in rows}) == len({test for _, test in rows}) == len(rows)
    for system, test in rows:
        assert "def test_" in (ROOT / "tests" / test).read_text(encoding="utf-8"), system
