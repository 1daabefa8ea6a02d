"""The sidecar: asks the remote judge where that is possible in time and within budget, and the local one otherwise.

Everything that can go wrong with a service far away ends here: a deadline for every case, a circuit breaker, a daily
budget. The pipeline always gets a judgement; why it came from the stand-in is in its note, in status and, once per
change of state, in a warning.

A case is one call, or two within the same deadline where the judge asks to look something up before it decides. Where
the second cannot be had, what was judged before it holds.
"""

from dataclasses import asdict, dataclass, replace

import anyio

from memoryd_actors.core.errors import Refused
from memoryd_actors.judging.account import Account
from memoryd_actors.judging.breaker import Breaker, Permit
from memoryd_actors.judging.judge import Judge, JudgeFailed, Judgement
from memoryd_actors.judging.lookups import Lookups, look_up
from memoryd_actors.memory.budget import Prices, Usage, estimate
from memoryd_actors.memory.case import Case, Passage
from memoryd_actors.ports.clock import Clock
from memoryd_actors.ports.publisher import Publisher
from memoryd_client.wire.events import Warned
from memoryd_client.wire.status import ComponentStatus

_BOOKKEEPING_SHARE = 0.1
"""Of the deadline, kept back for writing down what a call cost."""
_LASTING = frozenset({"auth", "model"})
"""Failures that another try does not mend: the breaker opens at once."""
_ANSWERED = frozenset({"refusal"})
"""Failures that say nothing about the service's health."""

_NOTHING = Usage()


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowUps:
    """What may follow a first answer."""

    lookups: int = 2
    """Look-ups that the judge may ask for, once; 0: none."""
    lookup_tokens: int = 800
    """Size of what they bring to light, together."""


@dataclass(frozen=True, slots=True)
class SidecarStatistics:
    """Counts since the start. A call fails or is answered; every judgement the remote did not give is a stand-in."""

    calls: int = 0
    failures: int = 0
    stand_ins: int = 0
    lookups: int = 0
    """Look-ups that the judge asked for and got."""
    second_looks: int = 0
    """Cases judged again with what was looked up."""
    skipped: int = 0
    """Second looks that could not be had."""


@dataclass(frozen=True, slots=True)
class _Trouble:
    """Why the remote judge does not answer."""

    kind: str
    """A failure's kind, or: breaker, budget, ledger, time."""
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
        account: Account,
        clock: Clock,
        publish: Publisher,
        breaker: Breaker = Breaker(),  # noqa: B008 - frozen
        prices: Prices = Prices(),  # noqa: B008 - frozen
        follow_ups: FollowUps = FollowUps(),
        lookups: Lookups | None = None,
        why_off: str = "no key configured",
        deadline_s: float = 4.0,
    ) -> None:
        self._remote = remote
        self._local = local
        self._account = account
        self._clock = clock
        self._publish = publish
        self._breaker = breaker
        self._prices = prices
        self._follow_ups = follow_ups
        self._lookups = lookups
        self._deadline_s = deadline_s
        self._why_off = why_off
        self._count = SidecarStatistics()
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
        may_look = self._lookups is not None and case.visible is not None
        outcome = await self._consult(self._remote, replace(case, lookups=self._follow_ups.lookups if may_look else 0))
        self._announce()
        if isinstance(outcome, Judgement):
            return outcome
        self._count = replace(self._count, stand_ins=self._count.stand_ins + 1)
        return _with_usage(replace(await self._local.judge(case), note=outcome.message), outcome.usage)

    async def open(self) -> None:
        """Read what was spent today, so that status is right before the first call.

        Raises:
            Refused: the book cannot be read; it is tried again before every call.

        """
        await self._account.turn_day()

    async def close(self) -> None:
        """Write down what is not yet in the book; what a broken book refuses stays unwritten."""
        await self._account.save()

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
        so_far = self._account.spent
        tokens, dollars = self._account.left
        counts: dict[str, int] = asdict(self._count)
        numbers: dict[str, float] = {
            **counts,
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

    # --- one case

    async def _consult(self, remote: Judge, case: Case) -> Judgement | _Trouble:
        """Ask the remote judge; whatever happens, be back within the deadline."""
        # One scope after the other, never nested: where both ran out together nobody could tell which it was.
        begun = anyio.current_time()
        answer_by, back_by = begun + self._deadline_s * (1 - _BOOKKEEPING_SHARE), begun + self._deadline_s
        with anyio.CancelScope(deadline=answer_by) as reading:
            try:
                await self._account.turn_day()
            except Refused as exc:
                self._trouble = _Trouble("ledger", f"what was spent today cannot be read: {exc}", exc.hint)
                return self._trouble
        if reading.cancelled_caught:
            self._trouble = _Trouble("ledger", "what was spent today could not be read in time")
            return self._trouble
        asked = anyio.current_time()
        outcome = await self._ask(remote, case, answer_by)
        if isinstance(outcome, Judgement):
            took_s = anyio.current_time() - asked
            if outcome.wanted and self._lookups is not None:
                outcome = await self._look(remote, self._lookups, case, outcome, answer_by, took_s)
        elif outcome.kind == "budget":
            self._trouble = outcome
        with anyio.CancelScope(deadline=back_by):
            await self._account.save()
        return outcome

    async def _look(  # noqa: PLR0917 - what a second step needs to know of the first
        self, remote: Judge, lookups: Lookups, case: Case, first: Judgement, answer_by: float, took_s: float
    ) -> Judgement:
        """Look up what the judge asks for and have it judge again; return the judgement that then holds."""
        wanted = first.wanted[: case.lookups]
        passages: tuple[Passage, ...] = ()
        trouble = "it took too long"
        with anyio.CancelScope(deadline=answer_by):
            passages, trouble = await look_up(lookups, wanted, case, budget_tokens=self._follow_ups.lookup_tokens)
        self._count = replace(self._count, lookups=self._count.lookups + len(passages))
        if not any(one.texts for one in passages):
            return self._stays(first, f"nothing looked up: {trouble}") if trouble else first
        informed = replace(case, passages=passages, lookups=0)
        again = await self._ask(remote, informed, answer_by, took_s=took_s)
        if not isinstance(again, Judgement):
            return _with_usage(self._stays(first, f"before looking anything up: {again.message}"), again.usage)
        self._count = replace(self._count, second_looks=self._count.second_looks + 1)
        seen = f"after {len(passages)} look-up{'s' if len(passages) > 1 else ''}"
        return _with_usage(replace(again, note=seen, wanted=first.wanted), _usage(first))

    def _stays(self, first: Judgement, why: str) -> Judgement:
        self._count = replace(self._count, skipped=self._count.skipped + 1)
        return replace(first, note="; ".join(filter(None, (first.note, why))))

    # --- one call

    async def _ask(
        self, remote: Judge, case: Case, answer_by: float, *, took_s: float | None = None
    ) -> Judgement | _Trouble:
        """Make one call, where budget and breaker allow; with `took_s` it follows one that took so long."""
        if took_s is not None and anyio.current_time() + took_s > answer_by:
            return _Trouble("time", "there was no time for another call")
        planned = estimate(case, self._prices)
        if reason := self._account.objection(planned):
            hint = "It begins anew at 00:00 UTC; sidecar.daily_tokens and sidecar.daily_usd set it."
            return _Trouble("budget", reason, hint)
        now = self._clock.monotonic()
        self._breaker, permit = self._breaker.admit(now)
        if permit is None:
            return self._resting(now)
        return await self._call(remote, case, planned, permit, answer_by, follows=took_s is not None)

    async def _call(
        self, remote: Judge, case: Case, planned: Usage, permit: Permit, answer_by: float, *, follows: bool
    ) -> Judgement | _Trouble:
        self._count = replace(self._count, calls=self._count.calls + 1)
        judgement: Judgement | None = None
        with self._account.reserved(planned):
            try:
                with anyio.CancelScope(deadline=answer_by):
                    judgement = await remote.judge(case)
            except JudgeFailed as exc:
                usage = Usage(exc.input_tokens, exc.output_tokens, exc.cost_usd)
                return self._failed(permit, _Trouble(exc.kind, str(exc), exc.hint, usage), follows=follows)
            except BaseException:
                # Our caller was cancelled, or this is a bug: a probe must not stay out for ever.
                self._breaker = self._breaker.abandoned(permit, self._clock.monotonic())
                self._account.charge(planned)
                raise
        if judgement is None:
            # Broken off, so nobody says what it cost; that is counted, too.
            message = f"{remote.name} did not answer within {self._deadline_s:g} s"
            hint = "It may be slow or unreachable; sidecar.deadline_s sets how long it may take."
            return self._failed(permit, _Trouble("timeout", message, hint, planned), follows=follows)
        self._answered(permit)
        self._account.charge(_usage(judgement))
        return judgement

    def _answered(self, permit: Permit) -> None:
        self._breaker = self._breaker.succeeded(permit)
        # An answer that was long on its way does not make up for what failed since.
        if self._breaker.phase == "closed":
            self._trouble = None

    def _failed(self, permit: Permit, trouble: _Trouble, *, follows: bool) -> _Trouble:
        self._count = replace(self._count, failures=self._count.failures + 1)
        self._last_error = trouble
        self._account.charge(trouble.usage)
        now = self._clock.monotonic()
        if trouble.kind in _ANSWERED:
            self._answered(permit)
        elif follows and trouble.kind == "timeout":
            # It had what an earlier call left of the deadline, which says nothing about the service.
            self._breaker = self._breaker.abandoned(permit, now)
        else:
            self._breaker = self._breaker.failed(permit, now, lasting=trouble.kind in _LASTING)
            # After a call that was answered nobody has to stand in yet.
            if not follows or self._breaker.phase != "closed":
                self._trouble = trouble
        return trouble

    def _resting(self, now: float) -> _Trouble:
        last = self._last_error.message if self._last_error else "it failed"
        hint = self._last_error.hint if self._last_error else ""
        if self._breaker.phase == "half-open":
            return _Trouble("breaker", f"another call is trying whether the judge is back; before: {last}", hint)
        return _Trouble("breaker", f"left alone for {self._breaker.rests_for(now):.0f} s more: {last}", hint)

    # --- what is told

    def _trouble_now(self) -> _Trouble | None:
        """Return why the next call would not be made or the last one failed; None where all is well."""
        if self._trouble is not None and self._trouble.kind == "budget":
            return None if self._account.day_is_over else self._trouble
        return self._trouble

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


def _usage(judgement: Judgement) -> Usage:
    return Usage(judgement.input_tokens, judgement.output_tokens, judgement.cost_usd)


def _with_usage(judgement: Judgement, more: Usage) -> Judgement:
    """Return the judgement with what another call used."""
    total = _usage(judgement) + more
    return replace(
        judgement, input_tokens=total.input_tokens, output_tokens=total.output_tokens, cost_usd=total.cost_usd
    )
