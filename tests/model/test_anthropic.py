import dataclasses
import subprocess
import sys
import threading

import anyio
import anyio.to_thread
import pytest
from msgspec.structs import replace

from cases import TEXTS, case
from memoryd.config import Config, ConfigInvalid, SidecarConfig
from memoryd.model import choose
from memoryd_actors.judging.judge import Judgement
from memoryd_actors.judging.question import about
from memoryd_actors.memory.budget import Usage
from memoryd_actors.model.provider import Provider
from memoryd_actors.model.question import ModelFailed, Prompt
from messages_api import (
    MessagesApi,
    Reply,
    dropped,
    endless,
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
from sidecar_world import LONG_S, World, anthropic

QUESTION = about(case(), deadline_s=LONG_S)


async def asked(world: World) -> Judgement:
    answer = await world.model().ask(QUESTION)
    return replace(answer.value, usage=answer.usage)


async def failure(world: World) -> ModelFailed:
    with pytest.raises(ModelFailed) as caught:
        await asked(world)
    return caught.value


async def test_verdicts_come_back_with_what_they_cost(world: World) -> None:
    world.api.always(verdicts(verdict(0), verdict(1, relevant=False, score=0.1, reason="only the page"), verdict(2)))
    judgement = await asked(world)
    assert [(one.index, one.relevant, one.score) for one in judgement.verdicts] == [
        (0, True, 0.9),
        (1, False, 0.1),
        (2, True, 0.9),
    ]
    assert (judgement.usage.input_tokens, judgement.usage.output_tokens) == (1200, 250)
    assert judgement.usage.cost_usd == pytest.approx(0.000245)


async def test_none_relevant_is_an_answer(world: World) -> None:
    world.api.always(verdicts())
    assert (await asked(world)).verdicts == ()


async def test_the_request_asks_for_verdicts_by_schema_without_thinking_or_temperature(world: World) -> None:
    await asked(world)
    (request,) = world.api.requests
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


async def test_only_headers_that_are_needed_leave_the_machine(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", "X-Team: secret-project")
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "token-from-elsewhere")
    await asked(world)
    (request,) = world.api.requests
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


async def test_the_environment_does_not_redirect_requests(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    with MessagesApi() as elsewhere:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "ANTHROPIC_BASE_URL"):
            monkeypatch.setenv(name, elsewhere.url)
        await asked(world)
        assert len(world.api.requests) == 1
        assert elsewhere.requests == ()


async def test_a_redirect_is_not_followed(world: World) -> None:
    with MessagesApi() as elsewhere:
        world.api.always(redirect(f"{elsewhere.url}/v1/messages"))
        failed = await failure(world)
        assert failed.kind == "request"
        assert "redirects" in str(failed)
        assert "base_url" in failed.hint
        assert elsewhere.requests == ()


@pytest.mark.parametrize("key", ["sk-ant-api03-" + "Qw3rT7yU9" * 10 + "AA", "a-key-of-no-known-form"])
async def test_a_key_that_the_service_repeats_is_shown_nowhere(world: World, key: str) -> None:
    said = error(401, "authentication_error", f"invalid x-api-key: {key}")
    world.api.always(said)
    provider = choose(Config(sidecar=SidecarConfig(api_key=key, base_url=world.api.url))).provider
    assert provider is not None
    with pytest.raises(ModelFailed) as caught:
        await provider.say(Prompt("", "Anybody there?", {}, 10), deadline_s=10)
    await provider.aclose()
    assert "not accepted" in str(caught.value)
    assert key not in str(caught.value)


async def test_a_key_that_an_answer_repeats_is_not_kept_and_a_stand_in_for_one_spoils_nothing(world: World) -> None:
    for key, said in (("a-key-of-no-known-form", "it is [the key]"), ("x", "it is x")):
        world.api.always(message(f"it is {key}"))
        provider = choose(Config(sidecar=SidecarConfig(api_key=key, base_url=world.api.url))).provider
        assert provider is not None
        answer = await provider.say(Prompt("", "Anybody there?", {}, 10), deadline_s=10)
        await provider.aclose()
        assert answer.text == said


@pytest.mark.parametrize("wish", ["nan", "inf", "9" * 5_000, "Wed, 21 Oct 2026 07:28:00 GMT"])
async def test_a_wish_to_wait_that_is_no_number_of_seconds_is_not_shown(world: World, wish: str) -> None:
    world.api.always(error(429, "rate_limit_error", "slow", retry_after=wish))
    assert "asks to wait" not in str(await failure(world))


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
async def test_an_error_status_says_what_it_is_and_what_to_do_and_costs_nothing(
    world: World, reply: Reply, kind: str, in_message: str, in_hint: str
) -> None:
    world.api.always(reply)
    failed = await failure(world)
    assert failed.kind == kind
    assert in_message in str(failed)
    assert in_hint in failed.hint
    assert failed.usage.cost_usd == 0
    # In particular no Retry-After is obeyed here: there is one request, and the breaker decides about the next.
    assert len(world.api.requests) == 1


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
async def test_an_answer_without_use_is_paid_for(world: World, reply: Reply, kind: str) -> None:
    world.api.always(reply)
    failed = await failure(world)
    assert failed.kind == kind
    assert failed.usage.input_tokens == 1200
    assert failed.usage.cost_usd > 0


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (garbage(), "nonsense"),
        (html(), "nonsense"),
        (Reply(b""), "nonsense"),
        (Reply(b"[]"), "nonsense"),
        (Reply(b'{"more":' + b"[" * 100_000), "nonsense"),
        (message('{"verdicts":' + "[" * 100_000), "nonsense"),
        (huge(), "nonsense"),
        (endless(), "nonsense"),
        (dropped(verdicts(verdict(0))), "connection"),
        (Reply(b"\x1f\x8b\x08", headers={"content-encoding": "gzip"}), "nonsense"),
    ],
)
async def test_an_answer_that_does_not_tell_its_price_counts_as_estimated(
    world: World, reply: Reply, kind: str
) -> None:
    world.api.always(reply)
    failed = await failure(world)
    assert failed.kind == kind
    assert failed.usage.input_tokens > 0
    assert failed.usage.cost_usd > 0


@pytest.mark.parametrize("charset", ["punycode", "undefined", "rot13", "zlib", "idna"])
@pytest.mark.parametrize("media", ["text/plain", "application/json", "text/plain, text/html"])
async def test_an_error_is_read_as_utf_8_whatever_character_set_it_names(
    world: World, media: str, charset: str
) -> None:
    worded = error(400, "invalid_request_error", "bad schema")
    world.api.always(dataclasses.replace(worded, headers={"content-type": f'{media}; charset="{charset}"'}))
    failed = await failure(world)
    assert (failed.kind, str(failed)) == ("request", "the request was rejected (400): bad schema")


async def test_a_service_that_is_not_there_costs_nothing() -> None:
    with MessagesApi() as server:
        pass
    async with anthropic(server) as provider:
        failed = await failure(World(server, provider))
    assert failed.kind == "connection"
    assert failed.usage == Usage()


async def test_verdicts_are_checked_one_by_one(world: World) -> None:
    world.api.always(
        verdicts(
            verdict(9),
            verdict(1, score=85),
            verdict(1, relevant=False, score=0.1),
            verdict("0", relevant="TRUE", actionable="False", score=-3, reason="two\n lines"),
            {"score": 1},
        )
    )
    judgement = await asked(world)
    first, second = judgement.verdicts
    assert (first.index, first.relevant, first.actionable, first.score, first.reason) == (
        0,
        True,
        False,
        0.0,
        "two lines",
    )
    assert (second.index, second.relevant, second.score) == (1, True, 1.0)


async def test_prose_around_the_verdicts_is_ignored(world: World) -> None:
    text = '```json\n{"verdicts": [{"index": 0, "relevant": true, "actionable": true, "score": 1, "reason": "x"}]}\n```'
    world.api.always(message(f"Here you are:\n{text}\nAnything else?"))
    assert len((await asked(world)).verdicts) == 1


async def test_a_call_that_is_given_up_does_not_hold_up_the_next(world: World) -> None:
    release = threading.Event()
    world.api.queue(held(verdicts(), release))
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(asked, world)
            await anyio.to_thread.run_sync(world.api.wait_for_requests, 1)
            tasks.cancel_scope.cancel()
        world.api.always(verdicts(verdict(0)))
        assert len((await asked(world)).verdicts) == 1
        assert not release.is_set()
    finally:
        release.set()


def chosen(*, api_key: str = "", base_url: str = "https://api.anthropic.com") -> Provider | None:
    return choose(Config(sidecar=SidecarConfig(api_key=api_key, base_url=base_url))).provider


def test_without_a_key_there_is_no_model() -> None:
    assert chosen() is None
    assert chosen(api_key="  \n") is None


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"api_key": "sk two"}, "api_key"),
        ({"api_key": "sk-ü"}, "api_key"),
        ({"api_key": "k", "base_url": "api.anthropic.com"}, "base_url"),
        ({"api_key": "k", "base_url": "http://gateway.example"}, "in the clear"),
        ({"api_key": "k", "base_url": "https://me:pw@gateway.example"}, "password"),
        ({"api_key": "k", "base_url": "https://[::1"}, "base_url"),
    ],
)
def test_a_configuration_that_cannot_work_is_named_at_the_start(settings: dict[str, str], named: str) -> None:
    with pytest.raises(ConfigInvalid, match=named):
        chosen(**settings)


def test_choosing_a_model_does_not_load_the_sdk() -> None:
    code = (
        "import sys; from memoryd.config import Config, SidecarConfig; from memoryd.model import choose;"
        "assert choose(Config(sidecar=SidecarConfig(api_key='k'))).provider is not None;"
        "sys.exit(any(name in sys.modules for name in ('anthropic', 'httpx2', 'pydantic')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
