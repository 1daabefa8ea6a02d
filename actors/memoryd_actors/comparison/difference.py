"""Where two readings differ: what is in one only, what stands elsewhere, and what no similarity makes up for."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

from memoryd_actors.comparison.clock import one_time
from memoryd_actors.comparison.negation import agreeing, denied, denying, negations, opposites, restricting
from memoryd_actors.comparison.numerals import amount
from memoryd_actors.comparison.synonyms import meaning
from memoryd_actors.comparison.tokens import Reading

_LONGEST_NAMED = 3
"""Words of either side that a reason names."""

_AKIN = 4
"""Characters with which the forms of one word begin alike, at least."""

_FRONTING = frozenset("on in at since every during am im seit jeden le en au chaque depuis el los cada desde".split())
"""With which a day or a time begins that stands before the sentence instead of behind it."""
_LONGEST_LEFT = 40
"""Words that only one side has, up to which they are compared with one another: beyond, the texts differ anyway."""


@dataclass(frozen=True, slots=True)
class Difference:
    """What one text has and the other has not. `new` and `old` name the sides."""

    shared: int
    """Words of meaning in both."""
    new_only: tuple[str, ...]
    """Stems, in order, without those that differ by an ending only."""
    old_only: tuple[str, ...]
    order: float
    """Of the shared words, the share that stands in the same order; 1 where all do."""
    neighbours: float
    """Of the neighbouring pairs of shared words, the share that are neighbours on the other side, too."""
    light: float
    """Share of the words without meaning of their own that both have."""
    new_numbers: tuple[str, ...]
    old_numbers: tuple[str, ...]
    turned: bool
    """One denies what the other says."""
    opposite: tuple[tuple[str, str], ...]
    swapped: bool
    """The shared words stand in another order, and neither a clause that moved nor a passive explains it."""
    restricted: tuple[str, ...]
    """Words of one side alone that say how far, how sure or where."""
    subject: bool
    """Both begin a sentence with a word of meaning that the other lacks."""
    guards: tuple[str, ...]
    """What differs and is never the same, in words; empty where nothing does."""
    values: bool
    """Among the guards is a value: a number, a version, a date."""

    @property
    def coverage(self) -> float:
        """The share of the shorter side's words that the other side has."""
        least = self.shared + min(len(self.new_only), len(self.old_only))
        return self.shared / least if least else 1.0


def difference(new: Reading, old: Reading) -> Difference:
    """Compare two readings, word by word."""
    new_only, old_only = _without_shared(new.content, old.content)
    now, before = denied(new.tokens), denied(old.tokens)
    opposite = tuple(opposites(new_only[:_LONGEST_LEFT], old_only[:_LONGEST_LEFT]))
    for one, other in (pair for pair in opposite if agreeing(pair, now, before)):
        new_only, old_only = _without(new_only, one), _without(old_only, other)
    guards: list[str] = []
    new_numbers, old_numbers = _leftover(new.numbers, old.numbers)
    new_numbers, old_numbers = _without_equal(new_numbers, old_numbers, new, old)
    if new_numbers and old_numbers:
        guards.append(f"number {_named(new_numbers)} ≠ {_named(old_numbers)}")
    new_versions, old_versions = _leftover(new.versions, old.versions)
    if new_versions and old_versions:
        guards.append(f"version {_named(new_versions)} ≠ {_named(old_versions)}")
    if not guards and (recounted := _recounted(new, old)):
        guards.append(f"number of {recounted}")
    new_dates, old_dates = new.dates - old.dates, old.dates - new.dates
    if new_dates and old_dates:
        guards.append(f"date {spelled(new_dates, new)} ≠ {spelled(old_dates, old)}")
    values = bool(guards)
    negators = negations(new.tokens), negations(old.tokens)
    paired = {word for pair in opposite for word in pair}
    denied_by = [word for word in denying((*new_only, *old_only)) if word not in paired]
    turned = (sum(negators) + len(opposite) + len(denied_by)) % 2 == 1
    if turned and opposite:
        guards.append(f"opposite {spelled(opposite[0][:1], new)} ≠ {spelled(opposite[0][1:], old)}")
    elif turned:
        guards.append(f"negated: {denied_by[0]}" if denied_by else "negated")
    elif moved := _denial_moved(new, old, now, before):
        guards.append(f"negated: {moved}")
    new_names, old_names = new.names & frozenset(new_only), old.names & frozenset(old_only)
    if new_names and old_names:
        guards.append(f"name {spelled(new_names, new)} ≠ {spelled(old_names, old)}")
    order, neighbours = _order(new.content, old.content)
    return Difference(
        shared=len(new.content) - len(new_only),
        new_only=new_only,
        old_only=old_only,
        order=order,
        neighbours=neighbours,
        light=_overlap(_light(new), _light(old)),
        new_numbers=new_numbers,
        old_numbers=old_numbers,
        turned=turned,
        opposite=opposite,
        swapped=order < 1.0 and not _moved(new, old, new_only, old_only),
        restricted=tuple(restricting((*new_only, *old_only))),
        subject=bool(new.openers & frozenset(new_only)) and bool(old.openers & frozenset(old_only)),
        guards=tuple(guards),
        values=values,
    )


def _without_shared(new: Sequence[str], old: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    left, right = _leftover(new, old)
    if left and right:
        left, right = _leftover_by_meaning(left, right)
    if len(left) > _LONGEST_LEFT or len(right) > _LONGEST_LEFT:
        return left, right
    kept: list[str] = []
    remaining = list(right)
    for word in left:
        # The beginning first: most pairs of words have not even that in common.
        beginning = word[:_AKIN]
        akin = next((other for other in remaining if other[:_AKIN] == beginning and _akin(word, other)), None)
        if akin is None:
            kept.append(word)
        else:
            remaining.remove(akin)
    return tuple(kept), tuple(remaining)


def _akin(one: str, other: str) -> bool:
    """Return whether two stems are forms of one word: decide and decision's decid and decision."""
    if one.startswith("@") or other.startswith("@"):
        return False
    if one.endswith("less") != other.endswith("less"):
        return False
    short, long = sorted((one, other), key=len)
    common = 0
    for left, right in zip(short, long, strict=False):
        if left != right:
            break
        common += 1
    return common >= _AKIN and len(short) - common <= 1 and len(long) - common <= 4


def _leftover(new: Sequence[str], old: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what either side has more often than the other, in its order."""
    common = Counter(new) & Counter(old)
    return _minus(new, common), _minus(old, common)


def _leftover_by_meaning(new: Sequence[str], old: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    common = Counter(map(meaning, new)) & Counter(map(meaning, old))
    return _minus(new, common, meaning), _minus(old, common, meaning)


def _minus(words: Sequence[str], common: Counter[str], key: Callable[[str], str] = str) -> tuple[str, ...]:
    left = Counter(common)
    kept: list[str] = []
    for word in words:
        known = key(word)
        if left[known] > 0:
            left[known] -= 1
        else:
            kept.append(word)
    return tuple(kept)


def _without_equal(
    new_numbers: Sequence[str], old_numbers: Sequence[str], new: Reading, old: Reading
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Leave out times and measures that are one, as far as they tell: 9:00 and 09:00, 120 s and 2 min."""
    if not new_numbers or not old_numbers or max(len(new_numbers), len(old_numbers)) > _LONGEST_LEFT:
        return tuple(new_numbers), tuple(old_numbers)
    left, right = ({number: amount(number, what) for number, what in side.counted} for side in (new, old))

    def equal(one: str, other: str) -> bool:
        return one_time(one, other) or (one in left and left[one] == right.get(other))

    told = [one for one in new_numbers if not any(equal(one, other) for other in old_numbers)]
    return tuple(told), tuple(one for one in old_numbers if not any(equal(other, one) for other in new_numbers))


def _recounted(new: Reading, old: Reading) -> str:
    """Return of what there are so many on one side and another number, or one, on the other."""
    for side, other in ((new, old), (old, new)):
        numbers_of = {what: number for number, what in other.counted}
        for number, what in sorted(side.counted - other.counted):
            if numbers_of.get(what, number) != number or (number in other.numbers and what in other.content):
                return what
    return ""


def _moved(new: Reading, old: Reading, new_only: Sequence[str], old_only: Sequence[str]) -> bool:
    """Return whether one side is in the passive, or both are alike but for the order of clauses or of a list."""
    if new.passive != old.passive:
        return True
    left, right = set(new_only), set(old_only)
    for side, lacking, other in ((new, left, old), (old, right, new)):
        target = [word for word in other.content if word not in left and word not in right]
        for at in side.clauses:
            turned = [word for word in (*side.content[at:], *side.content[:at]) if word not in lacking]
            # `Alice and Bob` are `Bob and Alice`.
            pair = [word for word in (*side.content[: at - 1], *side.content[at - 1 : at + 1][::-1]) if at]
            pair = [word for word in (*pair, *side.content[at + 1 :]) if word not in lacking]
            if target in (turned, pair):
                return True
        if _is_fronted(side, [word for word in side.content if word not in lacking], target):
            return True
    return False


def _is_fronted(side: Reading, words: Sequence[str], target: Sequence[str]) -> bool:
    """Return whether one side begins with the day or the time that the other ends with: `on Mondays Ann rests`."""
    if not side.tokens or side.tokens[0].word not in _FRONTING or not 1 < len(words) == len(target):
        return False
    at = next((place for place, word in enumerate(words) if word.startswith("@") or word.isdecimal()), 2)
    return at < 2 and [*words[at + 1 :], *words[: at + 1]] == list(target)


def _denial_moved(new: Reading, old: Reading, now: frozenset[str], before: frozenset[str]) -> str:
    """Return the word that one side denies while the other says it."""
    moved = sorted((now - before) & frozenset(old.content)) + sorted((before - now) & frozenset(new.content))
    return moved[0] if moved else ""


def _without(words: tuple[str, ...], word: str) -> tuple[str, ...]:
    at = words.index(word)
    return (*words[:at], *words[at + 1 :])


def _light(reading: Reading) -> Counter[str]:
    return Counter(one.stem for one in reading.tokens if one.kind == "light")


def _overlap(new: Counter[str], old: Counter[str]) -> float:
    either = (new | old).total()
    return (new & old).total() / either if either else 1.0


def _order(new: Sequence[str], old: Sequence[str]) -> tuple[float, float]:
    places: dict[str, list[int]] = {}
    for place, word in enumerate(old):
        places.setdefault(word, []).append(place)
    at: list[int] = []
    for word in new:
        free = places.get(word)
        if free:
            at.append(free.pop(0))
    if len(at) < 2:
        return 1.0, 1.0
    tails: list[int] = []
    for place in at:
        where = bisect_left(tails, place)
        tails[where : where + 1] = [place]
    ranks = {place: rank for rank, place in enumerate(sorted(at))}
    following = sum(ranks[after] == ranks[before] + 1 for before, after in pairwise(at))
    return len(tails) / len(at), following / (len(at) - 1)


def spelled(stems: Collection[str], reading: Reading) -> str:
    """Return the first few words with these stems as the text has them, folded."""
    words = dict.fromkeys(one.word for one in reading.tokens if one.stem in stems)
    return ", ".join(list(words)[:_LONGEST_NAMED])


def _named(numbers: Sequence[str]) -> str:
    return ", ".join(numbers[:_LONGEST_NAMED])
