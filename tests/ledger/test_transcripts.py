"""Transcripts in a ledger that several daemons share: as files keep them, and each has what the others were told."""

from collections.abc import AsyncIterator
from typing import Any

import anyio
import pytest
from sqlalchemy import create_engine, text

from memoryd.ledger import SqlLedger
from memoryd.ledger.transcript_repository import SqlTranscripts
from memoryd_actors.conversations.orders import Summarise
from memoryd_actors.conversations.tail import Tails
from memoryd_actors.conversations.transcript_writer import TranscriptWriter
from memoryd_actors.core.errors import OutOfStep, PurgedMeanwhile
from memoryd_actors.memory.progress import FILES_GONE, PURGED_SESSION, Progress
from memoryd_actors.ports.transcripts import Kept, Key, Stored, digest_of
from memoryd_client.wire.transcripts import SessionInfo
from postgresql import empty
from transcript_files import AT, KEY, append, contents, kept

from .samples import HandClock

ROUNDS = 25
Two = tuple[SqlLedger, SqlLedger]


@pytest.fixture
async def two(shared_database: str) -> AsyncIterator[Two]:
    """The ledgers of two daemons on one database."""
    one, other = SqlLedger(shared_database, clock=HandClock()), SqlLedger(shared_database, clock=HandClock())
    await one.open()
    await other.open()
    yield one, other
    await one.close()
    await other.close()
    empty(shared_database)


def of(ledger: SqlLedger) -> SqlTranscripts:
    assert ledger.transcripts is not None
    return ledger.transcripts


def stored(url: str) -> bytes:
    """Return every byte that the tables of transcripts have."""
    engine = create_engine(url)
    with engine.connect() as connection:
        lines = connection.execute(text("SELECT line FROM entries UNION ALL SELECT about FROM transcripts")).scalars()
        found = b"".join(bytes(line) for line in lines)
    engine.dispose()
    return found


async def test_a_conversation_goes_on_at_another_daemon(two: Two) -> None:
    here, there = of(two[0]), of(two[1])
    assert await here.append(KEY, [kept("one", id="1"), kept("two", id="2")], project="/p", agent="a") == Stored(
        2, 2, 0
    )
    # What comes again is known, whoever is told it.
    again = [kept("two", id="2"), kept("three", id="3"), kept("three", id="3")]
    assert await there.append(KEY, again, project="/q", agent="b") == Stored(3, 1, 2)
    assert await contents(here) == await contents(there) == ["one", "two", "three"]
    info = await here.info(KEY)
    assert info is not None
    assert (info.entries, info.last, info.project, info.agents, info.missing) == (3, 3, "/q", ("a", "b"), 0)
    assert await here.sessions("local", limit=9, offset=0) == [info] == list((await there.infos()).values())
    assert await there.sessions("somebody", limit=9, offset=0) == []
    assert await here.info(("local", "s2")) is None
    assert (await here.last(KEY), await here.last(("local", "s2"))) == (3, 0)


async def test_parts_and_single_entries_are_read_as_from_files(two: Two) -> None:
    here = of(two[0])
    await append(here, *(kept(f"{number:03}", id=str(number)) for number in range(1, 201)))
    part = await here.read(KEY, after=50, limit=100, characters=30)
    assert [(one.sequence, one.content, one.session) for one in part] == [
        (number, f"{number:03}", "s1") for number in range(51, 61)
    ]
    assert [one.sequence for one in await here.read(KEY, after=199, limit=1, characters=0)] == [200]
    assert await here.read(KEY, after=200, limit=9, characters=9) == []
    assert {number: one.content for number, one in (await here.get(KEY, [7, 150, 900])).items()} == {
        7: "007",
        150: "150",
    }
    call = kept('{"path":"a.py"}', kind="tool_call", role="", name="read", call_id="c1")
    await here.append(KEY, [call], project="/p", agent="a")
    found = (await here.get(KEY, [201]))[201]
    assert (found.kind, found.content, found.name, found.call_id, found.at) == (
        "tool_call",
        call.entry.content,
        "read",
        "c1",
        AT,
    )


async def test_what_two_daemons_are_told_at_once_has_one_order_and_nothing_is_lost(two: Two) -> None:
    async def speak(number: int) -> None:
        for turn in range(ROUNDS):
            said = [kept(f"{number} {turn} {part}", id=f"{number}-{turn}-{part}") for part in range(2)]
            assert (await of(two[number]).append(KEY, said, project="/p", agent=str(number))).stored == 2

    async with anyio.create_task_group() as tasks:
        for number in range(2):
            tasks.start_soon(speak, number)
    records = await of(two[0]).read(KEY, after=0, limit=1000, characters=10**6)
    assert [one.sequence for one in records] == list(range(1, 4 * ROUNDS + 1))
    for number in range(2):
        mine = [one.content for one in records if one.content.startswith(f"{number} ")]
        assert mine == [f"{number} {turn} {part}" for turn in range(ROUNDS) for part in range(2)]


async def test_who_does_not_know_how_far_a_session_is_writes_nothing(two: Two) -> None:
    here, there = of(two[0]), of(two[1])
    await append(here, kept("one"))
    with pytest.raises(OutOfStep, match="goes on to entry 1, not 0"):
        await there.append(KEY, [kept("late")], project="/p", agent="a", after=0)
    assert await there.append(KEY, [kept("two")], project="/p", agent="a", after=1) == Stored(2, 1, 0)
    assert await contents(here) == ["one", "two"]


async def test_each_change_is_news_to_whoever_has_not_heard_of_it(two: Two) -> None:
    here, there = of(two[0]), of(two[1])
    await append(here, kept("one"))
    first = await there.news(0)
    assert first.heads == {KEY: 1}
    assert not first.erased
    assert (await there.news(first.changed)).heads == {}
    other = ("local", "s2")
    await append(here, kept("secret plan"), kept("two"), key=other)
    assert await here.erase(other, [1, 9]) == 1
    assert await here.erase(other, [1]) == 0
    second = await there.news(first.changed)
    assert second.heads == {other: 2}
    assert second.erased == {digest_of(other)}
    assert await here.purge(KEY) == 1
    third = await there.news(second.changed)
    assert third.heads == {}
    assert third.erased == {digest_of(KEY)}
    assert await there.heads() == {other: 2}
    await here.purge(other)
    assert (await there.news(third.changed)).erased == {digest_of(other)}


async def test_what_is_purged_is_gone_with_the_commit_and_a_session_of_that_name_begins_anew(
    two: Two, shared_database: str
) -> None:
    here, there = two
    await append(of(here), kept("the secret plan", id="1"), kept("tea at noon", id="2"))
    await there.purges.purge("local", [], actor="a", told={"s1": [1]})
    assert b"secret" not in stored(shared_database)
    assert await contents(of(here)) == ["", "tea at noon"]
    assert (await of(here).append(KEY, [kept("the secret plan", id="1")], project="/p", agent="a")).known == 1
    await here.progress.note_progress(Progress(*KEY, "extraction", 2))
    await there.purges.purge_session(*KEY, project="/p", last=2)
    assert stored(shared_database) == b""
    assert await here.progress.progress(*KEY, "extraction") is None
    (left,) = await here.progress.progress_of(PURGED_SESSION)
    assert left.sequence == FILES_GONE
    assert await of(here).append(KEY, [kept("new", id="1")], project="/p", agent="a") == Stored(1, 1, 0)


async def test_a_summary_is_noted_with_what_it_covers(two: Two) -> None:
    here = of(two[0])
    await append(here, kept("one"), kept("two"))
    told = Kept(kept("- one").entry, AT, covers=1, turns=1)
    await here.append(KEY, [told], project="/elsewhere", agent="judge")
    info = await of(two[1]).info(KEY)
    assert info is not None
    assert (info.summarized, info.last_summarized_turn, info.summary, info.project, info.messages) == (1, 1, 3, "/p", 2)


async def test_a_summary_of_what_another_daemon_destroys_meanwhile_is_not_written_down(two: Two) -> None:
    here, there = two
    await append(of(here), kept("the secret plan"), kept("tea at noon"))

    class Slow(SqlTranscripts):
        async def info(self, key: Key) -> SessionInfo | None:
            known = await super().info(key)
            await there.purges.purge_session(*key, project="/p", last=2)
            return known

    nothing: Any = None
    slow = Slow(here.database)
    writer = TranscriptWriter(
        slow,
        clock=HandClock(),
        publish=nothing,
        cleaner=nothing,
        counts=nothing,
        indexer=nothing,
        progress=here.progress,
        check_speaker=nothing,
        on_append=lambda _key, _last: None,
        on_end=nothing,
        on_begun=nothing,
        tails=Tails(slow),
    )
    with pytest.raises(PurgedMeanwhile):
        await writer.handle(Summarise(KEY, covers=2, turns=2, text="- the secret plan", by="judge", purges=0))
    assert await of(there).info(KEY) is None


@pytest.mark.slow
async def test_more_entries_come_at_once_than_a_statement_has_room_for(two: Two) -> None:
    here = of(two[0])
    many = [kept("x", id=str(number)) for number in range(66_000)]
    assert (await here.append(KEY, many, project="/p", agent="a")).stored == len(many)
