from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest

from memoryd.config import EmbeddingConfig
from memoryd.embedding import EmbeddingService, build_embedder


@pytest.fixture
def loaded(models: Path) -> Callable[[], AbstractAsyncContextManager[EmbeddingService]]:
    """The real model. Entered by the test itself: task groups begin and end in one task."""

    @asynccontextmanager
    async def enter() -> AsyncGenerator[EmbeddingService]:
        async with build_embedder(EmbeddingConfig(), models=models, offline=True) as service:
            await service.warm()
            yield service

    return enter
