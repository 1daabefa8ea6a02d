"""`memoryd session export` and `import`: transcripts taken along, line by line."""

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO

import msgspec
import typer

from memoryd_cli.base.failures import CommandFailed
from memoryd_cli.base.options import Agent, Autostart, InSession, Json, Owner, Session, connect, examples, placed
from memoryd_cli.base.output import note, out, out_json
from memoryd_client.transcript_lines import Header, decode_any, encode, exported, form_of, identified, record
from memoryd_client.wire.transcripts import Appended, TranscriptRecord

if TYPE_CHECKING:
    from memoryd_client.client import Client
    from memoryd_client.wire.transcripts import SessionInfo

PAGE = 1_000
AT_ONCE = 10_000
"""Entries that are held before they are sent."""


def add_to(group: typer.Typer) -> None:
    """Register the commands."""
    group.command(
        epilog=examples("memoryd session export s1 > s1.jsonl", "memoryd session export --all > sessions.jsonl")
    )(export)
    group.command(
        "import", epilog=examples("memoryd session import sessions.jsonl", "memoryd session import - < s1.jsonl")
    )(import_)


def export(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[SESSION]...", help="Which. [default: --session]")
    ] = None,
    *,
    everything: Annotated[bool, typer.Option("--all", help="Every session of the owner.")] = False,
    session: Session = "",
    agent: Agent = "cli",
    owner: Owner = "local",
    autostart: Autostart = False,
) -> None:
    """Print transcripts as JSON lines: what `memoryd session import` brings back whole.

    A session begins with a line of the type `session`; its entries follow as they are kept, in the order in which they
    were said.
    """
    wanted = [name for name in (names or [session]) if name]
    if not wanted and not everything:
        raise CommandFailed("no session is named", "Name it, or take --all.")
    with connect(session, "", agent, owner, autostart=autostart) as memory:
        listed = {one.session: one for one in _sessions(memory)}
        chosen = list(listed) if everything else wanted
        missing = [name for name in chosen if name not in listed]
        if missing:
            raise CommandFailed(
                f"there is no transcript of {missing[0]}", "`memoryd session list` shows which there are."
            )
        for name in chosen:
            one = listed[name]
            out(encode(Header(session=name, project=one.project, agent=one.agent)).decode())
            for entry in _entries(memory, name):
                out(exported(entry).decode().rstrip("\n"))
            if one.missing:
                note(
                    f"{name}: {one.missing} of its {one.last} entries left out, as lines are damaged; "
                    "`memoryd doctor` says which"
                )


@placed
def import_(
    source: Annotated[str, typer.Argument(metavar="FILE", help="JSON lines; - is stdin.")],
    *,
    at: InSession,
    as_json: Json = False,
) -> None:
    """Bring transcripts in that `memoryd session export` printed: every entry as it was, in its session.

    A line that names no session belongs to --session. A line may do without id and number. Everything passes the gate:
    secrets are replaced, private blocks taken out. An entry that is there already, by its id, stays as it is: importing
    twice changes nothing.
    """
    done: dict[str, Appended] = {}
    with at.connect() as memory:
        for header, records in _batches(source, at.session):
            brought = memory.import_transcript(
                header.session, records, project=header.project, agent=header.agent or at.agent
            )
            before = done.get(header.session, Appended(last=0, stored=0))
            done[header.session] = Appended(
                last=brought.last,
                stored=before.stored + brought.stored,
                known=before.known + brought.known,
                left_out=before.left_out + brought.left_out,
            )
    if as_json:
        out_json(
            {name: {"stored": one.stored, "known": one.known, "left_out": one.left_out} for name, one in done.items()}
        )
        return
    for name, one in done.items():
        note(f"{name}: {one.stored} stored, {one.known} known already, {one.left_out} left out")
    if not done:
        note("there is nothing in it")


def _sessions(memory: "Client") -> Iterator["SessionInfo"]:
    offset = 0
    while page := memory.sessions(limit=PAGE, offset=offset):
        yield from page
        offset += len(page)


def _entries(memory: "Client", session: str) -> Iterator[TranscriptRecord]:
    after = 0
    while page := memory.messages(session, after=after, limit=PAGE).entries:
        yield from page
        after = page[-1].sequence


def _batches(source: str, session: str) -> Iterator[tuple[Header, list[TranscriptRecord]]]:
    """Yield what belongs to one session and stands together, a part at a time."""
    current = Header(session=session)
    records: list[TranscriptRecord] = []
    for header, one in _read(source, session):
        if records and (header != current or len(records) == AT_ONCE):
            yield current, records
            records = []
        current = header
        records.append(one)
    if records:
        yield current, records


def _read(source: str, session: str) -> Iterator[tuple[Header, TranscriptRecord]]:
    header = Header(session=session)
    stood = Counter[tuple[str, bytes]]()
    with _opened(source) as lines:
        for number, text in enumerate(lines, start=1):
            if not text.strip():
                continue
            try:
                found = decode_any(text)
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as exc:
                raise CommandFailed(f"{source}, line {number}: {exc}", f"A line is {form_of(text)}.") from exc
            if isinstance(found, Header):
                header = found
                continue
            name = found.session or header.session
            if not name:
                raise CommandFailed(f"{source}, line {number}: it names no session", "Name one: --session.")
            if name != header.session:
                header = Header(session=name)
            yield header, record(identified(found, text, stood[name, text]), name)
            stood[name, text] += 1


def _opened(source: str) -> BinaryIO:
    if source == "-":
        return sys.stdin.buffer
    try:
        return Path(source).open("rb")
    except OSError as exc:
        raise CommandFailed(f"{source} cannot be read: {exc.strerror}") from exc
