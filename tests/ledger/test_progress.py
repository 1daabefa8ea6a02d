"""How far jobs are with sessions: one transaction with what they brought, never behind, gone with the session."""

from datetime import UTC, datetime

import pytest

from memoryd.ledger import SqlLedger
from memoryd_actors.core.errors import OutOfStep
from memoryd_actors.memory.progress import Progress
from memoryd_actors.memory.steps import Add, Advance

from .samples import memory

ME = "local"


async def test_what_a_job_brings_and_how_far_it_is_are_stored_together(ledger: SqlLedger) -> None:
    brought = memory("The build uses hatchling.")
    await ledger.memories.apply(ME, [Add(brought), Advance("s1", "extraction", 0, 7, '{"batch": "b1"}')], actor="test")
    there = await ledger.progress.progress(ME, "s1", "extraction")
    assert there is not None
    assert (there.sequence, there.detail) == (7, '{"batch": "b1"}')
    assert brought.id in await ledger.memories.get(ME, [brought.id])


async def test_a_job_that_somebody_overtook_brings_nothing(ledger: SqlLedger) -> None:
    await ledger.memories.apply(ME, [Advance("s1", "extraction", 0, 7)], actor="test")
    late = memory("It is brought twice.")
    with pytest.raises(OutOfStep, match="no longer at entry 0"):
        await ledger.memories.apply(ME, [Add(late), Advance("s1", "extraction", 0, 9)], actor="test")
    assert await ledger.memories.get(ME, [late.id]) == {}
    there = await ledger.progress.progress(ME, "s1", "extraction")
    assert there is not None
    assert there.sequence == 7


async def test_jobs_sessions_and_owners_are_apart(ledger: SqlLedger) -> None:
    for owner, session, job, sequence in (
        (ME, "s1", "a", 1),
        (ME, "s1", "b", 2),
        (ME, "s2", "a", 3),
        ("them", "s1", "a", 4),
    ):
        await ledger.progress.note_progress(Progress(owner, session, job, sequence))
    found = {(one.owner, one.session): one.sequence for one in await ledger.progress.progress_of("a")}
    assert found == {(ME, "s1"): 1, (ME, "s2"): 3, ("them", "s1"): 4}
    assert await ledger.progress.forget_progress(ME, "s1") == 2
    assert await ledger.progress.progress(ME, "s1", "b") is None
    assert await ledger.progress.progress("them", "s1", "a") is not None


async def test_noted_again_it_is_as_noted_last_with_its_moment(ledger: SqlLedger) -> None:
    at = datetime(2026, 3, 1, 12, tzinfo=UTC)
    await ledger.progress.note_progress(Progress(ME, "s1", "ended", 5))
    await ledger.progress.note_progress(Progress(ME, "s1", "ended", 4, at=at))
    assert await ledger.progress.progress(ME, "s1", "ended") == Progress(ME, "s1", "ended", 4, at=at)
