"""What a measurement leaves behind: its figures as JSON, and the machine they come from."""

import json
import os
import platform
from collections.abc import Mapping
from pathlib import Path

RESULTS = Path(__file__).parent / "results"


def write(folder: Path, name: str, figures: Mapping[str, object]) -> Path:
    """Write figures into a folder, which is made where it is missing; return the file."""
    folder.mkdir(parents=True, exist_ok=True)
    record = {"machine": platform.platform(), "cores": os.cpu_count(), "figures": figures}
    target = folder / f"{name}.json"
    target.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    return target
