from collections.abc import AsyncIterator, Iterator

import pytest

from memoryd.config import SidecarConfig
from memoryd.judge import AnthropicJudge, build_judge
from messages_api import MessagesApi


@pytest.fixture
def api() -> Iterator[MessagesApi]:
    with MessagesApi() as server:
        yield server


@pytest.fixture
async def judge(api: MessagesApi) -> AsyncIterator[AnthropicJudge]:
    built = build_judge(SidecarConfig(api_key="sk-test", base_url=api.url, deadline_s=20.0))
    assert built is not None
    yield built
    await built.aclose()
