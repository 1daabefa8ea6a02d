"""What a new statement is to an old one, decided by what differs.

Same is what differs in nothing that is not known to be harmless (`sameness`), or what is known to follow from the
other (`fuller`); similarity has no say in it. A logistic combination of all features of a pair, fitted to all sets of
sentence pairs but one and applied to that one, merges fewer duplicates for 1% of the conflicts (`python -m
benchmarks.pairs`). Nor does the cosine tell a synonym: of the pairs left in which one word stands in the place of
another, and nothing else differs, 8 are duplicates and 46 conflicts from 0.95 on, 4 and 9 from 0.98 on. The weights
below are few and round; they order pairs within a kind.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from memoryd_actors.comparison.clock import on_the_clock
from memoryd_actors.comparison.cues import update_cue
from memoryd_actors.comparison.difference import Difference, difference, spelled
from memoryd_actors.comparison.endings import ends_something_else
from memoryd_actors.comparison.fuller import Fuller, fuller
from memoryd_actors.comparison.moves import left_behind
from memoryd_actors.comparison.punctuation import otherwise_marked
from memoryd_actors.comparison.sameness import Unlike, unlike
from memoryd_actors.comparison.slots import exclusive, of_others
from memoryd_actors.comparison.statement import Comparison, Statement
from memoryd_actors.comparison.subjects import changes
from memoryd_actors.comparison.tokens import Reading, read

_REWORDED: Final = 0.95
"""How sure it is that two texts say the same where what differs is harmless; to the word, it is certain."""
_IMPLIED: Final = 0.8
"""How sure it is where one says what follows from the other."""
_REPUNCTUATED: Final = 0.5
"""Of the same words with other marks between them: a comma makes another sentence of it, or changes nothing."""
_EXCLUSIVE: Final = 0.7
"""How sure it is that two values exclude each other where nothing else differs."""
_FEW_DIFFER: Final = 4
"""Words of meaning that only one of them has, up to which it is asked whether one follows from the other."""
_TOLD: Final[dict[Fuller, str]] = {
    "new": "the new one says it all, and more",
    "old": "the old one says it all, and more",
    "either": "told in another way",
    "": "",
}
_SHARED_TO_DIFFER: Final = 2
"""Words of meaning that two statements share before one can replace the other, unless little else is said."""
_PLAIN: Final = 0.7
_CLAIM: Final = 0.5
"""From this strength on what differs is a conflict and not another topic."""
_ABOUT_THE_SAME: Final = 0.4
"""From here on a statement that announces a change may be about the same thing."""
_PERHAPS: Final = 0.55
"""How sure it is that something changed where that may be something else: a doubt, whatever the words share."""
_THIS: Final = 0.7
"""How sure it is at least that something changed where nothing but one value of it differs."""
_NEVER: Final = 0.45
"""Cosine from which `I never ...` may deny what is told elsewhere in quite other words; always in doubt."""
_FAR_APART: Final = 1.4
"""Two statements as close as 0.9, on the mean of cosine and shared words, are in doubt."""
_RELATIVE: Final = frozenset({"@today", "@tomorrow", "@yesterday"})
_FIRST_PERSON: Final = frozenset(
    {
        "i",
        "me",
        "my",
        "mine",
        "we",
        "us",
        "our",
        "ich",
        "mich",
        "mir",
        "mein",
        "meine",
        "wir",
        "je",
        "j",
        "moi",
        "mon",
        "ma",
    }
)


def compare(new: Statement, old: Statement, cosine: float) -> Comparison:
    """Return what `new` is to `old`, from their words and the cosine of their vectors.

    Pure, and well under a millisecond for two sentences of 200 characters; a text is read once and then remembered.
    """
    new, old = _on_the_clock(new), _on_the_clock(old)
    one, other = read(new.text), read(old.text)
    found = difference(one, other)
    around = _circumstances(new, old, one, other)
    guards = (*around, *found.guards)
    between = unlike(new.text, old.text)
    near = max(len(found.new_only), len(found.old_only)) <= _FEW_DIFFER
    if same := _same(new.text, old.text, between, guards=guards, may_follow=near and not around):
        return same
    elsewhere = ends_something_else(new.text, one, other, found) or of_others(new.text, old.text)
    which = changes(new.text, old.text, one, other, found) if _announces(new, old) else "perhaps"
    slot = exclusive(new.text, old.text, cosine) if which != "else" and not elsewhere else ""
    if not elsewhere and (slot := slot or left_behind(new.text, old.text)):
        return _one_of_two(new, old, found, "; ".join(guards) or slot)
    if between.hard and not found.guards:
        guards = (*guards, between.hard)
        found = replace(found, values=found.values or between.value)
    if found.swapped and not (found.new_only or found.old_only):
        guards = (*guards, "other order")
    replaced = min(len(found.new_only), len(found.old_only))
    reason = "; ".join((*guards, *_soft(found, one, other))) or between.soft
    strength = _strength(found, cosine)
    enough = found.shared >= _SHARED_TO_DIFFER or strength >= _PLAIN
    if (enough or which == "this") and not elsewhere and (newer := _newer(new, old, found)) and (guards or replaced):
        # An update is worded afresh: what counts is how much of the shorter one the longer one has.
        about = 0.4 * cosine + 0.5 * found.coverage + (0.1 if found.values else 0.0)
        if about >= _ABOUT_THE_SAME:
            sure = min(about, _PERHAPS) if which == "else" else max(about, _THIS) if which == "this" else about
            return Comparison("changes", _share(sure), f"{reason} ({newer})", bool(guards))
    if not (elsewhere or which == "else") and strength >= _CLAIM and (found.turned or found.values or found.swapped):
        return Comparison("contradicts", _share(strength), reason, bool(guards))
    if (
        found.turned
        and found.shared >= _SHARED_TO_DIFFER
        and cosine >= _NEVER
        and _says_never(one) != _says_never(other)
    ):
        return Comparison("contradicts", _share(strength), f"never; {reason}", True)
    # What is close and yet not the same is in doubt; what is far apart is merely similar.
    close = 0.5 * cosine + 0.5 * found.coverage
    return Comparison("resembles", _share(_FAR_APART - close), reason, bool(guards))


def _on_the_clock(one: Statement) -> Statement:
    """Return a statement as it is read, so that places in its text are those of what was read."""
    told = on_the_clock(one.text)
    return one if told == one.text else replace(one, text=told)


def _same(new: str, old: str, between: Unlike, *, guards: Sequence[str], may_follow: bool) -> Comparison | None:
    """Return that two texts say the same, or one says what follows from the other; None where neither is known.

    Where only the marks between the words differ, that is in doubt.
    """
    if otherwise_marked(new, old):
        return Comparison("resembles", _REPUNCTUATED, "other punctuation", True)
    if not guards and not between:
        one, other = ([token.stem for token in read(text).tokens] for text in (new, old))
        return (
            Comparison("same", 1.0, "the same words")
            if one == other
            else Comparison("same", _REWORDED, "other wording")
        )
    if may_follow and (which := fuller(new, old)):
        return Comparison("same", _IMPLIED, _TOLD[which])
    return None


def _one_of_two(new: Statement, old: Statement, found: Difference, reason: str) -> Comparison:
    """Return what two statements are to each other, of which only one can be so."""
    if newer := _newer(new, old, replace(found, values=True)):
        return Comparison("changes", _EXCLUSIVE, f"{reason} ({newer})", True)
    return Comparison("contradicts", _EXCLUSIVE, reason, True)


def _says_never(reading: Reading) -> bool:
    return any(token.word in {"never", "nie", "niemals", "jamais"} for token in reading.tokens)


def _strength(found: Difference, cosine: float) -> float:
    """Return how much two statements say of one thing, so that what differs is a conflict and not another topic."""
    words = found.shared + len(found.new_only) + len(found.old_only)
    strength = 0.4 * cosine + 0.6 * (found.shared / words if words else 0.0)
    # Two halves in another order are often a clause that moved.
    return strength if found.turned or found.values else strength - 0.3


def _newer(new: Statement, old: Statement, found: Difference) -> str:
    """Return by what the new statement is known to replace the old one; empty where nothing says so."""
    # Two statements that both announce a change follow each other where a value differs.
    if (cue := update_cue(new.text)) and (found.values or not update_cue(old.text)):
        return f"says {cue!r}"
    if new.category == "correction" and old.category != "correction":
        return "a correction"
    if found.values and new.occurred_at and old.occurred_at and new.occurred_at > old.occurred_at:
        return "later"
    return ""


def _announces(new: Statement, old: Statement) -> bool:
    """Return whether a statement says itself that it takes the place of another."""
    return bool(update_cue(new.text)) or (new.category == "correction" and old.category != "correction")


def _circumstances(new: Statement, old: Statement, one: Reading, other: Reading) -> list[str]:
    """Return what differs though the words may not: who says `I`, and on which day `tomorrow` was said."""
    guards: list[str] = []
    if new.speaker and old.speaker and new.speaker.casefold() != old.speaker.casefold():
        words = {token.word for token in (*one.tokens, *other.tokens)}
        if words & _FIRST_PERSON:
            guards.append(f"speaker {new.speaker} ≠ {old.speaker}")
    said, before = _day(new), _day(old)
    if said and before and said != before and one.dates & other.dates & _RELATIVE:
        guards.append(f"date {said} ≠ {before}")
    return guards


def _day(statement: Statement) -> str:
    moment: datetime | None = statement.occurred_at or statement.created_at
    return f"{moment:%Y-%m-%d}" if moment else ""


def _soft(found: Difference, new: Reading, old: Reading) -> list[str]:
    said: list[str] = []
    if found.new_only and found.old_only:
        said.append(f"{spelled(found.new_only, new)} ≠ {spelled(found.old_only, old)}")
    if found.swapped and (found.new_only or found.old_only):
        said.append("other order")
    if found.restricted:
        said.append(f"only one says {found.restricted[0]!r}")
    return said


def _share(value: float) -> float:
    return round(min(max(value, 0.0), 1.0), 3)
