"""A text as words that can be compared: folded, lightly stemmed, numbers and names told apart."""

import re
from bisect import bisect_left
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from memoryd_actors.comparison.clock import on_the_clock
from memoryd_actors.comparison.numerals import (
    ANDS,
    DAYS,
    EXACT,
    HESITANT,
    JOINED,
    MONTHS,
    MONTHS_IN_LOWER_CASE,
    ORDINALS,
    RELATIVE_DAYS,
    SCALES,
    UNITS,
    behind,
    joined,
    numeral,
)

Kind = Literal["content", "light", "negator", "number", "version"]

_TOKEN = re.compile(
    r"(?P<version>\bv\d+(?:\.\d+)*\b|\b\d+(?:\.\d+){2,}\b)"
    r"|(?P<number>\d{1,2}:[0-5]\d(?!\d)|\d{1,3}(?:[,\u2009\u202f']\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)?)"
    r"|(?P<word>[^\W\d_]+(?:'[^\W\d_]+)?)",
    re.IGNORECASE,
)
_TAG = re.compile(
    r",\s*(?:is|are|was|were|do|does|did|have|has|had|can|could|will|would|should|right|oder|nicht wahr|n'est-ce pas)"
    r"(?:n't)?(?:\s+(?:it|you|he|she|they|we|i|that|there))?\s*\?",
    re.IGNORECASE,
)
"""`isn't it?` denies nothing."""
MARKER: Final = re.compile(r"\[redacted:[a-z0-9-]{1,48}\]")
"""What the gate leaves of a secret. It tells nothing: texts are not alike for having had one."""
_SENTENCE_END: Final = frozenset('.!?\n:\u201c"`')
_WORDS = str.split
_LONGEST_ORDERED: Final = 2_000
_MOST_JOINTS: Final = 8
"""Characters and joints within which two halves of a sentence may have changed places."""

_NUMBERS: Final = {**ORDINALS, **EXACT, **HESITANT}
NEGATORS: Final = frozenset(
    _WORDS(
        "not no never none nobody nothing neither nor cannot without nowhere hardly barely scarcely "
        "nicht kein keine keinen keinem keiner keines nie niemals niemand nichts ohne weder "
        "pas jamais aucun aucune rien personne sans non "
        "nunca jamás nadie ningún ninguna ninguno tampoco sin"
    )
)
_LIGHT: Final = frozenset(
    _WORDS(
        "a an the this that these those there it its is are was were be been being am has have had having do does did "
        "doing will would shall who which whom whose what as to of and or but so if then than also just very really "
        "such 's 'm 're 've 'll 'd one's please i me my myself you your we us our he him his she her they them their "
        "at in on by with for from into onto upon about over while when "
        "der die das den dem des ein eine einen einem einer eines ist sind war waren wird werden hat haben hatte und "
        "oder aber dass zu im am vom zum zur von mit für auf bei es sich ich du er sie wir ihr mein meine sein seine "
        "auch sehr an aus nach "
        "le la les un une des du de l d est sont était a ont et ou mais que qui à au aux en pour par avec sur ce cette "
        "ces il elle on nous vous ils elles mon ma mes son sa ses très ne n se s je j tu y c qu dans "
        "el los las unos unas al del es son era está están ha han he y o que con por para mi mis su sus lo me te muy"
    )
)
"""Words that may differ between two ways to say the same. Words of place and time that change the meaning (before,
under, away) are not among them."""
_SHORT: Final = {
    "db": "database",
    "repo": "repository",
    "config": "configuration",
    "auth": "authentication",
    "prod": "production",
    "env": "environment",
    "docs": "documentation",
    "js": "javascript",
    "ts": "typescript",
    "k8s": "kubernetes",
    "postgres": "postgresql",
    "app": "application",
    "info": "information",
    "tv": "television",
    "kid": "child",
    "kids": "child",
    "children": "child",
    "men": "man",
    "women": "woman",
    "people": "person",
    "prefers": "prefer",
    "favourite": "favorite",
}
_IRREGULAR: Final = dict(
    pair.split("=")
    for pair in _WORDS(
        "said=say says=say went=go goes=go gone=go made=make took=take taken=take ran=run got=get gave=give given=give "
        "bought=buy brought=bring built=build caught=catch chose=choose chosen=choose came=come cut=cut drew=draw "
        "driven=drive drove=drive eaten=eat ate=eat fell=fall fallen=fall felt=feel found=find flew=fly flown=fly "
        "held=hold kept=keep knew=know known=know led=lead left=leave lost=lose met=meet paid=pay rode=ride "
        "ridden=ride rose=rise sat=sit saw=see seen=see sent=send shot=shoot sang=sing sung=sing slept=sleep "
        "sold=sell spoke=speak spoken=speak spent=spend stood=stand swam=swim taught=teach told=tell thought=think "
        "threw=throw thrown=throw wore=wear worn=wear won=win wrote=write written=write began=begin begun=begin "
        "lying=lie dying=die tying=tie met=meet fought=fight grew=grow grown=grow meant=mean"
    )
)
_AMBIGUOUS_DATES: Final = frozenset(
    {"may", "march", "mar", "mars", "mayo", "mon", "sun", "sat", "sept", "hier", "morgen"}
)
"""Words that are a date only where written like one; `sat` is not in the table at all."""
_BEFORE_MONTHS: Final = frozenset({"en", "de", "d", "del", "le", "el", "début", "fin", "mi"})
"""Words behind which `mars` and `mayo` are months."""


@dataclass(frozen=True, slots=True)
class Token:
    """One word."""

    stem: str
    word: str
    """Folded, not stemmed."""
    kind: Kind
    capital: bool
    first: bool
    """Of its sentence, where a capital says nothing."""
    at: int
    """Where it stands, in characters."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A text, read."""

    tokens: tuple[Token, ...]
    content: tuple[str, ...]
    """Stems of the words that carry meaning, in order."""
    numbers: tuple[str, ...]
    versions: tuple[str, ...]
    dates: frozenset[str]
    """Days of the week, months, and words such as tomorrow."""
    names: frozenset[str]
    """Stems of words with a capital where a sentence does not begin."""
    counted: frozenset[tuple[str, str]]
    """Numbers with the word that follows them: what there are so many of."""
    clauses: tuple[int, ...]
    """How many words of meaning stand before each comma, `and` or `or`."""
    passive: bool
    """Somebody is said to be acted on by somebody."""
    openers: frozenset[str]
    """Stems of words of meaning with which a sentence begins."""


@lru_cache(maxsize=2048)
def read(text: str) -> Reading:
    """Read a text. The last 2,048 are kept: a new memory is compared with ten old ones."""
    if "[redacted:" in text:
        text = MARKER.sub(" ", text)
    text = _TAG.sub("?", text.replace("\u2019", "'").replace("\u2018", "'"))
    text = on_the_clock(text)
    tokens = tuple(_tokens(text))
    names = frozenset(one.stem for one in tokens if one.capital and not one.first and one.kind == "content")
    german = sum(one.word in _GERMAN for one in tokens) >= 2
    return Reading(
        tokens=tokens,
        content=tuple(one.stem for one in tokens if one.kind == "content"),
        numbers=tuple(one.stem for one in tokens if one.kind == "number"),
        versions=tuple(one.stem for one in tokens if one.kind == "version"),
        dates=frozenset(one.stem for one in tokens if one.stem.startswith("@")),
        # In German every noun has a capital: what differs there is a word like any other.
        names=frozenset() if german else names,
        counted=_counted(tokens),
        clauses=_clauses(text, tokens),
        passive=_PASSIVE.search(text) is not None,
        openers=frozenset(one.stem for one in tokens if one.first and one.kind == "content"),
    )


_GERMAN: Final = frozenset(_WORDS("der die das und ist nicht ein eine den dem auf für mit von zu im am wir ich sind"))


_PASSIVE = re.compile(
    r"\b(?:is|are|was|were|be|been|being|got|wird|werden|wurde|wurden|est|sont|été)\b[^.!?]*?\b(?:by|von|par)\b",
    re.IGNORECASE,
)
_JOINT = re.compile(r"[,;.]\s|\b(?:and|or|und|oder|et|ou)\b", re.IGNORECASE)


def _counted(tokens: tuple[Token, ...]) -> frozenset[tuple[str, str]]:
    """Return each number with the next word of meaning."""
    found: set[tuple[str, str]] = set()
    number = ""
    after_date = False
    for one in tokens:
        if one.kind == "number":
            number = "" if after_date else one.stem
        elif number and one.kind == "content":
            if not one.stem.startswith("@"):
                # `20 May` and `May 20` count nothing.
                found.add((number, one.stem))
            number = ""
        after_date = one.stem.startswith("@")
    return frozenset(found)


def _clauses(text: str, tokens: tuple[Token, ...]) -> tuple[int, ...]:
    starts = [one.at for one in tokens if one.kind == "content"]
    joints = [match.start() for match in _JOINT.finditer(text, 0, _LONGEST_ORDERED)]
    return tuple(dict.fromkeys(bisect_left(starts, at) for at in joints[:_MOST_JOINTS]))


def _tokens(text: str) -> list[Token]:
    found: list[Token] = []
    end = 0
    for match in _TOKEN.finditer(text):
        gap = text[end : match.start()]
        first = not found or any(mark in _SENTENCE_END for mark in gap)
        end = match.end()
        raw = match.group()
        if match.lastgroup == "version":
            found.append(Token(raw.lower().removeprefix("v"), raw.lower(), "version", False, first, match.start()))
        elif match.lastgroup == "number":
            found.append(Token(_number(raw), raw, "number", False, first, match.start()))
        else:
            _add_word(found, raw, first, match.start())
    return found


def _add_word(found: list[Token], raw: str, first: bool, at: int) -> None:
    capital = raw[0].isupper()
    word = raw.casefold()
    if "'" in word:
        if word.endswith("n't"):
            found.append(Token("not", "not", "negator", False, first, at))
            return
        for clitic in ("'s", "'m", "'re", "'ve", "'ll", "'d"):
            if word.endswith(clitic):
                word = word[: -len(clitic)]
                break
        if word[1:2] == "'" and word != "aujourd'hui":
            # French elision: l'application, d'avril, n'est.
            word = word[2:]
            capital = raw[2:3].isupper()
    if _scales(found, word, raw):
        last = found.pop()
        found.append(Token(_plain(float(last.stem) * SCALES[word]), word, "number", False, last.first, last.at))
    elif word in NEGATORS:
        found.append(Token("not", word, "negator", False, first, at))
    elif (value := _in_words(found, word)) is not None:
        _add_number(found, value, word, first, at)
    elif date := _date(word, found, capital=capital):
        found.append(Token(date, word, "content", False, first, at))
    elif found and found[-1].kind == "number" and (unit := UNITS.get(raw)):
        found.append(Token(unit, word, "content", False, first, at))
    elif word in _LIGHT:
        found.append(Token(word, word, "light", False, first, at))
    elif len(word) > 1 or not found or found[-1].kind != "number":
        found.append(Token(stem(word), word, "content", capital, first, at))


def _date(word: str, found: list[Token], *, capital: bool) -> str:
    if word in _AMBIGUOUS_DATES and (not capital or not found):
        behind = bool(found) and (found[-1].kind == "number" or found[-1].word in _BEFORE_MONTHS)
        if word not in MONTHS_IN_LOWER_CASE or not behind:
            return ""
    if word in MONTHS:
        return f"@month{MONTHS[word]}"
    if word in DAYS:
        return f"@day{DAYS[word]}"
    return f"@{RELATIVE_DAYS[word]}" if word in RELATIVE_DAYS else ""


def _scales(found: list[Token], word: str, raw: str) -> bool:
    """Return whether a word multiplies the number before it: `5k`, `5 million`."""
    if word not in SCALES or not found or found[-1].kind != "number" or ":" in found[-1].stem:
        return False
    return word not in {"m", "k"} or len(raw) == 1


def _in_words(found: list[Token], word: str) -> int | None:
    if word in _NUMBERS:
        return _NUMBERS[word]
    if word in JOINED and found:
        link = found[-1].word if len(found) > 1 and found[-1].word in ANDS else ""
        left = found[-2] if link else found[-1]
        if left.kind == "number" and (value := behind(word, left.word, link)) is not None:
            return value
    # A thousand by itself is one, where nobody means a letter or a million of something.
    return SCALES[word] if word in {"tausend", "mille", "mil"} else numeral(word)


def _add_number(found: list[Token], value: int, word: str, first: bool, at: int) -> None:
    """Add a number in words, or make it part of the one before: `two thousand`, `treinta y cinco`."""
    link = found[-1].word if len(found) > 1 and found[-1].word in ANDS else ""
    left = found[-2] if link else found[-1] if found else None
    if left is not None and left.kind == "number" and left.word in JOINED and word in JOINED:
        total = joined(int(float(left.stem)), value, (left.word, word), link=link)
        if total is not None:
            del found[-2 if link else -1 :]
            found.append(Token(str(total), word, "number", False, left.first, left.at))
            return
    found.append(Token(str(value), word, "number", False, first, at))


def _number(raw: str) -> str:
    if ":" in raw:
        return raw
    plain = re.sub(r"[,\u2009\u202f'](?=\d{3}\b)", "", raw).replace(",", ".")
    return _plain(float(plain))


def _plain(value: float) -> str:
    return f"{value:.10g}"


def irregular() -> dict[str, str]:
    """Return forms of irregular verbs with the verb they are of."""
    return _IRREGULAR


@lru_cache(maxsize=16_384)
def stem(word: str) -> str:
    """Take the commonest endings off: runs, running and runner's meet, and so do uses and used."""
    word = _SHORT.get(word, word)
    word = _IRREGULAR.get(word, word)
    if len(word) < 4:
        return word
    for suffix in ("ies", "ied"):
        if word.endswith(suffix) and len(word) > 4:
            return word[:-3] + "i"
    for suffix in ("ing", "edly", "ed", "ly", "es", "s"):
        if word.endswith(suffix) and len(word) - len(suffix) >= 3 and not word.endswith(("ss", "us", "is")):
            word = word[: -len(suffix)]
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz":
        word = word[:-1]
    if len(word) > 3 and word[-1] in "ey":
        word = word[:-1] + ("i" if word[-1] == "y" else "")
    return word
