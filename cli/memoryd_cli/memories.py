"""Commands about memories: store, find, read, forget."""

import os
import sys
from difflib import get_close_matches
from typing import TYPE_CHECKING, Annotated

import typer

from memoryd_cli import elsewhere
from memoryd_cli.base import completion, render
from memoryd_cli.base.agent_shell import agent_of_shell
from memoryd_cli.base.failures import CommandFailed
from memoryd_cli.base.options import (
    Category,
    Everything,
    InSession,
    Json,
    MemoryId,
    MemoryIds,
    Reach,
    Tag,
    Unrelated,
    examples,
    placed,
)
from memoryd_cli.base.output import fields, json_line, note, out, out_json, printable, short_ids, table, write
from memoryd_client.base.wording import sentence
from memoryd_client.wire.memory import Memory, Scope, Source, State

if TYPE_CHECKING:
    from memoryd_client.client import Client

HISTORY_PAGE = 1000
MOST_LISTED = 1000


def add_to(app: typer.Typer) -> None:
    """Register the commands."""
    app.command(
        epilog=examples(
            'memoryd add "Token expiry is computed in UTC." --tag auth',
            'memoryd add "Use uv, never pip." --category correction --scope global --trust 1',
            "memoryd add 'The staging server is down for repairs.' --ttl 7d",
            "git log -1 --format=%B | memoryd add - --title 'Why we changed the parser'",
        )
    )(add)
    app.command(epilog=examples('memoryd search "token expiry"', "memoryd search uv -c correction --json"))(search)
    app.command(epilog=examples('memoryd recall "why does the login test fail at midnight?"'))(recall)
    app.command("list", epilog=examples("memoryd list", "memoryd list --all --json | jq -r '.[].id'"))(list_)
    app.command(epilog=examples("memoryd show 4k2m9x0c"))(show)
    app.command(epilog=examples("memoryd read 4k2m9x0c", "memoryd read 4k2m9x0c --offset 1000 --limit 500"))(read)
    app.command(epilog=examples("memoryd forget 4k2m9x0c"))(forget)
    app.command(epilog=examples("memoryd restore 4k2m9x0c"))(restore)
    app.command(
        epilog=examples("memoryd history", "memoryd history 4k2m9x0c --json", "memoryd history --export > writes.jsonl")
    )(history)


@placed
def add(
    content: Annotated[list[str], typer.Argument(metavar="TEXT", help="What to remember; - reads it from stdin.")],
    *,
    category: Annotated[
        str,
        typer.Option(
            "--category",
            "-c",
            metavar="NAME",
            autocompletion=completion.categories,
            help="What kind of memory; `memoryd categories` lists them.",
        ),
    ] = "fact",
    scope: Annotated[Scope, typer.Option(help="How far it reaches.")] = Scope.PROJECT,
    title: Annotated[str, typer.Option(metavar="TEXT", help="A line that stands for it in lists.")] = "",
    tag: Annotated[list[str] | None, typer.Option("--tag", "-t", metavar="TAG", help="A tag; repeatable.")] = None,
    importance: Annotated[int, typer.Option(min=1, max=5, help="1 trivial to 5 vital.")] = 3,
    pinned: Annotated[bool, typer.Option("--pinned", help="Never let it fade.")] = False,
    trust: Annotated[
        float | None, typer.Option(min=0.0, max=1.0, help="How far it can be relied on. [default: by its source]")
    ] = None,
    source: Annotated[
        Source | None, typer.Option(help="Who says so.  [default: user; in the shell of a coding agent: agent]")
    ] = None,
    speaker: Annotated[str, typer.Option(metavar="NAME", help="Who said it.")] = "",
    occurred_at: Annotated[str, typer.Option(metavar="DATE", help="When it happened, ISO 8601.")] = "",
    file: Annotated[list[str] | None, typer.Option("--file", metavar="PATH", help="A file it is about.")] = None,
    ttl: Annotated[
        str, typer.Option(metavar="SPAN", help="Forget it by itself after that: 30m, 12h, 7d, 2w. [default: never]")
    ] = "",
    at: InSession,
    as_json: Json = False,
) -> None:
    """Remember something, and print its id once it is safe on disk."""
    text = given_text(content)
    with at.connect() as memory:
        saved = memory.remember(
            text,
            category=category,
            scope=scope,
            title=title,
            tags=tuple(tag or ()),
            importance=importance,
            pinned=pinned,
            trust=trust,
            source=source or (Source.AGENT if at.agent == agent_of_shell(os.environ) else Source.USER),
            speaker=speaker,
            occurred_at=render.parse_date(occurred_at),
            source_session=at.session,
            files=tuple(file or ()),
            ttl=ttl or None,
        )
        meant = _meant(memory, saved.category)
    if as_json:
        out_json(saved)
    else:
        out(saved.id)
    if saved.state is State.PROPOSED:
        note(f"it waits for your consent: memoryd consent approve {saved.id}")
    render.note_gave_way(saved)
    if meant:
        note(f"`{saved.category}` is a category of its own now; is `{meant}` meant? See `memoryd categories`")


def _meant(memory: "Client", category: str) -> str:
    """Return the known category whose name a new one resembles; nothing where it is known, or resembles none."""
    if category == "fact":
        return ""
    there = memory.categories(scope="everywhere")
    known = {one.name for one in there.categories if one.name != category or one.memories > 1}
    if category in known.union(*there.presets.values()):
        return ""
    return next(iter(get_close_matches(category, sorted(known), n=1, cutoff=0.8)), "")


@placed
def search(
    query: Annotated[list[str], typer.Argument(metavar="QUERY", help="What to look for, in words or as a question.")],
    *,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=200, help="At most this many.")] = 10,
    category: Category = None,
    scope: Reach = "all",
    tag: Tag = None,
    everything: Unrelated = False,
    at: InSession,
    as_json: Json = False,
) -> None:
    """Find memories by meaning and words, best first."""
    from memoryd_client.requests import filters
    from memoryd_client.wire.search import Search

    within = filters(categories=tuple(category or ()), scope=scope, tags=tuple(tag or ()))
    with at.connect() as memory:
        answer = memory.call(Search(query=" ".join(query), limit=limit, filters=within, everything=everything))
        hits = list(answer.hits)
        if answer.note:
            note(printable(answer.note))
        if not hits and not as_json:
            note("nothing found" if everything else "nothing found that has to do with it (--all shows the rest)")
            elsewhere.say_where(memory, scope)
    if as_json:
        out_json(hits)
        return
    if not hits:
        return
    ids = short_ids(each for hit in hits for each in (hit.id, *(one.id for one in hit.related)))
    rows: list[tuple[str, ...]] = []
    for hit in hits:
        scores = (f"{hit.score:.2f}", f"{hit.vector_score:.2f}", f"{hit.word_score:.2f}")
        rows.append((ids[hit.id], *scores, f"{hit.timestamp:%Y-%m-%d}", hit.category, hit.summary))
        # Beneath the newer statement, whose place they share.
        rows += [
            (ids[one.id], "", "", "", f"{one.timestamp:%Y-%m-%d}", "", f"- {one.reason}: {one.summary}")
            for one in hit.related
        ]
    table(
        ("id", "score", "vector", "words", "date", "category", "memory"),
        rows,
        right=("score", "vector", "words"),
        gives_way=("vector", "words", "date", "category", "score"),
    )


@placed
def recall(
    context: Annotated[
        list[str] | None,
        typer.Argument(metavar="TEXT", help="What is going on, - is stdin; else the session's last context."),
    ] = None,
    *,
    at: InSession,
    as_json: Json = False,
) -> None:
    """Print what would be brought up for a context. Changes nothing.

    What is always in force, rules and corrections, is not brought up: an agent has it from a session's beginning on.
    """
    from memoryd_client.wire.context import Message

    messages = [Message(role="user", content=given_text(context))] if context else []
    with at.connect() as memory:
        pending = memory.recall(messages)
        if pending is None and not as_json:
            elsewhere.say_where(memory)
        model = None if pending else memory.status().components.get("model")
    if model is not None and model.state == "failed":
        note(sentence(f"only words were compared, as the model failed: {model.message}", model.hint))
    render.pending(pending, as_json=as_json)


@placed
def list_(
    *,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=MOST_LISTED, help="At most this many.")] = 50,
    category: Category = None,
    scope: Reach = "all",
    tag: Tag = None,
    everything: Everything = False,
    at: InSession,
    as_json: Json = False,
) -> None:
    """List memories, newest first; of documents with `-c knowledge` only, or `memoryd knowledge list`."""
    states, categories, tags = render.states(everything=everything), tuple(category or ()), tuple(tag or ())
    with at.connect() as memory:
        found = memory.list(
            limit=min(limit + 1, MOST_LISTED),  # one more says whether there are more
            passages=False,
            categories=categories,
            scope=scope,
            tags=tags,
            states=states,
        )
        if not found and not as_json:
            note("no memories" if scope == "everywhere" else elsewhere.none_here(memory, states, categories, tags))
    if as_json:
        out_json(found[:limit])
    elif found:
        render.memory_table(found[:limit])
        if len(found) > limit:
            note(f"the newest {limit}; there are more, which `--limit` shows, up to {MOST_LISTED}")


@placed
def show(
    memory_id: MemoryId,
    *,
    at: InSession,
    as_json: Json = False,
) -> None:
    """Print one memory with all its fields, whatever its state."""
    with at.connect() as memory:
        found = memory.get(memory_id)
    if as_json:
        out_json(found)
    else:
        fields(render.memory_fields(found))


@placed
def read(
    memory_id: MemoryId,
    *,
    offset: Annotated[int, typer.Option(min=0, metavar="N", help="Begin after this many characters.")] = 0,
    limit: Annotated[int, typer.Option(min=1, max=100_000, metavar="N", help="At most this many characters.")] = 1000,
    at: InSession,
    as_json: Json = False,
) -> None:
    """Print a memory's content, or a page of it."""
    with at.connect() as memory:
        page = memory.read(memory_id, offset=offset, limit=limit)
    if as_json:
        out_json(page)
        return
    # A pipe gets what was stored to the letter; a terminal must not be steered by it.
    content = printable(page.content) if sys.stdout.isatty() else page.content
    write(content if content.endswith("\n") else content + "\n")
    if page.next_offset is not None:
        note(f"{page.next_offset} of {page.total} characters; go on with --offset {page.next_offset}")


@placed
def forget(
    memory_ids: MemoryIds,
    *,
    at: InSession,
    as_json: Json = False,
) -> None:
    """Forget memories. They are out of sight at once; `memoryd restore` brings them back."""
    forgotten: list[Memory] = []
    with at.connect() as memory:
        for memory_id in memory_ids:
            before = memory.get(memory_id)
            forgotten.append(memory.forget(before.id))
            if before.state is State.FORGOTTEN:
                note(f"{before.id} was forgotten already")
            else:
                note(f"forgot {before.id}; `memoryd restore {before.id}` brings it back")
    if as_json:
        out_json(forgotten)


@placed
def restore(
    memory_ids: MemoryIds,
    *,
    at: InSession,
    as_json: Json = False,
) -> None:
    """Bring memories back that were forgotten, archived, merged or superseded."""
    restored: list[Memory] = []
    with at.connect() as memory:
        for memory_id in memory_ids:
            before = memory.get(memory_id)
            restored.append(memory.restore(before.id))
            note(f"{before.id} is active already" if before.active else f"restored {before.id}")
            render.note_gave_way(restored[-1])
    if as_json:
        out_json(restored)


@placed
def history(
    memory_id: Annotated[
        str, typer.Argument(metavar="[ID]", autocompletion=completion.ids, help="One memory; else all writes.")
    ] = "",
    *,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1000, help="At most this many.")] = 50,
    export: Annotated[bool, typer.Option("--export", help="All of them, as JSON lines.")] = False,
    at: InSession,
    as_json: Json = False,
) -> None:
    """Print what was written and by whom, newest first.

    The operation is what `memoryd undo` takes. The gate is what was done to a text before it was stored: secrets
    replaced, private blocks taken out.
    """
    with at.connect() as memory:
        if export:
            _export_history(memory, memory_id)
            return
        entries = memory.history(memory_id, limit=limit)
    if as_json:
        out_json(entries)
        return
    if not entries:
        raise CommandFailed("nothing was written yet")
    render.history_table(entries)


def given_text(words: list[str]) -> str:
    """Return the words as one text; a single - stands for what stdin holds."""
    return sys.stdin.read().strip() if words == ["-"] else " ".join(words)


def _export_history(memory: "Client", memory_id: str) -> None:
    before = 0
    while entries := memory.history(memory_id, limit=HISTORY_PAGE, before=before):
        for entry in entries:
            write(json_line(entry))
        before = entries[-1].sequence
