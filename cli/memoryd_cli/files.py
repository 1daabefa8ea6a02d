"""`memoryd fs`: memories that have a path, as files."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from memoryd_cli.base import completion
from memoryd_cli.base.options import InProject, Json, examples, placed
from memoryd_cli.base.output import note, one_line, out, out_json, printable, table
from memoryd_cli.editing import parse_entry

if TYPE_CHECKING:
    from memoryd_client.wire.virtual_files import MemoryFile

group = typer.Typer(
    help="Memories that have a path, as files: ls, read, write, edit, grep, search, delete.",
    rich_markup_mode=None,
    no_args_is_help=True,
    epilog=examples("memoryd fs ls episodes/", "memoryd fs read notes/deploy.md"),
)
Path = Annotated[
    str, typer.Argument(metavar="PATH", autocompletion=completion.files, help="Of the file, relative: notes/deploy.md.")
]
Prefix = Annotated[str, typer.Option("--prefix", metavar="PREFIX", help="Only paths that begin so.")]
Revision = Annotated[
    int | None, typer.Option("--revision", min=1, metavar="N", help="Refuse where it was written since.")
]


@group.command(epilog=examples("memoryd fs ls", "memoryd fs ls episodes/2026-01 --json"))
@placed
def ls(
    prefix: Annotated[
        str, typer.Argument(metavar="[PREFIX]", autocompletion=completion.files, help="Only paths that begin so.")
    ] = "",
    *,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1000, help="At most this many.")] = 200,
    at: InProject,
    as_json: Json = False,
) -> None:
    """List memory files: this project's, and those that hold everywhere."""
    with at.connect() as memory:
        files = memory.list_files(prefix, limit=limit)
    if as_json:
        out_json(files)
        return
    if not files:
        note("no files")
        return
    rows = [
        [
            file.path,
            str(file.characters),
            f"{file.updated_at:%Y-%m-%d %H:%M}",
            one_line(", ".join(file.tags)),
            one_line(file.title),
        ]
        for file in files
    ]
    table(["path", "characters", "written", "tags", "title"], rows, right=("characters",))


@group.command(epilog=examples("memoryd fs read notes/deploy.md", "memoryd fs read notes/deploy.md --offset 20000"))
@placed
def read(
    path: Path,
    *,
    offset: Annotated[int, typer.Option(min=0, help="Begin after so many characters.")] = 0,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=100_000, help="At most so many.")] = 20_000,
    at: InProject,
    as_json: Json = False,
) -> None:
    """Print a memory file."""
    with at.connect() as memory:
        page = memory.read_file(path, offset=offset, limit=limit)
    if as_json:
        out_json(page)
        return
    out(printable(page.content))
    if page.next_offset is not None:
        note(f"more with --offset {page.next_offset}")


@group.command(
    epilog=examples('memoryd fs write notes/deploy.md "# Deploy"', "memoryd fs write notes/deploy.md - < deploy.md")
)
@placed
def write(
    path: Path,
    content: Annotated[str, typer.Argument(metavar="TEXT", help="What it shall say; - reads it from stdin.")],
    *,
    tag: Annotated[list[str] | None, typer.Option("--tag", metavar="TAG", help="May be given several times.")] = None,
    metadata: Annotated[
        list[str] | None, typer.Option("--metadata", metavar="NAME=TEXT", help="May be given several times.")
    ] = None,
    revision: Revision = None,
    at: InProject,
    as_json: Json = False,
) -> None:
    """Create a memory file, or overwrite it; tags and metadata that are not given stay as they are."""
    entries = None if metadata is None else dict(parse_entry(one) for one in metadata if one)
    with at.connect() as memory:
        written = memory.write_file(path, _text(content), tags=tag, metadata=entries, revision=revision)
        _told(written, as_json=as_json)


@group.command(
    epilog=examples(
        'memoryd fs edit notes/deploy.md "on Monday" "on Friday"',
        "memoryd fs edit notes/deploy.md --diff - < change.diff",
    )
)
@placed
def edit(
    path: Path,
    old: Annotated[str, typer.Argument(metavar="[OLD]", help="The passage, which stands there exactly once.")] = "",
    new: Annotated[str, typer.Argument(metavar="[NEW]", help="What stands there instead.")] = "",
    *,
    diff: Annotated[
        str, typer.Option("--diff", metavar="TEXT", help="A unified diff instead of both; - reads it from stdin.")
    ] = "",
    revision: Revision = None,
    at: InProject,
    as_json: Json = False,
) -> None:
    """Replace a passage of a memory file, or apply a unified diff."""
    with at.connect() as memory:
        _told(memory.edit_file(path, old, new, diff=_text(diff), revision=revision), as_json=as_json)


@group.command(epilog=examples('memoryd fs grep "host (alpha|beta)"', "memoryd fs grep TODO --prefix notes/ --json"))
@placed
def grep(
    pattern: Annotated[str, typer.Argument(metavar="PATTERN", help="A regular expression, in whatever case.")],
    *,
    prefix: Prefix = "",
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1000, help="At most this many lines.")] = 100,
    at: InProject,
    as_json: Json = False,
) -> None:
    """Print the lines of memory files that a pattern matches."""
    with at.connect() as memory:
        found = memory.grep_files(pattern, prefix=prefix, limit=limit)
    if as_json:
        out_json(found)
        return
    for one in found:
        out(f"{one.path}:{one.line}: {printable(one.text)}")
    if not found:
        note("nothing found")


@group.command(epilog=examples('memoryd fs search "why the export failed"', "memoryd fs search tea --prefix episodes/"))
@placed
def search(
    query: Annotated[list[str], typer.Argument(metavar="QUERY...", help="What it is about.")],
    *,
    prefix: Prefix = "",
    tag: Annotated[list[str] | None, typer.Option("--tag", metavar="TAG", help="Only with all of these.")] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=100, help="At most this many.")] = 5,
    at: InProject,
    as_json: Json = False,
) -> None:
    """Find memory files by meaning and words, best first."""
    with at.connect() as memory:
        files = memory.search_files(" ".join(query), prefix=prefix, tags=tag or (), limit=limit)
    if as_json:
        out_json(files)
        return
    for file in files:
        out(f"{file.score:.2f}  {file.path}\n  {printable(file.snippet)}")
    if not files:
        note("nothing found")


@group.command(epilog=examples("memoryd fs delete notes/deploy.md"))
@placed
def delete(
    path: Path,
    *,
    at: InProject,
) -> None:
    """Delete a memory file; `memoryd restore` brings it back."""
    with at.connect() as memory:
        note(memory.delete_file(path))


def _text(given: str) -> str:
    return sys.stdin.buffer.read().decode(errors="replace") if given == "-" else given


def _told(file: "MemoryFile", *, as_json: bool) -> None:
    if as_json:
        out_json(file)
    else:
        out(f"{file.path}: revision {file.revision}, {file.characters} characters")
