"""The mix of `benchmarks.kills`, with embedding models so small that a mix takes a second."""

import random
from pathlib import Path

import pytest
from benchmarks.kills.killing import part
from benchmarks.kills.writers import WORDS

from small_models import make_model


@pytest.mark.timeout(600)
@pytest.mark.parametrize("times", [6, pytest.param(20, marks=pytest.mark.slow)])
def test_kill_9_at_any_moment_loses_nothing_acknowledged_and_leaves_nothing_half_done(
    times: int, tmp_path: Path
) -> None:
    folders = [
        make_model(tmp_path / name, dimensions=dimensions, known=WORDS)
        for name, dimensions in (("first", 24), ("second", 40))
    ]
    models = [f'[embedding]\nmodel = "{one.name}"\nfolder = "{one}"\n' for one in folders]
    # Tests draw the same for the same commit, and others for the next one; the part says which.
    figures = part(times, random.randrange(10**6), models)
    assert figures["problems"] == []
    assert figures["acknowledged"]
