"""Who decides in the benchmark: nobody, a configured model, or the labels themselves behind the `openai` protocol."""

from collections.abc import Generator
from contextlib import contextmanager

from benchmarks.daily.data import Person

JUDGES = ("none",)


@contextmanager
def judge(person: Person, name: str) -> Generator[dict[str, str]]:
    """Yield the settings with which a daemon asks this judge."""
    yield {}
