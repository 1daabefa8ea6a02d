"""Two made-up conversations in the format of the recall data."""

import json
from pathlib import Path

import pytest

SAID = {
    "kitchen": ["The oven needs ten minutes to heat up.", "Anna is allergic to walnuts.", "The blue bowl is chipped."],
    "garden": ["The tap behind the shed drips.", "Roses are cut back in March.", "The hedge grows too fast."],
}
ASKED = {"kitchen": ("What is Anna allergic to?", 1), "garden": ("When are the roses cut back?", 1)}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data" / "home"
    folder.mkdir(parents=True)
    told = [
        {"id": f"{group}/{at}", "group": group, "session": 1, "ts": "2026-01-02", "speaker": "Ben", "text": text}
        for group, texts in SAID.items()
        for at, text in enumerate(texts)
    ]
    asked = [
        {"id": group, "group": group, "query": query, "category": "fact", "relevant": [f"{group}/{at}"]}
        for group, (query, at) in ASKED.items()
    ]
    for name, some in (("memories", told), ("queries", asked)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(one) + "\n" for one in some), encoding="utf-8")
    return tmp_path / "data"
