"""The options that commands share, and the client they lead to."""

import os
from typing import TYPE_CHECKING, Annotated

import typer

from memoryd_client.cli.output import note
from memoryd_client.paths import Paths

if TYPE_CHECKING:
    from memoryd_client.client import Client

Session = Annotated[
    str, typer.Option("--session", "-s", metavar="NAME", envvar="MEMORYD_SESSION", help="The agent's session.")
]
Project = Annotated[
    str | None,
    typer.Option(
        "--project",
        "-p",
        metavar="FOLDER",
        envvar="MEMORYD_PROJECT",
        help="The project; '' for none. [default: the git project of the current folder]",
    ),
]
Agent = Annotated[str, typer.Option(metavar="NAME", envvar="MEMORYD_AGENT", help="On whose behalf.")]
Owner = Annotated[str, typer.Option(metavar="NAME", envvar="MEMORYD_OWNER", help="Whose memories.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON (docs/json.md).")]
Autostart = Annotated[
    bool, typer.Option("--autostart", envvar="MEMORYD_AUTOSTART", help="Start the daemon where none runs.")
]
MemoryId = Annotated[str, typer.Argument(metavar="ID", help="The memory's id, or the beginning of it.")]


def examples(*lines: str) -> str:
    """Return the epilog that shows a command in use."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


def connect(session: str, project: str | None, agent: str, owner: str, *, autostart: bool) -> "Client":
    """Return a client for the daemon of this environment, started first where that is wanted and needed."""
    from memoryd_client.client import Client

    paths = Paths.from_environment()
    if autostart:
        from memoryd_client.launch import start

        launched = start(paths)
        if launched.fresh:
            note(f"started memoryd, pid {launched.pid}, ready after {launched.seconds:.1f} s")
    return Client(
        session=session,
        project=_here() if project is None else project,
        agent=agent,
        owner=owner,
        paths=paths,
    )


def _here() -> str:
    try:
        return os.getcwd()
    except FileNotFoundError:  # somebody deleted it under our feet
        return ""
