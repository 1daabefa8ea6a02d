import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select
from sqlalchemy.dialects import sqlite

from filtered import FILTERED
from memoryd.ledger import SqlLedger
from memoryd.ledger.conditions import owned_by
from memoryd.ledger.spending import MOST_TOKENS
from memoryd.ledger.tables import memories
from memoryd_actors.core.errors import Ambiguous, NotFound
from memoryd_actors.memory.budget import Spending
from memoryd_actors.memory.steps import ChangeState
from memoryd_actors.memory.visibility import Visibility
from memoryd_client.wire.filters import Filters
from memoryd_client.wire.memory import Scope, State
from memoryd_client.wire.spending import DaySpending
from memoryd_client.wire.traces import CandidateTrace, Trace

from .samples import NOON, HandClock, insert, memory


async def test_the_beginning_of_an_id_is_enough_with_or_without_its_prefix(ledger: SqlLedger) -> None:
    one, other = memory("one", id="mem_abc123"), memory("other", id="mem_abd456")
    await insert(ledger, [one, other], actor="a")
    for given in ("mem_abc123", "abc123", "mem_abc", "abc", " abc\n"):
        assert (await ledger.memories.resolve("local", given)).id == one.id


async def test_a_beginning_that_fits_several_names_them(ledger: SqlLedger) -> None:
    await insert(ledger, [memory("one", id="mem_abc"), memory("other", id="mem_abd")], actor="a")
    with pytest.raises(Ambiguous) as refusal:
        await ledger.memories.resolve("local", "ab")
    assert refusal.value.matches == ("mem_abc", "mem_abd")


async def test_a_full_id_is_found_although_another_begins_with_it(ledger: SqlLedger) -> None:
    await insert(ledger, [memory("one", id="mem_ab"), memory("other", id="mem_abc")], actor="a")
    assert (await ledger.memories.resolve("local", "ab")).content == "one"


@pytest.mark.parametrize("given", ["zzz", "", "  ", "mem_abc1234", "%", "_", "mem_%", "\0", "\ud800"])
async def test_an_id_that_nobody_has_is_not_found(ledger: SqlLedger, given: str) -> None:
    await insert(ledger, [memory("one", id="mem_abc123")], actor="a")
    with pytest.raises(NotFound):
        await ledger.memories.resolve("local", given)


async def test_another_owners_memory_is_not_found(ledger: SqlLedger) -> None:
    await insert(ledger, [memory("one", id="mem_abc", owner="them")], actor="a")
    with pytest.raises(NotFound):
        await ledger.memories.resolve("local", "mem_abc")
    assert await ledger.memories.get("local", ["mem_abc"]) == {}


async def test_many_ids_are_fetched_at_once(ledger: SqlLedger) -> None:
    stored = [memory(f"number {number}") for number in range(1200)]
    await insert(ledger, stored, actor="a")
    assert len(await ledger.memories.get("local", [one.id for one in stored])) == 1200


async def test_pages_list_every_memory_once_newest_first(ledger: SqlLedger) -> None:
    # Three of each instant: the order among them must hold from page to page.
    stored = [memory(f"{number}", created_at=NOON + timedelta(minutes=number // 3)) for number in range(20)]
    await insert(ledger, stored, actor="a")
    seen: list[str] = []
    before = ""
    while page := await ledger.memories.page(Visibility("local"), limit=7, before=before):
        seen += [one.content for one in page]
        before = page[-1].id
    assert seen == [str(number) for number in reversed(range(20))]


async def test_a_page_before_an_unknown_memory_is_refused(ledger: SqlLedger) -> None:
    with pytest.raises(NotFound):
        await ledger.memories.page(Visibility("local"), limit=5, before="mem_nobody")


@pytest.mark.parametrize(("filters", "expected"), FILTERED)
async def test_filters_show_what_they_say(ledger: SqlLedger, filters: Filters, expected: set[str]) -> None:
    project = Scope.PROJECT
    await insert(
        ledger,
        [
            memory("global"),
            memory("here", scope=project, project="/here"),
            memory("there", scope=project, project="/there"),
            memory("tagged", scope=project, project="/here", category="preference", tags=("a", "b", "a"), pinned=True),
            memory("forgotten", state=State.FORGOTTEN),
            memory("foreign", owner="them"),
        ],
        actor="a",
    )
    page = await ledger.memories.page(Visibility("local", "/here", filters), limit=10)
    assert {one.content for one in page} == expected


async def test_pages_of_changes_bring_a_follower_to_the_memories_as_they_are(ledger: SqlLedger) -> None:
    stored = [memory(f"number {number}") for number in range(30)]
    await insert(ledger, stored, actor="a")
    for one in stored[::3]:
        await ledger.memories.apply("local", [ChangeState(one.id, State.FORGOTTEN, "DELETE")], actor="a")
    await insert(ledger, [memory("number 1")], actor="a")
    follower: dict[str, tuple[str, int]] = {}
    sequence, pages = 0, 0
    while page := await ledger.memories.changes_after(sequence, limit=4):
        assert [change.sequence for change in page] == sorted({change.sequence for change in page})
        for change in page:
            assert change.memory is not None
            follower[change.memory_id] = (change.memory.state.value, change.memory.strength)
        sequence = page[-1].sequence
        pages += 1
    current = await ledger.memories.get("local", [one.id for one in stored])
    assert follower == {one.id: (one.state.value, one.strength) for one in current.values()}
    assert sequence == await ledger.memories.last_sequence() == 41
    assert pages == 8


async def test_history_belongs_to_its_owner(ledger: SqlLedger) -> None:
    await insert(ledger, [memory("mine"), memory("theirs", owner="them")], actor="agent")
    (entry,) = await ledger.memories.history("them")
    assert (entry.new, entry.actor, entry.at) == ("theirs", "agent", "2026-03-01T12:00:02+00:00")
    assert await ledger.memories.history("them", memory_id=(await ledger.memories.history("local"))[0].memory_id) == []


async def test_session_state_is_replaced_and_belongs_to_its_owner(ledger: SqlLedger) -> None:
    await ledger.sessions.save("local", "s", b"\x00\xff", NOON)
    await ledger.sessions.save("local", "s", b"two", NOON)
    saved = await ledger.sessions.load("local", "s")
    assert saved is not None
    assert saved.state == b"two"
    assert await ledger.sessions.load("them", "s") is None


async def test_a_session_keeps_its_last_fifty_traces(ledger: SqlLedger) -> None:
    def trace(session: str, turn: int) -> Trace:
        seen = CandidateTrace(
            id="mem_a", summary="s", vector_score=0.5, word_score=0.1, score=0.4, kept=True, reason=""
        )
        return Trace(
            session=session, turn=turn, at="2026", trigger="turn", focus="half \ud83d", outcome="ok", candidates=(seen,)
        )

    await ledger.sessions.save("local", "other", b"", NOON, traces=[trace("other", 0)])
    for turn in range(60):
        await ledger.sessions.save("local", "busy", b"", NOON, traces=[trace("busy", turn)])
    kept = await ledger.sessions.traces("local", "busy", limit=100)
    assert [one.turn for one in kept] == list(reversed(range(10, 60)))
    assert kept[0].focus == "half \ufffd"
    assert kept[0].candidates[0].id == "mem_a"
    assert [one.session for one in await ledger.sessions.traces("local", "", limit=100)].count("other") == 1
    assert await ledger.sessions.traces("them", "", limit=5) == []


async def test_spending_adds_up_by_day(ledger: SqlLedger) -> None:
    assert await ledger.spending.spending("2026-03-01") == Spending("2026-03-01")
    for _ in range(2):
        await ledger.spending.spend(Spending("2026-03-01", calls=1, input_tokens=10, output_tokens=5, cost_usd=0.25))
    await ledger.spending.spend(Spending("2026-03-02", calls=1))
    assert await ledger.spending.spending("2026-03-01") == Spending("2026-03-01", 2, 20, 10, 0.5)
    first = DaySpending(day="2026-03-01", calls=2, input_tokens=20, output_tokens=10, cost_usd=0.5)
    assert await ledger.spending.by_day(days=1) == [DaySpending(day="2026-03-02", calls=1), first]


async def test_no_count_that_a_server_makes_up_is_too_great_for_the_ledger(ledger: SqlLedger) -> None:
    for _ in range(2):
        await ledger.spending.spend(Spending("2026-03-01", 1, input_tokens=2**63, output_tokens=2**200))
    assert await ledger.spending.spending("2026-03-01") == Spending("2026-03-01", 2, MOST_TOKENS, MOST_TOKENS)


async def test_looking_up_ids_does_not_walk_all_that_the_owner_has(file: Path) -> None:
    opened = SqlLedger(file, clock=HandClock())
    await opened.open()
    await opened.close()
    with closing(sqlite3.connect(file)) as connection:
        query = select(memories).where(memories.c.id.in_(["mem_a", "mem_b", "mem_c"]), owned_by("local"))
        sql = str(query.compile(dialect=sqlite.dialect(), compile_kwargs={"literal_binds": True}))
        plan = connection.execute(f"EXPLAIN QUERY PLAN {sql}").fetchall()
    assert [row[-1] for row in plan] == ["SEARCH memories USING INDEX ix_memories_id (id=?)"]
