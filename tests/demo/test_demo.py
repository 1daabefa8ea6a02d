"""`memoryd demo` as a user runs it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from memoryd_cli.demo.steps import DemoFigures, TurnOutcome, judged
from memoryd_client.wire.traces import Trace

MEMORYD = Path(sys.executable).with_name("memoryd")


def demo(home: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MEMORYD_", "ANTHROPIC_"))}
    return subprocess.run(
        [MEMORYD, "demo", "--fast", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        timeout=110,
        env={**kept, "MEMORYD_HOME": str(home)},
    )


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The user's own home; the demo shares its model cache, and nothing else."""
    return tmp_path_factory.mktemp("home") / "memoryd"


def test_the_built_in_conversation_brings_back_what_it_should_and_keeps_quiet_when_it_should(home: Path) -> None:
    done = demo(home, "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    figures = msgspec.convert(report["figures"], DemoFigures)
    assert figures.turns >= 40
    assert figures.sessions >= 5
    assert figures.pushes == figures.turns == figures.decided
    assert figures.hits > 2 * figures.misses
    assert figures.hits + figures.misses == figures.expected >= 20
    assert figures.kept_quiet >= 0.9 * figures.quiet
    assert figures.quiet >= 12
    assert figures.memories_surfaced >= figures.surfaced_expected > 0
    assert figures.turns_with_memories + figures.turns_without == figures.turns
    assert figures.push_median_us is not None
    assert figures.pending_median_ms is not None
    assert figures.rss_bytes > 0
    assert {step["step"] for step in report["steps"]} == {"session", "take", "push", "why", "remember"}
    traces = [msgspec.convert(step["data"]["trace"], Trace) for step in report["steps"] if step["step"] == "why"]
    assert all("total" in trace.timings_ms for trace in traces)
    assert home.stat().st_mode & 0o077 == 0, "the doctor warns of it"
    assert [path.name for path in home.iterdir()] == ["models"], "the user's own home holds more than the model"


def test_a_transcript_of_ones_own_is_played_and_shown_and_its_broken_lines_are_named(
    home: Path, tmp_path: Path
) -> None:
    file = tmp_path / "mine.jsonl"
    lines = [
        {"session": "one", "role": "user", "content": "How do we deploy the billing service?"},
        {
            "session": "one",
            "role": "assistant",
            "content": "With just deploy-billing.",
            "remember": {"label": "deploy", "content": "The billing service is deployed with `just deploy-billing`."},
        },
        {"session": "two", "role": "user", "content": "Remind me: how do we deploy the billing service?"},
        {"session": "two", "role": "user", "content": "Thank you!"},
    ]
    file.write_text("\n".join(["rubbish", *map(json.dumps, lines)]), encoding="utf-8")
    done = demo(home, "--transcript", file, "--keep")
    assert done.returncode == 0, done.stderr
    assert "line 1: skipped" in done.stderr
    assert "< turn 1, " in done.stdout
    assert "deploy: The billing service is deployed" in done.stdout
    assert "\x1b" not in done.stdout
    kept = Path(done.stderr.partition("kept ")[2].partition(";")[0])
    assert (kept / "ledger.db").is_file()
    for path in sorted(kept.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
    kept.rmdir()


@pytest.mark.slow
def test_a_transcript_that_remembers_nothing_is_played_and_says_that_nothing_can_come_back(
    home: Path, tmp_path: Path
) -> None:
    file = tmp_path / "quiet.jsonl"
    file.write_text('{"role": "user", "content": "How do we deploy?"}\n', encoding="utf-8")
    done = demo(home, "--transcript", file)
    assert done.returncode == 0, done.stderr
    assert "nothing can come back" in done.stderr


def test_a_transcript_without_a_usable_line_is_refused_before_anything_starts(home: Path, tmp_path: Path) -> None:
    file = tmp_path / "nothing.jsonl"
    file.write_text("rubbish\n{}\n", encoding="utf-8")
    done = demo(home, "--transcript", file)
    assert (done.returncode, done.stdout) == (1, "")
    assert "line 1" in done.stderr
    assert demo(home, "--transcript", tmp_path / "missing.jsonl").returncode == 1


@pytest.mark.parametrize(
    ("expects", "labels", "quiet", "outcome"),
    [
        (("a",), ("a",), False, TurnOutcome.HIT),
        (("a", "b"), ("c", "b"), False, TurnOutcome.HIT),
        (("a",), ("b",), False, TurnOutcome.MISS),
        (("a",), (), False, TurnOutcome.MISS),
        ((), (), True, TurnOutcome.QUIET),
        ((), ("",), True, TurnOutcome.FALSE_ALARM),
        ((), ("a",), False, TurnOutcome.UNJUDGED),
    ],
)
def test_a_turn_is_judged_by_what_the_conversation_says_of_it(
    expects: tuple[str, ...], labels: tuple[str, ...], quiet: bool, outcome: TurnOutcome
) -> None:
    assert judged(expects, labels, quiet=quiet) is outcome
