"""Runs, comparisons and days, as the ledger keeps them, in every database."""

from datetime import timedelta

import pytest

from memoryd.ledger import SqlLedger
from memoryd.ledger.consolidation_repository import SqlConsolidation
from memoryd_actors.consolidating.fingerprints import fingerprint
from memoryd_actors.consolidating.repository import Used
from memoryd_actors.core.errors import NotFound
from memoryd_actors.memory.steps import Absorb, AddCandidatePair, AddEdge, ChangeState, Checked, Noted, RevertOperation
from memoryd_client.wire.memory import Scope, State

from .samples import NOON, insert, memory

FAR_BACK = NOON - timedelta(days=1000)


@pytest.fixture
def repository(ledger: SqlLedger) -> SqlConsolidation:
    return ledger.consolidation


async def test_a_run_that_is_not_finished_is_taken_up_and_a_finished_one_is_followed_by_a_new_one(
    repository: SqlConsolidation,
) -> None:
    first = await repository.begin_run("local")
    await repository.mark_run(first.number, stage="pairs")
    again = await repository.begin_run("local")
    assert (again.number, again.starts, again.left[0]) == (first.number, 2, "ageing")
    await repository.mark_run(first.number, finished=True)
    second = await repository.begin_run("local")
    assert second.number > first.number
    assert second.starts == 1
    assert [run.number for run in await repository.runs("local", limit=9)] == [second.number, first.number]
    assert await repository.runs("them", limit=9) == []


async def test_what_is_asked_for_is_the_run_that_is_under_way_and_is_no_start_of_its_own(
    repository: SqlConsolidation,
) -> None:
    asked = await repository.ask_run("local")
    assert (asked.starts, asked.asked) == (0, True)
    assert (await repository.ask_run("local")).number == asked.number
    assert await repository.asked_runs() == ["local"]
    assert (await repository.begin_run("local")).starts == 1
    await repository.mark_run(asked.number, finished=True)
    assert await repository.asked_runs() == []


async def test_a_problem_stands_until_the_run_is_taken_up_again(repository: SqlConsolidation) -> None:
    run = await repository.begin_run("local")
    await repository.mark_run(run.number, problem="the index is not open")
    assert (await repository.runs("local", limit=1))[0].problem == "the index is not open"
    assert (await repository.begin_run("local")).problem == ""


async def test_marks_and_counts_are_written_with_the_operation_or_not_at_all(
    ledger: SqlLedger, repository: SqlConsolidation
) -> None:
    run = await repository.begin_run("local")
    await insert(ledger, [memory("tea", id="a"), memory("green tea", id="b")], actor="test")
    one, other, hundredths = fingerprint("a", "b", 0.8)
    marks = (Checked(one, other, hundredths, "local"), Noted(run.number, {"compared": 1}, {"merged": 1}))
    with pytest.raises(NotFound):
        await ledger.memories.apply("local", [*marks, ChangeState("gone", State.ARCHIVED, "TTL")], actor="memoryd")
    assert await repository.checks("local", since=FAR_BACK) == []

    # Nothing is written where one of the two is not there any more: compared, not merged.
    await ledger.memories.apply("local", [Absorb("b", "gone", "tea"), *marks], actor="memoryd")
    assert (await repository.runs("local", limit=1))[0].counts == {"compared": 1}
    applied = await ledger.memories.apply("local", [Absorb("b", "a", "green tea"), *marks], actor="memoryd")
    assert (await repository.runs("local", limit=1))[0].counts == {"compared": 2, "merged": 1}
    (check,) = await repository.checks("local", since=FAR_BACK)
    assert (check.fingerprint, check.judge) == ((one, other, hundredths), "local")

    # What is taken back was compared all the same.
    await ledger.memories.apply("local", [RevertOperation(applied.operation)], actor="test")
    assert len(await repository.checks("local", since=FAR_BACK)) == 1


async def test_a_run_of_another_owner_is_not_counted_for(ledger: SqlLedger, repository: SqlConsolidation) -> None:
    run = await repository.begin_run("local")
    await ledger.memories.apply("them", [Noted(run.number, {"compared": 1})], actor="memoryd")
    assert (await repository.runs("local", limit=1))[0].counts == {}


async def test_days_are_counted_by_owner(repository: SqlConsolidation) -> None:
    await repository.use("local", "2026-03-01", Used(pairs=5, tokens=100))
    await repository.use("local", "2026-03-01", Used(pairs=2))
    assert await repository.used("local", "2026-03-01") == Used(7, 100)
    assert await repository.used("local", "2026-03-02") == Used()
    assert await repository.used("them", "2026-03-01") == Used()


async def test_the_pool_is_active_and_recent_and_of_one_owner(ledger: SqlLedger, repository: SqlConsolidation) -> None:
    old = memory("old", id="old", created_at=NOON - timedelta(days=91))
    there = [memory("tea", id="a"), memory("rule", id="r", category="rule"), memory("x", id="x", owner="them"), old]
    for one in there:
        await insert(ledger, [one], actor="test")
    await insert(ledger, [memory("gone", id="g", state=State.FORGOTTEN)], actor="test")
    pool = await repository.pool("local", since=NOON - timedelta(days=90), without=["rule"], most=9)
    assert [one.id for one in pool.memories] == ["a"]
    assert pool.uses == {0: 1}


async def test_the_pool_has_of_each_place_what_was_changed_last(
    ledger: SqlLedger, repository: SqlConsolidation
) -> None:
    for number in range(4):
        at = NOON - timedelta(days=number)
        for place in ("p", "q"):
            there = memory(
                f"{place} {number}", id=f"{place}{number}", project=place, scope=Scope.PROJECT, created_at=at
            )
            await insert(ledger, [there], actor="test")
    pool = await repository.pool("local", since=NOON - timedelta(days=90), without=["rule"], most=2)
    assert [one.id for one in pool.memories] == ["p0", "p1", "q0", "q1"]
    assert pool.uses == {0: 8}


async def test_owners_are_all_who_have_a_memory(ledger: SqlLedger, repository: SqlConsolidation) -> None:
    assert await repository.owners() == []
    for number, owner in enumerate(("them", "local", "them", "é", "")):
        await insert(ledger, [memory(f"tea {number}", id=f"m{number}", owner=owner)], actor="test")
    assert sorted(await repository.owners()) == ["", "local", "them", "é"]


async def test_episodes_that_are_in_a_summary_are_not_told_again(
    ledger: SqlLedger, repository: SqlConsolidation
) -> None:
    for name, category in (("e1", "episode"), ("e2", "episode"), ("s", "project_summary")):
        one = memory(name, id=name, category=category, scope=Scope.PROJECT, project="/p")
        await insert(ledger, [one], actor="test")
    await insert(ledger, [memory("everywhere", category="episode")], actor="test")
    assert [one.id for one in await repository.episodes("local")] == ["e1", "e2"]
    await ledger.memories.apply("local", [AddEdge("s", "e1", "summarises", 1.0)], actor="memoryd")
    assert [one.id for one in await repository.episodes("local")] == ["e2"]


async def test_pairs_in_doubt_are_known_also_once_they_are_decided(
    ledger: SqlLedger, repository: SqlConsolidation
) -> None:
    await insert(ledger, [memory("tea", id="b"), memory("green tea", id="a")], actor="test")
    await ledger.memories.apply("local", [AddCandidatePair("b", "a", 0.8, "close")], actor="memoryd")
    assert await repository.queued("local") == {("a", "b")}
    assert await repository.queued("them") == frozenset()


async def test_old_comparisons_days_and_runs_go_and_the_newest_stay(
    ledger: SqlLedger, repository: SqlConsolidation
) -> None:
    await ledger.memories.apply("local", [Checked("a", "b", 80, "local")], actor="memoryd")
    await repository.use("local", "2026-02-01", Used(pairs=1))
    await repository.use("local", "2026-03-01", Used(pairs=1))
    for _ in range(4):
        await repository.mark_run((await repository.begin_run("local")).number, finished=True)
    assert await repository.prune("local", checks_before=NOON, keep_runs=2) == 3
    assert len(await repository.checks("local", since=FAR_BACK)) == 1
    assert await repository.used("local", "2026-03-01") == Used(1)
    assert len(await repository.runs("local", limit=9)) == 2
    assert await repository.prune("local", checks_before=NOON + timedelta(days=1), keep_runs=2) == 2
    assert await repository.prune("them", checks_before=NOON + timedelta(days=9), keep_runs=1) == 0
