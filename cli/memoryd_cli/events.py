"""`memoryd events`: how often the daemon did what, by day, and each thing that it did."""

import re
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from memoryd_cli.base import completion
from memoryd_cli.base.failures import CommandFailed
from memoryd_cli.base.options import Autostart, Json, Owner, connect, examples
from memoryd_cli.base.output import note, out_json, table
from memoryd_client.project import project_root

if TYPE_CHECKING:
    from memoryd_client.wire.event_counts import DoneEvent

MOST_DAYS = 366


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command(
        epilog=examples(
            "memoryd events",
            "memoryd events --since 30d --json",
            "memoryd events --rows --op search -n 20",
            "memoryd events --rows --project . --agent planner",
            "memoryd events --rows --memory mem_4k2m9x0c1a2b3c4d5e6f",
        )
    )(events)


def events(
    *,
    since: Annotated[str, typer.Option(metavar="DAYS", help="So many days back: 7d, 30d.")] = "7d",
    rows: Annotated[
        bool, typer.Option("--rows", help="Each thing by itself, the newest first; filters imply it.")
    ] = False,
    node: Annotated[str, typer.Option(metavar="NAME", help="Only rows of this part of the daemon.")] = "",
    op: Annotated[str, typer.Option(metavar="NAME", help="Only rows of this operation.")] = "",
    status: Annotated[
        Literal["", "ok", "error", "skipped"],
        typer.Option(metavar="ok|error|skipped", help="Only rows of what ended so.", show_default=False),
    ] = "",
    session: Annotated[
        str,
        typer.Option(
            "--in", metavar="SESSION", autocompletion=completion.sessions, help="Only rows of what was done there."
        ),
    ] = "",
    memory_id: Annotated[
        str,
        typer.Option("--memory", metavar="ID", autocompletion=completion.ids, help="Only rows with this memory."),
    ] = "",
    category: Annotated[
        str,
        typer.Option(metavar="NAME", autocompletion=completion.categories, help="Only rows of this category."),
    ] = "",
    project: Annotated[
        str,
        typer.Option(metavar="FOLDER", autocompletion=completion.projects, help="Only rows with memories of it."),
    ] = "",
    agent: Annotated[str, typer.Option(metavar="NAME", help="Only rows of what this agent had done.")] = "",
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1000, help="At most this many rows.")] = 50,
    owner: Owner = "local",
    autostart: Autostart = False,
    as_json: Json = False,
) -> None:
    """Count what was done for you, by day (UTC), part of the daemon and operation, the newest day first."""
    days = _days(since)
    with connect("", "", "cli", owner, autostart=autostart) as memory:
        if rows or node or op or status or session or memory_id or category or project or agent:
            one_by_one = memory.done(
                node=node,
                op=op,
                status=status,
                session=session,
                memory=memory.get(memory_id).id if memory_id else "",
                category=category,
                project=project_root(project),
                agent=agent,
                days=days,
                limit=limit,
            )
            if one_by_one or as_json:
                _print_rows(one_by_one, as_json=as_json)
            else:
                known = sorted({f"{one.node} {one.op}" for one in memory.event_counts(days=days)})
                note("nothing of the kind was done" + (f"; what was: {', '.join(known)}" if known else ""))
            return
        found = memory.event_counts(days=days)
    if as_json:
        out_json(found)
    elif found:
        counts = [(one.day, one.node, one.op, one.status, str(one.count)) for one in found]
        table(("day", "node", "op", "status", "count"), counts, right=("count",), gives_way=("status", "node"))
    else:
        note("nothing was done yet")


def _print_rows(found: "list[DoneEvent]", *, as_json: bool) -> None:
    if as_json:
        out_json(found)
        return
    table(
        ("number", "at", "node", "op", "status", "session", "agent", "memory", "category", "similarity", "ms"),
        [
            (
                str(one.number),
                f"{one.at:%Y-%m-%d %H:%M:%S}",
                one.node,
                one.op,
                one.status,
                one.session,
                one.agent,
                one.memory[:12],
                one.category,
                "" if one.similarity is None else f"{one.similarity:.2f}",
                "" if one.duration_ms is None else f"{one.duration_ms:.1f}",
            )
            for one in found
        ],
        right=("number", "similarity", "ms"),
        gives_way=("similarity", "number", "category", "agent", "session", "memory", "status", "node"),
    )


def _days(text: str) -> int:
    given = re.fullmatch(r"([0-9]{1,3})d?", text.strip())
    if given is None or not 1 <= int(given[1]) <= MOST_DAYS:
        raise CommandFailed(f"{text!r} is no number of days", f"Write it as 7d; at most {MOST_DAYS}d.")
    return int(given[1])
