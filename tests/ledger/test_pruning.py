from datetime import datetime, timedelta

import pytest

from memoryd.ledger import SqlLedger
from memoryd.ledger.pruning import STEP
from memoryd_actors.memory.steps import ChangeState
from memoryd_client.wire.memory import State
from memoryd_client.wire.traces import Trace

from .samples import NOON, HandClock, insert, memory

_LONG_AGO = NOON - timedelta(days=400)
_NEVER = NOON - timedelta(days=4000)


def trace(session: str, at: datetime, turn: int = 1) -> Trace:
    return Trace(
        session=session, turn=turn, at=at.isoformat(), trigger="user_turn", focus="tea", outcome="nothing relevant"
    )


async def pruned(
    ledger: SqlLedger, *, traces: datetime = _NEVER, sessions: datetime = _NEVER, aliases: datetime = _NEVER
) -> dict[str, int]:
    return await ledger.pruning.prune(traces_before=traces, sessions_before=sessions, aliases_before=aliases)


async def sessions_with_traces(ledger: SqlLedger) -> set[str]:
    return {one.session for one in await ledger.sessions.traces("local", "", limit=1000)}


async def test_traces_of_sessions_out_of_use_are_deleted(ledger: SqlLedger) -> None:
    await ledger.sessions.save("local", "without a state", b"", _LONG_AGO, traces=[trace("without a state", _LONG_AGO)])
    await pruned(ledger, sessions=NOON)
    for session in ("idle", "used", "waking"):
        for turn in range(3):
            await ledger.sessions.save("local", session, b"", _LONG_AGO, traces=[trace(session, _LONG_AGO, turn)])
    await ledger.sessions.save("local", "used", b"state", NOON)
    await ledger.sessions.save("local", "waking", b"state", _LONG_AGO, traces=[trace("waking", NOON)])
    assert (await pruned(ledger, traces=NOON - timedelta(days=30)))["traces"] == 4
    assert await sessions_with_traces(ledger) == {"used", "waking"}
    assert len(await ledger.sessions.traces("local", "waking", limit=10)) == 4
    assert (await ledger.sessions.load("local", "idle")) is not None


async def test_states_of_sessions_out_of_use_are_deleted(ledger: SqlLedger) -> None:
    for number in range(STEP + 5):
        await ledger.sessions.save("local", f"idle {number}", b"state", _LONG_AGO)
    await ledger.sessions.save("local", "used", b"state", NOON)
    assert (await pruned(ledger, sessions=NOON - timedelta(days=180)))["sessions"] == STEP + 5
    assert await ledger.sessions.load("local", "idle 3") is None
    assert (await ledger.sessions.load("local", "used")) is not None


async def test_a_request_sent_again_is_known_until_its_alias_is_pruned(ledger: SqlLedger) -> None:
    (kept,), _ = await insert(ledger, [memory("tea")], actor="a")
    again = memory("tea")
    await insert(ledger, [again], actor="a")
    assert (await pruned(ledger, aliases=HandClock().now()))["aliases"] == 0
    (standing,), _ = await insert(ledger, [again], actor="a")
    assert (standing.id, standing.strength) == (kept.id, 2)
    assert (await pruned(ledger, aliases=NOON + timedelta(days=1)))["aliases"] == 1
    (standing,), _ = await insert(ledger, [again], actor="a")
    assert (standing.id, standing.strength) == (kept.id, 3)


async def test_of_the_changes_of_a_memory_the_newest_is_kept_and_an_index_sees_no_difference(
    ledger: SqlLedger,
) -> None:
    given = [memory(f"number {number}") for number in range(STEP + 10)]
    await insert(ledger, given, actor="a")
    for one in given[:-1]:
        await ledger.memories.apply("local", [ChangeState(one.id, State.FORGOTTEN, "DELETE")], actor="a")
    before = await ledger.memories.changes_after(0, limit=1000)
    last = await ledger.memories.last_sequence()
    history = await ledger.memories.history("local", limit=1000)
    assert (await pruned(ledger))["changes"] == len(given) - 1
    assert (await pruned(ledger))["changes"] == 0
    assert await ledger.memories.changes_after(0, limit=1000) == before
    assert await ledger.memories.last_sequence() == last
    assert await ledger.memories.history("local", limit=1000) == history


@pytest.mark.parametrize("change", ["insert", "state"])
async def test_counts_follow_every_change(ledger: SqlLedger, change: str) -> None:
    (one,), _ = await insert(ledger, [memory("tea")], actor="a")
    counted = await ledger.memories.counts()
    counted["active"] = 99
    assert await ledger.memories.counts() == {"active": 1}
    if change == "insert":
        await insert(ledger, [memory("coffee")], actor="a")
        assert await ledger.memories.counts() == {"active": 2}
    else:
        await ledger.memories.apply("local", [ChangeState(one.id, State.FORGOTTEN, "DELETE")], actor="a")
        assert await ledger.memories.counts() == {"forgotten": 1}
