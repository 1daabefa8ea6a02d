import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from blockbuster import BlockBuster, blockbuster_ctx

from memoryd_client.base.paths import Paths

from .daemon_process import DaemonProcess
from .scripted_daemon import paths_in


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder with a path short enough for sockets, which pytest's own need not have."""
    path = Path(tempfile.mkdtemp(prefix="md"))
    yield path
    shutil.rmtree(path)


@pytest.fixture
def paths(folder: Path) -> Paths:
    return paths_in(folder / "run")


@pytest.fixture
def daemon(paths: Paths) -> Iterator[DaemonProcess]:
    """A scripted daemon, running."""
    with DaemonProcess(paths.runtime) as process:
        process.start()
        yield process


@pytest.fixture
def blocking_fails() -> Iterator[BlockBuster]:
    """Blocking calls on the event loop's thread raise."""
    with blockbuster_ctx() as blockbuster:
        yield blockbuster
