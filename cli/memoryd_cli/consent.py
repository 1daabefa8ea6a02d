"""`memoryd consent`: what waits for the user's yes, and the answers."""

from typing import TYPE_CHECKING, Annotated

import typer

from memoryd_cli import elsewhere
from memoryd_cli.base.options import InSession, Json, examples, placed
from memoryd_cli.base.output import note, out_json, short_ids, table
from memoryd_client.base.wording import counted

if TYPE_CHECKING:
    from memoryd_client.wire.consent import Consent
    from memoryd_client.wire.memory import Memory

group = typer.Typer(
    help="Decide what may be known about you.",
    rich_markup_mode=None,
    no_args_is_help=True,
    epilog=examples("memoryd consent list", "memoryd consent approve 7v3k9qd2", "memoryd consent reject 7v3k9qd2"),
)
Ids = Annotated[list[str], typer.Argument(metavar="ID...", help="The proposals' ids, or beginnings of them.")]


@group.command("list", epilog=examples("memoryd consent list", "memoryd consent list --json | jq '.[].field'"))
@placed
def list_(
    *,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1000, help="At most this many.")] = 50,
    at: InSession,
    as_json: Json = False,
) -> None:
    """Print the changes to your profile that wait, here and everywhere, newest first."""
    with at.connect() as memory:
        found = memory.consents(limit=limit)
        others = [] if as_json else elsewhere.projects_that_wait(memory)
    if as_json:
        out_json(found)
    elif found:
        _print(found)
    elif not others:
        note("nothing waits for your consent")
    if others:
        here = "more waits" if found else "nothing waits for your consent here, but"
        note(f"{here} in {', '.join(others)}: `--project FOLDER` has it")


@group.command(epilog=examples("memoryd consent approve 7v3k9qd2"))
@placed
def approve(
    memory_ids: Ids,
    *,
    at: InSession,
    as_json: Json = False,
) -> None:
    """Say yes: the change applies, and what the field said before gives way.

    It is for you: without a terminal, or with --agent, it is refused.
    """
    with at.connect() as memory:
        approved = [memory.approve(memory_id) for memory_id in memory_ids]
    if as_json:
        out_json(approved)
        return
    for one in approved:
        note(f"approved {one.id}: {_said(one)}")


@group.command(epilog=examples("memoryd consent reject 7v3k9qd2"))
@placed
def reject(
    memory_ids: Ids,
    *,
    at: InSession,
    as_json: Json = False,
) -> None:
    """Say no: nothing changes, and what was proposed is destroyed after thirty days.

    It is for you: without a terminal, or with --agent, an agent can only take back what it proposed itself.
    """
    with at.connect() as memory:
        rejected = [memory.reject(memory_id) for memory_id in memory_ids]
    if as_json:
        out_json(rejected)
        return
    for one in rejected:
        note(f"rejected {one.id}: {_said(one)}")


def _said(memory: "Memory") -> str:
    return f"{memory.title} = {memory.content}" if memory.title else memory.content


def _print(found: "list[Consent]") -> None:
    ids = short_ids(one.id for one in found)
    rows = [
        (
            ids[one.id],
            one.field,
            one.proposed,
            one.current,
            f"{one.signals} of {counted(one.needs, 'session')}" if one.needs else "your yes",
            one.proposed_by,
            one.expires_at[:10],
        )
        for one in found
    ]
    table(("id", "field", "proposed", "now", "waits for", "by", "until"), rows)
