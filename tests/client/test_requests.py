"""Arguments become requests, and wrong ones errors, before anything is sent."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryd_client import NewMemory, Scope
from memoryd_client.base.errors import InvalidArgument
from memoryd_client.outgoing import encoded
from memoryd_client.requests import changes, chunks, filters, new_memory, search_messages
from memoryd_client.wire.editing import Changes
from memoryd_client.wire.filters import Filters
from memoryd_client.wire.memories import MAX_IMPORT_BATCH, Remember
from memoryd_client.wire.protocol import MAX_FRAME_BYTES, Envelope


def test_a_date_is_taken_as_text_or_as_it_is() -> None:
    moment = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
    assert new_memory("x", occurred_at="2026-01-02T03:04:00Z").occurred_at == moment
    assert new_memory("x", occurred_at=moment).occurred_at == moment


def test_a_date_without_a_zone_is_local_time() -> None:
    occurred_at = new_memory("x", occurred_at="2026-01-02").occurred_at
    assert occurred_at == datetime(2026, 1, 2).astimezone()


def test_what_was_said_until_a_day_is_what_was_said_before_its_end() -> None:
    day = search_messages("", since="2026-11-20", until="2026-11-20")
    assert (day.since, day.until) == (
        datetime(2026, 11, 20, tzinfo=UTC),
        datetime(2026, 11, 20, 23, 59, 59, 999999, tzinfo=UTC),
    )
    assert search_messages("", until="2026-11-20T00:00").until == datetime(2026, 11, 20, tzinfo=UTC)
    last = search_messages("", until="9999-12-31").until
    assert last is not None
    assert last.year == 9999


def test_what_is_forgotten_by_itself_has_one_date() -> None:
    both: dict[str, Any] = {"ttl": "3d", "expires_at": "2026-12-24"}
    for made in (lambda: new_memory("x", **both), lambda: changes(**both)):
        with pytest.raises(InvalidArgument, match="`ttl` and `expires_at`"):
            made()


def test_fields_may_be_written_as_they_come_naturally() -> None:
    memory = new_memory("x", scope="global", tags=["a", "b"], source_messages=(1, 2), metadata={"k": "v"}, trust=0.5)
    assert (memory.scope, memory.tags, memory.source_messages) == (Scope.GLOBAL, ("a", "b"), (1, 2))


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"scope": "galaxy"}, "scope"),
        ({"importance": 6}, "importance"),
        ({"trust": 1.5}, "trust"),
        ({"tags": "text"}, "tags"),
        ({"occurred_at": "yesterday"}, "yesterday"),
        ({"occurred_at": "9999-12-31T23:59:59-12:00"}, "outside the calendar"),
        ({"occurred_at": "0001-01-01T00:00:00+12:00"}, "outside the calendar"),
    ],
)
def test_a_value_that_cannot_be_is_refused_by_name(fields: dict[str, str], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        new_memory("x", **fields)  # type: ignore[arg-type] # pyright: ignore[reportArgumentType] - wrong on purpose


def test_a_field_that_does_not_exist_is_refused_by_name() -> None:
    with pytest.raises(TypeError, match="mood"):
        new_memory("x", mood="sunny")  # type: ignore[call-arg] # pyright: ignore[reportCallIssue] - wrong on purpose
    with pytest.raises(TypeError, match="mood"):
        filters(mood="sunny")  # type: ignore[call-arg] # pyright: ignore[reportCallIssue] - wrong on purpose


def test_one_category_joins_several() -> None:
    assert filters(category="fact") == Filters(categories=("fact",))
    assert filters(categories=["a"], category="b", scope="project").categories == ("a", "b")
    assert filters() == Filters()


@settings(deadline=None, max_examples=30)
@given(
    st.lists(st.tuples(st.sampled_from(["x", "ü", "😀", "\ud800"]), st.sampled_from([1, 5000, 16_000])), max_size=40)
)
def test_chunks_keep_every_memory_in_order_and_fit_a_frame(shapes: list[tuple[str, int]]) -> None:
    memories = [NewMemory(content=piece * size) for piece, size in shapes for _ in range(10)]
    cut = list(chunks(memories))
    assert [memory for chunk in cut for memory in chunk] == memories
    for chunk in cut:
        assert len(encoded(Envelope(id=1, request=Remember(memories=chunk)))) <= MAX_FRAME_BYTES


def test_chunks_hold_no_more_than_a_request_may() -> None:
    sizes = [len(chunk) for chunk in chunks([NewMemory(content="x")] * (2 * MAX_IMPORT_BATCH + 1))]
    assert sizes == [MAX_IMPORT_BATCH, MAX_IMPORT_BATCH, 1]


def test_a_time_to_live_is_said_as_a_span_or_in_words() -> None:
    before = datetime.now(UTC)
    for ttl, span in (("7d", timedelta(days=7)), (" 2W", timedelta(weeks=2)), (timedelta(hours=3), timedelta(hours=3))):
        until = new_memory("x", ttl=ttl).expires_at
        assert until is not None
        assert before + span <= until <= datetime.now(UTC) + span
    assert new_memory("x", ttl=None).expires_at is None
    assert changes(ttl=None) == Changes(expires_at=None)
    assert changes(title="x") == Changes(title="x")
    for wrong in ("soon", "0d", "-1d", timedelta(), "7"):
        with pytest.raises(InvalidArgument, match="`ttl` is"):
            new_memory("x", ttl=wrong)
