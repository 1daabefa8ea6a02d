"""What a statement says has changed, and whether that is what another one speaks of.

`The cluster now has 9 nodes` changes `The cluster has 3 nodes`; `The prod cluster now has 9 nodes` says nothing of
the dev cluster. Where nobody knows what the words mean, one difference is a change, and a second one another thing.
"""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Final, Literal

from memoryd_actors.comparison.cues import update_cues
from memoryd_actors.comparison.difference import Difference
from memoryd_actors.comparison.tokens import Reading, Token, stem

_VALUES: Final = frozenset({"number", "version"})
_CLAUSE: Final = re.compile(r"[,;:.!?](?=\s|\Z)")
_IS_THE: Final = re.compile(
    r"\W+(?:is|are|was|were|became|ist|sind|est|sont)\W+(?:\w+\W+)?(?:the|our|my|your|his|her|their|its|der|die|das|"
    r"unser\w*|mein\w*|le|la|les|notre|mon|ma)\b",
    re.IGNORECASE,
)
"""`Buildkite is now our CI server`: there is one, and which it is has changed."""
_WORD: Final = re.compile(r"\w+")
_OF: Final = re.compile(r"\w+['\u2019]s?\b(?!\s+(?:a|an|the|not|now)\b)")
_AS_EVER: Final = frozenset({"new", "current", "latest", "present", "actual", "neu", "neue", "aktuell", "nouveau"})
"""Stems that say of a thing that it is the one that is so now."""
_BE: Final = frozenset("is are was were ist sind est sont".split())
_ONE_AT_A_TIME: Final = frozenset(
    stem(word)
    for word in (
        "live lives living reside resides work works working called named located hosted "
        "wohne wohnt wohnen arbeite arbeitet arbeiten heißt heiße habite habitons travaille travaillons "
        "appelle vivo vive"
    ).split()
)
"""Stems of verbs: who lives in Munich now does not live in Hamburg; who likes tea now may like coffee."""
_BESIDE: Final = frozenset("with by on without mit von auf avec par sur con por".split())
"""Who works with Ben now may work with Ann; an app that works on Android now works on others, too."""
_AS_WELL: Final = frozenset(
    stem(word)
    for word in (
        "also too support accept allow include add offer sell speak know like love enjoy own "
        "auch akzeptieren unterstützt mag spricht aussi accepte parle aime"
    ).split()
)
"""What comes to something takes nothing away: who supports Python 3.12 now supports 3.11 as well."""
_WHO: Final = tuple(
    frozenset(words.split())
    for words in (
        "i me my mine we us our ours you your yours ich mir mich mein meine wir uns unser unsere je moi mon ma nous",
        "he him his er ihm ihn sein seine il lui",
        "she her hers elle",
    )
)
"""Who is spoken of. Who says `I` and whom others call `you` may be the same."""


Verdict = Literal["this", "perhaps", "else"]
"""Of what the old statement speaks of it is said that it changed: surely; it is not known; it is something else."""


def changes(text: str, former: str, new: Reading, old: Reading, found: Difference) -> Verdict:
    """Return whether what `text` says has changed is what `former` speaks of.

    `new` and `old` are the readings of both, `found` what differs. Where a number, a version or a date differs, no
    word stands in the place of another; else all that differs stands in one place. What is told before the words that
    announce the change is what changed, and the old statement tells of it, too. Where nothing but one value differs,
    of something that has one at a time, it surely is the same.
    """
    spans = update_cues(text)
    said, told = _lacking(new, old, found.new_only, spans), _lacking(old, new, found.old_only, update_cues(former))
    words, others = [one for one in said if _is_word(one)], [one for one in told if _is_word(one)]
    if _somebody_else(new, old) or any(_OF.match(former, one.at) for one in others):
        return "else"
    together = bool(said and told) and _places(said, new) == _places(told, old) == 1
    named = together and text[said[-1].at - 1] == former[told[-1].at - 1] == "-"
    if words and others and (not together or (found.values and not named)):
        return "else"
    begin = max((part.end() for part in _CLAUSE.finditer(text, 0, spans[0][0])), default=0) if spans else 0
    leading = bool(spans) and any(one.kind != "light" and one.at >= spans[0][1] for one in new.tokens)
    until = spans[0][0] if leading else _shared_from(new, said)
    ahead = [one for one in said if begin <= one.at < until and one.stem not in _AS_EVER]
    plain = together and not (found.turned or found.swapped or found.restricted)
    if ahead and (leading or any(one.at < _shared_from(old, told) for one in told)):
        last = _WORD.match(text, ahead[-1].at)
        which = plain and len(said) == len(ahead) and bool(others) and last is not None
        return "this" if which and last is not None and _IS_THE.match(text, last.end()) else "else"
    return _of_one(said, told, new, old, spans) if plain else "perhaps"


def _of_one(
    said: Sequence[Token], told: Sequence[Token], new: Reading, old: Reading, spans: Sequence[tuple[int, int]]
) -> Verdict:
    """Return whether what differs, and stands at one place, is said of what has one of it at a time.

    Of that kind are values, where somebody lives, and what something is called.
    """
    if any(one.stem in _AS_WELL for one in new.tokens) or _is_word(said[-1]) != _is_word(told[-1]):
        return "else"
    if not _is_word(said[-1]):
        return "this"
    if not all(map(_is_word, (*said, *told))):
        return "perhaps"
    ahead = [one for one in new.tokens if one.at < said[0].at and not _within(one, spans)]
    before = [one for one in old.tokens if one.at < told[0].at]
    if said[0].capital != told[0].capital or (ahead and ahead[-1].word in _BESIDE):
        return "else"
    one = any(token.stem in _ONE_AT_A_TIME for token in ahead) or (
        said[0].capital and any(token.word in _BE for token in ahead[-2:])
    )
    if not (before and ahead and before[-1].stem == ahead[-1].stem):
        # `Is Swedish`, `is now in Oslo`.
        return "else"
    return "this" if one else "perhaps"


def _lacking(side: Reading, other: Reading, only: Sequence[str], spans: Sequence[tuple[int, int]]) -> list[Token]:
    """Return the words, numbers and versions that only one side has, but for those that announce a change."""
    left = Counter(only)
    left.update(Counter((*side.numbers, *side.versions)) - Counter((*other.numbers, *other.versions)))
    kept: list[Token] = []
    for token in side.tokens:
        if left[token.stem] <= 0 or _within(token, spans):
            continue
        left[token.stem] -= 1
        kept.append(token)
    return kept


def _within(one: Token, spans: Sequence[tuple[int, int]]) -> bool:
    return any(start <= one.at < end for start, end in spans)


def _is_word(one: Token) -> bool:
    return one.kind not in _VALUES and not one.stem.startswith("@")


def _places(words: Sequence[Token], side: Reading) -> int:
    """Return at how many places of a text these words stand: side by side they are one."""
    at = {token.at: place for place, token in enumerate(side.tokens)}
    stand = [at[one.at] for one in words]
    return 1 + sum(after - before > 1 for before, after in pairwise(stand))


def _shared_from(side: Reading, lacking: Sequence[Token]) -> int:
    """Return where the first word of meaning stands that the other side has, too."""
    apart = {one.at for one in lacking}
    return next((one.at for one in side.tokens if one.kind == "content" and one.at not in apart), 0)


def _somebody_else(new: Reading, old: Reading) -> bool:
    now, before = ({one.word for one in side.tokens} for side in (new, old))
    spoken, former = ([place for place, words in enumerate(_WHO) if words & side] for side in (now, before))
    return bool(spoken and former) and not set(spoken) & set(former)
