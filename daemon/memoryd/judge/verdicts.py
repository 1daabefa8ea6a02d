"""From the bytes of an answer to a judgement. Nothing in them is believed before it has been looked at."""

import msgspec

from memoryd.judge.replies import failed, object_in, read_text
from memoryd_actors.judging.judge import Judgement, Verdict
from memoryd_actors.memory.budget import Prices, Usage
from memoryd_actors.memory.case import Case, Lookup, LookupKind

_LONGEST_REASON = 200
_LONGEST_QUERY = 200


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
        raise failed("nonsense", f"none of the {len(answer.verdicts)} verdicts of {model} fits a candidate", usage)
    return Judgement(
        verdicts=verdicts,
        judge=model,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cost_usd=usage.cost_usd,
        wanted=_wanted(answer.lookups, case),
    )


def _answer(text: str, model: str, usage: Usage) -> _Answer:
    try:
        return _decode_answer(object_in(text))
    except msgspec.DecodeError as exc:
        raise failed("nonsense", f"{model} answered without verdicts", usage) from exc


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
