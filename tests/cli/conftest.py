import shutil
import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from .memoryd_command import Command


@contextmanager
def short_folder() -> Generator[Path]:
    """Make a folder with a path short enough for sockets."""
    folder = Path(tempfile.mkdtemp(prefix="mt-", dir="/tmp"))
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def home() -> Iterator[Path]:
    with short_folder() as folder:
        yield folder


@pytest.fixture
def memoryd(home: Path) -> Command:
    return Command(home)


@contextmanager
def running(models: Path) -> Generator[Command]:
    """Run a daemon in a home of its own."""
    with short_folder() as folder:
        command = Command(folder, models)
        command.ok("start")
        try:
            command.wait_for_the_model()
            yield command
        finally:
            command("stop")


@pytest.fixture(scope="session")
def shared_daemon(models: Path) -> Iterator[Command]:
    with running(models) as command:
        yield command


@pytest.fixture
def served(shared_daemon: Command, request: pytest.FixtureRequest) -> Command:
    """An owner without memories, at a daemon that the tests share."""
    owner = str(request.node.name)  # pyright: ignore[reportUnknownMemberType] - pytest types nodes loosely
    return shared_daemon.with_environment(MEMORYD_OWNER=owner)


@pytest.fixture
def alone(models: Path) -> Iterator[Command]:
    """A home whose daemon runs for this test alone."""
    with running(models) as command:
        yield command
