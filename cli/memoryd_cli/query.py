"""`memoryd query`: what an agent asks for itself, within a budget of tokens."""

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from memoryd_cli import elsewhere
from memoryd_cli.base import render
from memoryd_cli.base.options import Category, InSession, Json, Reach, Tag, Unrelated, examples, placed
from memoryd_cli.base.output import note, out, out_json, printable
from memoryd_client.wire.memory import State

if TYPE_CHECKING:
    from memoryd_client.wire.query import Queried


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command(
        epilog=examples(
            'memoryd query "deployment plan" -c tasks -c projects --agent planner',
            "memoryd query -c procedural --return full --budget 2000",
            'memoryd query "token expiry" --threshold 0.4 --updated-after 2026-01-01 --json',
        )
    )(query)


@placed
def query(
    text: Annotated[
        list[str] | None, typer.Argument(metavar="[QUERY]...", help="What it is about; else the newest.")
    ] = None,
    *,
    top_k: Annotated[int, typer.Option("--top-k", "-k", min=1, max=50, help="At most this many.")] = 3,
    threshold: Annotated[
        float | None, typer.Option(min=-1.0, max=1.0, help="Drop what has a lower cosine. [default: nothing]")
    ] = None,
    returns: Annotated[
        Literal["bullets", "full"], typer.Option("--return", help="A line each, or all that is known.")
    ] = "bullets",
    budget: Annotated[
        int, typer.Option("--budget", min=16, max=100_000, metavar="TOKENS", help="Of all together.")
    ] = 512,
    category: Category = None,
    scope: Reach = "all",
    tag: Tag = None,
    state: Annotated[
        list[State] | None, typer.Option("--state", help="Only in these states. [default: active]")
    ] = None,
    pinned: Annotated[
        bool | None, typer.Option("--pinned/--not-pinned", help="Only pinned ones, or only others.", show_default=False)
    ] = None,
    stored_by: Annotated[str, typer.Option("--stored-by", metavar="AGENT", help="Only what this agent stored.")] = "",
    from_session: Annotated[str, typer.Option("--from-session", metavar="NAME", help="Only from this session.")] = "",
    speaker: Annotated[str, typer.Option("--speaker", metavar="NAME", help="Only what this one said.")] = "",
    role: Annotated[
        Literal["", "user", "assistant", "system", "tool"],
        typer.Option("--role", metavar="user|assistant|system|tool", help="Only in this voice.", show_default=False),
    ] = "",
    importance_min: Annotated[int | None, typer.Option(min=1, max=5, help="Only as vital as this.")] = None,
    importance_max: Annotated[int | None, typer.Option(min=1, max=5, help="Only as trivial as this.")] = None,
    updated_after: Annotated[str, typer.Option(metavar="DATE", help="Only written since, ISO 8601.")] = "",
    updated_before: Annotated[str, typer.Option(metavar="DATE", help="Only last written before.")] = "",
    everything: Unrelated = False,
    at: InSession,
    as_json: Json = False,
) -> None:
    """Ask for what is relevant, as an agent does, within a budget of tokens."""
    with at.connect() as memory:
        found = memory.query(
            " ".join(text or ()),
            top_k=top_k,
            threshold=threshold,
            returns=returns,
            budget_tokens=budget,
            everything=everything,
            categories=tuple(category or ()),
            scope=scope,
            tags=tuple(tag or ()),
            states=tuple(one.value for one in state) if state else render.states(everything=False),
            pinned=pinned,
            stored_by=stored_by,
            session=from_session,
            speaker=speaker,
            role=role,
            importance_min=importance_min,
            importance_max=importance_max,
            updated_after=render.parse_date(updated_after),
            updated_before=render.parse_date(updated_before),
        )
        if not (as_json or found.bullets or found.memories):
            elsewhere.say_where(memory, scope)
    if as_json:
        out_json(found)
    else:
        _print(found)


def _print(found: "Queried") -> None:
    bullets = {one.id: one for one in found.bullets}
    while bullets:
        # What contradicts each other stands together.
        bullet = bullets.pop(next(iter(bullets)))
        out(f"- {printable(bullet.text)}")
        against = [bullets.pop(other) for other in _against(found, bullet.id) if other in bullets]
        for one in against:
            out(f"  - contradicted by {printable(one.text)}")
        for beside in (related for one in (bullet, *against) for related in one.related):
            out(f"  - {printable(beside.text)}")
    for memory in found.memories:
        out(f"[{memory.category}] {memory.id}\n{printable(memory.content)}")
        for other in _against(found, memory.id):
            out(f"contradicted by {other}")
        out("")
    if not found.bullets and not found.memories:
        note("nothing found")
    about = "" if found.counted else "about "
    more = f", {found.left_out} more had no room" if found.left_out else ""
    note(f"{about}{found.tokens} tokens{more}")
    if found.note:
        note(found.note)


def _against(found: "Queried", memory_id: str) -> list[str]:
    """Return what contradicts a memory."""
    pairs = [pair for pair in found.contradictions if memory_id in pair]
    return [newer if older == memory_id else older for newer, older in pairs]
