"""One name for one thing: no public class of the product is defined twice."""

import ast
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[2]


def public_classes() -> Counter[str]:
    """Count the public classes of the product by their names."""
    trees = (
        ast.parse(path.read_text(encoding="utf-8"))
        for root in ("client", "actors", "daemon", "cli")
        for path in (ROOT / root).rglob("*.py")
    )
    return Counter(
        node.name
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )


def test_no_public_class_name_is_defined_twice() -> None:
    counted = public_classes()
    assert len(counted) > 500
    assert not {name for name, count in counted.items() if count > 1}
