"""Commands that change what is remembered, and take changes back."""

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memoryd_cli.base import completion, document, render
from memoryd_cli.base.failures import CommandFailed
from memoryd_cli.base.options import (
    Agent,
    Autostart,
    InSession,
    Json,
    MemoryId,
    Owner,
    Project,
    Session,
    connect,
    examples,
    placed,
)
from memoryd_cli.base.output import note, out_json
from memoryd_client import drafts
from memoryd_client.base.errors import MemorydError, RequestFailed
from memoryd_client.base.paths import Paths
from memoryd_client.base.wording import sentence
from memoryd_client.requests import ChangedFields
from memoryd_client.wire.memory import Memory

if TYPE_CHECKING:
    from memoryd_client.client import Client

Relation = Annotated[str, typer.Option("--relation", "-r", metavar="NAME", help="What the first is to the second.")]
Other = Annotated[
    str,
    typer.Argument(
        metavar="OTHER", autocompletion=completion.ids, help="The other memory's id, or the beginning of it."
    ),
]


def add_to(app: typer.Typer) -> None:
    """Register the commands."""
    app.command(epilog=examples("memoryd edit 4k2m9x0c", "EDITOR='code --wait' memoryd edit 4k2m9x0c"))(edit)
    app.command(
        epilog=examples(
            'memoryd update 4k2m9x0c --title "Token expiry" --tag auth --tag utc',
            "memoryd update 4k2m9x0c --content - < corrected.txt",
            "memoryd update 4k2m9x0c --tag ''",
        )
    )(update)
    app.command(epilog=examples("memoryd undo 118", "memoryd undo 118 --json"))(undo)
    app.command(epilog=examples("memoryd relate 4k2m9x0c 7p1d3c5e", "memoryd relate 4k2m 7p1d --relation supersedes"))(
        relate
    )
    app.command(epilog=examples("memoryd unrelate 4k2m9x0c 7p1d3c5e"))(unrelate)


@placed
def edit(
    memory_id: MemoryId,
    *,
    at: InSession,
    as_json: Json = False,
) -> None:
    """Change a memory in $VISUAL or $EDITOR, as Markdown with front matter.

    A line without a value empties its field, a line taken out changes nothing. Whatever goes wrong, what you wrote is
    kept in a file that is named, unless the memory was purged meanwhile.
    """
    command = _editor()
    with at.connect() as memory:
        before = memory.get(memory_id)
        draft = _draft(before)
        try:
            wanted = _edited(command, draft, before)
            if not wanted:
                draft.unlink()
                _told(before, before, as_json=as_json)
                return
            after = memory.update(before.id, revision=before.revision, **wanted)
        except (MemorydError, ValueError, FileNotFoundError) as problem:
            hint = problem.hint if isinstance(problem, MemorydError) else ""
            message = sentence(str(problem), hint)
            if _is_purged(memory, before):
                drafts.destroy(draft.parent, [before.id])
                raise CommandFailed(
                    f"{before.id} was purged meanwhile, so nothing was stored, and what you wrote was not kept"
                ) from problem
            if not draft.exists() or draft.read_bytes() == document.written(before).encode():
                draft.unlink(missing_ok=True)  # nothing was written in it
                raise CommandFailed(message) from problem
            raise CommandFailed(message, f"What you wrote is kept in {draft}") from problem
        draft.unlink()
        _told(before, after, as_json=as_json, operation=_last_operation(memory, after))


def _is_purged(memory: "Client", one: Memory) -> bool:
    """Return whether a memory was destroyed: what was written while it was there repeats it."""
    try:
        memory.get(one.id)
    except RequestFailed as failed:
        return failed.code == "not_found"
    except MemorydError:
        return False
    return False


def _draft(memory: Memory) -> Path:
    """Write what is to be edited into a file of its own that nobody else can read, and return it."""
    file = drafts.new(Paths.from_environment().drafts, memory.id)
    file.write_bytes(document.written(memory).encode())
    return file


def _edited(command: list[str], draft: Path, memory: Memory) -> ChangedFields:
    """Let the user edit the file, again where it cannot be read and somebody is there; return what they changed."""
    while True:
        done = subprocess.run([*command, str(draft)], check=False)
        if done.returncode != 0:
            raise CommandFailed(f"the editor `{command[0]}` left with {done.returncode}, so nothing was changed")
        try:
            return document.changed(draft.read_bytes().decode("utf-8", "replace"), memory)
        except CommandFailed as problem:
            if not (sys.stdin.isatty() and sys.stderr.isatty()):
                raise
            note(str(problem))
            if not typer.confirm("Edit it again?", default=True, err=True):
                raise


def _editor() -> list[str]:
    """Return the command that edits a file.

    Raises:
        CommandFailed: there is none, or none was named and there is no terminal for it.
    """
    named = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ""
    if not named and not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise CommandFailed("there is no terminal for an editor", "Set $EDITOR, or use `memoryd update`.")
    try:
        command = shlex.split(named) or [next(filter(shutil.which, ("sensible-editor", "nano", "vi")), "")]
    except ValueError as wrong:
        raise CommandFailed(f"$EDITOR cannot be read: {wrong}") from wrong
    if shutil.which(command[0]) is None:
        raise CommandFailed(
            f"there is no editor `{command[0]}`" if command[0] else "there is no editor",
            "Set $EDITOR, or use `memoryd update`.",
        )
    return command


@placed
def update(
    memory_id: MemoryId,
    *,
    content: Annotated[
        str | None, typer.Option(metavar="TEXT", help="What it says from now on; - reads it from stdin.")
    ] = None,
    title: Annotated[str | None, typer.Option(metavar="TEXT", help="A line that stands for it in lists.")] = None,
    category: Annotated[
        str | None,
        typer.Option(
            "--category", "-c", metavar="NAME", autocompletion=completion.categories, help="What kind of memory."
        ),
    ] = None,
    tag: Annotated[
        list[str] | None, typer.Option("--tag", "-t", metavar="TAG", help="Its tags from now on; '' for none.")
    ] = None,
    importance: Annotated[int | None, typer.Option(min=1, max=5, help="1 trivial to 5 vital.")] = None,
    pinned: Annotated[bool | None, typer.Option("--pinned/--not-pinned", help="Whether it never fades.")] = None,
    trust: Annotated[float | None, typer.Option(min=0.0, max=1.0, help="How far it can be relied on.")] = None,
    speaker: Annotated[str | None, typer.Option(metavar="NAME", help="Who said it.")] = None,
    occurred_at: Annotated[
        str | None, typer.Option(metavar="DATE", help="When it happened, ISO 8601; '' for unknown.")
    ] = None,
    file: Annotated[
        list[str] | None, typer.Option("--file", metavar="PATH", help="The files it is about; '' for none.")
    ] = None,
    metadata: Annotated[
        list[str] | None, typer.Option("--metadata", metavar="NAME=TEXT", help="Its metadata from now on; '' for none.")
    ] = None,
    ttl: Annotated[
        str | None, typer.Option(metavar="SPAN", help="Forget it by itself after that, 30m, 12h, 7d, 2w; '' for never.")
    ] = None,
    revision: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Only where it is still at this revision.")
    ] = None,
    at: InSession,
    as_json: Json = False,
) -> None:
    """Change fields of a memory; what is not named stays as it is. `memoryd undo` takes it back."""
    given: dict[str, object] = {
        "content": sys.stdin.read().strip() if content == "-" else content,
        "title": title,
        "category": category,
        "tags": None if tag is None else [one for one in tag if one],
        "importance": importance,
        "pinned": pinned,
        "trust": trust,
        "speaker": speaker,
        "files": None if file is None else [one for one in file if one],
        "metadata": None if metadata is None else dict(parse_entry(one) for one in metadata if one),
    }
    wanted = ChangedFields()
    for name, value in given.items():
        if value is not None:
            wanted[name] = value  # type: ignore[literal-required] # pyright: ignore[reportGeneralTypeIssues] - the names above are its own
    if occurred_at is not None:
        wanted["occurred_at"] = render.parse_date(occurred_at)
    if ttl is not None:
        wanted["ttl"] = ttl or None
    if not wanted:
        raise typer.BadParameter("say what is to change, for instance with --content or --title")
    with at.connect() as memory:
        before = memory.get(memory_id)
        after = memory.update(before.id, revision=revision, **wanted)
        same = after.revision == before.revision
        _told(before, after, as_json=as_json, operation=0 if same else _last_operation(memory, after))


def parse_entry(text: str) -> tuple[str, str]:
    """Return the name and the text of an entry of metadata."""
    name, separator, value = text.partition("=")
    if not separator:
        raise typer.BadParameter(f"{text!r} is not NAME=TEXT")
    return name.strip(), value


def _last_operation(memory: "Client", one: Memory) -> int:
    """Return the operation by which a memory was written last."""
    entries = memory.history(one.id, limit=1)
    return entries[0].operation if entries else 0


def _told(before: Memory, after: Memory, *, as_json: bool, operation: int = 0) -> None:
    if as_json:
        out_json(after)
    if before.revision == after.revision:
        note(f"nothing changed in {after.id}")
    else:
        back = f"; `memoryd undo {operation}` takes it back" if operation else ""
        note(f"changed {after.id}, now at revision {after.revision}{back}")
        render.note_gave_way(after)


def undo(
    operation: Annotated[
        int,
        typer.Argument(
            min=1,
            metavar="OPERATION",
            autocompletion=completion.operations,
            help="As `memoryd history` numbers them.",
        ),
    ],
    *,
    session: Session = "",
    project: Project = None,
    agent: Agent = "cli",
    owner: Owner = "local",
    autostart: Autostart = False,
    as_json: Json = False,
) -> None:
    """Take back an operation: everything that was written together with it. An undo can itself be undone."""
    with connect(session, project, agent, owner, autostart=autostart) as memory:
        changed = memory.undo(operation)
    if as_json:
        out_json(changed)
    elif changed:
        render.memory_table(changed)
    note(f"took operation {operation} back")


@placed
def relate(
    memory_id: MemoryId,
    other: Other,
    *,
    relation: Relation = "related_to",
    strength: Annotated[float, typer.Option(min=0.0, max=1.0, help="How strongly.")] = 1.0,
    at: InSession,
    as_json: Json = False,
) -> None:
    """Say what one memory is to another, and print what the first is to others.

    Any name will do; `contradicts` is shown as a doubt, and `supersedes` retires the second memory.
    """
    with at.connect() as memory:
        edges = memory.relate(memory_id, other, relation=relation, strength=strength)
    if as_json:
        out_json(edges)
    else:
        render.edge_table(edges)


@placed
def unrelate(
    memory_id: MemoryId,
    other: Other,
    *,
    relation: Relation = "related_to",
    at: InSession,
    as_json: Json = False,
) -> None:
    """Remove what one memory is to another, and print what is left of the first."""
    with at.connect() as memory:
        first, second = memory.get(memory_id).id, memory.get(other).id
        before = memory.edges([first])
        if not any((one.from_id, one.relation, one.to_id) == (first, relation, second) for one in before):
            raise CommandFailed(
                f"{first} is not {relation!r} to {second}, so nothing was removed",
                f"`memoryd why {first}` shows what is.",
            )
        edges = memory.unrelate(first, second, relation=relation)
    if as_json:
        out_json(edges)
    elif edges:
        render.edge_table(edges)
    else:
        note("it is related to nothing any more")
