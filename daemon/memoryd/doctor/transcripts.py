"""What was said: every line of every transcript, what is written down about it, and whether it can be found."""

import os
import shlex
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from memoryd.doctor.finding import Finding, fail, ok, quoted, warn
from memoryd_client.base.paths import Paths
from memoryd_client.base.wording import counted

if TYPE_CHECKING:
    from memoryd.transcripts.metadata import Metadata

NAME = "transcripts"
_NAMED = 20
"""Damaged lines that a sentence names; the finding has all of them."""


class Looked(msgspec.Struct):
    """A session as its files are."""

    folder: Path
    written: "Metadata | None" = None
    """What its metadata say; None: nothing that can be read."""
    size: int = 0
    """Bytes of the file."""
    counted: "Metadata | None" = None
    """What its lines say; None: they cannot be read."""
    damaged: list[int] = msgspec.field(default_factory=list[int])
    """Lines, from 1."""
    numbers: set[int] = msgspec.field(default_factory=set[int])
    """Of the entries that are to be found by a search."""
    trouble: str = ""
    """Why it could not be read."""

    @property
    def name(self) -> str:
        """The session, or where nobody can tell its folder."""
        return self.written.id if self.written else self.folder.name

    @property
    def lost(self) -> int:
        """How many entries cannot be read, as far as the numbers tell."""
        if self.counted is None:
            return 0
        last = max(self.counted.last, self.written.last if self.written else 0)
        return last - self.counted.entry_count


def look(paths: Paths) -> list[Looked]:
    """Read every transcript; changes nothing. Blocks, about 8 ms per MB, 3 of which are the decoding.

    Raises:
        ModuleNotFoundError: the daemon's packages are missing.
    """
    from memoryd.transcripts.places import LINES

    found: list[Looked] = []
    for owner in _folders(paths.transcripts):
        found += [_looked(folder) for folder in _folders(owner) if (folder / LINES).exists()]
    return found


def _looked(folder: Path) -> Looked:
    from memoryd.transcripts import metadata
    from memoryd.transcripts.places import LINES
    from memoryd.transcripts.scanning import places

    # Before the lines: a daemon that is at work may append some, and then writes down that it did.
    session = Looked(folder, metadata.read(folder))
    counted = metadata.Metadata(id=session.name, user_id=session.written.user_id if session.written else "")
    try:
        with (folder / LINES).open("rb") as file:
            session.size = os.fstat(file.fileno()).st_size
            for place in places(file):
                if place.line is not None:
                    counted.count(place.line)
                    if not place.line.covers:
                        session.numbers.add(place.line.seq)
                elif place.damaged and place.text.endswith(b"\n"):
                    session.damaged.append(place.number)
    except OSError as exc:
        session.trouble = exc.strerror or str(exc)
        return session
    session.counted = counted
    return session


def examine_shared_transcripts(paths: Paths) -> Finding:
    """Look whether what was said is in the ledger that daemons share."""
    waiting = sum(
        (folder / "session.jsonl").exists() for owner in _folders(paths.transcripts) for folder in _folders(owner)
    )
    if waiting:
        what = f"in files of this home, and not in the database of ledger.url: {counted(waiting, 'transcript')}"
        return warn(NAME, what, "memoryd restart")
    return ok(NAME, "what was said is in the database of ledger.url")


def examine_transcripts(paths: Paths, sessions: list[Looked]) -> Iterator[Finding]:
    """Look at what was read of the transcripts."""
    if not paths.transcripts.exists():
        yield ok(NAME, "nothing was said yet")
        return
    yield from _readable_by_others(paths.transcripts)
    for session in sessions:
        if session.trouble:
            yield fail(NAME, f"{session.folder} cannot be read: {session.trouble}", f"ls -l {quoted(session.folder)}")
        elif session.damaged or session.lost > 0:
            yield _damage(paths, session)
        elif disagreement := _disagreement(paths, session):
            yield disagreement
    yield _summary(sessions)


def _summary(sessions: list[Looked]) -> Finding:
    known = [session.counted for session in sessions if session.counted is not None]
    numbers = {
        "sessions": len(sessions),
        "entries": sum(session.entry_count for session in known),
        "messages": sum(session.message_count for session in known),
        "damaged_lines": sum(len(session.damaged) for session in sessions),
        "unreadable_entries": sum(max(0, session.lost) for session in sessions),
        "compacted_sessions": sum(bool(session.summarized) for session in known),
        "archived_entries": sum(sum(number <= about.summarized for number in session.numbers)
                                for session in sessions if (about := session.counted) is not None),
    }  # fmt: skip
    said = (
        f"{counted(numbers['sessions'], 'session')} with {counted(numbers['entries'], 'entry')}, "
        f"{numbers['messages']} of them messages; "
        f"{numbers['archived_entries']} archived, in {counted(numbers['compacted_sessions'], 'session')}"
    )
    return Finding(NAME, "ok", said, numbers=numbers)


def _damage(paths: Paths, session: Looked) -> Finding:
    from memoryd.transcripts.aside import ASIDE
    from memoryd.transcripts.mending import mendable
    from memoryd.transcripts.places import LINES

    file = session.folder / LINES
    lines = ", ".join(map(str, session.damaged[:_NAMED])) + (" and more" if len(session.damaged) > _NAMED else "")
    which = (
        f"line{'s' * (len(session.damaged) > 1)} {lines} of it cannot be read"
        if session.damaged
        else "lines of it are gone"
    )
    what = f"{file} (session {session.name!r}): {which}, {counted(max(session.lost, 0), 'entry')} in all"
    copy = paths.transcripts_copy.joinpath(*session.folder.parts[-2:])
    try:
        back = mendable(file, copy) if session.damaged else 0
    except OSError:
        back = 0
    if back:
        owner = session.written.user_id if session.written else ""
        named = f"{shlex.quote(session.name)} --owner {shlex.quote(owner)}" if owner else shlex.quote(session.name)
        mend = f"memoryd restart; memoryd session show {named}  # brings {back} back from {copy}"
    elif (copy / LINES).exists():
        mend = (
            f"the copy {copy / LINES} does not have them, or was taken later: with memoryd stopped, put right lines "
            f"into {quoted(file)}, which are read at the next start"
        )
    else:
        mend = (
            f"there is no copy of it: with memoryd stopped, put right lines into {quoted(file)}, which are read at the "
            f"next start; memoryd backup keeps a copy from now on"
        )
    if session.damaged:
        mend += f"; nothing is lost: memoryd keeps damaged lines in {ASIDE} beside it"
    numbers = {"damaged_lines": len(session.damaged), "unreadable_entries": max(session.lost, 0)}
    return Finding(NAME, "fail", what, mend, numbers, str(file), tuple(session.damaged))


def _disagreement(paths: Paths, session: Looked) -> Finding | None:
    """Return how a session's metadata differ from its lines; None where they do not, or are only older."""
    from memoryd.transcripts.places import METADATA, session_folder
    from memoryd.transcripts.session_file import whose

    file, written, known = session.folder / METADATA, session.written, session.counted
    mend = "memoryd restart  # writes it anew from the lines"
    if known is None:
        return None
    if written is None:
        if whose(session.folder, paths.transcripts_copy.joinpath(*session.folder.parts[-2:])):
            return warn(NAME, f"{file} cannot be read", mend)
        what = f"{file} cannot be read, and nobody can tell whose session this is: it is listed nowhere"
        named = f"""with memoryd stopped, write {{"id": "SESSION", "userId": "OWNER"}} into {quoted(file)}"""
        return fail(NAME, what, named)
    if session_folder(session.folder.parent.parent, written.user_id, written.id) != session.folder:
        right = session_folder(session.folder.parent.parent, written.user_id, written.id)
        return warn(
            NAME,
            f"{file} is of the session {written.id!r} of {written.user_id!r}, which is not looked for here",
            f"with memoryd stopped: mv {quoted(session.folder)} {quoted(right)}",
        )
    compared = ("entry_count", "message_count", "last", "summarized", "last_summarized_turn", "summary")
    counts = {name: (getattr(written, name), getattr(known, name)) for name in compared}
    wrong = [f"{name} is {noted} and should be {right}" for name, (noted, right) in counts.items() if noted != right]
    if wrong and written.bytes == session.size:
        return warn(NAME, f"{file} does not fit its lines: {'; '.join(wrong)}", f"rm {quoted(file)}; {mend}")
    return None


def _readable_by_others(root: Path) -> Iterator[Finding]:
    """Find what others could read if they came so far; the home's own mode keeps them out as long as it is right."""
    uid = os.geteuid()
    foreign = open_to_others = 0
    first = ""
    for folder, _, files in os.walk(root):
        for path in (folder, *(os.path.join(folder, name) for name in files)):
            try:
                status = os.lstat(path)
            except OSError:
                continue  # it is gone meanwhile
            foreign += status.st_uid != uid
            open_to_others += bool(stat.S_IMODE(status.st_mode) & 0o077)
            if not first and (status.st_uid != uid or stat.S_IMODE(status.st_mode) & 0o077):
                first = path
    if foreign:
        what = f"{counted(foreign, 'file')} in {root} of somebody else, {first} among them"
        yield fail(NAME, what, f"sudo chown -R {uid} {quoted(root)}")
    elif open_to_others:
        what = f"others may read {counted(open_to_others, 'path')} in {root}, {first} among them"
        yield warn(NAME, what, f"chmod -R go= {quoted(root)}")


def _folders(root: Path) -> list[Path]:
    try:
        return sorted(folder for folder in root.iterdir() if folder.is_dir())
    except OSError:
        return []
