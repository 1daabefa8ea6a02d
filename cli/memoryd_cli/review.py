"""`memoryd review`: pairs of memories that may say the same or contradict each other, shown and settled."""

from typing import TYPE_CHECKING, Annotated, cast, get_args

import typer

from memoryd_cli.base.failures import CommandFailed
from memoryd_cli.base.options import InProject, Json, examples, placed
from memoryd_cli.base.output import note, one_line, out, out_json, short_ids
from memoryd_client.wire.review import Verdict

if TYPE_CHECKING:
    from memoryd_client.wire.review import WaitingPairs

_VERDICTS = get_args(Verdict)


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    shown = examples("memoryd review", "memoryd review mem_9f2 mem_41c replaces", "memoryd review --json")
    app.command(epilog=shown)(review)


@placed
def review(
    first: Annotated[str, typer.Argument(help="The memory that stays, or is true now.")] = "",
    second: Annotated[str, typer.Argument(help="The other one.")] = "",
    verdict: Annotated[str, typer.Argument(help=f"What the first is to the second: {', '.join(_VERDICTS)}.")] = "",
    *,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=200, help="Pairs at most.")] = 10,
    at: InProject,
    as_json: Json = False,
) -> None:
    """List pairs of memories that wait for a decision, or settle one.

    `same` keeps the first and merges the second into it, `replaces` retires the second, `contradicts` keeps both and
    links them, `both` keeps both: each is true. A pair that is settled is never asked about again; `memoryd undo` takes
    back what was done.
    """
    if not first:
        with at.connect() as memory:
            waiting = memory.review(limit=limit)
        out_json(waiting) if as_json else _print(waiting)
        return
    if not second or verdict not in _VERDICTS:
        raise CommandFailed(
            "a pair is settled by two ids and a verdict", f"The verdicts are {', '.join(_VERDICTS)}; see `--help`."
        )
    with at.connect() as memory:
        done = memory.settle(first, second, cast("Verdict", verdict))
    if as_json:
        out_json(done)
        return
    names = short_ids([done.first.id, done.second.id])
    out(f"settled: {names[done.first.id]} {verdict} {names[done.second.id]}")
    if done.operation:
        note(f"`memoryd undo {done.operation}` takes it back")


def _print(waiting: "WaitingPairs") -> None:
    if not waiting.pairs:
        note("no pair waits")
        return
    names = short_ids([one.id for pair in waiting.pairs for one in (pair.first, pair.second)])
    for pair in waiting.pairs:
        out(f"{pair.similarity:.2f}  {one_line(pair.reason)}")
        for memory in (pair.first, pair.second):
            out(f"  {names[memory.id]}  {memory.created_at:%Y-%m-%d}  {one_line(memory.content)}")
    if waiting.more:
        note("there are more: `--limit`")
