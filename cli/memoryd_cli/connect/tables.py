"""Adds a table to a TOML text and takes it out again, leaving every other byte alone."""

import re
import tomllib

from memoryd_cli.base.toml_edit import literal
from memoryd_cli.connect.edit import ByHand, Edit, Malformed, without_gap

Table = dict[str, str | list[str] | dict[str, str]]
_HEADER = re.compile(r"^[ \t]*\[[^\n]*\][ \t]*(?:#[^\n]*)?\r?$", re.MULTILINE)


def put(edit: Edit, name: tuple[str, ...], table: Table) -> None:
    """Make the table say what it should: its values are replaced where it is there, else it is added at the end.

    Raises:
        Malformed: the text is no TOML.
        ByHand: the table is there, or its place is, in a form that only a person should edit.
    """
    if (found := within(edit.text, name)) is not None and {**found, **table} == found:
        return
    title = f"[{'.'.join(name)}]"
    block = f"{title}\n" + "".join(f"{key} = {_literal(value)}\n" for key, value in table.items())
    if found is None:
        gap = "" if not edit.text else "\n" if edit.text.endswith("\n") else "\n\n"
        edit.insert(len(edit.text), gap + block)
    elif place := _place(edit.text, name):
        kept = {key: value for key, value in found.items() if key not in table}
        if kept:
            raise ByHand(f"{title} has entries of its own", block)
        edit.replace(*place, block)
    try:
        after = within(edit.text, name)
    except Malformed:
        after = None
    if after is None or {**after, **table} != after:
        raise ByHand(f"there is no place for {title} as the file is written", block)


def cut(edit: Edit, name: tuple[str, ...]) -> None:
    """Take out a table and those within it that have headers of their own, each with the empty line before it."""
    while place := _place(edit.text, name, within=True):
        edit.replace(without_gap(edit.text, place[0]), place[1], "")


def within(text: str, name: tuple[str, ...]) -> dict[str, object] | None:
    """Return the table of a name; None where there is none.

    Raises:
        Malformed: the text is no TOML.
    """
    try:
        tables: object = tomllib.loads(text)
    except tomllib.TOMLDecodeError as wrong:
        raise Malformed(str(wrong)) from None
    for key in name:
        tables = tables.get(key) if isinstance(tables, dict) else None
    return tables if isinstance(tables, dict) else None


def _place(text: str, name: tuple[str, ...], *, within: bool = False) -> tuple[int, int] | None:
    """Return where a table begins and ends, the empty lines behind it not counted; `within`: or one that is in it."""
    headers = list(_HEADER.finditer(text))
    for at, header in enumerate(headers):
        named = _named(header[0].strip())
        if named == name or (within and named[: len(name)] == name):
            end = headers[at + 1].start() if at + 1 < len(headers) else len(text)
            body = text[header.start() : end].rstrip()
            after = header.start() + len(body)
            return header.start(), min(text.find("\n", after) + 1 or len(text), len(text))
    return None


def _named(header: str) -> tuple[str, ...]:
    try:
        tables: object = tomllib.loads(header)
    except tomllib.TOMLDecodeError:
        return ()
    names: list[str] = []
    while isinstance(tables, dict) and tables:
        name, tables = next(iter(tables.items()))
        names.append(name)
    return tuple(names)


def _literal(value: str | list[str] | dict[str, str]) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {literal(text)}" for key, text in value.items()) + " }"
    return literal(list(value) if isinstance(value, list) else value)
