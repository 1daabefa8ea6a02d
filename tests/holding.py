"""Another process that holds a home."""

import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager

from memoryd_client.base.paths import Paths

HOLD = """
import sys
from pathlib import Path
from memoryd.lock import hold_home
from memoryd_client.base.paths import Paths
home = Path(sys.argv[1])
with hold_home(Paths(home=home, config=home, runtime=home / "run"), version="9.9"):
    print("held", flush=True)
    sys.stdin.read()
"""


@contextmanager
def held_by_another(paths: Paths) -> Generator[subprocess.Popen[str]]:
    """Hold a home in a process that answers nobody, as a daemon does that is about to end."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(paths.home)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdin is not None
    with process.stdout, process.stdin:
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()
        process.wait()
