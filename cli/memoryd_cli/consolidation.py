"""`memoryd consolidate`: run the daily consolidation now, see what it would do, read what it did."""

import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from memoryd_cli.base.failures import CommandFailed
from memoryd_cli.base.options import Agent, Autostart, Json, Owner, connect, examples
from memoryd_cli.base.output import note, one_line, out, out_json, short_ids, table
from memoryd_client.base.wording import counted

if TYPE_CHECKING:
    from memoryd_client.client import Client
    from memoryd_client.wire.consolidation import Consolidation, ConsolidationPlan, Rollup

LOOK_S = 0.2


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    shown = examples(
        "memoryd consolidate --dry-run",
        "memoryd consolidate",
        "memoryd consolidate --report --json",
        "memoryd consolidate --rollups",
    )
    app.command(epilog=shown)(consolidate)


def consolidate(
    *,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what a run would do, and do nothing.")] = False,
    rollups: Annotated[
        bool,
        typer.Option("--rollups", help="Only gather episodes into their projects' summaries, also before it is due."),
    ] = False,
    project: Annotated[
        str, typer.Option(metavar="FOLDER|NAME", help="With --rollups: only of this project. [default: of all]")
    ] = "",
    report: Annotated[bool, typer.Option("--report", help="Show what the last runs did.")] = False,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=100, help="Runs in the report.")] = 10,
    agent: Agent = "cli",
    owner: Owner = "local",
    autostart: Autostart = False,
    as_json: Json = False,
) -> None:
    """Compare, fade, gather and look after your memories now, as the daemon does by itself once a day.

    What it does stands in `memoryd history`, and `memoryd undo` takes it back.
    """
    if dry_run + report + rollups > 1:
        raise CommandFailed("several things at once?", "Give one of `--dry-run`, `--report` and `--rollups`.")
    if project and not rollups:
        raise CommandFailed("a run looks at every project", "`--project` goes with `--rollups`.")
    with connect("", "", agent, owner, autostart=autostart) as memory:
        if dry_run:
            plan = memory.consolidation_plan()
            out_json(plan) if as_json else _print_plan(plan)
        elif rollups:
            done = memory.roll_up(project)
            out_json(done) if as_json else _print_rollups(done)
        elif report:
            runs = memory.consolidations(limit=limit)
            out_json(runs) if as_json else _print_runs(runs)
        else:
            run = _watched(memory)
            if as_json:
                out_json(run)
            else:
                _print_run(run)
                if not any(run.counts.values()):
                    _say_what_waits(memory.consolidation_plan())


def _watched(memory: "Client") -> "Consolidation":
    """Start a run, wait until it is finished, and show meanwhile how far it is."""
    number = memory.consolidate().number
    while True:
        run = next((one for one in memory.consolidations(limit=5) if one.number == number), None)
        if run is None or run.finished_at or run.problem:
            break
        if sys.stderr.isatty() and run.doing:
            far = f" {run.done} of {run.total}" if run.total else ""
            sys.stderr.write(f"\r\033[K{run.doing}{far}")
            sys.stderr.flush()
        time.sleep(LOOK_S)
    if sys.stderr.isatty():
        sys.stderr.write("\r\033[K")
    if run is None:
        raise CommandFailed(
            "the run is not in the ledger any more", "`memoryd consolidate --report` shows those that are."
        )
    if run.problem:
        raise CommandFailed(f"consolidation is put off: {run.problem}", "It is tried again by itself.")
    return run


def _print_run(run: "Consolidation") -> None:
    done = [(name, str(count)) for name, count in run.counts.items() if count]
    if done:
        table(("what", "count"), done, right=("count",))
    else:
        out("nothing to do")


def _print_runs(runs: "Sequence[Consolidation]") -> None:
    if not runs:
        note("nothing was consolidated yet")
        return
    rows: list[tuple[str, ...]] = []
    for run in runs:
        state = "finished" if run.finished_at else run.problem or run.doing or "waits"
        did = ", ".join(f"{count} {name}" for name, count in run.counts.items() if count)
        rows.append((str(run.number), run.started_at[:16].replace("T", " "), state, did or "nothing to do"))
    table(("run", "began (UTC)", "state", "did"), rows, right=("run",), wrap=True)


def _print_rollups(rollups: "Sequence[Rollup]") -> None:
    for one in rollups:
        what = one.reason or f"{counted(one.episodes, 'episode')} gathered ({one.by})"
        out(one_line(f"{one.path}  {what}"))
    if not rollups:
        out("nothing to do: no project has episodes that are in no summary yet")


def _print_plan(plan: "ConsolidationPlan") -> None:
    ids = short_ids(
        [*(side for pair in plan.pairs for side in (pair.older, pair.newer)), *(one.id for one in plan.changes)]
    )
    for pair in plan.pairs:
        said = f"{pair.action}: {pair.reason}" if pair.reason else pair.action
        out(one_line(f"{pair.similarity:.2f}  {said}"))
        out(one_line(f"      {ids[pair.older]}  {pair.older_content}"))
        out(one_line(f"      {ids[pair.newer]}  {pair.newer_content}"))
    for change in plan.changes:
        out(one_line(f"{change.becomes}  {ids[change.id]}  {change.summary} ({change.reason})"))
    for rollup in plan.rollups:
        what = "updated" if rollup.updates else "written"
        out(one_line(f"{what}  {rollup.path}  from {counted(rollup.episodes, 'episode')}"))
    if not (plan.pairs or plan.changes or plan.rollups):
        out("nothing to do")
        _say_what_waits(plan)
    if plan.pairs and plan.judge != "local":
        note(f"{plan.judge} decides about the pairs; shown is what the local classifier makes of them")


def _say_what_waits(plan: "ConsolidationPlan") -> None:
    """Say that pairs may wait for tomorrow, where a model has compared as many as it may today."""
    if plan.judge != "local" and (plan.pairs or not (plan.pairs_left and plan.tokens_left)):
        which = "tokens_a_day" if plan.pairs_left else "pairs_a_day"
        note(f"`consolidation.{which}` leaves no room today: what is to be compared waits for 00:00 UTC")
