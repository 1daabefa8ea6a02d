# ruff: noqa: ASYNC221, ASYNC240 - these tests have the loop to themselves, and break files on purpose
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from memoryd.ledger import Retention, SqlLedger
from memoryd_actors.core.errors import DiskFull, LedgerCorrupt, Unavailable

from .samples import HandClock, insert, memory


def opened_on(file: Path) -> SqlLedger:
    return SqlLedger(file, backups=file.parent / "backups", clock=HandClock())


async def filled(file: Path, count: int = 200) -> None:
    ledger = opened_on(file)
    await ledger.open()
    await insert(ledger, [memory(f"number {number} " + "x" * 500) for number in range(count)], actor="a")
    await ledger.close()


async def test_only_the_owner_may_read_the_file(file: Path) -> None:
    ledger = opened_on(file)
    await ledger.open()
    await insert(ledger, [memory("private")], actor="a")
    modes = {path.name: path.stat().st_mode & 0o777 for path in file.parent.iterdir()}
    await ledger.close()
    assert modes == {"ledger.db": 0o600, "ledger.db-wal": 0o600, "ledger.db-shm": 0o600}


@pytest.mark.parametrize("damage", ["garbage", "truncated", "overwritten", "short"])
async def test_a_damaged_file_is_refused_and_left_as_it_is(file: Path, damage: str) -> None:
    await filled(file)
    content = file.read_bytes()
    match damage:
        case "garbage":
            file.write_bytes(b"not a database at all" * 100)
        case "truncated":
            file.write_bytes(content[: len(content) // 2])
        case "overwritten":
            file.write_bytes(content[:8192] + b"\xa5" * 40_000 + content[48_192:])
        case _:
            file.write_bytes(content[:50])
    damaged = file.read_bytes()
    with pytest.raises(LedgerCorrupt, match=str(file)) as refusal:
        await opened_on(file).open()
    assert file.read_bytes() == damaged
    assert "no sound backup" in refusal.value.hint


async def test_an_emptied_ledger_with_backups_is_not_taken_for_a_new_one(file: Path) -> None:
    ledger = opened_on(file)
    await ledger.open()
    await ledger.backups.copy_dated(Retention())
    await ledger.close()
    file.write_bytes(b"")
    with pytest.raises(LedgerCorrupt, match="empty"):
        await ledger.open()


async def test_damage_that_appears_while_it_is_open_is_named(file: Path) -> None:
    await filled(file, 3000)
    ledger = opened_on(file)
    await ledger.open()
    size = file.stat().st_size
    with file.open("r+b") as stream:
        stream.seek(8192)
        stream.write(b"\xa5" * (size - 8192))
    with pytest.raises(LedgerCorrupt, match="damaged"):
        await ledger.memories.changes_after(0, limit=5000)
    with pytest.raises(LedgerCorrupt):
        await ledger.backups.verify()
    await ledger.close()


async def test_once_damage_was_come_upon_nothing_more_is_acknowledged(file: Path) -> None:
    await filled(file, 3000)
    ledger = opened_on(file)
    await ledger.open()
    ledger.database.check_sound()
    with file.open("r+b") as stream:
        stream.seek(file.stat().st_size // 2 & ~0xFFFF)
        stream.write(b"\xa5" * 40_000)
    with pytest.raises(LedgerCorrupt, match="damaged"):
        await ledger.memories.changes_after(0, limit=5000)
    for _ in range(2):
        with pytest.raises(LedgerCorrupt, match="damaged"):
            await insert(ledger, [memory("said later")], actor="a")
        with pytest.raises(LedgerCorrupt, match="damaged"):
            ledger.database.check_sound()
    await ledger.close()


async def test_a_ledger_of_a_newer_memoryd_is_left_alone(file: Path) -> None:
    await filled(file)
    with closing(sqlite3.connect(file)) as raw:
        raw.execute("UPDATE alembic_version SET version_num = '9999'")
        raw.commit()
    with pytest.raises(Unavailable, match="newer memoryd") as refusal:
        await opened_on(file).open()
    assert "pip install --upgrade" in refusal.value.hint


async def test_opening_a_current_ledger_does_not_import_alembic(file: Path) -> None:
    await filled(file)
    program = (
        "import sys, anyio, pathlib\n"
        "from memoryd.ledger import SqlLedger\n"
        "class Clock:\n    def now(self): ...\n    def monotonic(self): ...\n"
        "ledger = SqlLedger(pathlib.Path(sys.argv[1]), clock=Clock())\n"
        "anyio.run(ledger.open)\n"
        "print('alembic' in sys.modules, anyio.run(ledger.memories.counts))\n"
    )
    done = subprocess.run([sys.executable, "-c", program, str(file)], capture_output=True, text=True, check=True)
    assert done.stdout == "False {'active': 200}\n"


async def test_a_folder_in_the_ledgers_place_is_named(file: Path) -> None:
    file.mkdir(parents=True)
    with pytest.raises(Unavailable, match=str(file)):
        await opened_on(file).open()


async def test_a_missing_driver_says_what_to_install() -> None:
    with pytest.raises(Unavailable) as refusal:
        await SqlLedger("oracle://somewhere/x", clock=HandClock()).open()
    assert "pip install" in refusal.value.hint


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "small"
    folder.mkdir()
    mount = shutil.which("mount")
    if mount is None or os.geteuid() != 0:
        pytest.skip("only root can mount a small file system")
    done = subprocess.run(
        [mount, "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(folder)], check=False, capture_output=True, text=True
    )
    if done.returncode:
        pytest.skip(f"a small file system cannot be mounted here: {done.stderr.strip()}")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


async def test_a_full_disk_refuses_writes_serves_reads_and_heals_with_space(small_disk: Path) -> None:
    ballast = small_disk / "ballast"
    ballast.write_bytes(b"\0" * 1_500_000)
    ledger = SqlLedger(small_disk / "ledger.db", clock=HandClock())
    await ledger.open()
    kept: list[str] = []
    with pytest.raises(DiskFull, match=str(small_disk)):
        for number in range(1000):
            (one,), _ = await insert(ledger, [memory(f"number {number} " + "x" * 16_000)], actor="a")
            kept.append(one.id)
    assert kept
    with pytest.raises(DiskFull):
        await insert(ledger, [memory("one more " + "y" * 500_000)], actor="a")
    assert set(await ledger.memories.get("local", kept)) == set(kept)
    assert await ledger.memories.counts() == {"active": len(kept)}
    assert await ledger.memories.last_sequence() == len(kept)
    with pytest.raises(DiskFull):
        await ledger.backups.copy(str(small_disk / "copy.db"))
    assert not [path for path in small_disk.iterdir() if "copy" in path.name]
    ballast.unlink()
    await insert(ledger, [memory("there is room again " + "z" * 16_000)], actor="a")
    assert await ledger.memories.counts() == {"active": len(kept) + 1}
    await ledger.close()
