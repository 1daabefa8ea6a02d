"""A run that was interrupted goes on exactly where it stopped, whatever happened to the daemon meanwhile."""

import os
import subprocess
import sys
from datetime import UTC, date, datetime
from pathlib import Path
from threading import Event, Thread
from types import MappingProxyType
from typing import Any, cast

import pytest

from memoryd_client import (
    AsyncClient,
    DaemonUnreachable,
    DeadlineExceeded,
    Interrupted,
    NotInterrupted,
    PendingCall,
    RequestFailed,
)
from memoryd_client.interrupted import pack, run_in
from memoryd_client.wire.checkpoints import MAX_CHECKPOINT_BYTES, Checkpoint, CheckpointInfo
from running import RunningDaemon, until

RUN = Interrupted(
    position="step 3 of 7",
    working_memory={
        "plan": ["read", "mend", "test"],
        "seen": 0.1,
        "raw": b"\x00\xff",
        "at": datetime(2026, 3, 1, tzinfo=UTC),
    },
    pending_calls=(
        PendingCall(id="c1", name="read_file", arguments={"path": "login.py", "limit": 40}),
        PendingCall(id="c2", name="run_tests"),
    ),
)


@pytest.mark.parametrize("value", [2**80, "half \ud83d", object()])
def test_what_cannot_be_stored_of_a_run_is_refused_before_it_is_sent(value: object) -> None:
    with pytest.raises(TypeError):
        pack(Interrupted(position="1", working_memory={"value": value}))


def there_and_back(run: Interrupted | dict[str, object]) -> Interrupted:
    info = CheckpointInfo(thread="t", version=1, size=1, checksum="", created_at=datetime.now(UTC))
    return run_in(Checkpoint(info=info, data=pack(run)))


def test_a_run_comes_back_equal_whatever_its_calls_and_values_are_held_in() -> None:
    arguments: dict[str, object] = {"to": (1, 2), "of": {"a"}, "tags": frozenset({3})}
    call = {"id": "c1", "name": "move", "arguments": arguments}
    same = PendingCall(id="c1", name="move", arguments=arguments)
    memory: dict[str, object] = {
        "path": [("a", 1), ["b", (2,)]],
        "day": date(2026, 3, 1),
        "noon": datetime(2026, 3, 1, 12),
        "at": datetime(2026, 3, 1, tzinfo=UTC),
    }
    calls: tuple[Any, ...] = ([call], (call,), [same], [MappingProxyType(call)])
    for held in calls:
        run = Interrupted(position="1", working_memory=memory, pending_calls=held)
        assert there_and_back(run) == run == Interrupted(position="1", working_memory=memory, pending_calls=(same,))
        assert there_and_back({"position": "1", "working_memory": memory, "pending_calls": held}) == run
    found = there_and_back(Interrupted(position="1", working_memory=memory, pending_calls=(same,)))
    assert (found.working_memory, found.pending_calls[0].arguments) == (memory, arguments)
    with pytest.raises(TypeError, match="a pending call is a PendingCall or a mapping, and not a str"):
        Interrupted(position="1", pending_calls=cast("Any", ["move"]))


@pytest.mark.parametrize(
    "call",
    [
        {"id": "t1", "name": "read", "input": {"path": "x"}},
        {"type": "tool_use", "id": "t1", "name": "read", "input": {"path": "x"}},
        {"id": "t1", "type": "function", "function": {"name": "read", "arguments": '{"path": "x"}'}},
    ],
)
def test_a_call_in_the_form_of_a_model_keeps_its_arguments(call: dict[str, object]) -> None:
    found = there_and_back({"position": "s", "working_memory": {"a": 1}, "pending_calls": [call]})
    assert found.pending_calls == (PendingCall(id="t1", name="read", arguments={"path": "x"}),)


@pytest.mark.parametrize(
    ("run", "told"),
    [
        (
            {"position": "s", "workingmemory": {}},
            "an interrupted run has no field 'workingmemory': its fields are posit",
        ),
        ({"working_memory": {}}, "an interrupted run lacks 'position'"),
        (
            {"position": "s", "pending_calls": [{"id": "1", "name": "a", "args": {}}]},
            "a pending call has no field 'args'",
        ),
        ({"position": "s", "pending_calls": [{"id": "1"}]}, "a pending call lacks 'name'"),
        ({"position": "s", "pending_calls": [{"id": "1", "name": "a", "input": "["}]}, "arguments .* are no JSON"),
        ({"position": "s", "pending_calls": [{"id": "1", "name": "a", "input": 5}]}, "are a mapping, and not a int"),
    ],
)
def test_what_would_be_lost_of_a_run_is_refused_by_name(run: dict[str, object], told: str) -> None:
    with pytest.raises(TypeError, match=told):
        pack(run)


AGENT = """
import sys
from memoryd_client import Client, Interrupted, PendingCall

STEPS = 6
ledger = open(sys.argv[1], "a", buffering=1)  # what it does to the world: every call once, in this order
with Client(session="agent", deadline_s=30) as client:
    found = client.load_checkpoint("agent")
    run = client.resume("agent")
    version = found.info.version if found else 0
    if run is None:
        run = Interrupted(
            position="0",
            working_memory={"sum": 0, "raw": b"\\x00"},
            pending_calls=tuple(PendingCall(id=f"c{n}", name="add", arguments={"n": n}) for n in range(STEPS)),
        )
    print("at", run.position, flush=True)
    while run.pending_calls:
        call, *rest = run.pending_calls
        ledger.write(f"{call.id} {run.working_memory['sum']}\\n")
        run = Interrupted(
            position=str(int(run.position) + 1),
            working_memory={**run.working_memory, "sum": run.working_memory["sum"] + call.arguments["n"]},
            pending_calls=tuple(rest),
        )
        version = client.interrupt("agent", run, expected=version).version
        print("stored", run.position, flush=True)
        sys.stdin.readline()
    print("sum", run.working_memory["sum"], run.working_memory["raw"], flush=True)
"""
"""An agent that waits for a line after each step that it has stored."""


def test_an_agent_that_is_killed_goes_on_in_another_process_where_it_stopped(
    daemon: RunningDaemon, tmp_path: Path
) -> None:
    world = tmp_path / "world"

    def agent() -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [sys.executable, "-c", AGENT, str(world)],
            env=daemon.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip

    def killed_after(steps: int) -> list[str]:
        with agent() as process:
            assert process.stdin is not None
            assert process.stdout is not None
            told = [process.stdout.readline().strip()]
            for number in range(steps):
                told.append(process.stdout.readline().strip())
                if number < steps - 1:
                    process.stdin.write("\n")
                    process.stdin.flush()
            process.kill()
        return told

    assert killed_after(2) == ["at 0", "stored 1", "stored 2"]
    daemon.kill()
    daemon.start()
    assert killed_after(3) == ["at 2", "stored 3", "stored 4", "stored 5"]
    with agent() as last:
        told, _ = last.communicate("\n" * 10)
    assert told.splitlines() == ["at 5", "stored 6", "sum 15 b'\\x00'"]
    assert world.read_text().split("\n") == ["c0 0", "c1 0", "c2 1", "c3 3", "c4 6", "c5 10", ""]


def test_what_cannot_be_resumed_is_told_with_what_there_is(served: RunningDaemon) -> None:
    with served.client() as client, served.client(owner="somebody") as another:
        client.interrupt("build", RUN)
        client.save_checkpoint("state", b"my own bytes", meta={"about": "mine"})
        with pytest.raises(RequestFailed, match="checkpoint 7 of 'build' was never saved; kept: 1") as failed:
            client.resume("build", version=7)
        assert failed.value.code == "not_found"
        assert "the newest" in failed.value.hint
        with pytest.raises(
            RequestFailed, match="no checkpoint 1 of the thread 'biuld'; there are some of 'state', 'build'"
        ):
            client.resume("biuld", version=1)
        with pytest.raises(
            NotInterrupted, match=r"checkpoint 1 of 'state' \(12 bytes, about=mine\) is no interrupted run"
        ):
            client.resume("state")
        assert another.resume("build") is None
        with pytest.raises(RequestFailed, match="the owner 'somebody' has no checkpoint 1 of the thread 'build'; nor"):
            another.resume("build", version=1)
        assert (
            client.delete_checkpoint("build", version=9) == "there was no checkpoint 9 of 'build': nothing was deleted"
        )
        client.delete_checkpoint("build")
        assert client.resume("build") is None
        with pytest.raises(RequestFailed, match="whose last was version 1 and was deleted"):
            client.resume("build", version=1)


def test_a_run_is_resumed_after_the_daemon_was_killed(daemon: RunningDaemon) -> None:
    with daemon.client(session="s1") as client:
        client.core_append("context", "Mending the login.", thread="s1")
        saved = client.interrupt("s1", RUN, expected=0)
    daemon.kill()
    daemon.start()
    with daemon.client(session="s1") as client:
        assert client.resume("s1") == RUN
        assert client.resume("another") is None
        assert [one.text for one in client.core_view(thread="s1") if one.text] == ["Mending the login."]
        with pytest.raises(RequestFailed, match="version 1 is the newest"):
            client.interrupt("s1", RUN, expected=0)
        assert saved.version == 1


@pytest.mark.slow
def test_kill_9_among_saves_leaves_every_acknowledged_state_whole_and_once(daemon: RunningDaemon) -> None:
    acknowledged: list[int] = []
    stop = Event()

    def state(version: int) -> bytes:
        return b"%08d" % version * 40_000

    def save() -> None:
        with daemon.client() as client:
            while not stop.is_set():
                version = len(acknowledged) + 1
                try:
                    saved = client.save_checkpoint("run", state(version), expected=version - 1)
                except (DaemonUnreachable, DeadlineExceeded):
                    continue
                except RequestFailed:
                    # It was stored, and the answer was lost.
                    found = client.load_checkpoint("run")
                    assert found is not None
                    saved = found.info
                acknowledged.append(saved.version)

    writer = Thread(target=save)
    writer.start()
    for _ in range(3):
        seen = len(acknowledged)
        until(lambda seen=seen: len(acknowledged) >= seen + 5, "five more")  # type: ignore[misc]
        daemon.kill()
        daemon.start()
    stop.set()
    writer.join()
    assert acknowledged == list(range(1, len(acknowledged) + 1))
    with daemon.client() as client:
        kept = client.list_checkpoints("run")
        assert kept[0].version == len(acknowledged)
        for info in kept:
            found = client.load_checkpoint("run", version=info.version)
            assert found is not None
            assert found.data == state(info.version)


def test_of_two_that_resume_a_run_one_goes_on_with_it(served: RunningDaemon) -> None:
    with served.client() as client, served.client() as another:
        client.interrupt("s1", RUN)
        found, again = client.load_checkpoint("s1"), another.load_checkpoint("s1")
        assert found is not None
        assert again is not None
        going_on = Interrupted(position="step 4 of 7", pending_calls=RUN.pending_calls[1:])
        client.interrupt("s1", going_on, expected=found.info.version)
        with pytest.raises(RequestFailed, match="version 2 is the newest"):
            another.interrupt("s1", RUN, expected=again.info.version)
        assert another.resume("s1") == going_on


def test_a_run_may_be_plain_mappings_and_what_cannot_come_back_is_refused_at_once(served: RunningDaemon) -> None:
    call = {"id": "1", "name": "read", "arguments": MappingProxyType({"path": "a.py"})}
    with served.client() as client:
        client.interrupt("s1", MappingProxyType({"position": "step 2", "pending_calls": [call]}))
        resumed = client.resume("s1")
        assert resumed is not None
        assert resumed.pending_calls[0].arguments == {"path": "a.py"}
        with pytest.raises(TypeError, match="position"):
            client.interrupt("s1", {"step": 2})
        assert client.resume("s1") == resumed


def test_the_largest_state_travels_and_a_larger_one_is_refused_with_the_reason(served: RunningDaemon) -> None:
    largest = os.urandom(MAX_CHECKPOINT_BYTES)
    with served.client() as client:
        client.save_checkpoint("big", largest, meta={"about": "the largest"})
        found = client.load_checkpoint("big")
        assert found is not None
        assert found.data == largest
        with pytest.raises(RequestFailed, match=r"3\.5 MiB"):
            client.save_checkpoint("big", largest + b"x")


async def test_the_asynchronous_client_does_the_same(served: RunningDaemon) -> None:
    async with AsyncClient(paths=served.paths, deadline_s=30) as client:
        section = await client.core_set("persona", "Terse.")
        section = await client.core_replace("persona", "Terse", "Exact", revision=section.revision)
        assert (section.text, section.revision) == ("Exact.", 2)
        assert (await client.core_undo("persona")).text == "Terse."
        assert [one.event for one in await client.core_history("persona")] == ["UNDO", "REPLACE", "SET"]
        await client.interrupt("s1", RUN)
        assert await client.resume("s1") == RUN
        assert [one.version for one in await client.list_checkpoints()] == [1]
        assert await client.delete_checkpoint("s1", purge=True) == "1 checkpoints destroyed"
        assert await client.load_checkpoint("s1") is None
