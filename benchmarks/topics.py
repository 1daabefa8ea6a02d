"""How well a change of topic is noticed, on three public sets of dialogues with marked topics.

Every dialogue is played turn by turn. At a user's turn the context is what was said up to it, reduced by the
pipeline's own cleaning and focus; the next context also holds the reply, and may complete the decision, as in the
daemon. The vectors are the real model's. A user's turn is every other message, the first one included (DialSeg711 and
TIAGE name no speakers), or what is marked `user:` (BEAM). The first turn decides nothing.

P, R and F1 are counted over all decisions, against the topics that begin at a user's turn; `F1 all` also counts those
that begin with a reply, which no rule that decides at the user's turn can find. `F1 next` moves those to the user's
turn that follows, the first one at which they can be seen; where no user speaks any more, they are missed. Pk is the
mean over dialogues, against all topics, with k half the mean length of the dialogue's true segments, rounded, at
least 1.

`held out` chooses the threshold in four fifths of the dialogues and applies it to the fifth, five times. `other sets`
chooses it on the other sets; below it stands the F1 of the threshold that is best on the set itself. Both choose
the threshold only: the weights of the rule `exchange` were chosen with all three sets in view. The floor calls every
turn a new topic.

Reads every folder with a dev.jsonl of dialogues (id, utterances, segments) in a data folder, which is not part of this
repository.
"""

import argparse
import statistics
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import accumulate
from pathlib import Path
from time import perf_counter
from typing import Any

import msgspec
import numpy as np

from benchmarks.recall.data import DEFAULT
from benchmarks.record import RESULTS, write
from benchmarks.vectors import Embeddings
from memoryd_actors.ports.embedder import Vector
from memoryd_actors.recall.focus import Exchange
from memoryd_actors.recall.pipeline import Pipeline
from memoryd_actors.recall.topic import PLAIN, Topic, TopicRule, topic_change
from memoryd_client.wire.context import Message

RULES: tuple[tuple[TopicRule, str], ...] = (
    ("message", "request against one message"),
    ("request", "request against two messages"),
    ("exchange", "request and reply against two"),
)
THRESHOLD = 0.3
THRESHOLDS = tuple(round(0.2 + 0.01 * step, 2) for step in range(21))
FOLDS = 5
LOOKED_AT = 12
"""Messages of the context; the pipeline needs at most six of these."""
Vectors = Mapping[str, Vector]


class Dialogue(msgspec.Struct):
    """One line of a set."""

    id: str
    utterances: tuple[str, ...]
    segments: tuple[int, ...]
    """Lengths of the true segments, in messages."""


@dataclass(frozen=True)
class Turn:
    """A user's turn as the daemon sees it, twice."""

    at: int
    """Where its message stands."""
    asked: Exchange
    """At the turn itself."""
    answered: Exchange
    """With its reply, from the context after it."""


@dataclass(frozen=True)
class Played:
    """A dialogue and its turns."""

    length: int
    true: frozenset[int]
    turns: tuple[Turn, ...]
    users: frozenset[int]


@dataclass(frozen=True)
class Figures:
    precision: float
    recall: float
    f1: float
    f1_all: float
    f1_next: float
    pk: float


def run(folder: Path = DEFAULT, *, embeddings: Embeddings | None = None) -> dict[str, Any]:
    """Measure every rule on every set, print a table, return the figures."""
    names = available(folder)
    if not names:
        sys.exit(no_data(folder))
    sets = {name: [play(one) for one in read(folder / name / "dev.jsonl")] for name in names}
    vectors = embedded(
        embeddings or Embeddings(), (turn for some in sets.values() for one in some for turn in one.turns)
    )
    figures: dict[str, Any] = {}
    for name, some in sets.items():
        found = sum(len(one.true & one.users) for one in some)
        print(f"\n{name}: {len(some)} dialogues, {found} topics begin at a user's turn, {topics(some) - found} do not")
        print(f"{'':32}{'P':>7}{'R':>7}{'F1':>7}{'F1 all':>8}{'F1 next':>8}{'Pk':>7}")
        figures[name] = {"floor": show("floor: every turn", score(some, always(some)))}
        for rule, label in RULES:
            figures[name][rule] = show(label, score(some, changes(some, vectors, rule, THRESHOLD)))
    if min(map(len, sets.values())) >= FOLDS:
        figures["held out"] = held_out(sets, vectors)
    if len(sets) > 1:
        figures["other sets"] = other_sets(sets, vectors)
    figures["timing"] = timing(sets, vectors)
    return figures


def available(folder: Path) -> list[str]:
    """Return the names of the sets of dialogues in a folder."""
    if not folder.is_dir():
        return []
    return sorted(one.parent.name for one in folder.glob("*/dev.jsonl") if _has_dialogues(one))


def no_data(folder: Path) -> str:
    """Return what to say where a folder has no dialogues."""
    return (
        f"no dialogues in {folder}: there must be folders with a dev.jsonl of id, utterances and segments.\n"
        "Name the folder that has them: python -m benchmarks.topics FOLDER"
    )


def _has_dialogues(path: Path) -> bool:
    with path.open("rb") as file:
        try:
            msgspec.json.decode(file.readline(), type=Dialogue)
        except msgspec.MsgspecError:
            return False
    return True


def read(path: Path) -> list[Dialogue]:
    decode = msgspec.json.Decoder(Dialogue).decode
    return [decode(line) for line in path.read_bytes().splitlines() if line]


def play(dialogue: Dialogue) -> Played:
    """Return the user's turns of a dialogue, each seen from its own context and from the next."""
    messages = [message(number, text) for number, text in enumerate(dialogue.utterances)]
    users = [number for number, one in enumerate(messages) if one.role == "user"]
    turns: list[Turn] = []
    for number, at in enumerate(users[1:], 1):
        now = Pipeline.read(messages[max(at - LOOKED_AT, 0) : at + 1], "turn")
        following = users[number + 1] if number + 1 < len(users) else None
        end = len(messages) if following is None else following + 1
        later = Pipeline.read(messages[max(at - LOOKED_AT, 0) : end], "turn")
        if now is None or later is None or now.turn is None:
            continue
        # After the last reply nobody speaks any more: that context ends with the reply.
        answered = later.turn if following is None else later.last_turn
        turns.append(Turn(at, now.turn, answered or now.turn))
    true = frozenset(accumulate(dialogue.segments[:-1]))
    return Played(len(messages), true, tuple(turns), frozenset(users))


def message(number: int, text: str) -> Message:
    speaker, colon, said = text.partition(": ")
    if colon and speaker in {"user", "assistant"}:
        return Message("user" if speaker == "user" else "assistant", said)
    return Message("assistant" if number % 2 else "user", text)


def embedded(embeddings: Embeddings, turns: Iterable[Turn]) -> Vectors:
    texts = sorted({text for turn in turns for one in (turn.asked, turn.answered) for text in one.texts})
    return dict(zip(texts, embeddings.of(texts), strict=True))


def decide(one: Exchange, vectors: Vectors, rule: TopicRule, threshold: float) -> Topic:
    return topic_change(one, np.stack([vectors[text] for text in one.texts]), rule=rule, threshold=threshold)


def changes(some: Sequence[Played], vectors: Vectors, rule: TopicRule, threshold: float) -> list[frozenset[int]]:
    """Return where each dialogue is said to change its topic."""

    def changed(turn: Turn) -> bool:
        if decide(turn.asked, vectors, rule, threshold).changed:
            return True
        return rule == "exchange" and decide(turn.answered, vectors, rule, threshold).changed

    return [frozenset(turn.at for turn in one.turns if changed(turn)) for one in some]


def always(some: Sequence[Played]) -> list[frozenset[int]]:
    """Return the floor: each turn that could begin a topic is said to."""
    return [frozenset(turn.at for turn in one.turns) for one in some]


def score(some: Sequence[Played], said: Sequence[frozenset[int]]) -> Figures:
    hits = sum(len(found & one.true) for one, found in zip(some, said, strict=True))
    claimed = sum(map(len, said))
    reachable = sum(len(one.true & one.users) for one in some)
    return Figures(
        precision=hits / max(claimed, 1),
        recall=hits / max(reachable, 1),
        f1=2 * hits / max(claimed + reachable, 1),
        f1_all=2 * hits / max(claimed + topics(some), 1),
        f1_next=f1_next(some, said),
        pk=statistics.mean(pk(one, found) for one, found in zip(some, said, strict=True)),
    )


def f1_next(some: Sequence[Played], said: Sequence[frozenset[int]]) -> float:
    """Return the F1 where a topic that begins with a reply begins at the user's turn after it."""
    hits = claimed = begun = 0
    for one, found in zip(some, said, strict=True):
        seen = {
            at if at in one.users else min((user for user in one.users if user > at), default=-1) for at in one.true
        }
        lost = sum(at > max(one.users) for at in one.true)
        hits += len(found & seen)
        claimed += len(found)
        begun += len(seen - {-1}) + lost
    return 2 * hits / max(claimed + begun, 1)


def topics(some: Sequence[Played]) -> int:
    return sum(len(one.true) for one in some)


def pk(one: Played, found: frozenset[int]) -> float:
    """Return the share of places k messages apart that are wrongly put together or apart (Beeferman et al., 1999)."""
    k = max(1, round(one.length / (len(one.true) + 1) / 2))

    def segments(starts: frozenset[int]) -> list[int]:
        return list(accumulate(int(number in starts) for number in range(one.length)))

    true, said = segments(one.true), segments(found)
    places = range(one.length - k)
    wrong = sum((true[at] == true[at + k]) != (said[at] == said[at + k]) for at in places)
    return wrong / len(places) if places else 0.0


def show(label: str, one: Figures) -> dict[str, float]:
    print(
        f"{label:32}{one.precision:7.3f}{one.recall:7.3f}{one.f1:7.3f}{one.f1_all:8.3f}{one.f1_next:8.3f}{one.pk:7.3f}",
        flush=True,
    )
    return {name: round(value, 4) for name, value in asdict(one).items()}


def held_out(sets: Mapping[str, Sequence[Played]], vectors: Vectors) -> dict[str, Any]:
    """Choose one threshold for all sets in four fifths of the dialogues, apply it to the fifth."""
    near = {name: [similarities(one, vectors) for one in some] for name, some in sets.items()}

    def others(name: str, threshold: float, fold: int) -> tuple[list[Played], list[frozenset[int]]]:
        kept = [number for number in range(len(sets[name])) if number % FOLDS != fold]
        return [sets[name][number] for number in kept], [near[name][number](threshold) for number in kept]

    figures: dict[str, Any] = {"thresholds": []}
    said: dict[str, list[frozenset[int]]] = {name: [frozenset()] * len(some) for name, some in sets.items()}
    for fold in range(FOLDS):
        totals = {bar: sum(score(*others(name, bar, fold)).f1 for name in sets) for bar in THRESHOLDS}
        best = max(totals, key=totals.__getitem__)
        figures["thresholds"].append(best)
        for name in sets:
            for number in range(fold, len(sets[name]), FOLDS):
                said[name][number] = near[name][number](best)
    print(f"\nheld out, thresholds {figures['thresholds']}")
    for name, some in sets.items():
        figures[name] = show(name, score(some, said[name]))
    return figures


def other_sets(sets: Mapping[str, Sequence[Played]], vectors: Vectors) -> dict[str, Any]:
    """Choose the threshold on the other sets, apply it to each."""
    scores: dict[float, dict[str, Figures]] = {bar: {} for bar in THRESHOLDS}
    for name, some in sets.items():
        near = [similarities(one, vectors) for one in some]
        for bar in THRESHOLDS:
            scores[bar][name] = score(some, [each(bar) for each in near])
    print("\nother sets")
    figures: dict[str, Any] = {}
    for name in sets:
        bar = max(THRESHOLDS, key=lambda bar: sum(one.f1 for other, one in scores[bar].items() if other != name))
        best = max(THRESHOLDS, key=lambda bar: scores[bar][name].f1)
        shown = show(f"{name} at {bar}", scores[bar][name])
        print(f"{'':32}best threshold {best}: F1 {scores[best][name].f1:.3f}")
        figures[name] = shown | {"threshold": bar, "best_threshold": best, "best_f1": round(scores[best][name].f1, 4)}
    return figures


def similarities(one: Played, vectors: Vectors) -> Callable[[float], frozenset[int]]:
    """Return the rule `exchange` for one dialogue as a function of the threshold, its comparisons already made."""
    # A decision at the threshold 2 is taken wherever the rule lets a turn decide at all.
    made = [
        (turn.at, tuple(decide(each, vectors, "exchange", 2.0) for each in (turn.asked, turn.answered)), turn)
        for turn in one.turns
    ]

    def changed(threshold: float) -> frozenset[int]:
        found: set[int] = set()
        for at, topics_, turn in made:
            for topic, each in zip(topics_, (turn.asked, turn.answered), strict=True):
                bar = threshold if each.reply else threshold - PLAIN
                if topic.changed and topic.similarity is not None and topic.similarity < bar:
                    found.add(at)
        return frozenset(found)

    return changed


def timing(sets: Mapping[str, Sequence[Played]], vectors: Vectors, sample: int = 2000) -> dict[str, float]:
    """Microseconds per decision without the model; the floor is the product of the vectors alone."""
    turns = [turn.answered for some in sets.values() for one in some for turn in one.turns]
    turns = turns[:: max(len(turns) // sample, 1)]
    took: list[float] = []
    floor: list[float] = []
    for turn in turns:
        stacked = np.stack([vectors[text] for text in turn.texts])
        said = len(turn.said)
        start = perf_counter()
        topic_change(turn, stacked, rule="exchange", threshold=THRESHOLD)
        took.append((perf_counter() - start) * 1e6)
        start = perf_counter()
        (stacked[:said] @ stacked[said:].T).max()
        floor.append((perf_counter() - start) * 1e6)
    figures = {"median_us": statistics.median(took), "p95_us": float(np.quantile(took, 0.95))}
    figures["floor_us"] = statistics.median(floor)
    print(
        f"\none decision without the model: median {figures['median_us']:.0f} us, p95 {figures['p95_us']:.0f} us; "
        f"the vectors' product alone: {figures['floor_us']:.1f} us"
    )
    return figures


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.topics", description=__doc__)
    parser.add_argument("data", nargs="?", type=Path, default=DEFAULT, help="folder with the sets")
    parser.add_argument("--cache", type=Path, help="keep the embeddings in this file")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder of the JSON")
    given = parser.parse_args(arguments)
    print(f"\nJSON: {write(given.results, 'topics', run(given.data, embeddings=Embeddings(given.cache)))}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
