"""client <- actors <- daemon <- cli, and the order of the rooms: what may be imported, and what that loads."""

import ast
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import memoryd_client

ROOT = Path(__file__).parents[2]
ADAPTERS = {"torch", "sentence_transformers", "onnxruntime", "onnx", "lancedb", "pyarrow", "sqlalchemy", "anthropic"}
SDK = ("memoryd_client.memory_tool", "anthropic")
"""The one module of the client that builds on somebody else's: whoever imports it has that."""
ROOTS: tuple[str, ...] = ("memoryd_client", "memoryd_actors", "memoryd", "memoryd_cli")
"""Each imports from those before it only."""
SOURCES: dict[str, Path] = dict(
    zip(ROOTS, (ROOT / "client", ROOT / "actors", ROOT / "daemon", ROOT / "cli"), strict=True)
)
ROOMS: dict[str, Sequence[str]] = {
    "memoryd_client": "wire base transport . tools".split(),
    "memoryd_actors": (
        ". core redaction texts comparison memory ports model access admission indexing keeping searching "
        "conversations ageing purging judging virtual_files knowledge mirroring recall capture upkeep extraction "
        "summarising context consolidating episodes"
    ).split(),
    "memoryd": (
        ". ipc hosts model transcripts documents index embedding ledger moving mirror system doctor assembly"
    ).split(),
    "memoryd_cli": "base histories mcp demo connect ui .".split(),
}
"""The rooms of each source root: each imports from those before it only. The point stands for the root's own files."""
TOP = "memoryd.__main__"
"""`python -m memoryd` stands above all rooms of the daemon."""


def files(package: str) -> dict[str, Path]:
    """Return the modules of a source root by their dotted names."""
    folder = SOURCES[package]
    names = {
        ".".join(path.relative_to(folder).with_suffix("").parts): path for path in (folder / package).rglob("*.py")
    }
    return {name.removesuffix(".__init__"): path for name, path in sorted(names.items())}


MODULES = {name: path for package in ROOTS for name, path in files(package).items()}


def imports(path: Path) -> Iterator[str]:
    """Name every module that a file imports, at its top or inside functions."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in MODULES else node.module


@cache
def imports_of(name: str) -> set[str]:
    """Return what a module imports; every test process collects this file, and one reads the modules."""
    return set(imports(MODULES[name])) - {name}


def loaded_by(statement: str) -> set[str]:
    code = f"{statement}\nimport json, sys\nprint(json.dumps(sorted(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return {name.partition(".")[0] for name in json.loads(run.stdout)}


def test_importing_the_client_loads_nothing_heavy() -> None:
    loaded = loaded_by("import memoryd_client\nmemoryd_client.Client")
    assert not loaded & (ADAPTERS | {"numpy", "anyio", "asyncio", "typer", "rich", *ROOTS[1:]})
    assert "zmq" in loaded


def test_importing_every_actor_module_loads_no_adapter() -> None:
    statement = "import " + ", ".join(files("memoryd_actors"))
    assert not loaded_by(statement) & (ADAPTERS | {"zmq", "memoryd", "memoryd_cli"})


@pytest.mark.parametrize("package", ROOTS)
def test_a_source_root_imports_from_those_before_it_only(package: str) -> None:
    forbidden = set(ROOTS[ROOTS.index(package) + 1 :])
    if package in {"memoryd_client", "memoryd_actors"}:
        forbidden |= ADAPTERS
    wrong = {
        (name, imported)
        for name in files(package)
        for imported in imports_of(name)
        if imported.partition(".")[0] in forbidden and (name, imported.partition(".")[0]) != SDK
    }
    assert not wrong


def room_of(module: str) -> str:
    """Return the folder below its source root that a module is in."""
    path = MODULES[module].relative_to(SOURCES[module.partition(".")[0]])
    return path.parts[1] if len(path.parts) > 2 else "."


@pytest.mark.parametrize("package", ROOTS)
def test_every_room_has_its_place(package: str) -> None:
    assert {room_of(name) for name in files(package)} == set(ROOMS[package])
    assert package != "memoryd_actors" or [name for name in files(package) if room_of(name) == "."] == [package]


@pytest.mark.parametrize(("package", "room"), [(package, room) for package in ROOTS for room in ROOMS[package]])
def test_a_room_imports_from_those_before_it_only(package: str, room: str) -> None:
    later = ROOMS[package][ROOMS[package].index(room) + 1 :]
    wrong = {
        (name, imported)
        for name in files(package)
        if room_of(name) == room and name != TOP
        for imported in imports_of(name)
        if imported.partition(".")[0] == package and imported in MODULES and room_of(imported) in later
    }
    assert not wrong


def test_no_circle_of_files() -> None:
    graph = {name: {imported for imported in imports_of(name) if imported in MODULES} for name in MODULES}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def test_the_public_names_are_the_exported_names() -> None:
    exported = {name for name in memoryd_client.__all__ if hasattr(memoryd_client, name)}
    assert exported == set(memoryd_client.__all__)


def test_the_actor_core_stays_small() -> None:
    core = (SOURCES["memoryd_actors"] / "memoryd_actors/core/actor.py").read_text(encoding="utf-8")
    assert len(core.splitlines()) < 200
