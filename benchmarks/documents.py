"""How often the right document of this project answers a question: searched for, and brought up by itself.

The floor is the bare cosine of the same passages: the nearest one, and the three nearest.
"""

import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.home import bare_model, daemon, home, wait_for_model
from memoryd_client import Client, Message
from memoryd_client.wire.traces import Trace

DOCUMENTS = Path(__file__).parents[1] / "docs"
QUESTIONS = (
    ("how do I install extensions for PostgreSQL", "postgresql"),
    ("which embedding models can I use", "models"),
    ("how large may a section of core memory be", "core-memory"),
    ("what happens with memories nobody uses for a long time", "life-of-a-memory"),
    ("restore from a backup", "backups"),
    ("run it under systemd", "systemd"),
    ("import conversations from Claude Code", "importing"),
    ("protocol on the socket, message format", "wire"),
    ("who can read my data, threat model", "security"),
    ("tools for an agent of my own", "tools"),
    ("Model Context Protocol server", "mcp"),
    ("keyboard keys of the terminal interface", "ui"),
    ("what is captured when user says remember", "capture"),
    ("nightly merging of duplicates", "consolidation"),
    ("fields of the JSON output of status", "json"),
    ("which hooks are sent", "hooks"),
    ("how does purge destroy data in backups", "life-of-a-memory backups security"),
    ("checkpoint versions kept", "core-memory"),
    ("use Ollama as judge", "models"),
    ("OpenAI compatible endpoint setting", "models"),
    ("how secrets are redacted", "security"),
    ("episodes of sessions when written", "capture life-of-a-memory"),
    ("shared ledger with several machines", "postgresql several-machines"),
    ("exit codes of the command line", "cli"),
    ("vacuum full after deletion", "core-memory postgresql"),
    ("what does the judge cost a day", "models"),
    ("demo command options", "cli"),
    ("conversation format for memoryd push", "json cli"),
    ("contradicting memories", "life-of-a-memory"),
    ("undo a compaction or an operation", "life-of-a-memory cli"),
)
"""Each with the names of the documents of which any has the answer."""
NEAREST = 3


def run() -> dict[str, Any]:
    with home() as paths, daemon(paths) as running:
        wait_for_model(running)
        with Client(project="/documents", paths=paths, deadline_s=600) as client:
            passages = sum(one.passages for one in client.add_knowledge(DOCUMENTS).documents)
            while client.status().components["index"].numbers["behind"]:
                time.sleep(0.1)
            kept = client.list(category="knowledge", limit=1000)
            found = [[_name(hit.path) for hit in client.knowledge_search(one, limit=NEAREST)] for one, _ in QUESTIONS]
        named = {one.id: _name(one.metadata["document"]) for one in kept}
        by_itself: list[list[str]] = []
        for number, (question, _) in enumerate(QUESTIONS):
            with Client(session=f"s{number}", project="/documents", paths=paths, deadline_s=60) as client:
                shown = _decided(client, question).candidates
                by_itself.append([named[one.id] for one in shown if one.kept and one.id in named])
        model = bare_model(paths)
    texts = [f"{one.title}\n{one.content}" for one in kept]
    cosines = (
        model.encode([question for question, _ in QUESTIONS], max_tokens=256) @ model.encode(texts, max_tokens=256).T
    )
    nearest = [[named[kept[n].id] for n in np.argsort(-row)[:NEAREST]] for row in cosines]
    figures = {
        "passages": passages,
        "questions": len(QUESTIONS),
        "search": _right(found),
        "cosine": _right(nearest),
        "brought up": sum(map(bool, by_itself)),
        "brought up, right": _right(by_itself)["among three"],
    }
    print(figures)
    return figures


def _name(path: str) -> str:
    return Path(path).stem


def _decided(client: Client, question: str) -> Trace:
    client.push_acknowledged([Message("user", question)], turn=1)
    while not (traces := client.why()):
        time.sleep(0.01)
    return traces[0]


def _right(found: list[list[str]]) -> dict[str, int]:
    """Return how often the right document came first, and among the three."""
    pairs = [(names, right.split()) for names, (_, right) in zip(found, QUESTIONS, strict=True)]
    return {
        "first": sum(bool(names) and names[0] in right for names, right in pairs),
        "among three": sum(bool(set(names) & set(right)) for names, right in pairs),
    }
