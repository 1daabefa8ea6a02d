"""The judge that needs no key: how much of what is asked does a memory speak of, and how near is its meaning?

Cosine alone cannot tell "about this" from "about something like this". The share of the question's words that a memory
contains can. At the threshold where 95% of the questions asked of somebody else's memories stay without an answer, the
two together keep, with the ranking's help, .66 of the evidence on LoCoMo and .51 on BEAM, cosine alone .46 and .40
(`benchmarks/gate.py`). That a question has no answer among memories about the same thing they hardly notice.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from memoryd_actors.judging.judge import Judgement, Verdict
from memoryd_actors.memory.case import Case, Exhibit
from memoryd_actors.texts.stems import stem_set, stems

_SPEAKER = re.compile(r"^[^:\n]{1,40}:\s")
_DATE = re.compile(r"\s\([^()\n]*\d{4}[^()\n]*\)$", re.MULTILINE)
_LONGEST_SMALL_TALK = 200
_SHOWN_WORDS = 6

PLEASANTRIES = frozenset(
    """hello hi hey thanks thank thx bye goodbye ok okay yes yeah yep sure great cool wow nice awesome amazing welcome
    congrats congratulations lol haha good morning evening night see later glad hallo hi danke tschüss gut super prima
    genau klar bonjour salut merci oui d'accord bien hope fine well oh ah love sorry cheers indeed absolutely
    definitely""".split()
)
"""Words that say nothing on their own."""
_ALWAYS_WORTH_ACTING_ON = frozenset({"correction", "preference", "procedure", "procedural", "constraint", "rule"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """Where the local judge draws the line. Defaults: calibrated on LoCoMo and BEAM, see `benchmarks/gate.py`."""

    threshold: float = 0.375
    """That the best of the candidates has to reach, or nothing is relevant: 95% of foreign questions stay clean from
    .366 on LoCoMo, .367 on BEAM and .341 on its user's messages."""
    relative: float = 0.5
    """Of the best score, below which the others are dropped."""
    place: float = 0.75
    """Of the best score in the ranking, below which the others are dropped. Whether there is an answer at all, words
    and cosine tell best; which memories hold it, the ranking does. On LoCoMo it leaves 3.7 memories instead of 4.6 and
    costs a point of the evidence, .657 for .670."""
    cosine_share: float = 0.6
    """Of the score; the words have the rest. Between .5 and .7 it hardly matters."""
    long_words: int = 40
    """Distinct words above which a find counts less, by a square root: a long text contains any word by chance. Without
    this the evidence kept on BEAM falls from .37 to .32."""


@dataclass(frozen=True, slots=True)
class Score:
    """How well one exhibit answers what is in focus."""

    total: float
    """0 to 1."""
    found: tuple[str, ...]
    """The words of the focus that it contains, as they stand there."""
    asked: int
    """How many words the focus has to find."""


def scores(focus: str, exhibits: Sequence[Exhibit], gate: Gate) -> list[Score]:
    """Return one score per exhibit: `c * cosine + (1 - c) * weighted share of the focus's words found`.

    A word that few of the exhibits contain tells more, so it weighs `log(1 + (n + 1) / (df + 1))` over the n exhibits.
    """
    asked = stems(focus)
    held = [stem_set(exhibit.text) for exhibit in exhibits]
    weights = {stem: math.log(1.0 + (len(held) + 1) / (sum(stem in words for words in held) + 1)) for stem in asked}
    total = sum(weights.values())
    result: list[Score] = []
    for exhibit, words in zip(exhibits, held, strict=True):
        there = [stem for stem in asked if stem in words]
        share = sum(weights[stem] for stem in there) / total if total else 0.0
        share *= min(1.0, math.sqrt(gate.long_words / max(len(words), 1)))
        cosine = min(max(exhibit.vector_score, 0.0), 1.0)
        score = min(gate.cosine_share * cosine + (1.0 - gate.cosine_share) * share, 1.0)
        result.append(Score(score, tuple(asked[stem] for stem in there), len(asked)))
    return result


def worth_acting_on(exhibit: Exhibit) -> bool:
    """Return whether the text says something beyond a greeting or an interjection."""
    if exhibit.category in _ALWAYS_WORTH_ACTING_ON or len(exhibit.text) > _LONGEST_SMALL_TALK:
        return True
    said = _DATE.sub("", _SPEAKER.sub("", exhibit.text, count=1))
    return len({stem for stem, form in stems(said).items() if form.lower() not in PLEASANTRIES}) >= 2


class LocalJudge:
    """Judges by words and cosine, without a model call; under a millisecond for ten exhibits."""

    name = "local"

    def __init__(self, gate: Gate = Gate()) -> None:
        self._gate = gate

    async def judge(self, case: Case) -> Judgement:
        """Return one verdict per exhibit, in their order."""
        gate = self._gate
        judged = scores(case.focus, case.exhibits, gate)
        best = max((score.total for score in judged), default=0.0)
        bar = gate.relative * best if best >= gate.threshold else gate.threshold
        place = gate.place * max((exhibit.score for exhibit in case.exhibits), default=0.0)
        return Judgement(
            verdicts=tuple(
                Verdict(
                    index=index,
                    relevant=score.total >= bar and exhibit.score >= place,
                    actionable=worth_acting_on(exhibit),
                    score=(score.total + 2 * exhibit.score) / 3,
                    reason=_reason(score, exhibit, bar, place),
                )
                for index, (score, exhibit) in enumerate(zip(judged, case.exhibits, strict=True))
            ),
            judge=self.name,
        )


def _reason(score: Score, exhibit: Exhibit, bar: float, place: float) -> str:
    shown = ", ".join(dict.fromkeys(score.found[:_SHOWN_WORDS]))
    if len(score.found) > _SHOWN_WORDS:
        shown += ", ..."
    words = f"{len(score.found)} of {score.asked} words found" + (f" ({shown})" if shown else "")
    if score.total < bar:
        verdict = f": {score.total:.2f} is below {bar:.2f}"
    elif exhibit.score < place:
        verdict = f": ranked {exhibit.score:.2f}, below {place:.2f}"
    else:
        verdict = ""
    return f"{words}, cosine {exhibit.vector_score:.2f}{verdict}"
