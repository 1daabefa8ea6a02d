"""A value that the wire does not take is told by field, value, range and way out, before anything is sent."""

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd_client import Client, Entry, InvalidArgument, MemorydError, Message, WrongType
from memoryd_client.arguments import converted, explain, several, texts
from memoryd_client.base.paths import Paths
from memoryd_client.outgoing import checked
from memoryd_client.requests import chunks, filters, new_checkpoint, new_memory, search_messages
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.filters import Filters
from memoryd_client.wire.importing import Import, MemoryRecord
from memoryd_client.wire.memories import Remember
from memoryd_client.wire.protocol import AnyRequest, Envelope, decode_envelope
from memoryd_client.wire.purging import Purge
from memoryd_client.wire.query import Query
from memoryd_client.wire.search import Search
from memoryd_client.wire.session_context import BuildContext
from memoryd_client.wire.transcripts import Append, PurgeSession, ReadTranscript, SearchMessages


def sent(request: AnyRequest, **fields: object) -> bytes:
    return checked(msgspec.structs.replace(Envelope(id=1, request=request), **fields))


@pytest.mark.parametrize(
    ("request_", "told", "hint"),
    [
        (BuildContext(budget=9), "`budget` is 9, and has to be a whole number from 256 to 2,000,000", "leave it out"),
        (Search(query="x", limit=0), "`limit` is 0, and has to be a whole number from 1 to 200", "10 is the default"),
        (Search(query="x", limit=10**30), "`limit` is 1000000000000000000000000000000, and has", "from 1 to 200"),
        (ReadTranscript(after=-1), "`after` is -1, and has to be a whole number of at least 0", "leave it out"),
        (PurgeSession(session=""), "`session` is empty, and has to be text of at least 1 characters", "Give text"),
        (Query(threshold=2.0), "`threshold` is 2.0, and has to be a number from -1 to 1", "Give a number"),
        (Purge(ids=()), "`ids` is empty, and has to be a list of 1 to 1,000 elements", "Give a list"),
        (Append(entries=()), "`entries` is empty, and has to be a list of 1 to 1,000 elements", "Give a list"),
        (
            Append(entries=(Entry(content="a"), Entry(content="b", name="x" * 300))),
            "`entries[1].name` has 300 characters, and has to be text of at most 200 characters", "leave it out",
        ),
        (Search(query="x", filters=Filters(importance_min=9)), "`importance_min` is 9, and has to be", "from 1 to 5"),
        (
            Import(records=(MemoryRecord(content="x", revision=2**60),)),
            f"`records[0].revision` is {2**60}, and has to be a whole number from 1 to 9,007,199,254,740,992", "Give",
        ),
    ],
)  # fmt: skip
def test_field_value_range_and_way_out_are_named(request_: AnyRequest, told: str, hint: str) -> None:
    with pytest.raises(InvalidArgument) as failed:
        sent(request_)
    assert str(failed.value).startswith(told)
    assert hint in failed.value.hint
    assert not isinstance(failed.value, TypeError)
    assert isinstance(failed.value, ValueError)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: sent(Search(query=5)), "`query` is 5, and has to be text"),  # type: ignore[arg-type]
        (lambda: sent(Search(query="x", limit="swordfish")), "`limit` is text, and has to be a whole number"),  # type: ignore[arg-type]
        (lambda: sent(Search(query=object())), "the request `search` cannot be sent"),  # type: ignore[arg-type]
        (lambda: sent(Search(query="x"), caller=Caller(session=5)), "`session` is 5, and has to be text"),  # type: ignore[arg-type]
        (lambda: new_memory("x", importance="high"), "`importance` is text, and has to be a whole number from 1 to 5"),  # type: ignore[arg-type]
        (lambda: filters(states="active"), "`states` is text, and has to be a list"),
        (lambda: new_checkpoint("t", "state"), "`data` is of type str, and has to be bytes"),  # type: ignore[arg-type]
        (lambda: new_checkpoint("t", b"", meta=["a"]), "`meta` is of type list"),  # type: ignore[arg-type]
    ],
)
def test_another_type_is_a_type_error_that_shows_no_text(call: Callable[[], object], told: str) -> None:
    with pytest.raises(WrongType) as failed:
        call()
    assert str(failed.value).startswith(told)
    assert "swordfish" not in str(failed.value)
    assert isinstance(failed.value, TypeError)
    assert isinstance(failed.value, ValueError)
    assert isinstance(failed.value, MemorydError)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: search_messages("x", limit=0), "`limit` is 0, and has to be a whole number from 1 to 200"),
        (lambda: search_messages("x", by="smell"), "`by` is 'smell', and has to be one of both, meaning, words"),  # type: ignore[arg-type]
        (lambda: search_messages("x", since="soon"), "`since` is 'soon', and has to be a date"),
        (lambda: filters(updated_after="soon"), "`updated_after` is 'soon', and has to be a date"),
        (lambda: new_memory("x", occurred_at="soon"), "`occurred_at` is 'soon', and has to be a date"),
        (lambda: new_memory("x", scope="town"), "`scope` is 'town', and has to be one of project, global"),  # type: ignore[arg-type]
        (lambda: new_memory("x", trust=1.5), "`trust` is 1.5, and has to be a number from 0 to 1"),
        (lambda: sent(Search(query="x"), deadline_s=0), "`deadline_s` is 0, and has to be above 0"),
        (lambda: sent(Search(query="x"), deadline_s=float("nan")), "`deadline_s` is nan"),
    ],
)
def test_what_the_methods_build_is_checked_in_the_same_words(call: Callable[[], object], told: str) -> None:
    with pytest.raises(InvalidArgument) as failed:
        call()
    assert str(failed.value).startswith(told)
    assert failed.value.hint


def test_one_text_is_no_list_of_texts() -> None:
    assert texts("ids", ["a", "b"]) == ("a", "b")
    assert texts("ids", (one for one in "ab")) == ("a", "b")
    for wrong in ("mem_1", b"x", 5, None):
        with pytest.raises(WrongType, match="`ids` is of type"):
            texts("ids", wrong)  # type: ignore[arg-type]


def test_a_collection_of_something_else_is_told_what_is_in_it() -> None:
    with pytest.raises(WrongType, match=r"`entries` has to be a list of memoryd_client\.Entry, and has a Message"):
        several("entries", [Entry(content="why?"), Message("user", "why?")], Entry)
    with pytest.raises(WrongType, match=r"`entries` has to be a list of memoryd_client\.Entry$"):
        several("entries", Entry(content="why?"), Entry)  # type: ignore[arg-type]


def test_half_a_character_is_replaced_wherever_it_stands() -> None:
    halved = new_memory("x", title="a\ud800b", metadata={"\udfff": "c"})
    assert [len(chunk) for chunk in chunks([halved])] == [1]
    request = decode_envelope(sent(Remember(memories=(halved,)))).request
    assert isinstance(request, Remember)
    assert request.memories[0].title == "a\ufffdb"
    assert request.memories[0].metadata == {"\ufffd": "c"}
    with pytest.raises(InvalidArgument, match="`by` is"):
        search_messages("x", by="\ud800")  # type: ignore[arg-type]


@given(st.integers() | st.floats() | st.text() | st.none() | st.booleans() | st.binary() | st.lists(st.integers()))
def test_whatever_is_given_is_sent_as_it_is_or_explained(value: object) -> None:
    refused: InvalidArgument | None = None
    frame = b""
    try:
        frame = sent(Search(query="x", limit=value))  # type: ignore[arg-type]
    except InvalidArgument as exc:
        refused = exc
    if refused is None:
        request = decode_envelope(frame).request
        assert isinstance(request, Search)
        assert request.limit == value
        return
    assert str(refused).startswith("`limit` ")
    assert "from 1 to 200" in str(refused)
    assert len(str(refused)) < 500


def test_a_field_that_the_error_does_not_name_keeps_its_words() -> None:
    with pytest.raises(msgspec.ValidationError) as failed:
        msgspec.convert({"limit": 5}, Search)
    problem = explain(failed.value, Search, {"limit": 5})
    assert "query" in problem.message
    with pytest.raises(InvalidArgument, match="query"):
        converted({"limit": 5}, Search)
    assert SearchMessages().limit == 10


def test_a_wait_below_nothing_is_called_by_its_own_name(tmp_path: Path) -> None:
    paths = Paths(home=tmp_path, config=tmp_path / "config.toml", runtime=tmp_path)
    with (
        Client(session="s", project=str(tmp_path), paths=paths) as memory,
        pytest.raises(InvalidArgument, match="`wait_s` is -1"),
    ):
        memory.turn([Message("user", "hello")], wait_s=-1)
