"""What docstrings and comments refer to is there: modules, and the names in them."""

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCES = [ROOT / name for name in ("client", "actors", "daemon", "cli", "benchmarks", "tests")]
REFERENCE = re.compile(r"`((?:memoryd(?:_\w+)?|benchmarks)(?:\.\w+)+)(?:\(\))?`")


def references() -> Iterator[tuple[Path, str]]:
    """Yield every dotted path in backticks that begins with one of the packages, with the file it stands in."""
    for source in SOURCES:
        for file in source.rglob("*.py"):
            for match in REFERENCE.finditer(file.read_text(encoding="utf-8")):
                yield file.relative_to(ROOT), match[1]


def is_there(reference: str) -> bool:
    """Return whether there is such a module, and the name that follows in it."""
    parts = reference.split(".")
    for length in range(len(parts), 0, -1):
        for source in (*SOURCES, ROOT):
            module = source.joinpath(*parts[:length])
            file = module.with_suffix(".py") if module.with_suffix(".py").is_file() else module / "__init__.py"
            if module.is_dir() or file.is_file():
                text = file.read_text(encoding="utf-8") if file.is_file() else ""
                return length == len(parts) or re.search(rf"\b{parts[length]}\b", text) is not None
    return False


def test_what_is_referred_to_is_there() -> None:
    found = list(references())
    assert len(found) > 20
    assert not [f"{file}: {reference}" for file, reference in found if not is_there(reference)]
