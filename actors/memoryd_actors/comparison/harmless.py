"""What may differ between two texts that say the same: closed lists, each of one language."""

from collections.abc import Iterable
from typing import Final, Literal

from memoryd_actors.comparison.lexemes import Lexeme

Language = Literal["en", "de", "fr", ""]
"""Empty: another, or too little to tell."""

_WORDS = str.split

_TOLD_BY: Final[dict[str, frozenset[str]]] = {
    language: frozenset(_WORDS(words))
    for language, words in {
        "en": "the is are was were of to and in for with on at not has have does do this that from by will it user "
        "a an our your my his her they we you like likes love loves hate hates prefer prefers use uses want wants need "
        "needs works lives",
        "de": "der die das ist sind war nicht ein eine einen und den dem auf für mit von zu im am wird hat es sich ich "
        "er wir nutzer benutzer kein keine unser unsere",
        "fr": "le la les l' est sont des et un une du dans pour avec sur pas n' d' qu' il elle je nous vous ce "
        "au aux notre votre",
        "es": "a el los las es son y en con por para una un la que del lo su se al usuario",
        "it": "a il lo gli è di che e per non una un con della del sono la le si al",
        "pt": "o a os as é um uma e em com não que do da no na para por são",
        "nl": "de het een is niet en van op zijn met voor aan wordt",
        "other": "och är inte det som på av og er ikke det på av jest nie na się ve bir bu",
    }.items()
}
"""Words by which a language shows; those of languages that nothing is known about keep them from being taken for one
that is: `a` is an article here and `to` there."""
_SPOKEN_IN: Final = {
    word: tuple(name for name, words in _TOLD_BY.items() if word in words)
    for word in frozenset[str]().union(*_TOLD_BY.values())
}
"""The languages that each of these words is of."""
_SPOKEN: Final[dict[str, Language]] = {"en": "en", "de": "de", "fr": "fr"}

ARTICLES: Final[dict[str, dict[str, str]]] = {
    "en": {"a": "a", "an": "a", "the": "the", "our": "our"},
    "de": {
        word: word
        for word in _WORDS("der die das den dem ein eine einen einem einer eines unser unsere unserem unseren unserer")
    },
    "fr": {word: word for word in _WORDS("le la les l' un une notre nos")},
}
"""Of each article what it is compared as. German and French ones carry case and gender: one may be left out, none may
take another's place (`der Mann` beats, `den Mann` is beaten)."""
OURS: Final = frozenset(_WORDS("our unser unsere unserem unseren unserer notre nos"))
"""Of a team that speaks of itself, `the team` is `our team`."""
_KEEPS_ARTICLE: Final = frozenset(
    _WORDS(
        "question "
        "few little bit lot number couple while most more less least same other others one ones best worst only latest "
        "is are was were be and or of to by in on at for with not never as if when then than but from has have"
    )
)
"""Words before which an article is not one, or says something: `a few`, `the most`, `A is down`."""
_LABELLED: Final = frozenset(
    _WORDS(
        "plan option team group type class vitamin gate section part step grade level unit room building block column "
        "variant point appendix hepatitis exhibit server service node zone shard table row version phase stage test "
        "case model series line platform dock bay hall wing floor region pool queue topic key user account"
    )
)
"""Nouns that have a letter behind them: `plan a`."""
_PRONOUNS: Final = frozenset(_WORDS("je tu il elle on nous vous ils elles ne n' j' qui"))
COPULAS: Final = frozenset(_WORDS("is are was were be been am being became becomes remains"))

ADVERBS: Final[dict[str, frozenset[str]]] = {
    "en": frozenset(_WORDS("very really also please indeed")),
    "de": frozenset(_WORDS("sehr wirklich auch bitte")),
    "fr": frozenset(_WORDS("très vraiment")),
}
"""Words without which a sentence that denies nothing says the same."""
NEGATORS: Final = frozenset(
    _WORDS(
        "not no never none nobody nothing neither nor without nowhere hardly barely scarcely non "
        "nicht kein keine keinen keinem keiner keines nie niemals niemand nichts ohne weder "
        "pas jamais aucun aucune rien personne sans ne n' ni "
        "не ни нет никогда нельзя без никто ничего nunca sin jamás tampoco nadie nada ningún ninguna ninguno "
        "mai nessuno nessuna niente senza né não nem sem ninguém nenhum nenhuma niet geen nooit zonder niemand "
        "nie bez nigdy inte ikke aldrig ei nem değil 不 没 没有"
    )
)
_SAYING: Final = frozenset(
    _WORDS("said says say thinks think thought believes believe ensure ensures hopes hope means told")
)
_CLAUSES: Final = frozenset(_WORDS("the a an he she it they we you i my our his her their"))


def language(lexemes: Iterable[Lexeme]) -> Language:
    """Return in which language a text is, as far as its smallest words tell."""
    counts = dict.fromkeys(_TOLD_BY, 0)
    before = ""
    for one in lexemes:
        if one.text == "am" and before == "I":
            counts["en"] += 1  # and not the German one
        elif one.folded:
            for name in _SPOKEN_IN.get(one.folded, ()):
                counts[name] += 1
        before = one.text
    most = max(counts.values())
    leading = {name for name, count in counts.items() if count == most} if most else set[str]()
    if leading == {"en", "nl"}:
        return "en"  # `is` and `in` are both; no article of the one is a word of the other
    if len(leading) != 1:
        return ""
    return _SPOKEN.get(leading.pop(), "")


def is_article(spoken: Language, before: Lexeme | None, one: Lexeme, after: Lexeme | None, then: Lexeme | None) -> bool:
    """Return whether a word is an article that may be left out, judged by its neighbours."""
    if one.folded not in ARTICLES.get(spoken, {}) or (one.kind == "name" and not one.first):
        return False
    if after is None or after.kind in {"mark", "number", "unit", "date"} or after.folded in _KEEPS_ARTICLE:
        return False
    if before is not None and (before.folded in _LABELLED or before.text == ","):
        return False
    if spoken == "fr" and before is not None and before.folded in _PRONOUNS:
        return False
    if spoken == "de":
        return after.kind in {"name", "symbol"} or after.folded not in _TOLD_BY["de"]
    # The English are people, English is a language.
    named = after.kind == "name" and after.folded != ""
    return not (named and (then is None or then.kind == "mark" or then.folded in _KEEPS_ARTICLE))


def is_joint(spoken: Language, before: Lexeme | None, one: Lexeme, after: Lexeme | None) -> bool:
    """Return whether a word only joins: `said that he`, `on Friday`."""
    if spoken != "en" or before is None or after is None:
        return False
    if one.text == "that":
        return before.folded in _SAYING and after.folded in _CLAUSES
    return one.text == "on" and (after.kind == "date" or after.text in _WEEKDAYS) and before.folded in COPULAS


_WEEKDAYS: Final = frozenset(_WORDS("Monday Tuesday Wednesday Thursday Friday Saturday Sunday"))
