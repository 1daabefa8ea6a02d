"""client <- actors <- daemon: what may be imported, and what that loads."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

import memoryd_client

ROOT = Path(__file__).parents[2]
ADAPTERS = {"torch", "sentence_transformers", "onnxruntime", "onnx", "lancedb", "pyarrow", "sqlalchemy", "anthropic"}
SOURCES = {
    "memoryd_client": ROOT / "client/memoryd_client",
    "memoryd_actors": ROOT / "actors/memoryd_actors",
    "memoryd": ROOT / "daemon/memoryd",
}


def modules(package: str) -> list[str]:
    folder = SOURCES[package]
    names = [".".join(path.relative_to(folder.parent).with_suffix("").parts) for path in folder.rglob("*.py")]
    return sorted(name.removesuffix(".__init__") for name in names)


def loaded_by(statement: str) -> set[str]:
    code = f"{statement}\nimport json, sys\nprint(json.dumps(sorted(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return {name.partition(".")[0] for name in json.loads(run.stdout)}


def imported_packages(path: Path) -> set[str]:
    """Packages that a module imports as it is imported itself."""
    found: set[str] = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.partition(".")[0])
    return found


def test_importing_the_client_loads_nothing_heavy() -> None:
    loaded = loaded_by("import memoryd_client\nmemoryd_client.Client")
    assert not loaded & (ADAPTERS | {"numpy", "anyio", "asyncio", "typer", "rich", "memoryd_actors", "memoryd"})
    assert "zmq" in loaded


def test_importing_every_actor_module_loads_no_adapter() -> None:
    statement = "import " + ", ".join(modules("memoryd_actors"))
    assert not loaded_by(statement) & (ADAPTERS | {"zmq", "memoryd"})


@pytest.mark.parametrize("package", ["memoryd_client", "memoryd_actors"])
def test_nothing_imports_against_the_direction(package: str) -> None:
    # The command line runs, examines and installs the daemon, and reaches for it then: inside functions only.
    forbidden = {"memoryd_client": {"memoryd_actors", "memoryd"} | ADAPTERS, "memoryd_actors": {"memoryd"} | ADAPTERS}[
        package
    ]
    for path in SOURCES[package].rglob("*.py"):
        if path.match("cli/settings.py"):
            continue  # about the daemon's settings; imported inside functions itself
        assert not imported_packages(path) & forbidden, path


def test_the_public_names_are_the_exported_names() -> None:
    exported = {name for name in memoryd_client.__all__ if hasattr(memoryd_client, name)}
    assert exported == set(memoryd_client.__all__)


def test_the_actor_core_stays_small() -> None:
    core = (SOURCES["memoryd_actors"] / "actor.py").read_text(encoding="utf-8")
    assert len(core.splitlines()) < 200
