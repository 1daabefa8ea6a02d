"""Any chat-completions endpoint: in which form an answer is asked for, and all that can go wrong."""

import json
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from cases import TEXTS, case
from chat_completions import completion, form, problem
from memoryd.config import Config, ConfigInvalid, PrivacyConfig, SidecarConfig, load
from memoryd.model import choose
from memoryd_actors.judging.judge import Judgement
from memoryd_actors.judging.question import about
from memoryd_actors.memory.budget import Usage
from memoryd_actors.model.model import Model
from memoryd_actors.model.question import MOST_TOKENS, ModelFailed, Prompt
from messages_api import (
    MessagesApi,
    Reply,
    compressed,
    dripping,
    dropped,
    endless,
    garbage,
    held,
    html,
    huge,
    redirect,
    verdict,
)
from sidecar_world import LONG_S, World

WARM = Prompt("system", "content", {}, 100, temperature=0.0)
KEPT = json.dumps({"verdicts": [verdict(0)]})


@pytest.fixture
async def world() -> AsyncIterator[World]:
    with MessagesApi(completion(KEPT)) as api:
        settings = SidecarConfig(provider="openai", base_url=f"{api.url}/v1", model="qwen3:8b")
        provider = choose(Config(sidecar=settings)).provider
        assert provider is not None
        await provider.prepare()
        yield World(api, provider)
        await provider.aclose()


async def asked(world: World, model: Model | None = None) -> Judgement:
    return (await (model or world.model()).ask(about(case(), deadline_s=LONG_S))).value


async def failure(world: World) -> ModelFailed:
    with pytest.raises(ModelFailed) as caught:
        await asked(world)
    return caught.value


async def test_a_key_that_an_answer_repeats_is_not_kept(world: World) -> None:
    key = "a-key-of-no-known-form"
    world.api.always(completion(f"it is {key}"))
    settings = SidecarConfig(provider="openai", base_url=f"{world.api.url}/v1", model="qwen3:8b", openai_api_key=key)
    provider = choose(Config(sidecar=settings)).provider
    assert provider is not None
    await provider.prepare()
    assert (await provider.say(WARM, deadline_s=LONG_S)).text == "it is [the key]"
    await provider.aclose()


async def test_a_schema_is_asked_for_and_nothing_but_the_question_is_sent(world: World) -> None:
    assert [one.index for one in (await asked(world)).kept] == [0]
    (request,) = world.api.requests
    assert request.path == "/v1/chat/completions"
    assert form(request) == "json_schema"
    assert request.body["response_format"]["json_schema"]["schema"]["required"] == ["verdicts"]
    assert [one["role"] for one in request.body["messages"]] == ["system", "user"]
    assert all(text in request.body["messages"][1]["content"] for text in TEXTS)
    assert request.body["stream"] is False
    assert "authorization" not in request.headers
    needed = "accept accept-encoding connection content-length content-type host user-agent"
    assert set(request.headers) <= set(needed.split())


async def test_a_server_without_schemas_is_asked_for_json_and_that_is_remembered(world: World) -> None:
    world.api.queue(problem(400, "response_format json_schema is not supported"))
    await asked(world)
    await asked(world)
    assert [form(request) for request in world.api.requests] == ["json_schema", "json_object", "json_object"]
    assert '"verdicts"' in world.api.requests[1].body["messages"][0]["content"]


async def test_a_temperature_is_sent_until_a_model_refuses_one(world: World) -> None:
    await world.provider.say(WARM, deadline_s=LONG_S)
    world.api.queue(problem(400, "Unsupported value: 'temperature' does not support 0"))
    await world.provider.say(WARM, deadline_s=LONG_S)
    await world.provider.say(WARM, deadline_s=LONG_S)
    assert [request.body.get("temperature") for request in world.api.requests] == [0.0, 0.0, None, None]


async def test_a_server_that_knows_no_forms_is_asked_in_words(world: World) -> None:
    world.api.queue(problem(422, "unknown field response_format"), problem(400, "json_object is not supported"))
    await asked(world)
    await asked(world)
    assert [form(request) for request in world.api.requests] == ["json_schema", "json_object", "plain", "plain"]


async def test_what_is_rejected_in_every_form_fails_as_at_first_and_nothing_is_remembered(world: World) -> None:
    world.api.queue(problem(400, "the context is too long"), problem(400, "still"), problem(400, "no"))
    failed = await failure(world)
    assert (failed.kind, "the context is too long" in str(failed)) == ("request", True)
    await asked(world)
    assert form(world.api.requests[-1]) == "json_schema"


async def test_a_form_that_was_answered_is_kept_whatever_is_rejected_later(world: World) -> None:
    await asked(world)
    world.api.queue(problem(400, "the context is too long"))
    await failure(world)
    assert [form(request) for request in world.api.requests] == ["json_schema", "json_schema"]


async def test_a_server_in_trouble_is_asked_once_a_question_and_the_next_time_in_another_form(world: World) -> None:
    """Some answer 500 to a schema that they do not know."""
    world.api.queue(problem(500, "cannot make a grammar of this"), problem(500, "json_object, too"))
    model = world.model()
    for _ in range(2):
        with pytest.raises(ModelFailed, match="500"):
            await asked(world, model)
    assert [one.index for one in (await asked(world, model)).kept] == [0]
    assert [form(request) for request in world.api.requests] == ["json_schema", "json_object", "plain"]


@pytest.mark.parametrize(
    ("error", "kind", "said"),
    [
        ({"code": 429, "message": "the upstream is busy"}, "rate_limit", "429"),
        ({"code": 402, "message": "no credits are left"}, "auth", "no credits are left"),
        ({"code": "overloaded", "message": "try later"}, "server", "try later"),
        ("the upstream is gone", "server", "the upstream is gone"),
    ],
)
async def test_an_error_that_is_sent_as_an_answer_is_told_in_its_own_words(
    world: World, error: object, kind: str, said: str
) -> None:
    world.api.always(Reply(json.dumps({"id": "gen-1", "error": error}).encode()))
    failed = await failure(world)
    assert (failed.kind, said in str(failed)) == (kind, True)
    assert len(world.api.requests) == 1


async def test_an_address_without_its_path_is_told_by_its_hint(world: World) -> None:
    settings = SidecarConfig(provider="openai", base_url=world.api.url, model="qwen3:8b")
    provider = choose(Config(sidecar=settings)).provider
    assert provider is not None
    world.api.always(Reply(b"404 page not found", status=404))
    failed = await failure(World(world.api, provider))
    await provider.aclose()
    assert f"{world.api.url}/v1" in failed.hint
    world.api.always(problem(404, "model 'qwen3:8b' not found"))
    assert "/v1" not in (await failure(world)).hint


@pytest.mark.parametrize(
    "text",
    [
        f"```json\n{KEPT}\n```",
        f"Sure! Here it is:\n{KEPT}\nAnything else?",
        f"<think>Candidate 0 [the clock] {{maybe}} fits.</think>\n{KEPT}",
        f'<think>First {{"verdicts": []}}, no.</think>{KEPT}',
        f"Let me see {{...}} </think>{KEPT}",
        json.dumps([verdict(0)]),
        f"{KEPT}\n<|im_end|>",
        f'For example {{"verdicts": [], "reason": "{"a long example " * 40}"}}, but here:\n{KEPT}',
        f'{{"note": "the verdicts follow"}}\n{KEPT}\nThat is all, see [1] and [].',
        "{...} " * 30 + KEPT,
    ],
)
async def test_fences_thoughts_and_prose_are_put_aside(world: World, text: str) -> None:
    world.api.always(completion(text))
    assert [one.index for one in (await asked(world)).kept] == [0]


async def test_content_in_parts_is_put_together(world: World) -> None:
    half = len(KEPT) // 2
    world.api.always(completion([{"type": "text", "text": KEPT[:half]}, {"type": "text", "text": KEPT[half:]}]))
    assert len((await asked(world)).kept) == 1


@pytest.mark.parametrize(
    ("reply", "kind", "said"),
    [
        (problem(401, "no"), "auth", "not accepted"),
        (problem(404, "model 'qwen3:8b' not found, try pulling it first"), "model", "try pulling it"),
        (problem(429, "slow down", retry_after="86400"), "rate_limit", "86400 s"),
        (problem(500, "out of memory"), "server", "500"),
        (problem(503, "loading model"), "server", "503"),
        (Reply(b'{"error": "a plain text"}', status=413), "request", "too large"),
        (Reply(b'{"detail": [{"loc": ["body"]}]}', status=409), "request", "409"),
        (html(502), "server", "502"),
        (html(), "nonsense", "not an answer"),
        (garbage(), "nonsense", "not an answer"),
        (Reply(b"{}"), "nonsense", "not an answer"),
        (Reply(b'{"choices": []}'), "nonsense", "not an answer"),
        (Reply(b'{"choices":' + b"[" * 100_000), "nonsense", "not an answer"),
        (Reply(b'{"error":' + b'{"a":' * 100_000, status=400), "request", "400"),
        (huge(), "nonsense", "longer than"),
        (completion(KEPT[:30], finish_reason="length"), "truncated", "cut off"),
        (completion(KEPT, finish_reason="content_filter"), "refusal", "declined"),
        (completion(None, refusal="I cannot"), "refusal", "declined"),
        (completion(None), "nonsense", "without verdicts"),
        (completion("I would keep the first."), "nonsense", "without verdicts"),
        (completion('{"verdicts": "all"}'), "nonsense", "without verdicts"),
        (completion("[" * 100_000), "nonsense", "without verdicts"),
        (dropped(completion(KEPT)), "connection", "broke"),
        (endless(), "nonsense", "longer than"),
        (compressed(completion(KEPT)), "nonsense", "compressed"),
    ],
)
async def test_what_goes_wrong_is_told_by_its_kind(world: World, reply: Reply, kind: str, said: str) -> None:
    world.api.always(reply)
    failed = await failure(world)
    assert (failed.kind, said in str(failed)) == (kind, True)


async def test_an_error_cannot_steer_a_terminal(world: World) -> None:
    world.api.always(problem(401, "\x1b]0;owned\x07\x1b[2Jno\x1b[31m such\r\nkey\u202e"))
    failed = await failure(world)
    assert str(failed).endswith("no such key")
    assert str(failed).isprintable()


@pytest.mark.parametrize("count", [2**63, 2**64, 10**30, 1e300, -5])
async def test_whatever_tokens_a_server_counts_the_account_bears_it(world: World, count: float) -> None:
    world.api.always(completion(KEPT, prompt_tokens=count, completion_tokens=count))
    answer = await world.model().ask(about(case(), deadline_s=LONG_S))
    assert 0 <= answer.usage.input_tokens <= MOST_TOKENS
    assert all(0 <= day.output_tokens <= MOST_TOKENS for day in world.purse.days.values())


async def test_an_answer_without_a_count_counts_as_estimated(world: World) -> None:
    body = json.loads(completion(KEPT).body)
    del body["usage"]
    world.api.always(Reply(json.dumps(body).encode()))
    answer = await world.model().ask(about(case(), deadline_s=LONG_S))
    assert answer.usage.input_tokens > 1000


async def test_a_slow_server_is_left_at_the_deadline(world: World) -> None:
    release = threading.Event()
    world.api.always(held(completion(KEPT), release))
    with pytest.raises(ModelFailed, match="did not answer within") as caught:
        await world.model().ask(about(case(), deadline_s=0.3))
    assert not release.is_set()
    release.set()
    assert caught.value.usage != Usage()


async def test_a_server_that_sends_a_byte_now_and_then_is_left_at_the_deadline(world: World) -> None:
    world.api.always(dripping())
    with pytest.raises(ModelFailed, match="did not answer within"):
        await world.model().ask(about(case(), deadline_s=0.3))


async def test_a_redirect_is_not_followed(world: World) -> None:
    with MessagesApi(completion(KEPT)) as elsewhere:
        world.api.always(redirect(f"{elsewhere.url}/v1/chat/completions"))
        assert "redirects" in str(await failure(world))
        assert elsewhere.requests == ()


async def test_the_environment_does_not_redirect_requests(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    with MessagesApi(completion(KEPT)) as elsewhere:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "OPENAI_BASE_URL"):
            monkeypatch.setenv(name, elsewhere.url)
        await asked(world)
        assert elsewhere.requests == ()


async def test_a_key_is_sent_where_one_is_configured() -> None:
    with MessagesApi(completion(KEPT)) as api:
        settings = SidecarConfig(provider="openai", base_url=api.url, model="m", openai_api_key="sk-mine")
        provider = choose(Config(sidecar=settings)).provider
        assert provider is not None
        await asked(World(api, provider))
        await provider.aclose()
        assert api.requests[0].headers["authorization"] == "Bearer sk-mine"


def test_a_key_of_the_environment_is_for_a_service_not_for_what_listens_here(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    for base_url, key in (("https://models.example/v1", "sk-env"), ("http://localhost:1234/v1", "")):
        file.write_text(f'[sidecar]\nprovider = "openai"\nmodel = "m"\nbase_url = "{base_url}"\n', encoding="utf-8")
        assert load(file, {"OPENAI_API_KEY": "sk-env"}).sidecar.openai_api_key == key


def test_on_this_machine_it_may_be_asked_offline_and_costs_nothing() -> None:
    settings = SidecarConfig(provider="openai", base_url="http://localhost:11434/v1", model="m")
    chosen = choose(Config(sidecar=settings, privacy=PrivacyConfig(offline=True)))
    assert chosen.provider is not None
    assert chosen.prices.usage(10**6, 10**6).cost_usd == 0.0
    far = SidecarConfig(provider="openai", base_url="https://models.example/v1", model="m")
    assert choose(Config(sidecar=far)).prices.usage(10**6, 10**6).cost_usd > 0
    offline = choose(Config(sidecar=far, privacy=PrivacyConfig(offline=True)))
    assert offline.provider is None
    assert "privacy.offline" in offline.why_off


@pytest.mark.parametrize(
    ("base_url", "model", "named"),
    [
        ("http://models.example/v1", "m", "in the clear"),
        ("https://me:pw@models.example", "m", "password"),
        ("localhost:11434", "m", "base_url"),
        ("", "", "sidecar.model"),
    ],
)
def test_a_configuration_that_cannot_work_is_named_at_the_start(base_url: str, model: str, named: str) -> None:
    with pytest.raises(ConfigInvalid, match=named):
        choose(Config(sidecar=SidecarConfig(provider="openai", base_url=base_url, model=model)))
