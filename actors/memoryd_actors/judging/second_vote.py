"""A second vote: the same case with its candidates in another order, and only what both keep is kept.

A judge that reads a list favours places in it. Reversing the list moves every candidate but the middle one, the first
ones furthest.
"""

from dataclasses import replace

from memoryd_actors.judging.judge import Judgement, Verdict
from memoryd_actors.memory.case import Case


def reordered(case: Case) -> Case:
    """Return the case with its exhibits in reverse; what was looked up still points at the same ones."""
    last = len(case.exhibits) - 1
    passages = tuple(
        replace(one, lookup=replace(one.lookup, index=last - one.lookup.index)) if one.lookup.index >= 0 else one
        for one in case.passages
    )
    return replace(case, exhibits=case.exhibits[::-1], passages=passages)


def agreed(first: Judgement, second: Judgement, *, exhibits: int) -> Judgement:
    """Return the first judgement with only those kept that `second`, on the reordered case, keeps as well.

    Of two scores the mean counts; tokens and money of both add up.
    """
    again = {exhibits - 1 - one.index: one for one in second.verdicts}
    verdicts = tuple(
        _both(one, again.get(one.index)) if one.relevant and one.actionable else one for one in first.verdicts
    )
    return replace(
        first,
        verdicts=verdicts,
        input_tokens=first.input_tokens + second.input_tokens,
        output_tokens=first.output_tokens + second.output_tokens,
        cost_usd=first.cost_usd + second.cost_usd,
    )


def _both(first: Verdict, second: Verdict | None) -> Verdict:
    if second is None:
        return replace(first, relevant=False, reason="the second vote had no word for it")
    score = (first.score + second.score) / 2
    if second.relevant and second.actionable:
        return replace(first, score=score)
    return replace(
        first,
        relevant=second.relevant,
        actionable=second.actionable,
        score=score,
        reason=f"the second vote: {second.reason}",
    )
