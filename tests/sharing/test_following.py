"""Several ledgers on one PostgreSQL database: the order of changes, sessions, news, and whose turn it is."""

import random
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import anyio
import pytest
from sqlalchemy import create_engine, text

from ledger.samples import HandClock, insert, memory
from memoryd.ledger import SqlLedger
from memoryd_actors.core.errors import OutOfStep, Refused
from memoryd_actors.memory.events import Happened
from memoryd_actors.memory.progress import Progress
from memoryd_actors.memory.steps import Add, Advance, ChangeState
from memoryd_actors.memory.visibility import Visibility
from memoryd_actors.upkeep.sharing import LedgerNews, Notice
from memoryd_client.wire.event_counts import ListDone
from memoryd_client.wire.memory import State
from postgresql import database

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
WRITERS = 4
ROUNDS = 40


@asynccontextmanager
async def ledgers(url: str, count: int) -> AsyncGenerator[list[SqlLedger]]:
    """As many daemons' ledgers, opened at the same time on a database that is empty at first."""
    opened = [SqlLedger(url, clock=HandClock(), home=f"home{number}") for number in range(count)]
    async with anyio.create_task_group() as tasks:
        for ledger in opened:
            tasks.start_soon(ledger.open)
    try:
        yield opened
    finally:
        for ledger in opened:
            await ledger.close()


@pytest.fixture
def url(server: str) -> Iterator[str]:
    with database(server, "memoryd_sharing") as made:
        yield made


async def test_whoever_follows_the_changes_misses_none_of_several_writers_at_once(url: str) -> None:
    """A number that is given out first and committed last would be behind the follower when it appears."""
    async with ledgers(url, WRITERS + 1) as (follower, *writers):
        seen: list[int] = []
        done = anyio.Event()

        async def follow() -> None:
            after = 0
            while True:
                last_round = done.is_set()
                for change in await follower.memories.changes_after(after, limit=7):
                    after = change.sequence
                    seen.append(after)
                if last_round and after == await follower.memories.last_sequence():
                    return

        async def write(ledger: SqlLedger, number: int) -> None:
            chance = random.Random(number)
            for turn in range(ROUNDS):
                one = memory(f"{number} {turn}")
                steps = [Add(one)]
                if chance.random() < 0.3:
                    # Refused, and rolled back: its number is never seen.
                    with pytest.raises(Refused):
                        await ledger.memories.apply(
                            "local", [*steps, ChangeState("mem_none", State.FORGOTTEN, "x")], actor="a"
                        )
                else:
                    await ledger.memories.apply("local", steps, actor="a")

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(follow)
            async with anyio.create_task_group() as writing:
                for number, ledger in enumerate(writers):
                    writing.start_soon(write, ledger, number)
            done.set()
        everything = [change.sequence for change in await follower.memories.changes_after(0, limit=10_000)]
        assert seen == everything
        assert len(everything) > WRITERS * ROUNDS / 2
        assert everything[-1] > len(everything), "some were to be rolled back"


async def test_of_two_that_save_a_session_the_second_learns_that_it_is_not_the_first(url: str) -> None:
    async with ledgers(url, 2) as (one, other):
        first = await one.sessions.save("local", "s", b"one", NOON, version=0)
        assert first is not None
        assert await other.sessions.save("local", "s", b"other", NOON, version=0) is None
        saved = await other.sessions.load("local", "s")
        assert saved is not None
        assert (saved.state, saved.version) == (b"one", first)
        assert await other.sessions.load("local", "s", known=first) is None
        second = await other.sessions.save("local", "s", b"other", NOON, version=first)
        assert second is not None
        assert second > first
        assert await one.sessions.save("local", "s", b"again", NOON, version=first) is None


async def test_each_hears_of_what_the_others_wrote_and_not_of_its_own(url: str) -> None:
    async with ledgers(url, 2) as (one, other):
        send, receive = anyio.create_memory_object_stream[LedgerNews](100)
        async with send, receive, anyio.create_task_group() as tasks:
            tasks.start_soon(one.sharing.follow, send.send_nowait)
            assert (await receive.receive()).notice is Notice.ANYTHING
            await insert(one, [memory("mine")], actor="a")
            with pytest.raises(Refused):
                await other.memories.apply(
                    "local", [Add(memory("no")), ChangeState("mem_none", State.ACTIVE, "x")], actor="a"
                )
            (stored,), sequence = await insert(other, [memory("theirs")], actor="a")
            assert await receive.receive() == LedgerNews(Notice.CHANGED, sequence)
            await other.switches.switch_off("local", "/p", actor="a", at=NOON)
            assert (await receive.receive()).notice is Notice.SWITCHED
            await other.purges.purge("local", [stored.id], actor="a")
            assert (await receive.receive()).notice is Notice.PURGED
            tasks.cancel_scope.cancel()


async def test_one_works_in_the_background_and_the_next_when_it_goes(url: str) -> None:
    async with ledgers(url, 2) as (one, other), anyio.create_task_group() as tasks:
        working = {name: anyio.Event() for name in ("one", "other")}
        at_work: list[str] = []

        async def work(name: str) -> None:
            at_work.append(name)
            working[name].set()
            try:
                await anyio.sleep_forever()
            finally:
                at_work.remove(name)

        with anyio.CancelScope() as turn:
            async with anyio.create_task_group() as first:
                first.start_soon(one.sharing.lead, lambda: work("one"))
                await working["one"].wait()
                tasks.start_soon(other.sharing.lead, lambda: work("other"))
                # As long as the first one is there, the other one waits: all that it can do meanwhile is wait.
                await insert(other, [memory("tea")], actor="a")
                assert at_work == ["one"]
                assert (one.sharing.leads, other.sharing.leads) == (True, False)
                turn.cancel()
        await working["other"].wait()
        assert at_work == ["other"]
        assert (one.sharing.leads, other.sharing.leads) == (False, True)
        tasks.cancel_scope.cancel()


async def test_what_was_compared_before_another_daemon_wrote_is_compared_again(url: str) -> None:
    async with ledgers(url, 2) as (one, other):
        _, sequence = await insert(one, [memory("tea")], actor="a")
        await one.memories.apply("local", [Add(memory("I knew all there was"), as_of=sequence)], actor="a")
        await other.memories.apply("local", [Add(memory("theirs"), as_of=2)], actor="a")
        seen_by_one = memory("I looked before theirs was there")
        await one.memories.apply("local", [Add(seen_by_one, as_of=2)], actor="a")
        waiting = {found.content for found in await other.memories.uncompared(limit=10)}
        assert waiting == {"tea", seen_by_one.content}


async def test_how_far_jobs_are_with_a_conversation_is_one_for_all_daemons(url: str) -> None:
    async with ledgers(url, 2) as (one, other):
        await one.progress.note_progress(Progress("local", "s", "extract", 7))
        there = await other.progress.progress("local", "s", "extract")
        assert there is not None
        assert (there.sequence, there.job) == (7, "extract")
        with pytest.raises(OutOfStep):
            await other.memories.apply("local", [Advance("s", "extract", 3, 8)], actor="a")
        assert await other.progress.forget_progress("local", "s") == 1
        assert await one.progress.progress_of("extract") == []


async def test_who_loses_its_connections_finds_back_by_itself(url: str) -> None:
    """As when the server is restarted: the writer writes on, the follower hears that it may have missed something."""
    async with ledgers(url, 1) as (one,):
        send, receive = anyio.create_memory_object_stream[LedgerNews](100)
        async with send, receive, anyio.create_task_group() as tasks:
            tasks.start_soon(one.sharing.follow, send.send_nowait)
            assert (await receive.receive()).notice is Notice.ANYTHING
            await insert(one, [memory("before")], actor="a")
            engine = create_engine(url, isolation_level="AUTOCOMMIT")
            with engine.connect() as connection:
                others = "FROM pg_stat_activity WHERE datname = current_database() AND pid != pg_backend_pid()"
                cut = connection.execute(text(f"SELECT pg_terminate_backend(pid) {others}")).all()
            engine.dispose()
            assert len(cut) >= 2
            await insert(one, [memory("after")], actor="a")
            assert (await receive.receive()).notice is Notice.ANYTHING
            assert len(await one.memories.page(Visibility("local", ""), limit=10)) == 2
            tasks.cancel_scope.cancel()


async def test_each_daemon_hands_on_what_it_did_itself(url: str) -> None:
    async with ledgers(url, 2) as (one, other):
        start = await one.events.newest()
        await insert(one, [memory("a", id="a")], actor="x")
        await other.memories.apply("local", [ChangeState("a", State.ARCHIVED, "TTL")], actor="x", node="ageing")
        other.events.record([Happened("local", "client", "search", thread="s1")])
        assert [event.op for event in await one.events.after(start, limit=10)] == ["create"]
        assert [event.op for event in await other.events.after(start, limit=10)] == ["ttl", "search"]
        # Asked for, each tells of all.
        told = await one.events.done("local", ListDone(), allowed=None)
        assert [event.op for event in told] == ["search", "ttl", "create"]
