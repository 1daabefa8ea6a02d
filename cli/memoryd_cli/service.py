"""`memoryd service`: let systemd run the daemon."""

from typing import Annotated

import typer

from memoryd_cli.base.options import examples
from memoryd_cli.base.output import out
from memoryd_client.base.paths import Paths

group = typer.Typer(
    help="Let systemd run the daemon.",
    rich_markup_mode=None,
    no_args_is_help=True,
    epilog=examples("memoryd service install", "memoryd service uninstall"),
)


@group.command(epilog=examples("memoryd service install", "memoryd service install --no-start"))
def install(*, start: Annotated[bool, typer.Option(help="Start it at once.")] = True) -> None:
    """Install and enable systemd user units, so that the daemon starts at login or at the first use."""
    from memoryd.system import service

    try:
        steps = service.install(Paths.from_environment(), start=start)
    except service.ServiceFailed as failed:
        _print(failed.steps)
        raise
    _print(steps)


@group.command(epilog=examples("memoryd service uninstall"))
def uninstall() -> None:
    """Stop, disable and remove the units. Memories stay."""
    from memoryd.system import service

    try:
        steps = service.uninstall(Paths.from_environment())
    except service.ServiceFailed as failed:
        _print(failed.steps)
        raise
    _print(steps)


def _print(steps: list[str] | tuple[str, ...]) -> None:
    for step in steps:
        out(step)
