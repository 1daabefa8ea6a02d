"""A memory of 64 kB is found by any of its passages, through a real daemon."""

from pathlib import Path

import pytest

from memoryd_client import Client
from memoryd_client.wire.memory import MAX_CONTENT_BYTES
from running import RunningDaemon

FACTS = {
    "Which hall has the pump that whistles?": "The pump that whistles at night stands in hall seven.",
    "Who waters the orchids?": "Ilse waters the orchids on Mondays and Thursdays.",
    "How long is the bridge over the canal?": "The footbridge across the canal measures forty-one metres.",
    "What did the accordion cost?": "For the accordion we paid three hundred euros at the flea market.",
    "When does the glacier tour start?": "The tour to the glacier sets off at five in the morning.",
    "What colour is the lighthouse?": "The lighthouse was painted green after the storm.",
}
FILLER = "Nothing of note was entered into the log of the harbour on this day, and the wind came from the west. "
SHORT = [f"Colleague number {n} prefers the {word} tram." for n, word in enumerate(("red", "blue", "old", "new") * 5)]


def long_text(facts: list[str]) -> str:
    gap = FILLER * ((MAX_CONTENT_BYTES - 1_000) // len(FILLER) // (len(facts) + 1))
    text = gap + "".join(f"{fact} {gap}" for fact in facts)
    assert 60_000 < len(text.encode()) <= MAX_CONTENT_BYTES
    return text


def finds(client: Client, question: str, fact: str, content: str) -> bool:
    """Return whether the first hit is the passage with the fact, and reading on from there tells it."""
    hit = client.search(question, limit=3)[0]
    if not 0 <= content.index(fact) - hit.offset < 1_000:
        return False
    return fact in client.read(hit.id, offset=hit.offset, limit=1_000).content


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_long_memory_is_found_by_each_passage_across_restart_edit_and_purge(short_home: Path, models: Path) -> None:
    content = long_text(list(FACTS.values()))
    with RunningDaemon(short_home, models) as daemon, daemon.client() as client:
        for one in SHORT:
            client.remember(one)
        stored = client.remember(content, title="The log of the harbour")
        daemon.indexed(client)
        for question, fact in FACTS.items():
            assert finds(client, question, fact, content), question
        # What is handed over tells the passage, not the beginning.
        assert "Ilse" in client.query("Who waters the orchids?", top_k=1).bullets[0].text
    with RunningDaemon(short_home, models) as daemon, daemon.client() as client:
        daemon.indexed(client)
        assert all(finds(client, question, fact, content) for question, fact in FACTS.items())
        (question, fact), *others = FACTS.items()
        edited = long_text([fact for _, fact in others])
        client.update(stored.id, content=edited)
        daemon.indexed(client)
        assert not any("whistles" in hit.summary for hit in client.search(question, limit=5))
        assert all(finds(client, question, fact, edited) for question, fact in others)
        client.purge([stored.id])
        assert stored.id not in {hit.id for hit in client.search("Who waters the orchids?", limit=30)}
    left = [path for path in daemon.paths.index.rglob("*") if path.is_file() and b"orchid" in path.read_bytes()]
    assert left == []
