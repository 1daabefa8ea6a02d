"""`memoryd session`: what was said, by session: listed, shown, found, sent, compacted, appended to, ended, purged."""

import os
import sys
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, BinaryIO, Literal

import msgspec
import typer

from memoryd_cli import session_summaries, session_transfer
from memoryd_cli.base import completion, render
from memoryd_cli.base.agent_shell import as_said_here
from memoryd_cli.base.failures import CommandFailed
from memoryd_cli.base.options import (
    Agent,
    Autostart,
    InSession,
    Json,
    Owner,
    Session,
    Unrelated,
    Yes,
    connect,
    examples,
    placed,
)
from memoryd_cli.base.output import note, one_line, out, out_json, printable, table
from memoryd_client.base.wording import counted
from memoryd_client.transcript_lines import decode_event, form_of
from memoryd_client.wire.transcripts import Entry, Kind, Role

if TYPE_CHECKING:
    from memoryd_client.wire.transcripts import TranscriptRecord

group = typer.Typer(
    help="What was said: list, show, search, context, compact, summarize, archive, append, end, purge, export, import.",
    no_args_is_help=True,
    rich_markup_mode=None,
    epilog=examples("memoryd session list", 'memoryd session search "where the key is"'),
)
Name = Annotated[
    str,
    typer.Argument(metavar="[SESSION]", autocompletion=completion.sessions, help="Which session. [default: --session]"),
]


@group.command(
    "list",
    epilog=examples("memoryd session list", "memoryd session list -n 10 --offset 10", "memoryd session list --json"),
)
def list_(
    *,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1000, help="At most this many.")] = 50,
    offset: Annotated[int, typer.Option(min=0, help="Leave out so many.")] = 0,
    agent: Agent = "cli",
    owner: Owner = "local",
    autostart: Autostart = False,
    as_json: Json = False,
) -> None:
    """List the sessions that have a transcript, the latest first."""
    with connect("", "", agent, owner, autostart=autostart) as memory:
        sessions = memory.sessions(limit=limit, offset=offset)
    if as_json:
        out_json(sessions)
        return
    spoilt = any(session.missing or session.damaged for session in sessions)
    if not sessions:
        note("no sessions")
        return
    rows = [
        [
            session.session,
            str(session.messages),
            str(session.entries),
            str(session.tokens),
            f"{session.updated_at:%Y-%m-%d %H:%M}",
            *([str(session.missing or "")] if spoilt else []),
            session.project,
        ]
        for session in sessions
    ]
    columns = ["session", "messages", "entries", "tokens", "last", *(["unreadable"] if spoilt else []), "project"]
    right = ("messages", "entries", "tokens", "unreadable")
    table(columns, rows, right=right, gives_way=("entries", "tokens", "messages", "last"))
    if spoilt:
        note("lines of a transcript are damaged: `memoryd doctor` says which, and what to do")


@group.command(epilog=examples("memoryd session show s1", "memoryd session show s1 --before 100 -n 20 --json"))
def show(
    name: Name = "",
    *,
    before: Annotated[int | None, typer.Option(min=1, metavar="N", help="What is right before this number.")] = None,
    after: Annotated[int | None, typer.Option(min=0, metavar="N", help="What is right after it.")] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1000, help="At most this many.")] = 100,
    session: Session = "",
    agent: Agent = "cli",
    owner: Owner = "local",
    autostart: Autostart = False,
    as_json: Json = False,
) -> None:
    """Print a part of a transcript, by default its end, oldest first."""
    with connect(session, "", agent, owner, autostart=autostart) as memory:
        transcript = memory.messages(name or session, before=before, after=after, limit=limit)
    if not transcript.last:
        raise _unknown(name or session)
    if as_json:
        out_json(transcript)
        return
    expected = None if after is None else after + 1
    for entry in transcript.entries:
        if expected is not None and entry.sequence > expected:
            out(f"{_unreadable(expected, entry.sequence - 1)}\n")
        out(f"{_heading(entry)}\n{printable(entry.content)}\n")
        expected = entry.sequence + 1
    note(f"{len(transcript.entries)} of {transcript.last}")
    if transcript.missing:
        note(f"{transcript.missing} of them cannot be read, their lines are damaged: `memoryd doctor` says which")


@group.command(
    epilog=examples(
        'memoryd session search "where the key is"',
        "memoryd session search --since 2026-03-01 --until 2026-03-31 --offset 10",
        'memoryd session search "tea" --by words --in s1 --role user --json',
    )
)
def search(
    query: Annotated[
        list[str] | None, typer.Argument(metavar="[QUERY]...", help="What it is about; else the newest.")
    ] = None,
    *,
    by: Annotated[Literal["both", "meaning", "words"], typer.Option(help="What has to fit.")] = "both",
    inside: Annotated[str, typer.Option("--in", metavar="SESSION", help="Only in this session.")] = "",
    since: Annotated[str, typer.Option(metavar="DATE", help="Only said since, ISO 8601.")] = "",
    until: Annotated[str, typer.Option(metavar="DATE", help="Only said before; of a day, before its end.")] = "",
    role: Annotated[
        Role, typer.Option(metavar="user|assistant|system|tool", help="Only in this voice.", show_default=False)
    ] = "",
    kind: Annotated[
        Literal["", "message", "tool_call", "tool_result"],
        typer.Option(metavar="message|tool_call|tool_result", help="Only this.", show_default=False),
    ] = "",
    live: Annotated[bool, typer.Option("--live", help="Not what is archived.")] = False,
    everything: Unrelated = False,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=200, help="At most this many.")] = 10,
    offset: Annotated[int, typer.Option(min=0, max=10_000, help="Leave out the best so many: the next page.")] = 0,
    session: Session = "",
    agent: Agent = "cli",
    owner: Owner = "local",
    autostart: Autostart = False,
    as_json: Json = False,
) -> None:
    """Find what was said, in any session: by meaning, words, date."""
    # From where it is asked: memory may be turned off here.
    with connect(session, None, agent, owner, autostart=autostart) as memory:
        found = memory.search_messages(
            " ".join(query or ()),
            by=by,
            session=inside,
            since=render.parse_date(since),
            until=until or None,
            role=role,
            kind=kind,
            search_archived=not live,
            related=not everything,
            limit=limit,
            offset=offset,
        )
    if as_json:
        out_json(found)
        return
    for one in found.found:
        out(f"{one.record.session}  {_heading(one.record)}  {one.score:.2f}\n  {one_line(one.record.content)[:300]}")
    if not found.found:
        note(
            "nothing found"
            if everything or by != "both"
            else "nothing found that has to do with it (--all shows the rest)"
        )
    elif found.left_out:
        note(f"left out, with little to do with it: {counted(found.left_out, 'message')} (--all shows them)")
    if found.next is not None:
        note(f"more with --offset {found.next}")
    if found.note:
        note(found.note)


@group.command(
    epilog=examples(
        'memoryd session append --session s1 "the login test is green again"',
        "memoryd session append --session s1 < events.jsonl",
        "make test 2>&1 | memoryd session append --session s1 --kind tool_result --name make --whole",
    )
)
@placed
def append(
    text: Annotated[
        list[str] | None, typer.Argument(metavar="[TEXT]...", help="Contents, oldest first; none reads stdin.")
    ] = None,
    *,
    kind: Annotated[Kind, typer.Option(help="What TEXT is.")] = "message",
    role: Annotated[str, typer.Option(metavar="ROLE", help="Who says TEXT.")] = "user",
    name: Annotated[str, typer.Option(metavar="NAME", help="Who by name, or which tool.")] = "",
    whole: Annotated[bool, typer.Option("--whole", help="Stdin is one content, not JSON lines.")] = False,
    at: InSession,
    as_json: Json = False,
) -> None:
    """Add to the transcript of a session; durable on return.

    From stdin JSON lines with content and, where known, id, kind, role, name, call_id, at; or lines as `memoryd session
    import` takes them. In the shell of a coding agent all of it is the agent's: nothing of it is kept as your word.
    """
    role = role if kind == "message" else ""
    if text:
        entries = [Entry(content=one, kind=kind, role=role, name=name) for one in text]
    elif whole:
        content = sys.stdin.buffer.read().decode(errors="replace")
        entries = [Entry(content=content, kind=kind, role=role, name=name)]
    else:
        entries = list(_entries(sys.stdin.buffer))
    if not entries:
        raise CommandFailed("there is nothing to append")
    with at.connect() as memory:
        done = memory.append(as_said_here(entries, os.environ))
    if as_json:
        out_json(done)
    else:
        note(f"{done.stored} stored, {done.known} known already, {done.left_out} left out; {done.last} in all")


@group.command(
    epilog=examples(
        "memoryd session context s1",
        "memoryd session context s1 --budget 20000 --turns 10",
        "memoryd session context s1 --messages --json",
    )
)
@placed
def context(
    name: Name = "",
    *,
    budget: Annotated[
        int | None,
        typer.Option(min=256, max=2_000_000, metavar="TOKENS", help="Most of all of it. [default: context.tokens]"),
    ] = None,
    turns: Annotated[
        int | None, typer.Option(min=1, max=100_000, help="Recent turns of the user. [default: context.turns]")
    ] = None,
    take: Annotated[bool, typer.Option("--take", help="What memory has found counts as handed over.")] = False,
    messages: Annotated[
        bool, typer.Option("--messages", help="With --json: as a model's API takes it, system and messages.")
    ] = False,
    at: InSession,
    as_json: Json = False,
) -> None:
    """Print what to send of a session, within a budget of counted tokens.

    Core memory, rules, the summary of what was compacted, what memory has found, and the recent messages.
    """
    with at.connect() as memory:
        if not memory.messages(name or at.session, limit=1).last:
            raise _unknown(name or at.session)
        built = memory.build_context(budget, session=name, turns=turns, take=take)
    if as_json:
        out_json({"system": built.system, "messages": built.messages()} if messages else built)
        return
    for section in built.sections:
        out(f"{printable(section.text)}\n")
    for entry in built.entries:
        who = one_line(entry.role or entry.kind.replace("_", " ")) + (f" {one_line(entry.name)}" if entry.name else "")
        out(f"{entry.sequence}  {entry.at:%Y-%m-%d %H:%M}  {who}\n{printable(entry.content)}\n")
    size = "" if built.counted else ", estimated"
    full = "" if built.pressure == "none" else f" (pressure to compact: {built.pressure})"
    note(
        f"{built.tokens} of {built.budget} tokens{size}; {counted(built.uncompacted, 'token')} not summarised yet{full}"
    )
    for left in built.left_out:
        note(f"left out: {left}")


@group.command(epilog=examples("memoryd session compact s1", "memoryd session compact --session s1 --json"))
@placed
def compact(
    name: Name = "",
    *,
    at: InSession,
    as_json: Json = False,
) -> None:
    """Let a summary take the place of what was said long ago; it happens by itself in long sessions.

    Nothing is deleted: what is archived stays searchable and readable.
    """
    with at.connect() as memory:
        done = memory.compact(name)
    if as_json:
        out_json(done)
        return
    if done.summary:
        out(printable(done.summary))
    note(
        f"{counted(done.entries, 'entry')} archived, "
        f"{done.tokens_before} tokens before and {done.tokens_after} after; "
        f"summarised to turn {done.last_summarized_turn}"
    )


@group.command(epilog=examples("memoryd session end s1", "memoryd session end --session s1 --json"))
def end(
    name: Name = "",
    *,
    session: Session = "",
    agent: Agent = "cli",
    owner: Owner = "local",
    autostart: Autostart = False,
    as_json: Json = False,
) -> None:
    """Say that a session is over: what is done at its end begins now, in the background."""
    with connect(session, "", agent, owner, autostart=autostart) as memory:
        ended = memory.end_session(name or session)
    if not ended.last:
        raise _unknown(ended.session)
    if as_json:
        out_json(ended)
    else:
        note(f"{ended.session} ended after {counted(ended.last, 'entry')}")


@group.command(epilog=examples("memoryd session purge s1 --yes"))
def purge(
    name: Annotated[str, typer.Argument(metavar="SESSION", help="Which session.")],
    *,
    yes: Yes = False,
    session: Session = "",
    agent: Agent = "cli",
    owner: Owner = "local",
    autostart: Autostart = False,
) -> None:
    """Destroy the transcript of a session for good, and what the index has of it.

    Where nothing was said in it, what else is left of it is destroyed all the same, and the command fails.
    """
    if not yes and not typer.confirm(f"Destroy everything that was said in {name}?", err=True):
        raise CommandFailed("nothing was destroyed")
    with connect(session, "", agent, owner, autostart=autostart) as memory:
        known = memory.messages(name, limit=1).last
        done = memory.purge_session(name)
    if not known:
        raise _unknown(name)
    note(done)


session_summaries.add_to(group)
session_transfer.add_to(group)


def _unknown(name: str) -> CommandFailed:
    return CommandFailed(f"nothing was said in the session {name!r}", "`memoryd session list` shows those there are.")


def _unreadable(first: int, last: int) -> str:
    which = f"{first}  " if first == last else f"{first} to {last}  "
    return f"{which}cannot be read: damaged"


def _heading(record: "TranscriptRecord") -> str:
    who = record.role or record.kind.replace("_", " ")
    named = f" {one_line(record.name)}" if record.name else ""
    return f"{record.sequence}  {record.at:%Y-%m-%d %H:%M}  {one_line(who)}{named}"


def _entries(lines: BinaryIO) -> Iterator[Entry]:
    stood = Counter[bytes]()
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                yield decode_event(line, stood[line])
            except (msgspec.MsgspecError, RecursionError) as exc:
                hint = f'A line is {{"role": "user", "content": "..."}}, or {form_of(line)}.'
                raise CommandFailed(f"stdin, line {number}: {exc}", hint) from exc
            stood[line] += 1
