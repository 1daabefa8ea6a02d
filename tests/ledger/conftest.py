from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from memoryd.ledger import SqlLedger
from postgresql import database, empty, missing

from .samples import HandClock


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run what only needs a ledger against every database that is here."""
    if "ledger" in metafunc.fixturenames:
        kinds = ["sqlite"] if missing() else ["sqlite", "postgresql"]
        metafunc.parametrize("ledger", kinds, indirect=True)


@pytest.fixture(scope="session")
def shared_database(server: str) -> Iterator[str]:
    """A database that tests use one after the other; the first one to open it migrates it."""
    with database(server, "memoryd_test") as url:
        yield url


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "home" / "ledger.db"


@pytest.fixture
async def ledger(request: pytest.FixtureRequest, file: Path, tmp_path: Path) -> AsyncIterator[SqlLedger]:
    if request.param == "postgresql":
        url = request.getfixturevalue("shared_database")
        opened = SqlLedger(url, clock=HandClock())
        await opened.open()
        yield opened
        await opened.close()
        empty(url)
        return
    opened = SqlLedger(file, backups=tmp_path / "backups", clock=HandClock())
    await opened.open()
    yield opened
    await opened.close()


@pytest.fixture
async def file_ledger(file: Path, tmp_path: Path) -> AsyncIterator[SqlLedger]:
    opened = SqlLedger(file, backups=tmp_path / "backups", clock=HandClock())
    await opened.open()
    yield opened
    await opened.close()
