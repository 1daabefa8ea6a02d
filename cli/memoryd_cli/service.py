"""`memoryd service`: let systemd run the daemon; on macOS launchd."""

from collections.abc import Callable
from typing import Annotated

import typer

from memoryd_cli.base.options import examples
from memoryd_cli.base.output import note, out
from memoryd_client.base.paths import Paths

group = typer.Typer(
    help="Let systemd run the daemon (on macOS launchd, untried).",
    rich_markup_mode=None,
    no_args_is_help=True,
    epilog=examples("memoryd service install", "memoryd service uninstall"),
)
_UNTRIED = "note: nobody has tried the launchd agent on a Mac yet; `memoryd start` needs none"


@group.command(epilog=examples("memoryd service install", "memoryd service install --no-start"))
def install(*, start: Annotated[bool, typer.Option(help="Start it at once.")] = True) -> None:
    """Have systemd, or launchd on a Mac, start the daemon at login; with systemd also at the first use."""
    from memoryd.system import launchd, service

    paths = Paths.from_environment()
    if launchd.rules_here():
        note(_UNTRIED)
        _told(lambda: launchd.install(paths, start=start))
    else:
        _told(lambda: service.install(paths, start=start))


@group.command(epilog=examples("memoryd service uninstall"))
def uninstall() -> None:
    """Stop, disable and remove the units. Memories stay."""
    from memoryd.system import launchd, service

    paths = Paths.from_environment()
    _told(lambda: launchd.uninstall(paths) if launchd.rules_here() else service.uninstall(paths))


def _told(do: Callable[[], list[str]]) -> None:
    """Print the steps that were done, also where one of them failed."""
    from memoryd.system.service import ServiceFailed

    try:
        steps = do()
    except ServiceFailed as failed:
        _print(failed.steps)
        raise
    _print(steps)


def _print(steps: list[str] | tuple[str, ...]) -> None:
    for step in steps:
        out(step)
