"""A question before something goes for good."""

import sys

import typer

from memoryd_cli.base.failures import CommandFailed


def confirm(question: str, nobody: str) -> None:
    """Ask; raise CommandFailed unless somebody at a terminal says yes. `nobody`: what to say where there is nobody."""
    if not sys.stdin.isatty():
        raise CommandFailed(nobody, "Add `--yes` to purge without being asked.")
    if not typer.confirm(question, default=False, err=True):
        raise CommandFailed("nothing was purged")
