import threading

import anyio
import anyio.to_thread
import pytest
from msgspec.structs import replace

from cases import case
from memoryd_actors.judging.judge import Judgement
from memoryd_actors.judging.local_judge import LocalJudge
from memoryd_actors.judging.question import about
from memoryd_actors.judging.sidecar import Sidecar
from memoryd_actors.memory.budget import Limits, Spending
from memoryd_actors.memory.case import Case
from messages_api import Reply, error, garbage, held, html, refusal, truncated, verdict, verdicts
from sidecar_world import World, used

KEPT = used(about(replace(case(), lookups=0), deadline_s=1.0))
"""Tokens that are kept for one call about a case."""


def is_local(judgement: Judgement, why: str) -> bool:
    return judgement.judge == "local" and why in judgement.note


async def test_the_remote_judge_decides_where_it_can(world: World) -> None:
    sidecar = world.sidecar()
    judgement = await sidecar.judge(case())
    assert judgement.judge == sidecar.name == "claude-haiku-5-5"
    assert judgement.note == ""
    assert sidecar.status().state == "ok"
    assert world.purse.days["2026-11-20"] == Spending("2026-11-20", 1, 1200, 250, 0.000245)
    assert world.events == []


async def test_without_a_remote_judge_the_local_one_decides_and_status_says_so(world: World) -> None:
    sidecar = Sidecar(None, LocalJudge())
    assert is_local(await sidecar.judge(case()), "")
    status = sidecar.status()
    assert (status.state, status.message) == ("off", "no model configured: the local judge decides")
    assert "memoryd model use" in status.hint
    assert sidecar.name == "local"
    assert world.events == []


async def test_nothing_to_judge_costs_nothing(world: World) -> None:
    assert (await world.sidecar().judge(Case("anything", "", ()))).verdicts == ()
    assert world.api.requests == ()


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (error(401, "authentication_error", "invalid key"), "not accepted"),
        (error(404, "not_found_error", "model: nope"), "knows no model"),
        (error(429, "rate_limit_error", "slow", retry_after="86400"), "rate limit"),
        (error(529, "overloaded_error", "overloaded"), "529"),
        (html(), "not an answer"),
        (garbage(), "not an answer"),
        (refusal(), "declined"),
        (truncated(), "cut off"),
    ],
)
async def test_when_the_remote_judge_fails_the_local_one_answers_and_says_why(
    world: World, reply: Reply, why: str
) -> None:
    world.api.always(reply)
    judgement = await world.sidecar().judge(case())
    assert is_local(judgement, why)
    assert len(judgement.verdicts) == 3


async def test_a_wrong_model_is_loud_in_status_and_warned_of_once(world: World) -> None:
    world.api.always(error(404, "not_found_error", "model: claude-hiaku"))
    sidecar = world.sidecar()
    for _ in range(5):
        await sidecar.judge(case())
    status = sidecar.status()
    assert status.state == "degraded"
    assert "knows no model" in status.message
    assert "sidecar.model" in status.hint
    assert status.facts["last_error_kind"] == "model"
    assert status.facts["breaker"] == "open"
    assert (status.numbers["calls"], status.numbers["failures"], status.numbers["stand_ins"]) == (1, 1, 5)
    assert len(world.api.requests) == 1
    assert len(world.warnings) == 1
    assert "knows no model" in world.warnings[0]


async def test_a_slow_judge_is_left_at_the_deadline(world: World, release: threading.Event) -> None:
    world.api.always(held(verdicts(verdict(0)), release))
    model = world.model()
    sidecar = world.sidecar(model, deadline_s=0.2)
    judgement = await sidecar.judge(case())
    # The server has not been released: the sidecar did not wait for it.
    assert not release.is_set()
    assert is_local(judgement, "did not answer within")
    assert sidecar.status().facts["last_error_kind"] == "timeout"
    # Nobody can say what a broken-off call cost, so the estimate counts.
    await model.close()
    assert world.purse.days["2026-11-20"].calls == 1
    assert judgement.usage.input_tokens > 1000


async def test_one_slow_call_does_not_keep_other_sessions_waiting(world: World, release: threading.Event) -> None:
    world.api.queue(held(verdicts(verdict(0, reason="slow")), release))
    sidecar = world.sidecar()
    order: list[str] = []

    async def ask_slowly() -> None:
        await sidecar.judge(case())
        order.append("slow")

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(ask_slowly)
        await anyio.to_thread.run_sync(world.api.wait_for_requests, 1)
        for _ in range(3):
            assert (await sidecar.judge(case())).judge == "claude-haiku-5-5"
        order.append("others")
        release.set()
    assert order == ["others", "slow"]


async def test_the_breaker_opens_and_recovers_with_one_probe(world: World, release: threading.Event) -> None:
    world.api.always(error(500, "api_error", "internal"))
    sidecar = world.sidecar(world.model(failures_to_open=2))
    for _ in range(4):
        await sidecar.judge(case())
    assert len(world.api.requests) == 2
    assert is_local(await sidecar.judge(case()), "left alone for 60 s more")
    world.watch.forward(61)
    world.api.queue(held(verdicts(verdict(0)), release))
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(sidecar.judge, case())
        await anyio.to_thread.run_sync(world.api.wait_for_requests, 3)
        assert is_local(await sidecar.judge(case()), "another call is trying")
        release.set()
    assert len(world.api.requests) == 3
    assert sidecar.status().state == "ok"
    world.api.always(verdicts(verdict(0)))
    assert (await sidecar.judge(case())).note == ""
    assert len(world.warnings) == 2
    assert world.warnings[1] == "claude-haiku-5-5 answers again"


async def test_a_probe_whose_caller_is_gone_makes_room_for_the_next(world: World, release: threading.Event) -> None:
    world.api.queue(error(401, "authentication_error", "invalid"), held(verdicts(), release))
    sidecar = world.sidecar()
    await sidecar.judge(case())
    world.watch.forward(61)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(sidecar.judge, case())
        await anyio.to_thread.run_sync(world.api.wait_for_requests, 2)
        tasks.cancel_scope.cancel()
    assert (await sidecar.judge(case())).judge == "claude-haiku-5-5"


async def test_refusals_say_nothing_about_the_services_health(world: World) -> None:
    world.api.always(refusal())
    sidecar = world.sidecar(world.model(failures_to_open=1))
    for _ in range(3):
        await sidecar.judge(case())
    assert len(world.api.requests) == 3
    assert sidecar.status().state == "ok"
    assert world.purse.days["2026-11-20"].calls == 3


async def test_a_spent_budget_stops_calls_until_the_next_day(world: World) -> None:
    sidecar = world.sidecar(world.model(limits=Limits(daily_tokens=2 * 1450 + KEPT - 1)))
    assert (await sidecar.judge(case())).judge == "claude-haiku-5-5"
    assert (await sidecar.judge(case())).judge == "claude-haiku-5-5"
    assert is_local(await sidecar.judge(case()), "budget of")
    status = sidecar.status()
    assert status.state == "degraded"
    assert "daily_tokens" in status.hint
    assert len(world.api.requests) == 2
    world.watch.forward(11 * 60)
    assert sidecar.status().numbers["tokens_today"] == 0
    assert (await sidecar.judge(case())).judge == "claude-haiku-5-5"
    assert set(world.purse.days) == {"2026-11-20", "2026-11-21"}
    world.watch.forward(-60 * 60)
    await sidecar.judge(case())
    assert world.purse.days["2026-11-20"].calls == 2


async def test_money_is_a_budget_of_its_own(world: World) -> None:
    sidecar = world.sidecar(world.model(limits=Limits(daily_usd=0.0004)))
    await sidecar.judge(case())
    assert is_local(await sidecar.judge(case()), "budget of $0.00")


async def test_sessions_that_ask_together_do_not_overdraw_together(world: World, release: threading.Event) -> None:
    world.api.always(held(verdicts(verdict(0)), release))
    sidecar = world.sidecar(world.model(limits=Limits(daily_tokens=3 * KEPT - 1)))
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(sidecar.judge, case())
        await anyio.to_thread.run_sync(world.api.wait_for_requests, 1)
        tasks.start_soon(sidecar.judge, case())
        await anyio.to_thread.run_sync(world.api.wait_for_requests, 2)
        assert is_local(await sidecar.judge(case()), "budget")
        release.set()
    assert len(world.api.requests) == 2


async def test_spending_survives_a_restart(world: World) -> None:
    limits = Limits(daily_tokens=1450 + KEPT - 1)
    await world.sidecar(world.model(limits=limits)).judge(case())
    model = world.model(limits=limits)
    await model.open()
    restarted = world.sidecar(model)
    assert restarted.status().numbers["tokens_today"] == 1450
    assert is_local(await restarted.judge(case()), "budget")
    assert len(world.api.requests) == 1


async def test_an_answer_without_use_is_paid_for(world: World) -> None:
    world.api.always(truncated())
    judgement = await world.sidecar().judge(case())
    assert world.purse.days["2026-11-20"] == Spending("2026-11-20", 1, 1200, 250, 0.000245)
    assert judgement.usage.cost_usd == pytest.approx(0.000245)


async def test_spending_that_cannot_be_written_is_written_later(world: World) -> None:
    model = world.model()
    sidecar = world.sidecar(model)
    world.purse.full = True
    assert (await sidecar.judge(case())).judge == "claude-haiku-5-5"
    await sidecar.judge(case())
    assert world.purse.days == {}
    assert sidecar.status().numbers["tokens_today"] == 2900
    world.purse.full = False
    await model.close()
    await model.close()
    assert world.purse.days["2026-11-20"].calls == 2
    assert world.purse.days["2026-11-20"].input_tokens == 2400


async def test_a_call_that_was_given_up_is_paid_for(world: World, release: threading.Event) -> None:
    world.api.always(held(verdicts(), release))
    model = world.model()
    sidecar = world.sidecar(model)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(sidecar.judge, case())
        await anyio.to_thread.run_sync(world.api.wait_for_requests, 1)
        tasks.cancel_scope.cancel()
    await model.close()
    assert world.purse.days["2026-11-20"].calls == 1
    assert world.purse.days["2026-11-20"].input_tokens > 0
