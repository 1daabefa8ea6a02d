"""Commands that look at the daemon: how it is, what it does, what it logs, what is wrong, what it is good for."""

import os
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated

import typer

from memoryd_cli.base.failures import FAILED, CommandFailed
from memoryd_cli.base.options import Autostart, Json, Owner, connect, examples
from memoryd_cli.base.output import on_terminal, out, out_json, plain, printable, table, write
from memoryd_cli.watching import EventTeller
from memoryd_client.base.errors import MemorydError
from memoryd_client.base.paths import Paths
from memoryd_client.base.wording import counted
from memoryd_client.wire.status import Status

_TRANSCRIPT_LINES = """

\b
--transcript plays your own conversation, one message per line:
  {"role": "user", "content": "...", "session": "s1",
   "ts": "2026-03-02T09:05:00Z"}
  {"role": "assistant", "content": "...", "session": "s1",
   "remember": {"label": "uv", "content": "Use uv, not pip."}}
  {"role": "user", "content": "...", "session": "s2", "expects": ["uv"]}
role is user, assistant, system or tool; role and content are needed.
Lines without session belong to one session. Only what a `remember` stores
can come back: without any, nothing does. docs/json.md has the details.
Transcripts of Claude Code are understood, too."""


def add_to(app: typer.Typer) -> None:
    """Register the commands."""
    app.command(
        epilog=examples(
            "memoryd status", "memoryd status --all", "memoryd status --json | jq .ready", "memoryd status --watch 2"
        )
    )(status)
    app.command(epilog=examples("memoryd logs", "memoryd logs -n 200", "memoryd logs --follow"))(logs)
    app.command(epilog=examples("memoryd watch", "memoryd watch --json | jq -c 'select(.event == \"surfaced\")'"))(
        watch
    )

    app.command(epilog=examples("memoryd doctor", "memoryd doctor --json"))(doctor)
    app.command(
        epilog=examples("memoryd demo", "memoryd demo --fast --json", "memoryd demo --transcript my-session.jsonl")
        + _TRANSCRIPT_LINES
    )(demo)


def status(
    *,
    watch_s: Annotated[
        float | None,
        typer.Option("--watch", min=0.1, max=86_400, metavar="SECONDS", help="Again and again, until interrupted."),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", "-a", help="Each part, with its numbers.")] = False,
    owner: Owner = "local",
    autostart: Autostart = False,
    as_json: Json = False,
) -> None:
    """Print whether the daemon is ready, how many memories it has, and any trouble."""
    while True:
        with connect("", "", "cli", owner, autostart=autostart) as memory:
            found = memory.status()
        if watch_s is not None and on_terminal():
            write("\033[H\033[2J")
        if as_json:
            out_json(found)
        else:
            _show(found, everything=everything)
        if watch_s is None:
            return
        time.sleep(watch_s)


def _show(found: Status, *, everything: bool) -> None:
    state = "ready" if found.ready else "starting" if found.live else "stopping"
    out(
        f"memoryd {found.version}, pid {found.pid}: {state}{', busy' if found.busy else ''}, "
        f"up {_duration(found.uptime_s)}, {found.rss_bytes / 2**20:.0f} MiB, home {found.home}"
    )
    if everything:
        _show_parts(found)
    else:
        out(_how_many(found))
    for warning in found.warnings:
        out(f"warning: {printable(warning)}")


def _how_many(found: Status) -> str:
    """Return how many memories there are, and what is not done yet."""
    numbers = {name: part.numbers for name, part in found.components.items()}
    total, active, passages, documents = (
        int(numbers.get("ledger", {}).get(name, 0)) for name in ("memories", "active", "passages", "documents")
    )
    told = [counted(total, "memory") + (f", {active} of them active" if active < total else "")]
    if passages:
        told[0] += f", {counted(passages, 'passage')} of {counted(documents, 'document')}"
    if doubts := int(numbers.get("consolidation", {}).get("doubts", 0)):
        told.append(f"{counted(doubts, 'pair')} in doubt (`memoryd review`)")
    if behind := int(numbers.get("index", {}).get("behind", 0)):
        told.append(f"{counted(behind, 'change')} not in the index yet")
    if loading := [name for name, part in found.components.items() if part.state == "loading"]:
        told.append(f"still loading: {', '.join(loading)}")
    return "; ".join(told)


def _show_parts(found: Status) -> None:
    table(
        ("part", "state", "what"),
        [
            (
                name,
                part.state,
                "; ".join(
                    filter(
                        None,
                        (
                            part.message,
                            part.hint,
                            ", ".join(_numbers(part.numbers)),
                            ", ".join(f"{key} {fact}" for key, fact in part.facts.items()),
                        ),
                    )
                ),
            )
            for name, part in found.components.items()
        ],
        wrap=True,
    )


def _numbers(numbers: Mapping[str, float]) -> Iterator[str]:
    """Yield each number that is not 0 with its name; one of a day together with that of the week."""
    for name, number in numbers.items():
        if name.removesuffix(".7d") in numbers and name.endswith(".7d"):
            continue
        week = numbers.get(f"{name}.7d")
        if not number and not week:
            continue
        yield f"{name} {_plain_number(number)}" + ("" if week is None else f" ({_plain_number(week)} in 7 days)")


def _plain_number(number: float) -> str:
    """Return a count digit by digit, anything else in six digits."""
    return f"{number:.0f}" if number == int(number) else f"{number:g}"


def _duration(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    named = ((days, "d"), (hours, "h"), (minutes, "min"), (rest, "s"))
    return " ".join([f"{count} {unit}" for count, unit in named if count][:2]) or "0 s"


def logs(
    *,
    lines: Annotated[int, typer.Option("--lines", "-n", min=0, metavar="N", help="The last N lines.")] = 50,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on as lines are written.")] = False,
) -> None:
    """Print the daemon's log. Where systemd runs the daemon, that is its journal."""
    from memoryd_cli.base.launch import managed_by_systemd

    paths = Paths.from_environment()
    if managed_by_systemd(paths):
        sys.stdout.flush()
        follows = ["--follow"] if follow else []
        command = ["journalctl", "--user", "--unit", "memoryd.service", "--lines", str(lines), *follows]
        raise typer.Exit(subprocess.run(command, check=False).returncode)
    if not paths.log.exists():
        raise CommandFailed(f"there is no log at {paths.log}", "memoryd has not been started in the background yet.")
    position = _last_lines(paths.log, lines)
    while follow:
        size = paths.log.stat().st_size
        if size < position:  # it was truncated
            position = 0
        if size == position:
            time.sleep(0.2)
            continue
        position = _rest(paths.log, position)


def _last_lines(log: Path, lines: int) -> int:
    with log.open("rb") as file:
        for line in deque(file, maxlen=lines):
            write(line.decode(errors="replace"))
        return file.tell()


def _rest(log: Path, position: int) -> int:
    with log.open("rb") as file:
        file.seek(position)
        write(file.read().decode(errors="replace"))
        return file.tell()


def watch(*, owner: Owner = "local", autostart: Autostart = False, as_json: Json = False) -> None:
    """Print what the daemon is doing for an owner, as it happens, until interrupted."""
    import msgspec

    with connect("", "", "cli", owner, autostart=autostart) as memory:
        teller = EventTeller(memory)
        for event in map(teller.whole, memory.events()):
            if as_json:
                tag = str(event.__struct_config__.tag)
                out(msgspec.json.encode({"event": tag, "data": plain(event)}).decode())
            else:
                for line in teller.lines(event):
                    out(line)


def doctor(*, as_json: Json = False) -> None:
    """Look for what is wrong, with or without a running daemon. Changes nothing; exits with 1 where something fails."""
    from memoryd.doctor import examine, rows, worst
    from memoryd_cli.connect.examine import examine_connections

    status = _status_if_any()
    paths = Paths.from_environment()
    findings = [*examine(paths, status=status), *examine_connections(paths, os.environ, serving=status is not None)]
    level = worst(findings)
    if as_json:
        out_json({"level": level, "findings": findings})
    else:
        table(
            ("level", "what", "found"),
            [(rank, name, _with_mend(found, mend)) for rank, name, found, mend in rows(findings)],
            wrap=True,
        )
    if level == "fail":
        raise typer.Exit(FAILED)


def _with_mend(found: str, mend: str) -> str:
    return f"{found.rstrip('. ')}. Mend: {mend}" if mend else found


def _status_if_any() -> Status | None:
    from memoryd_cli.base.launch import holder_pid

    # Asked of the lock first: connecting to a socket that systemd holds would start a daemon that nobody asked for.
    if holder_pid(Paths.from_environment()) is None:
        return None
    try:
        owner = os.environ.get("MEMORYD_OWNER", "local")
        with connect("", "", "cli", owner, autostart=False) as memory:
            return memory.status()
    except MemorydError:  # that, too, is found
        return None


def demo(
    *,
    transcript: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Play this conversation (JSON lines) instead of the built-in one."),
    ] = None,
    fast: Annotated[bool, typer.Option("--fast", help="Do not pause between turns.")] = False,
    pace: Annotated[float, typer.Option(min=0.0, metavar="SECONDS", help="Pause between turns.")] = 0.4,
    keep: Annotated[bool, typer.Option("--keep", help="Keep the daemon's folder, and say where it is.")] = False,
    as_json: Json = False,
) -> None:
    """Watch it work: a real daemon, a real conversation, turn by turn.

    The daemon gets a folder of its own under /tmp; yours is not touched. Each turn shows what came back from the turn
    before, what the user says, and why the memories were kept or dropped.
    """
    from memoryd_cli.demo.show import show

    raise typer.Exit(show(transcript, pace_s=0.0 if fast or as_json else pace, keep=keep, as_json=as_json))
