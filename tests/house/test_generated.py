"""The blocking client is made of the asynchronous one, and says the same."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_the_blocking_client_is_up_to_date() -> None:
    run = subprocess.run(
        [sys.executable, "client/generate.py", "--check"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize("name", ["awaited", "suspending", "AsyncClient", "asynchronous"])
def test_nothing_of_the_asynchronous_client_is_left_in_it(name: str) -> None:
    assert name not in (ROOT / "client/memoryd_client/client.py").read_text(encoding="utf-8")
