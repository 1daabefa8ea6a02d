"""A ledger that lacks what was written last: its write-ahead log was deleted, or an older copy stands in its place."""

import shutil
from pathlib import Path

import pytest

from running import RunningDaemon, until


@pytest.mark.slow
def test_that_the_ledger_is_older_than_its_index_is_told_in_status(short_home: Path, models: Path) -> None:
    daemon = RunningDaemon(short_home, models)
    with daemon:
        with daemon.client() as client:
            kept = client.remember("The spare key hangs behind the blue door.")
            daemon.indexed(client)
            copy = client.backup()
            lost = client.remember("The northern pier is closed in winter.")
            daemon.indexed(client)
        daemon.kill()
        for name in ("-wal", "-shm"):
            daemon.paths.ledger.with_name(daemon.paths.ledger.name + name).unlink(missing_ok=True)
        shutil.copy(copy, daemon.paths.ledger)
        daemon.start()
        with daemon.client() as client:
            until(lambda: client.status().components["index"].state == "ok", "the index to be built anew")
            status = client.status()
            ledger = status.components["ledger"]
            assert (ledger.state, ledger.numbers["changes_missing"]) == ("degraded", 1)
            assert "the last change is not in the ledger" in status.warnings[0]
            assert {one.id for one in client.list()} == {kept.id}
            assert lost.id not in {one.id for one in client.search("is the northern pier closed?")}
