"""A whole home from one database into another and back: the same to the last row and the last line."""

import gzip
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import insert

from ledger.samples import HandClock, memory
from memoryd.ledger import SqlLedger, all_rows, opening
from memoryd.ledger.tables import HEAD, metadata
from memoryd.moving.archive import FORMAT, ArchiveHeader, ArchiveLine, ArchiveWriter
from memoryd.transcripts import JsonlTranscripts
from memoryd_actors.memory.steps import Add
from memoryd_actors.recall.session_state import SessionState, decode_state, encode_state
from postgresql import database
from transcript_files import append, contents, kept

from .conftest import Home, home_at
from .samples import TEXTS, ledgers

DAMAGED = b'{"seq": 3, not JSON \xff\xfe\n'


async def speak(home: Home, *said: str, session: str = "s1", project: str = "/p") -> None:
    transcripts = JsonlTranscripts(home.paths.transcripts)
    entries = [kept(text, id=f"{session}-{number}") for number, text in enumerate(said)]
    await transcripts.append(("local", session), entries, project=project, agent="a")
    await transcripts.save()


@settings(max_examples=2, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(rows=ledgers(), said=st.lists(TEXTS.filter(bool), max_size=4))
async def test_whatever_is_in_sqlite_comes_back_through_postgresql(
    rows: dict[str, list[dict[str, Any]]], said: list[str], server: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("moves")
    with database(server, "memoryd_round") as url:
        first, second, third = home_at(folder / "a"), home_at(folder / "b", url), home_at(folder / "c")
        first.fill(rows)
        await speak(first, "hello", *said)
        lines = next(first.paths.transcripts.rglob("session.jsonl"))
        lines.write_bytes(lines.read_bytes() + DAMAGED)
        archive, done = first.leave()
        assert done.end.counts == {
            **{name: len(some) for name, some in sorted(rows.items()) if some},
            "transcripts": 1,
            "entries": len(said) + 2,
        }
        there = second.arrive(archive)
        assert there.digest == done.end.digest
        again, _ = second.leave()
        back = third.arrive(again)
    assert back.digest == done.end.digest
    assert third.rows() == first.rows()
    assert third.transcript_bytes() == first.transcript_bytes()
    assert third.leave()[1].end == done.end


async def test_a_database_counts_on_and_a_session_goes_on_where_they_were(
    here: Home, tmp_path: Path, shared_url: str
) -> None:
    await speak(here, "one", "two")
    ledger = SqlLedger(here.paths.ledger, clock=HandClock())
    await ledger.open()
    told = memory("The gate of the lock opens at six.")
    await ledger.writes.apply("local", [Add(told)], actor="ada")
    saved = await ledger.checkpoints.save_checkpoint("local", "t", b"\0\xff", save_id="s", meta={}, expected=0, keep=5)
    counted = await ledger.memories.counts()
    await ledger.close()
    there = home_at(tmp_path / "there", shared_url)
    there.arrive(here.leave()[0])
    ledger = SqlLedger(shared_url, clock=HandClock())
    await ledger.open()
    assert (await ledger.memories.get("local", [told.id]))[told.id].content == told.content
    assert (await ledger.checkpoints.load_checkpoint("local", "t", None)).info == saved
    assert await ledger.memories.counts() == counted
    more = await ledger.writes.apply("local", [Add(memory("It closes at ten."))], actor="ada")
    assert more.memories[0].id != told.id
    transcripts = ledger.transcripts
    assert transcripts is not None
    assert await append(transcripts, kept("two", id="s1-1"), kept("three", id="s1-2")) == 1
    assert await contents(transcripts) == ["one", "two", "three"]
    await ledger.close()
    back = home_at(tmp_path / "back")
    back.arrive(there.leave()[0])
    files = JsonlTranscripts(back.paths.transcripts)
    assert await contents(files) == ["one", "two", "three"]
    assert (await files.sessions("local", limit=9, offset=0))[0].project == "/p"
    assert back.paths.transcripts.stat().st_mode & 0o077 == 0


async def test_every_path_of_a_project_follows_it_to_its_new_folder(here: Home, there: Home) -> None:
    await speak(here, "in it", project="/old/app/part")
    await speak(here, "beside it", session="s2", project="/old/apple")
    state = SessionState(in_force={"tui\n/old/app": {"mem_1": "reads /old/app"}, "tui\n": {}})
    undo = '{"columns":{"project":"/old/app","files":"[\\"/old/app/a.py\\"]","content":"/old/app"}}'
    here.fill(
        {
            "memories": [memory_row(1, "/old/app", files='["/old/app/a.py","b.py"]'), memory_row(2, "/old/apple")],
            "history": [_history(undo)],
            "switches": [{"owner": "local", "project": "/old/app/part", "off_since": 1, "actor": "ada"}],
            "sessions": [{"owner": "local", "session": "s1", "state": encode_state(state), "updated_at": 5}],
            "core_sections": [_section("/old/app"), _section("night")],
        }
    )
    archive, done = here.leave()
    arrived = there.arrive(archive, {"/old/app": "/new"})
    assert arrived.end == done.end
    assert arrived.digest != done.end.digest
    assert there.leave()[1].end.digest == arrived.digest
    rows = there.rows()
    assert [row["project"] for row in rows["memories"]] == ["/new", "/old/apple"]
    assert rows["memories"][0]["files"] == '["/new/a.py","b.py"]'
    columns = msgspec.json.decode(rows["history"][0]["undo"])["columns"]
    assert columns == {"project": "/new", "files": '["/new/a.py"]', "content": "/old/app"}
    assert rows["switches"][0]["project"] == "/new/part"
    assert decode_state(rows["sessions"][0]["state"]).in_force == {
        "tui\n/new": {"mem_1": "reads /old/app"},
        "tui\n": {},
    }
    assert {row["thread"] for row in rows["core_sections"]} == {"/new", "night"}
    infos = await JsonlTranscripts(there.paths.transcripts).infos()
    assert {key[1]: info.project for key, info in infos.items()} == {"s1": "/new/part", "s2": "/old/apple"}


def test_how_far_jobs_are_with_what_another_home_has_in_files_is_not_taken_along(
    here: Home, there: Home, shared_url: str
) -> None:
    ours = home_at(here.paths.home, shared_url)
    jobs = (("", "insight"), ("s1", "episode"), ("s1", "episode@other"))
    ours.fill(
        {
            "progress": [
                {"owner": "local", "session": session, "job": job, "sequence": 3, "detail": "", "at": 1}
                for session, job in jobs
            ]
        }
    )
    there.arrive(ours.leave()[0])
    assert {(row["session"], row["job"]) for row in there.rows()["progress"]} == {("", "insight"), ("s1", "episode")}


def test_an_archive_of_older_tables_is_brought_up_to_date(there: Home, tmp_path: Path) -> None:
    old = home_at(tmp_path / "old")
    with old.opened() as engine, engine.execution_options(memoryd_writes=True).begin() as connection:
        opening.upgrade(connection, "0012")
        event = {"id": 9, "owner": "o", "thread": "", "node": "n", "op": "x", "status": "", "category": "", "sim": 0.5}
        connection.execute(insert(metadata.tables["events"]), {**event, "memory_id": "", "ts": 5})
        with (tmp_path / "old.gz").open("wb") as file:
            writer = ArchiveWriter(
                file, ArchiveHeader(format=FORMAT, schema="0012", made_by="0.1.0", at="", settings={})
            )
            for table, row in all_rows.rows(connection):
                writer.add(ArchiveLine(table=table, row=row))
            writer.finish()
    there.arrive((tmp_path / "old.gz").read_bytes())
    assert there.rows()["events"] == [{**event, "memory_id": "", "ts": 5, "duration_ms": None, "home": "", "agent": ""}]
    with there.opened() as engine:
        assert opening.version(engine) == HEAD


def test_an_archive_is_lines_of_json_that_any_program_can_read(here: Home) -> None:
    here.fill({"memories": [memory_row(1, "/p")]})
    archive, done = here.leave(settings={"recall.judged": 8})
    lines = [msgspec.json.decode(line) for line in gzip.decompress(archive).splitlines()]
    assert lines[0]["memoryd"]["settings"] == {"recall.judged": 8}
    assert lines[1]["row"]["content"] == "memory 1"
    assert lines[-1]["end"]["digest"] == done.end.digest


def memory_row(number: int, project: str, **fields: object) -> dict[str, Any]:
    row: dict[str, Any] = {
        "number": number,
        "id": f"mem_{number}",
        "owner": "local",
        "content": f"memory {number}",
        "category": "fact",
        "scope": "project",
        "project": project,
        "title": "",
        "tags": "[]",
        "metadata": "{}",
        "source": "user",
        "speaker": "",
        "session": "",
        "files": "[]",
        "sources": "[]",
        "state": "active",
        "superseded_by": "",
        "content_hash": f"hash {number}",
        "embedding_model": "",
        "importance": 3,
        "access_count": 0,
        "strength": 1,
        "pinned": False,
        "created_at": 1,
        "updated_at": 1,
        "trust": 0.5,
    }
    return row | fields


def _history(undo: str) -> dict[str, Any]:
    texts = {"owner": "local", "event": "UPDATE", "old": "", "new": "", "actor": "ada", "meta": "{}", "undo": undo}
    return {"id": 1, "memory_id": "mem_1", "ts": 1, "operation": 1, **texts}


def _section(thread: str) -> dict[str, Any]:
    texts = {"owner": "local", "thread": thread, "name": "persona", "content": "/old/app", "updated_by": "ada"}
    return {**texts, "revision": 1, "updated_at": 1}
