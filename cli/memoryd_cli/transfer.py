"""Commands that take memories along: export and import."""

import os
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TextIO

import typer

from memoryd_cli import elsewhere, records, whole
from memoryd_cli.base.failures import CommandFailed
from memoryd_cli.base.options import Everything, InSession, Json, connect, examples, placed
from memoryd_cli.base.output import note, out, out_json, printable, write
from memoryd_cli.base.render import states
from memoryd_client.base.errors import DaemonUnreachable, DeadlineExceeded
from memoryd_client.base.wording import counted
from memoryd_client.project import project_root
from memoryd_client.wire.edges import MAX_RECORDS, Edge
from memoryd_client.wire.importing import Imported, LeftOut
from memoryd_client.wire.memory import Memory

if TYPE_CHECKING:
    from memoryd_client.client import Client

BATCH_BYTES = 2 * 1024 * 1024
"""Half of the largest frame: one batch is one durable transaction, and others get their turn between batches."""
PAGE_ROWS = 500
_Page = list[tuple[Memory, list[Edge]]]
"""Memories, each with the edges that begin at it."""
Origin = Literal["claude-code", "codex", "gemini", "opencode", "copilot", "qwen", "jsonl", "rules"]
TOLD = 20
"""Reasons that are printed; all of them with --json."""


def add_to(app: typer.Typer) -> None:
    """Register the commands."""
    app.command(
        "import",
        epilog=examples(
            "memoryd import memories.jsonl",
            "memoryd import notes/ --project-map /home/ada/old=/home/ada/new",
            "memoryd import --restore all.jsonl",
            "memoryd import - < memories.jsonl",
            "memoryd import everything.gz --project-map /home/ada=/home/grace",
            "memoryd import --from claude-code --since 2026-01-01",
            "memoryd import --from rules",
        ),
    )(import_)
    app.command(
        epilog=examples(
            "memoryd export > memories.jsonl",
            "memoryd export --all --everywhere memories.jsonl",
            "memoryd export --markdown notes",
            "memoryd export --whole everything.gz",
        )
    )(export)


@placed
def import_(
    source: Annotated[
        str,
        typer.Argument(
            metavar="[SOURCE]",
            help="JSON lines, a Markdown file, a folder of these, or what export --whole wrote; - is stdin. With "
            "--from the home, or the project.",
        ),
    ] = "",
    *,
    origin: Annotated[
        Origin | None,
        typer.Option("--from", help="What a program keeps of earlier conversations here, or the project's rules."),
    ] = None,
    since: Annotated[
        datetime | None,
        typer.Option(formats=["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"], help="With --from: only what was said since."),
    ] = None,
    project_map: Annotated[
        list[str] | None,
        typer.Option("--project-map", metavar="OLD=NEW", help="A project's folder then and now; repeatable."),
    ] = None,
    restore: Annotated[
        bool,
        typer.Option("--restore", help="The files are an export of your own: all of it comes back as it was."),
    ] = False,
    at: InSession,
    as_json: Json = False,
) -> None:
    """Bring in memories from files, whole: dates, counts, state, relations and where they come from.

    Only the content is needed. What names no project belongs to --project; the owner is always --owner. The files are
    checked first. What is there already, by its id or by what it says in the same place, stays as it is: an import that
    was broken off is simply begun again, and importing twice changes nothing. Everything passes the gate: secrets are
    replaced, private blocks taken out. What cannot be stored is left out, with the reason.

    What says that a model or a rule wrote it has to read as such, and what is about you (name, pronouns, city,
    language) waits for your yes. With --restore neither is asked again: you say that the files are your own, and the
    history keeps that you did.

    --from claude-code, codex, gemini, opencode, copilot, qwen or jsonl reads what lies on this machine into
    transcripts, with dates, and from there into memory like anything that is said; injected text, tools' output and
    slash commands are left out. Of all projects, unless --project names one. --from rules takes CLAUDE.md, AGENTS.md,
    GEMINI.md, .cursorrules, Cursor's and Copilot's rules as rules of the project, and follows them when they change.

    What `memoryd export --whole` wrote brings a whole home back into an empty one, of which the daemon is stopped,
    whichever database it has: all of it or nothing, checked by its digest (docs/moving.md).
    """
    moved = dict(_mapping(one) for one in project_map or ())
    if origin is not None:
        if restore:
            raise CommandFailed("--restore is for files of your own export, not for --from", "Leave it out.")
        if project_map and origin == "rules":
            raise CommandFailed("--project-map says nothing to rules", "Name the project's folder instead.")
        _bring_from(origin, source, at, since, moved, as_json=as_json)
        return
    if not source:
        raise CommandFailed("nothing to import is named", "Name a file or a folder, or take --from.")
    if whole.is_archive(source):
        if restore:
            raise CommandFailed("--restore is for files of memories: everything comes back as it was", "Leave it out.")
        whole.import_whole(source, moved, as_json=as_json)
        return
    incoming = _incoming(source, moved)
    with at.connect() as memory:
        done = _bring_in(memory, incoming, restore=restore)
    if as_json:
        out_json(
            {
                "imported": len(done.added),
                "proposed": len(done.proposed),
                "unchanged": len(done.unchanged),
                "left_out": len(done.left_out),
                "reasons": done.left_out,
                "relations": done.edges,
                "relations_left_out": len(done.edges_left_out),
            }
        )
        return
    out(
        f"imported {len(done.added)}, unchanged {len(done.unchanged)}, left out {len(done.left_out)}; "
        f"relations: {done.edges} new, {len(done.edges_left_out)} left out"
    )
    if done.proposed:
        way_out = "" if restore else ". An export of your own comes back as it was with --restore"
        note(f"{len(done.proposed)} about you wait for your yes: `memoryd consent list`{way_out}")
    _tell((*done.left_out, *done.edges_left_out))
    if done.left_out and not (done.added or done.proposed or done.unchanged):
        raise CommandFailed("nothing was imported: all of it was left out", "The reasons are above; --json has all.")


def _bring_from(
    origin: Origin, source: str, at: InSession, since: datetime | None, moved: dict[str, str], *, as_json: bool
) -> None:
    """Bring in what lies on this machine, and say how far it is while that goes on."""
    from memoryd_cli.histories.bringing import Brought, bring_conversations, bring_rules
    from memoryd_cli.histories.spoken import PastConversation

    def client(session: str, project: str, agent: str) -> "Client":
        return connect(session, project, agent, at.owner, autostart=at.autostart)

    def tell(done: Brought, history: PastConversation) -> None:
        if sys.stderr.isatty():
            sys.stderr.write(f"\r{counted(done.sessions, 'conversation')}, {counted(done.stored, 'message')}")

    if origin == "rules":
        found = bring_rules(Path(project_root(source or at.project or Path.cwd())), client)
        _tell_left_out(found.left_out)
        if as_json:
            out_json(found)
        else:
            files = counted(found.files, "file")
            out(f"{files}: {found.added} rules new, {found.known} known, {found.gone} gone and forgotten")
        return
    home = Path(source).expanduser() if source else Path.home()
    # Timestamps in histories have a zone, and a date on the command line is of here.
    begin = since.astimezone() if since is not None else None
    project = project_root(at.project) if at.project else ""
    done = bring_conversations(origin, home, client, since=begin, project=project, moved=moved, tell=tell)
    if sys.stderr.isatty():
        sys.stderr.write("\n")
    _tell_left_out(done.left_out)
    if as_json:
        out_json(done)
    else:
        said = f"{counted(done.sessions, 'conversation')}: {counted(done.stored, 'message')} stored"
        out(f"{said}, {done.known} known already")


def _tell_left_out(reasons: list[str]) -> None:
    for reason in reasons[:TOLD]:
        note(printable(f"left out: {reason}"))
    if len(reasons) > TOLD:
        note(f"left out: {len(reasons) - TOLD} more; --json has all")


def _tell(left_out: tuple[LeftOut, ...]) -> None:
    for one in left_out[:TOLD]:
        reason = one.reason if one.id in one.reason else f"{one.id}: {one.reason}"
        note(printable(f"left out: {reason}"))
    if len(left_out) > TOLD:
        note(f"and {len(left_out) - TOLD} more; --json has all the reasons")


def _mapping(text: str) -> tuple[str, str]:
    old, separator, new = text.partition("=")
    if not (separator and old and new):
        raise typer.BadParameter(f"{text!r} is not OLD=NEW")
    return old.rstrip("/"), project_root(new)


def _incoming(source: str, moved: dict[str, str]) -> list[records.Incoming]:
    """Read all of a source, before anything is stored."""
    path = Path(source)
    if source == "-":
        return _from_stream(sys.stdin, "stdin", moved)
    if not path.exists():
        raise CommandFailed(f"{source} does not exist")
    if path.suffix.lower() == ".md":
        return records.from_folder(path, moved)
    if path.is_dir():
        found = records.from_folder(path, moved)
        for file in sorted(path.glob("*.jsonl")):
            found += _from_file(file, moved)
        if not found:
            raise CommandFailed(f"there is no Markdown file and no .jsonl file in {source}")
        return found
    return _from_file(path, moved)


def _from_file(file: Path, moved: dict[str, str]) -> list[records.Incoming]:
    with file.open(encoding="utf-8") as lines:
        return _from_stream(lines, str(file), moved)


def _from_stream(lines: TextIO, name: str, moved: dict[str, str]) -> list[records.Incoming]:
    try:
        return records.from_lines(lines, name, moved)
    except UnicodeDecodeError as exc:
        raise CommandFailed(f"{name} is not UTF-8: {exc}", "Nothing was imported; `iconv` converts it.") from exc


def _bring_in(memory: "Client", incoming: list[records.Incoming], *, restore: bool) -> Imported:
    """Send memories in batches, then the edges between them, and return what became of all."""
    added: list[str] = []
    proposed: list[str] = []
    unchanged: list[str] = []
    left_out: list[LeftOut] = []
    new = 0
    edges = [edge for one in incoming for edge in one.edges]
    edges_left_out: list[LeftOut] = []
    try:
        with _progress(len(incoming) + len(edges)) as advance:
            ordered = records.successors_first(incoming)
            for batch in records.batches(ordered, rows=MAX_RECORDS, size_bytes=BATCH_BYTES):
                done = memory.import_records([one.record for one in batch], restore=restore)
                added += done.added
                proposed += done.proposed
                edges_left_out += done.edges_left_out
                unchanged += done.unchanged
                left_out += done.left_out
                advance(len(batch))
            for start in range(0, len(edges), MAX_RECORDS):
                some = edges[start : start + MAX_RECORDS]
                done = memory.import_records(edges=some, restore=restore)
                new += done.edges
                edges_left_out += done.edges_left_out
                advance(len(some))
    except (DaemonUnreachable, DeadlineExceeded):
        so_far = len(added) + len(proposed) + len(unchanged) + len(left_out)
        note(
            f"broken off: {so_far} of {len(incoming)} memories are in, or left out; begun again, it goes on from there"
        )
        raise
    return Imported(
        added=tuple(added),
        proposed=tuple(proposed),
        unchanged=tuple(unchanged),
        left_out=tuple(left_out),
        edges=new,
        edges_left_out=tuple(edges_left_out),
    )


@contextmanager
def _progress(total: int) -> Generator[Callable[[int], None]]:
    """Show how far it is where stderr is a terminal; yield what counts on."""
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("importing", total=total)
        yield lambda count: bar.advance(task, count)


@placed
def export(
    file: Annotated[
        Path | None,
        typer.Argument(metavar="[FILE]", help="A new file, or with --markdown a new folder; - or nothing is stdout."),
    ] = None,
    *,
    everything: Everything = False,
    everywhere: Annotated[
        bool, typer.Option("--everywhere", help="Those of every project, not only this one's.")
    ] = False,
    as_markdown: Annotated[
        bool, typer.Option("--markdown", help="A folder of Markdown files with front matter.")
    ] = False,
    all_parts: Annotated[
        bool,
        typer.Option("--whole", help="Everything that this home keeps, of all owners, in one archive for another one."),
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="With --whole: replace the file.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="With --whole: tell as JSON what was exported.")] = False,
    at: InSession,
) -> None:
    """Write memories with every field, and what they are to each other, as JSON lines, newest first, or as Markdown.

    This project's and the global ones; `memoryd export --all --everywhere` has all that there is. A file gets mode
    0600, a folder 0700, and neither may exist yet. `memoryd import` reads all of it back.

    With --whole it is a home that is taken along: memories, history, relations, core memory, checkpoints, consents,
    files, transcripts, and settings without keys, with a digest that `memoryd import` compares. The daemon may run
    meanwhile, and need not (docs/moving.md).
    """
    file = None if file == Path("-") else file
    if all_parts:
        if everything or everywhere or as_markdown:
            raise typer.BadParameter("--whole has everything already, and a form of its own")
        whole.export_whole(file, force=force, as_json=as_json)
        return
    if force or as_json:
        raise typer.BadParameter("--force and --json go with --whole")
    if as_markdown and file is None:
        raise typer.BadParameter("--markdown needs the name of a new folder")
    with at.connect() as memory:
        pages = _pages(memory, states(everything=everything), "everywhere" if everywhere else "all")
        if file is None:
            count = _to_stdout(pages)
        else:
            count = _to_folder(file, pages) if as_markdown else _to_file(file, pages)
            note(f"exported {count} to {file}")
        if not count and not everywhere:
            note(elsewhere.none_here(memory, states(everything=everything), way_out="--everywhere"))


def _to_stdout(pages: Iterator[_Page]) -> int:
    count = 0
    for page in pages:
        write("".join(records.line(one, edges) for one, edges in page))
        count += len(page)
    return count


def _to_file(file: Path, pages: Iterator[_Page]) -> int:
    try:
        handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise CommandFailed(f"{file} exists already", "Choose another name, or remove it.") from None
    with open(handle, "w", encoding="utf-8", newline="") as target:
        return sum(1 for page in pages for one, edges in page if target.write(records.line(one, edges)))


def _to_folder(folder: Path, pages: Iterator[_Page]) -> int:
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        raise CommandFailed(f"{folder} exists already", "Choose another name, or remove it.") from None
    count = 0
    for one, edges in chain.from_iterable(pages):
        handle = os.open(folder / f"{one.id}.md", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(handle, "wb") as target:
            target.write(records.markdown(one, edges).encode())
        count += 1
    return count


def _pages(memory: "Client", wanted: tuple[str, ...], reach: Literal["all", "everywhere"]) -> Iterator[_Page]:
    """Yield memories, newest first, each with the edges that begin at it; no more than two pages are in memory."""
    before = ""
    while page := memory.list(states=wanted, scope=reach, limit=PAGE_ROWS, before=before):
        beginning: dict[str, list[Edge]] = {one.id: [] for one in page}
        for edge in memory.edges(list(beginning)):
            if edge.from_id in beginning:
                beginning[edge.from_id].append(edge)
        yield [(one, beginning[one.id]) for one in page]
        before = page[-1].id
