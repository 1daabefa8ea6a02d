"""What is put into a mailbox is data: nobody's code runs inside another's actor."""

import typing
from collections.abc import Awaitable, Callable, Iterator

import pytest
from msgspec.structs import fields

from memoryd_actors.conversations.orders import ScribeMessage
from memoryd_actors.keeping.orders import KeeperMessage

MESSAGES = (*typing.get_args(KeeperMessage), *typing.get_args(ScribeMessage))


def parts(kind: object) -> Iterator[object]:
    """Yield a type and all that it is made of."""
    yield typing.get_origin(kind) or kind
    for part in typing.get_args(kind):
        if not isinstance(part, list | str):
            yield from parts(part)


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: message.__name__)
def test_a_message_carries_no_closure(message: type) -> None:
    types = typing.get_type_hints(message)
    carried = {part for field in fields(message) for part in parts(types[field.name])}
    assert carried
    assert not carried & {Callable, Awaitable}
