"""The real command against a real daemon with the real model."""

import json
import re
import select
import subprocess
import time
from pathlib import Path

import msgspec
import pytest

from memoryd.hosts.table import HOSTS
from memoryd.lock import holder
from memoryd_cli.base.agent_shell import SHELLS
from memoryd_client.base.paths import Paths
from memoryd_client.wire.history import HistoryEntry
from memoryd_client.wire.memories import MemoryPage
from memoryd_client.wire.memory import Memory
from memoryd_client.wire.pending import PendingMemory
from memoryd_client.wire.query import Queried
from memoryd_client.wire.search import Hit
from memoryd_client.wire.status import Status
from memoryd_client.wire.traces import Trace

from .memoryd_command import MEMORYD, Command

FACT = "Session token expiry is computed in UTC, twelve hours after login."


def decided(memoryd: Command, session: str, turn: int) -> Trace:
    """Return a turn's trace, once the pipeline has finished it."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        traces = msgspec.json.decode(
            memoryd.ok("why", "--session", session, "--turn", str(turn), "--json"), type=list[Trace]
        )
        if traces:
            return traces[0]
    raise AssertionError(f"turn {turn} of {session} was not decided")


def test_in_the_shell_of_a_coding_agent_what_is_added_is_the_agents_word(served: Command) -> None:
    def added(done: subprocess.CompletedProcess[str]) -> Memory:
        assert done.returncode == 0, done.stderr
        return msgspec.json.decode(done.stdout, type=Memory)

    assert set(SHELLS.values()) <= set(HOSTS)
    passing = "The user just asked about the weather."
    shell = served.with_environment(CLAUDECODE="1")
    for run in (shell, shell.typed):  # also where the agent has a terminal of its own
        refused = run("add", passing)
        assert (refused.returncode, "true for a moment only" in refused.stderr) == (1, True)
    word = added(shell("add", FACT, "--trust", "1", "--json"))
    assert (word.agent, word.source.value, word.trust) == ("claude", "agent", 0.5)
    health = added(shell("add", "The user has asthma and carries an inhaler.", "--json"))
    assert health.state.value == "proposed"
    assert shell("consent", "approve", health.id).returncode == 1
    # Whoever says on whose behalf, and whoever is in no such shell, is who they are.
    assert added(shell("add", passing, "--agent", "cli", "--json")).agent == "script"
    assert added(served("add", "Releases are tagged by hand.", "--json", CLAUDECODE="0")).source.value == "user"


def test_without_a_terminal_nothing_is_signed_as_the_users(served: Command) -> None:
    document = served.home / "grain.md"
    document.write_text("# Grain\n\nThe grain store is emptied in May.\n", encoding="utf-8")
    memory_id = served.ok("add", FACT).strip()
    operation = msgspec.json.decode(served.ok("history", memory_id, "--json"), type=list[HistoryEntry])[0].operation
    served.ok("undo", str(operation))
    served.ok("undo", str(operation + 1))
    served.ok("fs", "write", "notes/grain.md", "Barley comes first.")
    served.ok("fs", "edit", "notes/grain.md", "Barley", "Rye")
    served.ok("fs", "delete", "notes/grain.md")
    served.ok("knowledge", "add", str(document))
    served.ok("knowledge", "remove", str(document))
    served.ok("core", "append", "scratchpad", "Rye comes first.")
    served.ok("purge", memory_id, "--yes")
    writes = msgspec.json.decode(served.ok("history", "--json"), type=list[HistoryEntry])
    assert len(writes) >= 8
    assert {write.actor for write in writes if write.actor} == {"script"}
    sections = served.ok("core", "history", "scratchpad", "--json")
    assert '"script"' in sections
    assert '"cli"' not in sections


def test_what_is_pushed_in_the_shell_of_a_coding_agent_gives_no_consent(served: Command) -> None:
    def pushed(command: Command, session: str, city: str, *more: str) -> subprocess.CompletedProcess[str]:
        said = [
            {"role": "assistant", "content": f"May I remember that you live in {city}?"},
            {"role": "user", "content": "Yes, please."},
        ]
        return command("push", "--session", session, *more, given="\n".join(map(json.dumps, said)))

    def state(memory_id: str) -> str:
        return msgspec.json.decode(served.ok("show", memory_id, "--json"), type=Memory).state.value

    shell = served.with_environment(CLAUDECODE="1")
    forged, asked = (
        shell.ok("add", city, "--category", "profile", "--title", title, "--scope", "global").strip()
        for city, title in (("Lisbon", "city"), ("Porto", "home"))
    )
    for more in ((), ("--agent", "cli"), ("--agent", "tui")):
        done = pushed(shell, "forged", "Lisbon", *more)
        assert (done.returncode, "taken as its own word" in done.stderr) == (0, True)
    assert pushed(served, "asked", "Porto").returncode == 0
    deadline = time.monotonic() + 60
    while state(asked) != "active":  # answers are heard in the order in which they were pushed
        assert time.monotonic() < deadline
    assert state(forged) == "proposed"


@pytest.mark.parametrize("agent", [(), ("--agent", "cli"), ("--agent", "tui")])
def test_what_is_appended_in_the_shell_of_a_coding_agent_is_the_agents_word(
    served: Command, agent: tuple[str, ...]
) -> None:
    said = "Remember that the user hates tabs.", "yes"
    lines = "\n".join(json.dumps({"role": "user", "content": one}) for one in said)
    shell = served.with_environment(CODEX_THREAD_ID="7")
    done = shell("session", "append", "--session", f"appended{len(agent)}", *agent, *said)
    assert "taken as its own word" in done.stderr
    session = f"lines{''.join(agent)}"
    assert shell("session", "append", "--session", session, *agent, given=lines).returncode == 0
    shown = json.loads(served.ok("session", "show", session, "--json"))
    assert [one["role"] for one in shown["entries"]] == ["assistant", "assistant"]
    assert served("session", "append", "--session", session, "hello").stderr.count("own word") == 0


def test_a_memory_is_stored_found_read_forgotten_and_restored(served: Command) -> None:
    memory_id = served.ok("add", FACT, "--tag", "auth", "--importance", "4", "--occurred-at", "2026-03-02").strip()
    short = memory_id.removeprefix("mem_")[:8]

    hits = msgspec.json.decode(served.ok("search", "how is token expiry computed?", "--json"), type=list[Hit])
    assert [hit.id for hit in hits] == [memory_id]
    assert short in served.ok("search", "token expiry")

    memory = msgspec.json.decode(served.ok("show", short, "--json"), type=Memory)
    assert (memory.content, memory.tags, memory.importance, memory.source.value) == (FACT, ("auth",), 4, "user")
    assert FACT in served.ok("show", memory_id)

    assert served.ok("read", short) == FACT + "\n"
    page = msgspec.json.decode(served.ok("read", short, "--offset", "8", "--limit", "5", "--json"), type=MemoryPage)
    assert (page.content, page.next_offset, page.total) == (FACT[8:13], 13, len(FACT))

    assert served.ok("forget", short) == ""
    assert served.ok("list") == ""
    assert "forgotten" in served.ok("list", "--all")
    served.ok("restore", short)
    assert [one.id for one in msgspec.json.decode(served.ok("list", "--json"), type=list[Memory])] == [memory_id]

    writes = msgspec.json.decode(served.ok("history", short, "--json"), type=list[HistoryEntry])
    assert [write.event for write in writes] == ["RESTORE", "DELETE", "ADD"]
    assert {write.actor for write in writes} == {"script"}


def test_what_is_pushed_is_decided_explained_and_taken_once(served: Command) -> None:
    memory_id = served.ok("add", FACT).strip()
    served.ok("push", "--session", "s1", "Why does the session token expiry break at midnight?")
    trace = decided(served, "s1", 1)
    assert [candidate.id for candidate in trace.candidates if candidate.kept] == [memory_id]

    table = served.ok("why", "--session", "s1")
    for told in ("kept", memory_id.removeprefix("mem_")[:8], "timings", "vector", "words", "judge"):
        assert told in table

    pending = msgspec.json.decode(served.ok("take", "--session", "s1", "--json"), type=PendingMemory | None)
    assert pending is not None
    assert FACT in pending.text
    again = served("take", "--session", "s1")
    assert (again.returncode, again.stdout) == (0, "")
    assert served.ok("take", "--session", "s1", "--json") == "null\n"

    assert FACT in served.ok("recall", "when does a session token expire?")


@pytest.mark.slow
def test_words_need_no_quotes_and_a_dash_is_what_stdin_holds(served: Command) -> None:
    memory_id = served.ok("add", "Token", "expiry", "is", "computed in UTC.").strip()
    assert served.ok("read", memory_id) == "Token expiry is computed in UTC.\n"
    assert memory_id.removeprefix("mem_")[:8] in served.ok("search", "token", "expiry", "midnight")
    for asked in (served.ok("recall", "when", "does", "a", "token", "expire?"), served.ok("recall", "-", given=FACT)):
        assert "computed in UTC" in asked
    assert "computed in UTC" in served.ok("query", "token", "expiry")
    served.ok("fs", "write", "notes/expiry.md", FACT)
    assert "notes/expiry.md" in served.ok("fs", "search", "token", "expiry")
    served.ok("session", "append", "--session", "s1", FACT)
    assert FACT in served.ok("session", "search", "token", "expiry", "--by", "words")


@pytest.mark.slow
def test_a_list_says_that_there_are_more_and_an_empty_one_where_there_are_some(served: Command) -> None:
    for number in range(3):
        served.ok("add", f"Pier {number} is closed in winter {2020 + number}.", "--project", "/harbour")
    done = served("list", "--limit", "2", "--project", "/harbour")
    assert len(done.stdout.splitlines()) == 3
    assert done.stderr.startswith("the newest 2; there are more")
    assert served("list", "--limit", "3", "--project", "/harbour").stderr == ""
    assert served("list").stderr == "no memories here, but in /harbour: `--scope everywhere` has them\n"
    assert served("list", "--category", "tea").stderr.startswith("no memories; `memoryd categories`")
    assert served("list", "--tag", "tea", "--project", "/harbour").stderr == "no memories\n"
    for command in ("search", "query", "recall"):
        assert "no memories here, but in /harbour" in served(command, "winter").stderr
    for where in ("none.jsonl", "-"):
        assert "`--everywhere` has them" in served("export", where).stderr
    assert served.ok("export", "-", "--everywhere").count("is closed in winter") == 3
    assert not (served.home / "-").exists()


def test_what_was_probably_misspelt_is_said(served: Command) -> None:
    done = served("add", "--category", "preferance", "Tea, not coffee.")
    assert "is `preference` meant?" in done.stderr
    assert served("add", "--category", "preference", "Tea in the morning, too.").stderr == ""
    done = served("list", MEMORYD_PROJEKT="/harbour")
    assert done.stderr == "warning: nobody reads MEMORYD_PROJEKT; is MEMORYD_PROJECT meant?\n"


def test_without_a_terminal_and_an_editor_nothing_is_edited(served: Command) -> None:
    memory_id = served.ok("add", FACT).strip()
    done = served("edit", memory_id, EDITOR="", VISUAL="")
    assert (done.returncode, done.stdout) == (1, "")
    assert "there is no terminal for an editor" in done.stderr


def test_a_turn_is_explained_by_its_decision_and_a_memory_by_who_wrote_it(served: Command) -> None:
    memory_id = served.ok("add", FACT, "--speaker", "user").strip()
    for _ in range(2):
        served.ok("push", "--session", "s1", "--turn", "1", "Why does the session token expiry break at midnight?")
    deadline = time.monotonic() + 60
    while "asked again: same context as before" not in (told := served.ok("why", "--session", "s1")):
        assert time.monotonic() < deadline
    assert served.ok("why", "--session", "s1", "--turn", "1") == told
    assert "dropped" in told or "kept" in told  # the decision itself
    assert len(json.loads(served.ok("why", "--session", "s1", "-n", "50", "--json"))) == 1
    assert re.search(r"^written by +user, through script$", served.ok("why", memory_id), re.MULTILINE)


def test_a_relation_that_is_not_there_is_not_removed(served: Command) -> None:
    first, second = served.ok("add", FACT).strip(), served.ok("add", "The parser is written in Rust.").strip()
    served.ok("relate", first, second)
    done = served("unrelate", first, second, "--relation", "supersedes")
    assert (done.returncode, done.stdout) == (1, "")
    assert f"memoryd why {first}" in done.stderr
    served.ok("unrelate", first, second)


def test_a_shell_is_offered_what_may_stand_there(served: Command) -> None:
    memory_id = served.ok("add", FACT, "--category", "insurance").strip()

    def offered(*words: str) -> list[str]:
        done = served(
            COMP_WORDS=" ".join(("memoryd", *words)), COMP_CWORD=str(len(words)), _MEMORYD_COMPLETE="complete_bash"
        )
        assert done.stderr == ""
        return done.stdout.splitlines()

    assert offered("show", memory_id[4:9]) == [memory_id.removeprefix("mem_")]
    assert offered("list", "-c", "ins") == ["insurance"]
    assert offered("config", "get", "recall.strict") == ["recall.strictness"]

    typed = {"_TYPER_COMPLETE_ARGS": f"memoryd show {memory_id[4:9]}"}
    zsh = served(_MEMORYD_COMPLETE="complete_zsh", **typed).stdout
    assert memory_id.removeprefix("mem_") in zsh
    assert FACT in zsh
    wanted = {"_TYPER_COMPLETE_FISH_ACTION": "get-args", "_TYPER_COMPLETE_WORD_TO_COMPLETE": memory_id[4:9]}
    fish = served(_MEMORYD_COMPLETE="complete_fish", **typed, **wanted).stdout
    assert fish.split("\t") == [memory_id.removeprefix("mem_"), f"{FACT}\n"]


def test_a_conversation_comes_from_a_file_or_from_stdin(served: Command) -> None:
    lines = '{"role": "user", "content": "first"}\n{"role": "assistant", "content": "second"}\n'
    (served.home / "talk.jsonl").write_text(lines + '{"role": "user", "content": "third"}\n', encoding="utf-8")
    served.ok("push", "--session", "file", "--file", "talk.jsonl")
    served.ok("push", "--session", "stdin", given=lines)
    assert decided(served, "file", 1).focus.startswith("third")
    assert "first" in decided(served, "stdin", 1).focus


def test_a_backup_and_a_rebuilt_index_are_made_while_it_runs(served: Command) -> None:
    served.ok("add", FACT)
    copy = Path(served.ok("backup", served.home / "copy.db").strip())
    assert copy.read_bytes().startswith(b"SQLite format 3")
    assert "reindexed" in served.ok("reindex")
    assert FACT in served.ok("search", "token expiry")


def test_status_tells_of_every_part_and_the_doctor_finds_nothing_that_fails(served: Command) -> None:
    status = msgspec.json.decode(served.ok("status", "--json"), type=Status)
    assert status.ready
    assert {"model", "index", "ledger", "sidecar", "sessions", "keeper", "sockets"} <= set(status.components)
    first, second, *rest = served.ok("status").splitlines()
    assert first.startswith(f"memoryd {status.version}, pid {status.pid}: ready")
    assert re.match(r"[0-9]+ memor(y|ies)", second)
    assert rest == []
    (served.home / "handbook.md").write_text("# Deploying\nOn Fridays.\n")
    served.ok("knowledge", "add", served.home / "handbook.md")
    assert served.ok("status").splitlines()[1].split("; ")[0].endswith(", 1 passage of 1 document")
    shown = served.ok("status", "--all")
    assert all(name in shown for name in status.components)
    assert "e+0" not in shown, "counts are printed digit by digit"
    assert ".7d" not in shown
    report = json.loads(served.ok("doctor", "--json"))
    assert report["level"] != "fail"
    assert "ready" in served.ok("logs")


@pytest.mark.slow
def test_off_is_told_loudly_by_status_and_doctor_until_it_is_on(served: Command) -> None:
    served.ok("add", FACT)
    assert served.ok("off").startswith("memory is OFF")
    done = served("add", "another")
    assert (done.returncode, "memoryd on" in done.stderr) == (1, True)
    assert served.ok("take", "--session", "s") == ""
    assert f"MEMORY IS OFF in {served.home}" in served.ok("status")
    found = {one["name"]: one for one in json.loads(served.ok("doctor", "--json"))["findings"]}
    assert found["memory"]["level"] == "warn"
    assert FACT in served.ok("export")
    everywhere = json.loads(served.ok("off", "--everywhere", "--json"))
    assert (everywhere["on"], [place["project"] for place in everywhere["off"]]) == (False, ["", str(served.home)])
    assert json.loads(served.ok("on", "--json"))["on"] is False
    assert served.ok("on", "--everywhere") == "memory is on here\n"
    assert "OFF" not in served.ok("status")


def test_a_second_start_says_that_it_runs_and_a_restart_brings_a_new_process(alone: Command) -> None:
    first = json.loads(alone.ok("status", "--json"))["pid"]
    assert alone.ok("start") == f"memoryd runs already, pid {first}\n"
    assert "stopped" not in alone.ok("restart")
    second = json.loads(alone.ok("status", "--json"))["pid"]
    assert second != first
    assert alone.ok("stop") == f"stopped memoryd, pid {second}\n"
    assert holder(Paths.from_environment(alone.environment)) is None
    assert alone("status").returncode == 3


def test_a_restart_with_a_broken_configuration_leaves_the_daemon_alone(alone: Command) -> None:
    pid = json.loads(alone.ok("status", "--json"))["pid"]
    (alone.home / "config.toml").write_text("[recall]\nnonsense = 1\n", encoding="utf-8")
    done = alone("restart")
    assert (done.returncode, done.stdout) == (1, "")
    assert "nonsense" in done.stderr
    assert json.loads(alone.ok("status", "--json"))["pid"] == pid


def test_autostart_brings_a_daemon_up_where_none_runs(home: Path, models: Path) -> None:
    memoryd = Command(home, models)
    done = memoryd("add", FACT, "--autostart")
    try:
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith("mem_")
        assert "started memoryd" in done.stderr
        assert "started" not in memoryd("list", "--autostart").stderr
    finally:
        memoryd("stop")


def test_a_reader_that_leaves_early_is_no_error(served: Command) -> None:
    for number in range(5):
        served.ok("add", f"Fact number {number}: " + "x" * 15_000)
    with subprocess.Popen(
        [MEMORYD, "export"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=served.home,
        env=served.environment,
    ) as exporting:
        assert exporting.stdout is not None
        assert exporting.stderr is not None
        exporting.stdout.close()
        assert exporting.stderr.read() == b""
        assert exporting.wait(30) == 0


def test_an_id_that_is_unknown_fails_with_the_way_out(served: Command) -> None:
    done = served("show", "zzzz")
    assert (done.returncode, done.stdout) == (1, "")
    assert "zzzz" in done.stderr


def test_events_are_told_as_they_happen(served: Command) -> None:
    with subprocess.Popen(
        [MEMORYD, "watch", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=served.home,
        env=served.environment,
        text=True,
    ) as watching:
        assert watching.stdout is not None
        # A subscription takes a moment to arrive, so events are made until one is heard of.
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            served.ok("add", FACT)
            if select.select([watching.stdout], [], [], 0.2)[0]:
                break
        heard = watching.stdout.readline()
        watching.terminate()
    assert json.loads(heard)["event"] in {"wrote", "index"}


@pytest.mark.parametrize("command", [("show",), ("context",), ("end",), ("purge", "--yes")])
def test_a_session_in_which_nothing_was_said_is_told_as_such(served: Command, command: tuple[str, ...]) -> None:
    name = f"known-{command[0]}"
    served.ok("session", "append", "--session", name, "the login test is green again")
    served.ok("session", *command, name)
    done = served("session", *command, f"{name}x")
    assert done.returncode == 1
    assert done.stdout == ""
    assert f"'{name}x'" in done.stderr
    assert "memoryd session list" in done.stderr


def test_what_contradicts_each_other_is_told_together(served: Command) -> None:
    ids = [served.ok("add", f"The ferry to the island leaves at {time}.").strip() for time in ("8 am", "8 pm")]
    first, second = served.ok("query", "When does the ferry leave?").splitlines()
    assert first.startswith("- [fact] The ferry to the island leaves at 8 ")
    assert second.startswith("  - contradicted by [fact] The ferry to the island leaves at 8 ")
    whole = served.ok("query", "When does the ferry leave?", "--return", "full")
    assert all(f"contradicted by {memory_id}" in whole for memory_id in ids)
    found = msgspec.json.decode(served.ok("query", "When does the ferry leave?", "--json"), type=Queried)
    assert found.contradictions == ((ids[1], ids[0]),)
