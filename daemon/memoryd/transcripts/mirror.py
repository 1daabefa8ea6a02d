"""The copy of all transcripts beside the ledger's backups: one, that grows with them line by line.

A transcript is only ever appended to, so that its copy needs its new lines alone: a backup of a million messages costs
what was said since the last one. What is lost or spoilt here stays there; what is purged goes from both.
"""

import logging
import os
from itertools import count
from pathlib import Path

from memoryd.private_folder import private_folder
from memoryd.rewriting import rewriting
from memoryd.transcripts.aside import ASIDE
from memoryd.transcripts.places import LINES, METADATA

log = logging.getLogger(__name__)

_PIECE = 1024 * 1024
_PROBE = 4096
"""Bytes at the end of a copy that have to be those of the transcript: otherwise it is another one."""


def mirror(root: Path, target: Path) -> int:
    """Bring the copy in `target` up to the transcripts in `root`; return how many sessions had something new. Blocks.

    Raises:
        OSError: it cannot be read or written. What was copied before stays, and the next time goes on from there.
    """
    if not root.exists():
        return 0
    private_folder(target)
    changed = 0
    failed: list[OSError] = []
    for owner in sorted(folder for folder in root.iterdir() if folder.is_dir()):
        for session in sorted(folder for folder in owner.iterdir() if (folder / METADATA).exists()):
            try:
                changed += _session(session, target / owner.name / session.name)
            except OSError as exc:  # one that cannot be read keeps no other from being copied
                log.warning("%s is not copied: %s", session, exc)
                failed.append(exc)
    if failed:
        raise failed[0]
    return changed


def forget(target: Path, owner: str, session: str) -> None:
    """Destroy every copy of a session; the names are those of its folders. Blocks."""
    folder = target / owner / session
    if folder.exists():
        for file in folder.iterdir():
            file.unlink()
        folder.rmdir()


def _session(source: Path, target: Path) -> bool:
    """Copy what is new of one session; its lines first, what is known of it last."""
    lines, copy = source / LINES, target / LINES
    if not lines.exists():
        return False
    private_folder(target.parent)
    private_folder(target)
    with lines.open("rb") as new:
        at = _same(new.fileno(), copy)
        if at is None:
            # Put back as it was earlier, or spoilt: the copy may be the better one, and is kept under another name.
            numbers = (copy.with_name(f"{LINES}.{number}") for number in count(1))
            aside = next(name for name in numbers if not name.exists())
            log.warning("%s is no longer what %s was copied from, which is now %s", lines, copy, aside.name)
            copy.rename(aside)
            at = 0
        end = _last_line(new.fileno(), at)
        if end > at:
            _append(new.fileno(), copy, at, end)
    if (source / ASIDE).exists():
        _write(target / ASIDE, (source / ASIDE).read_bytes())
    known = (source / METADATA).read_bytes()
    written = target / METADATA
    if end == at and written.exists() and written.read_bytes() == known:
        return False
    _write(written, known)
    return True


def _same(source: int, copy: Path) -> int | None:
    """Return up to where the copy has the source's lines; None where it has others."""
    try:
        with copy.open("r+b") as file:
            size = os.fstat(file.fileno()).st_size
            start = max(0, size - _PROBE)
            if os.pread(source, size - start, start) == os.pread(file.fileno(), size - start, start):
                return size
            # A copy that was broken off in the middle of a line goes on after its last whole one.
            whole = _last_line(file.fileno(), 0)
            start = max(0, whole - _PROBE)
            if os.pread(source, whole - start, start) != os.pread(file.fileno(), whole - start, start):
                return None
            os.ftruncate(file.fileno(), whole)
            return whole
    except FileNotFoundError:
        return 0


def _last_line(file: int, at: int) -> int:
    """Return where the last whole line from `at` on ends."""
    end = os.fstat(file).st_size
    while end > at:
        start = max(at, end - _PIECE)
        found = os.pread(file, end - start, start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        end = start
    return at


def _append(source: int, copy: Path, at: int, end: int) -> None:
    target = os.open(copy, os.O_WRONLY | os.O_CREAT, 0o600)
    try:
        while at < end:
            piece = os.pread(source, min(_PIECE, end - at), at)
            if not piece:
                break
            at += os.pwrite(target, piece, at)
        os.fsync(target)
    finally:
        os.close(target)


def _write(file: Path, content: bytes) -> None:
    with rewriting(file) as target:
        target.write(content)
