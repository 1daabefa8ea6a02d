"""What the judge may look up before it decides, and what becomes of its first verdicts."""

import json
import re
import threading
from typing import Any

import anyio
import anyio.to_thread
import pytest
from msgspec.structs import replace

from cases import case
from memoryd_actors.judging.judge import Judgement
from memoryd_actors.judging.question import about
from memoryd_actors.judging.sidecar import FollowUps
from memoryd_actors.memory.budget import Limits
from memoryd_actors.memory.case import Case
from memoryd_actors.memory.visibility import Visibility
from messages_api import Received, Reply, asking, error, held, lookup, refusal, verdict, verdicts
from sidecar_world import World, used

DOUBTFUL = asking(lookup("read_source", 0), verdicts=[verdict(1, reason="first thought")])
DECIDED = verdicts(verdict(0, reason="the conversation says so"))


def puzzle() -> Case:
    """A case for which things may be looked up."""
    return replace(case(), visible=Visibility(owner="local"))


def looked_up(request: Received) -> list[dict[str, Any]]:
    block = re.search(r"<looked_up>\n(.*)\n</looked_up>", request.prompt)
    return json.loads(block[1]) if block else []


def kept(judgement: Judgement) -> list[int]:
    return [one.index for one in judgement.kept]


async def test_what_the_judge_asks_for_is_looked_up_and_it_judges_again(world: World) -> None:
    world.shelf.sources["mem_0"] = ["2026-11-19 user: the clocks differ", "2026-11-19 Alice: then pin them"]
    world.api.queue(DOUBTFUL, DECIDED)
    sidecar = world.sidecar()
    judgement = await sidecar.judge(puzzle())
    assert kept(judgement) == [0]
    assert judgement.note == "after 1 look-up"
    first, second = world.api.requests
    assert first.fields == {"verdicts", "lookups"}
    assert "at most 2 times" in first.system
    assert second.fields == {"verdicts"}
    assert looked_up(first) == []
    assert looked_up(second) == [
        {"kind": "read_source", "index": 0, "query": "", "found": world.shelf.sources["mem_0"]},
    ]
    # Both calls are paid for.
    assert (judgement.usage.input_tokens, judgement.usage.output_tokens) == (2400, 500)
    assert world.purse.days["2026-11-20"].calls == 2
    numbers = sidecar.status().numbers
    assert (numbers["calls"], numbers["lookups"], numbers["second_looks"], numbers["skipped"]) == (2, 1, 1, 0)


async def test_a_judge_that_asks_for_nothing_makes_one_call(world: World) -> None:
    world.api.always(asking(verdicts=[verdict(0)]))
    assert kept(await world.sidecar().judge(puzzle())) == [0]
    assert len(world.api.requests) == 1
    assert world.shelf.asked == []


async def test_a_session_is_searched_by_the_candidate_that_comes_from_it_or_everything(world: World) -> None:
    world.shelf.sessions = {"clock": ["a"], "zone": ["b"]}
    world.api.queue(asking(lookup("session_search", 2, "clock"), lookup("SESSION_SEARCH", -1, " zone ")), DECIDED)
    judgement = await world.sidecar().judge(puzzle())
    assert world.shelf.asked == [("clock", "mem_2"), ("zone", "")]
    assert judgement.note == "after 2 look-ups"


async def test_a_file_is_read_where_somebody_spoke_of_it(world: World) -> None:
    named = replace(puzzle(), window="user: docs/clock.md says how", lookups=2)
    world.api.queue(
        asking(lookup("read_source", -1, "docs/clock.md"), lookup("read_source", -1, "/etc/passwd")), DECIDED
    )
    judgement = await world.sidecar().judge(named)
    assert judgement.note == "after 1 look-up"
    assert "docs/clock.md, about" in world.api.requests[-1].prompt


async def test_no_more_is_looked_up_than_is_allowed_and_nothing_impossible(world: World) -> None:
    impossible = [lookup("read_source", 99), lookup("session_search", 0, "  "), lookup("web_search", 0, "x"), "source"]
    twice = [lookup("read_source", 1), lookup("read_source", 1)]
    world.shelf.sources = {f"mem_{index}": ["something"] for index in range(3)}
    world.api.queue(asking(*impossible, *twice, lookup("read_source", 2), lookup("read_source", 0)), DECIDED)
    await world.sidecar().judge(puzzle())
    assert world.shelf.asked == [("mem_1", "mem_1"), ("mem_2", "mem_2")]


async def test_a_second_answer_that_asks_again_gets_no_third_call(world: World) -> None:
    world.shelf.sources["mem_0"] = ["something"]
    world.api.always(asking(lookup("read_source", 0), verdicts=[verdict(0)]))
    assert kept(await world.sidecar().judge(puzzle())) == [0]
    assert len(world.api.requests) == 2


async def test_what_is_looked_up_stays_within_its_budget(world: World) -> None:
    world.shelf.sources = {"mem_0": ["long " * 500] * 20, "mem_1": ["short"]}
    world.api.queue(asking(lookup("read_source", 0), lookup("read_source", 1)), DECIDED)
    await world.sidecar(follow_ups=FollowUps(lookup_tokens=400)).judge(puzzle())
    first, second = looked_up(world.api.requests[1])
    assert 500 < sum(map(len, first["found"])) <= 600
    assert second["found"] == ["short"]


async def test_secrets_in_what_is_looked_up_do_not_leave(world: World) -> None:
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    world.shelf.sources["mem_0"] = [f"user: the token is {key}"]
    world.api.queue(DOUBTFUL, DECIDED)
    await world.sidecar().judge(puzzle())
    assert key not in world.api.requests[1].prompt
    assert "redacted" in world.api.requests[1].prompt


@pytest.mark.parametrize(
    ("lookups", "visible"),
    [(0, Visibility(owner="local")), (2, None)],
    ids=["none are allowed", "nothing is visible"],
)
async def test_where_nothing_may_be_looked_up_the_judge_is_not_told_that_it_could(
    world: World, lookups: int, visible: Visibility | None
) -> None:
    world.api.always(DOUBTFUL)
    sidecar = world.sidecar(follow_ups=FollowUps(lookups=lookups))
    assert kept(await sidecar.judge(replace(case(), visible=visible))) == [1]
    (request,) = world.api.requests
    assert request.fields == {"verdicts"}
    assert "look something up" not in request.system


@pytest.mark.parametrize("reply", [error(529, "overloaded_error", "overloaded"), refusal()])
async def test_where_the_second_call_fails_the_first_verdicts_hold(world: World, reply: Reply) -> None:
    world.shelf.sources["mem_0"] = ["something"]
    world.api.queue(DOUBTFUL, reply)
    sidecar = world.sidecar()
    judgement = await sidecar.judge(puzzle())
    assert judgement.judge == "claude-haiku-5-5"
    assert kept(judgement) == [1]
    assert judgement.note.startswith("before looking anything up: ")
    status = sidecar.status()
    # The judge answered: nobody stood in, and there is nothing to warn of.
    assert status.state == "ok"
    assert (status.numbers["failures"], status.numbers["skipped"], status.numbers["stand_ins"]) == (1, 1, 0)
    assert world.warnings == []


async def test_a_broken_off_second_call_is_paid_for_and_is_no_mark_against_the_service(
    world: World, release: threading.Event
) -> None:
    world.shelf.sources["mem_0"] = ["something"]
    world.api.queue(DOUBTFUL, held(DECIDED, release))
    model = world.model(failures_to_open=1)
    sidecar = world.sidecar(model, deadline_s=3.0)
    judgement = await sidecar.judge(puzzle())
    assert not release.is_set()
    assert kept(judgement) == [1]
    assert "did not answer" in judgement.note
    assert judgement.usage.input_tokens > 2400
    await model.close()
    assert world.purse.days["2026-11-20"].calls == 2
    assert sidecar.status().facts["breaker"] == "closed"
    assert sidecar.status().state == "ok"


async def test_without_time_for_another_call_none_is_begun(world: World) -> None:
    world.shelf.endless = True
    world.api.queue(DOUBTFUL)
    judgement = await world.sidecar(deadline_s=2.0).judge(puzzle())
    assert kept(judgement) == [1]
    assert "took too long" in judgement.note
    assert len(world.api.requests) == 1


async def test_without_budget_for_another_call_the_first_verdicts_hold(world: World) -> None:
    world.shelf.sources["mem_0"] = ["something"]
    world.api.queue(DOUBTFUL)
    sidecar = world.sidecar(
        world.model(limits=Limits(daily_tokens=used(about(replace(puzzle(), lookups=2), deadline_s=1.0))))
    )
    judgement = await sidecar.judge(puzzle())
    assert kept(judgement) == [1]
    assert "budget" in judgement.note
    assert len(world.api.requests) == 1
    assert sidecar.status().state == "ok"


async def test_where_nothing_is_found_or_the_shelf_is_closed_the_first_verdicts_hold(world: World) -> None:
    world.api.always(DOUBTFUL)
    sidecar = world.sidecar()
    assert (await sidecar.judge(puzzle())).note == ""
    world.shelf.closed = True
    judgement = await sidecar.judge(puzzle())
    assert kept(judgement) == [1]
    assert judgement.note == "nothing looked up: the shelf is closed"
    assert len(world.api.requests) == 2


async def test_a_session_that_is_given_up_in_its_second_call_pays_for_both(
    world: World, release: threading.Event
) -> None:
    world.shelf.sources["mem_0"] = ["something"]
    world.api.queue(DOUBTFUL, held(DECIDED, release))
    model = world.model()
    sidecar = world.sidecar(model)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(sidecar.judge, puzzle())
        await anyio.to_thread.run_sync(world.api.wait_for_requests, 2)
        tasks.cancel_scope.cancel()
    await model.close()
    assert world.purse.days["2026-11-20"].calls == 2
