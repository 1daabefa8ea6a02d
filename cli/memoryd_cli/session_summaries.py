"""Summaries of a session on demand: turns are told shortly, then archived."""

from typing import TYPE_CHECKING, Annotated

import typer

from memoryd_cli.base import completion
from memoryd_cli.base.options import InSession, Json, examples, placed
from memoryd_cli.base.output import note, one_line, out, out_json, printable
from memoryd_client.base.wording import counted

if TYPE_CHECKING:
    from memoryd_client.wire.archiving import TurnSummaries, TurnSummary

Name = Annotated[
    str,
    typer.Argument(metavar="[SESSION]", autocompletion=completion.sessions, help="Which session. [default: --session]"),
]


def add_to(group: typer.Typer) -> None:
    """Add the commands to `memoryd session`."""
    group.command(epilog=examples("memoryd session summarize s1 --turns 1-20", "memoryd session summarize --turns 3"))(
        summarize
    )
    group.command(epilog=examples("memoryd session archive s1 --before 21"))(archive)
    group.command(epilog=examples("memoryd session summaries s1", "memoryd session summaries s1 --json"))(summaries)


@placed
def summarize(
    name: Name = "",
    *,
    turns: Annotated[str, typer.Option(metavar="FIRST-LAST", help="Turns of the user, from 1; 3- and -20 are open.")],
    focus: Annotated[
        str, typer.Option(metavar="TEXT", help="decisions, facts, context, all, or what matters most.")
    ] = "",
    at: InSession,
    as_json: Json = False,
) -> None:
    """Tell turns of a session shortly, as a record with dates and key facts; nothing is archived by it."""
    first, joined, last = turns.partition("-")
    if not (first or last) or not (first or "1").isdecimal() or not (last or "1").isdecimal():
        raise typer.BadParameter(f"{turns!r} is not FIRST-LAST: 3-20, 3- up to the last turn, -20 from the first, or 3")
    begin, end = int(first or 1), int(last or 0) if joined else int(first)
    with at.connect() as memory:
        told = memory.summarize_conversation(begin, end or None, focus=focus, session=name)
    if as_json:
        out_json(told)
    else:
        _show(told)


@placed
def archive(
    name: Name = "",
    *,
    before: Annotated[int, typer.Option("--before", min=1, metavar="TURN", help="The first turn that stays.")],
    at: InSession,
    as_json: Json = False,
) -> None:
    """Let summaries take the place of all turns before one, each of which has to have one; nothing is deleted."""
    with at.connect() as memory:
        done = memory.archive_old_messages(before, session=name)
    if as_json:
        out_json(done)
    else:
        _statistics(done)
        if done.archived_turns < before - 1:
            out(f"turn {done.archived_turns + 1} has no answer yet, and stays")


@placed
def summaries(name: Name = "", *, at: InSession, as_json: Json = False) -> None:
    """Print what of a session is summarised, turn by turn, and how much is archived."""
    with at.connect() as memory:
        found = memory.turn_summaries(name)
    if as_json:
        out_json(found)
        return
    for one in found.summaries:
        _show(one)
    _statistics(found)


def _show(one: "TurnSummary") -> None:
    focus = f", above all {one_line(one.focus)}" if one.focus else ""
    archived = ", archived" if one.archived else ""
    out(
        f"turns {one.turns[0]} to {one.turns[1]}  {one.since:%Y-%m-%d %H:%M} to {one.until:%Y-%m-%d %H:%M}{focus}, "
        f"by {one_line(one.by)}{archived}"
    )
    if one.summary:
        out(printable(one.summary))
    for fact in one.key_facts:
        out(f"- {printable(fact)}")
    for first, last in one.overlaps:
        out(f"(another summary, of turns {first} to {last}, tells some of these turns as well)")
    out("")


def _statistics(found: "TurnSummaries") -> None:
    when = f", last on {found.last_archived_at:%Y-%m-%d %H:%M}" if found.last_archived_at else ""
    note(
        f"{counted(found.turns, 'turn')}, summarised without a gap up to turn {found.last_summarized_turn}; "
        f"{counted(found.total_archived, 'entry')} archived, up to turn {found.archived_turns}{when}"
    )
