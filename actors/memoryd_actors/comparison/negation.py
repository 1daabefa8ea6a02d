"""What turns a statement round: negators, negating prefixes, and words that mean the opposite."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from memoryd_actors.comparison.languages import OPPOSITES
from memoryd_actors.comparison.tokens import Token, stem

_OPPOSITES: Final = frozenset(
    frozenset(stem(word) for word in pair.split("/"))
    for pair in f"""
        {" ".join(OPPOSITES).casefold()}
        able/unable accept/reject accept/decline add/remove after/before allow/forbid allow/deny allow/prevent
        alive/dead always/never ascend/descend asleep/awake bad/good begin/end big/small black/white bottom/top
        boy/girl brother/sister buy/sell cheap/expensive clean/dirty close/open closed/open cold/hot come/go
        confirm/deny correct/wrong correct/incorrect dark/light day/night deep/shallow difficult/easy hard/easy
        hard/soft disable/enable disabled/enabled dislike/like hate/like hate/love down/up dry/wet early/late
        empty/full enter/leave fail/succeed fail/pass failure/success false/true far/near far/close fast/slow
        quick/slow fat/thin father/mother female/male few/many few/numerous find/lose first/last fixed/broken
        forget/remember front/back grow/shrink guilty/innocent happy/sad happy/unhappy he/she healthy/sick
        heavy/light high/low husband/wife improve/worsen in/out include/exclude increase/decrease indoor/outdoor
        inside/outside indoors/outdoors install/uninstall king/queen laugh/cry left/right less/more least/most
        loose/tight long/short loud/quiet love/hate lower/raise major/minor man/woman married/single maximum/minimum
        mount/dismount negative/positive new/old off/on often/rarely often/seldom usually/rarely old/young
        over/under past/future poor/rich possible/impossible present/absent private/public push/pull rise/fall
        safe/dangerous same/different short/tall simple/complex sit/stand start/stop begin/stop strong/weak
        sync/async synchronous/asynchronous tabs/spaces tab/space tall/short thick/thin useful/useless valid/invalid
        victory/defeat war/peace win/lose wide/narrow with/without above/below appear/disappear connect/disconnect
        required/optional mandatory/optional toward/away towards/away local/remote manual/automatic light/dark
        latest/oldest better/worse best/worst all/some all/few agree/disagree right/wrong good/evil stay/leave
        fair/foul fair/unfair sure/uncertain certain/uncertain nice/nasty modern/old within/outside indoors/outside
        highest/lowest top/bottom presence/absence advantage/disadvantage contemporary/former current/former
        previous/current precede/succeed ensure/disrupt cause/prevent talk/silent common/rare common/unusual
        broad/narrow separate/joint next/far near/far behind/front follow/precede increase/reduce raise/reduce
        grow/decline gain/lose expand/contract support/oppose ally/enemy friend/enemy supporter/opponent
        approve/reject employed/unemployed import/export income/expense permanent/temporary rarely/frequently
        gut/schlecht groß/klein alt/neu an/aus immer/selten mehr/weniger ja/nein richtig/falsch schnell/langsam
        offen/geschlossen früh/spät heiß/kalt mag/hasst liebt/hasst vor/nach erlaubt/verboten billig/teuer
        leicht/schwer hell/dunkel aktiviert/deaktiviert bon/mauvais grand/petit vieux/nouveau toujours/rarement
        plus/moins vrai/faux rapide/lent ouvert/fermé tôt/tard chaud/froid aime/déteste avant/après facile/difficile
        clair/sombre activé/désactivé
        """.split()
)
_PARTNERS: Final = frozenset(word for pair in _OPPOSITES for word in pair)
_PREFIXES: Final = ("un", "in", "im", "il", "ir", "dis", "non", "de", "mis", "anti")
_WITHOUT: Final = ("less", "los")
_SHORTEST_TURNED: Final = 3
"""Characters of a word that a prefix turns round."""
_DENYING: Final = frozenset(
    stem(word)
    for word in """
        absent ban banned avoid cease deny denied disallow exclude fail failed failure forbid forbidden impossible
        incapable ineligible lack lacking lose lost miss missing oppose prevent prohibit quit refrain abstain skip
        disqualified unqualified underqualified yet anything everything everywhere except exempt exemption refuse
        refused reject stop stopped unable unavailable unlikely without cancel cancelled canceled abandon dropped
        instead verboten fehlt fehlen gescheitert unmöglich verweigert abgelehnt interdit manque échoué refusé
        """.split()
)
_NOT_DENYING: Final = ("under", "unt", "uni", "unter", "und", "unc", "uns")
"""Verbs and adjectives that turn round what they are added to: `failed to win`, `is banned from`."""


_RESTRICTING: Final = frozenset(
    stem(word)
    for word in """
        only exclusively almost nearly either maybe perhaps might may could should supposedly allegedly probably
        possibly likely unless except rarely seldom sometimes occasionally some all every each most many few several
        group pair couple family both other plan planned considering tried trying want outside inside behind beneath
        beside besides under above below next near far away out up down left right before after between across
        against off top front bottom toward towards around through along over until since during former formerly
        previously ex previous future late early within beyond opposite first last second least half double more
        less fewer than nur fast vielleicht eventuell außer manchmal einige alle jeder vor nach unter über neben
        hinter zwischen bis seulement presque peut-être sauf parfois tous chaque avant après sous derrière entre
        jusque
        """.split()
)


def negations(tokens: Iterable[Token]) -> int:
    """Return how many words deny something."""
    return sum(one.kind == "negator" for one in tokens)


def opposites(new: Iterable[str], old: Iterable[str]) -> list[tuple[str, str]]:
    """Return pairs of stems, one from either side, that mean the opposite of each other; each stem once."""
    left = list(old)
    found: list[tuple[str, str]] = []
    for one in new:
        against, head, without = _against(one), one[:4], one.endswith(_WITHOUT)
        # harmful and harmless share their beginning instead.
        other = next(
            (
                other
                for other in left
                if other in against or (other[:4] == head and other.endswith(_WITHOUT) != without)
            ),
            None,
        )
        if other is not None:
            left.remove(other)
            found.append((one, other))
    return found


def denying(words: Iterable[str]) -> list[str]:
    """Return those of the stems that turn round what they are added to."""
    return [word for word in words if word in _DENYING or (word.startswith("un") and not word.startswith(_NOT_DENYING))]


@lru_cache(maxsize=16_384)
def _against(word: str) -> frozenset[str]:
    """Return the stems that are opposites of this one by the table, or by a prefix that either has.

    As a set, because each word of a text is asked about with each of another: asked pair by pair that took 0.4 ms of
    the 0.9 that two texts of twenty words took.
    """
    found = (
        {other for pair in _OPPOSITES if word in pair for other in pair - {word} or pair}
        if word in _PARTNERS
        else set[str]()
    )
    if len(word) >= _SHORTEST_TURNED:
        found.update(prefix + word for prefix in _PREFIXES)
    for prefix in _PREFIXES:
        if word.startswith(prefix) and len(word) - len(prefix) >= _SHORTEST_TURNED:
            found.add(word.removeprefix(prefix))
    return frozenset(found)


def agreeing(pair: tuple[str, str], new: frozenset[str], old: frozenset[str]) -> bool:
    """Return whether exactly one of two opposites is denied: `not open` says what `closed` says."""
    return (pair[0] in new) != (pair[1] in old)


def restricting(words: Iterable[str]) -> list[str]:
    """Return those of the stems that say how far, how sure or where: what one side adds of them changes the claim."""
    return [word for word in words if word in _RESTRICTING]


def denied(tokens: tuple[Token, ...]) -> frozenset[str]:
    """Return the stems of the words that directly follow a negator."""
    found: set[str] = set()
    pending = False
    for one in tokens:
        if one.kind == "negator":
            pending = True
        elif pending and one.kind != "light":
            found.add(one.stem)
            pending = False
    return frozenset(found)
