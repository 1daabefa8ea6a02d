"""How long an agent's program waits for the first answer of `memoryd mcp`, beside the bare interpreter, in one run."""

import statistics
import subprocess
import sys
from time import perf_counter
from typing import Any

ROUNDS = 60
LIMIT = 3.0
"""Times the bare interpreter that the first answer may take."""
_FIRST = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}\n'
_SERVER = [sys.executable, "-c", "import re, sys\nfrom memoryd_cli import main\nmain()", "mcp"]
"""What the console script does."""


def run() -> dict[str, Any]:
    answered: list[float] = []
    bare: list[float] = []
    for _ in range(ROUNDS):  # in turns: what else the machine does then slows both alike
        begin = perf_counter()
        subprocess.run([sys.executable, "-c", "pass"], check=True)
        bare.append((perf_counter() - begin) * 1000)
        answered.append(_answered())
    figures = {"first_answer_ms": statistics.median(answered), "python_ms": statistics.median(bare)}
    figures["ratio"] = figures["first_answer_ms"] / figures["python_ms"]
    print(
        f"first answer {figures['first_answer_ms']:.1f} ms, python -c pass {figures['python_ms']:.1f} ms: "
        f"{figures['ratio']:.2f} times (limit {LIMIT})"
    )
    return figures


def _answered() -> float:
    begin = perf_counter()
    with subprocess.Popen(_SERVER, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdin
        assert server.stdout
        server.stdin.write(_FIRST)
        server.stdin.flush()
        assert b"memoryd" in server.stdout.readline()
        took = (perf_counter() - begin) * 1000
        server.stdin.close()
    return took
