"""While the model reads a long text, what else there is goes into the index and is found."""

from collections.abc import Sequence
from contextlib import suppress

import anyio

from memoryd.config import IndexConfig
from memoryd.index import LanceIndex
from memoryd_actors.core.errors import Unavailable
from memoryd_actors.indexing.indexer import LONG_CHARACTERS, Indexer
from memoryd_actors.keeping.orders import Store
from memoryd_actors.memory.settings import RecallSettings
from memoryd_actors.memory.visibility import Visibility
from memoryd_actors.ports.embedder import Embedder, Vectors
from memoryd_actors.searching.search import Searcher
from memoryd_client import Memory, NewMemory, Scope
from memoryd_client.wire.caller import Caller
from recall_system import Place, System, running

EVERYBODY = Visibility(owner="local")
SAID = "Nothing of note was entered into the log of the harbour. "
LONG = SAID * (1 + LONG_CHARACTERS // len(SAID))
MOST = 8
"""Texts at once; a long one has more."""


class Held:
    """An embedder that reads long texts only once the door is open."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.identity, self.dimensions = embedder.identity, embedder.dimensions
        self.knocked, self.door = anyio.Event(), anyio.Event()

    async def embed(
        self, texts: Sequence[str], *, max_tokens: int = 256, background: bool = False, query: bool = False
    ) -> Vectors:
        if len(texts) > MOST:
            self.knocked.set()
            await self.door.wait()
        return await self._embedder.embed(texts, max_tokens=max_tokens, background=background, query=query)


async def store(system: System, content: str) -> Memory:
    new = NewMemory(content=content, scope=Scope.GLOBAL)
    (stored,) = await system.keeper.ask(Store((new,), Caller(session="s")), deadline_s=20)
    return stored


async def test_while_a_long_text_is_read_searches_answer_and_what_is_stored_meanwhile_is_found(place: Place) -> None:
    async with running(place) as system:
        held = Held(system.embedder)
        index = LanceIndex(place.home / "index beside", IndexConfig())
        indexer = Indexer(system.ledger, index, held, lambda _: None)
        searcher = Searcher(system.embedder, index, indexer, system.ledger.memories, RecallSettings())

        notes: list[str] = []

        async def find(asked: str) -> list[str]:
            found = await searcher.search(asked, EVERYBODY, limit=3, deadline_s=30)
            notes.append(found.note)
            return [hit.id for hit in found.hits]

        before = await store(system, "The heron of the pond eats frogs.")
        await indexer.prepare()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(indexer.run)
            with suppress(Unavailable):
                await indexer.wait_open(deadline_s=60)
            assert await indexer.wait_for(await system.ledger.changes.last_sequence(), deadline_s=60)
            await store(system, LONG)
            indexer.kick(await system.ledger.changes.last_sequence())
            await held.knocked.wait()
            assert await find("what does the heron eat?") == [before.id]
            after = await store(system, "The ferry of the lake leaves at noon.")
            sequence = await system.ledger.changes.last_sequence()
            indexer.kick(sequence)
            indexer.go_ahead(after, (await system.embedder.embed([after.content]))[0], sequence)
            assert (await find("when does the ferry leave?"))[0] == after.id
            assert not held.door.is_set()
            held.door.set()
            assert await indexer.wait_for(sequence, deadline_s=60)
            assert await index.count() == 3
            assert await find("what does the heron eat?")
            tasks.cancel_scope.cancel()
        assert notes == ["not indexed yet: at most 1 change", "not indexed yet: at most 2 changes", ""]
        await index.close()


async def test_what_came_together_with_a_long_text_is_found_while_that_is_read(place: Place) -> None:
    async with running(place) as system:
        held = Held(system.embedder)
        index = LanceIndex(place.home / "index beside", IndexConfig())
        indexer = Indexer(system.ledger, index, held, lambda _: None)
        searcher = Searcher(system.embedder, index, indexer, system.ledger.memories, RecallSettings())
        await indexer.prepare()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(indexer.run)
            with suppress(Unavailable):
                await indexer.wait_open(deadline_s=60)
            assert await indexer.wait_for(await system.ledger.changes.last_sequence(), deadline_s=60)
            before = await store(system, "The heron of the pond eats frogs.")
            await store(system, LONG)
            after = await store(system, "The ferry of the lake leaves at noon.")
            sequence = await system.ledger.changes.last_sequence()
            indexer.kick(sequence)
            for asked, wanted in (("what does the heron eat?", before), ("when does the ferry leave?", after)):
                found = await searcher.search(asked, EVERYBODY, limit=1, deadline_s=30)
                assert [hit.id for hit in found.hits] == [wanted.id]
            assert held.knocked.is_set()
            assert not held.door.is_set()
            held.door.set()
            assert await indexer.wait_for(sequence, deadline_s=60)
            assert await index.count() == 3
            tasks.cancel_scope.cancel()
        await index.close()
