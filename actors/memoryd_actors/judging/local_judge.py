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
from functools import lru_cache

from memoryd_actors.judging.case import Case, Exhibit
from memoryd_actors.judging.judge import Judgement, Verdict
from memoryd_actors.words import STOP_WORDS

_WORD = re.compile(r"\w+(?:[./:@'\u2019-]\w+)*")
_PART = re.compile(r"[\W_]+")
_IDEOGRAPHS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2,}")
_SPEAKER = re.compile(r"^[^:\n]{1,40}:\s")
_DATE = re.compile(r"\s\([^()\n]*\d{4}[^()\n]*\)$", re.MULTILINE)
_LONGEST_FOCUS = 4_000
"""Characters of the focus that are read."""
_LONGEST_TEXT = 1_000
"""Characters of a memory that are read, about what the embedding model sees of it: the evidence kept on BEAM's long
replies is within a point of reading 8,000, in a third of the time."""
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
_SUFFIXES = ("ings", "ing", "ies", "ied", "est", "ers", "ed", "er", "es", "ly", "s", "e")


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


def content_words(text: str) -> dict[str, str]:
    """Return the words that carry meaning, by stem, each with the form it first has in the text.

    Identifiers, file names and numbers count as words, whole and in their parts.
    """
    found: dict[str, str] = {}
    for match in _WORD.findall(text[:_LONGEST_FOCUS]):
        for stem in _stems(match):
            found.setdefault(stem, match)
    return found


def scores(focus: str, exhibits: Sequence[Exhibit], gate: Gate) -> list[Score]:
    """Return one score per exhibit: `c * cosine + (1 - c) * weighted share of the focus's words found`.

    A word that few of the exhibits contain tells more, so it weighs `log(1 + (n + 1) / (df + 1))` over the n exhibits.
    """
    asked = content_words(focus)
    held = [_stem_set(exhibit.text) for exhibit in exhibits]
    weights = {stem: math.log(1.0 + (len(held) + 1) / (sum(stem in words for words in held) + 1)) for stem in asked}
    total = sum(weights.values())
    result: list[Score] = []
    for exhibit, words in zip(exhibits, held, strict=True):
        stems = [stem for stem in asked if stem in words]
        share = sum(weights[stem] for stem in stems) / total if total else 0.0
        share *= min(1.0, math.sqrt(gate.long_words / max(len(words), 1)))
        cosine = min(max(exhibit.vector_score, 0.0), 1.0)
        score = min(gate.cosine_share * cosine + (1.0 - gate.cosine_share) * share, 1.0)
        result.append(Score(score, tuple(asked[stem] for stem in stems), len(asked)))
    return result


def worth_acting_on(exhibit: Exhibit) -> bool:
    """Return whether the text says something beyond a greeting or an interjection."""
    if exhibit.category in _ALWAYS_WORTH_ACTING_ON or len(exhibit.text) > _LONGEST_SMALL_TALK:
        return True
    said = _DATE.sub("", _SPEAKER.sub("", exhibit.text, count=1))
    return len({stem for stem, form in content_words(said).items() if form.lower() not in PLEASANTRIES}) >= 2


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


def _stem_set(text: str) -> set[str]:
    # The forms are not needed here, so every distinct word is looked at once: half the time of content_words.
    stems: set[str] = set()
    for word in set(_WORD.findall(text[:_LONGEST_TEXT])):
        stems.update(_stems(word))
    return stems


@lru_cache(maxsize=32_768)
def _stems(word: str) -> tuple[str, ...]:
    """Return the stems under which a word is found: its own, and those of its parts; none for a stop word."""
    lower = word.lower()
    if lower in STOP_WORDS:
        return ()
    stems: list[str] = []
    parts = [part for part in _PART.split(lower) if part]
    if len(parts) != 1 or parts[0] != lower:
        stems.append(lower)
    for part in parts:
        runs = _IDEOGRAPHS.findall(part)
        # Scripts without spaces: every pair of neighbouring characters stands for a word.
        stems += [run[at : at + 2] for run in runs for at in range(len(run) - 1)]
        if not runs and part not in STOP_WORDS and (len(part) > 1 or part.isdigit()):
            stems.append(_stem(part))
    return tuple(dict.fromkeys(stems))


def _stem(word: str) -> str:
    """Take English endings off, lightly: expires, expired, expiry and expiring meet, and numbers are left alone."""
    if len(word) < 4 or not word.isalpha():
        return word
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3 and not word.endswith("ss"):
            word = word[: -len(suffix)]
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz":
        word = word[:-1]
    return word[:-1] if len(word) > 3 and word[-1] == "y" else word
