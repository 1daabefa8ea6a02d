import threading
from collections.abc import AsyncIterator, Iterator

import pytest

from messages_api import MessagesApi, verdict, verdicts
from sidecar_world import World, anthropic


@pytest.fixture
def release() -> Iterator[threading.Event]:
    """Lets go of answers that the server holds back."""
    event = threading.Event()
    yield event
    event.set()


@pytest.fixture
async def world() -> AsyncIterator[World]:
    with MessagesApi(verdicts(verdict(0))) as api:
        async with anthropic(api) as provider:
            yield World(api, provider)
