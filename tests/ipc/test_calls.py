"""Calls with an answer: what comes back, and what happens when nothing does."""

import resource
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import anyio
import psutil
import pytest

from memoryd_client import (
    AsyncClient,
    Client,
    DaemonUnreachable,
    DeadlineExceeded,
    InvalidArgument,
    Message,
    NewMemory,
    RequestFailed,
)
from memoryd_client.base.errors import UnsafeSocket
from memoryd_client.base.paths import Paths
from memoryd_client.wire.events import Warned
from running import until

from .daemon_process import DaemonProcess


@pytest.fixture
def client(paths: Paths) -> Iterator[Client]:
    with Client(session="s1", project="", paths=paths, deadline_s=20) as connected:
        yield connected


def test_a_memory_comes_back_as_it_was_sent(daemon: DaemonProcess, client: Client) -> None:
    saved = client.remember(
        "Die Prüfung läuft", tags=["ci", "de"], occurred_at="2026-02-03T04:05:06+00:00", scope="global"
    )
    assert (saved.content, saved.tags, saved.scope) == ("Die Prüfung läuft", ("ci", "de"), "global")
    assert saved.occurred_at is not None
    assert saved.occurred_at.isoformat() == "2026-02-03T04:05:06+00:00"


def test_more_memories_than_one_request_takes_are_stored_in_order(daemon: DaemonProcess, client: Client) -> None:
    memories = [NewMemory(content=f"{n} " + "x" * 3000) for n in range(2500)]
    assert [memory.id for memory in client.remember_many(memories)] == [memory.id for memory in memories]


def test_a_request_too_large_for_a_frame_is_not_sent(client: Client) -> None:
    with pytest.raises(RequestFailed, match="bytes") as failed:
        client.remember("x" * 5_000_000)
    assert failed.value.code == "too_large"


def test_an_expected_failure_carries_code_and_hint(daemon: DaemonProcess, client: Client) -> None:
    with pytest.raises(RequestFailed, match="mem_x") as failed:
        client.search("missing")
    assert failed.value.code == "not_found"
    assert "memoryd list" in failed.value.hint


def test_a_bug_in_the_daemon_is_answered_without_its_details(daemon: DaemonProcess, client: Client) -> None:
    with pytest.raises(RequestFailed) as failed:
        client.search("bug")
    assert failed.value.code == "internal"
    assert "secret detail" not in str(failed.value)
    assert "Traceback" not in str(failed.value)


def test_a_value_out_of_range_is_told_before_anything_is_sent(daemon: DaemonProcess, client: Client) -> None:
    with pytest.raises(InvalidArgument, match="`limit` is 1000, and has to be a whole number from 1 to 200"):
        client.search("x", limit=1000)


def test_a_reply_to_another_question_is_an_error(daemon: DaemonProcess, client: Client) -> None:
    with pytest.raises(RequestFailed, match="Pong"):
        client.status()


def test_nobody_there_is_found_out_at_once(client: Client) -> None:
    with pytest.raises(DaemonUnreachable, match=r"rpc\.sock") as unreachable:
        client.ping(deadline_s=1e9)  # it would wait for ever
    assert "memoryd start" in unreachable.value.hint


def test_a_socket_file_left_behind_counts_as_nobody(daemon: DaemonProcess, paths: Paths, client: Client) -> None:
    daemon.kill()
    assert paths.rpc_socket.exists()
    with pytest.raises(DaemonUnreachable):
        client.ping(deadline_s=1e9)


def test_a_frozen_daemon_exceeds_the_deadline_and_answers_again_when_thawed(
    daemon: DaemonProcess, client: Client
) -> None:
    client.ping()
    daemon.freeze()
    with pytest.raises(DeadlineExceeded, match=r"`ping` within 0\.1 s"):
        client.ping(deadline_s=0.1)
    daemon.thaw()
    assert client.ping().version == "scripted"


def test_a_take_whose_answer_was_lost_is_asked_again_under_its_id(daemon: DaemonProcess, client: Client) -> None:
    client.take_pending(deadline_s=20)
    daemon.freeze()
    with pytest.raises(DeadlineExceeded):
        client.take_pending(deadline_s=0.1, strict=True)
    daemon.thaw()
    client.take_pending(deadline_s=20)
    client.take_pending(deadline_s=20)
    takes = takes_seen(client)
    # The frozen daemon finds the lost take in its socket, too.
    assert len(takes) == 4
    assert takes[1] == takes[2]
    assert len(set(takes)) == 3


def test_of_a_daemon_that_is_busy_there_is_nothing_to_take_in_time_and_one_warning(
    daemon: DaemonProcess, client: Client
) -> None:
    client.ping()
    daemon.freeze()
    with pytest.warns(RuntimeWarning, match=r"`take` within 0\.1 s"):
        assert client.take_pending(deadline_s=0.1) is None
    assert client.turn([Message(role="user", content="hello")], wait_s=0, deadline_s=0.1) is None
    daemon.thaw()


def test_without_a_daemon_there_is_nothing_to_take_and_one_warning(daemon: DaemonProcess, client: Client) -> None:
    daemon.kill()
    with pytest.warns(RuntimeWarning, match="memoryd start"):
        assert client.take_pending() is None
    assert client.take_pending() is None  # a second warning would be an error here


def test_a_take_that_nobody_heard_is_asked_again_when_the_daemon_is_back(daemon: DaemonProcess, client: Client) -> None:
    daemon.kill()
    for _ in range(3):
        with pytest.raises(DaemonUnreachable):
            client.take_pending(strict=True)
    daemon.start()
    client.take_pending(deadline_s=20)
    client.take_pending(deadline_s=20)
    assert len(set(takes_seen(client))) == 2


def takes_seen(client: Client) -> list[str]:
    return [hit.summary for hit in client.search("takes")]


def test_nothing_pending_is_none(daemon: DaemonProcess, paths: Paths) -> None:
    with Client(session="empty", paths=paths, deadline_s=20) as client:
        assert client.take_pending(deadline_s=20) is None


def test_two_clients_with_one_session_get_their_own_answers(daemon: DaemonProcess, paths: Paths) -> None:
    with Client(session="same", paths=paths) as one, Client(session="same", paths=paths) as two:
        first, second = one.take_pending(deadline_s=20), two.take_pending(deadline_s=20)
    assert first is not None
    assert second is not None
    assert first.text != second.text


async def test_a_restart_in_the_middle_of_a_request_is_survived(daemon: DaemonProcess, paths: Paths) -> None:
    async with AsyncClient(session="s1", paths=paths, deadline_s=30) as client:
        await client.ping()
        daemon.freeze()
        found: list[str] = []

        async def search() -> None:
            found.extend(hit.summary for hit in await client.search("login"))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(search)
            await anyio.wait_all_tasks_blocked()
            await anyio.to_thread.run_sync(daemon.kill)
            await anyio.to_thread.run_sync(daemon.start)
        assert found == [" login"]


def test_the_blocking_client_survives_a_restart_in_the_middle_of_a_request(
    daemon: DaemonProcess, client: Client, tmp_path: Path
) -> None:
    sign = tmp_path / "asked"
    found: list[str] = []
    thread = threading.Thread(target=lambda: found.extend(hit.summary for hit in client.search(f"once {sign}")))
    thread.start()
    until(sign.exists, "the request to arrive")
    daemon.kill()
    daemon.start()
    thread.join()
    assert found == [f" once {sign}"]


def test_a_restart_between_calls_goes_unnoticed(daemon: DaemonProcess, client: Client) -> None:
    client.ping()
    daemon.terminate()
    daemon.start()
    assert client.ping().ready


def test_a_slow_request_delays_no_other_of_the_same_client(daemon: DaemonProcess, client: Client) -> None:
    outcome: list[Exception] = []

    def hang() -> None:
        try:
            client.search("hang")
        except DaemonUnreachable as error:
            outcome.append(error)

    thread = threading.Thread(target=hang)
    thread.start()
    for _ in range(50):
        assert client.ping().ready
    client.close()  # the call under way fails at once
    thread.join()
    assert [str(error).endswith("this client was closed") for error in outcome] == [True]


async def test_tasks_share_an_asynchronous_client_without_blocking_the_loop(
    daemon: DaemonProcess, paths: Paths, blocking_fails: object
) -> None:
    async with AsyncClient(session="s", project=paths.home, paths=paths, deadline_s=20) as client:
        answers: dict[str, str] = {}

        async def ask(word: str) -> None:
            (hit,) = await client.search(word)
            answers[word] = hit.summary

        with anyio.move_on_after(0.2) as given_up:
            await client.search("hang")
        assert given_up.cancelled_caught
        async with anyio.create_task_group() as tasks:
            for n in range(50):
                tasks.start_soon(ask, f"w{n}")
    assert answers == {f"w{n}": f"{paths.home} w{n}" for n in range(50)}


async def test_closing_an_asynchronous_client_fails_its_calls(daemon: DaemonProcess, paths: Paths) -> None:
    client = AsyncClient(paths=paths, deadline_s=20)
    await client.ping()
    outcome: list[Exception] = []

    async def hang() -> None:
        try:
            await client.search("hang")
        except DaemonUnreachable as error:
            outcome.append(error)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(hang)
        await anyio.wait_all_tasks_blocked()
        await client.close()
    assert len(outcome) == 1


def test_thirty_two_clients_are_served_at_once(daemon: DaemonProcess, paths: Paths) -> None:
    wrong: list[str] = []

    def work(number: int) -> None:
        with Client(session=f"s{number}", paths=paths, deadline_s=30) as client:
            for _ in range(20):
                taken = client.take_pending(deadline_s=30)
                if taken is None or not taken.text.startswith(f"s{number} "):
                    wrong.append(repr(taken))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(32)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_more_calls_at_once_than_a_process_has_descriptors_for_wait_for_each_other(
    daemon: DaemonProcess, client: Client
) -> None:
    calls = 200
    client.ping()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (psutil.Process().num_fds() + calls, hard))  # each call needs four
    try:
        with ThreadPoolExecutor(calls) as threads:
            answers = [each.result() for each in [threads.submit(client.ping) for _ in range(calls)]]
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert len(answers) == calls


def test_a_client_without_any_descriptor_left_says_so(daemon: DaemonProcess, client: Client) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (psutil.Process().num_fds() - 1, hard))
    try:
        with pytest.raises(DaemonUnreachable, match="no file descriptors left"):
            client.ping()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert client.ping()


def test_events_are_seen_as_they_happen(daemon: DaemonProcess, client: Client) -> None:
    events = client.events(timeout_s=20)
    seen: list[object] = []
    thread = threading.Thread(target=lambda: seen.append(next(events)))
    thread.start()
    while thread.is_alive():  # subscribing takes its time: say it until it is heard
        client.search("warn")
    assert seen == [Warned(component="test", message="warn")]


async def test_events_are_an_asynchronous_iterator_too(
    daemon: DaemonProcess, paths: Paths, blocking_fails: object
) -> None:
    async with AsyncClient(paths=paths, deadline_s=20) as client, anyio.create_task_group() as tasks:

        async def warn() -> None:
            while True:
                await client.search("warn")

        tasks.start_soon(warn)
        async for event in client.events():
            assert event == Warned(component="test", message="warn")
            break
        tasks.cancel_scope.cancel()


def test_events_end_when_nothing_happens(daemon: DaemonProcess, client: Client) -> None:
    assert list(client.events(timeout_s=0.05)) == []


def test_events_without_a_daemon_are_unreachable(client: Client) -> None:
    with pytest.raises(DaemonUnreachable):
        next(client.events())


def test_sockets_that_others_may_use_are_refused(daemon: DaemonProcess, paths: Paths, client: Client) -> None:
    paths.runtime.chmod(0o750)
    with pytest.raises(UnsafeSocket, match="others may use it") as unsafe:
        client.ping()
    assert unsafe.value.hint == f"Run `chmod go= {paths.runtime}`."
    paths.runtime.chmod(0o700)
    paths.rpc_socket.chmod(0o666)
    with pytest.raises(UnsafeSocket, match=r"rpc\.sock"):
        client.ping()
    paths.rpc_socket.chmod(0o600)
    assert client.ping().ready


def test_a_path_too_long_for_a_socket_is_refused_with_the_way_out(paths: Paths) -> None:
    long = Paths(home=paths.home, config=paths.config, runtime=paths.runtime / ("x" * 100))
    with pytest.raises(UnsafeSocket, match="103") as unsafe:
        Client(paths=long)
    assert "MEMORYD_RUNTIME_DIR" in unsafe.value.hint


def test_recall_refuses_what_is_no_message(client: Client) -> None:
    with pytest.raises(TypeError, match="Message"):
        client.recall(["text"])  # type: ignore[list-item]  # wrong on purpose


def test_a_reply_that_cannot_be_said_is_a_failure_and_not_the_end(daemon: DaemonProcess, client: Client) -> None:
    with pytest.raises(RequestFailed) as failed:
        client.search("unsayable")
    assert failed.value.code == "internal"
    assert client.ping().ready
