from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from memoryd.config import IndexConfig
from memoryd.index import LanceIndex

from .rows import DIMENSIONS


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "index"


@pytest.fixture
async def index(folder: Path) -> AsyncIterator[LanceIndex]:
    opened = LanceIndex(folder, IndexConfig(ann_rows=1500, keep_versions_s=0.001))
    assert await opened.open(model="m", dimensions=DIMENSIONS) == 0
    yield opened
    await opened.close()
