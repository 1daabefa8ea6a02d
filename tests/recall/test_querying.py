"""What a query's budget holds, whatever counts the tokens."""

from collections.abc import Sequence

import anyio

from memoryd_actors.access.categories import Categories
from memoryd_actors.access.recording import ClientRecorder, SearchOutcome
from memoryd_actors.memory.steps import ChangeState
from memoryd_actors.searching.querying import Querier
from memoryd_client import State
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.query import Queried, Query
from recall_system import Place, System, running


class Characters:
    """Counts every character as a token, or nothing at all."""

    def __init__(self, *, known: bool = True) -> None:
        self.known = known

    async def count(self, texts: Sequence[str]) -> list[int] | None:
        return [len(text) for text in texts] if self.known else None


async def asked(system: System, tokens: Characters, request: Query) -> Queried:
    told: list[str] = []
    querier = Querier(
        system.searcher,
        system.ledger.memories,
        tokens,
        Categories(),
        recorder=ClientRecorder(system.ledger.events.record, system.clock),
        note=lambda _, ids: told.extend(ids),
        hear=system.recall.hear,
    )
    answer = await querier.query(request, Caller(), deadline_s=30)
    assert told == [one.id for one in answer.bullets] + [one.id for one in answer.memories]
    return answer


async def test_the_best_is_cut_to_the_budget_and_what_has_no_room_is_counted(place: Place) -> None:
    async with running(place) as system:
        for n in range(4):
            await system.remember(f"plan {n}: " + "blue servers go first " * (n + 1))
        for budget in (16, 30, 60, 120, 1000):
            found = await asked(system, Characters(), Query(query="plan of servers", top_k=4, budget_tokens=budget))
            assert found.tokens == sum(len(one.text) for one in found.bullets) <= budget
            assert found.bullets
            assert len(found.bullets) + found.left_out == 4
        whole = await asked(system, Characters(), Query(top_k=4, budget_tokens=60, return_="full"))
        assert [len(memory.content) for memory in whole.memories] == [whole.tokens]
        assert whole.left_out == 3


async def test_without_a_tokenizer_the_tokens_are_estimated_and_said_to_be(place: Place) -> None:
    async with running(place) as system:
        await system.remember("blue servers go first")
        found = await asked(system, Characters(known=False), Query(query="servers"))
        assert not found.counted
        assert found.tokens == 8
        assert (await asked(system, Characters(known=False), Query(categories=("nothing",)))).bullets == ()


async def test_a_query_tells_a_session_once_what_changed_since(place: Place) -> None:
    async with running(place) as system:
        querier = Querier(
            system.searcher,
            system.ledger.memories,
            Characters(),
            Categories(),
            recorder=ClientRecorder(system.ledger.events.record, system.clock),
            note=lambda _, ids: None,
            hear=system.recall.hear,
        )

        async def changes(session: str) -> tuple[str, ...]:
            return (await querier.query(Query(query="harbour"), Caller(session=session), deadline_s=30)).changes

        lamp = (await system.import_("The lamp is lit."))[0]
        assert await changes("s1") == ()
        await system.remember("Ana bakes bread on Mondays.", session="s2")
        told: list[tuple[str, ...]] = []

        async def ask() -> None:
            told.append(await changes("s1"))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(ask)
            tasks.start_soon(ask)
        # What it hands over itself is no news; nothing is told twice, also to two that ask at a time.
        heard = [one for one in told if one]
        assert len(heard) <= 1
        await system.remember("Ben sails on Sundays.", session="s2")
        await system.ledger.memories.apply("local", [ChangeState(lamp, State.FORGOTTEN, "DELETE")], actor="t")
        after = await changes("s1")
        assert after[0].startswith("Memory updates since rev ")
        assert any("The lamp is lit." in line for line in after)
        assert await changes("s1") == ()
        assert await changes("") == ()


def test_a_search_that_compares_words_alone_has_no_similarity() -> None:
    outcome = SearchOutcome()
    outcome.note([0.0, 0.0])
    assert outcome.similarity is None
    outcome.note([-0.2, -0.1])
    assert outcome.similarity == -0.1
