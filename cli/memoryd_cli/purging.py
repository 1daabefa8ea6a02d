"""The command that destroys for good."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from memoryd_cli.base import render
from memoryd_cli.base.options import InSession, Json, MemoryIds, Yes, examples, placed
from memoryd_cli.base.output import note, one_line, out, out_json
from memoryd_cli.confirm import confirm
from memoryd_client.base.errors import RequestFailed
from memoryd_client.base.wording import counted
from memoryd_client.wire.memory import Memory
from memoryd_client.wire.purging import PurgePlan

if TYPE_CHECKING:
    from memoryd_client.client import Client


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command(
        epilog=examples(
            "memoryd purge 4k2m9x0c",
            "memoryd purge 4k2m9x0c --transcripts -y",
            "memoryd purge 4k2m9x0c --all-sessions --dry-run",
        )
    )(purge)


@placed
def purge(
    memory_ids: MemoryIds,
    *,
    transcripts: Annotated[
        bool, typer.Option("--transcripts", help="Also the words of the messages that they come from.")
    ] = False,
    all_sessions: Annotated[
        bool, typer.Option("--all-sessions", help="Of every other session, too, that says it in the same words.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would go, and destroy nothing.")] = False,
    yes: Yes = False,
    at: InSession,
    as_json: Json = False,
) -> None:
    """Destroy memories for good, and what was merged into them: here, in the history, in the index and in backups.

    Says what goes, and asks first. What was said stays in the transcripts, which are then named. With --transcripts the
    messages that a memory rests on, and those of its sessions that say it in the same words, lose their words, and the
    episodes and summaries of these sessions that tell it are destroyed, too; with --all-sessions those of every session
    that share four words in a row with it. What was extracted from these messages goes where it says the same; what
    else rests on them is named. They are listed first. What a memory took the place of is not
    brought back by its end: it stays superseded until `memoryd restore`.
    `memoryd forget` only puts out of sight.
    """
    with at.connect() as memory:
        before = [one for one in memory_ids if _is_purged(memory, one)]
        doomed = _with_merged(memory, [one for one in memory_ids if one not in before])
        ids = [one.id for one in doomed]
        looked = ids and (dry_run or transcripts or all_sessions)
        plan = memory.purge_plan(ids, every_session=all_sessions) if looked else None
        if dry_run:
            if as_json:
                out_json(plan or PurgePlan(ids=()))
            else:
                _show(doomed, plan, out)
            return
        if not yes:
            _show(doomed, plan, note)
            confirm(
                f"Destroy {len(doomed) + len(plan.retold if plan else ())} for good?",
                "nobody is there to confirm it, so nothing was purged",
            )
        # Of what was purged before, something may have been left since: what somebody wrote in an editor.
        done = memory.purge([*ids, *before], transcripts=transcripts, every_session=all_sessions)
    if as_json:
        retold = plan.retold if plan else ()
        out_json({"purged": [one.id for one in (*doomed, *retold)], "detail": done})
    else:
        out(done)


def _is_purged(memory: "Client", memory_id: str) -> bool:
    """Return whether a memory was destroyed before."""
    try:
        memory.get(memory_id)
    except RequestFailed as failed:
        if failed.code != "not_found":
            raise
        newest = memory.history(memory_id, limit=1)
        return bool(newest) and newest[0].event == "PURGE"
    return False


def _with_merged(memory: "Client", ids: list[str]) -> list[Memory]:
    """Return the memories and, over however many steps, those that were merged into them."""
    found: dict[str, Memory] = {}
    front = [memory.get(one) for one in ids]
    while front:
        one = front.pop(0)
        if one.id in found:
            continue
        found[one.id] = one
        origin = memory.origin(one.id)
        merged = {edge.from_id for edge in origin.edges if edge.relation == "merged_into" and edge.to_id == one.id}
        front += [other for other in origin.others if other.id in merged]
    return list(found.values())


def _show(doomed: list[Memory], plan: PurgePlan | None, say: Callable[[str], None]) -> None:
    """Say what goes."""
    for one in doomed:
        say(render.destroyed(one))
    if plan is None:
        return
    for one in plan.retold:
        say(f"{render.destroyed(one)} (tells it)")
    for one in plan.resting:
        say(f"{render.destroyed(one)} (stays, and rests on entries that go)")
    for entry in plan.entries:
        who = one_line(entry.name or entry.role or entry.kind)
        why = "it rests on this" if entry.reason == "source" else "says the same"
        where = f"{one_line(entry.session)} {entry.sequence}  {entry.at:%Y-%m-%d %H:%M}"
        say(f"{where}  {who} ({why}): {one_line(entry.excerpt)}")
    entries = len(plan.entries) + plan.more
    lose = "entry of transcripts loses its words" if entries == 1 else "entries of transcripts lose their words"
    say(f"{entries} {lose}; looked at {counted(plan.sessions, 'session')}")
    for replaced in plan.replaced:
        say(f"{replaced} stays superseded, by nothing that is there; `memoryd restore {replaced}` brings it back")
    if plan.unreadable:
        say(f"{counted(plan.unreadable, 'entry')} in them, unreadable, may tell it, too: `memoryd doctor` says which")
    if plan.leaves:
        say(plan.leaves)
