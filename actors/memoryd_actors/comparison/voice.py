"""Forms of verbs, and what is being done by somebody, told of the one who does it."""

from collections.abc import Sequence
from typing import Final

from memoryd_actors.comparison.equivalents import canonical
from memoryd_actors.comparison.kinds import MANNER
from memoryd_actors.comparison.lexemes import Lexeme
from memoryd_actors.comparison.tokens import irregular

UNCHANGED: Final = frozenset({"run", "set", "put", "hit", "cut", "read", "spread", "shut", "let", "split"})
"""Verbs whose participle is themselves."""
_MORE: Final = {
    "drunk": "drink",
    "shaken": "shake",
    "beaten": "beat",
    "hidden": "hide",
    "bitten": "bite",
    "swept": "sweep",
}
_DOUBLED: Final = frozenset("run set put hit cut shut let split get swim win begin sit dig".split())
PLACED: Final = frozenset("in on at with into onto from beside near under over through across".split())
"""Words behind which it is said where."""
_ANY: Final = {"is": "(is)", "are": "(is)", "was": "(was)", "were": "(was)"}
TURNED: Final = {"(is)": frozenset({"is", "are"}), "(was)": frozenset({"was", "were"})}
"""Of one or of many: the one who does it was not what the verb stood beside."""


def active(given: Sequence[Lexeme]) -> list[tuple[Lexeme, ...]]:
    """Return the ways in which `A is being done by B in C` can be told of B; none where nothing is being done by one.

    C may be where B is, or where it is done.
    """
    being = next((at for at in range(2, len(given) - 2) if given[at].text == "being"), 0)
    be = being - 1
    if not being or given[be].text not in _ANY:
        return []
    done = being + 1
    how = given[done : done + 1] if given[done].text in MANNER else ()
    done += len(how)
    by = next((at for at in range(done + 1, len(given) - 1) if given[at].text == "by"), 0)
    doing = doing_of(given[done].text) if by else ""
    if not doing:
        return []
    agent = given[by + 1 :]
    ends = [len(agent)]
    ends += [at for at in range(1, len(agent)) if agent[at].text in PLACED][:1]
    verb = Lexeme(canonical(doing), "word", canonical(doing))
    told = (Lexeme(_ANY[given[be].text], "word"), *how, verb, *given[:be], *given[done + 1 : by])
    return [(*agent[:end], *told, *agent[end:]) for end in ends]


def doing_of(participle: str) -> str:
    """Return the -ing form of a participle's verb: ridden, riding; chopped, chopping. Empty where it is none."""
    plain = irregular().get(participle) or _MORE.get(participle) or (participle if participle in UNCHANGED else "")
    if plain:
        if plain in _DOUBLED:
            return f"{plain}{plain[-1]}ing"
        return f"{plain[:-1]}ing" if plain.endswith("e") and not plain.endswith("ee") else f"{plain}ing"
    if participle.endswith("ied"):
        return f"{participle[:-3]}ying"
    return f"{participle[:-2]}ing" if participle.endswith("ed") else ""


def third(verb: str) -> str:
    """Return what he, she or it does: hates, passes, denies, has."""
    if verb == "have":
        return "has"
    if verb.endswith("y") and verb[-2:-1] not in _VOWELS:
        return f"{verb[:-1]}ies"
    return f"{verb}es" if verb.endswith(_HISSING) else f"{verb}s"


def past(verb: str) -> str:
    """Return what somebody did: hated, denied, lost."""
    if verb in _PAST:
        return _PAST[verb]
    if verb.endswith("y") and verb[-2:-1] not in _VOWELS:
        return f"{verb[:-1]}ied"
    return f"{verb}d" if verb.endswith("e") else f"{verb}ed"


_VOWELS: Final = frozenset("aeiou")
_HISSING: Final = ("s", "x", "z", "ch", "sh", "o")
_PAST: Final = {"lose": "lost", "win": "won", "forbid": "forbade", "have": "had", "permit": "permitted", "feel": "felt"}
