"""The `memoryd` command."""

from memoryd_client.cli.edge import main as main

__all__ = ["main"]
