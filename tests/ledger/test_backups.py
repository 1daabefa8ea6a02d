# ruff: noqa: ASYNC221, ASYNC240 - these tests have the loop to themselves, and break files on purpose
import shutil
import sqlite3
import subprocess
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from memoryd import restoring
from memoryd.ledger import Retention, SqlLedger
from memoryd_actors.core.errors import LedgerCorrupt, Refused, Unavailable
from memoryd_actors.memory.steps import ChangeState
from memoryd_client.wire.memory import State

from .samples import HandClock, insert, memory

_NEWEST_ONLY = Retention(newest=1, days=0, weeks=0)


def opened_on(file: Path) -> SqlLedger:
    return SqlLedger(file, backups=file.parent / "backups", clock=HandClock())


def damage(file: Path) -> None:
    """Overwrite everything but the first pages, as a failing disk does."""
    with file.open("r+b") as stream:
        stream.seek(8192)
        stream.write(b"\xa5" * (file.stat().st_size - 8192))


async def with_two_backups(file: Path) -> tuple[Path, Path]:
    """Leave a ledger of 2 and 200 memories behind, and a backup of each."""
    ledger = opened_on(file)
    await ledger.open()
    await insert(ledger, [memory("old"), memory("older")], actor="a")
    first = await ledger.backups.copy_dated(Retention())
    await insert(ledger, [memory(f"number {number} " + "x" * 500) for number in range(198)], actor="a")
    second = await ledger.backups.copy_dated(Retention())
    await ledger.close()
    return first, second


async def counted(file: Path) -> dict[str, int]:
    ledger = opened_on(file)
    await ledger.open()
    await ledger.backups.verify()
    counts = await ledger.memories.counts()
    await ledger.close()
    return counts


async def test_a_backup_is_a_whole_ledger_of_its_own(file_ledger: SqlLedger, tmp_path: Path) -> None:
    (one, gone), _ = await insert(file_ledger, [memory("kept"), memory("forgotten")], actor="a")
    await file_ledger.memories.apply("local", [ChangeState(gone.id, State.FORGOTTEN, "DELETE")], actor="a")
    target = tmp_path / "copy.db"
    await file_ledger.backups.copy(str(target))
    await insert(file_ledger, [memory("afterwards")], actor="a")
    assert target.stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in tmp_path.iterdir()) == ["copy.db", "home"]
    copy = SqlLedger(target, clock=HandClock())
    await copy.open()
    assert await copy.memories.counts() == {"active": 1, "forgotten": 1}
    assert await copy.memories.get("local", [one.id]) == {one.id: one}
    await copy.close()


async def test_a_backup_replaces_nothing(file_ledger: SqlLedger, tmp_path: Path) -> None:
    target = tmp_path / "precious"
    target.write_text("mine")
    with pytest.raises(Refused, match="exists"):
        await file_ledger.backups.copy(str(target))
    with pytest.raises(Refused, match="no folder"):
        await file_ledger.backups.copy(str(tmp_path / "nowhere" / "copy.db"))
    assert target.read_text() == "mine"


async def test_only_the_backups_to_be_kept_are_kept(file_ledger: SqlLedger, tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    folder.mkdir()
    mine = folder / "ledger-before-the-upgrade.db"
    mine.touch()
    left = folder / ".ledger-20260101T000000000000Z.db.1.part"
    left.touch()
    written = [await file_ledger.backups.copy_dated(Retention(newest=3, days=0, weeks=0)) for _ in range(5)]
    assert sorted(folder.iterdir()) == [*written[2:], mine]
    assert list(await file_ledger.backups.dated()) == written[:1:-1]


async def test_the_time_of_a_backup_is_told_by_its_name(file_ledger: SqlLedger) -> None:
    clock = HandClock()
    made = await file_ledger.backups.copy_dated(Retention())
    assert await file_ledger.backups.dated() == {made: clock.now()}


async def test_the_new_backup_stays_where_others_claim_to_come_from_the_future(
    file_ledger: SqlLedger, tmp_path: Path
) -> None:
    first = await file_ledger.backups.copy_dated(_NEWEST_ONLY)
    future = first.rename(first.with_name(restoring.dated_name(HandClock().now() + timedelta(days=9999))))
    new = await file_ledger.backups.copy_dated(_NEWEST_ONLY)
    assert sorted((tmp_path / "backups").iterdir()) == [new, future]


async def test_a_copy_of_a_damaged_ledger_is_no_backup_and_costs_none(file: Path) -> None:
    ledger = opened_on(file)
    await ledger.open()
    await insert(ledger, [memory(f"number {number} " + "x" * 500) for number in range(3000)], actor="a")
    sound = await ledger.backups.copy_dated(_NEWEST_ONLY)
    damage(file)
    with pytest.raises(LedgerCorrupt, match="damaged") as refusal:
        await ledger.backups.copy_dated(_NEWEST_ONLY)
    with pytest.raises(LedgerCorrupt):
        await ledger.backups.copy(str(file.parent / "copy.db"))
    await ledger.close()
    assert list(sound.parent.iterdir()) == [sound]
    assert not (file.parent / "copy.db").exists()
    assert str(sound) in refusal.value.hint


async def test_a_ledger_that_has_gone_away_is_not_backed_up_as_an_empty_one(
    file_ledger: SqlLedger, file: Path, tmp_path: Path
) -> None:
    file.unlink()
    with pytest.raises(Unavailable):
        await file_ledger.backups.copy_dated(_NEWEST_ONLY)
    assert list((tmp_path / "backups").iterdir()) == []
    assert not file.exists()


async def test_the_hint_of_a_damaged_ledger_restores_the_newest_sound_backup(file: Path) -> None:
    first, second = await with_two_backups(file)
    damage(second)
    # A file of no bytes is a database without a table.
    second.with_name(restoring.dated_name(datetime.fromisoformat("2030-01-01T00:00:00Z"))).touch()
    file.write_bytes(b"broken" * 1000)
    with pytest.raises(LedgerCorrupt) as refusal:
        await opened_on(file).open()
    command = refusal.value.hint.partition("memoryd stopped: ")[2]
    assert command.endswith(f"cp {first} {file}")
    subprocess.run(["sh", "-c", command], check=True)
    assert await counted(file) == {"active": 2}


@pytest.mark.parametrize("shell", ["sh", "bash", "zsh"])
async def test_the_command_may_be_run_again_and_keeps_everything_that_was_there(tmp_path: Path, shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    file = tmp_path / "it's a home" / "ledger.db"
    first, second = await with_two_backups(file)
    second.unlink()
    broken = [b"broken" * 1000, b"broken again"]
    for content in broken:
        file.write_bytes(content)
        subprocess.run([shell, "-c", restoring.putting_back(file, first)], check=True)
        assert await counted(file) == {"active": 2}
    kept = {path.read_bytes() for path in file.parent.glob("damaged-*/ledger.db")}
    assert kept == set(broken)
    assert first.exists()


async def test_the_damaged_ledgers_log_is_not_replayed_over_the_backup(file: Path) -> None:
    first, second = await with_two_backups(file)
    with closing(sqlite3.connect(file)) as writer:
        # Killed in the midst of writing: the log stays.
        writer.execute("DELETE FROM memories")
        writer.commit()
        log = file.with_name("ledger.db-wal").read_bytes()
        damaged = file.read_bytes()
    file.write_bytes(damaged[:5000])
    file.with_name("ledger.db-wal").write_bytes(log)
    assert log
    subprocess.run(["sh", "-c", restoring.putting_back(file, second)], check=True)
    assert await counted(file) == {"active": 200}
    assert [path.read_bytes() for path in file.parent.glob("damaged-*/ledger.db-wal")] == [log]
    assert first.exists()


async def test_nothing_is_put_in_place_where_the_log_cannot_be_moved(file: Path, tmp_path: Path) -> None:
    first, _ = await with_two_backups(file)
    file.write_bytes(b"broken")
    file.with_name("ledger.db-wal").write_bytes(b"log")
    stubborn = tmp_path / "bin" / "mv"
    stubborn.parent.mkdir()
    stubborn.write_text('#!/bin/sh\ncase "$1" in *-wal) exit 1 ;; esac\nexec /bin/mv "$@"\n')
    stubborn.chmod(0o755)
    command = f"PATH={stubborn.parent}:$PATH; {restoring.putting_back(file, first)}"
    assert subprocess.run(["sh", "-c", command], check=False).returncode == 1
    assert not file.exists()


async def test_without_a_sound_backup_what_can_be_read_is_saved(file: Path) -> None:
    if shutil.which("sqlite3") is None:
        pytest.skip("the shell of SQLite is not installed")
    first, second = await with_two_backups(file)
    first.unlink()
    damage(second)
    content = file.read_bytes()
    file.write_bytes(content[:-8192] + b"\xa5" * 8192)
    with pytest.raises(LedgerCorrupt) as refusal:
        await opened_on(file).open()
    assert "no sound backup" in refusal.value.hint
    command = refusal.value.hint.partition("can be read: ")[2]
    subprocess.run(["sh", "-c", command], check=True)
    assert (await counted(file))["active"] > 150
    assert file.stat().st_mode & 0o777 == 0o600
    subprocess.run(["sh", "-c", command], check=True)
    assert (await counted(file))["active"] > 150


@pytest.mark.parametrize("readable", [0, 4096])
async def test_where_no_memory_can_be_read_nothing_is_moved(file: Path, readable: int) -> None:
    if shutil.which("sqlite3") is None:
        pytest.skip("the shell of SQLite is not installed")
    await with_two_backups(file)
    content = file.read_bytes()[:readable] + b"broken" * 10_000
    file.write_bytes(content)
    assert subprocess.run(["sh", "-c", restoring.saving(file)], check=False, capture_output=True).returncode != 0
    assert file.read_bytes() == content
