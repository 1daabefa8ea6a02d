"""What a statement says has changed, and whether that is what another one speaks of.

`The cluster now has 9 nodes` changes `The cluster has 3 nodes`; `The prod cluster now has 9 nodes` says nothing of
the dev cluster. Where nobody knows what the words mean, one difference is a change, and a second one another thing.
"""

import re
from collections.abc import Container, Sequence
from itertools import pairwise, takewhile
from typing import Final

from memoryd_actors.comparison.canon import COPULAS, Canon, canon
from memoryd_actors.comparison.difference import Difference, difference, is_meant, is_value, meaning, negates
from memoryd_actors.comparison.tokens import WORDS, Token, words
from memoryd_actors.core.remembered import remembered
from memoryd_actors.texts.languages import pattern_of
from memoryd_actors.texts.negation import NEGATORS

_ALL: Final = tuple(WORDS.values())


def _any_of(*patterns: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(patterns)})\b", re.IGNORECASE)


_ENDED: Final = _any_of(*(one["ended"] for one in _ALL))
_CUE: Final = _any_of(*(one["ended"] for one in _ALL), *(one["cues"] for one in _ALL))
_TENSE: Final = _any_of("(?P<former>" + "|".join(one["former"] for one in _ALL if "former" in one) + ")", _CUE.pattern)
_LINK: Final = re.compile(_any_of(*(one["links"] for one in _ALL)).pattern + r"|\s&\s|[.;:!?]\s", re.IGNORECASE)
ONE_OF_SEVERAL: Final = _any_of(WORDS["en"]["one_of_several"])
_MOVED: Final = tuple(_any_of(one[name]) for one in _ALL for name in ("moved", "moved_to"))
_WHEN: Final = _any_of(pattern_of("extraction", "relative"))
_CLAUSE: Final = re.compile(r"[,;:.!?](?=\s|\Z)")
_SOME: Final = frozenset({"a", "1", "another", "some"})
_NO: Final = rf"(?:{'|'.join(NEGATORS)})"
OPENER: Final = re.compile(rf"(?i)\A\W*(?:{'|'.join(one['openers'] for one in _ALL if 'openers' in one)})\s+")
_SAID: Final = rf"(?is)(?:{_NO},\s+)?(?P<said>.+)"
_GONE: Final = rf"\s{_NO}\s+(?P<gone>(?:[^,;:!?]|:(?=\d)){{1,80}}"
NOT: Final = re.compile(rf"{_SAID},{_GONE}),?(?P<rest>(?:(?<=,)\s.+)?)\Z")
_BUT: Final = re.compile(rf"{_SAID}{_GONE}?),?\s(?:{'|'.join(words('but'))})\s+(?P<rest>.+)")
_IS_NOT: Final = re.compile(rf"(?is)(?P<said>.+?)\s\w+(?:n't|\s{_NO})\s(?P<gone>[^,;:!?]{{1,80}}),\sit\b(?P<rest>.+)")
_OTHERS: Final = words("others")
_ONE_AT_A_TIME: Final = words("one_at_a_time")
_STATES: Final = _ONE_AT_A_TIME | words("states")
_ONE_OF_IT: Final = words("one_of_it")
_ATTRIBUTES: Final = words("attributes")
_BESIDE: Final = words("beside")
_AS_WELL: Final = words("as_well")
_THE: Final = words("determiners")
_WHOLE: Final = words("whole")
_PURPOSES: Final = words("purposes")
_WITHIN: Final = words("of") | _BESIDE


@remembered(2048)
def update_cue(text: str) -> str:
    """Return the first word with which a text announces a change; empty without one."""
    match = _CUE.search(text)
    return " ".join(match.group().lower().split()) if match else ""


def changes(new: Canon, old: Canon, found: Difference, *, corrects: bool) -> str:
    """Return by what a statement is known to take the place of the old one; empty where nothing says so.

    It has to announce that something changed, to deny what the other says, or to be a correction (`corrects`). What is
    no longer so has to be said by the old one, word by word; of what changed nothing may differ but its value.
    """
    cue = update_cue(new.text)
    values = any(map(is_value, found.new)) and any(map(is_value, found.old))
    if denies(new, old):
        return "denies the other"
    if not ((cue and (values or not update_cue(old.text))) or corrects) or any(map(negates, old.tokens)):
        return ""
    cues = frozenset(at for match in _CUE.finditer(new.text) for at in range(*match.span()))
    over = _ENDED.search(new.text)
    gone = _ends(new, found, cues, over) if over or found.denied else _has_another_value(new, old, found, cues)
    said = f"says {cue!r}" if cue else "a correction"
    return said if gone or _left_behind(new, old, found, cues) else ""


def denies(new: Canon, old: Canon) -> bool:
    """Return whether a text denies all in which the old one differs: `in Bonn, not in Ghent`, `not at 8 but at 9`.

    All that it says besides is what it says instead, in one place. `The licence of the fork is GPL, not MIT` says more.
    """
    match = next(filter(None, (form.fullmatch(new.text) for form in (NOT, _BUT, _IS_NOT))), None)
    if match is None or any(map(negates, old.tokens)):
        return False
    gone = set(map(meaning, _inside(new, match, "gone")))
    told = canon(_CUE.sub("", OPENER.sub("", f"{match['said']} {match['rest']}")))
    found = difference(told, old)
    if not (found.new and found.old) or any(meaning(token) not in gone for token in found.old):
        return False
    return _stretch(told.tokens, found.new) >= 0 and not _is_past(told.text, found.new[0].at, old.text)


def _is_past(text: str, at: int, old: str) -> bool:
    """Return whether what stands there only was so: `the vet was Ann`, but not `the date was moved to May`."""
    tense, *_ = [*reversed([*_TENSE.finditer(text, 0, at)]), None]
    return tense is not None and bool(tense["former"]) and not any(one["former"] for one in _TENSE.finditer(old))


def ends_part(new: Canon, old: Canon) -> bool:
    """Return whether one of several things is no longer so: `no longer tea`, where the other says `tea and coffee`."""
    gone = set(map(meaning, new.tokens))
    said = _LINK.split(old.text)
    if len(said) > 1 or old.text.count(", ") > 1:
        said = [one for part in said for one in part.split(", ")]
    parts = [told for one in said if (told := [meaning(token) for token in canon(one).tokens if is_meant(token)])]
    # Beside one another both are gone, or neither. Who is spoken of may be the same in a sentence about another thing.
    other = any(set(part) - gone and not any(word in gone and word[0] != "@" for word in part) for part in parts)
    part = other or any((left[-1] in gone) != (right[0] in gone) for left, right in pairwise(parts))
    return part and _ENDED.search(new.text) is not None


def excludes(new: Canon, old: Canon, found: Difference) -> bool:
    """Return whether two are alike, but for one value or a word that denies, or the new says what the old denies."""
    if not (found.new or found.old) or denies(old, new):
        return found.denied % 2 == 1
    kinds = [[token.kind for token in side if token.kind != "unit"] for side in (found.new, found.old)]
    values = all(map(is_value, (*found.new, *found.old))) and kinds[0] == kinds[1] and len(kinds[0]) <= 1
    return values and not found.denied and not any(token.folded in _AS_WELL for token in new.tokens)


def cannot_both_be(new: Canon, old: Canon, found: Difference) -> bool:
    """Return whether two statements cannot both be true, though neither says that anything changed.

    One is the other's denial; or they tell another value of an attribute that has one: `The rent of the shop is 900
    euros`. Exams, pills and ports may be several: of those nobody knows. Nor does anybody know whom `he` means.
    """
    ours, theirs = ([token for token in side.tokens if token.kind != "mark"] for side in (new, old))
    if not all(side and is_meant(side[0]) and side[0].folded not in _OTHERS for side in (ours, theirs)):
        return False
    if not (found.new or found.old):
        return found.denied % 2 == 1
    if found.denied or not (found.new and found.old) or any(token.folded in _AS_WELL for token in found.new):
        return False
    here, there = _stretch(ours, found.new), _stretch(theirs, found.old)
    if min(here, there) < 1 or list(map(meaning, ours[:here])) != list(map(meaning, theirs[:there])):
        return False
    words = not any(map(is_value, (*found.new, *found.old))) and _is_another(ours, found.new, theirs, found.old)
    return (words or excludes(new, old, found)) and _is_attribute(ours[:here])


def _is_attribute(ahead: Sequence[Token]) -> bool:
    """Return whether a sentence begins by naming a certain attribute, of which there is one, and `is`."""
    group = list(takewhile(lambda token: token.folded not in COPULAS | _WITHIN, ahead))
    if not group or any(token.article == "a" for token in group) or not any(one.folded in COPULAS for one in ahead):
        return False
    of_it = ahead[-1].folded in COPULAS and any(token.folded in _ONE_OF_IT for token in group)
    return of_it or group[-1].folded in _ATTRIBUTES


def _ends(new: Canon, found: Difference, cues: frozenset[int], ended: re.Match[str] | None) -> bool:
    """Return whether all that is no longer so is in the old statement, in order: it may say more, not other things."""
    if found.denied < 0 or _narrows(new.tokens[:2], found.old_meant):
        return False
    begin, end = 0, len(new.text)
    if ended:
        begin = max((mark.end() for mark in _CLAUSE.finditer(new.text, 0, ended.start())), default=0)
        end = mark.start() if (mark := _CLAUSE.search(new.text, ended.end())) else end
    told = [token for token in new.tokens if begin <= token.at < end and is_meant(token) and token.at not in cues]
    former = iter(found.old_meant)
    return bool(told) and all(meaning(token) in former for token in told)


def _left_behind(new: Canon, old: Canon, found: Difference, cues: frozenset[int]) -> bool:
    """Return whether what the old one has in a place moved: `I moved from Ghent to Bruges`, `We pushed it to 9:45`."""
    gone = [token for token in found.old if token.folded not in _STATES]
    said = cues.union(*(range(*when.span()) for when in _WHEN.finditer(new.text)))
    known = {"@self", *found.old_meant}
    for move in (move for pattern in _MOVED for move in pattern.finditer(new.text)):
        old_place, thing, new_place = (_inside(new, move, group) for group in ("old", "thing", "new"))
        begin = max((mark.end() for mark in _CLAUSE.finditer(new.text, 0, move.start())), default=0)
        ahead = [token for token in new.tokens if begin <= token.at < move.start() and token.kind != "date"]
        other = any(is_meant(token) and token.at not in said and meaning(token) not in known for token in ahead)
        behind = [token for token in new.tokens if token.at >= (move.start("new") if thing else move.end())]
        moved = {meaning(token) for token in old_place or thing}
        if other or any(map(negates, ahead)) or _narrows((*new.tokens[:2], *behind), known) or moved - known:
            continue
        # All that is left of the old one is one value or name, and the new one has another in its place.
        kinds = {token.kind for token in new_place if token in found.new} - {"word"}
        place = [token for token in behind if meaning(token) not in moved]  # `from host orca to host beluga`
        if moved and (len(gone) == 1 and gone[0].kind in kinds if thing else _names_nothing(old, gone, place)):
            return True
    return False


def _names_nothing(old: Canon, gone: Sequence[Token], place: Sequence[Token]) -> bool:
    """Return whether a statement says else only that `the project` uses it, or `for packages`, and no new place."""
    new = next((token.text for token in place if is_meant(token)), "")
    rest = [token for token in gone if token.folded not in _WHOLE]
    at = _stretch(old.tokens, rest) if rest else 0
    before = old.tokens[at - 1].folded
    named = any(token.kind != "word" or (token.article and before in _WITHIN) for token in rest)
    purpose = at > 0 and before in _PURPOSES and len(old.tokens) == at + len(rest) and not named
    return (not rest or purpose) and all(token.text != new for token in old.tokens)


def _narrows(tokens: Sequence[Token], known: Container[str]) -> bool:
    """Return whether it is told of what, where or on which days something is so: not `in May`, when it changed."""
    told = [token for token in tokens if token.folded in _WITHIN or (is_meant(token) and meaning(token) != "@self")]
    of = [thing for word, thing in pairwise(told) if word.folded in _WITHIN and meaning(thing) not in known]
    return any(not is_value(thing) or thing.folded.endswith("s") for thing in of)


def _inside(text: Canon, move: re.Match[str], group: str) -> list[Token]:
    start, end = move.span(group) if group in move.re.groupindex else (0, 0)
    return [token for token in text.tokens if start <= token.at < end and is_meant(token)]


def _has_another_value(new: Canon, old: Canon, found: Difference, cues: frozenset[int]) -> bool:
    """Return whether one value differs, of something that has one at a time, and nothing else."""
    also = any(token.folded in _AS_WELL for token in new.tokens)
    said = [token for token in found.new if token.at not in cues]
    states = any(token.folded in _STATES for token in found.new)
    told = [token for token in found.old if states or token.folded not in _STATES]
    # `One reviewer is Priya`: there may be others.
    some = (new.tokens[0].article or new.tokens[0].text.casefold()) in _SOME and any(one.kind == "name" for one in said)
    if not (said and told) or some or also or _is_past(new.text, said[0].at, old.text):
        return False
    ours = [token for token in new.tokens if token.kind != "mark" and token.at not in cues]
    theirs = [token for token in old.tokens if token.kind != "mark"]
    if all(map(is_value, told)):
        # What is told before the words that announce the change is what changed.
        values = [token for token in said if is_value(token)]
        cue = min(cues, default=0)
        late = any(is_meant(token) and token.at < cue for token in ours)
        other = any(not is_value(token) and not (late and token.at > cue) for token in said)
        alike = {token.kind for token in values} & {token.kind for token in told}
        return bool(alike) and _stretch(new.tokens, values) >= 0 and not other and not _narrows(ours, found.old_meant)
    return not any(map(is_value, (*said, *told))) and _is_another(ours, said, theirs, told)


def _is_another(ours: Sequence[Token], said: Sequence[Token], theirs: Sequence[Token], told: Sequence[Token]) -> bool:
    """Return whether words in the place of others are of something of which there is one at a time."""
    here, there = _stretch(ours, said), _stretch(theirs, told)
    if min(here, there) < 0 or bool(here) != bool(there):
        return False
    if not here:
        # `Buildkite is now our CI server`: there is one, and which it is has changed.
        return all(
            len(side) > 1 and side[0].folded in COPULAS and (side[1].folded in _THE or bool(side[1].article))
            for side in (ours[len(said) :], theirs[len(told) :])
        )
    left, right = ours[here - 1], theirs[there - 1]
    capital = ours[here].text[:1].isupper()
    if meaning(left) != meaning(right) or left.folded in _BESIDE or theirs[there].text[:1].isupper() != capital:
        return False
    is_it = left.folded in COPULAS or (left.kind == "name" and here > 1 and ours[here - 2].folded in COPULAS)
    if not capital:
        return is_it and any(token.folded in _ONE_OF_IT | _ATTRIBUTES for token in ours[:here])
    return is_it or any(token.folded in _ONE_AT_A_TIME - COPULAS for token in ours[max(here - 2, 0) : here])


def _stretch(side: Sequence[Token], words: Sequence[Token]) -> int:
    """Return where these words stand in a text, side by side; -1 where they do not."""
    at = next((place for place, token in enumerate(side) if token.at == words[0].at), -1)
    return at if tuple(side[at : at + len(words)]) == tuple(words) else -1
