from collections.abc import AsyncIterator

import pytest

from messages_api import MessagesApi, verdict, verdicts
from sidecar_world import World, anthropic


@pytest.fixture
async def world() -> AsyncIterator[World]:
    with MessagesApi(verdicts(verdict(0))) as api:
        async with anthropic(api) as provider:
            yield World(api, provider)
