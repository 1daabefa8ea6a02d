"""The command that serves the Model Context Protocol."""

from typing import Annotated

import typer

from memoryd_cli.base.failures import CommandFailed
from memoryd_cli.base.options import examples


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command(epilog=examples("memoryd mcp", "memoryd mcp --tools all", "memoryd connect"))(mcp)


def mcp(
    *,
    tools: Annotated[str, typer.Option(help="default, all, or names with commas between them.")] = "default",
    project: Annotated[str, typer.Option(help="Root of the project; by default where the host starts it.")] = "",
    owner: Annotated[str, typer.Option(help="On whose behalf.")] = "",
    session: Annotated[str, typer.Option(help="The session that it belongs to.")] = "",
    agent: Annotated[str, typer.Option(help="The agent's name; by default what the host calls itself.")] = "",
) -> None:
    """Serve memory over the Model Context Protocol, on stdin and stdout.

    It is started by an agent's program: `memoryd connect` says so to those that it knows. It needs the daemon only when
    a tool is called, and goes on after a restart of it.
    """
    from memoryd_cli.mcp.server import serve

    try:
        serve(tools=tools, project=project, owner=owner, session=session, agent=agent)
    except ValueError as exc:
        raise CommandFailed(str(exc), "`memoryd mcp --tools all` offers all there are.") from exc
