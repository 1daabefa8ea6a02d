"""Writes summaries through Anthropic's Messages API, with the judge's SDK and connections."""

import anyio
import anyio.to_thread
import msgspec

from memoryd.config import SidecarConfig
from memoryd.judge.anthropic_judge import AnthropicJudge
from memoryd.judge.summary_prompt import SCHEMA, conversation, instructions
from memoryd.judge.verdicts import read_text
from memoryd_actors.judging.budget import Prices, Usage, estimate
from memoryd_actors.judging.judge import JudgeFailed
from memoryd_actors.redaction import Rules
from memoryd_actors.redaction.rules import DEFAULT
from memoryd_actors.summarising.remote import Assignment, Written, answer_tokens, planned

_HINT = "Check that sidecar.base_url is a Messages API and that sidecar.model can answer by a JSON schema."


class _Answer(msgspec.Struct, frozen=True):
    points: tuple[str, ...]
    title: str = ""
    topic: str = ""
    outcome: str = ""
    tags: tuple[str, ...] = ()


_decode_answer = msgspec.json.Decoder(_Answer).decode


class AnthropicSummaries:
    """One call for a part of a conversation; see `Author`."""

    def __init__(
        self, judge: AnthropicJudge, config: SidecarConfig, rules: Rules = DEFAULT, *, deadline_s: float = 60.0
    ) -> None:
        self._judge = judge
        self._rules = rules
        self._base_url = config.base_url
        self._deadline_s = deadline_s
        self._prices = Prices(
            input_usd_per_million=config.input_usd_per_million, output_usd_per_million=config.output_usd_per_million
        )

    @property
    def name(self) -> str:
        """The model's name."""
        return self._judge.name

    async def write(self, assignment: Assignment) -> Written:
        """Ask the model for a summary.

        Raises:
            JudgeFailed: there is no usable answer; with its kind, what to do about it and what it cost.

        """
        client = await self._judge.prepare()
        # Not at the top: it comes with the SDK, which is loaded by now.
        from memoryd.judge.failures import translated

        unknown = estimate(planned(assignment), self._prices)
        # In a thread: every text is searched for secrets once more.
        content = await anyio.to_thread.run_sync(conversation, assignment, self._rules, abandon_on_cancel=True)
        with translated(self.name, self._base_url, unknown):
            response = await client.messages.with_raw_response.create(
                model=self.name,
                max_tokens=answer_tokens(assignment),
                system=instructions(assignment),
                messages=[{"role": "user", "content": content}],
                thinking={"type": "disabled"},
                output_config={"effort": "low", "format": {"type": "json_schema", "schema": SCHEMA}},
                # The judge's own is that of a turn; nobody waits here.
                timeout=self._deadline_s,
            )
        try:
            text, usage = read_text(
                response.http_response.content, model=self.name, prices=self._prices, unknown=unknown
            )
        except JudgeFailed as failed:
            if failed.kind == "truncated":
                failed.hint = ""
            raise
        return _written(text, self.name, usage)


def _written(text: str, model: str, usage: Usage) -> Written:
    # A gateway that ignores the schema may put prose or a code fence around the object.
    begin, end = text.find("{"), text.rfind("}")
    try:
        answer = _decode_answer(text[begin : end + 1])
    except msgspec.DecodeError as exc:
        raise _nonsense(f"{model} answered without points", usage) from exc
    points = tuple(point for point in answer.points if any(char.isalpha() for char in point))
    if not points:
        raise _nonsense(f"{model} had nothing to say about a conversation", usage)
    return Written(
        title=answer.title,
        topic=answer.topic,
        outcome=answer.outcome,
        tags=answer.tags,
        points=points,
        model=model,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cost_usd=usage.cost_usd,
    )


def _nonsense(message: str, usage: Usage) -> JudgeFailed:
    return JudgeFailed(
        "nonsense",
        message,
        hint=_HINT,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cost_usd=usage.cost_usd,
    )
