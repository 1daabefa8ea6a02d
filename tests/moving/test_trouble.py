"""What may go wrong on the way: nothing is half there, nothing is written over, nothing that was purged travels."""

import gzip
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ledger.samples import HandClock, memory
from memoryd.ledger import SqlLedger, all_rows
from memoryd.lock import HomeLocked, hold_home
from memoryd.moving.arriving import unfinished
from memoryd.transcripts import JsonlTranscripts
from memoryd_actors.core.errors import Refused, Unavailable
from memoryd_actors.memory.steps import Add
from memoryd_actors.ports.transcripts import Key
from transcript_files import append, kept

from .conftest import Home, home_at
from .test_round_trip import memory_row

SAID = "The wombat sleeps under the coconut."
KILLED = """
import os, signal, sys
from pathlib import Path
from memoryd.config import LedgerConfig
from memoryd.moving.arriving import arrive
from memoryd_client.base.paths import Paths

left = int(sys.argv[2])

def die():
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)

def configure(settings):
    if left > 0:
        os.kill(os.getpid(), signal.SIGKILL)

with open(sys.argv[1], "rb") as stream:
    arrive(Paths.from_environment(), LedgerConfig(), stream, places={}, configure=configure, advance=die)
"""


@pytest.fixture
async def archive(here: Home) -> bytes:
    """A home with two memories, a checkpoint and a transcript, written down."""
    ledger = SqlLedger(here.paths.ledger, clock=HandClock())
    await ledger.open()
    await ledger.writes.apply("local", [Add(memory(SAID)), Add(memory("It eats leaves."))], actor="ada")
    await ledger.checkpoints.save_checkpoint("local", "t", b"\0", save_id="s", meta={}, expected=0, keep=5)
    await ledger.close()
    transcripts = JsonlTranscripts(here.paths.transcripts)
    await append(transcripts, *(kept(f"line {number}") for number in range(5)))
    await transcripts.save()
    return here.leave()[0]


def is_new(home: Home) -> bool:
    with home.opened() as engine:
        return all_rows.is_empty(engine) and not home.transcript_bytes()


@pytest.mark.parametrize("after", [9, 10_000], ids=["entries", "committed"])
def test_an_import_that_is_killed_is_run_once_more(after: int, archive: bytes, here: Home, there: Home) -> None:
    file = here.paths.home / "whole.gz"
    file.write_bytes(archive)
    environment = {"MEMORYD_HOME": str(there.paths.home), "PATH": ""}
    killed = subprocess.run([sys.executable, "-c", KILLED, file, str(after)], check=False, env=environment)
    assert killed.returncode == -signal.SIGKILL
    with pytest.raises(Unavailable, match="cut off"):
        unfinished(there.paths)
    there.arrive(archive)
    unfinished(there.paths)
    assert there.rows() == here.rows()
    assert there.transcript_bytes() == here.transcript_bytes()
    assert not there.paths.arriving.exists()


def test_one_that_was_killed_between_ledger_and_transcripts_is_finished_with_the_same_archive_only(
    archive: bytes, here: Home, there: Home, tmp_path: Path
) -> None:
    digest = there.arrive(archive).digest
    there.paths.arriving.mkdir()
    there.paths.transcripts.rename(there.paths.arriving / "transcripts")
    (there.paths.arriving / "digest").write_text(digest)
    other = home_at(tmp_path / "other")
    other.fill({})
    with pytest.raises(Refused, match="another archive"):
        there.arrive(other.leave()[0])
    there.arrive(archive)
    assert there.transcript_bytes() == here.transcript_bytes()


async def test_one_of_transcripts_alone_that_was_killed_after_them_is_finished(here: Home, there: Home) -> None:
    here.fill({})
    await append(JsonlTranscripts(here.paths.transcripts), kept("line"))
    archive = here.leave()[0]

    def fail(_: object) -> None:
        raise OSError("the disk is full")

    with pytest.raises(OSError, match="full"):
        there.arrive(archive, configure=fail)
    with pytest.raises(Unavailable, match="cut off"):
        unfinished(there.paths)
    there.arrive(archive)
    unfinished(there.paths)
    assert there.transcript_bytes() == here.transcript_bytes()


def test_a_home_that_has_something_or_is_served_is_left_as_it_is(archive: bytes, here: Home, there: Home) -> None:
    before = here.rows()
    with pytest.raises(Refused, match="is not empty: its ledger has memories"):
        here.arrive(archive)
    assert here.rows() == before
    with hold_home(there.paths, version=""), pytest.raises(HomeLocked):
        there.arrive(archive)
    there.fill({})
    there.arrive(archive)
    here.paths.ledger.unlink()
    with pytest.raises(Refused, match="it has transcripts"):
        here.arrive(archive)


@pytest.mark.parametrize("where", [0.0, 0.5])
def test_an_archive_that_is_cut_or_damaged_brings_nothing(where: float, archive: bytes, there: Home) -> None:
    at = int(len(archive) * where)
    spoilt = bytearray(archive)
    spoilt[at + 12] ^= 0x5A
    for wrong in (archive[:at], bytes(spoilt)):
        with pytest.raises(Refused):
            there.arrive(wrong)
    assert is_new(there)
    there.arrive(archive)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (b"wombat", b"badger", "not what its own digest says"),
        (b'{"format":1', b'{"format":2', "this memoryd knows 1"),
        (b'"schema":"00', b'"schema":"99', "no version '99"),
        (b'{"table":"memories"', b'{"table":"memoirs"', "no table of this version"),
        (b'"importance":', b'"impotence":', "does not fit"),
        (b'"data":"', b'"data":"%', "cannot be read"),
        (b'"memory_id":', b'"memory_id":[],"x":', "does not fit"),
        (b'{"session":', b'{"sitting":', "of no known kind"),
        (b'{"memoryd":', b'{"nobody":', "no archive of memoryd"),
    ],
)
def test_an_archive_that_says_what_cannot_be_brings_nothing(
    old: bytes, new: bytes, reason: str, archive: bytes, there: Home
) -> None:
    wrong = gzip.compress(gzip.decompress(archive).replace(old, new))
    with pytest.raises(Refused, match=reason):
        there.arrive(wrong)
    assert not there.paths.arriving.exists()
    there.arrive(archive)


def test_two_projects_that_say_the_same_are_not_made_one(here: Home, there: Home) -> None:
    said = {"content_hash": "the same", "scope": "project"}
    here.fill({"memories": [memory_row(1, "/a", **said), memory_row(2, "/b", **said)]})
    with pytest.raises(Refused, match="same one") as refused:
        there.arrive(here.leave()[0], {"/a": "/b"})
    assert "--project-map" in refused.value.hint
    assert is_new(there)


async def test_what_is_purged_before_or_meanwhile_does_not_travel(archive: bytes, here: Home) -> None:
    ledger = SqlLedger(here.paths.ledger, clock=HandClock())
    await ledger.open()
    (purged,) = (row["id"] for row in here.rows()["memories"] if row["content"] == SAID)
    assert SAID.encode() in gzip.decompress(archive)
    key: Key = ("local", "s1")
    # Here the words are taken out of the transcript at some later time.
    await ledger.purges.purge("local", [purged], actor="ada", told={key[1]: [2]})
    with pytest.raises(Refused, match="still stands in transcripts"):
        here.leave()
    (left,) = await ledger.progress.progress_of("purged_entries")
    await JsonlTranscripts(here.paths.transcripts).erase(key, [2])
    await ledger.purges.gone_from_transcript(left)
    text = gzip.decompress(here.leave()[0])
    assert SAID.encode() not in text
    assert b"line 1" not in text
    assert purged.encode() in text, "that it was purged is history"
    await ledger.close()


def test_a_purge_in_the_middle_of_an_export_spoils_it(archive: bytes, here: Home) -> None:
    purge = """
import anyio, sys
from ledger.samples import HandClock
from memoryd.ledger import SqlLedger, all_rows

async def main():
    ledger = SqlLedger(sys.argv[1], clock=HandClock())
    await ledger.open()
    await ledger.purges.purge_session("local", "s9", project="", last=0)
    (left,) = await ledger.progress.progress_of("purged_session")
    await ledger.purges.gone_from_transcript(left)
    await ledger.close()

anyio.run(main)
"""
    done = False

    def advance() -> None:
        nonlocal done
        if not done:
            subprocess.run([sys.executable, "-c", purge, here.paths.ledger], check=True, cwd=Path(__file__).parents[1])
        done = True

    with pytest.raises(Refused, match="purged while it was exported"):
        here.leave(advance)
