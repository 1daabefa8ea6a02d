"""The judge's benchmark, on two made-up conversations and a server that speaks the Messages API."""

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks import judge
from chat_completions import completion
from messages_api import MessagesApi, asking, error, lookup, verdict, verdicts


def run(data: Path, models: Path, *more: str) -> dict[str, Any]:
    results = data.parent / "results"
    where = ["--sets", "home", "--models", str(models), "--results", str(results)]
    assert judge.main([str(data), *where, *more]) == 0
    (written,) = results.iterdir()
    figures: dict[str, Any] = json.loads(written.read_text(encoding="utf-8"))["figures"]
    return figures


def test_the_local_judge_finds_the_answers_and_spends_nothing(data: Path, models: Path) -> None:
    home = run(data, models)["home"]
    assert (home["own"], home["clean, foreign"]["questions"]) == (2, 2)
    assert home["recall"]["mean"] == home["ceiling"]["mean"] == 1.0
    assert home["clean, foreign"]["mean"] == 1.0
    assert home["usd"] == home["input_tokens"] == 0


def test_a_model_is_measured_with_what_it_costs(
    data: Path, models: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-test")
    with MessagesApi(verdicts(verdict(0))) as api:
        figures = run(data, models, "--judge", "anthropic", "--base-url", api.url)
        assert len(api.requests) == 4
    home = figures["home"]
    # It keeps the first candidate of every question, and of foreign ones, too.
    assert home["precision"]["mean"] == home["recall"]["mean"] == 1.0
    assert home["clean, foreign"]["mean"] == 0.0
    assert (home["input_tokens"], home["output_tokens"]) == (4 * 1200, 4 * 250)
    assert home["usd"] == pytest.approx(4 * 0.000245)
    assert figures["sidecar"]["calls"] == 4
    assert "precision" in capsys.readouterr().out


@pytest.mark.parametrize("judge_name", ["openai", "command"])
def test_other_providers_are_measured_as_well(data: Path, models: Path, judge_name: str) -> None:
    answer = json.dumps({"verdicts": [{"index": 0, "reason": "it says so", "score": 0.9}]})
    program = shlex.join([sys.executable, "-c", f"import sys; sys.stdin.read(); print({answer!r})"])
    with MessagesApi(completion(answer)) as api:
        where = ["--base-url", api.url, "--model", "some-model", "--command", program]
        figures = run(data, models, "--judge", judge_name, *where)
    assert figures["home"]["recall"]["mean"] == 1.0
    assert figures["home"]["clean, foreign"]["mean"] == 0.0
    assert figures["home"]["usd"] == 0.0
    assert figures["sidecar"]["calls"] == 4


def test_look_ups_are_answered_from_the_conversation(data: Path, models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-test")
    with MessagesApi(verdicts()) as api:
        api.queue(asking(lookup("read_source", 0), lookup("session_search", -1, "hedge bowl")))
        figures = run(data, models, "--judge", "anthropic", "--base-url", api.url, "--limit", "1", "--parallel", "1")
        assert "<looked_up>" in api.requests[1].prompt
    assert figures["sidecar"]["second_looks"] == 1
    assert figures["home"]["input_tokens"] == 3 * 1200


def test_it_refuses_what_could_cost_more_than_it_may(data: Path, models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-test")
    with MessagesApi() as api:
        with pytest.raises(SystemExit, match="--usd allows"):
            run(data, models, "--judge", "anthropic", "--base-url", api.url, "--usd", "0.001")
        assert api.requests == ()


def test_a_stand_in_is_not_measured(
    data: Path, models: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-test")
    with MessagesApi(error(401, "authentication_error", "invalid x-api-key")) as api:
        run(data, models, "--judge", "anthropic", "--base-url", api.url, "--parallel", "1")
        assert len(api.requests) == 1
    assert "stopped after 0 of 4: the key was not accepted" in capsys.readouterr().err


def test_without_a_key_it_says_what_to_do(data: Path, models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    with pytest.raises(SystemExit, match="ANTHROPIC_API_KEY"):
        run(data, models, "--judge", "anthropic")
