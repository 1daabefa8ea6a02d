"""What a search finds while the model is not there yet."""

import threading
from dataclasses import replace

from memoryd.embedding.model import EmbeddingModel
from memoryd_actors.core.errors import ModelUnavailable
from memoryd_actors.keeping.orders import Store
from memoryd_actors.memory.visibility import Visibility
from memoryd_client import NewMemory, Scope
from memoryd_client.wire.caller import Caller
from recall_system import Place, running


async def test_what_was_stored_while_the_model_is_loading_is_found_by_its_words(place: Place) -> None:
    loaded = threading.Event()

    def load() -> EmbeddingModel:
        loaded.wait()
        raise ModelUnavailable("this test has none")

    new = NewMemory(content="The login test fails at midnight local time.", scope=Scope.GLOBAL)
    try:
        async with running(replace(place, load=load)) as system:
            (stored,) = await system.keeper.ask(Store((new,), Caller(session="s")), deadline_s=20)
            found = await system.searcher.search("login test", Visibility(owner="local"), limit=5, deadline_s=0.3)
            loaded.set()
    finally:
        loaded.set()
    assert [hit.id for hit in found] == [stored.id]
