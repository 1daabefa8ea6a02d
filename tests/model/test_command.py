"""Any program as a model: a real one, in an empty folder, that is ended with all it started."""

import json
import os
import resource
import shlex
import sys
import tempfile
from pathlib import Path

import pytest

from cases import TEXTS, case
from memoryd.config import Config, ConfigInvalid, PrivacyConfig, SidecarConfig
from memoryd.model import choose
from memoryd.model.command import INTERNAL, PRESETS, command_line
from memoryd_actors.judging.question import about
from memoryd_actors.model.question import ModelAnswer, ModelFailed
from messages_api import verdict
from running import until
from sidecar_world import LONG_S, metered

KEPT = json.dumps({"verdicts": [verdict(0)]})


def program(tmp_path: Path, body: str) -> str:
    """Return the command line of a program with this body."""
    file = tmp_path / "model.py"
    file.write_text(f"import json, os, subprocess, sys, time\n{body}\n", encoding="utf-8")
    return shlex.join([sys.executable, "-IS", str(file)])


async def asked(command: str, *, deadline_s: float = LONG_S) -> ModelAnswer[list[int]]:
    provider = choose(Config(sidecar=SidecarConfig(provider="command", command=command))).provider
    assert provider is not None
    answer = await metered(provider).ask(about(case(), deadline_s=deadline_s))
    return ModelAnswer([one.index for one in answer.value.kept], answer.usage)


async def failure(command: str, *, deadline_s: float = LONG_S) -> ModelFailed:
    with pytest.raises(ModelFailed) as caught:
        await asked(command, deadline_s=deadline_s)
    return caught.value


async def test_the_question_comes_in_and_the_answer_goes_out(tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    body = f"""
question = sys.stdin.read()
open({str(seen)!r}, 'w').write(json.dumps([question, os.getcwd(), os.listdir(), os.environ.get({INTERNAL!r}),
    os.getpid() == os.getpgid(0)]))
print('Here you are:', {KEPT!r})
"""
    answer = await asked(program(tmp_path, body))
    assert answer.value == [0]
    assert answer.usage.input_tokens > 0
    question, folder, files, internal, leads = json.loads(seen.read_text(encoding="utf-8"))
    assert all(text in question for text in TEXTS)
    assert (files, internal, leads) == ([], "1", True)
    assert not os.path.exists(folder)  # noqa: ASYNC240 - a test may look


async def test_a_program_that_reads_nothing_may_answer(tmp_path: Path) -> None:
    assert (await asked(program(tmp_path, f"os.close(0); print({KEPT!r})"))).value == [0]


async def test_at_the_deadline_the_program_ends_with_all_it_started(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    body = f"""
child = subprocess.Popen([sys.executable, '-IS', '-c', 'import time; time.sleep(600)'])
open({str(pids)!r}, 'w').write(f'{{os.getpid()}} {{child.pid}}')
os.rename({str(pids)!r}, {str(pids) + ".whole"!r})
time.sleep(600)
"""
    failed = await failure(program(tmp_path, body), deadline_s=3.0)
    assert failed.kind == "timeout"
    ended(Path(f"{pids}.whole"))


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not tell whose a process is")
async def test_at_the_deadline_also_what_has_left_its_group_ends(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    body = f"""
child = subprocess.Popen([sys.executable, '-IS', '-c', 'import time; time.sleep(600)'], start_new_session=True)
open({str(pids)!r}, 'w').write(str(child.pid))
os.rename({str(pids)!r}, {str(pids) + ".whole"!r})
time.sleep(600)
"""
    failed = await failure(program(tmp_path, body), deadline_s=3.0)
    assert failed.kind == "timeout"
    ended(Path(f"{pids}.whole"))


async def test_a_program_that_drips_is_ended_at_the_deadline(tmp_path: Path) -> None:
    failed = await failure(
        program(tmp_path, "while True: print(' ', end='', flush=True); time.sleep(0.02)"), deadline_s=0.5
    )
    assert failed.kind == "timeout"


def ended(pids: Path) -> None:
    """Wait until no program of these lives."""
    until(lambda: all(map(_gone, pids.read_text(encoding="utf-8").split())), "the end of what was started")


def _gone(pid: str) -> bool:
    try:
        # One that nobody has waited for yet is at its end, too.
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


@pytest.mark.parametrize(
    ("body", "kind", "said"),
    [
        ("sys.exit('\\x1b[31mnot logged in')", "server", "ended with status 1: not logged in"),
        ("print('no quota left'); sys.exit(3)", "server", "ended with status 3: no quota left"),
        ("os.kill(os.getpid(), 9)", "server", "ended with status -9"),
        (
            "sys.stderr.write('noise\\n' * 20_000 + 'login has\\nexpired' + ' ' * 900); sys.exit(1)",
            "server",
            "noise login has expired",
        ),
        ("print('noise\\n' * 20_000 + 'login has\\nexpired\\n'); sys.exit(1)", "server", "noise login has expired"),
        ("sys.stderr.write('\\n'); print('no quota left'); sys.exit(3)", "server", "no quota left"),
        ("print('I would keep the first.')", "nonsense", "without verdicts"),
        ("pass", "nonsense", "without verdicts"),
        ("sys.stdout.buffer.write(bytes(range(256)))", "nonsense", "without verdicts"),
        ("sys.stdout.write('x' * 3_000_000)", "nonsense", "printed more than"),
        ("while True: sys.stdout.write('x' * 65_536)", "nonsense", "printed more than"),
        ("sys.stderr.write('x' * 3_000_000); sys.exit(1)", "server", "ended with status 1"),
    ],
)
async def test_what_goes_wrong_is_told_by_its_kind(tmp_path: Path, body: str, kind: str, said: str) -> None:
    failed = await failure(program(tmp_path, body))
    assert (failed.kind, said in str(failed)) == (kind, True)
    assert str(failed).isprintable()


async def test_a_program_that_is_not_there_is_told_and_not_looked_for_again(tmp_path: Path) -> None:
    failed = await failure(str(tmp_path / "nobody"))
    assert (failed.kind, "there is no program" in str(failed)) == ("model", True)
    assert "sidecar.command" in failed.hint


async def test_without_a_folder_for_temporary_files_the_model_has_failed_and_the_folder_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = program(tmp_path, f"print({KEPT!r})")
    (tmp_path / "file").touch()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "file"))
    failed = await failure(command)
    assert (failed.kind, f"{tmp_path / 'file'}: File exists" in str(failed)) == ("server", True)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "cleared away"))
    assert (await asked(command)).value == [0]
    assert os.listdir(tmp_path / "cleared away") == []


async def test_without_a_pipe_to_be_had_the_model_has_failed(tmp_path: Path) -> None:
    provider = choose(Config(sidecar=SidecarConfig(provider="command", command=program(tmp_path, "")))).provider
    assert provider is not None
    most = resource.getrlimit(resource.RLIMIT_NOFILE)
    prompt = about(case(), deadline_s=LONG_S).compose()
    failures: list[ModelFailed] = []
    for free in range(6):  # three pipes have two ends each
        spare = [os.dup(0) for _ in range(free + 1)]
        resource.setrlimit(resource.RLIMIT_NOFILE, (spare[-1] + 1, most[1]))
        for one in spare[:-1]:
            os.close(one)
        try:
            await provider.say(prompt, deadline_s=LONG_S)
        except ModelFailed as failed:
            failures.append(failed)
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, most)
            os.close(spare[-1])
    assert len(failures) == 6
    assert all(one.kind == "server" and "Too many open files" in str(one) for one in failures)


def test_an_agent_by_its_name_or_path_is_asked_without_tools_hooks_or_memory() -> None:
    line = command_line(("/opt/bin/claude",), "haiku")
    assert line.words[0] == "/opt/bin/claude"
    assert line.words[1:4] == ("-p", "--model", "haiku")
    assert "--safe-mode" in line.words
    assert line.words[-2:] == ("--tools", "")
    assert command_line(("codex",), "").words[1] == "exec"
    assert command_line(("claude", "-p"), "haiku").words == ("claude", "-p")
    assert set(PRESETS) == {"claude", "codex", "gemini", "opencode"}


async def test_a_preset_passes_its_options_to_the_agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    agent = tmp_path / "opencode"
    seen = tmp_path / "seen"
    agent.write_text(
        f"#!{sys.executable} -IS\nimport json, os, sys\nsys.stdin.read()\n"
        f"open({str(seen)!r}, 'w').write(json.dumps([sys.argv[1:], os.environ['OPENCODE_CONFIG_CONTENT']]))\n"
        f"print({KEPT!r})\n",
        encoding="utf-8",
    )
    agent.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert (await asked("opencode")).value == [0]
    arguments, config = json.loads(seen.read_text(encoding="utf-8"))
    assert arguments == ["run", "--pure"]
    assert json.loads(config)["permission"] == {"*": "deny"}


def test_a_command_is_not_asked_offline_and_has_to_be_one() -> None:
    offline = Config(sidecar=SidecarConfig(provider="command", command="claude"), privacy=PrivacyConfig(offline=True))
    assert choose(offline).provider is None
    for command in ("", "'unclosed"):
        with pytest.raises(ConfigInvalid, match=r"sidecar\.command"):
            choose(Config(sidecar=SidecarConfig(provider="command", command=command)))


def test_none_is_nobody_even_with_a_key() -> None:
    chosen = choose(Config(sidecar=SidecarConfig(provider="none", api_key="sk-test")))
    assert (chosen.provider, chosen.why_off) == (None, "sidecar.provider is none")


async def test_an_answer_counts_once_the_program_has_ended_whatever_it_left_running(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    body = f"""
child = subprocess.Popen([sys.executable, '-IS', '-c', 'import time; time.sleep(600)'])
open({str(pids)!r}, 'w').write(str(child.pid))
print({KEPT!r})
"""
    assert (await asked(program(tmp_path, body))).value == [0]
    ended(pids)


async def test_a_long_answer_of_a_program_that_has_ended_is_whole(tmp_path: Path) -> None:
    body = f"print(' ' * 500_000, {KEPT!r}); sys.stdout.flush(); os._exit(0)"
    assert (await asked(program(tmp_path, body))).value == [0]


async def test_a_program_finds_what_lies_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As with nvm, volta and npm's prefixes: `claude` is run by the `node` of its own folder."""
    (tmp_path / "interpreter").symlink_to("/bin/cat")
    claude = tmp_path / "claude"
    claude.write_text("#!/usr/bin/env interpreter\n" + KEPT, encoding="utf-8")
    claude.chmod(0o755)
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    answer = await asked(f"{claude} {claude}")
    assert answer.value == [0]


async def test_a_program_that_does_not_find_its_interpreter_is_told_how_it_does(tmp_path: Path) -> None:
    claude = tmp_path / "claude"
    claude.write_text("#!/usr/bin/env interpreter-nowhere\n", encoding="utf-8")
    claude.chmod(0o755)
    failed = await failure(f"{claude} once")
    assert "interpreter-nowhere" in str(failed)
    assert "PATH in the file `environment`" in failed.hint


async def test_the_hint_about_nonsense_names_no_setting_that_a_command_has_not(tmp_path: Path) -> None:
    assert "base_url" not in (await failure(program(tmp_path, "print('I would keep the first.')"))).hint
