"""What tables and migrations have in common: the types of columns."""

from typing import Any

from sqlalchemy import BigInteger, Column, Integer, Text
from sqlalchemy.types import TypeEngine

Identifier = Text(collation="C").with_variant(Text(), "sqlite")
"""Compared byte by byte, so that the beginning of an id is a range of the key."""
Serial = BigInteger().with_variant(Integer, "sqlite")
"""SQLite only counts up an INTEGER."""
Moment = BigInteger
"""Microseconds since 1970, UTC: sorts alike and compares exactly in every database."""


def number(name: str) -> Column[Any]:
    """Return the column that counts the rows up."""
    return Column(name, Serial, primary_key=True, autoincrement=True)


def keys(kind: TypeEngine[Any] | type[TypeEngine[Any]], names: str) -> list[Column[Any]]:
    """Return columns of one type that are the key together."""
    return [Column(name, kind, primary_key=True) for name in names.split()]


def required(kind: TypeEngine[Any] | type[TypeEngine[Any]], names: str) -> list[Column[Any]]:
    """Return columns of one type that are never empty."""
    return [Column(name, kind, nullable=False) for name in names.split()]
