"""The options that commands share, and the client they lead to."""

import inspect
import os
from collections.abc import Callable
from functools import cache, wraps
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec
import typer

from memoryd_cli.base import completion
from memoryd_cli.base.agent_shell import agent_of_shell
from memoryd_cli.base.output import note
from memoryd_client.base.paths import Paths
from memoryd_client.base.variables import misspelt
from memoryd_client.project import here
from memoryd_client.wire.caller import PERSON, SCRIPT

if TYPE_CHECKING:
    from memoryd_client.client import Client

Session = Annotated[
    str,
    typer.Option(
        "--session",
        "-s",
        metavar="NAME",
        envvar="MEMORYD_SESSION",
        autocompletion=completion.sessions,
        help="The agent's session.",
    ),
]
Project = Annotated[
    str | None,
    typer.Option(
        "--project",
        "-p",
        metavar="FOLDER",
        envvar="MEMORYD_PROJECT",
        autocompletion=completion.projects,
        help="The project; '' for none. [default: the git project of the current folder]",
    ),
]


def _speaking(context: typer.Context, agent: str) -> str:
    """Return on whose behalf a command acts: in the shell of a coding agent on that agent's, unless it is said."""
    source = context.get_parameter_source("agent")
    unsaid = source is None or source.name == "DEFAULT"
    return agent_of_shell(os.environ) or agent if unsaid and agent == PERSON else agent


Agent = Annotated[
    str, typer.Option(metavar="NAME", envvar="MEMORYD_AGENT", callback=_speaking, help="On whose behalf.")
]
Owner = Annotated[str, typer.Option(metavar="NAME", envvar="MEMORYD_OWNER", help="Whose memories.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON (docs/json.md).")]
Autostart = Annotated[
    bool, typer.Option("--autostart", envvar="MEMORYD_AUTOSTART", help="Start the daemon where none runs.")
]
MemoryId = Annotated[
    str, typer.Argument(metavar="ID", autocompletion=completion.ids, help="The memory's id, or the beginning of it.")
]

MemoryIds = Annotated[
    list[str],
    typer.Argument(metavar="ID...", autocompletion=completion.ids, help="The memories' ids, or beginnings of them."),
]
Category = Annotated[
    list[str] | None,
    typer.Option(
        "--category", "-c", metavar="NAME", autocompletion=completion.categories, help="Only these categories."
    ),
]
Reached = Literal["all", "project", "global", "everywhere"]
Reach = Annotated[
    Reached,
    typer.Option("--scope", help="This project's, global, both, or those of every project."),
]
Tag = Annotated[
    list[str] | None,
    typer.Option("--tag", "-t", metavar="TAG", autocompletion=completion.tags, help="Only with this tag."),
]
Everything = Annotated[bool, typer.Option("--all", "-a", help="Forgotten, replaced and archived ones, too.")]
Unrelated = Annotated[bool, typer.Option("--all", "-a", help="Also what has nothing to do with it.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]


class InProject(msgspec.Struct, frozen=True):
    """In which project a command acts, for whom, and through which daemon."""

    project: Project = None
    agent: Agent = PERSON
    owner: Owner = "local"
    autostart: Autostart = False

    def connect(self) -> "Client":
        """Return a client for the daemon, started first where that is wanted and needed."""
        return connect("", self.project, self.agent, self.owner, autostart=self.autostart)


class InSession(msgspec.Struct, frozen=True):
    """In which session and project a command acts, for whom, and through which daemon."""

    session: Session = ""
    project: Project = None
    agent: Agent = PERSON
    owner: Owner = "local"
    autostart: Autostart = False

    def connect(self) -> "Client":
        """Return a client for the daemon, started first where that is wanted and needed."""
        return connect(self.session, self.project, self.agent, self.owner, autostart=self.autostart)


def at_terminal() -> bool:
    """Return whether somebody is at a terminal: agents and timers run commands without one, pipes of yours have one."""
    return any(map(os.isatty, range(3)))


def placed(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command whose parameter `at` is given by an option for each of its fields, in its place.

    Typer reads what a command takes from its signature, and knows no groups of options.
    """
    signature = inspect.signature(command)
    place: Callable[..., object] = signature.parameters["at"].annotation
    own = _options(place)
    names = {one.name for one in own}

    @wraps(command)
    def run(**given: object) -> None:
        rest = {name: value for name, value in given.items() if name not in names}
        command(**rest, at=place(**{name: given[name] for name in names}))

    taken = [one for given in signature.parameters.values() for one in (own if given.name == "at" else (given,))]
    run.__signature__ = signature.replace(parameters=taken)  # type: ignore[attr-defined]  # typer reads it
    return run


@cache
def _options(place: Callable[..., object]) -> tuple[inspect.Parameter, ...]:
    """Return the fields of a place as parameters; once for all commands, as each start of the command line waits."""
    fields = inspect.signature(place).parameters.values()
    return tuple(one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in fields)


def examples(*lines: str) -> str:
    """Return the epilog that shows a command in use."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


def connect(session: str, project: str | None, agent: str, owner: str, *, autostart: bool) -> "Client":
    """Return a client for the daemon of this environment, started first where that is wanted and needed.

    What it does is signed as yours only where somebody is at a terminal.
    """
    from memoryd_client.base.remote import Remote
    from memoryd_client.client import Client

    for warning in misspelt(os.environ):
        note(f"warning: {warning}")
    paths, remote = Paths.from_environment(), Remote.from_environment()
    if autostart and remote is None:
        from memoryd_cli.base.launch import start

        launched = start(paths)
        if launched.fresh:
            note(f"started memoryd, pid {launched.pid}, ready after {launched.seconds:.1f} s")
    return Client(
        session=session,
        project=here() if project is None else project,
        agent=SCRIPT if agent == PERSON and not at_terminal() else agent,
        owner=owner,
        paths=paths,
        remote=remote,
    )
