"""Each fault is made for real in a scratch home; the examination must name it and the way out, and change nothing."""

import hashlib
import json
import os
import socket
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import anyio
import msgspec
import pytest

from memoryd.clock import SystemClock
from memoryd.config import load
from memoryd.doctor import Finding, examine, rows, worst
from memoryd.doctor.mirrors import examine_mirrors
from memoryd.ledger import SqlLedger
from memoryd.lock import hold_home
from memoryd.mirror.folder import MirrorFolder
from memoryd.mirror.state import MirrorSettings, MirrorStates
from memoryd.restoring import dated_name
from memoryd_actors.core.errors import LedgerCorrupt
from memoryd_actors.memory.steps import Add
from memoryd_client.base.paths import Paths
from memoryd_client.wire.memory import Memory, Scope, new_memory_id
from memoryd_client.wire.status import ComponentStatus, Status


class House:
    """A scratch installation and what an examination of it finds."""

    def __init__(self, root: Path) -> None:
        # No systemctl on this PATH: systemd has tests of its own.
        self.environ = {"HOME": str(root), "MEMORYD_HOME": str(root / "home"), "PATH": str(root)}
        self.paths = Paths.from_environment(self.environ)
        self.paths.home.mkdir(mode=0o700)
        self.paths.runtime.mkdir(mode=0o700)

    def examine(self, *, status: Status | None = None, now: datetime | None = None) -> list[Finding]:
        return examine(self.paths, status=status, environ=self.environ, now=now)

    def find(self, name: str, *, status: Status | None = None, now: datetime | None = None) -> Finding:
        """Return the worst finding of that name."""
        named = [finding for finding in self.examine(status=status, now=now) if finding.name == name]
        assert named, f"nothing was found about {name}"
        return next((finding for level in ("fail", "warn") for finding in named if finding.level == level), named[0])

    async def fill_ledger(self) -> None:
        """Store one memory, as the daemon does."""
        now = datetime.now(UTC)
        memory = Memory(
            id=new_memory_id(), owner="local", content="The tests need Redis.", scope=Scope.GLOBAL, created_at=now,
            updated_at=now,
        )  # fmt: skip
        ledger = SqlLedger(self.paths.ledger, backups=self.paths.backups, clock=SystemClock())
        await ledger.open()
        await ledger.memories.apply("local", [Add(memory, compared=False)], actor="test")
        await ledger.close()


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


def running(house: House, **components: ComponentStatus) -> Status:
    return Status(
        pid=os.getpid(), version="1", home=str(house.paths.home), live=True, ready=True, busy=False, uptime_s=1.0,
        rss_bytes=1, components=components,
    )  # fmt: skip


async def test_a_sound_house_has_nothing_to_mend(house: House) -> None:
    await house.fill_ledger()
    findings = house.examine()
    assert [finding for finding in findings if finding.level == "fail"] == []
    assert all(bool(finding.mend) == (finding.level != "ok") for finding in findings)
    assert house.find("ledger").what == f"{house.paths.ledger} is sound; memories in it: 1"


async def test_nothing_is_changed(house: House) -> None:
    await house.fill_ledger()
    house.paths.lock.write_text("left over", encoding="utf-8")

    def everything() -> dict[str, tuple[int, str]]:
        return {
            str(path): (path.stat().st_mode, hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "")
            for path in house.paths.home.parent.rglob("*")
        }

    before = everything()
    house.examine()
    assert everything() == before


def test_an_examination_makes_no_folders(tmp_path: Path) -> None:
    environ = {"HOME": str(tmp_path / "nobody"), "PATH": ""}
    found = {finding.name: finding for finding in examine(Paths.from_environment(environ), environ=environ)}
    assert "does not exist yet" in found["home"].what
    assert list(tmp_path.iterdir()) == []


# --- folders and files ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["home", "runtime"])
def test_a_folder_open_to_others_is_found(house: House, name: str) -> None:
    folder: Path = getattr(house.paths, name)
    folder.chmod(0o755)
    finding = house.find(name)
    assert (finding.level, finding.mend) == ("fail", f"chmod 700 {folder}")


def test_a_file_where_the_home_should_be_is_found(house: House) -> None:
    house.paths.runtime.rmdir()
    house.paths.home.rmdir()
    house.paths.home.touch()
    assert house.find("home").level == "fail"


def test_a_key_that_others_can_read_is_found(house: House) -> None:
    house.paths.config.write_text('[sidecar]\napi_key = "not-a-real-key"\n', encoding="utf-8")
    house.paths.config.chmod(0o640)
    finding = house.find("config file")
    assert (finding.level, finding.mend) == ("fail", f"chmod 600 {house.paths.config}")
    assert b"not-a-real-key" not in msgspec.json.encode(house.examine())
    house.paths.config.chmod(0o600)
    assert house.find("config file").level == "ok"


def test_a_configuration_without_a_key_may_be_read_and_not_written_by_others(house: House) -> None:
    house.paths.config.write_text("[recall]\njudged = 5\n", encoding="utf-8")
    house.paths.config.chmod(0o644)
    assert house.find("config file").level == "ok"
    house.paths.config.chmod(0o664)
    assert house.find("config file").level == "fail"


# --- settings -------------------------------------------------------------------------------------------------------


def test_an_invalid_configuration_is_a_finding_and_the_rest_is_still_looked_at(house: House) -> None:
    house.paths.config.write_text("[recall]\njudgd = 5\n", encoding="utf-8")
    house.paths.config.chmod(0o600)
    finding = house.find("config")
    assert finding.level == "fail"
    assert "judgd" in finding.what
    assert str(house.paths.config) in finding.mend
    assert house.find("disk")


def test_a_variable_with_a_value_that_cannot_be_is_named_with_how_to_be_rid_of_it(house: House) -> None:
    house.environ["MEMORYD_RECALL_JUDGED"] = "many"
    finding = house.find("config")
    assert finding.what.startswith("MEMORYD_RECALL_JUDGED: ")
    assert finding.mend == "unset MEMORYD_RECALL_JUDGED"


def test_a_variable_that_nobody_reads_is_found_with_what_was_meant(house: House) -> None:
    house.environ["MEMORYD_RECALL_JUDGD"] = "5"
    finding = house.find("variable")
    assert finding.level == "warn"
    assert "is MEMORYD_RECALL_JUDGED meant?" in finding.what
    del house.environ["MEMORYD_RECALL_JUDGD"]
    house.environ["MEMORYD_RECALL_JUDGED"] = "5"
    assert not [finding for finding in house.examine() if finding.name == "variable"]


def test_a_key_in_the_environment_is_noticed_and_not_shown(house: House) -> None:
    house.environ["ANTHROPIC_API_KEY"] = "not-a-real-key"
    assert "claude-haiku-5-5 is configured" in house.find("sidecar").what
    assert b"not-a-real-key" not in msgspec.json.encode(house.examine())


# --- the process and its sockets ------------------------------------------------------------------------------------


def test_a_lock_file_that_nobody_holds_is_no_daemon(house: House) -> None:
    house.paths.lock.write_text(json.dumps({"pid": 1}), encoding="utf-8")
    finding = house.find("daemon")
    assert finding.level == "ok"
    assert finding.what.startswith("no daemon serves")


def test_a_home_that_is_held_by_somebody_who_does_not_answer_is_found(house: House) -> None:
    with hold_home(house.paths, version="1"):
        finding = house.find("daemon")
        assert finding.level == "warn"
        assert f"process {os.getpid()} serves {house.paths.home} and was not heard from" in finding.what
        assert house.find("daemon", status=running(house)).level == "ok"


def test_a_daemon_whose_sockets_are_elsewhere_is_found(house: House) -> None:
    elsewhere = Paths(home=house.paths.home, config=house.paths.config, runtime=house.paths.home / "elsewhere")
    with hold_home(elsewhere, version="1"):
        finding = house.find("daemon")
    assert (finding.level, finding.mend) == ("warn", f"export MEMORYD_RUNTIME_DIR={elsewhere.runtime}")


def test_a_part_that_failed_is_found_with_its_own_hint(house: House) -> None:
    status = running(house, model=ComponentStatus(state="failed", message="no weights", hint="get them"))
    with hold_home(house.paths, version="1"):
        assert house.find("model", status=status) == Finding("model", "fail", "no weights", "get them")


def test_what_the_daemon_says_of_the_model_that_judges_is_not_contradicted(house: House) -> None:
    status = running(house, sidecar=ComponentStatus(state="degraded", message="wrong key", hint="mend it"))
    with hold_home(house.paths, version="1"):
        (finding,) = [one for one in house.examine(status=status) if one.name == "sidecar"]
    assert finding == Finding("sidecar", "warn", "wrong key", "mend it")


@pytest.fixture
def listener(house: House) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as made:
        made.bind(str(house.paths.rpc_socket))
        house.paths.rpc_socket.chmod(0o600)
        yield made


def test_a_socket_file_left_over_is_told_from_one_that_somebody_listens_at(
    house: House, listener: socket.socket
) -> None:
    left_over = house.find("rpc socket")
    assert (left_over.level, left_over.mend) == ("warn", "memoryd start")
    listener.listen()
    assert house.find("rpc socket").level == "ok"


def test_looking_at_a_socket_does_not_connect_to_it(house: House, listener: socket.socket) -> None:
    listener.listen()
    house.examine()
    listener.setblocking(False)
    with pytest.raises(BlockingIOError):
        listener.accept()


def test_a_socket_that_others_can_use_is_found(house: House, listener: socket.socket) -> None:
    listener.listen()
    house.paths.rpc_socket.chmod(0o666)
    assert house.find("rpc socket").mend == f"chmod 600 {house.paths.rpc_socket}"


def test_a_path_too_long_for_a_socket_is_found(house: House) -> None:
    long = house.paths.home / ("x" * 100)
    house.environ["MEMORYD_RUNTIME_DIR"] = str(long)
    house.paths = Paths.from_environment(house.environ)
    finding = house.find("push socket")
    assert finding.level == "fail"
    assert "MEMORYD_RUNTIME_DIR" in finding.mend


# --- data -----------------------------------------------------------------------------------------------------------


def break_ledger(house: House) -> None:
    content = bytearray(house.paths.ledger.read_bytes())
    content[4096:12288] = b"\xff" * 8192
    house.paths.ledger.write_bytes(content)


def back_up(house: House, at: datetime) -> Path:
    house.paths.backups.mkdir(exist_ok=True)
    copy = house.paths.backups / dated_name(at)
    copy.write_bytes(house.paths.ledger.read_bytes())
    return copy


async def test_a_damaged_ledger_is_found_with_the_command_that_restores_the_newest_sound_backup(house: House) -> None:
    await house.fill_ledger()
    now = datetime.now(UTC)
    sound = back_up(house, now - timedelta(days=2))
    damaged = back_up(house, now - timedelta(days=1))
    damaged.write_bytes(damaged.read_bytes()[:8192])
    # Stands for the real one: what is tested is the command, not the daemon.
    said = house.paths.home / "said"
    program = house.paths.home / "bin" / "memoryd"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\necho "$@" >> {said}\n', encoding="utf-8")
    program.chmod(0o755)
    for _ in range(2):
        break_ledger(house)
        finding = house.find("ledger")
        assert finding.level == "fail"
        environ = {**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}"}
        subprocess.run(["sh", "-c", finding.mend], check=True, env=environ)  # noqa: ASYNC221 - it has the loop to itself
        assert [one.level for one in house.examine() if one.what.endswith("memories in it: 1")] == ["ok"]
    aside = house.find("ledger")
    assert (aside.level, aside.what.startswith("damaged ledgers that were set aside may have")) == ("warn", True)
    subprocess.run(["sh", "-c", aside.mend], check=True)  # noqa: ASYNC221 - it has the loop to itself
    assert house.find("ledger").level == "ok"
    assert house.paths.ledger.read_bytes() == sound.read_bytes()
    assert said.read_text(encoding="utf-8").split() == ["stop", "start"] * 2


async def test_a_ledger_and_its_doctor_name_the_same_way_back(house: House) -> None:
    await house.fill_ledger()
    back_up(house, datetime.now(UTC))
    break_ledger(house)
    with pytest.raises(LedgerCorrupt) as refusal:
        await SqlLedger(house.paths.ledger, backups=house.paths.backups, clock=SystemClock()).open()
    command = refusal.value.hint.partition("memoryd stopped: ")[2]
    assert house.find("ledger").mend == f"memoryd stop; {command} && memoryd start"


async def test_a_damaged_ledger_without_a_backup_is_not_nothing_to_back_up(house: House) -> None:
    await house.fill_ledger()
    break_ledger(house)
    assert house.find("backups").level == "warn"
    assert "sqlite3" in house.find("ledger").mend


async def test_a_damaged_backup_is_found_and_the_newest_sound_one_named(house: House) -> None:
    await house.fill_ledger()
    now = datetime.now(UTC)
    back_up(house, now).write_bytes(b"")
    assert "there is no sound one" in house.find("backups").what
    sound = back_up(house, now - timedelta(days=1))
    finding = house.find("backups")
    assert (finding.level, finding.mend) == ("warn", "memoryd backup")
    assert str(sound) in finding.what


async def test_a_ledger_of_a_newer_memoryd_is_found(house: House) -> None:
    await house.fill_ledger()
    with closing(sqlite3.connect(house.paths.ledger)) as ledger:
        ledger.execute("UPDATE alembic_version SET version_num = '9999'")
        ledger.commit()
    finding = house.find("ledger")
    assert finding.level == "fail"
    assert "newer memoryd (schema 9999" in finding.what


async def test_a_backup_that_is_overdue_is_found(house: House) -> None:
    await house.fill_ledger()
    now = datetime.now(UTC)
    assert house.find("backups", now=now).level == "ok"
    later = house.find("backups", now=now + timedelta(days=4))
    assert (later.level, later.mend) == ("warn", "memoryd backup")
    back_up(house, now)
    assert house.find("backups", now=now).level == "ok"
    assert house.find("backups", now=now + timedelta(days=4)).level == "warn"


def test_an_index_that_cannot_be_opened_is_found(house: House) -> None:
    (house.paths.index / "memories.lance").mkdir(parents=True)
    finding = house.find("index")
    assert finding.level == "fail"
    assert finding.mend.startswith(f"mv {house.paths.index} ")


def test_a_running_daemon_says_how_far_the_index_is(house: House) -> None:
    behind = ComponentStatus(state="loading", numbers={"applied": 3, "behind": 2})
    assert "change 3 of 5" in house.find("index", status=running(house, index=behind)).what
    broken = ComponentStatus(state="degraded", message="another model's vectors", hint="memoryd reindex")
    finding = house.find("index", status=running(house, index=broken))
    assert finding == Finding("index", "fail", "another model's vectors", "memoryd reindex")


def test_a_model_that_is_missing_is_found_once(house: House) -> None:
    missing = ComponentStatus(state="failed", message="no weights", hint="get them")
    waiting = ComponentStatus(state="degraded", message="no weights", hint="get them")
    status = running(house, model=missing, index=waiting)
    with hold_home(house.paths, version="1"):
        found = [finding for finding in house.examine(status=status) if finding.name in {"model", "index"}]
    assert found == [
        Finding("model", "fail", "no weights", "get them"),
        Finding("index", "warn", "it waits for the model", "memoryd status"),
    ]


async def test_a_clock_that_runs_behind_what_is_remembered_is_found(house: House) -> None:
    assert house.find("clock", now=datetime(1970, 1, 1, tzinfo=UTC)).level == "fail"
    await house.fill_ledger()
    assert house.find("clock").level == "ok"
    assert house.find("clock", now=datetime.now(UTC) - timedelta(days=1)).level == "warn"


# --- the model ------------------------------------------------------------------------------------------------------


def test_a_cached_model_with_a_wrong_checksum_is_found(house: House) -> None:
    entry = house.paths.models / "all-MiniLM-L6-v2" / "fp32"
    entry.mkdir(parents=True)
    (entry / "model.onnx").write_bytes(b"weights")
    digest = hashlib.sha256(b"weights").hexdigest()
    manifest = {"files": {"model.onnx": digest}, "source": "here"}
    (entry / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    assert house.find("model").what.endswith("it comes from: here")
    (entry / "model.onnx").write_bytes(b"Weights")
    finding = house.find("model")
    assert finding.level == "fail"
    assert finding.mend.startswith(f"rm -r {entry}")


def test_a_configured_model_folder_without_a_model_is_found(house: House, tmp_path: Path) -> None:
    house.environ["MEMORYD_EMBEDDING_FOLDER"] = str(tmp_path)
    finding = house.find("model")
    assert finding.level == "fail"
    assert "tokenizer.json" in finding.what


# --- how it is shown ------------------------------------------------------------------------------------------------

FINDINGS = [Finding("a", "ok", "fine"), Finding("b", "fail", "broken", "mend it"), Finding("c", "warn", "odd", "look")]


def test_the_worst_is_shown_first() -> None:
    assert rows(FINDINGS) == [
        ("fail", "b", "broken", "mend it"),
        ("warn", "c", "odd", "look"),
        ("ok", "a", "fine", ""),
    ]
    assert [worst(FINDINGS), worst(FINDINGS[::2]), worst(FINDINGS[:1]), worst([])] == ["fail", "warn", "ok", "ok"]


def test_a_setting_that_is_none_any_more_is_a_warning_and_the_others_hold(house: House) -> None:
    house.paths.config.write_text('[sidecar]\ncadence = "sparse"\ndaily_usd = 0.25\n', encoding="utf-8")
    finding = house.find("setting")
    assert finding.level == "warn"
    assert "sidecar.cadence is no setting any more" in finding.what
    assert house.find("config").level == "ok"
    assert load(house.paths.config, {}).sidecar.daily_usd == 0.25


def test_a_mirrored_folder_that_is_away_is_told(short_home: Path, tmp_path: Path) -> None:
    paths = Paths.from_environment({"MEMORYD_HOME": str(short_home)})
    assert list(examine_mirrors(paths, None)) == []
    folder = tmp_path / "memory"
    mark = MirrorFolder(folder).put_mark()
    settings = MirrorSettings(folder=str(folder), mark=mark, owner="local", project=None, since="")
    anyio.run(MirrorStates(paths.mirrors).put, settings)
    assert [(one.name, one.level) for one in examine_mirrors(paths, None)] == [("mirror", "ok")]
    folder.rename(tmp_path / "aside")
    (found,) = examine_mirrors(paths, None)
    assert (found.level, str(folder) in found.mend) == ("warn", True)
    paths.mirrors.write_bytes(b"no database" * 1000)
    assert [one.level for one in examine_mirrors(paths, None)] == ["fail"]
