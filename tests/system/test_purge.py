"""A purge leaves no byte: proved by reading every file of the home."""

import shutil
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import anyio
import pytest

from memoryd.clock import SystemClock
from memoryd.doctor import examine
from memoryd.ledger import SqlLedger
from memoryd_client import Client, Memory, Message, NewMemory, RequestFailed, Scope
from memoryd_client.base.paths import Paths
from memoryd_client.wire.transcripts import Entry
from running import PROJECT, RunningDaemon, until

TOLD = "The vault of the Meridian observatory opens with quokkabanana."
EARLIER = "A granite door with a quokkabanana on it leads into the vault."
EPISODE = """# Episode: A walk
Date: 2026-03-01
Topic: walk
Outcome: open
Source: quoted from the conversation by rules, not written by a model

Summary:
- The user said: "{}"
"""
ASKED = "How does the vault of the Meridian observatory open?"


def files_with(home: Path, needle: bytes) -> list[str]:
    return [str(file) for file in sorted(home.rglob("*")) if file.is_file() and needle in file.read_bytes()]


def test_no_file_of_the_home_has_a_word_of_what_was_purged(daemon: RunningDaemon) -> None:
    with daemon.client(session="s1") as client:
        kept = client.remember("Ana drinks tea at four.", scope="global")
        secret = client.remember(
            TOLD,
            scope="global",
            title="quokkabanana",
            tags=["quokkabanana"],
            category="quokkabanana",
        )
        client.update(secret.id, content=TOLD + " It is blue.")
        client.backup()
        assert client.search("quokkabanana")[0].id == secret.id
    with daemon.client(session="s2") as client:
        client.push_acknowledged([Message("user", ASKED)])
        pending = until(client.take_pending, "something pending")
        assert "quokkabanana" in pending.text
        assert files_with(daemon.paths.home, b"quokkabanana")
        assert client.purge([secret.id]) == "1 memory destroyed"
        assert files_with(daemon.paths.home, b"quokkabanana") == []
        # A log that was rewritten, an index that was rebuilt: all else is still there.
        assert [hit.id for hit in client.search("Ana drinks tea")] == [kept.id]
        assert client.get(kept.id).content == kept.content
        assert [entry.event for entry in client.history(secret.id)] == ["PURGE", "UPDATE", "ADD"]


def test_a_damaged_ledger_that_was_set_aside_is_named_until_it_is_removed(daemon: RunningDaemon) -> None:
    with daemon.client(session="s1") as client:
        first, second = (client.remember(f"{TOLD} {number}", scope="global") for number in ("Once.", "Twice."))
        aside = daemon.paths.home / "damaged-x1Y2z3"
        aside.mkdir()
        (aside / daemon.paths.ledger.name).write_bytes(daemon.paths.ledger.read_bytes())
        leaves = f"a damaged ledger that was set aside may have it still, until `rm -r {aside}`"
        assert client.purge_plan([first.id]).leaves == leaves
        assert client.purge([first.id]) == f"1 memory purged: {leaves}"
        shutil.rmtree(aside)
        assert client.purge([second.id]) == "1 memory destroyed"


def test_whatever_was_set_aside_is_named_also_where_a_session_is_purged(daemon: RunningDaemon) -> None:
    with daemon.client(session="s1") as client:
        secret = client.remember(TOLD, scope="global")
        client.push_acknowledged([Message("user", ASKED)])
        ledger, index = daemon.paths.home / "damaged-x1Y2z3", daemon.paths.home / "index.aside"
        for folder in (ledger, index):
            folder.mkdir()
        (ledger / daemon.paths.ledger.name).write_bytes(daemon.paths.ledger.read_bytes())
        leaves = f"what was set aside may have it still, until `rm -r {ledger} {index}`"
        assert client.purge_session("s1") == f"1 entry purged: {leaves}"
        shutil.rmtree(ledger)
        leaves = f"what was set aside may have it still, until `rm -r {index}`"
        assert client.purge([secret.id]) == f"1 memory purged: {leaves}"


READER = """
import sqlite3, sys
reader = sqlite3.connect(sys.argv[1], isolation_level=None)
reader.execute("BEGIN")
reader.execute("SELECT count(*) FROM memories").fetchone()
print("reading", flush=True)
sys.stdin.read()
"""


@contextmanager
def reading(daemon: RunningDaemon) -> Generator[None]:
    """Have somebody read the state of now, as a copying tool does: the log cannot be emptied meanwhile."""
    # In a process of its own: who closes a file, as these tests do, lets go of all locks that his process has on it.
    command = [sys.executable, "-c", READER, str(daemon.paths.ledger)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as reader:
        assert reader.stdout is not None
        assert reader.stdout.readline() == b"reading\n"
        yield
        reader.communicate()


def unfinished(client: Client) -> tuple[str, float]:
    part = client.status().components["ledger"]
    return part.state, part.numbers["purges_unfinished"]


@pytest.mark.slow
def test_a_purge_that_somebody_who_reads_holds_up_is_finished_later_and_says_so_until_then(
    daemon: RunningDaemon,
) -> None:
    with daemon.client(session="s1") as client:
        kept = client.remember("Ana drinks tea at four.", scope="global")
        secret = client.remember(TOLD, scope="global")
        other = client.remember("The boiler of the quokkabanana mill is blue.", scope="global")
        client.append([Entry(role="user", content=TOLD)])
        client.backup()
        daemon.indexed(client)
        with reading(daemon):
            with pytest.raises(RequestFailed, match="gone from memory, but not yet every byte") as failure:
                client.purge([secret.id], every_session=True)
            assert failure.value.code == "unavailable"
            assert "by itself" in failure.value.hint
            assert unfinished(client)[0] == "degraded"
            # Others are served meanwhile, and so is a purge.
            assert client.remember("Berta drinks coffee.", scope="global").content
            with pytest.raises(RequestFailed, match="reads an older state"):
                client.purge([other.id])
            left = files_with(daemon.paths.home, b"quokkabanana")
            # Of the transcript and of the index nobody holds it up.
            assert {Path(file).name for file in left} <= {"ledger.db", "ledger.db-wal"}
            assert any(finding.name == "purges" for finding in examine(daemon.paths))
            daemon.kill()
            daemon.start()
            until(lambda: unfinished(client)[0] == "degraded", "the next daemon to say so, too")
        # Sent again it is done, and waits for what is left.
        assert client.purge([secret.id]) == "0 memories destroyed"
        assert files_with(daemon.paths.home, b"quokkabanana") == []
        assert unfinished(client) == ("ok", 0)
        assert client.search("Ana drinks tea")[0].id == kept.id
        assert not any(finding.name == "purges" for finding in examine(daemon.paths))


async def _purged_and_killed(paths: Paths, memory_id: str) -> None:
    """Do what a daemon has done that dies right after the transaction which purges."""
    ledger = SqlLedger(paths.ledger, backups=paths.backups, clock=SystemClock())
    await ledger.open()
    await ledger.purges.purge("local", [memory_id], actor="test", told={"s1": [1]})
    await ledger.purges.purge_session("local", "s2", project=PROJECT, last=1)
    await ledger.close()


def test_what_a_killed_purge_left_in_ledger_index_transcripts_and_backups_the_next_daemon_destroys(
    daemon: RunningDaemon,
) -> None:
    with daemon.client(session="s1") as client:
        kept = client.remember("Ana drinks tea at four.", scope="global")
        secret = client.remember(TOLD, scope="global")
        client.append([Entry(role="user", content=TOLD), Entry(role="user", content="Good morning.")])
    with daemon.client(session="s2") as client:
        client.append([Entry(role="user", content=TOLD)])
        client.remember(EPISODE.format(TOLD), category="episode", source_session="s2")
        client.search_messages("quokkabanana")
        client.backup()
        daemon.indexed(client)
        daemon.kill()
        anyio.run(_purged_and_killed, daemon.paths, secret.id)
        left = files_with(daemon.paths.home, b"quokkabanana")
        for part in ("ledger", "backups/ledger", "backups/transcripts", "/transcripts", "/index/", "/index-messages/"):
            assert any(part in file for file in left), part
        daemon.start()
        # What is said in the session from now on is not what was purged.
        client.append([Entry(role="user", content="Good evening.")])
        until(lambda: unfinished(client) == ("ok", 0), "the purges to be finished")
        assert files_with(daemon.paths.home, b"quokkabanana") == []
        assert [one.content for one in client.messages("s1").entries] == ["", "Good morning."]
        assert [one.content for one in client.messages("s2").entries] == ["Good evening."]
        assert [one.id for one in client.list(limit=50)] == [kept.id]


def _sent(client: Client, memory_id: str) -> Memory:
    return client.remember_many([NewMemory(id=memory_id, content=TOLD, scope=Scope.GLOBAL)])[0]


def test_the_same_request_sent_again_after_a_purge_stores_nothing(daemon: RunningDaemon) -> None:
    with daemon.client() as client:
        first = _sent(client, "mem_first")
        # Another request that said the same, and so was never a memory of its own.
        assert _sent(client, "mem_again").id == first.id
        client.purge([first.id])
        for one in ("mem_first", "mem_again"):
            with pytest.raises(RequestFailed, match="purged"):
                _sent(client, one)
        assert files_with(daemon.paths.home, b"quokkabanana") == []
        # Whoever wants it again says so, with a request of its own.
        assert client.remember(TOLD, scope="global").content == TOLD


def test_a_section_of_core_memory_is_purged_with_all_that_it_ever_said(daemon: RunningDaemon) -> None:
    with daemon.client() as client:
        client.core_append("human", "Their word is quokkabanana.")
        client.core_set("human", "Prefers tea.", revision=1)
        client.core_append("human", "quokkabanana, in a thread", thread="build")
        client.backup()
        assert client.core_purge("human") == "human and its history destroyed"
        assert client.core_view()[1].text == ""
        assert [write.event for write in client.core_history("human")] == ["PURGE"]
        with pytest.raises(RequestFailed, match="no section 'nosuch' in what all threads share"):
            client.core_purge("nosuch")
        with pytest.raises(RequestFailed, match="nothing was written"):
            client.core_undo("human")
        assert files_with(daemon.paths.home, b"Their word") == []
        assert files_with(daemon.paths.home, b"Prefers tea") == []
        assert [one.text for one in client.core_view(thread="build") if one.text] == ["quokkabanana, in a thread"]
        assert client.core_append("human", "Begins anew.").text == "Begins anew."


def test_what_was_asked_in_the_words_of_a_memory_goes_with_it_and_transcripts_by_choice(daemon: RunningDaemon) -> None:
    home = daemon.paths.home
    with daemon.client(session="s1") as client:
        asked = "Please remember that the Brontomerus exhibit opens on floor nineteen."
        client.push_acknowledged([Message("user", asked), Message("assistant", "Noted.")])
        captured = until(lambda: next(iter(client.list()), None), "the memory")
        client.append([Entry(id="other", role="user", content="The kiosk sells lemonade on Sundays.")])
        other = client.remember("The kiosk of the museum sells maps.", source_session="s1")
        client.relate(other.id, captured.id, relation="explains Brontomerus")
        until(lambda: client.why(1), "the trace")
        client.search_messages("Brontomerus")
        client.backup()
        told = client.purge([captured.id])
        assert "transcripts still tell it" in told
        assert "`s1` (1)" in told
        left = files_with(home, b"Brontomerus") + files_with(home, b"brontomerus")
        assert all("transcripts" in file or "index-messages" in file for file in left), left
        assert "Brontomerus" not in str(client.why(5))
        assert "Brontomerus" not in str(client.history(other.id))
        again = client.remember("The Brontomerus exhibit opens on floor nineteen.", source_session="s1")
        told = client.purge([again.id], transcripts=True)
        assert "the words of 1 entry of 1 transcript" in told
        assert files_with(home, b"Brontomerus") == []
        assert files_with(home, b"brontomerus") == []
        entries = client.messages().entries
        assert "The kiosk sells lemonade on Sundays." in [one.content for one in entries]
        assert [hit.id for hit in client.search("Where are maps sold?")] == [other.id]
        # Pushed again, what was purged is known still.
        client.push_acknowledged([Message("user", asked), Message("assistant", "Noted.")])
        client.append([Entry(id="after", role="user", content="And now?")])
        assert len(client.messages().entries) == len(entries) + 1
        walk = client.remember(EPISODE.format(other.content), category="episode", source_session="s1")
        assert client.purge([other.id]).endswith(f"go with `--transcripts`: `{walk.id}`")
        assert client.get(walk.id).content == walk.content


def test_a_session_that_is_purged_leaves_no_trace_and_no_state(daemon: RunningDaemon) -> None:
    with daemon.client(session="s1") as client:
        client.remember("The planetarium has forty seats.", scope="global")
        daemon.indexed(client)
        trace = daemon.turn(client, "How many seats has the planetarium, says Quetzalcoatlus?")
        assert "Quetzalcoatlus" in trace.focus
        client.take_pending()
        client.backup()
        client.purge_session("s1")
        assert client.why(5) == []
    for needle in (b"Quetzalcoatlus", b"quetzalcoatlus"):
        assert files_with(daemon.paths.home, needle) == []


def test_what_other_sessions_tell_is_listed_first_and_then_gone(daemon: RunningDaemon) -> None:
    home = daemon.paths.home
    with daemon.client(session="source") as client:
        secret = client.remember(EARLIER, source_session="source")
        client.update(secret.id, content=TOLD)
        former = client.remember("There was a lock of brass once.", source_session="source")
        client.relate(secret.id, former.id, relation="supersedes")
        client.append([Entry(role="user", content=f"I was told: {TOLD}")])
        client.append([Entry(role="user", content="I would like to know how it opens with a key.")])
        client.append([Entry(role="user", content=f"They once said: {EARLIER}")])
    with daemon.client(session="elsewhere") as client:
        client.append(
            [
                Entry(role="user", content="Good morning."),
                Entry(role="assistant", content="The Meridian observatory opens with QUOKKABANANA, they say."),
                Entry(role="user", content="Of the observatory in Paris I know nothing."),
            ]
        )
        client.search_messages("quokkabanana")
        client.backup()
    with daemon.client(session="elsewhere") as client:
        episode = client.remember(EPISODE.format(TOLD), category="episode", source_session="elsewhere")
        other = client.remember(EPISODE.format("We painted the fence."), category="episode", source_session="source")
    with daemon.client(session="theirs", owner="another") as client:
        client.append([Entry(role="user", content=TOLD)])
        with pytest.raises(RequestFailed, match="no memory"):
            client.purge_plan([secret.id], every_session=True)
    with daemon.client() as client:
        near = client.purge_plan([secret.id])
        assert [(one.session, one.sequence) for one in near.entries] == [("source", 1), ("source", 3)]
        assert near.retold == ()
        plan = client.purge_plan([secret.id], every_session=True)
        assert [(one.session, one.sequence, one.reason) for one in plan.entries] == [
            ("source", 1, "words"),
            ("source", 3, "words"),
            ("elsewhere", 2, "words"),
        ]
        assert "QUOKKABANANA" in plan.entries[2].excerpt
        assert [one.id for one in plan.retold] == [episode.id]
        # What all episodes say of themselves makes none of them tell another.
        assert client.purge_plan([episode.id], every_session=True).retold == ()
        assert (plan.ids, plan.sessions, plan.unreadable, plan.more) == ((secret.id,), 2, 0, 0)
        assert plan.replaced == (former.id,)
        assert client.get(secret.id).content == TOLD
        told = client.purge([secret.id], every_session=True)
        assert told == (
            "2 memories destroyed, and the words of 3 entries of 2 transcripts; "
            f"superseded, by nothing that is there, until restored: {former.id}"
        )
        assert client.get(former.id).superseded_by == ""
        assert client.restore(former.id).active
        assert client.get(other.id).content == other.content
        assert [one.content for one in client.messages("elsewhere").entries] == [
            "Good morning.",
            "",
            "Of the observatory in Paris I know nothing.",
        ]
    left = files_with(home, b"quokkabanana") + files_with(home, b"QUOKKABANANA")
    assert left
    assert all("transcripts" in file or "index-messages" in file for file in left)
    with daemon.client(owner="another") as client:
        assert [one.content for one in client.messages("theirs").entries] == [TOLD]
        client.purge_session("theirs")
    assert files_with(home, b"quokkabanana") + files_with(home, b"QUOKKABANANA") == []


def test_an_agent_that_may_see_some_categories_looks_into_no_other_session(short_home: Path, models: Path) -> None:
    short_home.mkdir(mode=0o700, exist_ok=True)
    (short_home / "config.toml").write_text('[allowlists]\nplanner = ["task"]\n', encoding="utf-8")
    with RunningDaemon(short_home, models) as daemon:
        with daemon.client() as client:
            task = client.remember("Mend the boiler of the old mill.", category="task", source_session="s1")
            episode = client.remember(EPISODE.format(task.content), category="episode", source_session="s1")
        with Client(agent="planner", project="/projects/demo", paths=daemon.paths, deadline_s=30) as planner:
            with pytest.raises(RequestFailed, match="some categories only"):
                planner.purge_plan([task.id])
            with pytest.raises(RequestFailed, match="some categories only"):
                planner.purge([task.id], every_session=True)
            with daemon.client() as client:
                assert client.get(task.id).content == task.content
            # Nor does it destroy what it may not see.
            assert planner.purge([task.id], transcripts=True) == "1 memory destroyed"
        with daemon.client() as client:
            assert client.get(episode.id).content == episode.content
