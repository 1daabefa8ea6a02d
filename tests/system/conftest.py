import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from running import RunningDaemon


@pytest.fixture
def daemon(short_home: Path, models: Path) -> Iterator[RunningDaemon]:
    """A daemon that serves, with the real model, for one test: it may be killed, counted in, or read byte by byte."""
    with RunningDaemon(short_home, models) as running:
        yield running


@pytest.fixture(scope="module")
def shared(models: Path) -> Iterator[RunningDaemon]:
    home = Path(tempfile.mkdtemp(prefix="md-"))
    with RunningDaemon(home, models) as running:
        yield running
    shutil.rmtree(home, ignore_errors=True)


@pytest.fixture
def served(shared: RunningDaemon, request: pytest.FixtureRequest) -> RunningDaemon:
    """One daemon for the tests of a file, each of them an owner of its own: a start takes 1.5 s of a core."""
    owner = str(request.node.name)  # pyright: ignore[reportUnknownMemberType] - pytest types nodes loosely
    return shared.seen_by(owner)
