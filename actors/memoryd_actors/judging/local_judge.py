"""The judge that needs no model: a logistic regression on what a message and a memory have in common.

Cosine alone cannot tell "about this" from "about something like this", and what people type is mostly commands that
need no memory at all. What tells more: how unusual the cosine is among as many memories as there are, and how rare in
the whole store the words are that both contain. The weights were fitted by `benchmarks/daily/fit.py` on days of
persons, LoCoMo and BEAM together.
"""

import math
import re
from collections.abc import Mapping, Sequence

import msgspec
from msgspec.structs import astuple

from memoryd_actors.core.remembered import remembered
from memoryd_actors.judging.judge import Judgement, Verdict
from memoryd_actors.memory.case import Case, Exhibit, StoreStatistics
from memoryd_actors.memory.index_text import is_person
from memoryd_actors.memory.settings import Strictness
from memoryd_actors.texts.languages import words_of
from memoryd_actors.texts.meanings import asked_meaning, says_meaning
from memoryd_actors.texts.procedures import asks_for
from memoryd_actors.texts.stems import stem_set, stems

_SPEAKER = re.compile(r"^[^:\n]{1,40}:\s")
_DATE = re.compile(r"\s\([^()\n]*\d{4}[^()\n]*\)$", re.MULTILINE)
_LONGEST_SMALL_TALK = 200
_LONGEST_MESSAGE = 1_000
"""Characters of a message whose number counts."""
_SHOWN_WORDS = 6

PLEASANTRIES = words_of("judging", "pleasantries")
"""Words that say nothing on their own."""
_ALWAYS_WORTH_ACTING_ON = frozenset({"correction", "preference", "procedure", "procedural", "constraint", "rule"})

THRESHOLDS: Mapping[Strictness, float] = {"quiet": 0.35, "balanced": 0.2, "generous": 0.1}
"""The likelihood that the best memory has to reach, or nothing is relevant."""


class JudgeWeights(msgspec.Struct, frozen=True):
    """Of the features in `features`, in the same order, and the bias."""

    nearness: float = 1.667
    share: float = 4.935
    length: float = 1.287
    unknown: float = -1.648
    named: float = -0.599
    role: float = -1.999
    bias: float = -7.446


class JudgeModel(msgspec.Struct, frozen=True, kw_only=True):
    """The embedding model's cosines of texts that have nothing to do with each other, and how long texts count."""

    mean: float = 0.08
    deviation: float = 0.10
    long_words: int = 40
    """Distinct words above which a find counts less, by a square root: a long text contains any word by chance."""


class Company(msgspec.Struct, frozen=True, kw_only=True):
    """Which memories come with the best one."""

    likely: float = 0.5
    """Share of the best one's likelihood that a statement needs."""
    statements: int = 3
    place: float = 0.75
    """Share of the best score in the ranking that a message of a conversation needs: whether there is an answer, words
    and cosine tell best; which messages hold it, the ranking does."""
    possible: float = 0.05
    """Share of the best one's likelihood that a message needs."""
    messages: int = 5


class Features(msgspec.Struct, frozen=True):
    """What a message and one exhibit have in common."""

    values: tuple[float, ...]
    """In the order of `JudgeWeights`, without the bias."""
    found: tuple[str, ...] = ()
    """The words of the message that the exhibit contains, as they stand there."""


def features(case: Case, model: JudgeModel = JudgeModel()) -> tuple[list[Features], int]:
    """Return the features of each exhibit of a case, and how many words of the message tell anything.

    A word w that df of n memories contain weighs r(w) = max(0, 1 - ln(2 df + 1) / ln(2 n + 2)). With A the message's
    stems and S an exhibit's:

    - nearness: (cosine - mean) / deviation - sqrt(2 ln n): above the greatest that is to be expected of n strangers;
    - share: sum of r(A and S) over the sum of r(A), less for long texts;
    - length: ln(1 + the message's characters);
    - unknown: the part of r(A) that no memory contains;
    - named, role: whether the exhibit is a message of somebody with a name, or of a user or an assistant.
    """
    asked = {stem: form for stem, form in stems(case.focus).items() if form.lower() not in PLEASANTRIES}
    held = [stem_set(exhibit.text) for exhibit in case.exhibits]
    store = case.store or _counted(asked, held)
    count = max(store.n, len(held), 1)
    most = math.log(2 * count + 2)
    rarity = {stem: max(0.0, 1.0 - math.log(2 * store.df.get(stem, 0) + 1) / most) for stem in asked}
    total = sum(rarity.values())
    unknown = sum(rarity[stem] for stem in asked if not store.df.get(stem, 0))
    chance = math.sqrt(2 * math.log(count))
    length = math.log(1 + min(len(case.focus), _LONGEST_MESSAGE))
    result: list[Features] = []
    for exhibit, words in zip(case.exhibits, held, strict=True):
        there = [stem for stem in asked if stem in words]
        mass = sum(rarity[stem] for stem in there) * min(1.0, math.sqrt(model.long_words / max(len(words), 1)))
        values = (
            (exhibit.vector_score - model.mean) / model.deviation - chance,
            mass / total if total else 0.0,
            length,
            unknown / total if total else 0.0,
            float(bool(exhibit.speaker) and is_person(exhibit.speaker)),
            float(bool(exhibit.speaker) and not is_person(exhibit.speaker)),
        )
        result.append(Features(values, tuple(asked[stem] for stem in there)))
    return result, len(asked)


def _counted(asked: Mapping[str, str], held: Sequence[frozenset[str]]) -> StoreStatistics:
    """Return the statistics of the exhibits alone, where nobody knows those of the store."""
    return StoreStatistics(len(held), {stem: sum(stem in words for words in held) for stem in asked})


def likelihood(values: Sequence[float], weights: JudgeWeights) -> float:
    """Return the logistic function of the weighted sum, 0 to 1."""
    *coefficients, bias = astuple(weights)
    total = bias + sum(weight * value for weight, value in zip(coefficients, values, strict=True))
    return 1.0 / (1.0 + math.exp(-max(min(total, 60.0), -60.0)))


def worth_acting_on(exhibit: Exhibit) -> bool:
    """Return whether the text says something beyond a greeting or an interjection."""
    if exhibit.category in _ALWAYS_WORTH_ACTING_ON or len(exhibit.text) > _LONGEST_SMALL_TALK:
        return True
    return _says_something(exhibit.text)


@remembered(2048)
def _says_something(text: str) -> bool:
    said = _DATE.sub("", _SPEAKER.sub("", text, count=1))
    return len({stem for stem, form in stems(said).items() if form.lower() not in PLEASANTRIES}) >= 2


class LocalJudge:
    """Judges by words and cosine, without a model call; under a millisecond for twenty exhibits."""

    name = "local"

    def __init__(
        self,
        strictness: Strictness = "balanced",
        *,
        threshold: float | None = None,
        weights: JudgeWeights = JudgeWeights(),
        company: Company = Company(),
    ) -> None:
        """Prepare; a `threshold` stands in for the one of the strictness."""
        self._threshold = THRESHOLDS[strictness] if threshold is None else threshold
        self._weights = weights
        self._company = company

    async def judge(self, case: Case) -> Judgement:
        """Return one verdict per exhibit, in their order."""
        found, asked = features(case)
        meaning = asked_meaning(case.focus)
        # Who asks what a word means is told that, and not whatever has the word.
        beside = [bool(meaning) and not says_meaning(exhibit.text, meaning) for exhibit in case.exhibits]
        likely = [
            0.0 if aside or not asked else likelihood(each.values, self._weights)
            for each, aside in zip(found, beside, strict=True)
        ]
        best, place = max(likely, default=0.0), max((exhibit.score for exhibit in case.exhibits), default=0.0)
        # Messages come by their place in the ranking: which of them hold an answer, it knows best.
        scores = [
            best * (exhibit.score / place) if exhibit.speaker and place > 0 else each
            for exhibit, each in zip(case.exhibits, likely, strict=True)
        ]
        refused = self._refusals(case.exhibits, likely, scores, best=best)
        for index, exhibit in enumerate(case.exhibits):
            if exhibit.trigger and refused[index] and asks_for(case.focus, exhibit.trigger, exhibit.text):
                # How that is done is told by no word or cosine: of 15 tasks, 6 brought up their procedure without this.
                refused[index], scores[index] = "", max(scores[index], self._threshold)
        return Judgement(
            verdicts=tuple(
                Verdict(
                    index=index,
                    relevant=not refused[index],
                    actionable=worth_acting_on(exhibit),
                    score=scores[index],
                    reason=_reason(found[index], asked, exhibit, likely[index])
                    + (f" (does not say what {meaning} is)" if beside[index] else "")
                    + refused[index],
                )
                for index, exhibit in enumerate(case.exhibits)
            ),
            judge=self.name,
        )

    def _refusals(
        self, exhibits: Sequence[Exhibit], likely: Sequence[float], scores: Sequence[float], *, best: float
    ) -> list[str]:
        """Say of each exhibit why it is not relevant; empty where it is."""
        if best < self._threshold:
            return [f" is below {self._threshold:.2f}"] * len(exhibits)
        company = self._company
        refused = [""] * len(exhibits)
        statements = messages = 0
        for index in sorted(range(len(exhibits)), key=lambda index: -scores[index]):
            exhibit = exhibits[index]
            if exhibit.speaker:
                if scores[index] < company.place * best or likely[index] < company.possible * best:
                    refused[index] = f", ranked {exhibit.score:.2f}: too far behind the best"
                elif messages == company.messages:
                    refused[index] = ": there are better ones"
                else:
                    messages += 1
            elif likely[index] < company.likely * best:
                refused[index] = f" is less than {company.likely:.0%} of the best one's {best:.2f}"
            elif statements == company.statements:
                refused[index] = ": there are better ones"
            else:
                statements += 1
        return refused


def _reason(found: Features, asked: int, exhibit: Exhibit, likely: float) -> str:
    shown = ", ".join(dict.fromkeys(found.found[:_SHOWN_WORDS]))
    if len(found.found) > _SHOWN_WORDS:
        shown += ", ..."
    words = f"{len(found.found)} of {asked} words found" + (f" ({shown})" if shown else "")
    return f"{words}, cosine {exhibit.vector_score:.2f}: likelihood {likely:.2f}"
