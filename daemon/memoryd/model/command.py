"""A model behind any program: the question on its standard input, the answer on its standard output.

Presets run the agents that people already have, in an empty folder, without their tools, their hooks and a memory.
"""

import os
import secrets
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from io import FileIO
from pathlib import Path
from types import MappingProxyType
from typing import Final

import anyio
import msgspec
from anyio import to_thread
from anyio.abc import Process

from memoryd.temporary import empty_folder
from memoryd_actors.model.provider import Completion
from memoryd_actors.model.question import JSON_ONLY, ModelFailed, Prompt, plain

INTERNAL: Final = "MEMORYD_INTERNAL"
"""Set for every program that is asked: hooks of ours that it runs see it and stay silent."""
QUESTION: Final = "MEMORYD_QUESTION"
"""Names the question that a program is asked, for it and for all that it starts, wherever that goes."""
MAX_ANSWER_BYTES: Final = 1024 * 1024
_LONGEST_ERROR = 8_192
_SHOWN_ERROR = 300
"""Bytes of what a program says last, where it fails: a failure's message has room for no more."""
_GRACE_S: Final = 1.0
"""For what a program that has ended left in its pipes; what it started may hold them open for ever."""
_READ_BYTES: Final = 65_536
_LOOKS: Final = 10
"""How often it is looked for what goes on at the deadline: what is looked past may have started something just then."""
_NOT_FOUND: Final = frozenset({126, 127})
"""Statuses with which `env` and shells say that they cannot run a program."""
_UNFOUND: Final = (
    "It does not find what it runs with: a service has another PATH than your shell. "
    "Set PATH in the file `environment` beside the configuration (docs/systemd.md, Agents)."
)


class Preset(msgspec.Struct, frozen=True):
    """How an agent is asked once."""

    arguments: tuple[str, ...]
    model: str
    """The option that names a model."""
    state: tuple[str, ...]
    """Below the home: where it keeps its login and what it writes whenever it runs."""
    environment: Mapping[str, str] = msgspec.field(default_factory=lambda: MappingProxyType({}))


PRESETS: Final[Mapping[str, Preset]] = {
    "claude": Preset(
        (
            *("-p", "--safe-mode", "--strict-mcp-config", "--no-session-persistence"),
            *("--settings", '{"disableAllHooks":true}', "--output-format", "text", "--tools", ""),
        ),
        "--model",
        (".claude", ".claude.json"),
    ),
    "codex": Preset(
        (
            *("exec", "--skip-git-repo-check", "--ephemeral", "--ignore-user-config"),
            *("--sandbox", "read-only", "--color", "never", "-"),
        ),
        "--model",
        (".codex",),
    ),
    "gemini": Preset(
        (
            *("--skip-trust", "--extensions", "none", "--allowed-mcp-server-names", "none"),
            *("--approval-mode", "plan", "--output-format", "text", "--prompt", "Answer now."),
        ),
        "--model",
        (".gemini",),
    ),
    "opencode": Preset(
        ("run", "--pure"),
        "--model",
        (".cache/opencode", ".config/opencode", ".local/share/opencode", ".local/state/opencode"),
        {
            "OPENCODE_CONFIG_CONTENT": '{"permission":{"*":"deny"},"share":"disabled","autoupdate":false}',
            "OPENCODE_DISABLE_AUTOUPDATE": "1",
        },
    ),
}
"""By the program's name."""


class CommandLine(msgspec.Struct, frozen=True):
    """A program with its arguments, as it is run."""

    words: tuple[str, ...]
    environment: Mapping[str, str]


def command_line(words: tuple[str, ...], model: str) -> CommandLine:
    """Return what is run: one word that names a known agent is asked as its preset has it."""
    preset = PRESETS.get(Path(words[0]).name) if len(words) == 1 else None
    if preset is None:
        return CommandLine(words, {})
    named = (preset.model, model) if model else ()
    # Before the rest, whose last word may be the prompt.
    head, rest = preset.arguments[:1], preset.arguments[1:]
    return CommandLine((*words, *head, *named, *rest), preset.environment)


class CommandProvider:
    """Runs a program for each question, in a process group that ends with the question.

    At the deadline also what has left the group ends.
    """

    def __init__(self, words: tuple[str, ...], *, model: str = "") -> None:
        self._program = Path(words[0]).name
        self._line = command_line(words, model)
        self._model = model

    @property
    def name(self) -> str:
        """The model's name where one is configured, and the program's."""
        return f"{self._program}/{self._model}" if self._model else self._program

    async def prepare(self) -> None:
        """Look whether there is such a program."""
        self._found()

    async def say(self, prompt: Prompt, *, deadline_s: float) -> Completion:
        """Return what the program prints; see the port."""
        del deadline_s  # whoever asks ends it
        program, number = self._found(), secrets.token_hex(8)
        with ExitStack() as open_:
            try:
                folder = open_.enter_context(empty_folder())
                # Pipes of our own: an end of the program is then told when it ends, not when its pipes do.
                question, answers, problems = _pipe(open_), _pipe(open_), _pipe(open_)
            except OSError as exc:
                raise self._unprepared(exc) from exc
            try:
                process = await anyio.open_process(
                    [program, *self._line.words[1:]],
                    stdin=question.reads,
                    stdout=answers.writes,
                    stderr=problems.writes,
                    cwd=folder,
                    env={**os.environ, **self._environment(program, folder), QUESTION: number},
                    start_new_session=True,
                )
            except OSError as exc:
                if exc.filename is None:
                    raise self._unprepared(exc) from exc
                raise self._missing(f"{self._program} cannot be run: {exc.strerror}") from exc
            answer, errors = bytearray(), bytearray()
            try:
                for theirs in (question.reads, answers.writes, problems.writes):
                    theirs.close()
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(_write, question.writes, as_text(prompt).encode("utf-8", "replace"))
                    # Who says so much is not waited for.
                    too_long = tasks.cancel_scope.cancel
                    tasks.start_soon(_read, answers.reads, answer, MAX_ANSWER_BYTES + 1, too_long)
                    tasks.start_soon(_read_last, problems.reads, errors, _LONGEST_ERROR)
                    await process.wait()
                    tasks.cancel_scope.deadline = anyio.current_time() + _GRACE_S
            finally:
                await _end(process, number)
        if len(answer) > MAX_ANSWER_BYTES:
            raise ModelFailed("nonsense", f"{self._program} printed more than {MAX_ANSWER_BYTES} bytes", tokens=None)
        if status := process.returncode:
            # What it prints last says why, on either stream.
            said = plain((errors.strip() or answer.strip())[-_SHOWN_ERROR:].decode("utf-8", "replace"))
            hint = _UNFOUND if status in _NOT_FOUND else "Run it yourself: is it logged in, and may it be used?"
            raise ModelFailed("server", f"{self._program} ended with status {status}: {said}", hint=hint, tokens=None)
        return Completion(answer.decode("utf-8", "replace"))

    async def aclose(self) -> None:
        """Leave nothing: every program ends with its question."""

    def _found(self) -> str:
        program = shutil.which(self._line.words[0])
        if program is None:
            raise self._missing(f"there is no program {self._line.words[0]!r}")
        return program

    def _environment(self, program: str, folder: str) -> dict[str, str]:
        # What it writes into temporary files goes with its folder.
        return {"PATH": _path(program), "TMPDIR": folder, **self._line.environment, INTERNAL: "1"}

    def _unprepared(self, error: OSError) -> ModelFailed:
        """Say why a program was not even started: there is no folder for it, or no pipe or process is to be had."""
        if error.filename is None:
            return ModelFailed("server", f"{self._program} cannot be run: {error.strerror}")
        where = f"the folder for temporary files, {tempfile.gettempdir()}"
        hint = "Free some space there, or make the folder; memoryd recovers by itself."
        return ModelFailed("server", f"{self._program} cannot be run: {where}: {error.strerror}", hint=hint)

    def _missing(self, message: str) -> ModelFailed:
        hint = "Name it by its whole path in sidecar.command; `memoryd model` shows what there is."
        return ModelFailed("model", message, hint=hint)


def as_text(prompt: Prompt) -> str:
    """Return a question as a program gets it."""
    schema = msgspec.json.encode(prompt.schema).decode()
    return f"{prompt.system}\n\n{prompt.content}\n\n{JSON_ONLY} Use no tools.\n{schema}\n"


class _Pipe(msgspec.Struct, frozen=True):
    reads: FileIO
    writes: FileIO


def _pipe(open_: ExitStack) -> _Pipe:
    reads, writes = os.pipe()
    return _Pipe(open_.enter_context(FileIO(reads)), open_.enter_context(FileIO(writes, "w")))


def _path(program: str) -> str:
    """Return the PATH for a program: what it needs may lie beside it, and a service has a short one."""
    return os.pathsep.join([str(Path(program).parent), os.environ.get("PATH") or os.defpath])


async def _write(pipe: FileIO, question: bytes) -> None:
    os.set_blocking(pipe.fileno(), False)
    rest = memoryview(question)
    with pipe, suppress(BrokenPipeError):  # it may answer without having read all, or be gone
        while rest:
            await anyio.wait_writable(pipe)
            rest = rest[os.write(pipe.fileno(), rest) :]


async def _read(pipe: FileIO, into: bytearray, most: int, full: Callable[[], None]) -> None:
    """Read all that is said, and keep the first of it."""
    while chunk := await _said(pipe):
        into += chunk[: most - len(into)]
        if len(into) == most:
            full()


async def _read_last(pipe: FileIO, into: bytearray, most: int) -> None:
    """Read all that is said, and keep the last of it."""
    while chunk := await _said(pipe):
        into += chunk
        del into[:-most]


async def _said(pipe: FileIO) -> bytes:
    os.set_blocking(pipe.fileno(), False)
    await anyio.wait_readable(pipe)
    return os.read(pipe.fileno(), _READ_BYTES)


async def _end(process: Process, number: str) -> None:
    """End a program and its process group; where it had to be ended, all else that it has started, too."""
    with anyio.CancelScope(shield=True):
        had_ended = process.returncode is not None
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.aclose()
        if not had_ended:
            await to_thread.run_sync(_end_all_of, number)


def _end_all_of(number: str) -> None:
    """End every process that was started for a question, where the system tells which those are. Blocks."""
    if sys.platform != "linux":
        return
    mark = f"{QUESTION}={number}".encode()
    for _ in range(_LOOKS):
        marked = [one for one in Path("/proc").glob("[0-9]*") if _is_marked(one, mark)]
        if not marked:
            return
        for one in marked:
            with suppress(OSError):
                held = os.pidfd_open(int(one.name))  # from here on the number is nobody else's
                try:
                    if _is_marked(one, mark):
                        signal.pidfd_send_signal(held, signal.SIGKILL)
                finally:
                    os.close(held)


def _is_marked(process: Path, mark: bytes) -> bool:
    try:
        return mark in (process / "environ").read_bytes().split(b"\0")
    except OSError:  # it has ended, or is another user's
        return False
