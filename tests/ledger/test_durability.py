# ruff: noqa: ASYNC220 - this test has the loop to itself
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

from memoryd.ledger import SqlLedger

from .samples import HandClock

_PROGRAM = Path(__file__).with_name("writing_forever.py")


async def test_no_acknowledged_memory_is_lost_to_kill_9(file: Path) -> None:
    acknowledged: list[str] = []
    for _ in range(4):
        with subprocess.Popen([sys.executable, str(_PROGRAM), str(file)], stdout=subprocess.PIPE, text=True) as program:
            assert program.stdout is not None
            acknowledged += [program.stdout.readline().strip() for _ in range(60)]
            program.kill()
            # What it still managed to say it had promised, too; its last line may be cut short.
            acknowledged += [line.strip() for line in program.stdout if line.endswith("\n")]
        ledger = SqlLedger(file, clock=HandClock())
        await ledger.open()
        await ledger.backups.verify()
        found = await ledger.memories.get("local", acknowledged)
        changes = await ledger.memories.changes_after(0, limit=100_000)
        total = (await ledger.memories.counts())["active"]
        await ledger.close()
        assert set(found) == set(acknowledged)
        assert len(changes) == total
        with closing(sqlite3.connect(file)) as raw:
            written = raw.execute(
                "SELECT (SELECT count(*) FROM memories), (SELECT count(*) FROM history), (SELECT count(*) FROM changes)"
            ).fetchone()
        assert written == (total, total, total)
    assert len(acknowledged) >= 240
