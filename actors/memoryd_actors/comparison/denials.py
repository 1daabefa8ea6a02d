"""What a sentence that denies an adjective may say in another word: what is closed is not open."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from memoryd_actors.comparison.canon import Canon, settled, spelled_out
from memoryd_actors.comparison.harmless import NEGATORS, Language
from memoryd_actors.comparison.lexemes import Lexeme
from memoryd_actors.comparison.opposites import EXCLUDED, UNDONE
from memoryd_actors.comparison.phrases import is_named, is_one_sentence
from memoryd_actors.comparison.voice import past, third

_LONGEST: Final = 40
_COPULAS: Final = frozenset(
    {"is", "are", "am", "was", "were", "be", "been", "'s", "looks", "seems", "feels", "feeling"}
)
_ARTICLES: Final = frozenset({"a", "an", "the"})
SPREAD: Final = NEGATORS | frozenset(
    """
    all every each both everyone everybody everything always any only few fewer less than if unless or and but enough
    as yet anymore until whether doubt doubts doubted deny denies denied lie lies hardly too so ever
    """.split()
)
"""Words beside which it is not plain what `not` holds for."""
_OPENING: Final = frozenset({"but", "and", "no", "so"})
"""Those with which a sentence may begin."""
_HELPING: Final = frozenset({"do", "does", "did"})
_SEEMING: Final = frozenset({"look", "seem", "sound", "taste", "smell", "feel"})
_KNOWING: Final = frozenset("know knows think thinks believe believes say says said".split())


@lru_cache(maxsize=2048)
def asserted(text: str) -> tuple[Canon, ...]:
    """Return what says more than a text by one word: for `is not open`, what says `is closed`.

    Nothing where the text denies no adjective behind a form of `to be`, or denies more, or more than that.
    """
    if "not" not in text and "n't" not in text and "n\u2019t" not in text:
        return ()
    given, spoken = spelled_out(text)
    if spoken != "en" or len(given) > _LONGEST or not is_one_sentence(given):
        return ()
    at = next((place for place in range(1, len(given) - 1) if given[place].text == "not"), 0)
    helped = at > 0 and given[at - 1].text in _HELPING
    if not at or not (helped or given[at - 1].folded in _COPULAS or given[at - 1].text == ","):
        return ()
    before, denied = given[:at], given[at + 1 :]
    if given[at - 1].text != "," and not is_named(_subject(before[:-1])):
        return ()
    if any(one.folded in SPREAD for one in (*before[1:], *denied)) or before[0].folded in SPREAD - _OPENING:
        return ()
    return _undone(before, denied, spoken) if helped else _excluded(before, denied, spoken)


def _excluded(before: Sequence[Lexeme], denied: Sequence[Lexeme], spoken: Language) -> tuple[Canon, ...]:
    """Return what is so instead: for `is not good`, `is bad`."""
    article = denied[:1] if denied[0].text in _ARTICLES else []
    word, rest = denied[len(article)].text if len(denied) > len(article) else "", denied[len(article) + 1 :]
    if article and word != "same" and (not rest or rest[0].kind != "word"):
        return ()  # a minor, a major: what an article stands before alone is a thing
    return tuple(
        settled([*before, *_behind(article, other), Lexeme(other, "word", other), *rest], spoken)
        for other in sorted(EXCLUDED.get(word, ()))
    )


def _undone(before: Sequence[Lexeme], denied: Sequence[Lexeme], spoken: Language) -> tuple[Canon, ...]:
    """Return what is done instead: for `does not like`, `dislikes`; for `does not look good`, `looks bad`."""
    verb = denied[0].text
    if verb in _SEEMING and len(denied) > 1:
        seems = _inflected(verb, before[-1].text)
        return tuple(
            settled([*before[:-1], *(Lexeme(each, "word", each) for each in (seems, other)), *denied[2:]], spoken)
            for other in sorted(EXCLUDED.get(denied[1].text, ()))
        )
    return tuple(
        settled([*before[:-1], Lexeme(verb, "word", verb), *denied[1:]], spoken)
        for undone in sorted(UNDONE.get(denied[0].text, ()))
        for verb in [_inflected(undone, before[-1].text)]
    )


def _inflected(verb: str, helped_by: str) -> str:
    if helped_by == "did":
        return past(verb)
    return third(verb) if helped_by == "does" else verb


def _subject(before: Sequence[Lexeme]) -> Sequence[Lexeme]:
    """Return the words of a clause before its verb: behind the last comma, `but` or `I know that`."""
    start = 0
    for place, one in enumerate(before):
        opens = one.text == "," or (place == 0 and one.folded in _OPENING)
        known = one.text in _KNOWING and is_named(before[start:place])
        if opens or known:
            start = place + 1
    if start and start + 1 < len(before) and before[start].text == "that":
        start += 1
    return before[start:]


def _behind(article: Sequence[Lexeme], word: str) -> Sequence[Lexeme]:
    """Return the article that a word has: `not the same` is `different`."""
    if word == "same":
        return [Lexeme("the", "word", "the")]
    return [] if word in {"different", "identical"} and [one.text for one in article] == ["the"] else article
