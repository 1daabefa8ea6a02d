import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from running import RunningDaemon


@pytest.fixture(scope="session")
def shared(models: Path) -> Iterator[RunningDaemon]:
    home = Path(tempfile.mkdtemp(prefix="md-"))
    with RunningDaemon(home, models) as running:
        yield running
    shutil.rmtree(home, ignore_errors=True)


@pytest.fixture
def served(shared: RunningDaemon, request: pytest.FixtureRequest) -> RunningDaemon:
    """One daemon for all tests of the interface, each of them an owner of its own."""
    owner = str(request.node.name)  # pyright: ignore[reportUnknownMemberType] - pytest types nodes loosely
    return shared.seen_by(owner)
