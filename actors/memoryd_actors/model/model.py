"""A model that is asked within its deadline, its budget and what its breaker allows.

Everything that can go wrong with a service far away ends here, as one exception that says what and why; it is in status
and, once per change of state, in a warning. Sessions do not wait for each other: nothing is held across a call but a
reservation in the budget.
"""

from collections.abc import Mapping
from typing import Final, TypeVar

import anyio
import msgspec
from anyio import to_thread

from memoryd_actors.core.errors import Refused
from memoryd_actors.memory.budget import Prices, Usage
from memoryd_actors.model.account import Account
from memoryd_actors.model.breaker import Breaker, Permit
from memoryd_actors.model.provider import BatchProvider, Completion, Provider
from memoryd_actors.model.question import ModelAnswer, ModelFailed, Prompt, Question, Unusable, bounded
from memoryd_actors.ports.clock import Clock
from memoryd_actors.ports.publisher import Publisher
from memoryd_client.wire.events import Warned

A = TypeVar("A")
BATCH_PRICE: Final = 0.5
"""What a batch costs, of the price of plain calls."""
_BOOKKEEPING_SHARE = 0.1
"""Of the deadline, kept back for writing down what a call cost."""
_LASTING = frozenset({"auth", "model"})
"""Failures that another try does not mend: the breaker opens at once."""
_ANSWERED = frozenset({"refusal"})
"""Failures that say nothing about the service's health."""
_BUDGET_HINT = "It begins anew at 00:00 UTC; sidecar.daily_tokens and sidecar.daily_usd set it."
_WAIT_HINT = "It may be slow or unreachable; sidecar.deadline_s sets how long the judge may take."
_NONSENSE_HINT = "It may be too small for this, or not the model that is meant; `memoryd model test` tries it."


class ModelCounts(msgspec.Struct):
    """Calls since the start; one fails or is answered."""

    calls: int = 0
    failures: int = 0


class Model:
    """Asks one provider; whoever asks hears an answer or why there is none, within the question's deadline."""

    def __init__(
        self,
        provider: Provider,
        *,
        account: Account,
        clock: Clock,
        publish: Publisher,
        breaker: Breaker = Breaker(),  # noqa: B008 - frozen
        prices: Prices = Prices(),  # noqa: B008 - frozen
    ) -> None:
        self._provider = provider
        self._account = account
        self._clock = clock
        self._publish = publish
        self._prices = prices
        self._half = prices.at(BATCH_PRICE)
        self.breaker = breaker
        self.counts = ModelCounts()
        self.last_error: ModelFailed | None = None
        self._trouble: ModelFailed | None = None
        self._announced = True

    @property
    def name(self) -> str:
        """The model's name."""
        return self._provider.name

    @property
    def account(self) -> Account:
        """What is spent on it."""
        return self._account

    @property
    def takes_batches(self) -> bool:
        """Whether it also answers by and by, at a lower price."""
        return isinstance(self._provider, BatchProvider)

    @property
    def trouble(self) -> ModelFailed | None:
        """Why the next call would not be made or the last one failed; None where all is well."""
        if self._trouble is not None and self._trouble.kind == "budget" and self._account.day_is_over:
            return None
        return self._trouble

    @property
    def rests_for_s(self) -> float:
        """How many seconds it is left alone, after it failed several times in a row."""
        return self.breaker.rests_for(self._clock.monotonic())

    async def open(self) -> None:
        """Read what was spent today, so that status is right before the first call.

        Raises:
            Refused: the repository cannot be read; it is tried again before every call.
        """
        await self._account.turn_day()

    async def prepare(self) -> None:
        """Do ahead what the first call would otherwise have to wait for.

        Raises:
            ModelFailed: it cannot be used.
        """
        await self._provider.prepare()

    async def close(self) -> None:
        """Write down what is not stored yet, what a broken ledger refuses excepted, and close the connections."""
        await self._account.save()
        await self._provider.aclose()

    async def ask(self, question: Question[A]) -> ModelAnswer[A]:
        """Return the model's answer.

        Raises:
            ModelFailed: there is none; with its kind, what to do about it and what it cost.
        """
        begun = anyio.current_time()
        # One scope after the other, never nested: where both ran out together nobody could tell which it was.
        answer_by = begun + question.deadline_s * (1 - _BOOKKEEPING_SHARE)
        try:
            await self._turn_day(answer_by)
            prompt = await self._composed(question, answer_by)
            planned = self._plan(prompt)
            answer = await self._call(question, prompt, planned, self._permit(), answer_by)
        except ModelFailed as failed:
            if failed.kind in {"budget", "ledger"} and not question.hurried:
                self._trouble = failed
            raise
        finally:
            with anyio.CancelScope(deadline=begun + question.deadline_s):
                await self._account.save()
            self._announce()
        return answer

    # --- batches

    async def submit(self, questions: Mapping[str, Question[A]], *, deadline_s: float) -> tuple[str, int]:
        """Hand questions in, as many as the budget allows; return the batch's id and how many.

        Raises:
            ModelFailed: they were not taken, or the budget does not allow the first.
        """
        provider = self._batches()
        await self._account.turn_day()
        answer_by = anyio.current_time() + deadline_s
        prompts: dict[str, Prompt] = {}
        planned = Usage()
        for name, question in questions.items():
            prompt = await self._composed(question, answer_by)
            more = planned + self._half.usage(prompt.asked_tokens, prompt.answer_tokens)
            if reason := self._account.objection(more):
                if prompts:
                    break
                raise ModelFailed("budget", reason, hint=_BUDGET_HINT)
            prompts[name] = prompt
            planned = more
        batch: str | None = None
        with self._account.reserved(planned), anyio.CancelScope(deadline=answer_by):
            batch = await provider.submit(prompts)
        if batch is None:
            raise ModelFailed("timeout", f"{self.name} did not take a batch within {deadline_s:g} s")
        # What it costs is known when it is fetched, which may be tomorrow.
        self._account.hold(batch, planned)
        return batch, len(prompts)

    def expect(self, batch: str, *, asked_tokens: int, answer_tokens: int) -> None:
        """Hear after a start that a batch is out: so much is kept for it."""
        self._account.hold(batch, self._half.usage(asked_tokens, answer_tokens))

    async def fetch(
        self, batch: str, questions: Mapping[str, Question[A]], *, deadline_s: float
    ) -> dict[str, ModelAnswer[A] | ModelFailed] | None:
        """Return what came of a batch, each to be charged when it is used; None as long as nobody knows.

        Raises:
            ModelFailed: nobody can say; of kind `model` where there is no such batch.
        """
        said: Mapping[str, Completion | ModelFailed] | None = None
        try:
            with anyio.CancelScope(deadline=anyio.current_time() + deadline_s):
                said = await self._batches().fetch(batch)
        except ModelFailed as failed:
            if failed.kind == "model":
                self._account.free(batch)
            raise
        if said is None:
            return None
        self._account.free(batch)
        found: dict[str, ModelAnswer[A] | ModelFailed] = {}
        for name, question in questions.items():
            if name not in said:
                continue
            one = said[name]
            try:
                prompt = await self._composed(question, anyio.current_time() + deadline_s)
                planned = self._half.usage(prompt.asked_tokens, prompt.answer_tokens)
                if isinstance(one, ModelFailed):
                    raise self._priced(one, planned, self._half)
                found[name] = self._read(question, one, self._used(one.tokens, planned, self._half))
            except ModelFailed as failed:
                found[name] = failed
        return found

    async def charge(self, usage: Usage) -> None:
        """Count what a part of a batch has cost."""
        self._account.charge(usage)
        await self._account.save()

    # --- one call

    async def _turn_day(self, answer_by: float) -> None:
        with anyio.CancelScope(deadline=answer_by) as reading:
            try:
                await self._account.turn_day()
            except Refused as exc:
                raise ModelFailed("ledger", f"what was spent today cannot be read: {exc}", hint=exc.hint) from exc
        if reading.cancelled_caught:
            raise ModelFailed("ledger", "what was spent today could not be read in time")

    async def _composed(self, question: Question[A], answer_by: float) -> Prompt:
        prompt: Prompt | None = None
        with anyio.CancelScope(deadline=answer_by):
            # In a thread: every text is searched for secrets once more.
            prompt = await to_thread.run_sync(question.compose, abandon_on_cancel=True)
        if prompt is None:
            raise ModelFailed("time", "there was no time for a call")
        return prompt

    def _plan(self, prompt: Prompt) -> Usage:
        planned = self._prices.usage(prompt.asked_tokens, prompt.answer_tokens)
        if reason := self._account.objection(planned):
            raise ModelFailed("budget", reason, hint=_BUDGET_HINT)
        return planned

    def _permit(self) -> Permit:
        now = self._clock.monotonic()
        self.breaker, permit = self.breaker.admit(now)
        if permit is not None:
            return permit
        last = str(self.last_error or "it failed")
        hint = self.last_error.hint if self.last_error else ""
        if self.breaker.phase == "half-open":
            raise ModelFailed("breaker", f"another call is trying whether the model is back; before: {last}", hint=hint)
        raise ModelFailed("breaker", f"left alone for {self.breaker.rests_for(now):.0f} s more: {last}", hint=hint)

    async def _call(
        self, question: Question[A], prompt: Prompt, planned: Usage, permit: Permit, answer_by: float
    ) -> ModelAnswer[A]:
        self.counts.calls += 1
        said: Completion | None = None
        try:
            with self._account.reserved(planned), anyio.CancelScope(deadline=answer_by):
                said = await self._provider.say(prompt, deadline_s=question.deadline_s)
            if said is None:
                # Broken off, so nobody says what it cost; that is counted, too.
                message = f"{self.name} did not answer within {question.deadline_s:g} s"
                raise ModelFailed("timeout", message, hint=_WAIT_HINT, tokens=None)
            answer = self._read(question, said, self._used(said.tokens, planned, self._prices))
        except ModelFailed as failed:
            if not failed.usage.tokens:
                self._priced(failed, planned, self._prices)
            self._failed(failed, question, permit)
            raise
        except BaseException:
            # Whoever asked was cancelled, or this is a bug: a probe must not stay out for ever.
            self.breaker = self.breaker.abandoned(permit, self._clock.monotonic())
            self._account.charge(planned)
            raise
        self._answered(permit)
        self._account.charge(answer.usage)
        return answer

    def _read(self, question: Question[A], said: Completion, usage: Usage) -> ModelAnswer[A]:
        try:
            return ModelAnswer(question.read(said.text), usage)
        except Unusable as unusable:
            failed = ModelFailed("nonsense", f"{self.name} {unusable}", hint=_NONSENSE_HINT)
            failed.usage = usage
            raise failed from unusable

    @staticmethod
    def _used(tokens: tuple[int, int] | None, planned: Usage, prices: Prices) -> Usage:
        return planned if tokens is None else prices.usage(bounded(tokens[0]), bounded(tokens[1]))

    def _priced(self, failed: ModelFailed, planned: Usage, prices: Prices) -> ModelFailed:
        failed.usage = self._used(failed.tokens, planned, prices)
        return failed

    def _answered(self, permit: Permit) -> None:
        self.breaker = self.breaker.succeeded(permit)
        # An answer that was long on its way does not make up for what failed since.
        if self.breaker.phase == "closed":
            self._trouble = None

    def _failed(self, failed: ModelFailed, question: Question[A], permit: Permit) -> None:
        if failed.kind == "truncated" and not failed.hint:
            failed.hint = question.advice
        self.counts.failures += 1
        self.last_error = failed
        self._account.charge(failed.usage)
        now = self._clock.monotonic()
        if failed.kind in _ANSWERED:
            self._answered(permit)
        elif question.hurried and failed.kind == "timeout":
            # It had what an earlier call left of the deadline, which says nothing about the service.
            self.breaker = self.breaker.abandoned(permit, now)
        else:
            self.breaker = self.breaker.failed(permit, now, lasting=failed.kind in _LASTING)
            # After a call that was answered nobody has to stand in yet.
            if not question.hurried or self.breaker.phase != "closed":
                self._trouble = failed

    def _batches(self) -> BatchProvider:
        if not isinstance(self._provider, BatchProvider):
            raise ModelFailed("request", f"{self.name} takes no batches")
        return self._provider

    # --- what is told

    def _announce(self) -> None:
        trouble = self.trouble
        if self._announced == (trouble is None):
            return
        self._announced = trouble is None
        if trouble is None:
            self._publish(Warned(component="sidecar", message=f"{self.name} answers again"))
        else:
            message = f"the local judge stands in: {trouble}"
            self._publish(Warned(component="sidecar", message=message, hint=trouble.hint))
