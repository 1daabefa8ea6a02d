"""The Keeper asks the project before it keeps what a memory says about its files."""

from pathlib import Path

import pytest

from memoryd.clock import SystemClock
from memoryd.ledger import SqlLedger
from memoryd.project_files import ProjectFolders
from memoryd_actors.errors import Refused
from memoryd_actors.keeper import Keeper, Store
from memoryd_client.memory import MAX_CONTENT_BYTES, NewMemory
from memoryd_client.messages import Caller


@pytest.mark.anyio
async def test_nothing_of_ignored_and_environment_files_is_kept(tmp_path: Path) -> None:
    project = tmp_path / "shop"
    project.mkdir()
    (project / ".secretsignore").write_text("notes/\n", encoding="utf-8")
    (project / ".env").write_text("DB_PASSWORD=swordfishes\n", encoding="utf-8")
    clock = SystemClock()
    ledger = SqlLedger(tmp_path / "ledger.db", backups=tmp_path / "backups", clock=clock)
    await ledger.open()
    try:
        keeper = Keeper(ledger, clock, lambda _: None, lambda _: None, files=ProjectFolders())
        caller = Caller(project=str(project))
        for refused, reason in (
            (NewMemory(content="The job runs at noon.", files=("notes/diary.md",)), "secretsignore"),
            (NewMemory(content="cat notes/diary.md\nDear diary"), "quotes notes/diary.md"),
            (NewMemory(content="```.env\nPORT=1\n```"), "environment file"),
            (NewMemory(content="x" * MAX_CONTENT_BYTES + "y"), "16385 bytes"),
        ):
            with pytest.raises(Refused, match=reason):
                await keeper.handle(Store((refused,), caller))
        assert await ledger.counts() == {}
        kept = NewMemory(content="The job in notes/diary.md logs in with swordfishes.", files=("src/job.py",))
        (stored,) = await keeper.handle(Store((kept,), caller))
        assert stored.content == "The job in notes/diary.md logs in with [redacted:env]."
    finally:
        await ledger.close()
