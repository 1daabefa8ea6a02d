"""What `memoryd mirror status` prints of a mirror."""

import pytest

from memoryd_cli.mirror import show
from memoryd_client.wire.mirroring import MirrorStatus, MirrorTrouble


def test_files_that_are_not_in_memory_are_results(capsys: pytest.CaptureFixture[str]) -> None:
    trouble = MirrorTrouble(path="shop/fact/Deploys.md", reason="it is empty")
    beside = "shop/fact/Token expiry.conflict-12345678.md"
    show(MirrorStatus(folder="/notes", files=214, not_taken=2, troubles=(trouble,), conflicts=(beside,)))
    said = capsys.readouterr()
    assert said.out.splitlines() == [
        "/notes: ok, 214 memories of all projects, 2 files not taken, 1 where both changed",
        "  not in memory: shop/fact/Deploys.md: it is empty",
        "  not in memory: 1 more",
        f"  both changed: {beside} has what the file said; keep what you need of it, and delete it",
    ]
    assert not said.err


def test_why_a_mirror_pauses_is_said_beneath_it(capsys: pytest.CaptureFixture[str]) -> None:
    show(MirrorStatus(folder="/notes", project="/shop", state="paused", message="it is away", hint="Bring it back."))
    assert capsys.readouterr().out == "/notes: paused, 0 memories of project /shop\n  it is away. Bring it back.\n"
