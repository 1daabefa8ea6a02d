import json
import subprocess
import sys
from pathlib import Path

import pytest

from memoryd_cli import reference

from .memoryd_command import Command

PAGE = Path(__file__).parents[2] / "docs" / "cli.md"
PROMISED = (
    "run start stop restart status logs watch doctor on off demo service add search query recall list categories "
    "show read edit update relate unrelate forget restore purge undo history consent events core checkpoint "
    "session why push take export import backup reindex consolidate config model fs connect disconnect "
    "connections mcp review ui knowledge keys serve mirror"
)
HEAVY = {
    "textual",
    "torch",
    "onnxruntime",
    "lancedb",
    "pyarrow",
    "sqlalchemy",
    "anthropic",
    "numpy",
    "memoryd",
    "memoryd_actors",
}


@pytest.mark.parametrize("words", list(reference.commands()), ids=" ".join)
def test_every_command_has_help_with_a_summary_and_examples(words: tuple[str, ...]) -> None:
    text = reference.help_of(words)
    assert text.startswith(f"Usage: {' '.join(('memoryd', *words))} ")
    assert len(text.split("\n\n")[1].strip()) > 10
    assert "\\b" not in text
    assert not words or f"  memoryd {' '.join(words)}" in text.partition("Examples:")[2]


def test_the_help_is_what_the_page_shows() -> None:
    assert reference.document() == PAGE.read_text(encoding="utf-8"), (
        "run: python -m memoryd_cli.reference > docs/cli.md"
    )


def test_the_commands_that_others_build_on_are_there() -> None:
    assert {words[0] for words in reference.commands() if words} == set(PROMISED.split())


def test_help_of_the_real_command_goes_to_stdout_and_exits_0(memoryd: Command) -> None:
    done = memoryd("search", "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.rstrip() == reference.help_of(("search",))


def test_the_version_is_printed(memoryd: Command) -> None:
    assert memoryd.ok("--version").split()[0] == "memoryd"


def test_a_small_command_imports_nothing_of_the_daemon_and_help_neither_sockets_nor_rich(memoryd: Command) -> None:
    program = """if True:
        import json, sys
        from memoryd_cli.edge import run
        run(sys.argv[1:])
        print(json.dumps(list(sys.modules)))"""

    def imported(*arguments: str) -> set[str]:
        done = subprocess.run(
            [sys.executable, "-c", program, *arguments],
            capture_output=True,
            text=True,
            check=True,
            env=memoryd.environment,
        )
        return set(json.loads(done.stdout.splitlines()[-1]))

    assert not imported("list") & HEAVY
    assert not imported("stop") & (HEAVY - {"memoryd", "memoryd_actors"})
    assert not imported("--help") & (HEAVY | {"zmq", "rich", "asyncio"})
