import subprocess
import sys
import threading

import anyio
import anyio.to_thread
import pytest

from cases import TEXTS, case
from memoryd.config import ConfigInvalid, SidecarConfig
from memoryd.judge import AnthropicJudge, build_judge
from memoryd_actors.judging.judge import JudgeFailed
from messages_api import (
    MessagesApi,
    Reply,
    dropped,
    error,
    garbage,
    held,
    html,
    huge,
    message,
    redirect,
    refusal,
    truncated,
    verdict,
    verdicts,
)


async def failure(judge: AnthropicJudge) -> JudgeFailed:
    with pytest.raises(JudgeFailed) as caught:
        await judge.judge(case())
    return caught.value


async def test_verdicts_come_back_with_what_they_cost(api: MessagesApi, judge: AnthropicJudge) -> None:
    api.always(verdicts(verdict(0), verdict(1, relevant=False, score=0.1, reason="only the page"), verdict(2)))
    judgement = await judge.judge(case())
    assert [(one.index, one.relevant, one.score) for one in judgement.verdicts] == [
        (0, True, 0.9),
        (1, False, 0.1),
        (2, True, 0.9),
    ]
    assert judgement.judge == "claude-haiku-5-5"
    assert (judgement.input_tokens, judgement.output_tokens) == (1200, 250)
    assert judgement.cost_usd == pytest.approx(0.000245)


async def test_none_relevant_is_an_answer(api: MessagesApi, judge: AnthropicJudge) -> None:
    api.always(verdicts())
    assert (await judge.judge(case())).verdicts == ()


async def test_the_request_asks_for_verdicts_by_schema_without_thinking_or_temperature(
    api: MessagesApi, judge: AnthropicJudge
) -> None:
    await judge.judge(case())
    (request,) = api.requests
    assert request.path == "/v1/messages"
    assert request.body["model"] == "claude-haiku-5-5"
    assert request.body["thinking"] == {"type": "disabled"}
    assert request.body["output_config"]["effort"] == "low"
    form = request.body["output_config"]["format"]
    assert form["type"] == "json_schema"
    item = form["schema"]["properties"]["verdicts"]["items"]
    assert sorted(item["required"]) == sorted(item["properties"])
    assert request.body["max_tokens"] >= 80 * len(TEXTS)
    assert "temperature" not in request.body
    assert all(text in request.prompt for text in TEXTS)


async def test_only_headers_that_are_needed_leave_the_machine(
    api: MessagesApi, judge: AnthropicJudge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", "X-Team: secret-project")
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "token-from-elsewhere")
    await judge.judge(case())
    (request,) = api.requests
    assert set(request.headers) <= {
        "accept",
        "accept-encoding",
        "anthropic-version",
        "authorization",
        "connection",
        "content-length",
        "content-type",
        "host",
        "user-agent",
        "x-api-key",
    }
    sent = " ".join(request.headers.values())
    assert "sk-test" in sent
    assert "token-from-elsewhere" not in sent


async def test_the_environment_does_not_redirect_requests(
    api: MessagesApi, judge: AnthropicJudge, monkeypatch: pytest.MonkeyPatch
) -> None:
    with MessagesApi() as elsewhere:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "ANTHROPIC_BASE_URL"):
            monkeypatch.setenv(name, elsewhere.url)
        await judge.judge(case())
        assert len(api.requests) == 1
        assert elsewhere.requests == ()


async def test_a_redirect_is_not_followed(api: MessagesApi, judge: AnthropicJudge) -> None:
    with MessagesApi() as elsewhere:
        api.always(redirect(f"{elsewhere.url}/v1/messages"))
        failed = await failure(judge)
        assert failed.kind == "request"
        assert "redirects" in str(failed)
        assert "base_url" in failed.hint
        assert elsewhere.requests == ()


@pytest.mark.parametrize(
    ("reply", "kind", "in_message", "in_hint"),
    [
        (error(401, "authentication_error", "invalid x-api-key"), "auth", "not accepted", "ANTHROPIC_API_KEY"),
        (error(402, "billing_error", "credit balance is too low"), "auth", "balance", "billing"),
        (error(403, "permission_error", "not allowed"), "auth", "claude-haiku-5-5", "key"),
        (error(404, "not_found_error", "model: nope"), "model", "knows no model", "sidecar.model"),
        (error(400, "invalid_request_error", "bad schema"), "request", "bad schema", "base_url"),
        (error(413, "request_too_large", "too large"), "request", "too large", "recall.judged"),
        (error(429, "rate_limit_error", "slow", retry_after="86400"), "rate_limit", "86400 s", "by itself"),
        (error(500, "api_error", "internal"), "server", "500", "by itself"),
        (error(529, "overloaded_error", "overloaded"), "server", "529", "by itself"),
        (html(502), "server", "502", "by itself"),
    ],
)
async def test_an_error_status_says_what_it_is_and_what_to_do_and_costs_nothing(  # noqa: PLR0917 - one per column
    api: MessagesApi, judge: AnthropicJudge, reply: Reply, kind: str, in_message: str, in_hint: str
) -> None:
    api.always(reply)
    failed = await failure(judge)
    assert failed.kind == kind
    assert in_message in str(failed)
    assert in_hint in failed.hint
    assert failed.cost_usd == 0
    # In particular no Retry-After is obeyed here: there is one request, and the breaker decides about the next.
    assert len(api.requests) == 1


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (refusal(), "refusal"),
        (truncated(), "truncated"),
        (message("I would keep the first one."), "nonsense"),
        (verdicts(verdict(17), verdict(-1), verdict("first")), "nonsense"),
        (verdicts("relevant", None), "nonsense"),
    ],
)
async def test_an_answer_without_use_is_paid_for(
    api: MessagesApi, judge: AnthropicJudge, reply: Reply, kind: str
) -> None:
    api.always(reply)
    failed = await failure(judge)
    assert failed.kind == kind
    assert failed.input_tokens == 1200
    assert failed.cost_usd > 0


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (garbage(), "nonsense"),
        (html(), "nonsense"),
        (Reply(b""), "nonsense"),
        (Reply(b"[]"), "nonsense"),
        (huge(), "nonsense"),
        (dropped(verdicts(verdict(0))), "connection"),
        (Reply(b"\x1f\x8b\x08", headers={"content-encoding": "gzip"}), "nonsense"),
    ],
)
async def test_an_answer_that_does_not_tell_its_price_counts_as_estimated(
    api: MessagesApi, judge: AnthropicJudge, reply: Reply, kind: str
) -> None:
    api.always(reply)
    failed = await failure(judge)
    assert failed.kind == kind
    assert failed.input_tokens > 0
    assert failed.cost_usd > 0


async def test_a_service_that_is_not_there_costs_nothing() -> None:
    with MessagesApi() as server:
        url = server.url
    judge = build_judge(SidecarConfig(api_key="sk-test", base_url=url))
    assert judge is not None
    failed = await failure(judge)
    await judge.aclose()
    assert failed.kind == "connection"
    assert failed.cost_usd == 0


async def test_verdicts_are_checked_one_by_one(api: MessagesApi, judge: AnthropicJudge) -> None:
    api.always(
        verdicts(
            verdict(9),
            verdict(1, score=85),
            verdict(1, relevant=False, score=0.1),
            verdict("0", relevant="TRUE", actionable="False", score=-3, reason="two\n lines"),
            {"index": 2},
        )
    )
    judgement = await judge.judge(case())
    first, second = judgement.verdicts
    assert (first.index, first.relevant, first.actionable, first.score, first.reason) == (
        0,
        True,
        False,
        0.0,
        "two lines",
    )
    assert (second.index, second.relevant, second.score) == (1, True, 1.0)


async def test_prose_around_the_verdicts_is_ignored(api: MessagesApi, judge: AnthropicJudge) -> None:
    text = '```json\n{"verdicts": [{"index": 0, "relevant": true, "actionable": true, "score": 1, "reason": "x"}]}\n```'
    api.always(message(f"Here you are:\n{text}\nAnything else?"))
    assert len((await judge.judge(case())).verdicts) == 1


async def test_a_call_that_is_given_up_does_not_hold_up_the_next(api: MessagesApi, judge: AnthropicJudge) -> None:
    release = threading.Event()
    api.queue(held(verdicts(), release))
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(judge.judge, case())
            await anyio.to_thread.run_sync(api.wait_for_requests, 1)
            tasks.cancel_scope.cancel()
        api.always(verdicts(verdict(0)))
        assert len((await judge.judge(case())).verdicts) == 1
        assert not release.is_set()
    finally:
        release.set()


def test_without_a_key_there_is_no_judge() -> None:
    assert build_judge(SidecarConfig()) is None
    assert build_judge(SidecarConfig(api_key="  \n")) is None


@pytest.mark.parametrize(
    ("config", "named"),
    [
        (SidecarConfig(api_key="sk two"), "api_key"),
        (SidecarConfig(api_key="sk-ü"), "api_key"),
        (SidecarConfig(api_key="k", base_url="api.anthropic.com"), "base_url"),
        (SidecarConfig(api_key="k", base_url="http://gateway.example"), "in the clear"),
        (SidecarConfig(api_key="k", base_url="https://me:pw@gateway.example"), "password"),
        (SidecarConfig(api_key="k", base_url="https://[::1"), "base_url"),
    ],
)
def test_a_configuration_that_cannot_work_is_named_at_the_start(config: SidecarConfig, named: str) -> None:
    with pytest.raises(ConfigInvalid, match=named):
        build_judge(config)


def test_building_a_judge_does_not_load_the_sdk() -> None:
    code = (
        "import sys; from memoryd.config import SidecarConfig; from memoryd.judge import build_judge;"
        "assert build_judge(SidecarConfig(api_key='k')) is not None;"
        "sys.exit(any(name in sys.modules for name in ('anthropic', 'httpx2', 'pydantic')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
