"""What keeps two texts from being the same: everything in which they differ and that is not known to be harmless.

The canonical forms are laid side by side. What is left over on either side, or stands elsewhere, is named, and told
apart by weight: a value, a symbol, a name, a tense, a negation and a word that binds them are never made up for, by
nobody; other words may be another way to say it, which a model may know.
"""

import unicodedata
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Final, NamedTuple

from memoryd_actors.comparison.canon import Canon, alike, canon
from memoryd_actors.comparison.harmless import NEGATORS, Language
from memoryd_actors.comparison.inversion import inverted
from memoryd_actors.comparison.lexemes import Lexeme
from memoryd_actors.comparison.tokens import MARKER, irregular, stem

_MOST_NAMED: Final = 3
_LONGEST_LAID: Final = 120
"""Lexemes of either side up to which they are laid side by side; longer texts that differ are simply not the same."""
_CLOSE: Final = 0.6
"""Share of the lexemes that two texts share, before what differs says anything;"""
_FEW: Final = 6
"""and so few may differ where the texts are short."""
_WEIGHTY: Final = frozenset({"number", "unit", "symbol", "date"})
_VALUES: Final = _WEIGHTY | {"name"}
_BINDING: Final = (
    frozenset(
        """
        and or nor but if unless except only all every each both some any most many few several always usually often
        sometimes rarely seldom never before after until since during from to in out into onto off on over under above
        below up down with without for against by between more less fewer at least than first last next previous
        too once twice almost nearly half double can could may might must should shall will would is are was were be
        been being has have had does do did he she they him her his their i we you my your our it its who whom
        und oder aber wenn außer nur alle jeder jede jedes beide einige immer oft manchmal selten nie vor nach bis seit
        von zu in aus auf ab an über unter mit ohne für gegen durch zwischen mehr weniger kann könnte darf muss soll
        wird würde ist war sind waren hat hatte habe er sie wir ihr ihm ihn sein seine ihre mein dein
        et ou mais si sauf seulement tous toutes chaque toujours souvent parfois avant après jusque depuis de à en dans
        hors sur sous avec sans pour contre par entre plus moins peut doit va est était sont étaient a avait il elle
        """.split()
    )
    | NEGATORS
)
"""Words that bind, bound, order or date what is said: another one makes another claim."""


class Unlike(NamedTuple):
    """What keeps two texts from being the same."""

    hard: str
    """What nobody may overlook, in words; empty where nothing is."""
    soft: str
    """What else differs."""
    value: bool = False
    """Whether a value, a name, a symbol or a tense took the place of another, all else being equal."""

    def __bool__(self) -> bool:
        """Return whether anything does."""
        return bool(self.hard or self.soft)


SAME: Final = Unlike("", "")


def unlike(new: str, old: str) -> Unlike:
    """Return what keeps two texts from being the same; nothing where all that differs is harmless.

    Pure; the readings are kept, and two of 200 characters take about 0.2 ms.
    """
    if MARKER.search(new) or MARKER.search(old):
        # Two secrets that were taken out look alike, and are not.
        return SAME if new.split() == old.split() else Unlike("a secret that is not kept", "")
    one, other = canon(new), canon(old)
    if one.layout != other.layout:
        return Unlike("", "indented in another way")
    if one.language and other.language and one.language != other.language:
        return SAME if one.lexemes == other.lexemes else Unlike("", "another language")
    if equal(one, other):
        return SAME
    return _named(one, other)


def equal(one: Canon, other: Canon) -> bool:
    """Return whether two readings say the same, lexeme by lexeme.

    Names may be joined the other way round, a name be told of what it names, and what is done by somebody be told of
    the one who does it.
    """
    spoken = one.language or other.language
    left, right = one.lexemes, other.lexemes
    if len(left) == len(right):
        alone = len(left) == 1
        if all(alike(a, b, spoken, alone=alone) for a, b in zip(left, right, strict=True)):
            return True
        return _joined(left, right, spoken) or _inverted(left, right, spoken)
    return _voiced(left, right, spoken) or _voiced(right, left, spoken)


def _inverted(left: Sequence[Lexeme], right: Sequence[Lexeme], spoken: Language) -> bool:
    """Return whether one says of a name what it is, and the other of what it is its name."""
    for one, other in ((left, right), (right, left)):
        turned = inverted(one)
        if turned and all(alike(a, b, spoken) for a, b in zip(turned, other, strict=True)):
            return True
    return False


def _joined(left: Sequence[Lexeme], right: Sequence[Lexeme], spoken: Language) -> bool:
    """Return whether `Ann and Bob` are `Bob and Ann`, once, where no values are shared out among them."""
    joints = [at for at, one in enumerate(left) if one.text in {"and", "und", "et", "&"}]
    if len(joints) != 1 or any(one.kind in _WEIGHTY or one.text in _IN_TURN for one in left):
        return False
    (at,) = joints
    # Who does something together; what is divided, or lies between two, has an order.
    if at != 1 or at == len(left) - 1 or left[at + 1].kind != "name" or not left[at - 1].text[:1].isupper():
        return False
    if at + 2 < len(left) and left[at + 2].text == "'s":
        return False
    # The one that begins a sentence is no name there, but is one on the other side.
    if len(right) <= at + 1 or right[at + 1].kind != "name":
        return False
    crossed = (left[at - 1].text, left[at + 1].text) == (right[at + 1].text, right[at - 1].text)
    rest = (alike(a, b, spoken) for place, (a, b) in enumerate(zip(left, right, strict=True)) if abs(place - at) != 1)
    return crossed and all(rest)


_IN_TURN: Final = frozenset({"respectively", "former", "latter", "order", "then", "first", "second", "beziehungsweise"})


def _voiced(passive: Sequence[Lexeme], active: Sequence[Lexeme], spoken: Language) -> bool:
    """Return whether `A is (being) done so by B` is told as `B does (is doing) A so`, and no more."""
    if len(passive) != len(active) + 2 or spoken != "en":
        return False
    by = next((at for at in range(len(passive) - 2, 1, -1) if passive[at].text == "by"), 0)
    be = next((at for at in range(1, by) if passive[at].text in {"is", "are"}), 0)
    if not be:
        return False
    lasting = passive[be + 1].text == "being"
    done = be + 1 + lasting
    subject, rest, agent = passive[:be], passive[done + 1 : by], passive[by + 1 :]
    doing = len(agent) + lasting
    if done >= by or len(active) <= doing or (lasting and active[doing - 1].text not in {"is", "are"}):
        return False
    told = (*active[: len(agent)], *active[doing + 1 :])
    same = all(alike(a, b, "en") for a, b in zip((*agent, *subject, *rest), told, strict=True))
    verb, participle = active[doing].text, passive[done].text
    # Who acts and who is acted on are a few plain words each, so that nothing belongs to another part of the sentence.
    return same and _all_plain((*agent, *subject)) and _does(verb, participle, lasting=lasting)


def _does(verb: str, participle: str, *, lasting: bool) -> bool:
    """Return whether a verb, in the present or with -ing, and a participle are of one verb, to the letter."""
    plain = irregular().get(participle, participle if participle in _UNCHANGED else "")
    if lasting:
        doing = {f"{plain}ing", f"{plain[:-1]}ing", f"{plain}{plain[-1:]}ing"} if plain else {f"{participle[:-2]}ing"}
        return verb in doing and (bool(plain) or participle.endswith("ed"))
    bases = {verb, verb.removesuffix("s"), verb.removesuffix("es")}
    if plain:
        return plain in bases
    return any(
        participle in {f"{base}ed", f"{base}{base[-1:]}ed"} or participle == f"{base}d" for base in bases if base
    )


_UNCHANGED: Final = frozenset({"run", "set", "put", "hit", "cut", "read"})
"""Verbs whose participle is themselves."""


def _all_plain(given: Sequence[Lexeme]) -> bool:
    return not any(one.text in _BINDING or one.kind in _WEIGHTY for one in given)


def _named(one: Canon, other: Canon) -> Unlike:
    """Return in words what is left over, and of which weight it is."""
    left = [each.folded or each.text for each in one.lexemes]
    right = [each.folded or each.text for each in other.lexemes]
    if max(len(left), len(right)) > _LONGEST_LAID:
        return Unlike("", "other words")
    laid = SequenceMatcher(None, left, right, autojunk=False)
    # What they share in any order bounds what they share in order, and is counted in a third of the time.
    for ratio in (laid.quick_ratio, laid.ratio):
        if (shared := ratio()) < _CLOSE and (1 - shared) * (len(left) + len(right)) > _FEW:
            return Unlike("", "other words")
    spoken = one.language or other.language
    hard: list[str] = []
    soft: list[str] = []
    value = True
    for kind, a, b, c, d in laid.get_opcodes():
        if kind == "equal":
            pairs = zip(one.lexemes[a:b], other.lexemes[c:d], strict=True)
            differ = [(x, y) for x, y in pairs if not alike(x, y, spoken)]
            hard += [_pair((x,), (y,)) for x, y in differ]
            value = value and all(x.text != y.text for x, y in differ)
            continue
        gone, come = one.lexemes[a:b], other.lexemes[c:d]
        (hard if _is_hard(gone, come) else soft).append(_pair(gone, come))
        value = value and _is_claim(gone, come)
    return Unlike("; ".join(hard[:_MOST_NAMED]), "; ".join(soft[:_MOST_NAMED]), value)


def _is_hard(gone: Sequence[Lexeme], come: Sequence[Lexeme]) -> bool:
    """Return whether a stretch of one text and what stands in its place in the other cannot be two ways to say it."""
    both = (*gone, *come)
    if any(each.kind in {"symbol", "mark"} or (each.folded or each.text) in _BINDING for each in both):
        return True
    if gone and come:
        return (_has_value(gone) and _has_value(come)) or any(_is_form(x, y) for x in gone for y in come)
    return len(both) == 1 and both[0].kind in _VALUES


def _is_claim(gone: Sequence[Lexeme], come: Sequence[Lexeme]) -> bool:
    """Return whether another value, sign, tense or link stands in the place of one."""
    if not gone or not come:
        return any(each.kind == "symbol" for each in (*gone, *come))
    if len(gone) == len(come) == 1 and gone[0].text in _LINKS and come[0].text in _LINKS:
        return True
    # A name in the place of another is one where there can be one only (`slots`).
    return all(any(each.kind in _WEIGHTY for each in side) for side in (gone, come))


_LINKS: Final = frozenset("and or is was are were has had will does did".split())


def _has_value(given: Sequence[Lexeme]) -> bool:
    return any(each.kind in _VALUES or each.first for each in given)


def _is_form(one: Lexeme, other: Lexeme) -> bool:
    """Return whether two words are forms of one: another tense, another number of them, other letters."""
    if unicodedata.normalize("NFKC", one.text).casefold() == unicodedata.normalize("NFKC", other.text).casefold():
        return True
    short, long = sorted((one.folded, other.folded), key=len)
    return one.kind == other.kind == "word" and (stem(short) == stem(long) or long == f"{short}d")


def _pair(gone: Sequence[Lexeme], come: Sequence[Lexeme]) -> str:
    left, right = (" ".join(each.text for each in side[:_MOST_NAMED]) for side in (gone, come))
    return f"{left} ≠ {right}" if left and right else f"only one says {left or right!r}"
