"""`memoryd core`: the sections that an agent keeps in its prompt."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from memoryd_cli.base.options import InProject, Json, Yes, examples, placed
from memoryd_cli.base.output import note, out, out_json, printable, table
from memoryd_cli.confirm import confirm
from memoryd_client.base.wording import counted

if TYPE_CHECKING:
    from memoryd_client.wire.core_memory import Section

group = typer.Typer(
    help="What an agent keeps in its prompt: persona, human, context, and sections of your own.",
    rich_markup_mode=None,
    no_args_is_help=True,
    epilog=examples("memoryd core view", 'memoryd core append human "Prefers tea."'),
)
Name = Annotated[str, typer.Argument(metavar="SECTION", help="persona, human, context, or a name of your own.")]
Thread = Annotated[
    str, typer.Option("--thread", "-t", metavar="NAME", help="Of this thread. [default: what all threads share]")
]
Revision = Annotated[
    int | None, typer.Option("--revision", min=0, metavar="N", help="Refuse where it was written since.")
]


@group.command(epilog=examples("memoryd core view", "memoryd core view --thread build --json"))
@placed
def view(
    *,
    thread: Thread = "",
    at: InProject,
    as_json: Json = False,
) -> None:
    """Print the shared sections, and those of a thread."""
    from memoryd_client.wire.core_memory import CoreView

    with at.connect() as memory:
        seen = memory.call(CoreView(thread=thread))
    sections = seen.sections
    if as_json:
        out_json(list(sections))
        return
    for section in sections:
        where = f" of {printable(section.thread)}" if section.thread else ""
        out(f"[{section.name}{where}] revision {section.revision}, {len(section.text)} of {section.limit} characters")
        if section.text:
            out(printable(section.text))
    if (told := seen.summarized) is not None:
        note(
            f"the conversation: {counted(told.turns, 'turn')}, summarised up to turn {told.last_summarized_turn}, "
            f"archived up to turn {told.archived_turns}"
        )


@group.command(epilog=examples('memoryd core append human "Prefers tea."', "memoryd core append context - < notes"))
@placed
def append(
    section: Name,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What to add; - reads it from stdin.")],
    *,
    thread: Thread = "",
    revision: Revision = None,
    at: InProject,
    as_json: Json = False,
) -> None:
    """Add lines to a section."""
    with at.connect() as memory:
        _tell(memory.core_append(section, _given(text), thread=thread, revision=revision), as_json=as_json)


@group.command(epilog=examples('memoryd core replace human "Prefers tea." "Prefers coffee."'))
@placed
def replace(
    section: Name,
    old: Annotated[str, typer.Argument(metavar="OLD", help="The exact text that stands there, once.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="What is to stand there instead; '' for nothing.")],
    *,
    thread: Thread = "",
    revision: Revision = None,
    at: InProject,
    as_json: Json = False,
) -> None:
    """Replace a passage of a section."""
    with at.connect() as memory:
        _tell(memory.core_replace(section, old, new, thread=thread, revision=revision), as_json=as_json)


@group.command("set", epilog=examples('memoryd core set persona "Terse and exact." --revision 3'))
@placed
def set_(
    section: Name,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The whole text; - reads it from stdin.")],
    *,
    thread: Thread = "",
    revision: Revision = None,
    at: InProject,
    as_json: Json = False,
) -> None:
    """Write a section anew. One that has a text already needs --revision, so that nobody's words are lost."""
    with at.connect() as memory:
        _tell(memory.core_set(section, _given(text), thread=thread, revision=revision), as_json=as_json)


@group.command(epilog=examples("memoryd core undo human"))
@placed
def undo(
    section: Name,
    *,
    thread: Thread = "",
    revision: Revision = None,
    at: InProject,
    as_json: Json = False,
) -> None:
    """Take the last write to a section back; once more, and it is there again."""
    with at.connect() as memory:
        _tell(memory.core_undo(section, thread=thread, revision=revision), as_json=as_json)


@group.command(epilog=examples("memoryd core purge human", "memoryd core purge context --thread build --yes"))
@placed
def purge(
    section: Name,
    *,
    thread: Thread = "",
    yes: Yes = False,
    at: InProject,
    as_json: Json = False,
) -> None:
    """Destroy a section and all that it ever said: here, in its history and in backups."""
    with at.connect() as memory:
        if not yes:
            confirm(f"Destroy {section} and its history for good?", "nobody is there to confirm it, so it stays")
        done = memory.core_purge(section, thread=thread)
    if as_json:
        out_json({"detail": done})
    else:
        out(done)


@group.command(epilog=examples("memoryd core history", "memoryd core history human --json"))
@placed
def history(
    section: Annotated[str, typer.Argument(metavar="[SECTION]", help="One section; else all of the thread.")] = "",
    *,
    thread: Thread = "",
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=500, help="At most this many.")] = 20,
    at: InProject,
    as_json: Json = False,
) -> None:
    """Print who wrote when, and what was there before, newest first."""
    with at.connect() as memory:
        writes = memory.core_history(section, thread=thread, limit=limit)
    if as_json:
        out_json(writes)
    elif writes:
        table(
            ("at", "section", "revision", "event", "by", "before"),
            [
                (
                    f"{write.at:%Y-%m-%d %H:%M:%S}",
                    write.name,
                    str(write.revision),
                    write.event,
                    write.actor,
                    write.before,
                )
                for write in writes
            ],
            right=("revision",),
        )
    else:
        note("nothing was written yet")


def _given(text: str) -> str:
    return sys.stdin.read() if text == "-" else text


def _tell(section: "Section", *, as_json: bool) -> None:
    if as_json:
        out_json(section)
    else:
        note(f"{section.name} is at revision {section.revision}, {len(section.text)} of {section.limit} characters")
