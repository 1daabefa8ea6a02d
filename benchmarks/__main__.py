"""`python -m benchmarks [NAME ...]`: run the measurements, print a table for each, keep the JSON."""

import argparse
import importlib
import sys

from benchmarks.record import RESULTS, write

NAMES = (
    "ipc",
    "embedding",
    "index",
    "search",
    "query",
    "turn",
    "fresh",
    "latency",
    "checkpoints",
    "transcripts",
    "at_once",
    "growth",
    "context",
    "process",
    "hook",
    "ui",
    "mirror",
    "mcp",
    "documents",
    "slow_disk",
)
"""Those that need nothing but this repository; the others read a data folder: by name."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which to run: {', '.join(NAMES)} (default: all)")
    names = parser.parse_args().names or list(NAMES)
    for name in names:
        print(f"\n=== {name}", flush=True)
        module = importlib.import_module(f"benchmarks.{name}")
        write(RESULTS, name, module.run())
    print(f"\nJSON: {RESULTS}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
