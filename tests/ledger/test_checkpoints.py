"""States of agents in the ledger: exactly as saved, by version, never over somebody else's."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from memoryd.ledger import Retention, SqlLedger
from memoryd_actors.core.errors import DamagedCheckpoint, NoCheckpoint, Refused
from memoryd_client.wire.checkpoints import CheckpointInfo
from memoryd_client.wire.core_memory import new_write_id

STATE = bytes(range(256)) * 16


async def save(
    ledger: SqlLedger,
    data: bytes,
    *,
    thread: str = "build",
    expected: int | None = None,
    keep: int = 10,
    save_id: str = "",
) -> CheckpointInfo:
    return await ledger.checkpoints.save_checkpoint(
        "local",
        thread,
        data,
        save_id=save_id or new_write_id(),
        meta={"step": "3"},
        expected=expected,
        keep=keep,
    )


async def versions(ledger: SqlLedger) -> list[int]:
    return [one.version for one in await ledger.checkpoints.checkpoints("local", "build", limit=100)]


async def test_a_state_comes_back_byte_by_byte(ledger: SqlLedger) -> None:
    info = await save(ledger, STATE)
    found = await ledger.checkpoints.load_checkpoint("local", "build", None)
    assert (found.data, found.info) == (STATE, info)
    assert (info.version, info.size, info.meta) == (1, len(STATE), {"step": "3"})


async def test_the_newest_are_kept(ledger: SqlLedger) -> None:
    for number in range(5):
        await save(ledger, b"%d" % number, keep=3)
    assert await versions(ledger) == [5, 4, 3]
    assert (await ledger.checkpoints.load_checkpoint("local", "build", 4)).data == b"3"
    with pytest.raises(NoCheckpoint, match="checkpoint 2 of 'build' is not kept any more; kept: 3 to 5"):
        await ledger.checkpoints.load_checkpoint("local", "build", 2)


async def test_what_is_looked_for_in_the_wrong_place_is_told_what_there_is(ledger: SqlLedger) -> None:
    await save(ledger, b"one")
    await save(ledger, b"two")
    with pytest.raises(NoCheckpoint, match="checkpoint 9 of 'build' was never saved; kept: 1 to 2"):
        await ledger.checkpoints.load_checkpoint("local", "build", 9)
    with pytest.raises(NoCheckpoint, match="checkpoint 0 of 'build' was never saved; kept: 1 to 2"):
        await ledger.checkpoints.load_checkpoint("local", "build", 0)
    await ledger.checkpoints.delete_checkpoints("local", "build", 1, purge=False)
    with pytest.raises(NoCheckpoint, match="checkpoint 1 of 'build' is not kept any more; kept: 2") as failed:
        await ledger.checkpoints.load_checkpoint("local", "build", 1)
    assert "checkpoints.keep" in failed.value.hint
    with pytest.raises(NoCheckpoint, match="no checkpoint of the thread 'buidl'; there are some of 'build'"):
        await ledger.checkpoints.load_checkpoint("local", "buidl", None)


async def test_nobody_saves_over_what_somebody_else_saved(ledger: SqlLedger) -> None:
    await save(ledger, b"first", expected=0)
    await save(ledger, b"second", expected=1)
    with pytest.raises(Refused, match="version 2 is the newest"):
        await save(ledger, b"third", expected=1)
    assert (await ledger.checkpoints.load_checkpoint("local", "build", None)).data == b"second"


async def test_the_same_save_sent_again_is_one_version(ledger: SqlLedger) -> None:
    first = await save(ledger, STATE, expected=0, save_id="the-same-save")
    assert await save(ledger, STATE, expected=0, save_id="the-same-save") == first
    assert await versions(ledger) == [1]


async def test_a_version_is_never_given_out_twice(ledger: SqlLedger) -> None:
    await save(ledger, b"one")
    await save(ledger, b"two")
    assert await ledger.checkpoints.delete_checkpoints("local", "build", None, purge=False) == 2
    assert await versions(ledger) == []
    with pytest.raises(
        NoCheckpoint, match="whose last was version 2 and was deleted; nor has it any of another thread"
    ):
        await ledger.checkpoints.load_checkpoint("local", "build", None)
    assert (await save(ledger, b"three", expected=0)).version == 3
    assert await ledger.checkpoints.delete_checkpoints("local", "build", 3, purge=False) == 1


async def test_another_owner_has_none_of_it(ledger: SqlLedger) -> None:
    await save(ledger, STATE)
    assert await ledger.checkpoints.checkpoints("them", "", limit=10) == []
    assert await ledger.checkpoints.delete_checkpoints("them", "build", None, purge=True) == 0
    with pytest.raises(
        NoCheckpoint, match="the owner 'them' has no checkpoint 1 of the thread 'build'; nor has it any"
    ):
        await ledger.checkpoints.load_checkpoint("them", "build", 1)
    assert await versions(ledger) == [1]


async def test_damaged_bytes_are_refused_and_older_ones_still_load(file: Path, file_ledger: SqlLedger) -> None:
    await save(file_ledger, b"good")
    await save(file_ledger, b"to be damaged")
    with closing(sqlite3.connect(file)) as raw, raw:
        raw.execute("UPDATE checkpoints SET data = x'00' WHERE version = 2")
    with pytest.raises(DamagedCheckpoint, match="2 of 'build' is damaged: it has 1 bytes, and 13 were saved") as failed:
        await file_ledger.checkpoints.load_checkpoint("local", "build", None)
    assert "Sound are, of what is kept: 1." in failed.value.hint
    assert (await file_ledger.checkpoints.load_checkpoint("local", "build", 1)).data == b"good"


async def test_a_purge_of_a_thread_leaves_not_even_its_name_and_its_versions_are_counted_on(
    file: Path, file_ledger: SqlLedger
) -> None:
    for number in range(2):
        await save(file_ledger, b"state", thread="quokkabanana", save_id=f"save-{number}")
    backup = await file_ledger.backups.copy_dated(Retention())
    assert await file_ledger.checkpoints.delete_checkpoints("local", "quokkabanana", 2, purge=True) == 1
    assert await file_ledger.checkpoints.delete_checkpoints("local", "quokkabanana", None, purge=True) == 1
    folder = [one for one in file.parent.parent.rglob("*") if one.is_file()]
    assert backup in folder
    assert [one for one in folder if b"quokkabanana" in one.read_bytes()] == []
    with pytest.raises(NoCheckpoint, match="'quokkabanana', whose last was version 2 and was deleted"):
        await file_ledger.checkpoints.load_checkpoint("local", "quokkabanana", None)
    # One that was under way when the thread was purged does not come back.
    assert (await save(file_ledger, b"state", thread="quokkabanana", save_id="save-1")).thread == "quokkabanana"
    assert await file_ledger.checkpoints.checkpoints("local", "", limit=10) == []
    assert (await save(file_ledger, b"state", thread="quokkabanana", expected=0)).version == 3


async def test_a_purge_of_all_threads_that_begin_so_reaches_those_in_backups(
    file: Path, file_ledger: SqlLedger
) -> None:
    for thread in ("quokka/banana", "quokka/bread"):
        await save(file_ledger, b"marzipan", thread=thread)
    backup = await file_ledger.backups.copy_dated(Retention())
    await file_ledger.checkpoints.delete_checkpoints("local", "quokka/bread", None, purge=False, below=True)
    assert await file_ledger.checkpoints.delete_checkpoints("local", "quokka/", None, purge=True, below=True) == 1
    for one in (file, backup):
        assert b"quokka" not in one.read_bytes()
        assert b"marzipan" not in one.read_bytes()


async def test_a_purge_leaves_no_byte_in_the_file_or_in_a_backup(file: Path, file_ledger: SqlLedger) -> None:
    await save(file_ledger, b"quokkabanana" * 500)
    backup = await file_ledger.backups.copy_dated(Retention())
    assert b"quokkabanana" in backup.read_bytes()
    await file_ledger.checkpoints.delete_checkpoints("local", "build", None, purge=True)
    folder = [one for one in file.parent.parent.rglob("*") if one.is_file()]
    assert backup in folder
    assert [one for one in folder if b"quokkabanana" in one.read_bytes()] == []
    assert [oct(one.stat().st_mode & 0o777) for one in folder if one.name == file.name] == ["0o600"]
