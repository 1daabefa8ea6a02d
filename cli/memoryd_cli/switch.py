"""Commands that turn memory off and on again."""

from typing import Annotated

import typer

from memoryd_cli.base.options import InProject, Json, examples, placed
from memoryd_cli.base.output import note, out, out_json, printable
from memoryd_client.wire.switching import Switched

Everywhere = Annotated[bool, typer.Option("--everywhere", help="Not this project only, but everywhere.")]


def add_to(app: typer.Typer) -> None:
    """Register the commands."""
    app.command(epilog=examples("memoryd off", "memoryd off --everywhere"))(off)
    app.command(epilog=examples("memoryd on", "memoryd on --everywhere"))(on)


@placed
def off(
    *,
    everywhere: Everywhere = False,
    at: InProject,
    as_json: Json = False,
) -> None:
    """Turn memory off for this project, or everywhere, until it is turned on again.

    Contexts are dropped, takes are empty, and storing, importing, changing, searching and recalling are refused. What
    is there can still be listed, read, exported, forgotten, restored, undone and purged.
    """
    with at.connect() as memory:
        found = memory.switch(on=False, everywhere=everywhere)
    _show(found, as_json=as_json)


@placed
def on(
    *,
    everywhere: Everywhere = False,
    at: InProject,
    as_json: Json = False,
) -> None:
    """Turn memory on again for this project, or everywhere.

    A project that was turned off by itself stays off with --everywhere, and off everywhere is off in every project.
    """
    with at.connect() as memory:
        found = memory.switch(on=True, everywhere=everywhere)
    _show(found, as_json=as_json)


def _show(found: Switched, *, as_json: bool) -> None:
    if as_json:
        out_json(found)
        return
    out(f"memory is {'on' if found.on else 'OFF'} here")
    for place in found.off:
        where = f"in {place.project}" if place.project else "everywhere"
        by = f", by {place.actor}" if place.actor else ""
        on_again = "" if place.project else "; `memoryd on --everywhere` turns it on"
        note(printable(f"off {where} since {place.since[:19]}{by}{on_again}"))
