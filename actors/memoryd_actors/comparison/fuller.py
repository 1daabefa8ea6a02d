"""Of two texts the one that says all that the other says: the other one need not be kept beside it."""

from itertools import product
from typing import Final, Literal

from memoryd_actors.comparison.canon import canon, layout
from memoryd_actors.comparison.degrees import weakened
from memoryd_actors.comparison.denials import asserted
from memoryd_actors.comparison.events import LESS, MORE, events, weighed
from memoryd_actors.comparison.idioms import plainer
from memoryd_actors.comparison.sameness import equal
from memoryd_actors.comparison.tokens import MARKER

Fuller = Literal["new", "old", "either", ""]
_LONGEST: Final = 300
"""Characters of a text that is read for it."""


def fuller(new: str, old: str) -> Fuller:
    """Return which of two texts says all that the other says; either where both do, empty where neither.

    Only by what is known to follow: who walks slowly walks, a boy is a child, what is closed is not open. What a text
    has and the other has not is in a closed list (`kinds`, `opposites`), and nothing in it denies, limits or doubts.
    """
    if max(len(new), len(old)) > _LONGEST or MARKER.search(new) or MARKER.search(old) or layout(new) or layout(old):
        return ""
    plain, told = plainer(new), plainer(old)
    one, other = plain or canon(new), told or canon(old)
    if (plain or told) and equal(one, other):
        return "either"
    if any(equal(each, other) for each in asserted(new)) or any(equal(each, one) for each in weakened(old)):
        return "either" if equal(one, other) else "old"
    if any(equal(each, one) for each in asserted(old)) or any(equal(each, other) for each in weakened(new)):
        return "new"
    now, before = events(new), events(old)
    # Of two that are both told of the one it is done to, who is where would be lost.
    ways = [(now.told, before.told), *product(now.turned, [before.told]), *product([now.told], before.turned)]
    found = (weighed(one, other) for one, other in ways if one and other)
    weight = next((each for each in found if each in _SAYS), None)
    return "" if weight is None else _SAYS[weight]


_SAYS: Final[dict[int, Fuller]] = {0: "either", LESS: "old", MORE: "new"}
