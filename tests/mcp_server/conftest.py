import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from running import RunningDaemon


@pytest.fixture(scope="module")
def daemon(models: Path) -> Iterator[RunningDaemon]:
    home = Path(tempfile.mkdtemp(prefix="md-"))
    with RunningDaemon(home, models) as running:
        yield running
    shutil.rmtree(home, ignore_errors=True)
