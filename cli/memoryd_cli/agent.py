"""Commands for agents and their hooks: push a context, take what came of it, see why."""

import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from memoryd_cli.base import completion, render
from memoryd_cli.base.agent_shell import as_said_here
from memoryd_cli.base.decisions import decisions
from memoryd_cli.base.failures import CommandFailed
from memoryd_cli.base.options import InSession, Json, examples, placed
from memoryd_cli.base.output import note, out, out_json
from memoryd_client.wire.context import MAX_TURN, Message, Trigger
from memoryd_client.wire.traces import MOST_TRACES


def add_to(app: typer.Typer) -> None:
    """Register the commands."""
    app.command(
        epilog=examples(
            'memoryd push --session s1 "why does the login test fail at midnight?"',
            "memoryd push --session s1 --file transcript.jsonl",
            'echo \'{"role": "user", "content": "hello"}\' | memoryd push --session s1 -',
        )
    )(push)
    app.command(epilog=examples("memoryd take --session s1", "memoryd take --session s1 --json"))(take)
    app.command(
        epilog=examples(
            "memoryd why --session s1", "memoryd why --session s1 --turn 7", "memoryd why -n 5", "memoryd why 4k2m9x0c"
        )
    )(why)


@placed
def push(
    text: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[TEXT]...", help="Messages of the user, oldest first; - or none reads JSON lines from stdin."
        ),
    ] = None,
    *,
    file: Annotated[
        Path | None, typer.Option("--file", metavar="FILE", help="JSON lines {role, content}; - is stdin.")
    ] = None,
    role: Annotated[str, typer.Option(metavar="ROLE", help="Who says TEXT.")] = "user",
    trigger: Annotated[Trigger, typer.Option(help="Why the context is pushed.")] = "turn",
    turn: Annotated[
        int | None,
        typer.Option(min=0, max=MAX_TURN, metavar="N", help="The agent's count of turns. [default: counted]"),
    ] = None,
    at: InSession,
) -> None:
    """Push the end of a conversation, and wait until the daemon has it.

    In the shell of a coding agent all of it is the agent's: nothing of it answers for you, or is kept as your word.
    """
    if text and file:
        raise typer.BadParameter("give TEXT or --file, not both")
    if text and "-" in text and len(text) > 1:
        raise typer.BadParameter("- stands for a conversation from stdin, and goes with no other TEXT")
    if text and text != ["-"]:
        messages = [Message(role=role, content=one) for one in text]
    elif file and str(file) != "-":
        messages = _messages(file.read_text(encoding="utf-8").splitlines(), str(file))
    else:
        messages = _messages(sys.stdin, "stdin")
    if not messages:
        raise CommandFailed("there are no messages to push")
    with at.connect() as memory:
        memory.push_acknowledged(as_said_here(messages, os.environ), trigger=trigger, turn=turn)


def _messages(lines: Iterable[str], name: str) -> list[Message]:
    """Parse JSON lines; raise CommandFailed, naming the line, where one is not a message."""
    decode = msgspec.json.Decoder(Message).decode
    messages: list[Message] = []
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                messages.append(decode(line))
            except msgspec.MsgspecError as exc:
                raise CommandFailed(
                    f"{name}, line {number}: {exc}", 'A line is {"role": "user", "content": "..."}.'
                ) from exc
    return messages


@placed
def take(
    *,
    at: InSession,
    as_json: Json = False,
) -> None:
    """Take what is pending for a session: text for its prompt. What is taken counts as shown."""
    with at.connect() as memory:
        pending = memory.take_pending(strict=True)
    render.pending(pending, as_json=as_json)


@placed
def why(
    memory_id: Annotated[
        str, typer.Argument(metavar="[ID]", autocompletion=completion.ids, help="A memory: where it comes from.")
    ] = "",
    *,
    turn: Annotated[int | None, typer.Option(metavar="N", help="Only this turn, of the last 50.")] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=MOST_TRACES, help="The last N decisions.")] = 1,
    at: InSession,
    as_json: Json = False,
) -> None:
    """Print how a turn was decided: candidates, scores, reasons, times. With an ID, where that memory comes from.

    Without --session, the latest decisions of all sessions. Of a memory: who wrote it in which session, what it
    replaced and what replaced it, what contradicts it, what it is related to, every write, and when it was considered
    for whom.
    """
    if memory_id and turn is not None:
        raise typer.BadParameter("give an ID or --turn, not both")
    if memory_id:
        with at.connect() as memory:
            found = memory.origin(memory_id)
        if as_json:
            out_json(found)
        else:
            render.origin(found)
        return
    with at.connect() as memory:
        # All there are: one that came once more was decided when it came first.
        known = decisions(memory.why(MOST_TRACES))
    traces = [trace for trace in known if turn in {None, trace.turn}][:limit]
    if as_json:
        out_json(traces)
        return
    if not traces:
        note("nothing was decided yet" if turn is None else f"nothing is known of turn {turn}")
    for index, trace in enumerate(traces):
        if index:
            out()
        render.trace(trace)
