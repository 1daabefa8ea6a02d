"""A request that could not be stored is told of once, and whoever looks again is not told by their own failures."""

from datetime import timedelta
from pathlib import Path
from typing import cast

import anyio
import pytest
from msgspec.structs import replace

from memoryd.clock import SystemClock
from memoryd.ledger import SqlLedger
from memoryd.transcripts import JsonlTranscripts
from memoryd_actors.access.switch import Switches
from memoryd_actors.capture.capture_input import DatedMessage
from memoryd_actors.capture.capturer import Capturer
from memoryd_actors.capture.second_look import SecondLook
from memoryd_actors.core.actor import ActorRef
from memoryd_actors.core.errors import Unavailable
from memoryd_actors.keeping.orders import KeeperMessage
from memoryd_actors.memory.settings import CaptureSettings
from memoryd_actors.ports.ledger import MemoryRepository
from memoryd_actors.ports.transcripts import Kept, Key
from memoryd_actors.recall.memory_actor import MemoryActor
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.context import ContextUpdate
from memoryd_client.wire.events import Event
from memoryd_client.wire.memory import Memory
from memoryd_client.wire.transcripts import Entry

ASKED = DatedMessage("user", "Remember that the spare key hangs behind the blue door.")
CALLER = Caller(owner="local", session="s1")


class Away:
    """A ledger that cannot be reached, and a recall that has captured nothing."""

    async def was_captured(self, caller: Caller, memory_id: str) -> bool:
        return False

    async def history(self, owner: str, *, memory_id: str, limit: int) -> None:
        raise Unavailable("the ledger is away", "Wait.")


def untold(event: Event) -> None:
    """Nobody listens."""


async def never(key: Key) -> int:
    """Nothing was ever purged."""
    return 0


@pytest.mark.asyncio
async def test_only_what_fails_on_its_first_way_is_to_be_looked_at_again() -> None:
    unfinished: list[Key] = []
    capturer = Capturer(
        keeper=cast("ActorRef[KeeperMessage, tuple[Memory, ...]]", None),
        recall=cast("MemoryActor", Away()),
        ledger=cast("MemoryRepository", Away()),
        purges=never,
        publish=untold,
        settings=CaptureSettings(),
        on_unfinished=lambda key, since: unfinished.append(key),
    )
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(capturer.run)
        capturer.offer(ContextUpdate(caller=CALLER, messages=(ASKED,)))
        assert not await capturer.hear_again([ASKED], CALLER, 0)
        assert not await capturer.hear_again([ASKED], CALLER, 0)
        assert capturer.counts.failed == 3
        assert unfinished == [("local", "s1")]
        await capturer.drain()


@pytest.mark.asyncio
async def test_a_request_behind_a_purge_takes_nothing_of_what_was_said_before_it() -> None:
    capturer = Capturer(
        keeper=cast("ActorRef[KeeperMessage, tuple[Memory, ...]]", None),
        recall=cast("MemoryActor", Away()),
        ledger=cast("MemoryRepository", Away()),
        purges=never,
        publish=untold,
        settings=CaptureSettings(),
        on_unfinished=lambda key, since: None,
    )
    said = DatedMessage("assistant", "The spare key hangs behind the blue door of the workshop.")
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(capturer.run)
        for session in ("purged", "kept"):
            capturer.offer(ContextUpdate(caller=replace(CALLER, session=session), messages=(said,)))
        capturer.forget_session(("local", "purged"))
        for session in ("purged", "kept"):
            asked = DatedMessage("user", "Remember that.")
            capturer.offer(ContextUpdate(caller=replace(CALLER, session=session), messages=(asked,)))
        await capturer.drain()
    assert capturer.counts.failed == 1, "what is kept is tried, and the ledger is away"


@pytest.mark.asyncio
async def test_what_was_heard_before_a_purge_is_looked_for_in_its_transcript_and_pushed_once_more_not_stored() -> None:
    unfinished: list[Key] = []
    purges = [1]

    async def newest(key: Key) -> int:
        return purges[-1]

    capturer = Capturer(
        keeper=cast("ActorRef[KeeperMessage, tuple[Memory, ...]]", None),
        recall=cast("MemoryActor", Away()),
        ledger=cast("MemoryRepository", Away()),
        purges=newest,
        publish=untold,
        settings=CaptureSettings(),
        on_unfinished=lambda key, since: unfinished.append(key),
    )
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(capturer.run)
        capturer.offer(ContextUpdate(caller=CALLER, messages=(ASKED,)))
        assert not await capturer.hear_again([ASKED], CALLER, 0)
        assert (unfinished, capturer.counts.failed) == ([("local", "s1")], 0)
        capturer.offer(ContextUpdate(caller=CALLER, messages=(ASKED,)))
        # Read from its transcript after the purge, it is tried, and the ledger is away.
        assert not await capturer.hear_again([ASKED], CALLER, 1)
        assert (unfinished, capturer.counts.failed) == ([("local", "s1")], 1)
        # What is in no transcript was taken out of none.
        capturer.offer(ContextUpdate(caller=replace(CALLER, session=""), messages=(ASKED,)))
        await capturer.drain()
        assert capturer.counts.failed == 2


@pytest.mark.asyncio
async def test_a_bug_and_a_ledger_that_is_away_before_anything_is_stored_are_counted_and_looked_at_again() -> None:
    problem: list[Exception] = [TypeError("replace() should be called on dataclass instances")]
    unfinished: list[Key] = []

    async def place(caller: Caller, said: str) -> int | None:
        raise problem[-1]

    capturer = Capturer(
        keeper=cast("ActorRef[KeeperMessage, tuple[Memory, ...]]", None),
        recall=cast("MemoryActor", Away()),
        ledger=cast("MemoryRepository", Away()),
        purges=never,
        publish=untold,
        settings=CaptureSettings(),
        place=place,
        on_unfinished=lambda key, since: unfinished.append(key),
    )
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(capturer.run)
        capturer.offer(ContextUpdate(caller=CALLER, messages=(ASKED,)))
        # At the next start once more: until then it would only meet the same bug.
        assert await capturer.hear_again([ASKED], CALLER, 0)
        assert (capturer.counts.crashed, capturer.counts.failed) == (2, 0)
        assert unfinished == [("local", "s1")]
        problem.append(Unavailable("the transcripts are away", "Wait."))
        assert not await capturer.hear_again([ASKED], CALLER, 0)
        capturer.offer(ContextUpdate(caller=replace(CALLER, session="s2"), messages=(ASKED,)))
        await capturer.drain()
        assert (capturer.counts.crashed, capturer.counts.failed) == (2, 2)
        assert unfinished == [("local", "s1"), ("local", "s2")]


async def heard_after_a_start(folder: Path, *, ago: timedelta, settings: CaptureSettings) -> list[str]:
    """Say something before a start, and return what is looked over at it."""
    heard: list[str] = []

    async def hear(messages: list[DatedMessage], caller: Caller, purges: int) -> bool:
        heard.extend(one.content for one in messages)
        return True

    clock = SystemClock()
    ledger = SqlLedger(folder / "ledger.db", backups=folder / "backups", clock=clock)
    await ledger.open()
    transcripts = JsonlTranscripts(folder / "transcripts")
    said = Kept(Entry(role="user", content=ASKED.content), clock.now() - ago, pushed=True)
    await transcripts.append(("local", "s1"), [said], project="", agent="")
    look = SecondLook(transcripts, ledger.progress, Switches(ledger.switches, clock), clock, hear, settings=settings)
    await look.work()
    await ledger.close()
    return heard


@pytest.mark.asyncio
async def test_what_was_pushed_before_the_very_first_start_was_asked_of_this_daemon(tmp_path: Path) -> None:
    assert await heard_after_a_start(tmp_path, ago=timedelta(minutes=1), settings=CaptureSettings()) == [ASKED.content]


@pytest.mark.asyncio
async def test_what_was_said_while_requests_were_not_captured_is_not_heard_once_they_are(tmp_path: Path) -> None:
    now = timedelta()
    off = CaptureSettings(explicit=False, standing=False)
    await heard_after_a_start(tmp_path, ago=now, settings=off)
    assert await heard_after_a_start(tmp_path, ago=now, settings=CaptureSettings()) == []
    assert len(await heard_after_a_start(tmp_path, ago=now, settings=CaptureSettings())) > 0
