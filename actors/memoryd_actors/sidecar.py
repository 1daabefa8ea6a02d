"""The sidecar: asks the remote judge where that is possible in time and within budget, and the local one otherwise.

Everything that can go wrong with a service far away ends here: a deadline for every call, a circuit breaker, a daily
budget. The pipeline always gets a judgement; why it came from the stand-in is in its note, in status and, once per
change of state, in a warning.
"""

from dataclasses import dataclass, replace
from typing import Protocol

import anyio

from memoryd_actors.breaker import Breaker, Permit
from memoryd_actors.budget import Limits, Prices, Usage, estimate, left, objection, spent, today
from memoryd_actors.errors import Refused
from memoryd_actors.ports import Case, Clock, Judge, JudgeFailed, Judgement, Publisher, Spending
from memoryd_client.messages import ComponentStatus, Warned

_BOOKKEEPING_SHARE = 0.1
"""Of the deadline, kept back for writing down what a call cost."""
_LASTING = frozenset({"auth", "model"})
"""Failures that another try does not mend: the breaker opens at once."""
_ANSWERED = frozenset({"refusal"})
"""Failures that say nothing about the service's health."""

_NOTHING = Usage()


class SpendingBook(Protocol):
    """Where spending survives a restart; the ledger is one."""

    async def spending(self, day: str) -> Spending:
        """Return what was spent that day."""
        ...

    async def spend(self, spending: Spending) -> None:
        """Add to that day's spending."""
        ...


@dataclass(frozen=True, slots=True)
class SidecarStatistics:
    """Counts since the start. A call fails or is answered; every judgement the remote did not give is a stand-in."""

    calls: int = 0
    failures: int = 0
    stand_ins: int = 0


@dataclass(frozen=True, slots=True)
class _Trouble:
    """Why the remote judge does not answer."""

    kind: str
    """A failure's kind, or: breaker, budget, ledger."""
    message: str
    hint: str = ""
    usage: Usage = _NOTHING


class Sidecar:
    """A judge that always answers, within the deadline.

    Sessions do not wait for each other: nothing is held across the remote call but a reservation in the budget.
    """

    def __init__(
        self,
        remote: Judge | None,
        local: Judge,
        *,
        book: SpendingBook,
        clock: Clock,
        publish: Publisher,
        breaker: Breaker = Breaker(),  # noqa: B008 - frozen
        limits: Limits = Limits(),  # noqa: B008 - frozen
        prices: Prices = Prices(),  # noqa: B008 - frozen
        why_off: str = "no key configured",
        deadline_s: float = 4.0,
    ) -> None:
        self._remote = remote
        self._local = local
        self._book = book
        self._clock = clock
        self._publish = publish
        self._breaker = breaker
        self._limits = limits
        self._prices = prices
        self._deadline_s = deadline_s
        self._why_off = why_off
        self._count = SidecarStatistics()
        self._today = Spending(day="")
        self._in_flight = _NOTHING
        self._unsaved: list[Spending] = []
        self._trouble: _Trouble | None = None
        self._last_error: _Trouble | None = None
        self._announced = "ok"

    @property
    def name(self) -> str:
        """The remote model's name, or `local`."""
        return (self._remote or self._local).name

    async def judge(self, case: Case) -> Judgement:
        """Return the remote judge's verdicts, or the local judge's with a note why, within `deadline_s` seconds."""
        if self._remote is None or not case.exhibits:
            return await self._local.judge(case)
        outcome = await self._consult(self._remote, case)
        self._announce()
        if isinstance(outcome, Judgement):
            return outcome
        self._count = replace(self._count, stand_ins=self._count.stand_ins + 1)
        stand_in = await self._local.judge(case)
        return replace(
            stand_in,
            note=outcome.message,
            input_tokens=outcome.usage.input_tokens,
            output_tokens=outcome.usage.output_tokens,
            cost_usd=outcome.usage.cost_usd,
        )

    async def open(self) -> None:
        """Read what was spent today, so that status is right before the first call.

        Raises:
            Refused: the book cannot be read; it is tried again before every call.

        """
        await self._turn_day()

    async def close(self) -> None:
        """Write down what is not yet in the book; what a broken book refuses stays unwritten."""
        await self._save()

    def statistics(self) -> SidecarStatistics:
        """Return the counts so far."""
        return self._count

    def status(self) -> ComponentStatus:
        """Return the sidecar's health: off without a key, degraded while the local judge stands in, ok otherwise."""
        if self._remote is None:
            return ComponentStatus(
                state="off",
                message=f"{self._why_off}: the local judge decides",
                hint="Set ANTHROPIC_API_KEY, or sidecar.api_key in the configuration, to have a model judge.",
            )
        trouble = self._trouble_now()
        day = today(self._clock.now(), known=self._today.day)
        so_far = self._today if self._today.day == day else Spending(day=day)
        tokens, dollars = left(so_far, self._limits)
        numbers = {
            "calls": self._count.calls,
            "failures": self._count.failures,
            "stand_ins": self._count.stand_ins,
            "tokens_today": so_far.input_tokens + so_far.output_tokens,
            "usd_today": so_far.cost_usd,
            "tokens_left_today": tokens,
            "usd_left_today": dollars,
            "rests_for_s": self._breaker.rests_for(self._clock.monotonic()),
        }
        facts = {"judge": self._remote.name, "breaker": self._breaker.phase}
        if self._last_error is not None:
            facts |= {"last_error_kind": self._last_error.kind, "last_error": self._last_error.message}
            facts |= {"last_error_hint": self._last_error.hint} if self._last_error.hint else {}
        if trouble is None:
            return ComponentStatus(state="ok", numbers=numbers, facts=facts)
        message = f"the local judge stands in: {trouble.message}"
        return ComponentStatus(state="degraded", message=message, hint=trouble.hint, numbers=numbers, facts=facts)

    async def _consult(self, remote: Judge, case: Case) -> Judgement | _Trouble:
        """Ask the remote judge; whatever happens, be back within the deadline."""
        # One scope after the other, never nested: where both ran out together nobody could tell which it was.
        begun = anyio.current_time()
        answer_by, back_by = begun + self._deadline_s * (1 - _BOOKKEEPING_SHARE), begun + self._deadline_s
        with anyio.CancelScope(deadline=answer_by) as reading:
            try:
                await self._turn_day()
            except Refused as exc:
                self._trouble = _Trouble("ledger", f"what was spent today cannot be read: {exc}", exc.hint)
                return self._trouble
        if reading.cancelled_caught:
            self._trouble = _Trouble("ledger", "what was spent today could not be read in time")
            return self._trouble
        planned = estimate(case, self._prices)
        if reason := objection(self._today, planned, self._limits, in_flight=self._in_flight):
            return self._over_budget(reason)
        now = self._clock.monotonic()
        self._breaker, permit = self._breaker.admit(now)
        if permit is None:
            return self._resting(now)
        outcome = await self._call(remote, case, planned, permit, answer_by)
        with anyio.CancelScope(deadline=back_by):
            await self._save()
        return outcome

    async def _call(
        self, remote: Judge, case: Case, planned: Usage, permit: Permit, answer_by: float
    ) -> Judgement | _Trouble:
        self._count = replace(self._count, calls=self._count.calls + 1)
        self._in_flight += planned
        judgement: Judgement | None = None
        try:
            with anyio.CancelScope(deadline=answer_by):
                judgement = await remote.judge(case)
        except JudgeFailed as exc:
            usage = Usage(exc.input_tokens, exc.output_tokens, exc.cost_usd)
            return self._failed(permit, _Trouble(exc.kind, str(exc), exc.hint, usage))
        except BaseException:
            # Our caller was cancelled, or this is a bug: a probe must not stay out for ever.
            self._breaker = self._breaker.abandoned(permit, self._clock.monotonic())
            self._charge(planned)
            raise
        finally:
            self._in_flight -= planned
        if judgement is None:
            # Broken off, so nobody says what it cost; that is counted, too.
            message = f"{remote.name} did not answer within {self._deadline_s:g} s"
            hint = "It may be slow or unreachable; sidecar.deadline_s sets how long it may take."
            return self._failed(permit, _Trouble("timeout", message, hint, planned))
        self._answered(permit)
        self._charge(Usage(judgement.input_tokens, judgement.output_tokens, judgement.cost_usd))
        return judgement

    def _answered(self, permit: Permit) -> None:
        self._breaker = self._breaker.succeeded(permit)
        # An answer that was long on its way does not make up for what failed since.
        if self._breaker.phase == "closed":
            self._trouble = None

    def _failed(self, permit: Permit, trouble: _Trouble) -> _Trouble:
        self._count = replace(self._count, failures=self._count.failures + 1)
        self._last_error = trouble
        self._charge(trouble.usage)
        if trouble.kind in _ANSWERED:
            self._answered(permit)
        else:
            now = self._clock.monotonic()
            self._breaker = self._breaker.failed(permit, now, lasting=trouble.kind in _LASTING)
            self._trouble = trouble
        return trouble

    def _over_budget(self, reason: str) -> _Trouble:
        hint = "It begins anew at 00:00 UTC; sidecar.daily_tokens and sidecar.daily_usd set it."
        self._trouble = _Trouble("budget", reason, hint)
        return self._trouble

    def _resting(self, now: float) -> _Trouble:
        last = self._last_error.message if self._last_error else "it failed"
        hint = self._last_error.hint if self._last_error else ""
        if self._breaker.phase == "half-open":
            return _Trouble("breaker", f"another call is trying whether the judge is back; before: {last}", hint)
        return _Trouble("breaker", f"left alone for {self._breaker.rests_for(now):.0f} s more: {last}", hint)

    def _trouble_now(self) -> _Trouble | None:
        """Return why the next call would not be made or the last one failed; None where all is well."""
        if self._trouble is not None and self._trouble.kind == "budget":
            turned = today(self._clock.now(), known=self._today.day) != self._today.day
            return None if turned else self._trouble
        return self._trouble

    def _charge(self, usage: Usage) -> None:
        if usage == _NOTHING:
            return
        self._today = spent(self._today, usage)
        if self._unsaved and self._unsaved[-1].day == self._today.day:
            self._unsaved[-1] = spent(self._unsaved[-1], usage)
        else:
            self._unsaved.append(spent(Spending(day=self._today.day), usage))

    async def _turn_day(self) -> None:
        """Make `_today` today's, from the book. Several calls may do so at once; the first to come back counts."""
        day = today(self._clock.now(), known=self._today.day)
        if day == self._today.day:
            return
        known = await self._book.spending(day)
        if day > self._today.day:
            self._today = replace(known, day=day)

    async def _save(self) -> None:
        """Write what is not yet in the book, each entry once; an entry that may not have arrived is kept."""
        while self._unsaved:
            entry = self._unsaved.pop()
            try:
                await self._book.spend(entry)
            except Refused:
                # It still counts here, and is written with the next call.
                self._unsaved.append(entry)
                return
            except BaseException:
                self._unsaved.append(entry)
                raise

    def _announce(self) -> None:
        trouble = self._trouble_now()
        state = "ok" if trouble is None else "degraded"
        if state == self._announced:
            return
        self._announced = state
        if trouble is None:
            self._publish(Warned(component="sidecar", message=f"{self.name} judges again"))
        else:
            message = f"the local judge stands in: {trouble.message}"
            self._publish(Warned(component="sidecar", message=message, hint=trouble.hint))
