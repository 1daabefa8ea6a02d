"""The `memoryd` command."""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

__all__ = ["main"]


def main() -> "NoReturn":
    """Run the command line and leave the process; an MCP server starts without what the other commands need."""
    from memoryd_cli.base import streams

    streams.prepare()
    if sys.argv[1:2] == ["mcp"]:
        from memoryd_cli.mcp.server import main as serve

        serve(sys.argv[2:])  # comes back where it does not understand its arguments
    from memoryd_cli.edge import main as run

    run()
