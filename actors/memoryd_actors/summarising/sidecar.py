"""Summarises by a model where that is possible in time and within budget, and by quoting otherwise, saying why."""

from collections.abc import Sequence
from typing import Annotated

import msgspec
from anyio import to_thread

from memoryd_actors.model.model import Model
from memoryd_actors.model.question import ModelFailed
from memoryd_actors.ports.token_counter import TokenCounter
from memoryd_actors.redaction import Rules, redact
from memoryd_actors.redaction.rules import DEFAULT
from memoryd_actors.summarising.local import LONGEST_TITLE, MOST_TAGS, LocalSummariser, count
from memoryd_actors.summarising.question import Assignment, WrittenSummary, about, parts
from memoryd_actors.summarising.summary import Purpose, Spoken, Summary
from memoryd_actors.texts.fence import one_line
from memoryd_actors.texts.hidden import mentioned, strip_hidden
from memoryd_client.wire.status import ComponentStatus

LONGEST_POINT = 400
LONGEST_FIELD = 200


class SummarySettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How long conversations are told shortly."""

    model: bool = True
    """Whether the model writes summaries where a key is configured; the conversation is sent to it then."""
    deadline_s: Annotated[float, msgspec.Meta(gt=0)] = 60.0
    """For one call, in seconds; nobody waits for it."""


class SummarySidecar:
    """A summariser that always answers; see `Summariser`."""

    def __init__(
        self,
        model: Model | None,
        local: LocalSummariser,
        tokens: TokenCounter,
        *,
        rules: Rules = DEFAULT,
        why_off: str = "no model configured",
        deadline_s: float = 60.0,
    ) -> None:
        self._model = model
        self._local = local
        self._tokens = tokens
        self._rules = rules
        self._why_off = why_off
        self._deadline_s = deadline_s
        self._written = self._quoted = 0

    async def summarise(
        self,
        said: Sequence[Spoken],
        *,
        budget_tokens: int,
        purpose: Purpose = "compaction",
        earlier: str = "",
        focus: str = "",
    ) -> Summary:
        """Return the model's summary, or a quoting one with a note why; see the port."""
        note = ""
        if self._model is not None:
            try:
                written = await self._write(self._model, said, Assignment((), earlier, budget_tokens, purpose, focus))
            except ModelFailed as failed:
                note = str(failed)
            else:
                if written is not None:
                    self._written += 1
                    return await self._checked(written, self._model.name, budget_tokens)
        quoted = await self._local.summarise(
            said, budget_tokens=budget_tokens, purpose=purpose, earlier=earlier, focus=focus
        )
        self._quoted += 1
        return msgspec.structs.replace(quoted, note=note)

    async def quote_instead(self, said: Sequence[Spoken], *, budget_tokens: int, purpose: Purpose) -> Summary:
        """Return a quoting summary in the place of one of a model that is of no use, and count it as that."""
        self._written -= 1
        self._quoted += 1
        return await self._local.summarise(said, budget_tokens=budget_tokens, purpose=purpose)

    def status(self) -> ComponentStatus:
        """Return who writes summaries now, how many, and what is wrong where they are quoted although there is a model.

        Without one all is well: what is told is told in the conversation's own words.
        """
        numbers = {"by_model": float(self._written), "quoted": float(self._quoted)}
        model = self._model
        if model is None:
            return ComponentStatus(
                state="ok", message="", numbers=numbers, facts={"by": "extracted", "why": self._why_off}
            )
        if (trouble := model.trouble) is None:
            return ComponentStatus(state="ok", numbers=numbers, facts={"by": model.name})
        return ComponentStatus(
            state="degraded",
            message=f"conversations are quoted, not written up by the model: {trouble}",
            hint=trouble.hint,
            numbers=numbers,
            facts={"by": "extracted"},
        )

    async def _write(self, model: Model, said: Sequence[Spoken], whole: Assignment) -> WrittenSummary | None:
        """Have all parts written, each on the summary of those before; None where nothing was said."""
        written: WrittenSummary | None = None
        earlier = whole.earlier
        # In a thread: ten thousand messages are looked through for what is hidden in them.
        for part in await to_thread.run_sync(parts, said):
            assignment = msgspec.structs.replace(whole, said=part, earlier=earlier)
            written = (await model.ask(about(assignment, self._rules, deadline_s=self._deadline_s))).value
            earlier = "\n".join(f"- {point}" for point in written.points)
        return written

    async def _checked(self, written: WrittenSummary, by: str, budget_tokens: int) -> Summary:
        """Return what a model wrote in lines without secrets, markup of our own and more tokens than allowed."""
        lines = [self._clean(point, LONGEST_POINT).lstrip("-*• ") for point in written.points]
        lines = [line for line in dict.fromkeys(lines) if line]
        costs = await count(self._tokens, [f"- {line}" for line in lines])
        while len(lines) > 1 and sum(costs) > budget_tokens:
            # What came last is what the model thought of last.
            lines.pop()
            costs.pop()
        return Summary(
            text="\n".join(f"- {line}" for line in lines),
            by=by,
            title=self._clean(written.title, LONGEST_TITLE),
            topic=self._clean(written.topic, LONGEST_FIELD),
            outcome=self._clean(written.outcome, LONGEST_FIELD),
            tags=tuple(filter(None, (self._clean(tag, 40).casefold() for tag in written.tags)))[:MOST_TAGS],
            points=tuple(lines),
        )

    def _clean(self, text: str, longest: int) -> str:
        return mentioned(one_line(redact(strip_hidden(text), self._rules).text, longest))
