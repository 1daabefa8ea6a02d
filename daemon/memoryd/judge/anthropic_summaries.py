"""Writes summaries through Anthropic's Messages API, with the judge's SDK and connections."""

import msgspec

from memoryd.judge.anthropic_judge import AnthropicJudge
from memoryd.judge.prompt import Asked
from memoryd.judge.replies import failed, object_in, read_text
from memoryd.judge.summary_prompt import SCHEMA, conversation, instructions
from memoryd_actors.judging.judge import JudgeFailed
from memoryd_actors.memory.budget import Usage, estimate
from memoryd_actors.redaction import Rules
from memoryd_actors.redaction.rules import DEFAULT
from memoryd_actors.summarising.remote import Assignment, Written, answer_tokens, planned


class _Answer(msgspec.Struct, frozen=True):
    points: tuple[str, ...]
    title: str = ""
    topic: str = ""
    outcome: str = ""
    tags: tuple[str, ...] = ()


_decode_answer = msgspec.json.Decoder(_Answer).decode


class AnthropicSummaries:
    """One call for a part of a conversation; see `Author`."""

    def __init__(self, judge: AnthropicJudge, rules: Rules = DEFAULT, *, deadline_s: float = 60.0) -> None:
        self._judge = judge
        self._rules = rules
        self._deadline_s = deadline_s

    @property
    def name(self) -> str:
        """The model's name."""
        return self._judge.name

    async def write(self, assignment: Assignment) -> Written:
        """Ask the model for a summary.

        Raises:
            JudgeFailed: there is no usable answer; with its kind, what to do about it and what it cost.

        """
        unknown = estimate(planned(assignment), self._judge.prices)

        def question() -> Asked:
            content = conversation(assignment, self._rules)
            return Asked(instructions(assignment), content, SCHEMA, answer_tokens(assignment))

        body = await self._judge.ask(question, unknown, timeout_s=self._deadline_s)
        try:
            text, usage = read_text(body, model=self.name, prices=self._judge.prices, unknown=unknown)
        except JudgeFailed as no_answer:
            if no_answer.kind == "truncated":
                no_answer.hint = ""
            raise
        return _written(text, self.name, usage)


def _written(text: str, model: str, usage: Usage) -> Written:
    try:
        answer = _decode_answer(object_in(text))
    except msgspec.DecodeError as exc:
        raise failed("nonsense", f"{model} answered without points", usage) from exc
    points = tuple(point for point in answer.points if any(char.isalpha() for char in point))
    if not points:
        raise failed("nonsense", f"{model} had nothing to say about a conversation", usage)
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
