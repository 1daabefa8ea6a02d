"""The order of what a search brings up: what each memory says, what was said around it, by whom and when.

A message of a conversation is rarely found by its own words alone: its answer is in the next message, the name of what
it speaks of in the one before, and its session is about the same thing. What a user tells an assistant stands more by
itself. Meaning and words alone (`fusion`) find .55 of the evidence on LoCoMo within five and .41 on BEAM;
`benchmarks/recall` measures both.
"""

import math
from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import Protocol

import msgspec

from memoryd_actors.core.remembered import remembered
from memoryd_actors.memory.fusion import Ranked
from memoryd_actors.memory.index_text import is_person
from memoryd_actors.memory.steps import RELATED, RESERVED
from memoryd_actors.searching.dates import months
from memoryd_actors.searching.preferences import asks_for_advice, is_preference, is_rule
from memoryd_actors.texts.stems import stems
from memoryd_client.wire.edges import Edge
from memoryd_client.wire.memory import Source

MOST_WORDS = 32
"""Words of a question that are looked for."""
LONGEST_TEXT = 1_000
"""Characters of a memory that are read for words, about what the embedding model sees of it. Reading all of BEAM's long
replies costs points: a long text contains any word."""
_SHORT_STEM = 3
_BOOSTS = (
    "session",
    "neighbours",
    "named speaker",
    "own voice",
    "month",
    "rule",
    "advice",
    "related",
    "decay",
    "trust",
    "substance",
)
_APART = {code: " " for code in range(128) if not chr(code).isalnum()}


class RankedText(Protocol):
    """What can be ranked: a memory, or a message of a conversation."""

    @property
    def id(self) -> str:
        """By which it is told from the others."""
        ...

    @property
    def title(self) -> str:
        """Empty where it has none."""
        ...

    @property
    def content(self) -> str:
        """What it says."""
        ...

    @property
    def category(self) -> str:
        """Empty where it has none."""
        ...

    @property
    def speaker(self) -> str:
        """Who said it: a name or a role."""
        ...

    @property
    def source(self) -> Source:
        """Where it comes from; counts where nobody is said to have said it."""
        ...

    @property
    def session(self) -> str:
        """Its conversation."""
        ...

    @property
    def source_messages(self) -> tuple[int, int] | None:
        """Its first and last place in that conversation."""
        ...

    @property
    def occurred_at(self) -> datetime | None:
        """When it was said, or happened."""
        ...


class RankingWeights(msgspec.Struct, frozen=True, kw_only=True):
    """What counts how much. Fitted on LoCoMo and BEAM at once, with and without the assistant, and rounded."""

    meaning: float = 0.55
    """Of the cosine."""
    index_words: float = 0.27
    """Of BM25 over the whole text, as the index has it."""
    share: float = 0.18
    """Of the share of the question's words that the memory has. A word that few candidates have tells more, however
    rare it is elsewhere: the name of one of two speakers tells little."""
    before: float = 0.32
    """Of the message before it in its session, where people talk to each other: an answer has its words in the
    question. What a user tells an assistant stands by itself; counting it there as well costs both three points."""
    two_before: float = 0.1
    after: float = 0.12
    """Of the message after it, whoever speaks."""
    brief: int = 200
    """Characters up to which a message leans on its neighbours; a longer one does in inverse proportion. Without this
    BEAM's long replies lose three points."""
    session: float = 0.54
    """Of its session's best."""
    named: float = 0.32
    """Where the question names who said it: worth four points on LoCoMo."""
    own_voice: float = 0.22
    """Where the user said it: of a user's message and the reply that takes it up at length, the message is meant. Worth
    seven points on BEAM."""
    month: float = 0.27
    """Where it happened in a month that the question names."""
    rule: float = 0.15
    """Where it says what is always to be done."""
    advised: float = 0.25
    """Where advice is asked for, and it is a rule or says what somebody prefers."""
    decay: float = 0.06
    """Lost by what has faded beside the candidate that has faded least: a tie-breaker. Where all are equally old,
    as in LoCoMo and BEAM, nothing moves."""
    trust: float = 0.06
    """Lost by what nobody vouches for beside the candidate that is trusted most: a tie-breaker, too."""
    related: float = 0.1
    """Of what another strong candidate is worth by itself, times the strength of the edge between them. Only of edges
    that somebody made: those between neighbours repeat the cosine: at half this weight they cost 0.7 points of
    R@5 on LoCoMo and 1.0 on BEAM. On the daily sets nothing moves, with edges of neighbours or without, at 0, 0.1 and
    0.3 (in context .598, right .690, quiet .993)."""
    strong: int = 5
    """So many of the best by themselves are strong candidates."""
    substance: float = 1.0
    """Lost by a text without a character, and by others with the logarithm of their length, where people talk to each
    other: an interjection may have all the words and say nothing. A user's short message is an order or a question."""
    full: int = 250
    """Characters from which a text has full substance."""

    @property
    def own(self) -> float:
        """What a memory's own text can be worth, to divide by."""
        return self.meaning + self.index_words + self.share

    @property
    def most(self) -> float:
        """The highest score that is possible, to divide by; `related` can lift one above it, which is cut off."""
        around = self.before + self.after + self.two_before + self.session
        return 1.0 + around + self.named + self.own_voice + self.month + self.rule + self.advised


def rank(
    question: str,
    pool: Sequence[tuple[Ranked, RankedText]],
    weights: RankingWeights = RankingWeights(),
    *,
    decay: Sequence[float] = (),
    trust: Sequence[float] = (),
    edges: Sequence[Edge] = (),
) -> list[Ranked]:
    """Return the candidates, best first, with their scores between 0 and 1 and the boosts that are part of them.

    `decay` has of each candidate how much it still counts (`decay_score`), `trust` how far it is trusted, `edges` join
    candidates; all may be left out.

    Only what is in the pool has a say: a neighbour that is no candidate itself counts as silent, which is better on
    LoCoMo than to look it up.
    """
    said = _said(question, pool, weights)
    around = _around(pool, said, weights)
    fade = _faded(decay) or [0.0] * len(pool)
    trusted = max(trust, default=0.0)
    distrust = [trusted - one for one in trust] or [0.0] * len(pool)
    joined = _joined(pool, said, edges, weights)
    asked = set(question.casefold().translate(_APART).split())
    named = {name: _is_named(name, asked) for name in {memory.speaker for _, memory in pool}}
    meant = months(question)
    advice = asks_for_advice(question)
    most = weights.most
    totals: list[tuple[float, Ranked]] = []
    for (one, memory), own, (session, near), faded, distrusted in zip(pool, said, around, fade, distrust, strict=True):
        there = bool(meant) and memory.occurred_at is not None and any(month.has(memory.occurred_at) for month in meant)
        rule = is_rule(memory.content, memory.category)
        advised = advice and (rule or is_preference(memory.content, memory.category))
        added = (
            session,
            near,
            weights.named * named[memory.speaker],
            weights.own_voice * _is_the_users(memory),
            weights.month * there,
            weights.rule * rule,
            weights.advised * advised,
            joined.get(memory.id, 0.0),
            -weights.decay * faded,
            -weights.trust * distrusted,
            -weights.substance * _lacks(memory, weights),
        )
        total = (own + sum(added)) / most
        boosts = tuple([(name, more / most) for name, more in zip(_BOOSTS, added, strict=True) if more])
        score = min(max(total, 0.0), 1.0)
        # Written out: `replace` takes four times as long, and here are a hundred.
        totals.append(
            (total, Ranked(one.id, one.vector_score, one.word_score, score, boosts, one.word_share, one.passage))
        )
    # Below zero they still have an order.
    totals.sort(key=lambda pair: (-pair[0], -pair[1].vector_score, pair[1].id))
    return [one for _, one in totals]


def _said(question: str, pool: Sequence[tuple[Ranked, RankedText]], weights: RankingWeights) -> list[float]:
    """Return what each memory's own text is worth, 0 to 1."""
    whole = weights.own
    return [
        (
            weights.meaning * min(max(one.vector_score, 0.0), 1.0)
            + weights.index_words * one.word_score
            + weights.share * share
        )
        / whole
        for (one, _), share in zip(pool, word_shares(question, [memory for _, memory in pool]), strict=True)
    ]


def word_shares(question: str, pool: Sequence[RankedText]) -> list[float]:
    """Return which share of the question's words each candidate has; one that few candidates have tells more."""
    texts = [_text(memory) for memory in pool]
    found = [0.0] * len(texts)
    possible = 0.0
    for stem in islice(stems(question), MOST_WORDS):
        holds = _holds(stem, texts)
        tells = math.log(1 + (len(texts) + 1) / (sum(holds) + 1))
        possible += tells
        for n, held in enumerate(holds):
            if held:
                found[n] += tells
    return [one / possible if possible else 0.0 for one in found]


def _around(
    pool: Sequence[tuple[Ranked, RankedText]], said: Sequence[float], weights: RankingWeights
) -> list[tuple[float, float]]:
    """Return what each memory's session and its neighbours add to it."""
    begins: dict[tuple[str, int], float] = {}
    ends: dict[tuple[str, int], float] = {}
    sessions: dict[str, float] = {}
    for (_, memory), score in zip(pool, said, strict=True):
        if not memory.session:
            continue
        sessions[memory.session] = max(score, sessions.get(memory.session, 0.0))
        if memory.source_messages is not None:
            first, last = memory.source_messages
            begins[memory.session, first] = max(score, begins.get((memory.session, first), 0.0))
            ends[memory.session, last] = max(score, ends.get((memory.session, last), 0.0))
    return [
        (weights.session * sessions.get(memory.session, 0.0), _neighbours(memory, begins, ends, weights))
        for _, memory in pool
    ]


def _faded(decay: Sequence[float]) -> list[float]:
    """Return how much each has faded beside the one that has faded least, 0 to 1."""
    # Bounded: what was used a hundred times counts more than what was used twice, not fifty times as much.
    counts = [max(one, 0.0) / (1.0 + max(one, 0.0)) for one in decay]
    most = max(counts, default=0.0)
    return [1.0 - count / most for count in counts] if most > 0 else []


def _joined(
    pool: Sequence[tuple[Ranked, RankedText]], said: Sequence[float], edges: Sequence[Edge], weights: RankingWeights
) -> dict[str, float]:
    """Return what the edges to strong candidates add to others."""
    if not edges:
        return {}
    own = {memory.id: score for (_, memory), score in zip(pool, said, strict=True)}
    strong = {one: own[one] for one in sorted(own, key=lambda one: -own[one])[: weights.strong]}
    added: dict[str, float] = {}
    for edge in edges:
        if edge.relation in RESERVED or (edge.relation == RELATED and edge.strength < 1.0):
            continue
        for one, other in ((edge.from_id, edge.to_id), (edge.to_id, edge.from_id)):
            if one in own and other in strong and one != other:
                more = weights.related * edge.strength * strong[other]
                added[one] = max(more, added.get(one, 0.0))
    return added


def _neighbours(
    memory: RankedText,
    begins: Mapping[tuple[str, int], float],
    ends: Mapping[tuple[str, int], float],
    weights: RankingWeights,
) -> float:
    if not memory.session or memory.source_messages is None:
        return 0.0
    leans = min(weights.brief / max(len(memory.content), 1), 1.0)
    session = memory.session
    first, last = memory.source_messages
    told = weights.after * begins.get((session, last + 1), 0.0)
    if _is_a_persons(memory):
        told += weights.before * ends.get((session, first - 1), 0.0)
        told += weights.two_before * ends.get((session, first - 2), 0.0)
    return leans * told


def _lacks(memory: RankedText, weights: RankingWeights) -> float:
    """Return how much of a person's utterance is missing to say something, 0 to 1."""
    length = len(memory.content)
    if length >= weights.full or not _is_a_persons(memory):
        return 0.0
    return 1.0 - math.log(max(length, 1)) / math.log(weights.full)


def _text(memory: RankedText) -> str:
    """Return the beginning of what a memory says, in lower case, with a blank between words and at both ends."""
    return _prepared(memory.title, memory.speaker, memory.content)


@remembered(2048)
def _prepared(title: str, speaker: str, content: str) -> str:
    said = content[:LONGEST_TEXT]
    if speaker and is_person(speaker):
        said = f"{speaker} {said}"
    if title:
        said = f"{title} {said}"
    return f" {said.lower().translate(_APART)} "


def _holds(stem: str, texts: Sequence[str]) -> list[bool]:
    """Return which texts have a word that begins with the stem; a short stem has to be the word, or its plural.

    Looking into prepared texts takes a tenth of the time of taking them apart.
    """
    if not stem.isascii() and len(stem) == 2:
        # Two characters of a script without blanks between words.
        return [stem in text for text in texts]
    stem = " ".join(stem.translate(_APART).split())
    if len(stem) > _SHORT_STEM:
        start = f" {stem}"
        return [start in text for text in texts]
    word, plural = f" {stem} ", f" {stem}s "
    return [bool(stem) and (word in text or plural in text) for text in texts]


def _is_a_persons(memory: RankedText) -> bool:
    return bool(memory.speaker) and is_person(memory.speaker)


def _is_the_users(memory: RankedText) -> bool:
    return memory.speaker.casefold() == "user" if memory.speaker else memory.source is Source.USER


def _is_named(speaker: str, asked: set[str]) -> bool:
    """Return whether a question has one of a person's names."""
    parts = speaker.casefold().translate(_APART).split()
    return is_person(speaker) and any(part in asked for part in parts if len(part) > 1)
