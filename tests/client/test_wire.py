"""Every message survives the wire, whatever is in it."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import partial
from typing import Any, Final, get_args

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryd.transcripts.scanning import readable
from memoryd_client.transcript_lines import encode as encode_line
from memoryd_client.transcript_lines import line, record
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.context import ContextUpdate
from memoryd_client.wire.events import Event
from memoryd_client.wire.protocol import (
    Answer,
    AnyRequest,
    Envelope,
    Reply,
    decode_answer,
    decode_envelope,
    decode_event,
    decode_update,
    encode,
)
from memoryd_client.wire.transcripts import ImportTranscript, TranscriptRecord

FEWER = settings(max_examples=25)
"""For each of a hundred messages: they share their kinds of fields, and what carries them."""
ZONES: Final[tuple[tzinfo | None, ...]] = (None, UTC, timezone(timedelta(hours=-9)), timezone(timedelta(hours=14)))
LETTERS = st.characters(exclude_categories=["Cs"])


def values(kind: msgspec.inspect.Type) -> st.SearchStrategy[Any]:  # noqa: PLR0911, PLR0912 - one case per type
    """Return a strategy for everything that a type on the wire admits."""
    inspect = msgspec.inspect
    match kind:
        case inspect.StructType(cls=cls, fields=fields):
            required = {field.name: values(field.type) for field in fields if field.required}
            optional = {field.name: values(field.type) for field in fields if not field.required}
            return st.fixed_dictionaries(required, optional=optional).map(lambda given: cls(**given))
        case inspect.UnionType(types=types):
            return st.one_of([values(member) for member in types])
        case inspect.VarTupleType(item_type=item, min_length=least):
            return st.lists(values(item), min_size=least or 0, max_size=(least or 0) + 2).map(tuple)
        case inspect.TupleType(item_types=items):
            return st.tuples(*map(values, items))
        case inspect.DictType(key_type=key, value_type=value):
            return st.dictionaries(values(key), values(value), max_size=2)
        case inspect.LiteralType(values=literals):
            return st.sampled_from(literals)
        case inspect.EnumType(cls=cls):
            return st.sampled_from(list(cls))
        case inspect.IntType(ge=least, le=most):
            return st.integers(-(2**63) if least is None else least, 2**63 - 1 if most is None else most)
        case inspect.FloatType(ge=least, le=most):
            return st.floats(least, most, allow_nan=False)
        case inspect.StrType(min_length=least, max_length=most, pattern=pattern) if pattern:
            return st.text(LETTERS, min_size=least or 0, max_size=min(most or 12, 12)).filter(
                re.compile(pattern).search
            )
        case inspect.StrType(min_length=least, max_length=most):
            return st.text(LETTERS, min_size=least or 0, max_size=min(most or 12, 12))
        case inspect.BytesType(min_length=least, max_length=most):
            return st.binary(min_size=least or 0, max_size=min(most or 12, 12))
        case inspect.BoolType():
            return st.booleans()
        case inspect.NoneType():
            return st.none()
        case inspect.DateTimeType():
            dates = st.datetimes(datetime(2, 1, 1), datetime(9998, 1, 1))
            return st.one_of([dates.map(partial(datetime.replace, tzinfo=zone)) for zone in ZONES])
        case _:
            raise TypeError(kind)


def anything(kind: object) -> st.SearchStrategy[Any]:
    return values(msgspec.inspect.type_info(kind))


def moments(value: Any) -> Iterator[datetime]:
    """Return every moment in plain values."""
    if isinstance(value, datetime):
        yield value
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from moments(one)


@FEWER
@given(sent=anything(TranscriptRecord))
def test_every_entry_that_is_taken_is_written_as_a_line_that_can_be_read(sent: TranscriptRecord) -> None:
    arrived = msgspec.convert(msgspec.to_builtins(sent), TranscriptRecord)
    written = encode_line(line(msgspec.structs.replace(arrived, sequence=1)))
    read = readable(written)
    assert read is not None
    assert b"\n" not in written
    assert record(read, arrived.session) == msgspec.structs.replace(arrived, sequence=1)


def test_an_entry_without_an_id_is_refused_where_it_arrives() -> None:
    nameless = {"session": "s", "sequence": 1, "id": "", "content": "x", "at": "2026-01-01T00:00:00Z"}
    with pytest.raises(msgspec.ValidationError, match="id"):
        msgspec.convert({"session": "s", "records": [nameless]}, ImportTranscript)


@pytest.mark.parametrize("kind", get_args(AnyRequest), ids=lambda kind: kind.__name__)
def test_requests_arrive_as_they_were_sent(kind: type) -> None:
    @FEWER
    @given(request=anything(kind), caller=anything(Caller), number=st.integers(0, 2**63 - 1))
    def check(request: AnyRequest, caller: Caller, number: int) -> None:
        envelope = Envelope(id=number, request=request, caller=caller)
        arrived = decode_envelope(encode(envelope))
        assert arrived == envelope
        plain = msgspec.to_builtins(arrived, builtin_types=(datetime,))
        assert all(moment.tzinfo is UTC for moment in moments(plain)), "who sends no zone harms nobody"

    check()


@pytest.mark.parametrize("kind", get_args(Reply), ids=lambda kind: kind.__name__)
def test_replies_arrive_as_they_were_sent(kind: type) -> None:
    @FEWER
    @given(reply=anything(kind))
    def check(reply: Reply) -> None:
        answer = Answer(id=1, reply=reply)
        assert decode_answer(encode(answer)) == answer

    check()


@pytest.mark.parametrize("kind", get_args(Event), ids=lambda kind: kind.__name__)
def test_events_arrive_as_they_were_sent(kind: type) -> None:
    @FEWER
    @given(event=anything(kind))
    def check(event: Event) -> None:
        assert decode_event(encode(event)) == event

    check()


@given(update=anything(ContextUpdate))
def test_updates_arrive_as_they_were_sent(update: ContextUpdate) -> None:
    assert decode_update(encode(update)) == update
