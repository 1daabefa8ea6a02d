"""`memoryd export --whole`, and `memoryd import` of what it writes: a home taken along, without its daemon."""

import os
import sys
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

from memoryd_cli.base import streams
from memoryd_cli.base.failures import CommandFailed
from memoryd_cli.base.output import note, out, out_json, printable
from memoryd_client.base.paths import Paths
from memoryd_client.base.wording import counted

if TYPE_CHECKING:
    from memoryd.moving.archive import ArchiveEnd, Setting

OF_ONE_MACHINE = frozenset({"ledger.url", "index.url", "embedding.folder", "ipc.tcp"})
"""Settings that say where something is, and may hold a password; and where a network is let in."""
_EVERY = 1_000
"""Lines between two words about how far it is."""


def export_whole(file: Path | None, *, force: bool, as_json: bool) -> None:
    """Write everything to a file, or to stdout, and say what its digest is."""
    from memoryd.config import load
    from memoryd.moving.leaving import leave

    if file is None and (as_json or sys.stdout.isatty()):
        raise CommandFailed("an archive is no text for a terminal", "Name a file.")
    if file is not None and file.exists() and not (force and file.is_file()):
        raise CommandFailed(f"{file} exists already", "Choose another name, or take --force.")
    paths = Paths.from_environment()
    settings, kept_back = _portable(paths.config)
    with _target(file) as stream, _counting("exported") as advance:
        done = leave(paths, load(paths.config).ledger, stream, settings=settings, advance=advance)
    for reason in (*done.left_out, *kept_back):
        note(printable(f"left out: {reason}"))
    if as_json:
        out_json({"file": str(file), "digest": done.end.digest, "counts": done.end.counts, "left_out": done.left_out})
        return
    note(f"exported {_summary(done.end)} to {file or 'stdout'}")
    (note if file is None else out)(f"digest {done.end.digest}")


def is_archive(source: str) -> bool:
    """Return whether a file, or stdin, begins like an archive. Of stdin nothing is taken."""
    magic = b"\x1f\x8b"
    if source == "-":
        return cast("BufferedReader", sys.stdin.buffer).peek(2).startswith(magic)
    try:
        with Path(source).open("rb") as file:
            return file.read(2) == magic
    except OSError:
        return False


def import_whole(source: str, places: Mapping[str, str], *, as_json: bool) -> None:
    """Bring an archive into this empty home, and say what the digest is of what is there now."""
    from memoryd.config import load
    from memoryd.moving.arriving import arrive

    paths = Paths.from_environment()
    changed: list[str] = []

    def configure(settings: "Mapping[str, Setting]") -> None:
        changed.extend(_configure(paths.config, settings))

    with _source(source) as stream, _counting("imported") as advance:
        done = arrive(paths, load(paths.config).ledger, stream, places=places, configure=configure, advance=advance)
    if as_json:
        out_json({"digest": done.end.digest, "here": done.digest, "counts": done.end.counts, "settings": changed})
        return
    note(f"imported {_summary(done.end)}")
    if changed:
        note(f"settings that were taken over: {', '.join(changed)}")
    what = "the same as exported" if done.digest == done.end.digest else f"of {done.end.digest}, with other folders"
    note(f"checked: what is here is {what}")
    out(f"digest {done.digest}")


def _summary(end: "ArchiveEnd") -> str:
    said = counted(end.counts.get("memories", 0), "memory")
    sessions = counted(end.counts.get("transcripts", 0), "transcript")
    states = counted(end.counts.get("checkpoints", 0), "checkpoint")
    return f"{said}, {sessions} of {counted(end.counts.get('entries', 0), 'entry')}, {states}"


def _portable(config: Path) -> "tuple[dict[str, Setting], list[str]]":
    """Return the settings of a file that may travel, and a sentence for each that may not."""
    from memoryd_actors.redaction import redact
    from memoryd_cli.configuration import SECRET
    from memoryd_cli.settings import settings

    found: dict[str, Setting] = {}
    kept_back: list[str] = []
    for one in settings(config, {})[0]:
        if one.origin != "file" or not one.value:
            continue
        texts = [text for text in (one.value if isinstance(one.value, list) else [one.value]) if isinstance(text, str)]
        if one.name in SECRET | OF_ONE_MACHINE or any(redact(text).text != text for text in texts):
            kept_back.append(f"{one.name}: set it on the other machine")
        else:
            found[one.name] = one.value
    return found, kept_back


def _configure(config: Path, given: "Mapping[str, Setting]") -> list[str]:
    """Set what the file does not say itself; return the names of the settings."""
    from memoryd.config import ConfigInvalid
    from memoryd_cli.base import toml_edit
    from memoryd_cli.settings import change, settings

    said = {one.name for one in settings(config, {})[0] if one.origin == "file"}
    changed: list[str] = []
    for name, value in given.items():
        if name in said:
            continue
        try:
            change(config, name, value if isinstance(value, str) else toml_edit.literal(value))
            changed.append(name)
        except (CommandFailed, ConfigInvalid) as failed:
            note(printable(f"{name} was not taken over: {failed}"))
    return changed


@contextmanager
def _target(file: Path | None) -> Generator[IO[bytes]]:
    """Give stdout, or a file to write to that appears whole or not at all, for this user alone."""
    try:
        if file is not None:
            with _part(file) as stream:
                yield stream
            return
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    except OSError as failed:
        if failed.filename is not None:
            raise
        if file is None:
            streams.silence(sys.stdout)
        raise CommandFailed(f"{file or 'stdout'} cannot be written: {failed.strerror}") from failed


@contextmanager
def _part(file: Path) -> Generator[IO[bytes]]:
    part = file.with_name(f".{file.name}.part")
    try:
        part.unlink(missing_ok=True)
        with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        part.replace(file)
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def _source(name: str) -> Generator[IO[bytes]]:
    if name == "-":
        yield sys.stdin.buffer
        return
    with Path(name).open("rb") as file:
        yield file


@contextmanager
def _counting(done: str) -> Generator[Callable[[], None]]:
    """Say now and then how far it is, where stderr is a terminal; yield what counts a line."""
    count = 0
    told = sys.stderr.isatty()

    def advance() -> None:
        nonlocal count
        count += 1
        if told and count % _EVERY == 0:
            sys.stderr.write(f"\r{done} {count:,} rows and entries")

    try:
        yield advance
    finally:
        if told and count >= _EVERY:
            sys.stderr.write("\r\033[K")
