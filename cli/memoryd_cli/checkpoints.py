"""`memoryd checkpoint`: the states that agents saved."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memoryd_cli.base.failures import CommandFailed
from memoryd_cli.base.options import InProject, Json, examples, placed
from memoryd_cli.base.output import fields, note, out, out_json, table

if TYPE_CHECKING:
    from memoryd_client.client import Client
    from memoryd_client.wire.checkpoints import Checkpoint

group = typer.Typer(
    help="States that agents saved, version by version, to go on from.",
    rich_markup_mode=None,
    no_args_is_help=True,
    epilog=examples("memoryd checkpoint list", "memoryd checkpoint load build > state.bin"),
)
_THREADS = 5
"""Named where a checkpoint is not found."""
Thread = Annotated[str, typer.Argument(metavar="THREAD", help="The thread whose state it is.")]
Version = Annotated[int | None, typer.Option("--version", min=1, metavar="N", help="This one. [default: the newest]")]


@group.command("list", epilog=examples("memoryd checkpoint list", "memoryd checkpoint list build --json"))
@placed
def list_(
    thread: Annotated[str, typer.Argument(metavar="[THREAD]", help="Of one thread; else of all.")] = "",
    *,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1000, help="At most this many.")] = 100,
    at: InProject,
    as_json: Json = False,
) -> None:
    """List what is kept, newest first."""
    with at.connect() as memory:
        found = memory.list_checkpoints(thread, limit=limit)
    if as_json:
        out_json(found)
    elif found:
        table(
            ("thread", "version", "bytes", "saved", "about"),
            [
                (
                    one.thread,
                    str(one.version),
                    str(one.size),
                    f"{one.created_at:%Y-%m-%d %H:%M:%S}",
                    ", ".join(f"{key}={value}" for key, value in one.meta.items()),
                )
                for one in found
            ],
            right=("version", "bytes"),
        )
    else:
        note("no checkpoints")


@group.command(epilog=examples("memoryd checkpoint show build", "memoryd checkpoint show build --version 3 --json"))
@placed
def show(
    thread: Thread,
    *,
    version: Version = None,
    at: InProject,
    as_json: Json = False,
) -> None:
    """Print what is known of a checkpoint, after its checksum was verified; not what is in it."""
    with at.connect() as memory:
        info = _loaded(memory, at.owner, thread, version).info
    if as_json:
        out_json(info)
        return
    fields(
        [
            ("thread", info.thread),
            ("version", str(info.version)),
            ("bytes", str(info.size)),
            ("sha-256", info.checksum),
            ("saved", f"{info.created_at:%Y-%m-%d %H:%M:%S} UTC"),
            *info.meta.items(),
        ]
    )


@group.command(
    epilog=examples("memoryd checkpoint save build state.bin", "memoryd checkpoint save build - --expected 3")
)
@placed
def save(
    thread: Thread,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The state, at most 3.5 MiB; - is stdin.")],
    *,
    expected: Annotated[
        int | None,
        typer.Option("--expected", min=0, metavar="N", help="Refuse where another version is the newest."),
    ] = None,
    at: InProject,
    as_json: Json = False,
) -> None:
    """Keep a file's bytes as a thread's newest state, and print its version. Nothing in them is redacted."""
    data = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    with at.connect() as memory:
        saved = memory.save_checkpoint(thread, data, expected=expected)
    if as_json:
        out_json(saved)
    else:
        out(str(saved.version))


@group.command(
    epilog=examples("memoryd checkpoint load build > state.bin", "memoryd checkpoint load build --out state.bin")
)
@placed
def load(
    thread: Thread,
    *,
    version: Version = None,
    target: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Write it there, not to stdout.")] = None,
    at: InProject,
) -> None:
    """Write a state's bytes to stdout or to a file."""
    with at.connect() as memory:
        found = _loaded(memory, at.owner, thread, version)
    if target is not None:
        target.touch(mode=0o600)
        target.write_bytes(found.data)
    else:
        sys.stdout.buffer.write(found.data)
        sys.stdout.buffer.flush()


@group.command(epilog=examples("memoryd checkpoint delete build", "memoryd checkpoint delete build --purge"))
@placed
def delete(
    thread: Thread,
    *,
    version: Annotated[int | None, typer.Option("--version", min=1, metavar="N", help="Only this one.")] = None,
    purge: Annotated[bool, typer.Option("--purge", help="Out of every backup, too, and out of the files.")] = False,
    at: InProject,
) -> None:
    """Delete all states of a thread, or one."""
    with at.connect() as memory:
        note(memory.delete_checkpoint(thread, version=version, purge=purge))


def _loaded(memory: "Client", owner: str, thread: str, version: int | None) -> "Checkpoint":
    found = memory.load_checkpoint(thread, version=version)
    if found is None:
        threads = list(dict.fromkeys(one.thread for one in memory.list_checkpoints(limit=1000)))
        named = ", ".join(map(repr, threads[:_THREADS])) + (" and others" if len(threads) > _THREADS else "")
        raise CommandFailed(
            f"the owner {owner!r} has no checkpoint of the thread {thread!r}; "
            + (f"there are some of {named}" if threads else "nor has it any of another thread"),
            "Name the thread and the --owner that saved it; `memoryd checkpoint list` shows what is kept.",
        )
    return found
