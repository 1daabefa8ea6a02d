"""`memoryd export --whole` beside a running daemon, and `memoryd import` of it into a new home that is served then."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from memoryd.ledger import all_rows, opening
from memoryd_client import Entry
from running import RunningDaemon

from .memoryd_command import MEMORYD, Command

KEY = "sk-ant-api03-" + "Zq8LrT4vWx2NcY6uKd9sBf3hJm5pAe7gQo1i"
SETTINGS = f"""\
[recall]
judged = 8
[privacy]
replace = ["ACME", "Ann Smith"]
[sidecar]
api_key = "{KEY}"
command = "judge --token {KEY}"
[ipc]
tcp = "192.0.2.7:7117"
"""


@pytest.mark.slow
def test_a_home_is_taken_along_while_it_is_served_and_goes_on_elsewhere(
    shared: RunningDaemon, short_home: Path, models: Path
) -> None:
    with shared.client("s1", project="/old/app") as client:
        told = client.remember("The login test fails at midnight.", scope="project")
        client.core_set("persona", "Speaks plainly.")
        client.write_file("notes/deploy.md", "Deploy on Mondays.")
        client.append([Entry(content="It is past midnight.", role="user")])
        client.save_checkpoint("build", b"\0\xff")
    shared.paths.config.write_text(SETTINGS, encoding="utf-8")
    here, file = Command(shared.home), shared.home / "whole.gz"
    exported = json.loads(here.ok("export", "--whole", file, "--json"))
    shared.paths.config.unlink()
    assert file.stat().st_mode & 0o777 == 0o600
    refused = here("export", "--whole", file)
    assert (refused.returncode, "exists already" in refused.stderr, "--force" in refused.stderr) == (1, True, True)
    assert {name: exported["counts"][name] for name in ("memories", "checkpoints", "entries")} == {
        "memories": 2,
        "checkpoints": 1,
        "entries": 1,
    }

    there = Command(short_home)
    (short_home / "config.toml").write_text("[recall]\nmaximum_surfaced = 3\n", encoding="utf-8")
    done = json.loads(there.ok("import", file, "--project-map", f"/old={short_home}", "--json"))
    assert done["digest"] == exported["digest"]
    assert sorted(done["settings"]) == ["privacy.replace", "recall.judged"]
    config = (short_home / "config.toml").read_text(encoding="utf-8")
    assert KEY not in config
    assert "Ann Smith" in config
    again = json.loads(there.ok("export", "--whole", short_home / "again.gz", "--json"))
    assert done["here"] == again["digest"] != done["digest"]
    with RunningDaemon(short_home, models) as daemon, daemon.client("s1", project=f"{short_home}/app") as client:
        assert client.get(told.id).project == f"{short_home}/app"
        assert "plainly" in client.core_view()[0].text
        assert "Mondays" in client.read_file("notes/deploy.md").content
        assert client.messages().entries[0].content == "It is past midnight."
        assert getattr(client.load_checkpoint("build"), "data", b"") == b"\0\xff"
        daemon.indexed(client)
        assert client.search("login test midnight")[0].id == told.id
        busy = there("import", file)
        assert (busy.returncode, "memoryd stop" in busy.stderr) == (1, True)


def test_what_is_no_archive_or_no_home_is_refused_before_anything_is_written(memoryd: Command) -> None:
    file = memoryd.home / "whole.gz"
    assert "there is no memory in" in memoryd("export", "--whole", file).stderr
    assert os.listdir(memoryd.home) == []
    file.write_bytes(b"\x1f\x8b and no archive")
    assert "cannot be read" in memoryd("import", file).stderr


def test_an_export_that_nobody_takes_says_so_and_does_not_blame_the_ledger(memoryd: Command) -> None:
    with all_rows.opened(memoryd.home / "ledger.db", memoryd.home / "backups") as engine:
        opening.migrate(engine, "")
    with open("/dev/full", "wb") as full:
        command = [str(MEMORYD), "export", "--whole"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False, env=memoryd.environment)
    assert (done.returncode, done.stderr) == (1, b"memoryd: stdout cannot be written: No space left on device\n")
