"""What is made of words that were read before a purge is not written after it."""

import msgspec
import pytest

from memoryd.ledger import SqlLedger
from memoryd_actors.core.errors import PurgedMeanwhile, Unavailable
from memoryd_actors.memory.progress import PURGED_ENTRIES
from memoryd_actors.memory.steps import Add, UnlessPurged

from .samples import memory as sample

SECRET = "The cobalt crane lifts nine tons at most."


async def stored(ledger: SqlLedger, content: str, category: str = "fact") -> str:
    memory = msgspec.structs.replace(sample(content), category=category)
    return (await ledger.memories.apply("local", [Add(memory)], actor="a")).memories[0].id


async def test_what_was_read_before_a_purge_is_not_written_after_it(ledger: SqlLedger) -> None:
    purged = await stored(ledger, SECRET)
    read = UnlessPurged(await ledger.progress.purges("local"))
    await ledger.purges.purge("local", [purged], actor="a")
    late = sample(f"They said: {SECRET}")
    with pytest.raises(PurgedMeanwhile):
        await ledger.memories.apply("local", [read, Add(late)], actor="a")
    assert not await ledger.memories.get("local", [late.id])
    again = UnlessPurged(await ledger.progress.purges("local"))
    assert (await ledger.memories.apply("local", [again, Add(late)], actor="a")).memories


async def test_an_episode_written_between_the_look_and_the_purge_goes_with_it(ledger: SqlLedger) -> None:
    purged = await stored(ledger, SECRET)
    looked_at = await ledger.memories.last_sequence()
    late = await stored(ledger, f"What went on: {SECRET}", "episode")
    other = await stored(ledger, "What went on: two tractors were rented in May.", "episode")
    gone = await ledger.purges.purge("local", [purged], actor="a", told={}, looked_at=looked_at)
    assert (set(gone), other in gone) == ({purged, late}, False)


async def test_nothing_is_made_of_a_transcript_that_still_has_what_is_to_go(ledger: SqlLedger) -> None:
    purged = await stored(ledger, SECRET)
    await ledger.purges.purge("local", [purged], actor="a", told={"s1": [1]})
    if ledger.database.keeps_transcripts:
        return
    with pytest.raises(Unavailable):
        await ledger.progress.purges("local", "s1")
    during = await ledger.progress.purges("local")
    for left in await ledger.progress.progress_of(PURGED_ENTRIES):
        await ledger.purges.gone_from_transcript(left)
    assert await ledger.progress.purges("local", "s1") > during
