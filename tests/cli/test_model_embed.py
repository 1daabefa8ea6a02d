"""`memoryd model embed`, as a person uses it: the real command, a real daemon, small models made on the spot."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from small_models import make_model

from .memoryd_command import Command


def settings(memoryd: Command) -> dict[str, Any]:
    file = memoryd.home / "config.toml"
    return tomllib.loads(file.read_text(encoding="utf-8")).get("embedding", {}) if file.exists() else {}


def shown(memoryd: Command) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(memoryd.ok("model", "embed", "--json"))
    return found


def test_the_catalogue_is_shown_without_a_daemon(memoryd: Command) -> None:
    text = memoryd.ok("model", "embed")
    assert text.startswith("all-MiniLM-L6-v2/fp32 serves")
    for name in ("minilm", "multilingual-e5-small", "bge-small", "embeddinggemma"):
        assert f"\n{name} " in text
    e5 = next(one for one in shown(memoryd)["catalogue"] if one["name"] == "multilingual-e5-small")
    assert (e5["query_prefix"], e5["licence"], e5["installed"]) == ("query: ", "MIT", False)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("no-such-model",), "no-such-model is neither in the catalogue nor a folder; nothing was changed"),
        (("bge-small",), "memoryd model embed use bge-small --folder FOLDER"),
        (("bge-small", "--folder", "nowhere"), "nowhere; nothing was changed"),
    ],
)
def test_what_is_not_there_is_refused_before_anything_changes(
    memoryd: Command, arguments: tuple[str, ...], reason: str
) -> None:
    done = memoryd("model", "embed", "use", *arguments)
    assert done.returncode == 1
    assert reason in " ".join(done.stderr.split())
    assert settings(memoryd) == {}


def test_a_damaged_folder_is_refused_before_anything_changes(memoryd: Command, tmp_path: Path) -> None:
    folder = make_model(tmp_path / "damaged", dimensions=8)
    (folder / "model.onnx").write_bytes(b"no graph")
    done = memoryd("model", "embed", "use", folder)
    assert done.returncode == 1
    assert "model.onnx cannot be loaded" in done.stderr
    assert settings(memoryd) == {}


def test_there_is_nothing_to_go_back_to_at_first(memoryd: Command) -> None:
    done = memoryd("model", "embed", "undo")
    assert done.returncode == 1
    assert "there is no model to go back to" in done.stderr


def test_a_change_without_a_daemon_begins_when_it_starts_and_can_be_taken_back_before(
    memoryd: Command, tmp_path: Path
) -> None:
    folder = make_model(tmp_path / "small", dimensions=8)
    done = memoryd("model", "embed", "use", folder)
    assert done.returncode == 0
    assert "the change begins when it starts" in done.stderr
    assert "small is to take its place" in memoryd.ok("model", "embed")
    # What the environment says would win.
    other = memoryd("model", "embed", "use", folder, MEMORYD_EMBEDDING_MODEL="another")
    assert "environment variable MEMORYD_EMBEDDING_* names another model" in other.stderr


@pytest.mark.slow
@pytest.mark.timeout(180)
def test_a_model_is_changed_and_taken_back_while_the_daemon_serves(alone: Command, tmp_path: Path) -> None:
    folder = make_model(tmp_path / "small", dimensions=24, pooling="cls", prompts={"query": "query: "})
    alone.ok("add", "The violin is in the drawer.")
    assert "serves after" in alone.ok("model", "embed", "use", folder, "--wait")
    assert settings(alone) == {"model": "small", "folder": str(folder)}
    now = shown(alone)
    assert now["serving"].startswith("small@")
    assert (now["previous"], now["building"], now["problem"]) == ("all-MiniLM-L6-v2/fp32", "", "")
    assert "The violin is in the drawer." in alone.ok("search", "violin drawer")
    assert "all-MiniLM-L6-v2/fp32 is kept to go back to" in alone.ok("model", "embed")
    assert "all-MiniLM-L6-v2/fp32 serves after" in alone.ok("model", "embed", "undo", "--wait")
    assert shown(alone)["previous"].startswith("small@")
    assert "The violin is in the drawer." in alone.ok("search", "where is the instrument")
    assert alone("doctor").returncode == 0
