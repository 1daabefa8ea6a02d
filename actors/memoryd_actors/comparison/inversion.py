"""`Green is the user's favourite colour` and `the user's favourite colour is green`: a name and what it names."""

from collections.abc import Sequence
from typing import Final

from memoryd_actors.comparison.harmless import NEGATORS, OURS
from memoryd_actors.comparison.lexemes import Lexeme

COPULAS: Final = frozenset({"is", "was", "ist", "war", "est", "était", "es", "era"})
"""`Are` is not among them: all users are admins, and not all admins users."""
DEFINITE: Final = frozenset("the der die das le la l' el".split())
OWNED: Final = frozenset("my his her our their your mein meine sein seine ihr ihre mon ma son sa mi su".split())
_LONGEST_NAME: Final = 3
_LONGEST: Final = 10
_PLAIN: Final = frozenset({"name", "number", "unit", "date", "word"})
BOUND: Final = (
    frozenset(
        """
        only just also all every each any no both either it this that there here what who which he she i you we they
        nur auch alle es das dies was wer er sie ich seulement aussi tout il elle ce qui sólo también todo
        and or und oder et ou y o
        """.split()
    )
    | NEGATORS
)
"""Words with which the two sides are not one."""


def inverted(given: Sequence[Lexeme]) -> tuple[Lexeme, ...]:
    """Return a canonical text told the other way round; nothing where that is not known to say the same.

    On the left stands a name, a number or one word without an article; on the right what it is the only one of.
    """
    at = next((place for place, one in enumerate(given[: _LONGEST_NAME + 1]) if one.text in COPULAS), 0)
    left, right = given[:at], given[at + 1 :]
    if not at or not 1 <= len(right) <= _LONGEST or any(one.text in COPULAS for one in right):
        return ()
    if any(one.kind not in _PLAIN or one.article for one in left) or (at > 1 and not _is_name(left)):
        return ()
    if any(one.kind in {"mark", "symbol"} or (one.folded or one.text) in BOUND for one in given):
        return ()
    thing = right[0]._replace(article=right[0].article.rstrip("*"))
    if thing.article not in DEFINITE | OURS and thing.text not in OWNED and "'s" not in {one.text for one in right}:
        return ()
    return (thing, *right[1:], given[at], *left)


def _is_name(given: Sequence[Lexeme]) -> bool:
    return all(one.kind != "word" or one.first for one in given)
