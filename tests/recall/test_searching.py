"""What a search finds while the model is not there yet, and how near statements come together."""

import threading
from dataclasses import replace
from datetime import UTC, datetime

from memoryd.embedding.model import EmbeddingModel
from memoryd_actors.core.errors import ModelUnavailable
from memoryd_actors.keeping.orders import Store
from memoryd_actors.memory.visibility import Visibility
from memoryd_client import NewMemory, Scope
from memoryd_client.wire.caller import Caller
from recall_system import Place, running

FILLER = "Nothing of note was entered into the log of the harbour, and the wind came from the west. " * 100


async def test_what_was_stored_while_the_model_is_loading_is_found_by_its_words(place: Place) -> None:
    loaded = threading.Event()

    def load() -> EmbeddingModel:
        loaded.wait()
        raise ModelUnavailable("this test has none")

    fact = "The login test fails at midnight local time."
    new = tuple(
        NewMemory(content=text, scope=Scope.GLOBAL) for text in (fact, f"{FILLER}Ilse waters orchids. {FILLER}")
    )
    try:
        async with running(replace(place, load=load)) as system:
            short, long = await system.keeper.ask(Store(new, Caller(session="s")), deadline_s=20)
            found = await system.searcher.search("login test", Visibility(owner="local"), limit=5, deadline_s=0.3)
            (hit,) = (await system.searcher.search("orchids", Visibility(owner="local"), limit=5, deadline_s=0.3)).hits
            loaded.set()
    finally:
        loaded.set()
    assert [one.id for one in found.hits] == [short.id]
    assert found.note == "found by words alone: the embedding model did not answer in time"
    # Of a long one the passage is named, though it is in no index.
    assert hit.id == long.id
    assert 0 < long.content.index("Ilse") - hit.offset < 1_000


async def test_of_near_statements_the_newest_is_a_hit_and_the_older_ones_stand_beneath_it(place: Place) -> None:
    said = {
        5: "The release train of the shop leaves on Thursday at nine.",
        7: "The release train of the shop leaves on Thursdays at nine sharp now.",
        6: "The cat of the neighbours sleeps on the roof.",
    }
    async with running(place) as system:
        for day, text in said.items():
            new = NewMemory(content=text, scope=Scope.GLOBAL, occurred_at=datetime(2026, 1, day, tzinfo=UTC))
            await system.keeper.ask(Store((new,), Caller(session="s")), deadline_s=20)
        asked, everybody = "When does the release train leave?", Visibility(owner="local")
        hits = (await system.searcher.search(asked, everybody, limit=5, deadline_s=20)).hits
        (first,) = (await system.searcher.search(asked, everybody, limit=1, deadline_s=20)).hits
    assert [one.summary for one in hits] == [said[7], said[6]]
    assert [(one.reason, one.summary, one.timestamp.day) for one in hits[0].related] == [("earlier", said[5], 5)]
    assert first == hits[0]
