import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from postgresql import database
from running import RunningDaemon


@pytest.fixture(scope="module")
def daemons(server: str, models: Path) -> Iterator[tuple[RunningDaemon, RunningDaemon]]:
    """Two daemons with a home each and one ledger: as on two machines."""
    with ExitStack() as stack:
        ledger_url = stack.enter_context(database(server, "memoryd_shared"))
        homes = [Path(tempfile.mkdtemp(prefix="md-")) for _ in range(2)]
        for home in homes:
            stack.callback(shutil.rmtree, home, ignore_errors=True)
        one, other = (RunningDaemon(home, models, MEMORYD_LEDGER_URL=ledger_url) for home in homes)
        # Together, on an empty database: one of them makes the tables.
        one.launch()
        stack.enter_context(other)
        one.wait()
        stack.callback(one.kill)
        yield one, other
