"""Transcripts in the files of a home whose ledger is shared: they come into it, once, and how far jobs were, too."""

import sys
from typing import Any

import pytest

from ledger.samples import HandClock
from memoryd.ledger import SqlLedger
from memoryd.ledger.transcript_repository import SqlTranscripts
from memoryd.moving import into_ledger
from memoryd.transcripts import JsonlTranscripts
from memoryd_actors.core.errors import Refused
from memoryd_actors.memory.progress import FILES_GONE, PURGED_ENTRIES, PURGED_SESSION
from memoryd_actors.ports.transcripts import digest_of
from transcript_files import KEY, append, contents, kept

from .conftest import Home, home_at


def row(session: str, job: str, sequence: int, detail: str = "") -> dict[str, Any]:
    return {"owner": "local", "session": session, "job": job, "sequence": sequence, "detail": detail, "at": 1}


def bring_over(home: Home) -> int:
    with home.opened() as engine:
        return into_ledger.bring_over(home.paths, engine)


def shared(home: Home, url: str, name: str) -> Home:
    """Return the home with a name, on the database."""
    made = home_at(home.paths.home, url)
    (home.paths.home / "name").write_text(f"{name}\n")
    return made


async def ledger_at(home: Home) -> tuple[SqlLedger, SqlTranscripts]:
    ledger = SqlLedger(home.url, clock=HandClock())
    await ledger.open()
    assert ledger.transcripts is not None
    return ledger, ledger.transcripts


async def files(home: Home, *said: str, key: tuple[str, str] = KEY) -> JsonlTranscripts:
    transcripts = JsonlTranscripts(home.paths.transcripts, home.paths.transcripts_copy)
    await append(transcripts, *(kept(one, id=one) for one in said), key=key)
    await transcripts.back_up()
    return transcripts


async def test_a_home_brings_its_transcripts_and_how_far_jobs_were_and_does_it_once(
    here: Home, shared_url: str
) -> None:
    here = shared(here, shared_url, "abc")
    here.fill({"progress": [row("s1", "episode@abc", 2), row("s1", "episode@other", 9), row("", "day", 4)]})
    await files(here, "one", "two", "three")
    lines = next(here.paths.transcripts.rglob("session.jsonl"))
    before = lines.read_bytes()
    with pytest.raises(Refused, match="not in its ledger yet"):
        here.leave()
    assert bring_over(here) == 1
    assert not into_ledger.waits(here.paths)
    assert list(here.paths.transcripts_copy.rglob("*.jsonl")) == []
    rows = here.rows()
    assert b"".join(one["line"] + b"\n" for one in sorted(rows["entries"], key=lambda one: one["number"])) == before
    assert {(one["job"], one["sequence"]) for one in rows["progress"]} == {
        ("episode", 2),
        ("episode@other", 9),
        ("day", 4),
    }
    # Killed before the files were gone: they come again, and nothing is there twice.
    lines.parent.mkdir(parents=True)
    lines.write_bytes(before)
    await JsonlTranscripts(here.paths.transcripts).info(KEY)
    ledger, transcripts = await ledger_at(here)
    (lines.parent / "metadata.json").write_text('{"id": "s1", "userId": "local"}')
    heard = (await transcripts.news(0)).changed
    assert bring_over(here) == 1
    assert await contents(transcripts) == ["one", "two", "three"]
    # Whoever destroys what the index has of it hears that it is still there.
    assert (await transcripts.news(heard)).heads == {KEY: 3}
    assert bring_over(here) == 0
    await ledger.close()


async def test_a_session_that_was_held_at_two_machines_becomes_one(here: Home, there: Home, shared_url: str) -> None:
    here, there = shared(here, shared_url, "abc"), shared(there, shared_url, "def")
    here.fill({"progress": [row("s1", "episode@abc", 2), row("s1", "episode@def", 3), row("s1", "other@def", 1)]})
    await files(here, "one", "two")
    await files(there, "one", "three", "four")
    assert (bring_over(here), bring_over(there)) == (1, 1)
    ledger, transcripts = await ledger_at(here)
    assert await contents(transcripts) == ["one", "two", "three", "four"]
    # Both had told all that they had; of what one had left, nobody knows how far it is with the whole.
    assert [(one["job"], one["sequence"]) for one in here.rows()["progress"]] == [("episode", 4)]
    # Their numbers are others than before: the index takes them in anew.
    assert (await transcripts.news(0)).erased == {digest_of(KEY)}
    await ledger.close()


async def test_a_purge_that_was_interrupted_is_finished_before_anything_comes_over(here: Home, shared_url: str) -> None:
    here = shared(here, shared_url, "abc")
    gone, kept_on = ("local", "gone"), ("local", "went on")
    here.fill(
        {
            "progress": [
                row("s1", f"{PURGED_ENTRIES}@abc", 0, "[2]"),
                row("gone", f"{PURGED_SESSION}@abc", 1, "/p"),
                row("went on", f"{PURGED_SESSION}@abc", 1, "/p"),
            ]
        }
    )
    await files(here, "one", "the secret plan")
    await files(here, "the secret whole", key=gone)
    await files(here, "the secret past", "what came after", key=kept_on)
    bring_over(here)
    ledger, transcripts = await ledger_at(here)
    assert b"secret" not in b"".join(one["line"] for one in here.rows()["entries"]).replace(b'"id":"the secret', b"")
    assert await contents(transcripts) == ["one", ""]
    assert await contents(transcripts, kept_on) == ["", "what came after"]
    assert await transcripts.last(gone) == 0
    left = {(one["session"], one["job"], one["sequence"]) for one in here.rows()["progress"]}
    assert left == {("gone", PURGED_SESSION, FILES_GONE), ("went on", PURGED_SESSION, FILES_GONE)}
    await ledger.close()


async def test_copies_go_though_the_daemon_is_killed_while_they_do(
    here: Home, shared_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*_: object) -> None:
        sys.exit("killed")

    here = shared(here, shared_url, "abc")
    here.fill({})
    await files(here, "the secret plan")
    with monkeypatch.context() as killed:
        killed.setattr("memoryd.transcripts.mirror.forget", die)
        with pytest.raises(SystemExit):
            bring_over(here)
    bring_over(here)
    assert not into_ledger.waits(here.paths)
    assert list(here.paths.transcripts_copy.rglob("*.jsonl")) == []


async def test_one_that_cannot_be_read_yet_comes_later_with_how_far_jobs_are(here: Home, shared_url: str) -> None:
    here = shared(here, shared_url, "abc")
    here.fill({"progress": [row("s1", "episode@abc", 1)]})
    await files(here, "one")
    lines = next(here.paths.transcripts.rglob("session.jsonl"))
    said = lines.read_bytes()
    lines.unlink()
    lines.mkdir()
    assert bring_over(here) == 0
    lines.rmdir()
    lines.write_bytes(said)
    assert bring_over(here) == 1
    assert [(one["job"], one["sequence"]) for one in here.rows()["progress"]] == [("episode", 1)]


async def test_a_file_of_somebody_else_s_among_them_stays_and_keeps_nothing_from_coming(
    here: Home, shared_url: str
) -> None:
    here = shared(here, shared_url, "abc")
    here.fill({})
    for session in ("s1", "s2"):
        await files(here, "one", key=("local", session))
    for lines in [*here.paths.transcripts.rglob("session.jsonl")]:
        lines.with_name("notes.txt").write_text("mine")
    assert bring_over(here) == 2
    assert {file.name for file in here.paths.transcripts.rglob("*.*")} == {"notes.txt"}
    assert bring_over(here) == 0
