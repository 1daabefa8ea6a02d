"""Who may see what, as the predicate that LanceDB applies before it searches."""

from collections.abc import Iterable, Iterator

from memoryd_actors.memory.visibility import Visibility, micros
from memoryd_client.wire.filters import Filters


def literal(text: str) -> str:
    """Return an SQL string literal. Quotes are doubled; a backslash means itself; no surrogate can be asked for."""
    return "'" + text.encode(errors="replace").decode().replace("'", "''") + "'"


def one_of(column: str, values: Iterable[str]) -> str:
    """Return the predicate that the column has one of the values."""
    return f"{column} IN ({', '.join(literal(value) for value in values)})"


def bounds(filters: Filters) -> Iterator[tuple[str, str, int]]:
    """Yield the columns that are bounded, by what and where; moments in microseconds since 1970."""
    if filters.importance_min is not None:
        yield "importance", ">=", filters.importance_min
    if filters.importance_max is not None:
        yield "importance", "<=", filters.importance_max
    if filters.updated_after is not None:
        yield "updated_at", ">=", micros(filters.updated_after)
    if filters.updated_before is not None:
        yield "updated_at", "<", micros(filters.updated_before)


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
        case "everywhere":
            pass
    if filters.states:
        clauses.append(one_of("state", filters.states))
    if filters.categories:
        clauses.append(one_of("category", filters.categories))
    if filters.pinned is not None:
        clauses.append(f"pinned = {str(filters.pinned).lower()}")
    named = {"agent": filters.agent, "session": filters.session, "speaker": filters.speaker, "role": filters.role}
    clauses += [f"{column} = {literal(wanted)}" for column, wanted in named.items() if wanted]
    clauses += [f"{column} {than} {value}" for column, than, value in bounds(filters)]
    if visible.allowed is not None:
        # IN () is no SQL.
        clauses.append(one_of("category", sorted(visible.allowed)) if visible.allowed else "false")
    if visible.without:
        clauses.append(f"NOT {one_of('category', sorted(visible.without))}")
    if filters.tags:
        tags = ", ".join(literal(tag) for tag in filters.tags)
        clauses.append(f"array_has_all(tags, [{tags}])")
    return " AND ".join(clauses)
