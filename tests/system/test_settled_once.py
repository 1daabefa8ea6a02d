"""A near pair is settled once, whichever provider the model has, and not asked about again."""

import json
import shlex
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

from chat_completions import completion
from memoryd_client import Client
from memoryd_client.wire.consolidation import Consolidation
from messages_api import MessagesApi, message
from running import RunningDaemon, until

FACT = "Ana parks the van behind the bakery"
TITLE = "Notes from the gardening club about tulips, roses and the spring market"
STAYS = {"same": (True, False), "contradicts": (False, True), "resembles": (True, True)}
"""Whether the older and the newer one stay."""
PROGRAM = """import sys
sys.stdin.read()
with open({asked!r}, "a") as file:
    file.write("x")
print({answer!r})
"""


def said(relation: str) -> str:
    pairs = [{"index": n, "relation": relation, "confidence": 0.95, "reason": "so it is"} for n in range(10)]
    return json.dumps({"pairs": pairs})


def near_pair(client: Client) -> tuple[str, str]:
    """Store a pair that says the same and was never held against each other: one was forgotten meanwhile."""
    until(lambda: all(client.status().components[part].state == "ok" for part in ("model", "index")), "model and index")
    older = client.remember(f"{FACT}.", title=TITLE)
    client.forget(older.id)
    newer = client.remember(f"{FACT}!")
    client.restore(older.id)
    return older.id, newer.id


def consolidated(daemon: RunningDaemon, client: Client) -> Consolidation:
    daemon.indexed(client)
    number = client.consolidate().number

    def finished() -> Consolidation | None:
        return next((run for run in client.consolidations() if run.number == number and run.finished_at), None)

    return until(finished, "the run to finish")


@pytest.mark.parametrize(
    ("provider", "relation"),
    [
        ("openai", "resembles"),
        pytest.param("openai", "contradicts", marks=pytest.mark.slow),
        pytest.param("command", "resembles", marks=pytest.mark.slow),
        pytest.param("anthropic", "same", marks=pytest.mark.slow),
    ],
)
def test_a_pair_is_settled_once_and_not_asked_about_again(
    short_home: Path, models: Path, tmp_path: Path, provider: str, relation: str
) -> None:
    program, asked = tmp_path / "model.py", tmp_path / "asked"
    program.write_text(PROGRAM.format(asked=str(asked), answer=said(relation)), encoding="utf-8")
    asked.touch()
    replies = {"openai": completion(said(relation)), "anthropic": message(said(relation))}
    with MessagesApi(replies.get(provider)) as api:
        settings = {
            "MEMORYD_SIDECAR_PROVIDER": provider,
            "MEMORYD_SIDECAR_BASE_URL": api.url,
            "MEMORYD_SIDECAR_MODEL": "a-model",
            "MEMORYD_SIDECAR_COMMAND": shlex.join([sys.executable, "-IS", str(program)]),
            "ANTHROPIC_API_KEY": "test-key",
            "MEMORYD_CONSOLIDATION_HOURS": "0",
        }

        def questions() -> int:
            return len(api.requests) + len(asked.read_text(encoding="utf-8"))

        with RunningDaemon(short_home, models, **settings) as daemon, daemon.client("s1") as client:
            older, newer = near_pair(client)
            assert consolidated(daemon, client).counts["compared"] == 1
            assert questions() == 1
            assert (client.get(older).active, client.get(newer).active) == STAYS[relation]
            # Long after: what was compared lately is forgotten, what was settled is not.
            with closing(sqlite3.connect(daemon.paths.ledger, timeout=60)) as ledger, ledger:
                assert ledger.execute("DELETE FROM checks").rowcount == 1
            assert "compared" not in consolidated(daemon, client).counts
        assert questions() == 1
