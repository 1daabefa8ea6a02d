"""From the bytes of an answer to the text in it, and what it cost."""

from typing import Literal

import msgspec

from memoryd_actors.judging.judge import JudgeFailed
from memoryd_actors.memory.budget import Prices, Usage

NO_MESSAGES_API = "Check that sidecar.base_url is a Messages API and that sidecar.model can answer by a JSON schema."
_HINTS = {
    "refusal": "",
    "truncated": "Fewer candidates (recall.judged) make shorter answers.",
    "nonsense": NO_MESSAGES_API,
}


class _Block(msgspec.Struct, frozen=True):
    type: str
    text: str = ""


class _Counted(msgspec.Struct, frozen=True):
    input_tokens: int = 0
    output_tokens: int = 0
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None


class _Reply(msgspec.Struct, frozen=True):
    content: tuple[_Block, ...]
    usage: _Counted
    stop_reason: str | None = None


_decode_reply = msgspec.json.Decoder(_Reply).decode


def read_text(body: bytes, *, model: str, prices: Prices, unknown: Usage) -> tuple[str, Usage]:
    """Return the text in the body of a successful answer, and what it cost.

    Raises:
        JudgeFailed: refusal, truncated, or nonsense.

    """
    try:
        reply = _decode_reply(body)
    except (msgspec.DecodeError, UnicodeDecodeError) as exc:
        raise failed("nonsense", f"{model} sent something that is not an answer", unknown) from exc
    usage = _price(reply.usage, prices)
    match reply.stop_reason:
        case "refusal":
            raise failed("refusal", f"{model} declined to judge this", usage)
        case "max_tokens" | "model_context_window_exceeded":
            raise failed("truncated", f"{model} was cut off before the end of its answer", usage)
        case _:
            pass
    return "".join(block.text for block in reply.content if block.type == "text"), usage


def object_in(text: str) -> str:
    """Return the JSON object in a text: a gateway that ignores the schema may put prose or a code fence around it."""
    return text[text.find("{") : text.rfind("}") + 1]


def failed(kind: Literal["refusal", "truncated", "nonsense"], message: str, usage: Usage) -> JudgeFailed:
    """Return the error that says why there is no answer, and what it cost all the same."""
    return JudgeFailed(
        kind,
        message,
        hint=_HINTS[kind],
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cost_usd=usage.cost_usd,
    )


def _price(counted: _Counted, prices: Prices) -> Usage:
    asked = counted.input_tokens + (counted.cache_creation_input_tokens or 0) + (counted.cache_read_input_tokens or 0)
    return prices.usage(max(asked, 0), max(counted.output_tokens, 0))
