"""Nothing of one owner reaches another, whatever the names look like."""

from functools import partial
from pathlib import Path

import pytest
from anyio.from_thread import start_blocking_portal
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memoryd.config import IndexConfig
from memoryd.index import LanceIndex
from memoryd.index.filters import literal
from memoryd_client.wire.filters import Filters

from .rows import DIMENSIONS, axis, row, seen_by

_NASTY = st.one_of(
    st.sampled_from(["' OR '1'='1", "'", "''", "\\'", "\\", "local", "--", "/*", "%", "\n", "\0", "é", ""]),
    st.text(max_size=12),
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    owners=st.lists(_NASTY, min_size=1, max_size=4, unique=True),
    asker=_NASTY,
    project=_NASTY,
    category=_NASTY,
    tag=_NASTY,
)
def test_a_search_shows_only_what_its_caller_may_see(
    tmp_path_factory: pytest.TempPathFactory, *, owners: list[str], asker: str, project: str, category: str, tag: str
) -> None:
    folder: Path = tmp_path_factory.mktemp("index")
    rows = [
        row(f"{number}-{kind}", owner=owner, scope=scope, project=where, category=category, tags=(tag,))
        for number, owner in enumerate(owners)
        for kind, scope, where in (
            ("g", "global", ""),
            ("p", "project", project),
            ("q", "project", project + "x"),
        )
    ]
    with start_blocking_portal() as portal:
        index = LanceIndex(folder / "index", IndexConfig())
        portal.call(partial(index.open, model="m", dimensions=DIMENSIONS))
        portal.call(partial(index.apply, rows, removed=[], sequence=1))
        for filters in (Filters(), Filters(categories=(category,)), Filters(tags=(tag,)), Filters(scope="project")):
            for vector, words in ((axis(0), ""), (None, "words")):
                found = portal.call(
                    partial(
                        index.search,
                        vector=vector,
                        words=words,
                        visible=seen_by(asker, project, filters),
                        limit=50,
                    )
                )
                kinds = ("p",) if filters.scope == "project" else ("g", "p")
                mine = {f"{number}-{kind}" for number, owner in enumerate(owners) if owner == asker for kind in kinds}
                assert {hit.id for hit in found} == mine
        removed = owners[0]
        portal.call(partial(index.apply, [], removed=[removed, "' OR '1'='1"], sequence=2))
        assert portal.call(index.count) == len(rows)
        portal.call(index.close)


@given(st.text())
def test_a_literal_ends_where_it_was_meant_to_end(text: str) -> None:
    quoted = literal(text)
    inside = quoted[1:-1]
    assert quoted[0] == quoted[-1] == "'"
    assert "'" not in inside.replace("''", "")
    assert inside.replace("''", "'") == text
