"""`memoryd model`: what is found, what is set, and what ten known cases say of a model."""

import json
import os
import shlex
import signal
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from chat_completions import completion, problem
from memoryd.system import units
from memoryd_cli.model_finding import find
from memoryd_cli.model_trial import CASES
from memoryd_client.base.paths import Paths
from messages_api import MessagesApi, Received, Reply, verdict, verdicts
from running import until

from .memoryd_command import MEMORYD, Command

LABELS = {known.request: [verdict(index, reason="it is needed") for index in sorted(known.wanted)] for known in CASES}


class KnowsAll(MessagesApi):
    """A server that answers by the labels, in either protocol."""

    def received(self, request: Received) -> Reply:
        super().received(request)
        asked = request.body["messages"][-1]["content"]
        (given,) = [given for said, given in LABELS.items() if json.dumps(said, ensure_ascii=False)[1:-1] in asked]
        if request.path == "/v1/messages":
            return verdicts(*given, input_tokens=1000, output_tokens=100)
        return completion(json.dumps({"verdicts": given}), prompt_tokens=1000, completion_tokens=100)


def file_of(memoryd: Command) -> dict[str, Any]:
    table: dict[str, Any] = tomllib.loads((memoryd.home / "config.toml").read_text(encoding="utf-8"))["sidecar"]
    return table


def agent(folder: Path, name: str, body: str) -> Path:
    file = folder / name
    file.write_text(f"#!{sys.executable} -IS\n{body}\n", encoding="utf-8")
    file.chmod(0o755)
    return file


def test_what_runs_here_is_found_and_named_with_the_command_that_sets_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    claude = agent(tmp_path, "claude", "")
    monkeypatch.setenv("PATH", str(tmp_path))
    listed = Reply(json.dumps({"object": "list", "data": [{"id": "qwen3:8b"}, {"id": "gemma3"}]}).encode())
    with MessagesApi(listed) as api, MessagesApi(problem(404, "no")) as other:
        ports = {name: int(one.url.rpartition(":")[2]) for name, one in (("Ollama", api), ("vLLM", other))}
        found = {one.name: one for one in find({"ANTHROPIC_API_KEY": "sk"}, ports | {"LM Studio": 1})}
    assert set(found) == {"Anthropic", "Ollama", "claude"}
    assert found["Ollama"].models == ("qwen3:8b", "gemma3")
    assert found["Ollama"].use == "memoryd model use ollama qwen3:8b"
    assert found["claude"].where == str(claude)


@pytest.mark.slow
def test_what_is_set_is_shown_and_nothing_else_in_the_file_changes(memoryd: Command, tmp_path: Path) -> None:
    file = memoryd.home / "config.toml"
    file.write_text("# mine\n[sidecar]\ndaily_usd = 0.25\n", encoding="utf-8")
    shown = json.loads(memoryd.ok("model", "--json"))
    assert (shown["provider"], shown["model"]) == ("anthropic", "")
    memoryd.ok("model", "use", "ollama", "qwen3:8b")
    assert file.read_text(encoding="utf-8").startswith("# mine\n")
    shown = json.loads(memoryd.ok("model", "--json"))
    assert (shown["provider"], shown["model"], shown["deadline_s"]) == ("openai", "qwen3:8b", 20.0)
    path = agent(tmp_path, "claude", "")
    memoryd.with_environment(PATH=str(tmp_path)).ok("model", "use", "claude", "haiku")
    assert file_of(memoryd)["command"] == str(path)
    shown = json.loads(memoryd.with_environment(MEMORYD_PRIVACY_OFFLINE="false").ok("model", "--json"))
    assert (shown["model"], shown["deadline_s"]) == ("claude/haiku", 60.0)
    memoryd.ok("model", "use", "none")
    assert (file_of(memoryd)["provider"], file_of(memoryd)["daily_usd"]) == ("none", 0.25)
    assert "the local judge and rules decide" in memoryd.ok("model")


def test_an_agent_that_the_service_may_not_let_write_yet_is_told(memoryd: Command, tmp_path: Path) -> None:
    agent(tmp_path, "codex", "")
    ours = memoryd.with_environment(PATH=str(tmp_path), HOME=str(tmp_path))
    assert "`memoryd restart` makes it take effect" in ours("model", "use", "none").stderr
    environ = ours.environment
    unit = units.unit_folder(environ) / "memoryd.service"
    unit.parent.mkdir(parents=True)
    unit.write_text(
        units.shipped("memoryd.service", paths=Paths.from_environment(environ), environ=environ), encoding="utf-8"
    )
    assert "`memoryd restart` makes it take effect" in ours("model", "use", "none").stderr
    assert "`memoryd service install` makes it take effect" in ours("model", "use", "codex").stderr


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("openai",), "name the model"),
        (("openai", "m", "--base-url", "http://models.example/v1"), "in the clear"),
        (("command",), "name the program"),
        (("gemini",), "no gemini on the PATH"),
    ],
)
def test_what_cannot_work_is_refused_and_nothing_is_written(
    memoryd: Command, arguments: tuple[str, ...], why: str
) -> None:
    done = memoryd("model", "use", *arguments, PATH="/nonexistent")
    assert done.returncode == 1
    assert why in done.stderr
    assert not (memoryd.home / "config.toml").exists()


def test_ten_known_cases_say_how_good_a_model_is(memoryd: Command) -> None:
    with KnowsAll() as api:
        memoryd.ok("model", "use", "openai", "right", "--base-url", f"{api.url}/v1")
        tried = json.loads(memoryd.ok("model", "test", "--json"))
    assert (tried["right"], tried["wrong"], tried["failed"]) == (10, 0, 0)
    assert (tried["tokens"], tried["usd"]) == (11_000, 0.0)


@pytest.mark.slow
def test_the_cases_cost_what_a_model_with_a_price_costs(memoryd: Command) -> None:
    with KnowsAll() as api:
        (memoryd.home / "config.toml").write_text(
            f'[sidecar]\napi_key = "sk-test"\nbase_url = "{api.url}"\n', encoding="utf-8"
        )
        tried = json.loads(memoryd.with_environment(MEMORYD_PRIVACY_OFFLINE="false").ok("model", "test", "--json"))
    assert tried["right"] == 10
    assert tried["usd"] == pytest.approx(0.0015)


def test_a_model_that_keeps_everything_is_mostly_wrong_and_one_that_fails_says_why(memoryd: Command) -> None:
    everything = json.dumps({"verdicts": [verdict(index) for index in range(3)]})
    with MessagesApi(completion(everything)) as api:
        memoryd.ok("model", "use", "openai", "eager", "--base-url", f"{api.url}/v1")
        assert "0 right, 10 wrong" in memoryd.ok("model", "test")
        api.always(problem(401, "who are you?"))
        done = memoryd("model", "test")
        assert done.returncode == 1
        assert "who are you?" in done.stderr
        assert len(api.requests) == 11


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "shell"),
    [
        (signal.SIGINT, ("env", "--default-signal")),  # whatever the shell that runs the tests has ignored
        (signal.SIGTERM, ("env", "--default-signal")),
        (signal.SIGHUP, ("env", "--default-signal")),
        (signal.SIGTERM, ("env", "--ignore-signal=INT")),  # as a script's `memoryd model test &`
    ],
)
def test_a_trial_that_is_ended_ends_the_program_that_is_asked(
    memoryd: Command, tmp_path: Path, number: int, shell: tuple[str, ...]
) -> None:
    asked = tmp_path / "asked"
    folders = tmp_path / "folders"
    folders.mkdir()
    hanging = agent(
        tmp_path, "hanging", f"import os, time\nopen({str(asked)!r}, 'w').write(str(os.getpid()))\ntime.sleep(600)"
    )
    memoryd.ok("model", "use", "command", "--command", shlex.quote(str(hanging)))
    environment = {**memoryd.environment, "MEMORYD_PRIVACY_OFFLINE": "false", "TMPDIR": str(folders)}
    trial = subprocess.Popen(
        [*shell, MEMORYD, "model", "test"], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    try:
        until(lambda: asked.exists() and asked.read_text(encoding="utf-8") != "", "the question")
        assert list(folders.iterdir())
        trial.send_signal(number)
        trial.communicate(timeout=60)
    finally:
        trial.kill()
    assert trial.returncode == 130
    assert list(folders.iterdir()) == []
    with pytest.raises(ProcessLookupError):
        os.kill(int(asked.read_text(encoding="utf-8")), 0)
