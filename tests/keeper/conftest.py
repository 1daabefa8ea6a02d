from pathlib import Path

import pytest

from recall_system import Place


@pytest.fixture
def place(tmp_path: Path, models: Path) -> Place:
    """Where a system can live. Entered by the test itself: task groups begin and end in one task."""
    return Place(tmp_path, models)
