"""`memoryd demo`: start a daemon of its own, play the conversation, show every turn, sum up."""

import os
import shutil
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from memoryd.embedding.model import PACKAGE
from memoryd.private_folder import private_folder
from memoryd_cli.base import launch
from memoryd_cli.base.failures import CommandFailed
from memoryd_cli.base.output import note, out_json
from memoryd_cli.demo.player import Player
from memoryd_cli.demo.screen import Screen
from memoryd_cli.demo.steps import (
    ContextDecided,
    ContextPushed,
    DemoFigures,
    DemoStep,
    MemoryRemembered,
    SessionBegan,
    Took,
    figures,
)
from memoryd_cli.demo.transcript import DemoTranscript, TranscriptUnusable, builtin_transcript, read_transcript
from memoryd_client.base.paths import Paths
from memoryd_client.client import Client

START_S = 180.0
"""The first start on a machine fetches or converts the model."""


def show(file: Path | None, *, pace_s: float, keep: bool, as_json: bool) -> int:
    """Play a conversation (None: the built-in one) and return the exit code.

    Raises:
        CommandFailed: the transcript cannot be used, or the daemon does not start.
    """
    transcript = _transcript(file)
    for problem in transcript.problems:
        note(f"{file}, line {problem.line}: skipped: {problem.reason}")
    if not transcript.remembers:
        note(f"{file}: no line has `remember`, so nothing is stored and nothing can come back (docs/json.md)")
    steps: list[DemoStep] = []
    screen = None if as_json else Screen()
    with _home(keep=keep) as paths:
        try:
            launched = _start(paths)
            if screen:
                screen.opening(transcript, launched)
            for step in Player(transcript, paths, project=str(paths.home / "tidemark")).play():
                if screen and isinstance(step, ContextPushed | SessionBegan):
                    time.sleep(pace_s)
                steps.append(step)
                if screen:
                    screen.show(step)
            with Client(paths=paths) as client:
                rss_bytes = client.status().rss_bytes
        finally:
            launch.stop(paths)
    result = figures(steps, ready_s=launched.seconds, rss_bytes=rss_bytes)
    if screen:
        screen.closing(result)
    else:
        out_json(_report(transcript, steps, result))
    return 0


def _transcript(file: Path | None) -> DemoTranscript:
    if file is None:
        return builtin_transcript()
    try:
        with file.open(encoding="utf-8", errors="replace") as lines:
            return read_transcript(lines)
    except TranscriptUnusable as unusable:
        for problem in unusable.problems[1:10]:
            note(f"{file}, line {problem.line}: {problem.reason}")
        raise CommandFailed(f"{file}: {unusable}", "docs/json.md describes the lines that it should have") from None


def _start(paths: Paths) -> launch.Launched:
    try:
        return launch.start(paths, environ=_environment(paths), timeout_s=START_S)
    except launch.LaunchFailed as failed:
        if failed.last_lines:
            note(failed.last_lines)
        raise CommandFailed(str(failed), "`memoryd doctor` looks for the cause") from failed


@contextmanager
def _home(*, keep: bool) -> Generator[Paths]:
    """Make a home for one daemon; its path is short, because a socket's may have 104 bytes."""
    shared = Path("/tmp")  # noqa: S108 - mkdtemp makes a private folder there
    folder = Path(tempfile.mkdtemp(prefix="memoryd-", dir=shared if shared.is_dir() else None))
    try:
        # The model is neither private nor small: fetched or converted once, it serves the user's own daemon, too.
        own = Paths.from_environment()
        private_folder(own.home)
        models = private_folder(own.models)
        (folder / "models").symlink_to(models)
        yield Paths.from_environment({**os.environ, **_own_paths(folder)})
    finally:
        if keep:
            note(f"kept {folder}; `MEMORYD_HOME={folder} memoryd start` brings its daemon back")
        else:
            shutil.rmtree(folder, ignore_errors=True)


def _own_paths(folder: Path) -> dict[str, str]:
    return {"MEMORYD_HOME": str(folder), "MEMORYD_CONFIG": "", "MEMORYD_RUNTIME_DIR": ""}


def _environment(paths: Paths) -> dict[str, str]:
    """Return the daemon's environment: no settings of the user's, no key, and no network where it can do without."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MEMORYD_", "ANTHROPIC_"))}
    cached = any((paths.models).glob("*/fp32/manifest.json"))
    if cached or find_spec(PACKAGE) is not None:
        kept["MEMORYD_PRIVACY_OFFLINE"] = "true"
    return {**kept, "MEMORYD_HOME": str(paths.home)}


def _report(transcript: DemoTranscript, steps: list[DemoStep], result: DemoFigures) -> dict[str, object]:
    named = [{"step": _STEP_NAMES[type(step)], "data": step} for step in steps]
    problems = [{"line": problem.line, "reason": problem.reason} for problem in transcript.problems]
    return {"figures": result, "problems": problems, "steps": named}


_STEP_NAMES = {
    SessionBegan: "session",
    Took: "take",
    ContextPushed: "push",
    ContextDecided: "why",
    MemoryRemembered: "remember",
}
