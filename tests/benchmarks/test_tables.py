"""The README's tables of recall have the form that one command makes of the figures, and their places."""

import re

import pytest
from benchmarks.tables import README, daily_table, gate_table, recall_table, replaced


def place(name: str) -> str:
    """Return the table that stands in the README."""
    found = re.search(rf"<!-- {name} -->\n(.*)\n<!-- /{name} -->", README.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    return found[1]


def test_figures_come_out_as_the_readme_shows_them() -> None:
    one = {"in context": 0.5976, "right": 1.0, "quiet": 0.0, "tokens": 1032.0}
    assert daily_table(one, one, one).splitlines()[2] == (
        "| the three nearest, every turn | .60 | 1.00 | .00 | 1,030 |"
    )
    plain = {"R@5": 0.5541, "R@10": 0.669, "sessions R@10": 0.929, "questions": 582}
    assert recall_table({"locomo": (plain, plain)}).splitlines()[2:] == [
        "| LoCoMo, 582 questions | .554 / .669 | .554 / .669 |",
        "| LoCoMo, sessions instead of messages, R@10 | .929 | .929 |",
    ]
    both = recall_table({"beam100k": (plain, plain), "locomo": (plain, plain)})
    assert both.index("LoCoMo") < both.index("BEAM")
    kept = {"evidence": 0.458, "clean": 0.753}
    figures = {"thresholds": {}, "beam100k": {"hard floor": kept, "cosine at 0.95": kept, "balanced": kept}}
    assert gate_table(figures).splitlines()[2] == ("| BEAM, all messages | .458 / .753 | .458 / .753 | .458 / .753 |")


def test_each_table_of_the_readme_has_its_place_and_form() -> None:
    nothing = {"in context": 0.0, "right": 0.0, "quiet": 0.0, "tokens": 0.0}
    for name, head in (
        ("daily", daily_table(nothing, nothing, nothing)),
        ("recall", recall_table({})),
        ("gate", gate_table({})),
    ):
        assert place(name).splitlines()[:2] == head.splitlines()[:2]
        assert place(name) in replaced(README.read_text(encoding="utf-8"), name, place(name))
    with pytest.raises(ValueError, match="no place for the table `speed`"):
        replaced("text", "speed", "table")
