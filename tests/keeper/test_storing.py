"""Writes meet what is there: the Keeper, with the real ledger, index and model."""

import msgspec
import pytest

from memoryd_actors.core.errors import PurgedMeanwhile, Refused
from memoryd_actors.indexing.indexer import BATCH
from memoryd_actors.keeping.orders import EditMemory, LinkMemories, SetState, Store, TakeBack
from memoryd_actors.memory.steps import RELATED, SUPERSEDES, UnlessPurged
from memoryd_actors.memory.visibility import Visibility
from memoryd_client import Memory, NewMemory, Scope
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.editing import Changes
from memoryd_client.wire.memory import Source, State
from recall_system import Place, System, running

CALLER = Caller(agent="test", session="s1", project="/p")
SECRET = "ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bD2fG4hJ6"[:36]


async def store(system: System, *contents: str, caller: Caller = CALLER, **fields: object) -> Memory:
    """Store one memory, or several at once, and return the first."""
    new = tuple(msgspec.convert({"content": content, **fields}, NewMemory) for content in contents)
    return (await system.keeper.ask(Store(new, caller), deadline_s=20))[0]


async def now(system: System, memory: Memory) -> Memory:
    return (await system.ledger.memories.get(memory.owner, [memory.id]))[memory.id]


async def test_what_says_the_same_is_one_memory_that_grew_stronger(place: Place) -> None:
    async with running(place) as system:
        first = await store(system, "The user prefers tabs over spaces.")
        again = await store(
            system, "User prefers tabs over spaces", caller=msgspec.structs.replace(CALLER, session="s2")
        )
        assert (again.id, again.strength, again.sources) == (first.id, 2, ("s2",))


@pytest.mark.parametrize(
    "given",
    [
        [NewMemory(content="The crane lifts nine tons.")],
        [NewMemory(content="The crane lifts nine tons."), NewMemory(content="The crane is of cobalt.")],
        [NewMemory(content="Cranes are greased on Fridays.", category="procedure", title="grease")],
    ],
)
async def test_of_what_was_read_before_a_purge_nothing_is_stored(place: Place, given: list[NewMemory]) -> None:
    async with running(place) as system:
        former, other = await store(system, "The crane is broken."), await store(system, "Ana has two cats.")
        read = UnlessPurged(await system.ledger.progress.purges("local"), "s1")
        await system.ledger.purges.purge("local", [other.id], actor="a")
        late = Store(tuple(given), CALLER, unless_purged=read)
        orders = [late] if len(given) > 1 else [late, msgspec.structs.replace(late, replaces=former.id)]
        for order in orders:
            with pytest.raises(PurgedMeanwhile):
                await system.keeper.ask(order, deadline_s=20)
        assert (await now(system, former)).active
        again = UnlessPurged(await system.ledger.progress.purges("local"), "s1")
        stored = await system.keeper.ask(msgspec.structs.replace(late, unless_purged=again), deadline_s=20)
        assert len(stored) == len(given)


async def test_what_was_written_just_now_is_compared_with_before_the_index_has_it(place: Place) -> None:
    async with running(place) as system:
        # The indexer is not waited for in between.
        ids = {(await store(system, f"The user prefers tabs over spaces{end}")).id for end in (".", "", "!", " .")}
        assert len(ids) == 1


async def test_a_correction_by_the_user_retires_what_it_contradicts(place: Place) -> None:
    async with running(place) as system:
        old = await store(system, "The deploy job runs at 02:00 UTC.")
        new = await store(system, "The deploy job runs at 04:00 UTC.", category="correction", source="user")
        assert (await now(system, old)).state is State.SUPERSEDED
        assert (await now(system, old)).superseded_by == new.id


async def test_of_two_that_cannot_both_be_true_the_newer_one_is_kept_where_it_is_trusted_as_much(place: Place) -> None:
    async with running(place) as system:
        old = await store(system, "The timeout of the reporting database is 30 seconds.")
        new = await store(system, "The timeout of the reporting database is 40 seconds.")
        assert (await now(system, old)).superseded_by == new.id
        for text in ("The reporting database listens on port {}.", "The exam is on {} March."):
            both = [await store(system, text.format(number)) for number in (3, 10)]
            assert [(await now(system, one)).active for one in both] == [True, True]
            edges = await system.ledger.memories.edges("local", [both[1].id])
            assert "contradicts" in {edge.relation for edge in edges}


async def test_what_is_trusted_less_stands_beside_what_it_contradicts(place: Place) -> None:
    async with running(place) as system:
        old = await store(system, "The deploy job runs at 02:00 UTC.", trust=0.9)
        new = await store(system, "The deploy job runs at 04:00 UTC.", trust=0.3)
        assert (await now(system, old)).active
        assert (await now(system, new)).active
        assert "contradicts" in {edge.relation for edge in await system.ledger.memories.edges("local", [new.id])}


async def test_only_an_active_memory_supersedes_an_active_one_by_hand(place: Place) -> None:
    async with running(place) as system:
        old = await store(system, "The rowing club meets on Mondays.")
        new = await store(system, "Bees sleep in the walls of the mill.")
        for _ in range(2):  # said again, it is still so
            await system.keeper.ask(LinkMemories(new.id, old.id, SUPERSEDES, 1.0, CALLER), deadline_s=20)
        with pytest.raises(Refused, match=f"{old.id} is superseded by {new.id}"):
            await system.keeper.ask(LinkMemories(old.id, new.id, SUPERSEDES, 1.0, CALLER), deadline_s=20)
        await system.keeper.ask(SetState(new.id, State.FORGOTTEN, CALLER), deadline_s=20)
        with pytest.raises(Refused, match=f"{new.id} is forgotten"):
            third = await store(system, "Salt keeps the stairs free of ice.")
            await system.keeper.ask(LinkMemories(third.id, new.id, SUPERSEDES, 1.0, CALLER), deadline_s=20)


async def test_two_projects_do_not_merge_what_they_both_know(place: Place) -> None:
    async with running(place) as system:
        here = await store(system, "The main branch is called trunk.")
        there = await store(
            system, "The main branch is called trunk.", caller=msgspec.structs.replace(CALLER, project="/q")
        )
        assert here.id != there.id
        assert (await now(system, here)).strength == 1


async def test_neighbours_are_linked_once(place: Place) -> None:
    async with running(place) as system:
        one = await store(system, "Ana keeps the invoices of the bakery in a spreadsheet.")
        other = await store(system, "The bakery's invoices are due at the end of the month.")
        edges = await system.ledger.memories.edges("local", [one.id])
        assert [(edge.from_id, edge.to_id, edge.relation) for edge in edges] == [(other.id, one.id, RELATED)]


async def test_a_rule_has_one_value_for_each_name(place: Place) -> None:
    async with running(place) as system:
        old = await store(system, "four spaces", category="rule", title="indentation")
        new = await store(system, "tabs", category="rule", title="Indentation")
        other = await store(system, "100 characters", category="rule", title="line length")
        assert (await now(system, old)).superseded_by == new.id
        assert (await now(system, other)).active


async def test_an_edit_passes_the_gate_and_loses_nobodys_change(place: Place) -> None:
    async with running(place) as system:
        memory = await store(system, "The token is kept in the vault.")
        edit = EditMemory(
            memory.id[:10], Changes(content=f"The token is {SECRET}.", importance=5), memory.revision, CALLER
        )
        (edited,) = await system.keeper.ask(edit, deadline_s=10)
        assert SECRET not in edited.content
        assert (edited.importance, edited.revision, edited.created_at) == (5, 2, memory.created_at)
        with pytest.raises(Refused, match="changed meanwhile"):
            await system.keeper.ask(edit, deadline_s=10)
        (entry, _) = await system.ledger.memories.history("local", memory_id=memory.id)
        assert (entry.event, entry.old) == ("UPDATE", "The token is kept in the vault.")


async def test_an_operation_is_undone_by_its_number(place: Place) -> None:
    async with running(place) as system:
        memory = await store(system, "Ana plays chess.")
        await system.keeper.ask(SetState(memory.id, State.FORGOTTEN, CALLER), deadline_s=10)
        (entry, *_) = await system.ledger.memories.history("local", memory_id=memory.id)
        (back,) = await system.keeper.ask(TakeBack(entry.operation, CALLER), deadline_s=10)
        assert back.active


async def test_what_became_of_a_memory_cannot_be_said_by_hand(place: Place) -> None:
    async with running(place) as system:
        one, other = await store(system, "Ana plays chess."), await store(system, "Rain is expected on Sunday.")
        for relation, remove in (("merged_into", False), ("supersedes", True)):
            with pytest.raises(Refused, match="by hand"):
                await system.keeper.ask(LinkMemories(one.id, other.id, relation, 1.0, CALLER, remove), deadline_s=10)
        await system.keeper.ask(LinkMemories(one.id, other.id, "supersedes", 1.0, CALLER), deadline_s=10)
        assert (await now(system, other)).superseded_by == one.id


async def test_of_a_batch_with_one_that_is_refused_nothing_is_stored_and_the_refusal_says_which(place: Place) -> None:
    async with running(place) as system:
        good, bad = NewMemory(content="Tokens expire in UTC."), NewMemory(content="<private>x</private>")
        with pytest.raises(Refused, match="memory 2 of 3: there is nothing to remember"):
            await system.keeper.ask(Store((good, bad, good), CALLER), deadline_s=10)
        assert await system.ledger.memories.counts() == {}


async def test_a_new_memory_says_who_stored_it_and_which_model_embeds_it(place: Place) -> None:
    async with running(place) as system:
        memory = await store(
            system, "tea", scope=Scope.GLOBAL, source=Source.USER, caller=msgspec.structs.replace(CALLER, agent=SECRET)
        )
        assert (await now(system, memory)).embedding_model == system.embedder.identity
        (entry,) = await system.ledger.memories.history("local", memory_id=memory.id)
        assert entry.actor == "[redacted:github-token]"


@pytest.mark.slow
async def test_a_single_write_is_found_before_the_bulk_that_came_before_it_is_indexed(place: Place) -> None:
    async with running(place) as system:
        await store(system, *(f"Line {n} of the old log says that pump {n} was oiled." for n in range(6 * BATCH)))
        mine = await store(system, "The lighthouse keeper's parrot is called Otto.")
        sequence = system.indexer.target
        seen = Visibility("local", "/p")
        while not await system.index.search(vector=None, words="parrot", visible=seen, limit=5):
            assert await system.indexer.wait_for(system.indexer.applied + 1, deadline_s=60)
        assert system.indexer.applied < sequence
        assert await system.indexer.wait_for(sequence, deadline_s=120)
        assert await system.index.count() == 6 * BATCH + 1
        (found,) = await system.index.search(vector=None, words="parrot", visible=seen, limit=5)
        assert found.id == mine.id
