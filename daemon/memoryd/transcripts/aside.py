"""Damaged lines of a transcript, each kept byte by byte beside it: whatever becomes of the file, they are there."""

import logging
import os
from collections.abc import Container, Sequence
from pathlib import Path

import msgspec

from memoryd.rewriting import rewriting
from memoryd.transcripts.scanning import Place

log = logging.getLogger(__name__)

ASIDE = "damaged.jsonl"


class Aside(msgspec.Struct, frozen=True):
    """A damaged line, as it was found."""

    line: int
    """Of the transcript, from 1."""
    bytes: bytes
    """In the file: base64."""


_decode = msgspec.json.Decoder(Aside).decode


def keep(folder: Path, damaged: Sequence[Place]) -> int:
    """Write down what is not kept yet; return how many that were. Blocks.

    Raises:
        OSError: it cannot be written.
    """
    known = {line.bytes for line in kept(folder)}
    fresh = [place for place in damaged if place.text not in known]
    if not fresh:
        return 0
    file = os.open(folder / ASIDE, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with open(file, "wb") as stream:
        # A line of its own, whatever a crash has left at the end.
        stream.write(b"\n")
        stream.writelines(msgspec.json.encode(Aside(place.number, place.text)) + b"\n" for place in fresh)
        stream.flush()
        os.fsync(stream.fileno())
    return len(fresh)


def retain(folder: Path, texts: Container[bytes]) -> None:
    """Destroy what is kept, but for these lines; a line of the file that cannot be read itself goes, too. Blocks.

    Raises:
        OSError: it is as it was.
    """
    if not (folder / ASIDE).exists():
        return
    left = [line for line in kept(folder) if line.bytes in texts]
    with rewriting(folder / ASIDE) as stream:
        stream.writelines(msgspec.json.encode(line) + b"\n" for line in left)


def kept(folder: Path) -> list[Aside]:
    """Return what was kept, in the order in which it was found. Blocks."""
    found: list[Aside] = []
    try:
        with (folder / ASIDE).open("rb") as stream:
            for text in stream:
                try:
                    found.append(_decode(text))
                except msgspec.MsgspecError:
                    if text.strip():
                        log.warning("%s: a line cannot be read", folder / ASIDE)
    except FileNotFoundError:
        pass
    return found
