"""`memoryd events`: how often the daemon did what, by day."""

import re
from typing import Annotated

import typer

from memoryd_cli.base.failures import CommandFailed
from memoryd_cli.base.options import Autostart, Json, Owner, connect, examples
from memoryd_cli.base.output import note, out_json, table

MOST_DAYS = 366


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command(epilog=examples("memoryd events", "memoryd events --since 30d --json"))(events)


def events(
    *,
    since: Annotated[str, typer.Option(metavar="DAYS", help="So many days back: 7d, 30d.")] = "7d",
    owner: Owner = "local",
    autostart: Autostart = False,
    as_json: Json = False,
) -> None:
    """Count what was done for you, by day (UTC), part of the daemon and operation, the newest day first."""
    days = _days(since)
    with connect("", "", "cli", owner, autostart=autostart) as memory:
        found = memory.event_counts(days=days)
    if as_json:
        out_json(found)
    elif found:
        rows = [(one.day, one.node, one.op, one.status, str(one.count)) for one in found]
        table(("day", "node", "op", "status", "count"), rows, right=("count",))
    else:
        note("nothing was done yet")


def _days(text: str) -> int:
    given = re.fullmatch(r"([0-9]{1,3})d?", text.strip())
    if given is None or not 1 <= int(given[1]) <= MOST_DAYS:
        raise CommandFailed(f"{text!r} is no number of days", f"Write it as 7d; at most {MOST_DAYS}d.")
    return int(given[1])
