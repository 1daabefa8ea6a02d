"""Commands that run, start and stop the daemon."""

import os
from typing import Annotated

import typer

from memoryd_cli.base.failures import CommandFailed
from memoryd_cli.base.options import examples
from memoryd_cli.base.output import note, out, printable
from memoryd_client.base.paths import Paths

StartTimeout = Annotated[float, typer.Option("--timeout", min=0.1, metavar="SECONDS", help="Give up after this long.")]


def add_to(app: typer.Typer) -> None:
    """Register the commands."""
    app.command(epilog=examples("memoryd run", "MEMORYD_HOME=/tmp/m MEMORYD_DAEMON_LOG_LEVEL=debug memoryd run"))(run)
    app.command(epilog=examples("memoryd serve --tcp 0.0.0.0:7117"))(serve)
    app.command(epilog=examples("memoryd start", "memoryd start --timeout 120"))(start)
    app.command(epilog=examples("memoryd stop"))(stop)
    app.command(epilog=examples("memoryd restart"))(restart)


def run() -> None:
    """Run the daemon in the foreground, until a signal ends it."""
    from memoryd.assembly.app import main

    raise typer.Exit(main())


def serve(
    tcp: Annotated[str, typer.Option("--tcp", metavar="HOST:PORT", help="Where clients on other machines connect.")],
) -> None:
    """Run the daemon in the foreground, and serve clients on a network that have a key (`memoryd keys`), too.

    Three ports are used: PORT and the two above. `memoryd config set ipc.tcp HOST:PORT` does the same for every start.
    """
    from memoryd.assembly.app import main

    os.environ["MEMORYD_IPC_TCP"] = tcp
    raise typer.Exit(main())


def start(timeout: StartTimeout = 60.0) -> None:
    """Start the daemon in the background and wait until it is ready. Where one runs already, say so."""
    _start(Paths.from_environment(), timeout)


def stop(timeout: StartTimeout = 30.0) -> None:
    """Stop the daemon that holds this home, and wait until it is gone."""
    from memoryd_cli.base import launch

    paths = Paths.from_environment()
    pid = launch.stop(paths, timeout_s=timeout)
    if pid is None:
        note(f"no memoryd runs in {paths.home}")
    else:
        out(f"stopped memoryd, pid {pid}")


def restart(timeout: StartTimeout = 60.0) -> None:
    """Stop the daemon where one runs, and start it. A broken configuration is found before anything is stopped."""
    from memoryd.config import ConfigInvalid, load
    from memoryd_cli.base import launch

    paths = Paths.from_environment()
    try:
        load(paths.config)
    except ConfigInvalid as invalid:
        raise CommandFailed(str(invalid), "The daemon was left as it is.") from invalid
    launch.stop(paths, timeout_s=timeout)
    _start(paths, timeout)


def _start(paths: Paths, timeout_s: float) -> None:
    from memoryd.config import unread
    from memoryd_cli.base import launch

    for sentence in unread(os.environ).values():
        note(f"warning: {sentence}")
    try:
        launched = launch.start(paths, timeout_s=timeout_s)
    except launch.LaunchFailed as failed:
        if failed.last_lines:
            note(failed.last_lines)
        raise CommandFailed(str(failed), failed.hint) from failed
    if launched.fresh:
        out(f"memoryd is ready, pid {launched.pid}, after {launched.seconds:.1f} s")
    else:
        out(f"memoryd runs already, pid {launched.pid}")
    from memoryd_client.client import Client

    with Client(agent="cli", paths=paths) as memory:
        for warning in memory.status().warnings:
            note(f"warning: {printable(warning)}")
