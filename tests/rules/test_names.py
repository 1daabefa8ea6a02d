"""Names under which things are kept hold no secrets; the names that machines draw are none."""

import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd_actors.admission.names import are_names, check_names
from memoryd_actors.core.errors import Refused
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.memory import new_memory_id

TOKEN = "ghp_Zq8LrT4vWx2NcY6uKd9sBf3hJm5pAe7gQo1i"


@pytest.mark.parametrize(
    "name", [TOKEN, f"mem_{TOKEN}", f"run/{TOKEN}/1", "postgres://ada:hunter2xy@db/x", "login password=Blume77x"]
)
def test_a_name_that_holds_a_secret_is_refused_and_not_repeated(name: str) -> None:
    with pytest.raises(Refused, match="`session` holds a secret") as refused:
        check_names(session=name)
    assert TOKEN not in str(refused.value)
    assert "hunter2xy" not in str(refused.value)
    assert not are_names(Caller(session=name))
    assert not are_names(Caller(owner=name))


@given(st.binary(min_size=16, max_size=16))
def test_what_machines_draw_is_a_name(drawn: bytes) -> None:
    one = uuid.UUID(bytes=drawn)
    names = (str(one), one.hex, f"session-{one}", f"/home/ada/.claude/projects/-work/{one}.jsonl", f"tg:{one.int}:7")
    for name in (*names, new_memory_id(), "", "monday", "the token session"):
        check_names(session=name)
