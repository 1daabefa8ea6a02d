import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from .memoryd_command import Command


@pytest.fixture
def home() -> Iterator[Path]:
    """A home with a path short enough for sockets."""
    folder = Path(tempfile.mkdtemp(prefix="mt-", dir="/tmp"))
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def memoryd(home: Path) -> Command:
    return Command(home)


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One model cache for all daemons of the run: the weights are converted once."""
    return tmp_path_factory.mktemp("models")


@pytest.fixture
def served(home: Path, models: Path) -> Iterator[Command]:
    """A home whose daemon runs."""
    command = Command(home, models)
    command.ok("start")
    yield command
    command("stop")
