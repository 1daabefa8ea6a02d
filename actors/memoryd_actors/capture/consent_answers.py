"""The user's yes or no, in the conversation, to what memory asked through the agent whether it may keep."""

import re
from collections.abc import Iterable
from itertools import takewhile
from typing import Final

import msgspec

from memoryd_actors.texts.languages import ELSEWHERE, common_words, pattern_of, words_of
from memoryd_actors.texts.negation import NEGATORS, denies
from memoryd_actors.texts.quoting import what_was_said
from memoryd_actors.texts.sentences import sentences
from memoryd_actors.texts.stems import alike, stem, stem_set
from memoryd_client.wire.consent import Consent

LONGEST: Final = 300
"""Characters of a message in which an answer is looked for."""
_YES, _NO, _KEEPS, _WELCOMES, _BESIDE, _DELAYS = (
    words_of("capture", name) for name in ("yes", "no", "keeps", "welcomes", "beside", "delays")
)
_NOTES: Final = words_of("capture", "notes")
"""What may be a yes, or only take note of what was said: `Ok. Next, the migration.`."""
_DENIES: Final = NEGATORS | _NO
_KNOWN: Final = _YES | _KEEPS | _WELCOMES | _BESIDE | _DENIES
"""All that an answer says besides what was asked."""
_UNSAYS: Final = _DENIES | _DELAYS | words_of("capture", "takes_back")
"""What makes no answer of one that stands before it: `Yes. / Actually, forget that.`."""
_LOOKED_BEHIND: Final = 8
"""Words behind an answer among which that is looked for."""
_AGREES, _REFUSES = (re.compile(rf"{pattern_of('capture', name)}(?= |\Z)") for name in ("agrees", "refuses"))
"""What several words say, as they stand at the beginning of a clause, or behind a yes."""
_USER: Final = words_of("comparison", "user") | words_of("personal", "user_words")
_PERSON: Final = stem_set(
    " ".join(f"{user} {user}'s {user}\u2019s l'{user} l\u2019{user}" for user in _USER)
) | common_words(ELSEWHERE)
"""Who a proposal is about: whom the question calls `you`, and whose it is `your`; and what says nothing by itself."""
_ROOT: Final = 5
_LONGEST_ENDING: Final = 3
"""Letters: `arbeitet` and `arbeitest` are one word."""
_SIGNS: Final = {
    **dict.fromkeys(("\U0001f44d", "\U0001f44c", "\u2705", "\u2714", "+1"), " yes "),
    **dict.fromkeys(("\U0001f44e", "\u274c", "\U0001f645", "-1"), " no "),
}
_SIGN: Final = re.compile(rf"(?:{'|'.join(map(re.escape, _SIGNS))})(?!\d)")
"""A thumb and the like, no `-10`; a word in its place reads the same in every language."""
_ASKS: Final = re.compile(r"[?\uff1f][\W_]*\Z")
_CLAUSE: Final = re.compile(r"([^,;:.!?\uff1f\n\u2013\u2014]+)([,;:.!?\uff1f\s\u2013\u2014]*)")
_WORD: Final = re.compile(r"[^\W_]+(?:['\u2019][^\W\d_]+)?")


class _Clause(msgspec.Struct, frozen=True):
    """A clause of a message."""

    words: tuple[str, ...]
    end: str
    """The marks and white space behind it."""
    says: bool | None
    """What several of its words say together."""
    rest: tuple[str, ...]
    """The words besides those."""


def may_answer(said: str) -> bool:
    """Return whether there is a yes or a no at the beginning of a message, whatever was asked."""
    return any(one.says is not None or not (_YES | _DENIES).isdisjoint(one.words) for one in _clauses(said))


def yes_or_no(said: str, question: str) -> bool | None:
    """Return what a message answers to an agent's question whether memory may keep something; None: that is not sure.

    It says yes or no, and else only what was asked: `yes I saw that the build failed` answers something else. Behind
    an answer may follow what takes nothing back, where the answer says to what it is one, is polite, or is a line by
    itself: `Yes, save it. The build failed.`. A question that waits does no harm; a yes that was none does.
    """
    clauses, questions = _clauses(said), last_asked(question)
    asked = frozenset(_words(questions[0])) | stem_set(questions[0]) if len(questions) == 1 else frozenset[str]()
    answering = list(takewhile(lambda clause: _only_answers(clause, asked), clauses))
    if not answering:
        return None
    behind = [word for clause in clauses[len(answering) :] for word in clause.words]
    words = {word for clause in answering for word in clause.words}
    if behind and not (_is_sure(words, answering[-1].end, asked) and _UNSAYS.isdisjoint(behind[:_LOOKED_BEHIND])):
        return None
    rest = {word for clause in answering for word in clause.rest}
    said_so = {clause.says for clause in answering}
    agrees, refuses = True in said_so or not _YES.isdisjoint(rest), False in said_so or not _DENIES.isdisjoint(rest)
    return None if agrees == refuses else agrees


def _clauses(said: str) -> list[_Clause]:
    found: list[_Clause] = []
    for clause, end in _CLAUSE.findall(_plain(said.strip()[:LONGEST])):
        if words := _words(clause):
            found.append(_Clause(tuple(words), end, *_phrase(words)))
    return found


def _phrase(words: list[str]) -> tuple[bool | None, tuple[str, ...]]:
    """Return what the words at the beginning, or behind a yes, say together, and the other words."""
    assents = list(takewhile(_YES.__contains__, words))
    for before in ([], assents):
        spelled = " ".join(words[len(before) :])
        for pattern, says in ((_REFUSES, False), (_AGREES, True)):
            if phrase := pattern.match(spelled):
                return says, (*before, *spelled[phrase.end() :].split())
    return None, tuple(words)


def _only_answers(clause: _Clause, asked: frozenset[str]) -> bool:
    if "?" in clause.end or "\uff1f" in clause.end or not _DELAYS.isdisjoint(clause.rest):
        return False
    return all(word in _KNOWN or _is_of(word, asked) for word in clause.rest)


def _is_of(word: str, asked: frozenset[str]) -> bool:
    return word in asked or stem(word) in asked or _is_form(word, asked)


def _is_sure(words: set[str], end: str, asked: frozenset[str]) -> bool:
    """Return whether words answer, although something else follows their `end`."""
    names = not _KEEPS.isdisjoint(words) or any(_is_of(word, asked) for word in words - _KNOWN)
    is_polite = not _WELCOMES.isdisjoint(words) and not {".", "!", "\n"}.isdisjoint(end)
    return names or is_polite or ("\n" in end and _NOTES.isdisjoint(words))


def _plain(said: str) -> str:
    plain = said.casefold().replace("\u2019", "'").replace("n't", " not")
    return _SIGN.sub(lambda sign: _SIGNS[sign.group()], plain)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold().replace("\u2019", "'").replace("j'", "je "))


def last_asked(question: str) -> list[str]:
    """Return the last questions of an agent's message: whether memory may keep something, and nothing else."""
    asks = [one.text for one in sentences(question) if _ASKS.search(one.text)]
    return list(takewhile(lambda one: not _KEEPS.isdisjoint(_words(one)), reversed(asks)))


def asked_about(question: str, consents: Iterable[Consent]) -> list[Consent]:
    """Return the proposals that an agent's message asks about: whether memory may keep them, in all their words.

    Nothing else is asked behind that: a yes would answer it. What denies and the proposal does not is another question.
    """
    told = [(alike(stem_set(one)), denies(one)) for one in last_asked(question)]
    asked = [(one, what_was_said(one.proposed)) for one in consents]
    return [one for one, proposed in asked if any(_asks(proposed, words, denied=denied) for words, denied in told)]


def _asks(proposed: str, words: frozenset[str], *, denied: bool) -> bool:
    about = alike(stem_set(proposed) - _PERSON)
    return bool(about) and denied == denies(proposed) and all(one in words or _is_form(one, words) for one in about)


def _is_form(word: str, words: Iterable[str]) -> bool:
    """Return whether one of the words is the same with another ending."""
    return any(
        len(short) >= _ROOT and long.startswith(short) and len(long) - len(short) <= _LONGEST_ENDING
        for short, long in (sorted((word, other), key=len) for other in words)
    )
