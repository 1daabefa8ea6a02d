"""Where the sockets are, and who may use them."""

import os
import socket
import stat
from pathlib import Path

import pytest

from memoryd.ipc import Server, SocketsInUse
from memoryd.private_folder import FolderUnsafe
from memoryd_client import Client, Message
from memoryd_client.base.paths import Paths
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.context import ContextUpdate
from memoryd_client.wire.protocol import AnyRequest, Reply
from memoryd_client.wire.request import Done

from .daemon_process import DaemonProcess

AS_ROOT = os.geteuid() == 0


def ignore(update: ContextUpdate) -> None:
    pass


async def done(request: AnyRequest, caller: Caller, deadline_s: float) -> Reply:
    return Done()


def server(paths: Paths) -> Server:
    return Server(paths, on_update=ignore, answer=done)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


async def test_folder_and_sockets_are_for_their_owner_alone(paths: Paths) -> None:
    async with server(paths):
        assert mode(paths.runtime) == 0o700
        sockets = [paths.push_socket, paths.rpc_socket, paths.events_socket]
        assert [mode(path) for path in sockets] == [0o600] * 3
    assert list(paths.runtime.iterdir()) == []


async def test_a_loose_folder_is_mended(paths: Paths) -> None:
    paths.runtime.mkdir(mode=0o755)
    async with server(paths):
        assert mode(paths.runtime) == 0o700


@pytest.mark.skipif(not AS_ROOT, reason="only root can give a folder away")
async def test_a_folder_of_somebody_else_is_refused(paths: Paths) -> None:
    paths.runtime.mkdir(mode=0o700)
    os.chown(paths.runtime, 12345, 12345)
    with pytest.raises(FolderUnsafe, match="12345"):
        await server(paths).__aenter__()


@pytest.mark.skipif(not AS_ROOT, reason="only root can give a folder away")
def test_a_client_does_not_talk_to_somebody_elses_daemon(daemon: DaemonProcess, paths: Paths) -> None:
    os.chown(paths.rpc_socket, 12345, 12345)
    os.chown(paths.push_socket, 12345, 12345)
    with Client(paths=paths) as client:
        with pytest.raises(Exception, match="belongs to user 12345"):
            client.ping()
        assert not client.push_context([Message(role="user", content="secret")])


async def test_a_folder_that_is_a_file_is_refused(paths: Paths) -> None:
    paths.runtime.touch()
    with pytest.raises(FolderUnsafe, match="not a folder"):
        await server(paths).__aenter__()


async def test_sockets_left_behind_by_a_killed_daemon_are_replaced(daemon: DaemonProcess, paths: Paths) -> None:
    daemon.kill()
    assert paths.rpc_socket.exists()
    async with server(paths):
        pass


async def test_a_daemon_that_listens_already_is_left_alone(daemon: DaemonProcess, paths: Paths) -> None:
    with pytest.raises(SocketsInUse, match=r"push\.sock"):
        await server(paths).__aenter__()
    with Client(paths=paths, deadline_s=20) as client:
        assert client.ping().version == "scripted"


async def test_a_file_in_the_place_of_a_socket_is_not_removed(paths: Paths) -> None:
    paths.runtime.mkdir(mode=0o700)
    paths.rpc_socket.write_text("precious")
    with pytest.raises(SocketsInUse, match="not a socket"):
        await server(paths).__aenter__()
    assert paths.rpc_socket.read_text() == "precious"


async def test_a_path_too_long_is_refused_before_anything_is_bound(paths: Paths) -> None:
    long = Paths(home=paths.home, config=paths.config, runtime=paths.runtime / ("x" * 100))
    with pytest.raises(SocketsInUse, match="103") as refused:
        await server(long).__aenter__()
    assert "MEMORYD_RUNTIME_DIR" in refused.value.hint


def inherit(paths: Paths) -> dict[str, socket.socket]:
    """Listen as systemd does for a socket unit."""
    paths.runtime.mkdir(mode=0o700)
    made: dict[str, socket.socket] = {}
    for name, path in (("push", paths.push_socket), ("rpc", paths.rpc_socket), ("events", paths.events_socket)):
        made[name] = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        made[name].bind(str(path))
        path.chmod(0o600)
        made[name].listen(64)
    return made


def test_inherited_sockets_are_served_and_survive_the_daemon(paths: Paths) -> None:
    sockets = inherit(paths)
    numbers = {name: made.fileno() for name, made in sockets.items()}
    with Client(paths=paths, deadline_s=20) as client, DaemonProcess(paths.runtime, numbers) as daemon:
        # Nobody accepts yet; the kernel holds what is sent, and nothing is lost.
        assert client.push_context([Message(role="user", content="before the daemon")])
        daemon.start()
        assert client.ping().version == "scripted"
        while not (entries := client.history()):
            pass
        assert entries[0].new == "before the daemon"
        daemon.terminate()
        assert paths.push_socket.exists()
        assert paths.rpc_socket.exists()
        assert paths.events_socket.exists()
        daemon.start()
        assert client.ping().version == "scripted"
        assert client.remember("after a restart").content == "after a restart"
    for made in sockets.values():
        made.close()
