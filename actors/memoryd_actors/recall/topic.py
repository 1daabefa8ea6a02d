"""Step 4 of the pipeline: has the conversation turned to something else?

A request alone often sounds like something else ("and without the lock?"); what it was about shows in the reply. So a
topic is decided twice: at the request, where it is plain, and once more when its reply is known, with the next context.
Both compare text that does not overlap: windows that overlap almost never fall below 0.3, single messages do
so at 44% of all gaps. `benchmarks/topics.py` measures all of this.

Long messages within one project are the hard case (spliced BEAM chats, F1 .69; 150 of 171 errors are false changes):
the next task of a project is often as far from the last one as another chat is. No threshold gives more than .71 there;
a logistic regression over 30 such measures, up to eight messages back, fitted to that set alone, .75 held out.
"""

import math
import re
from collections.abc import Iterable
from typing import Literal

import msgspec

from memoryd_actors.judging.local_judge import PLEASANTRIES
from memoryd_actors.ports.embedder import Vector, Vectors
from memoryd_actors.recall.focus import FEW_WORDS, Exchange
from memoryd_actors.texts.languages import words_of
from memoryd_actors.texts.stems import stems
from memoryd_actors.texts.words import content_words

TopicRule = Literal["exchange", "request", "message"]
BLENDED_WORDS = 2 * FEW_WORDS
"""A request with fewer content words than this is searched together with what led to it."""
PLAIN = 0.2
"""How far below the threshold a request has to be to change the topic before its reply is known."""
SHORTEST = 4
"""Words of a request, of any kind, below which it decides nothing."""
LONGEST_READ = 2_000
"""Characters of a message whose words are compared."""
COURTESIES = PLEASANTRIES | words_of("recall", "courtesies")
"""Words of thanks, agreement and parting. A request of nothing else left the topic in none of 163 cases (DialSeg711)
in which its vector was far from what came before it."""
_WORD = re.compile(r"[^\W_]+")
_QUESTION_MARKS = "?\uff1f\u061f"
"""Latin, East Asian and Arabic."""


class Topic(msgspec.Struct, frozen=True):
    """The decision, and the similarity it rests on (None where nothing could be compared)."""

    changed: bool
    similarity: float | None


UNDECIDED = Topic(changed=False, similarity=None)


def topic_change(exchange: Exchange, vectors: Vectors, *, rule: TopicRule, threshold: float) -> Topic:
    """Decide whether a user's turn leaves the topic of the messages before it.

    Args:
        exchange: the turn; its reply is empty where there is none yet.
        vectors: unit vectors of `exchange.texts`, shape (n, dimensions).
        rule: `exchange` compares request and reply with the two messages before them; `request` the request alone;
            `message` the request with the one message before it.
        threshold: similarity below which the topic has changed.
    """
    said = len(exchange.said)
    new, before = vectors[:said], vectors[said:]
    if len(before) == 0:
        return UNDECIDED
    if rule == "message":
        similarity = float(new[0] @ before[0])
        return Topic(similarity < threshold, similarity)
    if rule == "request":
        similarity = float((before @ new[0]).max())
        return Topic(similarity < threshold and len(content_words(exchange.request)) >= FEW_WORDS, similarity)
    words = topic_words(exchange.request)
    similarity = nearness(exchange, new, before, words=words)
    if words == 0 or is_short(exchange.request):
        return Topic(changed=False, similarity=similarity)
    return Topic(similarity < (threshold if exchange.reply else threshold - PLAIN), similarity)


def nearness(exchange: Exchange, new: Vectors, before: Vectors, *, words: int) -> float:
    """Return how near a turn is to what came before it; 0.3 is where a topic ends.

    The best cosine of a pair of messages, the cosine of the two sides' means and the words that both have; something
    added where a request has few words to go by, a little off for a question: who asks opens topics more often than who
    answers. One set of weights for DialSeg711, TIAGE and spliced BEAM chats, chosen where F1 is flat around them.
    """
    best = float((new @ before.T).max())
    ours, theirs = new.sum(axis=0), before.sum(axis=0)
    lengths = float((ours @ ours) ** 0.5 * (theirs @ theirs) ** 0.5)
    mean = float(ours @ theirs) / lengths if lengths > 1e-6 else 0.0
    shared = word_overlap(exchange.said, exchange.before)
    asks = any(mark in exchange.request for mark in _QUESTION_MARKS)
    unsure = 0.05 * max(0, FEW_WORDS - words)
    return 0.6 * best + 0.3 * mean + 0.5 * shared + unsure - (0.05 if asks else 0.0)


def word_overlap(ours: Iterable[str], theirs: Iterable[str]) -> float:
    """Return the cosine of two sides' sets of stems; 0 to 1."""
    here = {stem for text in ours for stem in stems(text[:LONGEST_READ])}
    there = {stem for text in theirs for stem in stems(text[:LONGEST_READ])}
    return len(here & there) / math.sqrt(len(here) * len(there)) if here and there else 0.0


def topic_words(text: str) -> int:
    """Count the words of a request that can name a topic."""
    return sum(word not in COURTESIES for word in content_words(text[:LONGEST_READ]))


def is_short(text: str) -> bool:
    """Return whether a request is too short to decide anything."""
    return sum(1 for _ in zip(_WORD.finditer(text), range(SHORTEST), strict=False)) < SHORTEST


def blended(request: Vector, before: Vectors, *, words: int) -> Vector:
    """Return the unit vector to search with: the request, and for a short one a share of what led to it."""
    if words >= BLENDED_WORDS or len(before) == 0:
        return request
    share = 0.35 if words < FEW_WORDS else 0.2
    mixed = (1 - share) * request + share * before.mean(axis=0)
    length = float((mixed @ mixed) ** 0.5)
    return mixed / length if length > 1e-6 else request
