"""Classifies pairs of memories through Anthropic's Messages API, with the judge's SDK and connections."""

from collections.abc import Sequence

import msgspec

from memoryd.judge.anthropic_judge import AnthropicJudge
from memoryd.judge.pair_prompt import SCHEMA, SYSTEM, answer_tokens, question
from memoryd.judge.prompt import Asked
from memoryd.judge.replies import failed, object_in, read_text
from memoryd_actors.comparison import Comparison, Relation
from memoryd_actors.judging.pair_judge import Classified, Pair
from memoryd_actors.judging.pair_sidecar import planned
from memoryd_actors.memory.budget import Usage, estimate
from memoryd_actors.redaction import Rules
from memoryd_actors.redaction.rules import DEFAULT

_LONGEST_REASON = 200


class _Answer(msgspec.Struct, frozen=True):
    pairs: tuple[msgspec.Raw, ...]


class _Given(msgspec.Struct, frozen=True):
    index: int
    relation: Relation
    confidence: float
    reason: str = ""


_decode_answer = msgspec.json.Decoder(_Answer).decode
# Not strict: "3" and "0.9" mean what they say.
_decode_given = msgspec.json.Decoder(_Given, strict=False).decode


class AnthropicPairs:
    """One listwise call for a list of pairs."""

    def __init__(self, judge: AnthropicJudge, rules: Rules = DEFAULT) -> None:
        self._judge = judge
        self._rules = rules

    @property
    def name(self) -> str:
        """The model's name."""
        return self._judge.name

    async def classify(self, pairs: Sequence[Pair]) -> Classified:
        """Ask the model what each pair is.

        Raises:
            JudgeFailed: there is no usable answer; with its kind, what to do about it and what it cost.

        """
        unknown = estimate(planned(pairs), self._judge.prices)
        body = await self._judge.ask(
            lambda: Asked(SYSTEM, question(pairs, self._rules), SCHEMA, answer_tokens(pairs)), unknown
        )
        text, usage = read_text(body, model=self.name, prices=self._judge.prices, unknown=unknown)
        return Classified(
            comparisons=_comparisons(text, len(pairs), self.name, usage),
            judge=self.name,
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            cost_usd=usage.cost_usd,
        )


def _comparisons(text: str, count: int, model: str, usage: Usage) -> tuple[Comparison | None, ...]:
    """Return what the answer says of each pair; of two on the same one the first counts."""
    try:
        given = _decode_answer(object_in(text)).pairs
    except msgspec.DecodeError as exc:
        raise failed("nonsense", f"{model} answered without pairs", usage) from exc
    found: dict[int, Comparison] = {}
    for raw in given:
        try:
            one = _decode_given(raw)
        except msgspec.DecodeError:
            continue
        if 0 <= one.index < count and one.index not in found:
            confidence = min(max(one.confidence, 0.0), 1.0)
            found[one.index] = Comparison(one.relation, confidence, " ".join(one.reason.split())[:_LONGEST_REASON])
    if not found:
        raise failed("nonsense", f"nothing in the answer of {model} fits a pair", usage)
    return tuple(found.get(index) for index in range(count))
