"""Arrays in a folder, mapped into memory: what nobody asks for is not read, and the system may take its pages back.

They can be lost at any time: what they were made of is in the table. A folder is written whole, under another name.
"""

import io
import math
import mmap
import os
import shutil
import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from memoryd.rewriting import sync

_ABOUT = "about.json"
_IN_USE = "in-use"
"""Is there while the files are. Found by whoever opens them, it says that the process before ended in the middle of it,
as one does where the disk cannot read a page that is mapped (SIGBUS)."""
_VECTORS = "vectors"
_CODES = "codes"
"""Of a million 1.5 and .4 GB, which are read only then: what is damaged has a wrong distance. All else is checked
always, and the headers of these, too."""
_READ_BYTES = 1 << 20

Arrays = Mapping[str, npt.NDArray[Any]]
Parts = dict[str, Sequence[npt.NDArray[Any]]]
"""Arrays by their names, in pieces that follow one another."""


class _Written(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An array in a file."""

    dtype: str
    shape: tuple[int, ...]
    sum: int

    @property
    def header(self) -> bytes:
        """What its file begins with, byte for byte: read out of the file, a damaged one would say what it likes."""
        header = io.BytesIO()
        described = {"descr": self.dtype, "fortran_order": False, "shape": self.shape}
        np.lib.format.write_array_header_1_0(header, described)
        return header.getvalue()


class _About(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    of: dict[str, str]
    sequence: int
    arrays: dict[str, _Written]


class _Summed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What `about.json` holds: what is about the arrays, as it was written, and its sum."""

    about: msgspec.Raw
    sum: int


class Mapped(msgspec.Struct, frozen=True):
    """What a folder holds: arrays that may be written to, which changes no file."""

    sequence: int
    arrays: Arrays


def write(folder: Path, parts: Parts, *, of: dict[str, str], sequence: int) -> None:
    """Write arrays in the place of those in the folder; `of` says what they belong to. Blocks.

    Raises:
        OSError: they could not be written; none are there.
    """
    discard(folder)
    unfinished = _unfinished(folder)
    unfinished.mkdir(mode=0o700)
    try:
        arrays = {name: _write(unfinished / f"{name}.npy", pieces) for name, pieces in parts.items()}
        about = msgspec.json.encode(_About(of, sequence, arrays))
        (unfinished / _ABOUT).write_bytes(msgspec.json.encode(_Summed(msgspec.Raw(about), zlib.crc32(about))))
        unfinished.rename(folder)
    except OSError:
        discard(folder)
        raise


def read(folder: Path, *, of: dict[str, str]) -> Mapped | None:
    """Return what is there; None where there is nothing, or it is damaged, or belongs to something else. Blocks.

    It is in use until it is `left`.
    """
    try:
        in_use = folder / _IN_USE
        unchecked = () if in_use.exists() else (_VECTORS, _CODES)
        summed = msgspec.json.decode((folder / _ABOUT).read_bytes(), type=_Summed)
        if zlib.crc32(summed.about) != summed.sum:
            return None
        about = msgspec.json.decode(summed.about, type=_About)
        # Read, not looked at where it is mapped: what the disk cannot read is an error here, and the end of the process
        # there.
        for name, written in about.arrays.items():
            _check(folder / f"{name}.npy", written, whole=name not in unchecked)
        arrays = {name: _mapped(folder / f"{name}.npy", written) for name, written in about.arrays.items()}
        with suppress(OSError):  # of a disk that is full or read-only
            in_use.touch(mode=0o600)
    except (OSError, ValueError):
        return None
    return Mapped(about.sequence, arrays) if about.of == of else None


def leave(folder: Path) -> None:
    """Say that nobody uses what is there any more. Blocks."""
    with suppress(OSError):
        (folder / _IN_USE).unlink(missing_ok=True)


def discard(folder: Path) -> None:
    """Delete what is there, for good. Blocks.

    Raises:
        OSError: it could not be deleted.
    """
    there = [one for one in (folder, _unfinished(folder)) if one.exists()]
    for one in there:
        shutil.rmtree(one)
    if there:
        sync(folder.parent)


def named(name: str, arrays: Arrays) -> Arrays:
    """Return the arrays whose names begin so, under the rest of their names."""
    return {key.removeprefix(f"{name}."): array for key, array in arrays.items() if key.startswith(f"{name}.")}


def under(name: str, parts: Parts) -> Parts:
    """Return the arrays under names that begin so."""
    return {f"{name}.{key}": pieces for key, pieces in parts.items()}


def _unfinished(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.unfinished")


def _write(path: Path, pieces: Sequence[npt.NDArray[Any]]) -> _Written:
    shape = (sum(map(len, pieces)), *pieces[0].shape[1:])
    written = _Written(pieces[0].dtype.str, shape, 0)
    total = 0
    with path.open("wb") as file:
        file.write(written.header)
        for piece in pieces:
            data = _bytes(np.ascontiguousarray(piece))
            file.write(data)
            total = zlib.crc32(data, total)
        file.flush()
        os.fsync(file.fileno())
    return msgspec.structs.replace(written, sum=total)


def _check(path: Path, written: _Written, *, whole: bool) -> None:
    """Look whether a file begins with the header that was written and, if the whole is looked at, goes on so.

    Raises:
        ValueError: it does not.
        OSError: it cannot be read.
    """
    header, total = written.header, 0
    with path.open("rb") as file:
        if file.read(len(header)) != header:
            raise ValueError(f"the header of {path} is damaged")
        while whole and (some := file.read(_READ_BYTES)):
            total = zlib.crc32(some, total)
    if whole and total != written.sum:
        raise ValueError(f"{path} is damaged")


def _mapped(path: Path, written: _Written) -> npt.NDArray[Any]:
    dtype, begin = np.dtype(written.dtype), len(written.header)
    with path.open("rb") as file:
        pages = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
    if path.stem == _VECTORS:
        pages.madvise(mmap.MADV_RANDOM)  # or each that is looked at brings 128 kB from the disk
    count = math.prod(written.shape)
    if begin + count * dtype.itemsize != len(pages):
        raise ValueError(f"{path} is of another length")
    return np.frombuffer(pages, dtype, count, begin).reshape(written.shape)


def _bytes(contiguous: npt.NDArray[Any]) -> memoryview | bytes:
    return contiguous.data.cast("B") if contiguous.size else b""
