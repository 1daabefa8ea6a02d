"""Text as the word indexes should see it: that of memories, which is ours, and that of messages, which is LanceDB's."""

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from memoryd_actors.texts.normal_form import normalized
from memoryd_actors.texts.stems import every_stem

if TYPE_CHECKING:
    from lancedb.query import MatchQuery

MAX_QUERY_WORDS = 32
"""Different words of one query. The search costs by the word; what a person asks has fewer, pasted logs have more."""
_MAX_QUERY_CHARACTERS = 20_000
COMMON = frozenset(
    """
    a about an and are as at be but by can could did do does for from had has have he her his how i if in into is it me
    my no not of on or our she should such that the their then there these they this to us was we were what when where
    which who whom why will with would you your
    """.split()
)
"""Words that are not indexed. Other languages' are as rare as they are: some of theirs tell something in English. With
all of `texts.words` a point less of what users told BEAM's assistants is found."""

# Written without spaces between words: Thai, Lao, Myanmar, Khmer, kana, Han. LanceDB's `simple` tokenizer makes one
# token of a whole sentence; its ICU tokenizer finds the words but loses others (`3.14`, the `com` of `example.com`).
_UNSPACED = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+"
)
_MARKED = range(0xC0, 0x250), range(0x1E00, 0x1F00)
"""Latin letters with marks."""
_SPELT_OUT = {"ß": "ss", "ẞ": "SS", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L"}
_WORD = re.compile(r"\w+")


def indexable(text: str) -> str:
    """Return the text with Latin letters without marks, and unspaced script as its characters and pairs of neighbours.

    Lone surrogates, which cannot be stored, become question marks.
    """
    if text.isascii():
        return text
    composed = normalized("NFC", text.encode(errors="replace").decode())
    return _UNSPACED.sub(_apart, composed.translate(_PLAIN))


def folded(stem: str) -> str:
    """Return the stem under which the index has the words of this one, whose letters have no marks there."""
    if stem.isascii():
        return stem
    return next(iter(every_stem(normalized("NFC", storable(stem)).translate(_PLAIN), common=COMMON)), stem)


def words_of(text: str) -> list[str]:
    """Return the stems of a text, each as often as it is there, without marks on letters."""
    return every_stem(indexable(text), common=COMMON)


def storable(text: str) -> str:
    """Return the text as it can be stored: with question marks for lone surrogates."""
    return text if text.isascii() else text.encode(errors="replace").decode()


def query_words(text: str) -> str:
    """Return the first different words of a query, without anything else that it may contain."""
    found: dict[str, None] = {}
    for word in _WORD.finditer(indexable(text[:_MAX_QUERY_CHARACTERS])):
        found[word.group()] = None
        if len(found) == MAX_QUERY_WORDS:
            break
    return " ".join(found)


def match_query(words: str) -> "MatchQuery":
    """Return the query for rows with any of the words: an object, because a query text has a syntax to trip over."""
    from lancedb.query import FullTextOperator, MatchQuery

    return MatchQuery(
        words,
        "text",
        boost=1.0,
        fuzziness=0,
        max_expansions=50,
        operator=FullTextOperator.OR,
        prefix_length=0,
        document_granularity=None,
    )


def _apart(run: re.Match[str]) -> str:
    characters = run.group()
    pairs = [first + second for first, second in pairwise(characters)]
    return f" {' '.join([*characters, *pairs])} "


def _plain() -> dict[int, str]:
    # LanceDB folds after stemming, so that `größe` and `grosse` would end as different words; this folds before.
    plain = {ord(letter): spelling for letter, spelling in _SPELT_OUT.items()}
    for letters in _MARKED:
        for letter in letters:
            bare = normalized("NFKD", chr(letter)).encode("ascii", "ignore").decode()
            if bare:
                plain.setdefault(letter, bare)
    return plain


_PLAIN = _plain()
