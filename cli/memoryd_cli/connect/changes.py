"""Works out what connecting and disconnecting change in which file, and does it, whole or not at all in each."""

import difflib
import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import msgspec

from memoryd_cli.base.failures import CommandFailed
from memoryd_cli.connect.edit import ByHand, Edit, Malformed, difference, undone
from memoryd_cli.connect.hosts import Host, Scene
from memoryd_cli.connect.journal import ConnectedHost, FileEntry, Journal, digest, load, replace, save
from memoryd_cli.connect.parts import Hook, Json, Own, Part
from memoryd_cli.connect.program import hook_text
from memoryd_client.base.paths import Paths


class Change(msgspec.Struct, frozen=True):
    """One file as it is and as it should be."""

    path: Path
    before: str | None
    after: str | None
    """None where the file is to go."""
    mode: int | None = None
    done: FileEntry | None = None
    """What the journal is to say of it; None: nothing any more."""
    paste: str = ""
    """What somebody has to put into it by hand."""
    why: str = ""
    """Why somebody has to."""

    @property
    def real(self) -> bool:
        """Whether the file itself changes, or its mode."""
        if self.mode is None or self.before is None or self.before != self.after:
            return self.before != self.after
        return stat.S_IMODE(self.path.stat().st_mode) != self.mode

    def difference(self) -> str:
        """Return the change as a unified difference."""
        before, after = (text.splitlines(keepends=True) if text else [] for text in (self.before, self.after))
        old, new = (str(self.path) if text is not None else "/dev/null" for text in (self.before, self.after))
        lines = difflib.unified_diff(before, after, old, new)
        return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


class Connector(msgspec.Struct, frozen=True):
    """Connects hosts to one daemon, and disconnects them."""

    paths: Paths
    scene: Scene

    @property
    def _book(self) -> Path:
        return self.paths.home / "connections.json"

    def journal(self) -> Journal:
        """Return what has been connected."""
        return load(self._book)

    def holder(self, host: Host) -> ConnectedHost:
        """Return a host as the journal names it."""
        return ConnectedHost(host.name, str(self.scene.project or ""))

    def parts(self, host: Host) -> tuple[Part, ...]:
        """Return all that belongs to a host's connection, the hook program included."""
        parts = host.parts(self.scene)
        hooks = any(isinstance(entry, Hook) for part in parts if isinstance(part, Json) for entry in part.entries)
        program = Own(self.scene.programs.hook, hook_text(self.paths), 0o700)
        return (program, *parts) if hooks else parts

    def connecting(self, host: Host) -> list[Change]:
        """Return what has to change so that a host is connected; also what is as it should be and only to be noted.

        Raises:
            CommandFailed: a file cannot be understood, or somebody else's entry is in the way. Nothing is changed.
        """
        journal, holder = self.journal(), self.holder(host)
        return [self._connecting(part, journal.files.get(str(part.path)), holder) for part in self.parts(host)]

    def _connecting(self, part: Part, known: FileEntry | None, holder: ConnectedHost) -> Change:
        before = read(part.path)
        try:
            edit = _edited(part, before)
        except ByHand as left:
            return Change(part.path, before, before, done=known, paste=left.text, why=str(left))
        if before is None and not edit.changed:
            return Change(part.path, None, None)
        known = None if before is None or _is_past(known, part, before, holder) else known
        done = FileEntry(existed=before is not None) if known is None else known
        if known is None:
            splices, fresh = edit.splices, digest(edit.text)
        elif not edit.changed:
            splices, fresh = known.splices, known.digest
        elif before is not None and digest(before) == known.digest:
            splices, fresh = [*known.splices, *edit.splices], digest(edit.text)
        else:
            # Of a file that somebody has changed since, no bytes can be given back: entries are taken out instead.
            splices, fresh = [], ""
        holders = [*done.holders, *([] if holder in done.holders else [holder])]
        done = FileEntry(holders, done.existed, done.made, fresh, splices)
        return Change(part.path, before, edit.text if edit.changed else before, part.mode, done)

    def disconnecting(self, host: Host) -> list[Change]:
        """Return what has to change so that nothing of a host's connection is left.

        Raises:
            CommandFailed: a file cannot be understood. Nothing is changed.
        """
        journal, holder = self.journal(), self.holder(host)
        parts = {str(part.path): part for part in self.parts(host)}
        files = dict.fromkeys([*journal.of(holder), *parts])
        return [self._disconnecting(Path(file), parts.get(file), journal.files.get(file), holder) for file in files]

    def _disconnecting(self, path: Path, part: Part | None, known: FileEntry | None, holder: ConnectedHost) -> Change:
        before = read(path)
        others = [other for other in known.holders if other != holder] if known else []
        shared = path == self.scene.programs.hook and known is None and bool(self.journal().holders() - {holder})
        if known is not None and others:
            left = FileEntry(others, known.existed, known.made, known.digest, known.splices)
            return Change(path, before, before, None, left)
        if before is None or shared:
            return Change(path, before, before)
        if known is not None and known.splices and digest(before) == known.digest:
            text = undone(before, known.splices)
            return Change(path, before, text if known.existed else None)
        if part is None:
            return Change(path, before, before)
        edit = _stripped(part, before)
        # Without a note of it, a file that others may write into is left, however little is in it.
        made = isinstance(part, Own) or (isinstance(part, Json) and part.alone) or bool(known and not known.existed)
        gone = edit.changed and made and part.hollow(edit.text)
        return Change(path, before, None if gone else edit.text)

    def states(self, host: Host) -> Iterator[tuple[Path, bool | None]]:
        """Yield each file and whether it is as it should be; None: our part is there, and not as it should be."""
        for part in self.parts(host):
            before = read(part.path)
            there = before is not None and _stripped(part, before).changed
            try:
                lacking = _edited(part, before).changed
            except ByHand:
                lacking = True
            if lacking:
                yield part.path, None if there else False
            elif there:
                yield part.path, True

    def apply(self, changes: list[Change]) -> None:
        """Change the files.

        Raises:
            CommandFailed: a file was changed by somebody else in the meantime, or cannot be written.
        """
        journal = self.journal()
        emptied: set[str] = set()
        for change in changes:
            if change.real and read(change.path) != change.before:
                raise CommandFailed(f"{change.path} has just been changed by somebody else", "Run it again.")
            name = str(change.path)
            was = journal.files.get(name)
            made = journal.files.get(name, FileEntry()).made
            if change.done is not None:
                change.done.made = made or _missing(change.path)
                # Before the file: what was begun can then be taken back.
                journal.files[name] = change.done
                save(self._book, journal)
            if change.real:
                try:
                    self._write(change)
                except OSError as failed:
                    journal.files = {file: entry for file, entry in journal.files.items() if file != name}
                    save(self._book, Journal(journal.files if was is None else {**journal.files, name: was}))
                    raise CommandFailed(
                        f"{change.path} cannot be written: {failed.strerror}",
                        "Make it writable, or change by hand what `--dry-run` shows.",
                    ) from failed
            if change.done is None and journal.files.pop(name, None) is not None:
                save(self._book, journal)
            if change.after is None:
                emptied.update(made)
        if not journal.files:
            self._book.unlink(missing_ok=True)
        for folder in sorted(emptied, key=len, reverse=True):
            with suppress(OSError):  # somebody else has put something into it
                Path(folder).rmdir()

    def _write(self, change: Change) -> None:
        if change.after is None:
            # Of a link only what it leads to was made.
            Path(os.path.realpath(change.path)).unlink(missing_ok=True)
            return
        self.paths.home.mkdir(parents=True, exist_ok=True, mode=0o700)
        change.path.parent.mkdir(parents=True, exist_ok=True)
        replace(change.path, change.after.encode(), mode=change.mode)

    def note(self, host: Host, path: Path, before: str | None) -> None:
        """Note what a host itself has changed in a file on our behalf, so that disconnecting takes it back, too."""
        journal, after = self.journal(), read(path)
        if after is None or after == before:
            return
        done = journal.files.setdefault(
            str(path), FileEntry([self.holder(host)], existed=before is not None, digest=digest(before or ""))
        )
        known = done.digest == digest(before or "")
        done.splices = [*done.splices, difference(before or "", after)] if known else []
        done.digest = digest(after) if known else ""
        save(self._book, journal)


def read(path: Path) -> str | None:
    """Return what stands in a file; None where there is none.

    Raises:
        CommandFailed: it cannot be read, or is no UTF-8.
    """
    try:
        if path.exists() and not path.is_file():
            raise CommandFailed(f"{path} is no file", "Move it away; nothing was changed.")
        return path.read_bytes().decode()
    except FileNotFoundError:
        return None
    except OSError as failed:
        raise CommandFailed(f"{path} cannot be read: {failed.strerror}", "Nothing was changed.") from failed
    except UnicodeDecodeError as wrong:
        raise CommandFailed(f"{path} cannot be read: {wrong}", "It was left as it is.") from None


def _edited(part: Part, text: str | None) -> Edit:
    edit = Edit(text)
    try:
        part.merge(edit)
    except ByHand:
        raise
    except Malformed as wrong:
        raise CommandFailed(f"{part.path}: {wrong}", "Mend it, or move it away; nothing was changed.") from None
    return edit


def _is_past(known: FileEntry | None, part: Part, before: str, holder: ConnectedHost) -> bool:
    """Return whether nothing of what was noted stands in a file: a kill came between the note and the file."""
    return (
        known is not None
        and known.holders == [holder]
        and digest(before) != known.digest
        and not _stripped(part, before).changed
    )


def _stripped(part: Part, text: str) -> Edit:
    edit = Edit(text)
    try:
        part.strip(edit)
    except Malformed as wrong:
        raise CommandFailed(f"{part.path}: {wrong}", "Mend it; nothing was changed.") from None
    return edit


def _missing(path: Path) -> list[str]:
    """Return the folders that have to be made for a file, the outermost first."""
    return [str(folder) for folder in reversed(path.parents) if not folder.exists()]
