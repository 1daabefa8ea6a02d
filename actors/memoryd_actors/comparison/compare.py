"""What a new statement is to an old one, decided by what differs; similarity alone decides nothing."""

from typing import Final

from msgspec.structs import replace

from memoryd_actors.comparison.canon import Canon, canon, equal
from memoryd_actors.comparison.changes import NOT, ONE_OF_SEVERAL, OPENER, cannot_both_be, changes, ends_part, excludes
from memoryd_actors.comparison.difference import difference, pair
from memoryd_actors.comparison.statement import Comparison, Statement
from memoryd_actors.comparison.tokens import words
from memoryd_actors.redaction.finding import MARKER
from memoryd_actors.texts.dates import RELATIVE

_REWORDED: Final = 0.95
"""How sure it is that two texts say the same where what differs is harmless; to the word, it is certain."""
_SURE: Final = 0.7
"""That the new one takes the place of the old, or that only one of two values can be so."""
CERTAIN: Final = 0.9
"""That two cannot both be true, without a model and though neither says that anything changed."""
_NEAR: Final = 0.5
_FAR: Final = 0.8
NEAR: Final = 0.65
"""Mean of cosine and shared words from which somebody should look at two that are not the same."""
_SELF: Final = words("self") - words("user")


def compare(new: Statement, old: Statement, cosine: float) -> Comparison:
    """Return what `new` is to `old`, from their words and the cosine of their vectors. A text is read once."""
    if MARKER.search(new.text) or MARKER.search(old.text):
        # Two secrets that were taken out look alike, and are not.
        if new.text.split() == old.text.split():
            return Comparison("same", 1.0, "the same words")
        return Comparison("resembles", _NEAR, "a secret that is not kept", True)
    one, other = canon(new.text), canon(old.text)
    circumstances = _circumstances(new, old, one, other)
    if not circumstances and one.layout == other.layout and equal(one, other):
        exact = one.tokens == other.tokens
        return Comparison("same", 1.0 if exact else _REWORDED, "the same words" if exact else "other marks or forms")
    found = difference(one, other)
    guards = circumstances + found.guards
    reason = "; ".join(guards) or pair(found.new, found.old)
    corrects = new.category == "correction" and old.category != "correction"
    of_one = not any(guard.startswith("speaker ") for guard in guards)
    newer = changes(one, other, found, corrects=corrects) if of_one else ""
    part = bool(newer) and ends_part(one, other)
    if newer and not part:
        return Comparison("changes", _SURE, f"{reason} ({newer})", bool(guards))
    sure = of_one and not circumstances and cannot_both_be(one, other, found)
    if part or sure or (of_one and excludes(one, other, found)):
        certain = sure and not ONE_OF_SEVERAL.search(one.text)
        return Comparison("contradicts", CERTAIN if certain else _SURE, reason, True)
    nearness = 0.5 * cosine + 0.5 * found.coverage
    near = Comparison("resembles", _NEAR if nearness >= NEAR else _FAR, reason, bool(guards))
    # What is said to be Helix, not Vim, is compared by its Helix, and what begins with `No, ` by what follows.
    told, before = (replace(side, text=_as_told(side.text)) for side in (new, old))
    others = (compare(*sides, cosine) for sides in ((new, before), (told, before)) if sides != (new, old))
    return next((one for one in others if one.relation in {"changes", "contradicts"}), near)


def _as_told(text: str) -> str:
    said = OPENER.sub("", text)
    match = NOT.fullmatch(said)  # one that is looked for at each place takes the square of the time
    return f"{match['said']}{match['rest']}" if match else said


def _circumstances(new: Statement, old: Statement, one: Canon, other: Canon) -> tuple[str, ...]:
    """Return what differs though the words may not: who says `I`, and on which day `tomorrow` was said."""
    guards: list[str] = []
    words = {token.folded for token in (*one.tokens, *other.tokens)}
    if new.speaker and old.speaker and new.speaker.casefold() != old.speaker.casefold() and words & _SELF:
        guards.append(f"speaker {new.speaker} ≠ {old.speaker}")
    days = ((one.occurred_at or one.created_at) for one in (new, old))
    said, before = (f"{day:%Y-%m-%d}" if day else "" for day in days)
    if said and before and said != before and words & RELATIVE:
        guards.append(f"date {said} ≠ {before}")
    return tuple(guards)
