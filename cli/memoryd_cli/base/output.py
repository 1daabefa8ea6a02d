"""What the commands print: results to stdout, everything else to stderr.

On a terminal tables are drawn by rich; anywhere else they are plain, aligned and never cut.
"""

import os
import shutil
import sys
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum

import msgspec

from memoryd_cli.base import streams
from memoryd_cli.base.failures import CommandFailed
from memoryd_client.wire.memory import ID_PREFIX

SHORT_ID = 8
"""Characters of an id that a table shows: 40 bits, which no two memories of one person share."""


class ReaderGone(Exception):
    """Raised when whoever read our stdout has closed it (`memoryd list | head -1`)."""


def out(text: str = "") -> None:
    """Print a result."""
    write(text + "\n")


def write(text: str) -> None:
    """Write to stdout as it is; raise ReaderGone when nobody reads it any more, CommandFailed when it cannot be."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        streams.silence(sys.stdout)
        raise ReaderGone from None
    except OSError as error:
        streams.silence(sys.stdout)
        raise CommandFailed(f"what came of it cannot be written to stdout: {error.strerror}") from error


def note(text: str) -> None:
    """Say something that is not a result."""
    try:
        sys.stderr.write(text + "\n")
        sys.stderr.flush()
    except OSError:  # what was asked is done all the same
        streams.silence(sys.stderr)


def on_terminal() -> bool:
    """Return whether stdout is a terminal that shows colours."""
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def out_json(value: object) -> None:
    """Print a value as indented JSON, with every field of every struct, default or not."""
    out(msgspec.json.format(msgspec.json.encode(plain(value)), indent=2).decode())


def json_line(value: object) -> str:
    """Return a value as one line of JSON, with every field of every struct, and a line end."""
    return msgspec.json.encode(plain(value)).decode() + "\n"


def plain(value: object) -> object:
    """Return structs as dicts with all their fields: a field that is missing in JSON is hard on those who script."""
    match value:
        case msgspec.Struct():
            return {name: plain(getattr(value, name)) for name in value.__struct_fields__}
        case Enum():
            return value.value
        case Mapping():
            return {str(key): plain(item) for key, item in value.items()}
        case list() | tuple():
            return [plain(item) for item in value]
        case _:
            return value


def printable(text: str) -> str:
    """Return text that cannot steer a terminal: control characters but newline and tab become a replacement sign."""
    return "".join(c if c in "\n\t" or c.isprintable() else "\ufffd" for c in text)


def one_line(text: str) -> str:
    """Return text in one printable line."""
    return printable(" ".join(text.split()))


def short_ids(ids: Iterable[str]) -> dict[str, str]:
    """Return the shortest form of each id that still tells it from the others, at least eight characters."""
    bare = {full: full.removeprefix(ID_PREFIX) for full in ids}
    length = SHORT_ID
    while len({body[:length] for body in bare.values()}) < len(bare):
        length += 1
    return {full: body[:length] for full, body in bare.items()}


def table(
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    right: Sequence[str] = (),
    wrap: bool = False,
    gives_way: Sequence[str] = (),
) -> None:
    """Print rows under headings; the columns named in `right` are aligned to the right.

    On a terminal long cells are cut at the edge, or with `wrap` go on in the next line; and the last column, which is
    what a row is about, gets half of the line where those named in `gives_way` make room by being left out, the first
    one first. Elsewhere nothing is cut and nothing left out.
    """
    cells = [[one_line(cell) for cell in row] for row in rows]
    if on_terminal():
        _rich_table(columns, cells, right, gives_way, wrap=wrap)
        return
    widths = [max(map(len, column)) for column in zip(columns, *cells, strict=True)]
    for row in [columns, *cells]:
        aligned = [
            cell.rjust(width) if name in right else cell.ljust(width)
            for name, cell, width in zip(columns, row, widths, strict=True)
        ]
        out("  ".join(aligned).rstrip())


def fitting(widths: Mapping[str, int], gives_way: Sequence[str], line: int) -> tuple[list[str], int]:
    """Return which columns a line shows, and how many characters are left for the last one of them."""
    shown = list(widths)
    leaving = iter(gives_way)
    while True:
        wanted = min(widths[shown[-1]], line // 2)
        room = line - sum(widths[name] + _GAP for name in shown[:-1])
        gone = next(leaving, "") if room < wanted else ""
        if not gone:
            return shown, max(room, 1)
        if gone in shown:
            shown.remove(gone)


def whole_columns(widths: Mapping[str, int], line: int) -> list[str]:
    """Return which columns a line has room for, where none was named to give way: first and last, and the first ones.

    A long column may become narrow, a short one is whole or is not there.
    """
    shown = list(widths)
    least = {name: width if width <= _SHORT else _NARROW for name, width in widths.items()}
    while len(shown) > 2 and sum(least[name] + _GAP for name in shown) - _GAP > line:
        del shown[-2]
    return shown


def _rich_table(
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    right: Sequence[str],
    gives_way: Sequence[str],
    *,
    wrap: bool,
) -> None:
    from rich.cells import cell_len, set_cell_size
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console()
    by_column: dict[str, list[str]] = {name: [row[at] for row in rows] for at, name in enumerate(columns)}
    widths = {name: max(map(cell_len, (name, *cells))) for name, cells in by_column.items()}
    shown, room = fitting(widths, gives_way, console.width) if gives_way else (whole_columns(widths, console.width), 0)
    if gives_way:  # rich cuts without a sign
        by_column[shown[-1]] = [
            cell if cell_len(cell) <= room else f"{set_cell_size(cell, room - 1)}…" for cell in by_column[shown[-1]]
        ]
    grid = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0), header_style="bold underline")
    for name in shown:
        short = widths[name] <= _SHORT
        grid.add_column(
            name,
            justify="right" if name in right else "left",
            # What is short stays whole; what is long shares the rest of the line.
            min_width=widths[name] if short else None,
            no_wrap=short or not wrap,
            overflow="fold" if wrap else "ellipsis",
        )
    for row in zip(*(by_column[name] for name in shown), strict=True):
        # Text, not str: what is remembered must not be read as markup.
        grid.add_row(*(Text(cell, style=_STYLES.get(cell, "")) for cell in row))
    with console.capture() as captured:
        console.print(grid)
    write(captured.get())


_GAP = 2
_INDENT = "    "
_SHORT = 24
_NARROW = 8
_STYLES = {
    "ok": "green",
    "kept": "green",
    "loading": "yellow",
    "degraded": "yellow",
    "warn": "yellow",
    "failed": "red",
    "fail": "red",
    "dropped": "dim",
    "off": "dim",
}


def explained(heads: Sequence[tuple[str, str]]) -> None:
    """Print each head in a line of its own, and beneath it what it means, indented and wrapped to the terminal."""
    line = shutil.get_terminal_size().columns
    for head, meaning in heads:
        out(one_line(head))
        for part in textwrap.wrap(one_line(meaning), max(line - len(_INDENT), 20)):
            out(_INDENT + part)


def fields(pairs: Iterable[tuple[str, str]]) -> None:
    """Print names and values, one pair per line, values aligned and indented where they have several lines."""
    shown = [(name, value) for name, value in pairs if value]
    width = max((len(name) for name, _ in shown), default=0)
    for name, value in shown:
        out(f"{name.ljust(width)}  " + printable(value).replace("\n", "\n" + " " * (width + 2)))
