"""Transcripts that stand in files of a home whose ledger is shared: brought into that. Blocks.

Each session is one transaction, and its files go after it. Where the process dies in between, what is in the ledger
already is known by its ids, and only the files have to go.
"""

import logging
import secrets
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from sqlalchemy import Connection, Engine

from memoryd.home_name import home_name
from memoryd.ledger import progressing, transcribing
from memoryd.ledger.sharing import NODE
from memoryd.ledger.transcribing import EntryRow, SharedTranscript
from memoryd.ledger.writer import take_turn
from memoryd.transcripts import mirror
from memoryd.transcripts.jsonl import translated
from memoryd.transcripts.lines import encode
from memoryd.transcripts.places import LINES, session_folder
from memoryd.transcripts.scanning import Place, places
from memoryd.transcripts.session_file import SessionFile, describe, destroy
from memoryd_actors.memory.progress import FILES_GONE, PURGED_ENTRIES, PURGED_SESSION, Progress
from memoryd_actors.ports.transcripts import Key
from memoryd_client.base.paths import Paths

log = logging.getLogger(__name__)

_numbers = msgspec.json.Decoder(tuple[int, ...]).decode


def waits(paths: Paths) -> bool:
    """Return whether there is a transcript in files."""
    return any(describe(folder) is not None for folder in _folders(paths.transcripts))


def bring_over(paths: Paths, engine: Engine) -> int:
    """Bring every transcript over; return how many that were. One that cannot be read stays where it is.

    What a session has in the ledger already, because it was held at several machines, is followed by what it has here.

    Raises:
        DiskFull: a purge that was interrupted cannot be finished in files, for want of space.
        Unavailable: it cannot be for another reason, or the ledger does not answer.
    """
    home = home_name(paths.home)
    writing = engine.execution_options(**{"memoryd_writes": True, NODE: secrets.token_hex(8)})
    with writing.begin() as connection:
        marked = progressing.of_home(connection, home)
    for one in marked:
        if one.job in {PURGED_SESSION, PURGED_ENTRIES}:
            with translated(paths.transcripts):
                _finish_purge(paths, one)
    brought = 0
    for folder in _folders(paths.transcripts):
        if (described := describe(folder)) is None:
            continue
        try:
            file = SessionFile(folder, described[0].user_id, described[0].id, _copy(paths, folder))
            with writing.begin() as connection:
                take_turn(connection)
                of_it = [one for one in marked if (one.owner, one.session) == _key(file)]
                _bring(connection, file, described[0].last, of_it)
                progressing.drop_home(connection, home, *_key(file))
            brought += 1
            _remove(paths, folder)
        except OSError as exc:
            log.warning("%s stays where it is: %s", folder, exc)
    with writing.begin() as connection:
        take_turn(connection)
        for one in progressing.of_home(connection, home):
            if (session_folder(paths.transcripts, one.owner, one.session) / LINES).exists():
                continue  # it is brought over when it can be read
            if one.job == PURGED_SESSION:
                progressing.put(connection, msgspec.structs.replace(one, sequence=FILES_GONE), datetime.now(UTC))
            progressing.drop_home(connection, home, one.owner, one.session)
    return brought


def _bring(connection: Connection, file: SessionFile, last: int, marked: list[Progress]) -> None:
    """Put a transcript into the ledger, and how far jobs are with it; `last` is its highest number that was noted."""
    there = transcribing.find(connection, _key(file))
    before, now = there.about.last, datetime.now(UTC)
    if there.number:
        _join(connection, file, there)
        # Its entries have other numbers here than the index of this home has them by.
        transcribing.note_erased(connection, there.key)
    else:
        # The file counts damaged lines at its end as well, on the way back once more.
        last = max([last, *(place.line.seq for place in _read(file) if place.line is not None)])
        about = msgspec.structs.replace(file.metadata, bytes=0, last=last)
        transcribing.add(connection, msgspec.structs.replace(there, about=about), map(_as_it_is, _read(file)))
    for one in marked:
        known = progressing.get(connection, one.owner, one.session, one.job)
        if one.job == PURGED_SESSION:
            progressing.put(connection, msgspec.structs.replace(one, sequence=FILES_GONE), now)
        elif one.job == PURGED_ENTRIES:
            transcribing.note_erased(connection, there.key)
        elif not there.number and known is None:
            progressing.put(connection, one, now)
        elif known is not None and known.sequence >= before > 0 and one.sequence >= file.last:
            # Done here as there: with all of it.
            progressing.put(connection, msgspec.structs.replace(known, sequence=there.about.last), now)


def _join(connection: Connection, file: SessionFile, there: SharedTranscript) -> None:
    """Add what a transcript in the ledger does not have yet at its end. Summaries tell of other numbers: not those."""
    about = there.about
    damaged = transcribing.unreadable(connection, there.number)
    known = transcribing.known(connection, there, [place.line.id for place in _read(file) if place.line is not None])
    rows: list[EntryRow] = []
    for place in _read(file):
        line = place.line
        if line is None:
            row = _as_it_is(place)
            if place.damaged and row.text not in damaged:
                rows.append(row)
        elif not line.covers and transcribing.stored_id(line.id) not in known:
            line.seq = about.last + 1
            about.count(line)
            rows.append(EntryRow(encode(line), line.seq, line.id))
    if rows:
        about.agents = [*dict.fromkeys((*about.agents, *file.metadata.agents))]
        transcribing.add(connection, there, rows)


def _finish_purge(paths: Paths, left: Progress) -> None:
    """Take what is purged out of the files, as far as it stands there still."""
    folder = session_folder(paths.transcripts, left.owner, left.session)
    if not (folder / LINES).exists() or left.sequence == FILES_GONE:
        return
    file = SessionFile(folder, left.owner, left.session)
    if left.job == PURGED_ENTRIES:
        file.erase(_numbers(left.detail))
    elif file.last <= left.sequence:
        _remove(paths, folder)
    else:
        file.erase(range(1, left.sequence + 1))


def _as_it_is(place: Place) -> EntryRow:
    line = place.line
    text = place.text.removesuffix(b"\n")
    return EntryRow(text, None) if line is None else EntryRow(text, line.seq, line.id)


def _read(file: SessionFile) -> Iterator[Place]:
    with (file.folder / LINES).open("rb") as stream:
        yield from places(stream)


def _remove(paths: Paths, folder: Path) -> None:
    """Destroy the copies of a session's files, and then these: as long as one is left, the next start finds it."""
    mirror.forget(paths.transcripts_copy, *folder.parts[-2:])
    destroy(folder)
    if not any(folder.parent.iterdir()):
        folder.parent.rmdir()


def _key(file: SessionFile) -> Key:
    return file.metadata.user_id, file.metadata.id


def _copy(paths: Paths, folder: Path) -> Path:
    return paths.transcripts_copy.joinpath(*folder.parts[-2:])


def _folders(root: Path) -> list[Path]:
    owners = sorted(root.iterdir()) if root.exists() else []
    return [folder for owner in owners if owner.is_dir() for folder in sorted(owner.iterdir()) if folder.is_dir()]
