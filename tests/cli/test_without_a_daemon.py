import subprocess
import sys
from pathlib import Path

import pytest

from memoryd.lock import hold_home
from memoryd_client.base.paths import Paths

from .memoryd_command import MEMORYD, Command

NEEDS_A_DAEMON = [
    ("status",),
    ("add", "something"),
    ("search", "something"),
    ("recall", "something"),
    ("list",),
    ("show", "abc"),
    ("read", "abc"),
    ("forget", "abc"),
    ("restore", "abc"),
    ("history",),
    ("push", "something"),
    ("take",),
    ("why",),
    ("export",),
    ("backup",),
    ("reindex",),
    ("watch",),
]


@pytest.mark.parametrize("arguments", NEEDS_A_DAEMON, ids=lambda arguments: arguments[0])
def test_a_command_that_needs_a_daemon_exits_3_with_one_line_that_says_how_to_start_it(
    memoryd: Command, arguments: tuple[str, ...]
) -> None:
    done = memoryd(*arguments)
    assert (done.returncode, done.stdout) == (3, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"no memoryd at {memoryd.home}")
    assert line.endswith("start it with `memoryd start`")


def test_wrong_usage_exits_2_and_says_so_on_stderr(memoryd: Command) -> None:
    for arguments in (("search",), ("search", "x", "--limit", "0"), ("nonsense",), ("add", "x", "--importance", "9")):
        done = memoryd(*arguments)
        assert (done.returncode, done.stdout) == (2, ""), arguments
        assert "memoryd" in done.stderr


def test_a_shell_is_offered_nothing_and_told_nothing_where_no_daemon_runs(memoryd: Command) -> None:
    done = memoryd(COMP_WORDS="memoryd show ", COMP_CWORD="2", _MEMORYD_COMPLETE="complete_bash")
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "", "")


def test_stopping_where_nothing_runs_is_done_already(memoryd: Command) -> None:
    done = memoryd("stop")
    assert (done.returncode, done.stdout) == (0, "")
    assert str(memoryd.home) in done.stderr


def test_a_file_that_is_not_there_is_named(memoryd: Command) -> None:
    done = memoryd("import", "nowhere.jsonl")
    assert (done.returncode, done.stderr) == (1, "memoryd: nowhere.jsonl does not exist\n")


def test_a_broken_line_of_an_import_is_named_and_nothing_is_sent(memoryd: Command) -> None:
    (memoryd.home / "m.jsonl").write_text('{"content": "good"}\n\n{"content": 3}\n', encoding="utf-8")
    done = memoryd("import", "m.jsonl")
    assert done.returncode == 1
    assert "m.jsonl, line 3" in done.stderr
    assert "Nothing was imported" in done.stderr or "nothing was imported" in done.stderr


def test_a_broken_line_of_a_push_is_named(memoryd: Command) -> None:
    done = memoryd("push", given='{"role": "user", "content": "good"}\nrubbish\n')
    assert done.returncode == 1
    assert "stdin, line 2" in done.stderr


@pytest.mark.parametrize("arguments", [("-",), ("--file", "-")])
def test_a_dash_stands_for_stdin(memoryd: Command, arguments: tuple[str, ...]) -> None:
    done = memoryd("push", *arguments, given="rubbish\n")
    assert done.returncode == 1
    assert "stdin, line 1" in done.stderr


def test_a_dash_among_other_texts_is_wrong_usage(memoryd: Command) -> None:
    assert memoryd("push", "-", "more").returncode == 2


def test_a_daemon_for_a_home_that_has_one_says_so_once(memoryd: Command) -> None:
    paths = Paths.from_environment(memoryd.environment)
    with hold_home(paths, version="1"):
        done = memoryd("run")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("is served by process") == 1


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("--version >/dev/full", "memoryd: what came of it cannot be written to stdout: No space left on device"),
        ("--version >&-", "memoryd: what came of it cannot be written to stdout: Bad file descriptor"),
        ("push <&-", "memoryd: there are no messages to push"),
        ("--help >/dev/full", "memoryd: it cannot be written: No space left on device"),
        ("stop --nonsense 2>&-", ""),
    ],
)
def test_a_stream_that_is_full_or_closed_is_no_bug(memoryd: Command, command: str, told: str) -> None:
    done = subprocess.run(
        ["sh", "-c", f'"$0" {command}', MEMORYD],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        env=memoryd.environment,
    )
    assert (done.returncode in {1, 2}, done.stdout, done.stderr.strip()) == (True, "", told)


def test_what_an_encoding_lacks_is_written_as_its_escape(memoryd: Command) -> None:
    done = memoryd(
        "config", "get", "privacy.replace", MEMORYD_PRIVACY_REPLACE="Jürgen ☃", PYTHONIOENCODING="ascii:strict"
    )
    assert (done.returncode, done.stdout) == (0, '["J\\xfcrgen \\u2603"]\n')


@pytest.mark.parametrize("text", ["-v is ignored", "--verbose is ignored"])
def test_a_text_that_begins_with_a_dash_is_told_how_to_be_given(memoryd: Command, text: str) -> None:
    assert "after `--`" in memoryd("add", text).stderr
    assert memoryd("add", "--", text).returncode == 3


def test_a_misspelt_option_is_told_the_right_one(memoryd: Command) -> None:
    told = memoryd("add", "--categry", "x").stderr
    assert "--category" in told
    assert "`--`" not in told


def test_the_doctor_sets_off_what_mends_a_finding(memoryd: Command) -> None:
    memoryd.home.chmod(0o755)
    shown = memoryd("doctor").stdout
    assert ". Mend: " in shown
    assert shown.count("Mend: ") == shown.count(". Mend: ")


def test_a_push_of_nothing_fails_instead_of_doing_nothing(memoryd: Command) -> None:
    done = memoryd("push", given="")
    assert done.returncode == 1
    assert "no messages" in done.stderr


def test_a_bug_shows_no_traceback_unless_asked(memoryd: Command) -> None:
    # A folder where a file should be: nothing that the command expects.
    (memoryd.home / "ledger").mkdir()
    done = memoryd("import", memoryd.home / "ledger")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert "Traceback" in memoryd("import", memoryd.home / "ledger", MEMORYD_DEBUG="1").stderr


def test_a_path_too_long_for_a_socket_is_reported_with_the_way_out(memoryd: Command, tmp_path: Path) -> None:
    done = memoryd("status", MEMORYD_HOME=str(tmp_path / ("x" * 120)))
    assert done.returncode == 3
    (line,) = done.stderr.splitlines()
    assert "MEMORYD_RUNTIME_DIR" in line


def test_the_logs_of_a_daemon_that_never_ran_are_missed_in_words(memoryd: Command) -> None:
    done = memoryd("logs")
    assert done.returncode == 1
    assert "memoryd.log" in done.stderr


def test_a_failed_start_shows_the_end_of_the_log_and_exits_1(memoryd: Command) -> None:
    (memoryd.home / "config.toml").write_text("[recall]\nnonsense = 1\n", encoding="utf-8")
    done = memoryd("start")
    assert (done.returncode, done.stdout) == (1, "")
    assert "nonsense" in done.stderr
    assert "Traceback" not in done.stderr


def test_running_without_the_daemons_packages_names_the_command_that_installs_them(memoryd: Command) -> None:
    # None in sys.modules is how Python marks a module that is not to be found.
    program = (
        "import sys; sys.modules['sqlalchemy'] = None; sys.argv[1:] = ['run']; from memoryd_cli import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, env=memoryd.environment
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "memoryd: sqlalchemy is missing; pip install 'memoryd[daemon]'\n"


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (("list", "--limit", "0"), "--limit"),
        (("session", "context", "s1", "--budget", "100"), "--budget"),
        (("session", "search", "--since", "soon"), "'soon' is no date"),
        (("checkpoint", "load", "t", "--version", "99999999999"), "`version` is 99999999999, and has to be"),
        (("fs", "read", ""), "`path` is empty"),
    ],
)
def test_what_is_out_of_range_is_wrong_usage(memoryd: Command, command: tuple[str, ...], told: str) -> None:
    done = memoryd(*command)
    assert done.returncode == 2, done.stderr
    assert told in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
