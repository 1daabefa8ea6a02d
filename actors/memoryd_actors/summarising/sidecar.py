"""Summarises by a model where that is possible in time and within budget, and by quoting otherwise, saying why.

Deadline, breaker, budget and status are the sidecar's own: to it a part of a conversation is a case.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

import msgspec
from anyio import to_thread

from memoryd_actors.judging.account import Account
from memoryd_actors.judging.breaker import Breaker
from memoryd_actors.judging.judge import Judgement
from memoryd_actors.judging.sidecar import Sidecar
from memoryd_actors.memory.budget import Prices
from memoryd_actors.memory.case import Case
from memoryd_actors.ports.clock import Clock
from memoryd_actors.ports.publisher import Publisher
from memoryd_actors.ports.token_counter import TokenCounter
from memoryd_actors.redaction import Rules, redact
from memoryd_actors.redaction.rules import DEFAULT
from memoryd_actors.summarising.local import LONGEST_TITLE, MOST_TAGS, LocalSummariser, count
from memoryd_actors.summarising.remote import Assignment, Author, Docket, Outcome, Written, parts, planned
from memoryd_actors.summarising.summary import Purpose, Said, Summary
from memoryd_actors.texts.fence import one_line
from memoryd_actors.texts.hidden import strip_hidden
from memoryd_client.wire.events import Event, Warned
from memoryd_client.wire.status import ComponentStatus

LONGEST_POINT = 400
LONGEST_FIELD = 200
_JUDGING = "the local judge stands in"
_QUOTING = "conversations are quoted, not written up by the model"


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
        remote: Author | None,
        local: LocalSummariser,
        tokens: TokenCounter,
        *,
        account: Account,
        clock: Clock,
        publish: Publisher,
        rules: Rules = DEFAULT,
        breaker: Breaker = Breaker(),  # noqa: B008 - frozen
        prices: Prices = Prices(),  # noqa: B008 - frozen
        why_off: str = "no key configured",
        deadline_s: float = 60.0,
    ) -> None:
        self._local = local
        self._tokens = tokens
        self._rules = rules
        self._publish = publish
        self._remote = remote
        self._why_off = why_off
        self._written = self._quoted = 0
        self._sidecar = Sidecar(
            _Remote(remote) if remote else None,
            _Nobody(),
            account=account,
            clock=clock,
            publish=self._announce,
            breaker=breaker,
            prices=prices,
            why_off=why_off,
            deadline_s=deadline_s,
        )

    @property
    def quoting(self) -> LocalSummariser:
        """The one that quotes, for whoever cannot use what the model wrote."""
        return self._local

    async def summarise(
        self, said: Sequence[Said], *, budget_tokens: int, purpose: Purpose = "compaction", earlier: str = ""
    ) -> Summary:
        """Return the model's summary, or a quoting one with a note why; see the port."""
        note = ""
        if self._remote is not None:
            written, note = await self._write(said, budget_tokens, purpose, earlier)
            if written is not None:
                self._written += 1
                return await self._checked(written, budget_tokens)
        quoted = await self._local.summarise(said, budget_tokens=budget_tokens, purpose=purpose, earlier=earlier)
        self._quoted += 1
        return replace(quoted, note=note)

    async def open(self) -> None:
        """Read what was spent today.

        Raises:
            Refused: the book cannot be read; it is tried again before every call.

        """
        await self._sidecar.open()

    async def close(self) -> None:
        """Write down what is not yet in the book."""
        await self._sidecar.close()

    def status(self) -> ComponentStatus:
        """Return who writes summaries now, how many, and what is wrong where they are quoted although there is a key.

        Without a key all is well: what is told is told in the conversation's own words.
        """
        numbers = {"by_model": float(self._written), "quoted": float(self._quoted)}
        if self._remote is None:
            return ComponentStatus(
                state="ok", message="", numbers=numbers, facts={"by": "extracted", "why": self._why_off}
            )
        said = self._sidecar.status()
        return ComponentStatus(
            state=said.state,
            message=said.message.replace(_JUDGING, _QUOTING),
            hint=said.hint,
            numbers={**numbers, "calls": said.numbers["calls"], "failures": said.numbers["failures"]},
            facts={**said.facts, "by": self._remote.name if said.state == "ok" else "extracted"},
        )

    async def _write(
        self, said: Sequence[Said], budget_tokens: int, purpose: Purpose, earlier: str
    ) -> tuple[Written | None, str]:
        """Have all parts written, each on the summary of those before; None and why where one of them fails."""
        told: Written | None = None
        # In a thread: ten thousand messages are looked through for what is hidden in them.
        for part in await to_thread.run_sync(parts, said):
            assignment = Assignment(part, earlier, budget_tokens, purpose)
            judgement = await self._sidecar.judge(planned(assignment))
            told = judgement.written if isinstance(judgement, Outcome) else None
            if told is None:
                return None, judgement.note
            earlier = "\n".join(f"- {point}" for point in told.points)
        return told, ""

    async def _checked(self, written: Written, budget_tokens: int) -> Summary:
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
            by=written.model,
            title=self._clean(written.title, LONGEST_TITLE),
            topic=self._clean(written.topic, LONGEST_FIELD),
            outcome=self._clean(written.outcome, LONGEST_FIELD),
            tags=tuple(filter(None, (self._clean(tag, 40).casefold() for tag in written.tags)))[:MOST_TAGS],
            points=tuple(lines),
        )

    def _clean(self, text: str, longest: int) -> str:
        return one_line(redact(strip_hidden(text), self._rules).text, longest)

    def _announce(self, event: Event, /) -> None:
        if isinstance(event, Warned):
            message = event.message.replace(_JUDGING, _QUOTING).replace("judges again", "writes summaries again")
            event = Warned(component="summaries", message=message, hint=event.hint)
        self._publish(event)


class _Remote:
    """An author as the sidecar calls it."""

    def __init__(self, author: Author) -> None:
        self._author = author

    @property
    def name(self) -> str:
        return self._author.name

    async def judge(self, case: Case) -> Judgement:
        if not isinstance(case, Docket) or case.assignment is None:
            raise TypeError("an author is asked for a part of a conversation")
        written = await self._author.write(case.assignment)
        return Outcome(
            verdicts=(),
            judge=written.model,
            input_tokens=written.input_tokens,
            output_tokens=written.output_tokens,
            cost_usd=written.cost_usd,
            written=written,
        )


class _Nobody:
    """Writes nothing: what cannot be written is quoted afterwards, all of it."""

    name = "local"

    async def judge(self, case: Case) -> Judgement:
        del case
        return Outcome(verdicts=(), judge=self.name)
