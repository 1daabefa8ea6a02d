"""What goes over the wire to the service manager, against real sockets and real child processes."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest

from memoryd.notify import feed_watchdog, inherited_sockets, notify, stopping, watchdog_interval_s


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(str(tmp_path / "notify"))
        listener.settimeout(10)
        yield listener


def told_at(listener: socket.socket) -> dict[str, str]:
    return {"NOTIFY_SOCKET": str(listener.getsockname())}


def test_states_reach_the_service_manager(manager: socket.socket) -> None:
    assert notify("READY=1\nSTATUS=serving", environ=told_at(manager))
    assert manager.recv(100) == b"READY=1\nSTATUS=serving"


def test_an_abstract_socket_is_reached_too() -> None:
    name = f"memoryd-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(f"\0{name}")
        listener.settimeout(10)
        assert notify("READY=1", environ={"NOTIFY_SOCKET": f"@{name}"})
        assert listener.recv(100) == b"READY=1"


@pytest.mark.parametrize("environ", [{}, {"NOTIFY_SOCKET": "relative"}, {"NOTIFY_SOCKET": "/nowhere/notify"}])
def test_where_nobody_listens_nothing_is_told_and_nothing_fails(environ: dict[str, str]) -> None:
    assert not notify("READY=1", environ=environ)


def test_a_service_manager_that_does_not_read_holds_nobody_up(manager: socket.socket) -> None:
    environ = told_at(manager)
    sent = 0
    while notify("WATCHDOG=1", environ=environ):
        sent += 1
    assert sent > 0
    manager.recv(100)
    assert notify("WATCHDOG=1", environ=environ)


def test_a_stop_asks_for_the_time_it_may_take(manager: socket.socket) -> None:
    assert stopping(60, environ=told_at(manager))
    assert manager.recv(100) == b"STOPPING=1\nEXTEND_TIMEOUT_USEC=70000000"


def test_the_watchdog_is_fed_twice_in_the_time_allowed() -> None:
    assert watchdog_interval_s(environ={"WATCHDOG_USEC": "30000000"}) == 15.0
    assert watchdog_interval_s(environ={"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": str(os.getpid())}) == 15.0


@pytest.mark.parametrize(
    "environ",
    [{}, {"WATCHDOG_USEC": "0"}, {"WATCHDOG_USEC": "soon"}, {"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "1"}],
)
async def test_who_is_not_watched_feeds_nobody(environ: dict[str, str]) -> None:
    assert watchdog_interval_s(environ=environ) is None
    with anyio.fail_after(10):
        await feed_watchdog(environ=environ)


async def test_the_loop_that_serves_feeds_the_watchdog_again_and_again(manager: socket.socket) -> None:
    environ = told_at(manager) | {"WATCHDOG_USEC": "20000"}
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(lambda: feed_watchdog(environ=environ))
        for _ in range(3):
            assert await anyio.to_thread.run_sync(manager.recv, 100) == b"WATCHDOG=1"
        tasks.cancel_scope.cancel()


CHILD = """
import fcntl, json, os
os.environ["LISTEN_PID"] = os.environ["LISTEN_PID"] or str(os.getpid())
from memoryd.notify import inherited_sockets
found = inherited_sockets()
print(json.dumps({
    "found": found,
    "closed_on_exec": all(fcntl.fcntl(fd, fcntl.F_GETFD) & fcntl.FD_CLOEXEC for fd in found.values()),
    "left": sorted(name for name in os.environ if name.startswith("LISTEN_")),
}))
"""


def handed_over(sockets: list[socket.socket], *, names: str | None, pid: str = "") -> str:
    """Return what a child prints that gets the sockets as file descriptors 3, 4, ..."""
    environ = {**os.environ, "LISTEN_PID": pid, "LISTEN_FDS": str(len(sockets))}
    if names is not None:
        environ["LISTEN_FDNAMES"] = names
    # Copies far away first, so that no socket lands on another's number before that one has been moved.
    moves = [f"exec {20 + place}<&{each.fileno()}" for place, each in enumerate(sockets)]
    moves += [f"exec {3 + place}<&{20 + place} {20 + place}<&-" for place in range(len(sockets))]
    script = "; ".join([*moves, 'exec "$0" -c "$1"'])
    return subprocess.run(
        ["bash", "-c", script, sys.executable, CHILD],
        env=environ,
        pass_fds=[each.fileno() for each in sockets],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    ).stdout


@pytest.fixture
def sockets(tmp_path: Path) -> Iterator[list[socket.socket]]:
    made: list[socket.socket] = []
    for name in ("events", "push", "rpc"):
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind(str(tmp_path / f"{name}.sock"))
        listener.listen()
        made.append(listener)
    yield made
    for listener in made:
        listener.close()


EXPECTED = '{"found": {"events": 3, "push": 4, "rpc": 5}, "closed_on_exec": true, "left": []}\n'


@pytest.mark.parametrize("names", [None, "", "memoryd.socket:memoryd.socket:memoryd.socket"])
def test_sockets_of_one_unit_are_told_apart_by_their_paths(sockets: list[socket.socket], names: str | None) -> None:
    assert handed_over(sockets, names=names) == EXPECTED


def test_a_file_descriptor_name_goes_before_the_path(sockets: list[socket.socket]) -> None:
    assert '"found": {"rpc": 3, "events": 4, "push": 5}' in handed_over(sockets, names="rpc:events:push")


def test_sockets_for_another_process_are_not_taken_and_their_variables_go(sockets: list[socket.socket]) -> None:
    assert '"found": {}, "closed_on_exec": true, "left": []' in handed_over(sockets, names=None, pid="1")


def test_a_socket_that_is_not_ours_is_left_alone(tmp_path: Path, sockets: list[socket.socket]) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as foreign:
        foreign.bind(("127.0.0.1", 0))
        foreign.listen()
        assert '"found": {"events": 4, "push": 5, "rpc": 6}' in handed_over([foreign, *sockets], names=None)


def test_announced_descriptors_that_are_not_there_are_left_out() -> None:
    environ = {"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": "1", "LISTEN_FDNAMES": "stdin-like"}
    # Descriptor 3 of this process is whatever it is, but no socket named push, rpc or events.
    assert inherited_sockets(environ=environ) == {}
    assert environ == {}
