import os
from pathlib import Path

import pytest

from memoryd_cli.connect.program import hook_text
from memoryd_client.base.paths import Paths


@pytest.fixture
def paths(short_home: Path) -> Paths:
    return Paths.from_environment({"HOME": str(short_home), "MEMORYD_HOME": str(short_home)})


@pytest.fixture
def hook(paths: Paths) -> Path:
    """The hook program of a daemon, as hosts start it."""
    program = paths.home / "memoryd-hook"
    program.write_text(hook_text(paths), encoding="utf-8")
    os.chmod(program, 0o700)
    return program
