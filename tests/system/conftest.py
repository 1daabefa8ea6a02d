from collections.abc import Iterator
from pathlib import Path

import pytest

from running import RunningDaemon


@pytest.fixture
def daemon(short_home: Path, models: Path) -> Iterator[RunningDaemon]:
    """A daemon that serves, with the real model, for one test: it may be killed, counted in, or read byte by byte."""
    with RunningDaemon(short_home, models) as running:
        yield running
