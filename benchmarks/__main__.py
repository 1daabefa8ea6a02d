"""`python -m benchmarks [NAME ...]`: run the measurements, print a table for each, keep the JSON."""

import argparse
import importlib
import json
import os
import platform
import sys
from pathlib import Path

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
)
"""Those that need nothing but this repository; the others read a data folder: by name."""
RESULTS = Path(__file__).parent / "results"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which to run: {', '.join(NAMES)} (default: all)")
    names = parser.parse_args().names or list(NAMES)
    RESULTS.mkdir(exist_ok=True)
    for name in names:
        print(f"\n=== {name}", flush=True)
        module = importlib.import_module(f"benchmarks.{name}")
        figures = module.run()
        record = {"machine": platform.platform(), "cores": os.cpu_count(), "figures": figures}
        (RESULTS / f"{name}.json").write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    print(f"\nJSON: {RESULTS}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
