"""Context updates: never in the way, delivered when they can be."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from memoryd_client import AsyncClient, Client, DaemonUnreachable, Message
from memoryd_client.base.paths import Paths
from memoryd_client.transport.outbox import MOST_WAITING_BYTES, PUSH_HIGH_WATER
from memoryd_client.wire.history import HistoryEntry

from .daemon_process import DaemonProcess
from .scripted_daemon import paths_in


def say(text: str) -> list[Message]:
    return [Message(role="user", content=text)]


FORGETFUL = """
import sys
from memoryd_client import Client, Message

def agent():
    client = Client(linger_s=float(sys.argv[2]))
    for n in range(int(sys.argv[1])):
        client.push_context([Message(role="user", content=str(n))])

agent()
"""
"""An agent that never closes its client."""


def run_forgetful(paths: Paths, *, pushes: int, linger_s: float) -> None:
    environment = {**os.environ, "MEMORYD_HOME": str(paths.home), "MEMORYD_RUNTIME_DIR": str(paths.runtime)}
    arguments = [sys.executable, "-c", FORGETFUL, str(pushes), str(linger_s)]
    subprocess.run(arguments, env=environment, check=True, timeout=60)


@pytest.fixture
def client(paths: Paths) -> Iterator[Client]:
    with Client(session="s1", paths=paths, deadline_s=20) as connected:
        yield connected


def arrived(client: Client, count: int) -> list[HistoryEntry]:
    """Wait until the daemon has seen that many updates; each look is a round trip."""
    while len(entries := client.history()) < count:
        pass
    return entries


def test_an_update_reaches_the_daemon_with_its_caller_and_sequence(daemon: DaemonProcess, client: Client) -> None:
    assert client.push_context(say("one"))
    assert client.push_context(say("two"))
    first, second = arrived(client, 2)
    assert (first.new, first.actor, second.new) == ("one", "s1", "two")
    assert first.memory_id == second.memory_id != ""
    assert second.sequence == first.sequence + 1


@pytest.mark.parametrize("count", [PUSH_HIGH_WATER, PUSH_HIGH_WATER + 1, 200])
def test_what_was_pushed_while_the_daemon_was_away_arrives_in_order(paths: Paths, client: Client, count: int) -> None:
    assert all(client.push_context(say(str(n))) for n in range(count))
    with DaemonProcess(paths.runtime) as daemon:
        daemon.start()
        assert [entry.new for entry in arrived(client, count)] == [str(n) for n in range(count)]


def test_of_more_than_may_wait_for_a_daemon_the_newest_arrive_in_order(paths: Paths, client: Client) -> None:
    size, count = 200_000, 60
    assert all(client.push_context(say(f"{n} {'x' * size}")) for n in range(count))
    with DaemonProcess(paths.runtime) as daemon:
        daemon.start()
        while not (entries := client.history()) or not entries[-1].new.startswith(f"{count - 1} "):
            pass
    numbers = [int(entry.new.partition(" ")[0]) for entry in entries]
    waited = MOST_WAITING_BYTES // (size + 500)
    assert numbers == [*range(PUSH_HIGH_WATER), *range(count - waited, count)]


def test_what_was_queued_while_the_daemon_was_away_arrives_when_it_is_there(paths: Paths, client: Client) -> None:
    assert client.push_context(say("early"))
    with DaemonProcess(paths.runtime) as daemon:
        daemon.start()
        assert [entry.new for entry in arrived(client, 1)] == ["early"]


def test_what_was_queued_during_a_restart_arrives_afterwards(daemon: DaemonProcess, client: Client) -> None:
    client.push_context(say("before"))
    arrived(client, 1)
    daemon.kill()
    assert client.push_context(say("meanwhile"))
    daemon.start()
    assert [entry.new for entry in arrived(client, 1)][-1] == "meanwhile"


def test_a_frozen_daemon_does_not_hold_up_the_sender(daemon: DaemonProcess, client: Client) -> None:
    client.push_context(say("warm"))
    arrived(client, 1)
    daemon.freeze()
    text = "x" * 100_000  # so that the buffers of the kernel fill up, too
    results = [client.push_context(say(text)) for _ in range(300)]
    daemon.thaw()
    assert all(results)
    while (entries := client.history())[-1].sequence < 301:
        pass
    assert len(entries) < 301, "more was kept than is of use"
    assert [entry.sequence for entry in entries] == sorted(entry.sequence for entry in entries)


def test_closing_with_a_frozen_daemon_returns(daemon: DaemonProcess, paths: Paths) -> None:
    with Client(paths=paths) as client:
        daemon.freeze()
        client.push_context(say("lost"))
    daemon.thaw()


def test_a_closed_client_declines_pushes_and_refuses_calls(daemon: DaemonProcess, paths: Paths) -> None:
    with Client(paths=paths) as client:
        client.ping()
    assert not client.push_context(say("late"))
    with pytest.raises(DaemonUnreachable, match="closed"):
        client.ping()


def test_lingering_delivers_what_was_pushed_right_before_the_end(
    daemon: DaemonProcess, paths: Paths, client: Client
) -> None:
    with Client(paths=paths, linger_s=10) as brief:
        assert brief.push_context(say("last words"))
    assert arrived(client, 1)[0].new == "last words"


def test_what_was_pushed_arrives_also_from_an_agent_that_ends_without_closing(
    daemon: DaemonProcess, paths: Paths, client: Client
) -> None:
    run_forgetful(paths, pushes=300, linger_s=10)
    assert [entry.new for entry in arrived(client, 300)] == [str(n) for n in range(300)]


@pytest.mark.parametrize("pushes", [1, PUSH_HIGH_WATER + 1])
def test_an_agent_that_never_closes_its_client_ends_although_no_daemon_comes(paths: Paths, pushes: int) -> None:
    run_forgetful(paths, pushes=pushes, linger_s=0.1)


def test_several_threads_push_through_one_client(daemon: DaemonProcess, client: Client) -> None:
    def work(number: int) -> None:
        for n in range(200):
            assert client.push_context(say(f"{number}-{n}"))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert client.push_context(say("last"))
    while (entries := client.history()) and entries[-1].new != "last":
        pass
    said = [entry.new.partition("-") for entry in entries[:-1]]
    assert len(said) == 800
    for number in range(4):
        assert [int(n) for who, _, n in said if who == str(number)] == list(range(200))


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_child_goes_on_with_sockets_of_its_own(daemon: DaemonProcess, client: Client) -> None:
    client.push_context(say("parent"))
    arrived(client, 1)
    child = os.fork()
    if child == 0:
        # Without pytest's ways out of a process: it must end here.
        try:
            done = client.push_context(say("child")) and len(arrived(client, 2)) == 2
        except BaseException:
            done = False
        os._exit(0 if done else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    client.push_context(say("parent again"))
    entries = arrived(client, 3)
    assert [entry.new for entry in entries] == ["parent", "child", "parent again"]
    assert entries[0].memory_id == entries[2].memory_id != entries[1].memory_id


def test_lone_surrogates_arrive_as_replacement_characters(daemon: DaemonProcess, client: Client) -> None:
    assert client.push_context(say("half \ud83d, whole \ud83d\ude00, ü"))
    assert arrived(client, 1)[0].new == "half \ufffd, whole \U0001f600, ü"


def test_the_end_of_a_huge_conversation_arrives(daemon: DaemonProcess, client: Client) -> None:
    assert client.push_context([Message(role="user", content="ü" * 3_000_000 + "the end")])
    (entry,) = arrived(client, 1)
    assert entry.new.endswith("üüthe end")


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ("hello", "Message"),
        ([7], "int"),
    ],
)
def test_wrong_messages_are_refused_with_the_reason(client: Client, messages: list[Message], expected: str) -> None:
    with pytest.raises(TypeError, match=expected):
        client.push_context(messages)


def test_an_unknown_trigger_is_refused_with_those_there_are(client: Client) -> None:
    with pytest.raises(ValueError, match="design, error, file, output, turn"):
        client.push_context(say("x"), trigger="whim")  # type: ignore[arg-type]  # wrong on purpose


EXHAUSTED = """
import resource, sys
from pathlib import Path
from memoryd_client import Client, Message
from memoryd_client.base.paths import Paths

runtime = Path(sys.argv[1])
client = Client(paths=Paths(home=runtime / "home", config=runtime / "config.toml", runtime=runtime), deadline_s=20)
before = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (3, before[1]))  # no new one; those there are stay
without = [client.push_context([Message(role="user", content=str(n))]) for n in range(20)]
resource.setrlimit(resource.RLIMIT_NOFILE, before)
accepted = [str(n) for n, queued in enumerate(without) if queued] + ["after"]
assert client.push_context([Message(role="user", content="after")])
while not (entries := client.history()) or entries[-1].new != "after":
    pass
assert [entry.new for entry in entries] == accepted, (entries, accepted)
print("all of", len(accepted))
"""


def test_what_a_process_without_descriptors_left_says_it_has_queued_arrives_once_it_has_some(
    daemon: DaemonProcess, paths: Paths
) -> None:
    done = subprocess.run([sys.executable, "-c", EXHAUSTED, paths.runtime], capture_output=True, text=True, check=False)
    assert done.stdout.startswith("all of"), done.stderr


def test_an_acknowledged_push_has_arrived(daemon: DaemonProcess, client: Client) -> None:
    client.push_acknowledged(say("seen"))
    assert client.history()[0].new == "seen"


def test_an_update_that_hits_a_bug_does_not_disturb_the_next(daemon: DaemonProcess, client: Client) -> None:
    client.push_context(say("bug"))
    client.push_context(say("fine"))
    assert [entry.new for entry in arrived(client, 1)] == ["fine"]


async def test_the_asynchronous_client_pushes_without_blocking_its_loop(
    daemon: DaemonProcess, paths: Paths, blocking_fails: object
) -> None:
    async with AsyncClient(session="a", project=paths.runtime, paths=paths, deadline_s=20) as client:
        assert await client.push_context(say("async"))
        await client.push_acknowledged(say("acknowledged"))
        while len(entries := await client.history()) < 2:
            pass
    assert {entry.new for entry in entries} == {"async", "acknowledged"}


def test_an_unsafe_folder_is_not_pushed_to(daemon: DaemonProcess, paths: Paths) -> None:
    paths.runtime.chmod(0o755)
    with Client(paths=paths, deadline_s=20) as client:
        assert not client.push_context(say("to whom?"))
        paths.runtime.chmod(0o700)
        assert client.push_context(say("to you"))
        assert [entry.new for entry in arrived(client, 1)] == ["to you"]


def test_where_others_may_make_folders_a_push_before_the_first_start_makes_its_own(folder: Path) -> None:
    folder.chmod(0o1777)
    paths = paths_in(folder / "home" / "run")
    with Client(paths=paths, deadline_s=20) as client:
        assert not paths.runtime.exists()
        assert client.push_context(say("early"))
        assert [one.stat().st_mode & 0o777 for one in (paths.runtime.parent, paths.runtime)] == [0o700, 0o700]
        with DaemonProcess(paths.runtime) as daemon:
            daemon.start()
            assert arrived(client, 1)[0].new == "early"


def test_where_others_may_move_folders_away_nothing_is_pushed(folder: Path) -> None:
    folder.chmod(0o777)
    paths = paths_in(folder / "run")
    with Client(paths=paths) as client:
        assert not client.push_context(say("to whom?"))
    assert not paths.runtime.exists()


def test_the_first_push_has_nothing_to_look_for_on_the_disk(daemon: DaemonProcess, paths: Paths) -> None:
    with Client(paths=paths) as client:
        paths.runtime.chmod(0o755)  # a push that looked now would decline
        assert client.push_context(say("first"))
        paths.runtime.chmod(0o700)
        assert arrived(client, 1)[0].new == "first"


async def test_the_first_asynchronous_push_has_nothing_to_look_for_either(daemon: DaemonProcess, paths: Paths) -> None:
    async with AsyncClient(paths=paths) as client:
        paths.runtime.chmod(0o755)
        assert await client.push_context(say("first"))
        paths.runtime.chmod(0o700)
        while not await client.history():
            pass
