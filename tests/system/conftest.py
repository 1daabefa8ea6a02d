from collections.abc import Iterator
from pathlib import Path

import pytest

from running import RunningDaemon


@pytest.fixture
def daemon(short_home: Path, models: Path) -> Iterator[RunningDaemon]:
    """A daemon that serves, with the real model."""
    with RunningDaemon(short_home, models) as running:
        yield running
