"""Who may see what, as the predicate that LanceDB applies before it searches."""

from collections.abc import Iterable

from memoryd_actors.ports import Visibility


def literal(text: str) -> str:
    """Return an SQL string literal. Quotes are doubled; a backslash means itself; no surrogate can be asked for."""
    return "'" + text.encode(errors="replace").decode().replace("'", "''") + "'"


def one_of(column: str, values: Iterable[str]) -> str:
    """Return the predicate that the column has one of the values."""
    return f"{column} IN ({', '.join(literal(value) for value in values)})"


def predicate(visible: Visibility) -> str:
    """Return the filter for a search: the owner always, then scope and whatever else is asked for.

    A memory needs one of the categories, one of the states, and all of the tags.
    """
    filters = visible.filters
    here = f"(scope = 'project' AND project = {literal(visible.project)})"
    clauses = [f"owner = {literal(visible.owner)}"]
    match filters.scope:
        case "all":
            clauses.append(f"(scope = 'global' OR {here})")
        case "project":
            clauses.append(here)
        case "global":
            clauses.append("scope = 'global'")
    if filters.states:
        clauses.append(one_of("state", filters.states))
    if filters.categories:
        clauses.append(one_of("category", filters.categories))
    if filters.pinned is not None:
        clauses.append(f"pinned = {str(filters.pinned).lower()}")
    if filters.tags:
        wanted = ", ".join(literal(tag) for tag in filters.tags)
        clauses.append(f"array_has_all(tags, [{wanted}])")
    return " AND ".join(clauses)
