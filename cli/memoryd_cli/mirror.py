"""`memoryd mirror`: memories as a folder of Markdown files that may be edited."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memoryd_cli.base import completion
from memoryd_cli.base.failures import CommandFailed
from memoryd_cli.base.options import Autostart, Json, Owner, connect, examples
from memoryd_cli.base.output import note, out, out_json, printable
from memoryd_client.base.wording import counted

if TYPE_CHECKING:
    from memoryd_client.client import Client
    from memoryd_client.wire.mirroring import MirrorStatus

group = typer.Typer(
    help="Keep memories as a folder of Markdown files, in both directions.",
    rich_markup_mode=None,
    no_args_is_help=True,
    epilog=examples("memoryd mirror on ~/notes/memory", "memoryd mirror status", "memoryd mirror off ~/notes/memory"),
)
LOOK_S = 0.2
PATIENCE_S = 600.0
"""After so long the command ends, and the daemon goes on."""
OnlyProject = Annotated[
    str | None,
    typer.Option(
        "--project",
        "-p",
        metavar="FOLDER",
        autocompletion=completion.projects,
        help="Only the memories of this project. [default: those of all, and those of none]",
    ),
]


@group.command(
    epilog=examples(
        "memoryd mirror on ~/notes/memory",
        "memoryd mirror on docs/memory --project .",
        "memoryd mirror on ~/notes/memory --project-map shop=~/code/shop",
    )
)
def on(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A new folder, or one that was a mirror.")],
    *,
    project: OnlyProject = None,
    adopt: Annotated[
        bool, typer.Option("--adopt", help="Markdown files that are there become memories, and get front matter.")
    ] = False,
    project_map: Annotated[
        list[str] | None,
        typer.Option("--project-map", metavar="NAME=FOLDER", help="Which project a folder is of; repeatable."),
    ] = None,
    owner: Owner = "local",
    autostart: Autostart = False,
    as_json: Json = False,
) -> None:
    """Write every memory as a Markdown file into a folder, and take what is changed there into memory.

    A file that is edited, added, renamed or deleted changes memory, through the same gate as everything else; what
    changes at once is one operation, which `memoryd undo` takes back. It goes on after every start of the daemon, until
    `memoryd mirror off`.
    """
    with connect("", "", "cli", owner, autostart=autostart) as memory:
        begun = memory.mirror(folder, project=project, adopt=adopt, projects=dict(map(_mapping, project_map or ())))
        status = _watched(memory, begun)
    if as_json:
        out_json(status)
        return
    show(status)


@group.command(epilog=examples("memoryd mirror off", "memoryd mirror off ~/notes/memory"))
def off(
    folder: Annotated[
        Path | None, typer.Argument(metavar="[FOLDER]", help="Which one; the only one where none is named.")
    ] = None,
    *,
    owner: Owner = "local",
    as_json: Json = False,
) -> None:
    """Leave a folder as it is from now on. Its files stay; turned on again, what was edited meanwhile is taken."""
    with connect("", "", "cli", owner, autostart=False) as memory:
        left = memory.end_mirror(folder or "")
    if as_json:
        out_json(left)
        return
    out("the files stay as they are, and memory no longer follows them")
    if left:
        note(f"still mirrored: {', '.join(printable(one.folder) for one in left)}")


@group.command(epilog=examples("memoryd mirror status", "memoryd mirror status --json"))
def status(
    *,
    owner: Owner = "local",
    as_json: Json = False,
) -> None:
    """Print which folders are mirrored, how they are, and which of their files are not in memory, and why."""
    with connect("", "", "cli", owner, autostart=False) as memory:
        found = memory.mirrors()
    if as_json:
        out_json(found)
    elif not found:
        note("no folder is mirrored; `memoryd mirror on FOLDER` begins with one")
    for one in found if not as_json else ():
        show(one)


def _watched(memory: "Client", begun: "MirrorStatus") -> "MirrorStatus":
    """Wait until folder and memory are together for the first time."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        found = next((one for one in memory.mirrors() if one.folder == begun.folder), None)
        if found is not None and found.state != "working":
            return found
        time.sleep(LOOK_S)
    return begun


def show(one: "MirrorStatus") -> None:
    """Print how a mirror is, and beneath what of it is not in memory."""
    for line in _lines(one):
        out(printable(line))


def _lines(one: "MirrorStatus") -> Iterator[str]:
    whose = f"project {one.project}" if one.project else "all projects" if one.project is None else "no project"
    how = [one.state, f"{counted(one.files, 'memory')} of {whose}"]
    if one.not_taken:
        how.append(f"{counted(one.not_taken, 'file')} not taken")
    if one.conflicts:
        how.append(f"{len(one.conflicts)} where both changed")
    yield f"{one.folder}: {', '.join(how)}"
    if one.message:
        yield f"  {one.message}. {one.hint}".rstrip()
    for trouble in one.troubles:
        yield f"  not in memory: {trouble.path}: {trouble.reason}"
    if one.not_taken > len(one.troubles):
        yield f"  not in memory: {one.not_taken - len(one.troubles)} more"
    for path in one.conflicts:
        yield f"  both changed: {path} has what the file said; keep what you need of it, and delete it"


def _mapping(text: str) -> tuple[str, str]:
    from memoryd_client.project import project_root

    name, separator, folder = text.partition("=")
    if not (separator and name and folder):
        raise CommandFailed(f"{text!r} is not NAME=FOLDER")
    return name, project_root(Path(folder).expanduser())
