"""What is to stay small."""

from itertools import dropwhile, takewhile
from pathlib import Path

ACTORS = Path(__file__).parents[2] / "actors" / "memoryd_actors"


def test_comparison_has_at_most_a_thousand_lines_with_its_tables() -> None:
    """Rules about words that moved no figure once filled five thousand lines."""
    count = sum(len(file.read_text(encoding="utf-8").splitlines()) for file in (ACTORS / "comparison").glob("*.py"))
    for file in (ACTORS / "texts" / "languages").glob("*.toml"):
        lines = iter(file.read_text(encoding="utf-8").splitlines())
        rest = dropwhile(lambda line: line != "[comparison]", lines)
        next(rest, "")
        count += sum(bool(line) for line in takewhile(lambda line: not line.startswith("["), rest))
    assert 900 < count <= 1_000
