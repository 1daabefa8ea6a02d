"""Operations: merge, supersede, relate, revise, and taking them back."""

from datetime import UTC, datetime

import msgspec
import pytest

from memoryd.ledger import SqlLedger
from memoryd_actors.admission.gate import content_hash
from memoryd_actors.core.errors import NotFound, Refused
from memoryd_actors.memory.steps import (
    CONTRADICTS,
    MERGED_INTO,
    RELATED,
    SUPERSEDES,
    Absorb,
    Add,
    AddCandidatePair,
    AddEdge,
    ChangeState,
    MarkCompared,
    Merge,
    RemoveEdge,
    RevertOperation,
    Revise,
    Step,
    Supersede,
)
from memoryd_client.wire.memory import Memory, State

from .samples import insert
from .samples import memory as sample

MAY = datetime(2026, 5, 1, tzinfo=UTC)


def memory(content: str, *, owner: str = "local", session: str = "") -> Memory:
    return msgspec.structs.replace(sample(content, owner=owner, session=session), content_hash=content_hash(content))


async def stored(ledger: SqlLedger, *contents: str) -> list[Memory]:
    applied = await ledger.memories.apply("local", [Add(memory(content)) for content in contents], actor="a")
    return list(applied.memories)


async def now(ledger: SqlLedger, memory_id: str) -> Memory:
    return (await ledger.memories.get("local", [memory_id]))[memory_id]


async def test_a_merged_memory_strengthens_the_other_and_its_words_stay(ledger: SqlLedger) -> None:
    (tea,) = await stored(ledger, "Ana drinks tea.")
    again = memory("Ana likes to drink tea.", session="s2")
    applied = await ledger.memories.apply("local", [Merge(again, tea.id, "Ana likes to drink tea.")], actor="a")
    (standing,) = applied.memories
    assert (standing.id, standing.strength, standing.content) == (tea.id, 2, "Ana likes to drink tea.")
    assert standing.sources == ("s2",)
    words = await now(ledger, again.id)
    assert (words.state, words.superseded_by) == (State.SUPERSEDED, tea.id)
    assert [edge.relation for edge in await ledger.memories.edges("local", [again.id])] == [MERGED_INTO]


async def test_the_same_merge_sent_again_counts_once(ledger: SqlLedger) -> None:
    (tea,) = await stored(ledger, "Ana drinks tea.")
    step = Merge(memory("Ana likes tea."), tea.id, "Ana drinks tea.")
    await ledger.memories.apply("local", [step], actor="a")
    (standing,) = (await ledger.memories.apply("local", [step], actor="a")).memories
    assert (standing.id, standing.strength) == (tea.id, 2)


async def test_a_merge_into_what_is_gone_meanwhile_is_an_addition(ledger: SqlLedger) -> None:
    (tea,) = await stored(ledger, "Ana drinks tea.")
    await ledger.memories.apply("local", [ChangeState(tea.id, State.FORGOTTEN, "DELETE")], actor="a")
    again = memory("Ana likes tea.")
    (standing,) = (await ledger.memories.apply("local", [Merge(again, tea.id, "x")], actor="a")).memories
    assert (standing.id, standing.state) == (again.id, State.ACTIVE)


async def test_undoing_a_merge_brings_back_both(ledger: SqlLedger) -> None:
    (tea,) = await stored(ledger, "Ana drinks tea.")
    again = memory("Ana likes tea.")
    applied = await ledger.memories.apply("local", [Merge(again, tea.id, "Ana drinks and likes tea.")], actor="a")
    await ledger.memories.apply("local", [RevertOperation(applied.operation)], actor="a")
    back = await now(ledger, tea.id)
    assert (back.content, back.strength, back.sources) == (tea.content, 1, ())
    assert (await now(ledger, again.id)).state is State.FORGOTTEN
    assert await ledger.memories.edges("local", [tea.id]) == []


async def test_an_undone_operation_can_be_done_again_by_undoing_the_undo(ledger: SqlLedger) -> None:
    (tea,) = await stored(ledger, "Ana drinks tea.")
    applied = await ledger.memories.apply("local", [ChangeState(tea.id, State.FORGOTTEN, "DELETE")], actor="a")
    undone = await ledger.memories.apply("local", [RevertOperation(applied.operation)], actor="a")
    assert (await now(ledger, tea.id)).active
    await ledger.memories.apply("local", [RevertOperation(undone.operation)], actor="a")
    assert (await now(ledger, tea.id)).state is State.FORGOTTEN


async def test_what_was_written_again_since_has_to_be_undone_first(ledger: SqlLedger) -> None:
    (tea,) = await stored(ledger, "Ana drinks tea.")
    changed = msgspec.structs.replace(tea, content="Ana drinks mate.", content_hash="h1")
    first = await ledger.memories.apply("local", [Revise(changed)], actor="a")
    again = msgspec.structs.replace(first.memories[0], content="Ana drinks wine.", content_hash="h2")
    second = await ledger.memories.apply("local", [Revise(again)], actor="a")
    with pytest.raises(Refused, match=f"operation {second.operation}"):
        await ledger.memories.apply("local", [RevertOperation(first.operation)], actor="a")
    await ledger.memories.apply("local", [RevertOperation(second.operation)], actor="a")
    assert (await now(ledger, tea.id)).content == "Ana drinks mate."


async def test_a_revision_of_what_changed_meanwhile_is_refused(ledger: SqlLedger) -> None:
    (tea,) = await stored(ledger, "Ana drinks tea.")
    await ledger.memories.apply("local", [Revise(msgspec.structs.replace(tea, importance=5))], actor="a")
    with pytest.raises(Refused, match="changed meanwhile"):
        await ledger.memories.apply("local", [Revise(msgspec.structs.replace(tea, importance=1))], actor="a")
    assert (await now(ledger, tea.id)).importance == 5


async def test_the_history_says_what_a_revision_changed_beside_the_content(ledger: SqlLedger) -> None:
    (tea,) = await stored(ledger, "Ana drinks tea.")
    changed = msgspec.structs.replace(
        tea, title="Tea", category="rule", tags=("ana", "tea"), importance=5, occurred_at=MAY, files=("a.md",)
    )
    await ledger.memories.apply("local", [Revise(changed, notes={"gate": "redacted:email"})], actor="a")
    (entry, _) = await ledger.memories.history("local", memory_id=tea.id)
    assert (entry.event, entry.old, entry.new) == ("UPDATE", "", "")
    assert entry.meta == {
        "title": "- → Tea",
        "category": "fact → rule",
        "tags": '- → ["ana","tea"]',
        "importance": "3 → 5",
        "occurred_at": "- → 2026-05-01T00:00:00Z",
        "files": '- → ["a.md"]',
        "gate": "redacted:email",
    }


async def test_a_superseded_memory_is_linked_and_can_be_restored(ledger: SqlLedger) -> None:
    old, new = await stored(ledger, "It ships in May.", "It ships in June.")
    await ledger.memories.apply("local", [Supersede(old.id, new.id, "moved")], actor="a")
    assert (await now(ledger, old.id)).superseded_by == new.id
    (edge,) = await ledger.memories.edges("local", [old.id])
    assert (edge.from_id, edge.to_id, edge.relation) == (new.id, old.id, SUPERSEDES)
    await ledger.memories.apply("local", [ChangeState(old.id, State.ACTIVE, "RESTORE")], actor="a")
    assert (await now(ledger, old.id)).superseded_by == ""
    (edge,) = await ledger.memories.edges("local", [old.id])
    assert (edge.from_id, edge.to_id, edge.relation) == (new.id, old.id, CONTRADICTS)
    (told, *_) = await ledger.memories.history("local", memory_id=new.id)
    assert (told.event, dict(told.meta)) == ("LINK", {"to": old.id, "relation": CONTRADICTS})
    await ledger.memories.apply("local", [RevertOperation(told.operation)], actor="a")
    assert (await now(ledger, old.id)).superseded_by == new.id
    assert [one.relation for one in await ledger.memories.edges("local", [old.id])] == [SUPERSEDES]


async def test_what_is_restored_contradicts_nothing_that_is_out_of_sight(ledger: SqlLedger) -> None:
    old, new = await stored(ledger, "It ships in May.", "It ships in June.")
    await ledger.memories.apply("local", [Supersede(old.id, new.id)], actor="a")
    await ledger.memories.apply("local", [ChangeState(new.id, State.FORGOTTEN, "DELETE")], actor="a")
    await ledger.memories.apply("local", [ChangeState(old.id, State.ACTIVE, "RESTORE")], actor="a")
    assert await ledger.memories.edges("local", [old.id]) == []


async def test_what_a_purged_memory_had_replaced_is_replaced_by_what_replaced_that(ledger: SqlLedger) -> None:
    one, two, three, four = await stored(ledger, "port 1", "port 2", "port 3", "port 4")
    for old, new in ((one, two), (two, three), (three, four)):
        await ledger.memories.apply("local", [Supersede(old.id, new.id)], actor="a")
    await ledger.purges.purge("local", [two.id, three.id], actor="a")
    assert (await now(ledger, one.id)).superseded_by == four.id
    (edge,) = await ledger.memories.edges("local", [one.id])
    assert (edge.from_id, edge.relation) == (four.id, SUPERSEDES)
    (entry, *_) = await ledger.memories.history("local", memory_id=one.id)
    assert (entry.event, dict(entry.meta)) == ("UPDATE", {"by": four.id, "reason": "what took its place is purged"})


async def test_what_only_a_purged_memory_had_replaced_waits_to_be_restored(ledger: SqlLedger) -> None:
    old, new = await stored(ledger, "port 1", "port 2")
    replaced = await ledger.memories.apply("local", [Supersede(old.id, new.id)], actor="a")
    restored = await ledger.memories.apply("local", [ChangeState(old.id, State.ACTIVE, "RESTORE")], actor="a")
    await ledger.memories.apply("local", [RevertOperation(restored.operation)], actor="a")
    await ledger.purges.purge("local", [new.id], actor="a")
    stands = await now(ledger, old.id)
    assert (stands.state, stands.superseded_by) == (State.SUPERSEDED, "")
    again = await ledger.memories.apply("local", [ChangeState(old.id, State.ACTIVE, "RESTORE")], actor="a")
    await ledger.memories.apply("local", [RevertOperation(again.operation)], actor="a")
    assert (await now(ledger, old.id)).superseded_by == ""
    await ledger.memories.apply("local", [RevertOperation(replaced.operation)], actor="a")
    assert (await now(ledger, old.id)).active


async def test_no_circle_of_supersessions_can_be_made(ledger: SqlLedger) -> None:
    one, two, three = await stored(ledger, "one", "two", "three")
    await ledger.memories.apply("local", [Supersede(one.id, two.id)], actor="a")
    await ledger.memories.apply("local", [Supersede(two.id, three.id)], actor="a")
    await ledger.memories.apply("local", [Supersede(three.id, one.id)], actor="a")  # one is not active: nothing happens
    assert (await now(ledger, three.id)).active
    with pytest.raises(Refused, match="itself"):
        await ledger.memories.apply("local", [Supersede(three.id, three.id)], actor="a")


async def test_edges_are_made_once_and_keep_the_greater_strength(ledger: SqlLedger) -> None:
    one, two = await stored(ledger, "one", "two")
    for strength in (0.7, 0.9, 0.8):
        await ledger.memories.apply("local", [AddEdge(one.id, two.id, RELATED, strength)], actor="a")
    (edge,) = await ledger.memories.edges("local", [two.id])
    assert edge.strength == 0.9


async def test_an_edge_that_was_made_by_hand_is_told_and_can_be_taken_back(ledger: SqlLedger) -> None:
    one, two = await stored(ledger, "one", "two")
    made = await ledger.memories.apply("local", [AddEdge(one.id, two.id, CONTRADICTS, 1.0, told=True)], actor="a")
    assert (await ledger.memories.history("local", limit=1))[0].event == "LINK"
    gone = await ledger.memories.apply("local", [RemoveEdge(one.id, two.id, CONTRADICTS)], actor="a")
    assert await ledger.memories.edges("local", [one.id]) == []
    await ledger.memories.apply("local", [RevertOperation(gone.operation)], actor="a")
    assert len(await ledger.memories.edges("local", [one.id])) == 1
    await ledger.memories.apply("local", [RevertOperation(made.operation)], actor="a")
    assert await ledger.memories.edges("local", [one.id]) == []


async def test_absorbing_adds_the_strengths(ledger: SqlLedger) -> None:
    one, two = await stored(ledger, "Ana drinks tea.", "Ana likes tea.")
    await ledger.memories.apply("local", [Absorb(two.id, one.id, "Ana drinks and likes tea.")], actor="worker")
    standing = await now(ledger, one.id)
    assert (standing.strength, standing.content) == (2, "Ana drinks and likes tea.")
    assert (await now(ledger, two.id)).state is State.SUPERSEDED


async def test_an_operation_happens_whole_or_not_at_all(ledger: SqlLedger) -> None:
    (one,) = await stored(ledger, "one")
    with pytest.raises(NotFound):
        await ledger.memories.apply("local", [Add(memory("two")), Supersede(one.id, "mem_nothing")], actor="a")
    assert [entry.event for entry in await ledger.memories.history("local")] == ["ADD"]


async def test_another_owner_cannot_touch_a_memory(ledger: SqlLedger) -> None:
    (one,) = await stored(ledger, "one")
    with pytest.raises(NotFound):
        await ledger.memories.apply("them", [ChangeState(one.id, State.FORGOTTEN, "DELETE")], actor="a")
    with pytest.raises(Refused, match="no operation"):
        await ledger.memories.apply("them", [RevertOperation(1)], actor="a")
    assert await ledger.memories.edges("them", [one.id]) == []


async def test_what_was_stored_in_bulk_waits_to_be_compared(ledger: SqlLedger) -> None:
    bulk = memory("from an import")
    await insert(ledger, [bulk], actor="a")
    await stored(ledger, "looked at")
    assert [one.id for one in await ledger.memories.uncompared(limit=10)] == [bulk.id]
    doubt = AddCandidatePair(bulk.id, "mem_other", 0.8, "in doubt")
    await ledger.memories.apply("local", [MarkCompared((bulk.id,)), doubt, doubt], actor="worker")
    assert await ledger.memories.uncompared(limit=10) == []


async def test_a_purge_takes_what_is_merged_into_a_memory_but_not_what_was_restored(ledger: SqlLedger) -> None:
    one, two, three = await stored(ledger, "Ana drinks tea.", "Ana likes tea.", "Ana takes tea.")
    for other in (two, three):
        await ledger.memories.apply("local", [Absorb(other.id, one.id, one.content)], actor="worker")
    await ledger.memories.apply("local", [ChangeState(two.id, State.ACTIVE, "RESTORE")], actor="a")
    assert sorted(await ledger.purges.purge("local", [one.id], actor="a")) == sorted([one.id, three.id])
    assert (await now(ledger, two.id)).active


async def test_a_purge_takes_its_words_out_of_the_reasons_for_what_was_done_to_others(ledger: SqlLedger) -> None:
    old, new = await stored(ledger, "The port is 8080.", "The port is 9090.")
    await ledger.memories.apply("local", [Supersede(old.id, new.id, "8080 became 9090")], actor="a")
    await ledger.purges.purge("local", [new.id], actor="a")
    (_, entry, _) = await ledger.memories.history("local", memory_id=old.id)
    assert (entry.event, dict(entry.meta)) == ("SUPERSEDE", {"by": new.id})


async def test_an_undone_restoration_cannot_close_a_circle_of_supersessions(ledger: SqlLedger) -> None:
    one, two = await stored(ledger, "one", "two")
    await ledger.memories.apply("local", [Supersede(one.id, two.id)], actor="a")
    restored = await ledger.memories.apply("local", [ChangeState(one.id, State.ACTIVE, "RESTORE")], actor="a")
    turned = await ledger.memories.apply("local", [Supersede(two.id, one.id)], actor="a")
    with pytest.raises(Refused, match="supersedes"):
        await ledger.memories.apply("local", [RevertOperation(restored.operation)], actor="a")
    await ledger.memories.apply("local", [RevertOperation(turned.operation)], actor="a")
    await ledger.memories.apply("local", [RevertOperation(restored.operation)], actor="a")
    assert (await now(ledger, one.id)).superseded_by == two.id


async def test_operations_are_undone_one_after_the_other(ledger: SqlLedger) -> None:
    (tea,) = await stored(ledger, "Ana drinks tea.")
    operations: list[int] = []
    for importance in (5, 4, 2):
        standing = await now(ledger, tea.id)
        revised = await ledger.memories.apply(
            "local", [Revise(msgspec.structs.replace(standing, importance=importance))], actor="a"
        )
        operations.append(revised.operation)
    for operation, importance in zip(reversed(operations), (4, 5, 3), strict=True):
        await ledger.memories.apply("local", [RevertOperation(operation)], actor="a")
        assert (await now(ledger, tea.id)).importance == importance
    with pytest.raises(Refused, match="changed again since"):
        await ledger.memories.apply("local", [RevertOperation(operations[0])], actor="a")


async def test_an_edge_that_is_made_stronger_and_taken_back_is_as_strong_as_before(ledger: SqlLedger) -> None:
    one, two = await stored(ledger, "one", "two")
    await ledger.memories.apply("local", [AddEdge(one.id, two.id, RELATED, 0.5, told=True)], actor="a")
    stronger = await ledger.memories.apply("local", [AddEdge(one.id, two.id, RELATED, 0.9, told=True)], actor="a")
    undone = await ledger.memories.apply("local", [RevertOperation(stronger.operation)], actor="a")
    assert [edge.strength for edge in await ledger.memories.edges("local", [one.id])] == [0.5]
    with pytest.raises(Refused, match="nothing left"):
        await ledger.memories.apply("local", [RevertOperation(stronger.operation)], actor="a")
    await ledger.memories.apply("local", [RevertOperation(undone.operation)], actor="a")
    assert [edge.strength for edge in await ledger.memories.edges("local", [one.id])] == [0.9]


async def test_edges_that_nobody_was_told_of_are_not_undone_with_the_next_operation(ledger: SqlLedger) -> None:
    one, two = await stored(ledger, "one", "two")
    await ledger.memories.apply("local", [AddEdge(one.id, two.id, RELATED, 0.5)], actor="worker")
    revised = await ledger.memories.apply("local", [Revise(msgspec.structs.replace(one, importance=5))], actor="a")
    await ledger.memories.apply("local", [RevertOperation(revised.operation)], actor="a")
    assert len(await ledger.memories.edges("local", [one.id])) == 1


async def test_what_is_there_already_is_linked_under_the_id_that_stands(ledger: SqlLedger) -> None:
    one, two = await stored(ledger, "one", "two")
    again = memory("one")
    steps: list[Step] = [Add(again), AddEdge(again.id, two.id, RELATED, 0.6), AddEdge(again.id, one.id, RELATED, 0.9)]
    (standing,) = (await ledger.memories.apply("local", steps, actor="a")).memories
    assert (standing.id, standing.strength) == (one.id, 2)
    assert [(edge.from_id, edge.to_id) for edge in await ledger.memories.edges("local", [one.id])] == [(one.id, two.id)]


async def test_an_addition_that_was_confirmed_since_is_not_undone(ledger: SqlLedger) -> None:
    added = await ledger.memories.apply("local", [Add(memory("one"))], actor="a")
    confirmed = await ledger.memories.apply("local", [Add(memory("one"))], actor="b")
    with pytest.raises(Refused, match=f"operation {confirmed.operation}"):
        await ledger.memories.apply("local", [RevertOperation(added.operation)], actor="a")


async def test_nobody_stores_a_memory_in_the_name_of_another(ledger: SqlLedger) -> None:
    with pytest.raises(Refused, match="is not local's"):
        await ledger.memories.apply("local", [Add(memory("one", owner="them"))], actor="a")
