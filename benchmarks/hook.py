"""How long the hook takes that an agent waits for, beside the bare interpreter, in one run."""

import statistics
import subprocess
import sys
from pathlib import Path
from time import perf_counter
from typing import Any

from benchmarks.home import daemon, home
from memoryd_cli.connect.program import hook_text

ROUNDS = 60
LIMIT = 1.6
"""Times the bare interpreter that a hook without an answer to wait for may take."""


def run() -> dict[str, Any]:
    with home() as paths, daemon(paths):
        program = paths.home / "memoryd-hook"
        program.write_text(hook_text(paths), encoding="utf-8")
        program.chmod(0o700)
        asked: list[float] = []
        bare: list[float] = []
        for _ in range(ROUNDS):  # in turns: what else the machine does then slows both alike
            bare.append(_timed([sys.executable, "-IS", "-c", "pass"]))
            asked.append(_timed([str(program), "claude", "SessionEnd"]))
    figures = {"hook_ms": statistics.median(asked), "python_ms": statistics.median(bare)}
    figures["ratio"] = figures["hook_ms"] / figures["python_ms"]
    print(
        f"hook {figures['hook_ms']:.1f} ms, python -IS -c pass {figures['python_ms']:.1f} ms: "
        f"{figures['ratio']:.2f} times (limit {LIMIT})"
    )
    return figures


def _timed(command: list[str | Path]) -> float:
    begin = perf_counter()
    subprocess.run(command, input=b'{"reason":"other"}', capture_output=True, check=True)
    return (perf_counter() - begin) * 1000
