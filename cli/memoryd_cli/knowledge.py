"""`memoryd knowledge`: documents that agents find passage by passage."""

from typing import TYPE_CHECKING, Annotated

import typer

from memoryd_cli.base.options import InProject, Json, examples, placed
from memoryd_cli.base.output import note, one_line, out, out_json, printable, table
from memoryd_client.base.wording import counted

if TYPE_CHECKING:
    from memoryd_client.wire.knowledge import LeftOutFile

group = typer.Typer(
    help="Documents that agents find passage by passage: add, list, search, remove.",
    rich_markup_mode=None,
    no_args_is_help=True,
    epilog=examples("memoryd knowledge add docs/", 'memoryd knowledge search "how do we deploy?"'),
)
Place = Annotated[str, typer.Argument(metavar="FILE|FOLDER", help="A file, or a folder with all below it.")]
MOST_TOLD = 20
"""Files that were left out, one by one."""


@group.command(epilog=examples("memoryd knowledge add README.md", "memoryd knowledge add ~/handbook --everywhere"))
@placed
def add(
    path: Place,
    *,
    everywhere: Annotated[bool, typer.Option("--everywhere", help="For every project, not this one alone.")] = False,
    at: InProject,
    as_json: Json = False,
) -> None:
    """Read documents as knowledge: Markdown, text, PDF, HTML, code.

    Their passages are found with knowledge_search and recalled beside memories. What changes is read again by itself;
    what is new in a folder, when it is added again. Files that git ignores, environment files and hidden ones are left
    out, secrets are replaced.
    """
    with at.connect() as memory:
        read = memory.add_knowledge(path, everywhere=everywhere)
    if as_json:
        out_json(read)
        return
    _tell_left_out(read.left_out)
    passages = sum(document.passages for document in read.documents)
    out(f"{counted(len(read.documents), 'document')}, {counted(passages, 'passage')}")


@group.command("list", epilog=examples("memoryd knowledge list", "memoryd knowledge list --json"))
@placed
def list_(*, at: InProject, as_json: Json = False) -> None:
    """List the documents: this project's, and those for every project."""
    with at.connect() as memory:
        documents = memory.list_knowledge()
    if as_json:
        out_json(documents)
        return
    rows = [
        [
            one_line(document.path) + (" (gone)" if document.gone else ""),
            str(document.passages),
            f"{document.modified:%Y-%m-%d %H:%M}",
            str(document.scope),
        ]
        for document in documents
    ]
    table(["path", "passages", "changed", "scope"], rows, right=("passages",))


@group.command(epilog=examples('memoryd knowledge search "how do we deploy?"', "memoryd knowledge search tea -n 9"))
@placed
def search(
    query: Annotated[list[str], typer.Argument(metavar="QUERY", help="What it is about.")],
    *,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=50, help="At most this many.")] = 3,
    at: InProject,
    as_json: Json = False,
) -> None:
    """Find passages of documents by meaning and words, best first."""
    from memoryd_client.tools.knowledge import source
    from memoryd_client.wire.knowledge import SearchKnowledge

    with at.connect() as memory:
        answer = memory.call(SearchKnowledge(query=" ".join(query), limit=limit))
    hits = list(answer.hits)
    if answer.note:
        note(printable(answer.note))
    if as_json:
        out_json(hits)
        return
    out("\n\n".join(f"{hit.score:.2f}  {one_line(source(hit))}\n{printable(hit.text)}" for hit in hits))
    if not hits:
        note("nothing found")


@group.command(epilog=examples("memoryd knowledge remove docs/", "memoryd knowledge remove notes.pdf --purge"))
@placed
def remove(
    path: Place,
    *,
    purge: Annotated[bool, typer.Option("--purge", help="Destroy it for good, also in backups.")] = False,
    at: InProject,
) -> None:
    """Forget what was read of a file or folder; the files stay as they are."""
    with at.connect() as memory:
        note(memory.remove_knowledge(path, purge=purge))


def _tell_left_out(left_out: "tuple[LeftOutFile, ...]") -> None:
    for one in left_out[:MOST_TOLD]:
        note(f"left out: {one_line(one.path)}: {one_line(one.reason)}")
    if len(left_out) > MOST_TOLD:
        note(f"and {len(left_out) - MOST_TOLD} more; --json has them")
