"""How long `memoryd ui` takes to show its first screen, beside the bare import of what draws it."""

import os
import pty
import select
import statistics
import subprocess
import sys
from pathlib import Path
from time import perf_counter
from typing import Any

from benchmarks.home import daemon, fill, home
from memoryd_client.base.paths import Paths

ROUNDS = 7
MEMORIES = 1_000
LIMIT_S = 1.0
"""More than the bare import that the first screen may take."""
FIRST = "Live"
"""Stands in the first line of the first screen."""


def run() -> dict[str, Any]:
    with home() as paths:
        fill(paths, MEMORIES)
        with daemon(paths):
            shown: list[float] = []
            bare: list[float] = []
            for _ in range(ROUNDS):  # in turns: what else the machine does then slows both alike
                bare.append(_imported())
                shown.append(_shown(paths))
    figures = {"shown_s": statistics.median(shown), "import_s": statistics.median(bare)}
    figures["beside_s"] = figures["shown_s"] - figures["import_s"]
    print(
        f"first screen {figures['shown_s']:.2f} s, python -c 'import textual' {figures['import_s']:.2f} s: "
        f"{figures['beside_s']:.2f} s beside it (limit {LIMIT_S:g})"
    )
    return figures


def _imported() -> float:
    begun = perf_counter()
    subprocess.run([sys.executable, "-c", "import textual"], check=True)
    return perf_counter() - begun


def _shown(paths: Paths) -> float:
    """Return the seconds until the first screen is on a terminal of its own."""
    ours, theirs = pty.openpty()
    environment = {
        **os.environ,
        "MEMORYD_HOME": str(paths.home),
        "TERM": "xterm-256color",
        "COLUMNS": "80",
        "LINES": "24",
    }
    seen = b""
    begun = perf_counter()
    command = [str(Path(sys.executable).with_name("memoryd")), "ui", "--project", ""]
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment) as running:
        os.close(theirs)
        while FIRST.encode() not in seen:
            select.select([ours], [], [], 30.0)
            seen += os.read(ours, 65_536)
        spent = perf_counter() - begun
        running.terminate()
        running.wait()
    os.close(ours)
    return spent
