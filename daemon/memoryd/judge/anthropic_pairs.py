"""Classifies pairs of memories through Anthropic's Messages API, with the judge's SDK and connections."""

from collections.abc import Sequence

import anyio
import anyio.to_thread
import msgspec

from memoryd.config import SidecarConfig
from memoryd.judge.anthropic_judge import AnthropicJudge
from memoryd.judge.pair_prompt import SCHEMA, SYSTEM, answer_tokens, question
from memoryd.judge.verdicts import read_text
from memoryd_actors.comparison import Comparison, Relation
from memoryd_actors.judging.budget import Prices, Usage, estimate
from memoryd_actors.judging.judge import JudgeFailed
from memoryd_actors.judging.pair_judge import Classified, Pair
from memoryd_actors.judging.pair_sidecar import planned
from memoryd_actors.redaction import Rules
from memoryd_actors.redaction.rules import DEFAULT

_LONGEST_REASON = 200
_HINT = "Check that sidecar.base_url is a Messages API and that sidecar.model can answer by a JSON schema."


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

    def __init__(self, judge: AnthropicJudge, config: SidecarConfig, rules: Rules = DEFAULT) -> None:
        self._judge = judge
        self._rules = rules
        self._base_url = config.base_url
        self._prices = Prices(
            input_usd_per_million=config.input_usd_per_million, output_usd_per_million=config.output_usd_per_million
        )

    @property
    def name(self) -> str:
        """The model's name."""
        return self._judge.name

    async def classify(self, pairs: Sequence[Pair]) -> Classified:
        """Ask the model what each pair is.

        Raises:
            JudgeFailed: there is no usable answer; with its kind, what to do about it and what it cost.

        """
        client = await self._judge.prepare()
        # Not at the top: it comes with the SDK, which is loaded by now.
        from memoryd.judge.failures import translated

        unknown = estimate(planned(pairs), self._prices)
        # In a thread: every text is searched for secrets once more.
        content = await anyio.to_thread.run_sync(question, pairs, self._rules, abandon_on_cancel=True)
        with translated(self.name, self._base_url, unknown):
            response = await client.messages.with_raw_response.create(
                model=self.name,
                max_tokens=answer_tokens(pairs),
                system=SYSTEM,
                messages=[{"role": "user", "content": content}],
                thinking={"type": "disabled"},
                output_config={"effort": "low", "format": {"type": "json_schema", "schema": SCHEMA}},
            )
        body = response.http_response.content
        text, usage = read_text(body, model=self.name, prices=self._prices, unknown=unknown)
        return Classified(
            comparisons=_comparisons(text, len(pairs), self.name, usage),
            judge=self.name,
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            cost_usd=usage.cost_usd,
        )


def _comparisons(text: str, count: int, model: str, usage: Usage) -> tuple[Comparison | None, ...]:
    """Return what the answer says of each pair; of two on the same one the first counts."""
    # A gateway that ignores the schema may put prose or a code fence around the object.
    begin, end = text.find("{"), text.rfind("}")
    try:
        given = _decode_answer(text[begin : end + 1]).pairs
    except msgspec.DecodeError as exc:
        raise _nonsense(f"{model} answered without pairs", usage) from exc
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
        raise _nonsense(f"nothing in the answer of {model} fits a pair", usage)
    return tuple(found.get(index) for index in range(count))


def _nonsense(message: str, usage: Usage) -> JudgeFailed:
    return JudgeFailed(
        "nonsense",
        message,
        hint=_HINT,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cost_usd=usage.cost_usd,
    )
