"""`memoryd ui`: starts the terminal interface."""

import sys
from typing import Annotated

import typer

from memoryd_cli.base.failures import CommandFailed
from memoryd_cli.base.options import Autostart, Owner, Project, connect, examples
from memoryd_client.base.paths import Paths
from memoryd_client.base.remote import Remote
from memoryd_client.project import here


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command(epilog=examples("memoryd ui", "memoryd ui --light", "NO_COLOR=1 memoryd ui --project ~/work/shop"))(ui)


def ui(
    *,
    light: Annotated[bool, typer.Option("--light", help="Dark on light.")] = False,
    project: Project = None,
    owner: Owner = "local",
    autostart: Autostart = False,
) -> None:
    """See memory at work, and change it: turns as they happen, memories, what waits for you, sessions, health.

    It stays open beside an agent, and follows the daemon through its restarts. Needs the extra `ui`.
    """
    from memoryd_cli.ui.app import MemorydUi
    from memoryd_cli.ui.backend import Backend

    if not sys.stdin.isatty() or not sys.stdout.isatty():
        raise CommandFailed("`memoryd ui` needs a terminal", "`memoryd watch` and `memoryd list` print to anything.")
    if autostart:
        connect("", "", "cli", owner, autostart=True).close()
    at = here() if project is None else project
    place = Remote.from_environment() or Paths.from_environment()
    MemorydUi(Backend(place, project=at, owner=owner), bright=light).run()
