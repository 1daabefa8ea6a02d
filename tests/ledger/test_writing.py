import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import anyio
import msgspec
import pytest

from memoryd.ledger import SqlLedger
from memoryd_actors.core.errors import NotFound, Refused, Unavailable
from memoryd_actors.memory.steps import Add, ChangeState
from memoryd_client.wire.memory import Memory, Scope, Source, State

from .samples import NOON, HandClock, insert, memory


async def test_every_field_of_a_memory_comes_back_as_it_was_stored(ledger: SqlLedger) -> None:
    full = Memory(
        id="mem_full",
        owner="someone",
        content="Deploys happen on Tuesdays. \U0001f680 é",
        category="procedure",
        scope=Scope.PROJECT,
        project="/home/someone/shop",
        title="Deploys",
        tags=("ops", "when"),
        metadata={"ticket": "SHOP-1", "naïve": "ja", "version": "3"},
        importance=5,
        pinned=True,
        source=Source.USER,
        speaker="Ada",
        occurred_at=datetime(2024, 2, 29, 23, 59, 59, 999999, tzinfo=UTC),
        session="s1",
        source_messages=(3, 9),
        files=("deploy.sh", "docs/deploy.md"),
        created_at=NOON,
        updated_at=NOON + timedelta(microseconds=1),
        last_accessed_at=NOON + timedelta(days=1),
        access_count=7,
        strength=4,
        sources=("s1", "s2"),
        trust=0.8,
        state=State.ACTIVE,
        superseded_by="mem_other",
        content_hash="abc",
        embedding_model="minilm",
        agent="tui",
        role="user",
        revision=3,
        purge_at=NOON + timedelta(days=30),
        expires_at=NOON + timedelta(days=60),
    )
    # A field that the ledger forgot would have its default on both sides.
    plain = memory("x")
    unset = {
        name for name in Memory.__struct_fields__ if name != "state" and getattr(full, name) == getattr(plain, name)
    }
    assert not unset - {"created_at"}
    stored, _ = await insert(ledger, [full], actor="test")
    assert stored == [full]
    assert await ledger.memories.get("someone", ["mem_full"]) == {"mem_full": full}


async def test_the_same_id_sent_twice_is_stored_once(ledger: SqlLedger) -> None:
    one = memory("only once")
    await insert(ledger, [one], actor="a")
    again, sequence = await insert(ledger, [msgspec.structs.replace(one, content="something else")], actor="a")
    assert again == [one]
    assert sequence == 1
    assert [entry.event for entry in await ledger.memories.history("local")] == ["ADD"]


async def test_an_id_of_another_owner_is_refused_and_nothing_of_the_batch_is_stored(ledger: SqlLedger) -> None:
    theirs = memory("theirs", owner="them")
    await insert(ledger, [theirs], actor="a")
    with pytest.raises(Refused, match="taken"):
        await insert(ledger, [memory("mine"), memory("stolen", id=theirs.id)], actor="a")
    assert await ledger.memories.counts() == {"active": 1}
    assert await ledger.memories.last_sequence() == 1


async def test_the_same_content_raises_the_strength_of_the_memory_that_is_there(ledger: SqlLedger) -> None:
    first = memory("tabs, not spaces", session="s1")
    second = memory("tabs, not spaces", session="s2")
    await insert(ledger, [first], actor="a")
    (merged,), sequence = await insert(ledger, [second], actor="b")
    assert (merged.id, merged.strength, merged.sources) == (first.id, 2, ("s2",))
    assert sequence == 2
    assert (await ledger.memories.get("local", [first.id]))[first.id] == merged
    newest = (await ledger.memories.history("local"))[0]
    assert (newest.event, newest.actor, newest.meta["same"]) == ("MERGE", "b", second.id)


async def test_a_merged_memory_sent_again_does_not_count_twice(ledger: SqlLedger) -> None:
    first, second = memory("said twice"), memory("said twice")
    await insert(ledger, [first], actor="a")
    await insert(ledger, [second], actor="a")
    (standing,), sequence = await insert(ledger, [second], actor="a")
    assert (standing.id, standing.strength, sequence) == (first.id, 2, 2)


async def test_the_same_content_twice_in_one_batch_becomes_one_memory(ledger: SqlLedger) -> None:
    first, other, second = memory("twice"), memory("between"), memory("twice")
    standing, _ = await insert(ledger, [first, other, second], actor="a")
    assert [one.id for one in standing] == [first.id, other.id, first.id]
    assert standing[0] == standing[2]
    assert standing[0].strength == 2
    assert (await ledger.memories.get("local", [first.id]))[first.id].strength == 2


@pytest.mark.parametrize(
    "apart",
    [
        memory("same words", owner="another"),
        memory("same words", scope=Scope.PROJECT, project="/p"),
        memory("same words", state=State.ARCHIVED),
    ],
    ids=["owner", "project", "state"],
)
async def test_the_same_content_elsewhere_stays_a_memory_of_its_own(ledger: SqlLedger, apart: Memory) -> None:
    standing, _ = await insert(ledger, [memory("same words"), apart], actor="a")
    assert standing[1] == apart
    assert sum((await ledger.memories.counts()).values()) == 2


async def test_forget_and_restore_leave_a_trail(ledger: SqlLedger) -> None:
    one = memory("the door code is kept by Ada")
    await insert(ledger, [one], actor="a")
    gone = (
        await ledger.memories.apply("local", [ChangeState(one.id, State.FORGOTTEN, "DELETE")], actor="cli")
    ).memories[0]
    back = (await ledger.memories.apply("local", [ChangeState(one.id, State.ACTIVE, "RESTORE")], actor="cli")).memories[
        0
    ]
    assert (gone.state, back.state) == (State.FORGOTTEN, State.ACTIVE)
    trail = await ledger.memories.history("local", memory_id=one.id)
    assert [(entry.event, entry.old, entry.new) for entry in trail] == [
        ("RESTORE", "", one.content),
        ("DELETE", one.content, ""),
        ("ADD", "", one.content),
    ]
    assert [entry.sequence for entry in trail] == [3, 2, 1]
    assert await ledger.memories.last_sequence() == 3


async def test_a_state_that_a_memory_has_already_changes_nothing(ledger: SqlLedger) -> None:
    (one,), _ = await insert(ledger, [memory("still here")], actor="a")
    assert (await ledger.memories.apply("local", [ChangeState(one.id, State.ACTIVE, "RESTORE")], actor="a")).memories[
        0
    ] == one
    assert await ledger.memories.last_sequence() == 1


async def test_another_owners_memory_cannot_be_forgotten(ledger: SqlLedger) -> None:
    (one,), _ = await insert(ledger, [memory("mine", owner="me")], actor="a")
    with pytest.raises(NotFound):
        await ledger.memories.apply("you", [ChangeState(one.id, State.FORGOTTEN, "DELETE")], actor="a")
    assert (await ledger.memories.get("me", [one.id]))[one.id].active


async def test_restoring_beside_an_active_twin_is_refused_and_names_it(ledger: SqlLedger) -> None:
    old, new = memory("the same again"), memory("the same again")
    await insert(ledger, [old], actor="a")
    await ledger.memories.apply("local", [ChangeState(old.id, State.FORGOTTEN, "DELETE")], actor="a")
    (standing,), _ = await insert(ledger, [new], actor="a")
    assert standing.id == new.id
    with pytest.raises(Refused, match=new.id):
        await ledger.memories.apply("local", [ChangeState(old.id, State.ACTIVE, "RESTORE")], actor="a")
    assert await ledger.memories.counts() == {"active": 1, "forgotten": 1}


async def test_touching_counts_accesses_without_a_change(ledger: SqlLedger) -> None:
    mine, theirs = memory("mine"), memory("theirs", owner="them")
    await insert(ledger, [mine, theirs], actor="a")
    await ledger.memories.touch("local", [mine.id, theirs.id, "mem_nobody"], NOON)
    touched = (await ledger.memories.get("local", [mine.id]))[mine.id]
    assert (touched.access_count, touched.last_accessed_at) == (1, NOON)
    assert (await ledger.memories.get("them", [theirs.id]))[theirs.id].access_count == 0
    assert await ledger.memories.last_sequence() == 2


async def test_text_that_databases_choke_on_is_stored(ledger: SqlLedger) -> None:
    nul, cut, broken = memory("a\0b"), memory("half \ud83d"), memory("\ud83d\ude80 in two", tags=("\ud800",))
    big = memory("\U0001f680" * 4096)
    standing, _ = await insert(ledger, [nul, cut, broken, big], actor="\ud800")
    assert [one.content for one in standing[:3]] == ["a\ufffdb", "half \ufffd", "\U0001f680 in two"]
    found = await ledger.memories.get("local", [one.id for one in standing])
    assert [found[one.id] for one in standing] == standing
    assert found[big.id].content == big.content


async def test_writes_that_arrive_together_are_all_kept_and_one_refusal_takes_no_other_with_it(
    ledger: SqlLedger,
) -> None:
    foreign = memory("foreign", owner="them")
    await insert(ledger, [foreign], actor="a")
    refused: list[str] = []

    async def write(number: int) -> None:
        one = memory(f"number {number}", id=foreign.id if number % 10 == 0 else "")
        try:
            await insert(ledger, [one], actor="a")
        except Refused:
            refused.append(one.content)

    async with anyio.create_task_group() as group:
        for number in range(100):
            group.start_soon(write, number)
    assert len(refused) == 10
    assert (await ledger.memories.counts())["active"] == 91
    changes = await ledger.memories.changes_after(0, limit=1000)
    assert [change.sequence for change in changes] == list(range(1, 92))


async def test_readers_do_not_wait_for_a_writer_that_holds_the_file(file_ledger: SqlLedger, file: Path) -> None:
    (one,), _ = await insert(file_ledger, [memory("readable")], actor="a")
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with anyio.fail_after(3):
            assert one.id in await file_ledger.memories.get("local", [one.id])
        other.execute("ROLLBACK")


async def test_closing_finishes_what_was_accepted(file: Path) -> None:
    ledger = SqlLedger(file, clock=HandClock())
    await ledger.open()
    stored: list[int] = []

    async def write(number: int, started: anyio.Event) -> None:
        started.set()
        await ledger.writes.apply("local", [Add(memory(f"number {number}"))], actor="a")
        stored.append(number)

    async with anyio.create_task_group() as group:
        for number in range(20):
            started = anyio.Event()
            group.start_soon(write, number, started)
            await started.wait()
        await ledger.close()
    assert len(stored) == 20
    with pytest.raises(Unavailable, match="not open"):
        await ledger.memories.last_sequence()
    await ledger.open()
    assert await ledger.memories.counts() == {"active": 20}
    await ledger.close()


@pytest.mark.parametrize("column", ["importance", "access_count", "strength", "revision"])
async def test_a_number_that_no_column_holds_is_refused_and_the_next_write_goes_on(
    ledger: SqlLedger, column: str
) -> None:
    given = msgspec.structs.replace(memory("beyond"), **{column: 2**63})
    with pytest.raises(Refused, match="cannot hold a value"):
        await insert(ledger, [given], actor="a")
    await insert(ledger, [memory("ordinary")], actor="a")
    assert await ledger.memories.counts() == {"active": 1}


@pytest.mark.parametrize("column", ["created_at", "updated_at", "last_accessed_at", "purge_at", "expires_at"])
async def test_no_date_outside_the_calendar_is_stored(ledger: SqlLedger, column: str) -> None:
    given = msgspec.structs.replace(memory("late"), **{column: datetime.fromisoformat("9999-12-31T23:59:59-12:00")})
    with pytest.raises(Refused, match="outside the calendar"):
        await insert(ledger, [given], actor="a")


@pytest.mark.parametrize("when", ["9999-12-31T23:59:59-12:00", "0001-01-01T00:00:00+12:00"])
async def test_what_happened_outside_the_calendar_is_refused(ledger: SqlLedger, when: str) -> None:
    given = msgspec.structs.replace(memory("the end of time"), occurred_at=datetime.fromisoformat(when))
    with pytest.raises(Refused, match="outside the calendar"):
        await insert(ledger, [memory("ordinary"), given], actor="a")
    assert await ledger.memories.counts() == {}
    last = datetime.max.replace(tzinfo=UTC)
    (kept,), _ = await insert(ledger, [msgspec.structs.replace(given, occurred_at=last)], actor="a")
    assert kept.occurred_at == last


async def test_every_memory_can_be_said_to_have_another_model(ledger: SqlLedger) -> None:
    given = [
        msgspec.structs.replace(memory(f"number {number}"), embedding_model="old" if number % 2 else "")
        for number in range(1100)
    ]
    stored, sequence = await insert(ledger, given, actor="a")
    assert await ledger.memories.set_embedding_model("new") == len(given)
    assert await ledger.memories.set_embedding_model("new") == 0
    found = await ledger.memories.get("local", [one.id for one in given])
    assert {one.embedding_model for one in found.values()} == {"new"}
    assert found[given[0].id] == msgspec.structs.replace(stored[0], embedding_model="new")
    assert await ledger.memories.last_sequence() == sequence
