"""Importing the client costs little, in a process of its own."""

import subprocess
import sys

HEAVY = (
    *("torch", "onnxruntime", "lancedb", "pyarrow", "sqlalchemy", "anthropic", "numpy"),
    *("memoryd", "memoryd_actors", "typer", "rich"),
)


def loaded(code: str) -> set[str]:
    script = f"{code}\nimport sys\nprint(*sys.modules)"
    return set(
        subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True).stdout.split()
    )


def test_the_package_alone_loads_no_socket_library() -> None:
    assert loaded("import memoryd_client").isdisjoint(["zmq", "anyio", "asyncio", *HEAVY])


def test_the_blocking_client_loads_no_event_loop() -> None:
    modules = loaded("from memoryd_client import Client, Message\nClient(session='s', project='.')")
    assert modules.isdisjoint(["anyio", "asyncio", "zmq.asyncio", *HEAVY])
    assert "zmq" in modules


def test_the_asynchronous_client_loads_nothing_heavy() -> None:
    modules = loaded("from memoryd_client import AsyncClient")
    assert modules.isdisjoint(HEAVY)
    assert "anyio" in modules


def test_asking_who_holds_a_home_loads_nothing_heavy() -> None:
    light = {"memoryd", "memoryd_actors"}
    assert loaded("import memoryd.lock").isdisjoint({"anyio", "zmq", *HEAVY} - light)
