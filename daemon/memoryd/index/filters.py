"""Pieces of the predicates that LanceDB applies before it searches."""

from collections.abc import Iterable


def literal(text: str) -> str:
    """Return an SQL string literal. Quotes are doubled; a backslash means itself; no surrogate can be asked for."""
    return "'" + text.encode(errors="replace").decode().replace("'", "''") + "'"


def one_of(column: str, values: Iterable[str]) -> str:
    """Return the predicate that the column has one of the values."""
    return f"{column} IN ({', '.join(literal(value) for value in values)})"
