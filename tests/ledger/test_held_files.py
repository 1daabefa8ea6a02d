"""The ledger's files are taken away while it is open: nothing is acknowledged that the next start would not find."""

import shutil
from pathlib import Path

import pytest

from memoryd.ledger import SqlLedger
from memoryd_actors.core.errors import Unavailable

from .samples import HandClock, insert, memory


async def contents(file: Path) -> set[str]:
    ledger = SqlLedger(file, clock=HandClock())
    await ledger.open()
    changes = await ledger.memories.changes_after(0, limit=100)
    await ledger.close()
    return {change.memory.content for change in changes if change.memory is not None}


async def test_what_is_written_while_the_home_is_away_is_refused_and_goes_on_once_it_is_back(
    file_ledger: SqlLedger, file: Path
) -> None:
    await insert(file_ledger, [memory("before")], actor="a")
    away = file.parent.with_name("away")
    file.parent.rename(away)
    for _ in range(2):
        with pytest.raises(Unavailable, match="is gone") as refused:
            await insert(file_ledger, [memory("meanwhile")], actor="a")
        assert "Put back" in refused.value.hint
    with pytest.raises(Unavailable):
        file_ledger.database.check_in_place()
    assert not file.parent.exists()

    away.rename(file.parent)
    file_ledger.database.check_in_place()
    await insert(file_ledger, [memory("after")], actor="a")
    assert await contents(file) == {"before", "after"}


async def test_another_file_of_its_name_is_not_taken_for_the_ledger(
    file_ledger: SqlLedger, file: Path, tmp_path: Path
) -> None:
    await insert(file_ledger, [memory("before")], actor="a")
    copy = tmp_path / "copy.db"
    shutil.copy(file, copy)
    copy.replace(file)
    with pytest.raises(Unavailable, match="is gone"):
        await insert(file_ledger, [memory("after")], actor="a")


async def test_what_only_a_deleted_log_had_is_brought_into_the_database(
    file_ledger: SqlLedger, file: Path, tmp_path: Path
) -> None:
    await insert(file_ledger, [memory("before")], actor="a")
    file.with_name("ledger.db-wal").unlink()
    with pytest.raises(Unavailable, match="write-ahead log"):
        await insert(file_ledger, [memory("after")], actor="a")
    # As a kill would leave it: the database alone.
    left = tmp_path / "left" / "ledger.db"
    left.parent.mkdir()
    shutil.copy(file, left)
    assert await contents(left) == {"before"}
