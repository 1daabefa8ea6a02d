"""What was done is counted: in the transaction that does it, or with the next one."""

from datetime import timedelta

import pytest
from msgspec import structs

from memoryd.ledger import SqlLedger
from memoryd_actors.core.errors import Refused
from memoryd_actors.memory.events import Happened
from memoryd_actors.memory.steps import Add, ChangeState
from memoryd_client import State
from memoryd_client.wire.event_counts import ListDone

from .samples import NOON, insert, memory

SEARCHED = Happened("local", "pipeline", "search", thread="s1", sim=0.61)


async def counted(ledger: SqlLedger, owner: str = "local") -> dict[tuple[str, str, str], int]:
    return {(one.node, one.op, one.status): one.count for one in await ledger.events.counts(owner, days=7)}


async def test_every_write_is_counted_by_who_did_it(ledger: SqlLedger) -> None:
    await insert(ledger, [memory("a"), memory("b")], actor="x")
    await ledger.memories.apply("local", [Add(memory("c", id="c"))], actor="x")
    await ledger.memories.apply("local", [ChangeState("c", State.ARCHIVED, "TTL")], actor="memoryd", node="ageing")
    assert await counted(ledger) == {("keeper", "create", "ok"): 3, ("ageing", "ttl", "ok"): 1}


async def test_what_was_refused_is_counted_as_no_write(ledger: SqlLedger) -> None:
    with pytest.raises(Refused):
        await ledger.memories.apply("local", [ChangeState("nobody", State.FORGOTTEN, "DELETE")], actor="x")
    assert await counted(ledger) == {}


async def test_what_happened_is_written_with_the_next_write_even_where_one_before_is_refused(ledger: SqlLedger) -> None:
    ledger.events.record([SEARCHED])
    with pytest.raises(Refused):
        await ledger.memories.apply("local", [ChangeState("nobody", State.FORGOTTEN, "DELETE")], actor="x")
    await ledger.memories.apply("local", [Add(memory("a"))], actor="x")
    day, week = await ledger.events.lately()
    assert day == week == {("pipeline", "search", "ok"): 1, ("keeper", "create", "ok"): 1}


async def test_what_happened_last_is_not_lost_when_the_ledger_closes(ledger: SqlLedger) -> None:
    ledger.events.record([SEARCHED])
    await ledger.close()
    await ledger.open()
    assert await counted(ledger) == {("pipeline", "search", "ok"): 1}


async def test_an_owner_is_told_of_their_own(ledger: SqlLedger) -> None:
    ledger.events.record([SEARCHED])
    assert await counted(ledger, "them") == {}
    assert await counted(ledger) == {("pipeline", "search", "ok"): 1}


async def test_counting_again_reads_what_is_new_and_comes_to_the_same(ledger: SqlLedger) -> None:
    for name in "abc":
        await ledger.memories.apply("local", [Add(memory(name))], actor="x")
        await ledger.events.lately()
    day, _ = await ledger.events.lately()
    await ledger.close()
    await ledger.open()
    assert day == {("keeper", "create", "ok"): 3}
    assert (await ledger.events.lately())[0] == day


async def test_what_is_old_enough_is_pruned(ledger: SqlLedger) -> None:
    ledger.events.record([SEARCHED])
    await ledger.events.counts("local", days=7)
    for days, gone in ((-1, 0), (1, 1)):
        before = NOON + timedelta(days=days)
        deleted = await ledger.pruning.prune(
            traces_before=NOON, sessions_before=NOON, aliases_before=NOON, events_before=before
        )
        assert deleted["events"] == gone
    assert await counted(ledger) == {}


async def test_of_too_many_the_newest_are_kept(ledger: SqlLedger) -> None:
    ledger.events.record([SEARCHED] * 5)
    await ledger.events.counts("local", days=7)
    before = NOON - timedelta(days=1)
    deleted = await ledger.pruning.prune(
        traces_before=NOON, sessions_before=NOON, aliases_before=NOON, events_before=before, most_events=2
    )
    assert deleted["events"] == 3
    found = await ledger.events.done("local", ListDone(), allowed=None)
    assert [one.number for one in found] == [5, 4]


async def test_rows_are_told_by_project_of_the_memory_and_by_who_did_it(ledger: SqlLedger) -> None:
    ledger.events.record([SEARCHED])
    here = structs.replace(memory("a", id="a", project="/srv/app"), agent="planner")
    there = structs.replace(memory("b", id="b", project="/srv/site"), agent="planner")
    await ledger.memories.apply("local", [Add(here), Add(there)], actor="coder", session="s1", similarity=0.7)

    async def told(asked: ListDone) -> list[str]:
        return [one.memory for one in await ledger.events.done("local", asked, allowed=None)]

    assert await told(ListDone(project="/srv/app")) == ["a"]
    assert await told(ListDone(agent="coder")) == ["b", "a"]
    assert await told(ListDone(session="s1", op="create")) == ["b", "a"]
    assert await told(ListDone(project="/srv/app", agent="planner")) == []
