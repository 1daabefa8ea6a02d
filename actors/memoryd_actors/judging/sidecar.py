"""The sidecar: has the model judge where that is possible in time and within budget, and the local judge otherwise.

The pipeline always gets a judgement; why it came from the stand-in is in its note and in status. A case is one call, or
two within the same deadline where the judge asks to look something up before it decides. Where the second cannot be
had, what was judged before it holds.
"""

import anyio
import msgspec
from msgspec.structs import asdict

from memoryd_actors.judging.judge import Judge, Judgement
from memoryd_actors.judging.lookups import Lookups, look_up
from memoryd_actors.judging.question import about
from memoryd_actors.memory.case import Case, Passage
from memoryd_actors.model.model import Model
from memoryd_actors.model.question import ModelFailed
from memoryd_actors.redaction import Rules
from memoryd_actors.redaction.rules import DEFAULT
from memoryd_client.wire.status import ComponentStatus

_HINT = "`memoryd model` shows what runs here and can judge; `memoryd model use` sets it."


class FollowUps(msgspec.Struct, frozen=True, kw_only=True):
    """What may follow a first answer."""

    lookups: int = 2
    """Look-ups that the judge may ask for, once; 0: none."""
    lookup_tokens: int = 800
    """Size of what they bring to light, together."""


class SidecarCounts(msgspec.Struct):
    """Counts since the start; every judgement the model did not give is a stand-in."""

    stand_ins: int = 0
    lookups: int = 0
    """Look-ups that the judge asked for and got."""
    second_looks: int = 0
    """Cases judged again with what was looked up."""
    skipped: int = 0
    """Second looks that could not be had."""


class Sidecar:
    """A judge that always answers, within the deadline."""

    def __init__(
        self,
        model: Model | None,
        local: Judge,
        *,
        rules: Rules = DEFAULT,
        follow_ups: FollowUps = FollowUps(),
        lookups: Lookups | None = None,
        why_off: str = "no model configured",
        deadline_s: float = 4.0,
    ) -> None:
        self._model = model
        self._local = local
        self._rules = rules
        self._follow_ups = follow_ups
        self._lookups = lookups
        self._why_off = why_off
        self._deadline_s = deadline_s
        self._counts = SidecarCounts()

    @property
    def name(self) -> str:
        """The model's name, or `local`."""
        return (self._model or self._local).name

    async def judge(self, case: Case) -> Judgement:
        """Return the model's verdicts, or the local judge's with a note why, within `deadline_s` seconds."""
        if self._model is None or not case.exhibits:
            return await self._local.judge(case)
        back_by = anyio.current_time() + self._deadline_s
        may_look = self._lookups is not None and case.visible is not None
        case = msgspec.structs.replace(case, lookups=self._follow_ups.lookups if may_look else 0)
        try:
            first = await self._ask(self._model, case, self._deadline_s)
        except ModelFailed as failed:
            self._counts.stand_ins += 1
            return msgspec.structs.replace(await self._local.judge(case), note=str(failed), usage=failed.usage)
        took_s = anyio.current_time() - (back_by - self._deadline_s)
        if first.wanted and self._lookups is not None:
            return await self._look(self._model, self._lookups, case, first, back_by, took_s)
        return first

    def status(self) -> ComponentStatus:
        """Return the judge's health: off without a model, degraded while the local judge stands in, ok otherwise."""
        model = self._model
        if model is None:
            return ComponentStatus(state="off", message=f"{self._why_off}: the local judge decides", hint=_HINT)
        tokens, dollars = model.account.left
        counts: dict[str, int] = asdict(self._counts)
        numbers: dict[str, float] = {
            "calls": model.counts.calls,
            "failures": model.counts.failures,
            **counts,
            "tokens_today": model.account.spent.input_tokens + model.account.spent.output_tokens,
            "usd_today": model.account.spent.cost_usd,
            "tokens_left_today": tokens,
            "usd_left_today": dollars,
            "rests_for_s": model.rests_for_s,
        }
        facts = {"judge": model.name, "breaker": model.breaker.phase}
        if (last := model.last_error) is not None:
            facts |= {"last_error_kind": last.kind, "last_error": str(last)}
            facts |= {"last_error_hint": last.hint} if last.hint else {}
        if (trouble := model.trouble) is None:
            return ComponentStatus(state="ok", numbers=numbers, facts=facts)
        message = f"the local judge stands in: {trouble}"
        return ComponentStatus(state="degraded", message=message, hint=trouble.hint, numbers=numbers, facts=facts)

    async def _ask(self, model: Model, case: Case, deadline_s: float, *, hurried: bool = False) -> Judgement:
        answer = await model.ask(about(case, self._rules, deadline_s=deadline_s, hurried=hurried))
        return msgspec.structs.replace(answer.value, judge=model.name, usage=answer.usage)

    async def _look(  # noqa: PLR0917 - what a second step needs to know of the first
        self, model: Model, lookups: Lookups, case: Case, first: Judgement, back_by: float, took_s: float
    ) -> Judgement:
        """Look up what the judge asks for and have it judge again; return the judgement that then holds."""
        passages: tuple[Passage, ...] = ()
        trouble = "it took too long"
        with anyio.CancelScope(deadline=back_by):
            passages, trouble = await look_up(
                lookups, first.wanted[: case.lookups], case, budget_tokens=self._follow_ups.lookup_tokens
            )
        self._counts.lookups += len(passages)
        if not any(passage.texts for passage in passages):
            return self._stays(first, f"nothing looked up: {trouble}") if trouble else first
        left_s = back_by - anyio.current_time()
        if took_s > left_s:
            return self._stays(first, "before looking anything up: there was no time for another call")
        informed = msgspec.structs.replace(case, passages=passages, lookups=0)
        try:
            again = await self._ask(model, informed, left_s, hurried=True)
        except ModelFailed as failed:
            stays = self._stays(first, f"before looking anything up: {failed}")
            return msgspec.structs.replace(stays, usage=first.usage + failed.usage)
        self._counts.second_looks += 1
        seen = f"after {len(passages)} look-up{'s' if len(passages) > 1 else ''}"
        return msgspec.structs.replace(again, note=seen, wanted=first.wanted, usage=first.usage + again.usage)

    def _stays(self, first: Judgement, why: str) -> Judgement:
        self._counts.skipped += 1
        return msgspec.structs.replace(first, note=why)
