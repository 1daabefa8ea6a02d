"""The `memoryd` command."""

from memoryd_cli.edge import main as main

__all__ = ["main"]
