"""From the bytes of an answer to a judgement. Nothing in them is believed before it has been looked at."""

from typing import Literal

import msgspec

from memoryd_actors.judging.budget import Prices, Usage
from memoryd_actors.judging.case import Case, Lookup, LookupKind
from memoryd_actors.judging.judge import JudgeFailed, Judgement, Verdict

_LONGEST_REASON = 200
_LONGEST_QUERY = 200
_HINTS = {
    "refusal": "",
    "truncated": "Fewer candidates (recall.judged) make shorter answers.",
    "nonsense": "Check that sidecar.base_url is a Messages API and that sidecar.model can answer by a JSON schema.",
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


class _Answer(msgspec.Struct, frozen=True):
    verdicts: tuple[msgspec.Raw, ...]
    lookups: tuple[msgspec.Raw, ...] = ()


class _Given(msgspec.Struct, frozen=True):
    index: int
    relevant: bool
    actionable: bool
    score: float
    reason: str


class _Wanted(msgspec.Struct, frozen=True):
    kind: str
    index: int = -1
    query: str = ""


_KINDS: dict[str, LookupKind] = {"source": "source", "session_search": "session_search"}
_decode_reply = msgspec.json.Decoder(_Reply).decode
_decode_answer = msgspec.json.Decoder(_Answer).decode
# Not strict: "TRUE", "3" and 0.0 mean what they say.
_decode_given = msgspec.json.Decoder(_Given, strict=False).decode
_decode_wanted = msgspec.json.Decoder(_Wanted, strict=False).decode


def read_reply(body: bytes, case: Case, *, model: str, prices: Prices, unknown: Usage) -> Judgement:
    """Return the judgement in the body of a successful answer.

    Verdicts with an index that no exhibit has, or with a missing field, are skipped; of two on the same exhibit the
    first counts; scores are clamped to 0..1. Of the look-ups those count that can be made, as many as the case allows.
    `unknown` is the usage of an answer that does not tell its own.

    Raises:
        JudgeFailed: refusal, truncated, or nonsense; with what it cost.

    """
    text, usage = read_text(body, model=model, prices=prices, unknown=unknown)
    answer = _answer(text, model, usage)
    verdicts = _checked(answer.verdicts, len(case.exhibits))
    if answer.verdicts and not verdicts:
        raise _failed("nonsense", f"none of the {len(answer.verdicts)} verdicts of {model} fits a candidate", usage)
    return Judgement(
        verdicts=verdicts,
        judge=model,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cost_usd=usage.cost_usd,
        wanted=_wanted(answer.lookups, case),
    )


def read_text(body: bytes, *, model: str, prices: Prices, unknown: Usage) -> tuple[str, Usage]:
    """Return the text in the body of a successful answer, and what it cost.

    Raises:
        JudgeFailed: refusal, truncated, or nonsense.

    """
    try:
        reply = _decode_reply(body)
    except (msgspec.DecodeError, UnicodeDecodeError) as exc:
        raise _failed("nonsense", f"{model} sent something that is not an answer", unknown) from exc
    usage = _price(reply.usage, prices)
    match reply.stop_reason:
        case "refusal":
            raise _failed("refusal", f"{model} declined to judge this", usage)
        case "max_tokens" | "model_context_window_exceeded":
            raise _failed("truncated", f"{model} was cut off before the end of its answer", usage)
        case _:
            pass
    return "".join(block.text for block in reply.content if block.type == "text"), usage


def _answer(text: str, model: str, usage: Usage) -> _Answer:
    # A gateway that ignores the schema may put prose or a code fence around the object.
    begin, end = text.find("{"), text.rfind("}")
    try:
        return _decode_answer(text[begin : end + 1])
    except msgspec.DecodeError as exc:
        raise _failed("nonsense", f"{model} answered without verdicts", usage) from exc


def _checked(given: tuple[msgspec.Raw, ...], exhibits: int) -> tuple[Verdict, ...]:
    found: dict[int, Verdict] = {}
    for raw in given:
        try:
            one = _decode_given(raw)
        except msgspec.DecodeError:
            continue
        if 0 <= one.index < exhibits and one.index not in found:
            reason = " ".join(one.reason.split())[:_LONGEST_REASON]
            score = min(max(one.score, 0.0), 1.0)
            found[one.index] = Verdict(one.index, one.relevant, one.actionable, score, reason)
    return tuple(found[index] for index in sorted(found))


def _wanted(given: tuple[msgspec.Raw, ...], case: Case) -> tuple[Lookup, ...]:
    found: dict[Lookup, None] = {}
    for raw in given:
        try:
            one = _decode_wanted(raw)
        except msgspec.DecodeError:
            continue
        query = " ".join(one.query.split())[:_LONGEST_QUERY]
        known = 0 <= one.index < len(case.exhibits)
        match _KINDS.get(one.kind.strip().lower()):
            case "source" if known:
                found[Lookup("source", one.index)] = None
            case "session_search" if query:
                found[Lookup("session_search", one.index if known else -1, query)] = None
            case _:
                pass
    return tuple(found)[: case.lookups]


def _price(counted: _Counted, prices: Prices) -> Usage:
    asked = counted.input_tokens + (counted.cache_creation_input_tokens or 0) + (counted.cache_read_input_tokens or 0)
    return prices.usage(max(asked, 0), max(counted.output_tokens, 0))


def _failed(kind: Literal["refusal", "truncated", "nonsense"], message: str, usage: Usage) -> JudgeFailed:
    return JudgeFailed(
        kind,
        message,
        hint=_HINTS[kind],
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cost_usd=usage.cost_usd,
    )
