"""What of a person only they decide about, whatever it is filed under: their name, where they live, how they are."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Final, Literal, get_args

from memoryd_actors.texts.languages import pattern_of, texts_of, typed, words_of
from memoryd_actors.texts.negation import denies
from memoryd_actors.texts.quoted import told_apart
from memoryd_actors.texts.quoting import what_was_said
from memoryd_actors.texts.sentences import is_question, sentences, spans
from memoryd_actors.texts.stems import every_stem, one_form, stem, stem_set
from memoryd_client.wire.memory import Memory, Source

Matter = Literal["name", "home", "health"]
MATTERS: Final[tuple[Matter, ...]] = get_args(Matter)
MATTER: Final = "personal"
"""The entry of a memory's metadata in which a model says which of them it is about."""
BASIS: Final = "extracted"
"""The entry that says who extracted it: `model` or a rule."""
BY_MODEL: Final = "model"
MOST_LOOKED: Final = 50_000
"""Characters of a text that are looked at: each thousand takes 5 ms of a core, and a file has up to a million."""
_USER: Final = words_of("comparison", "user") | words_of("personal", "user_words")
_ABOUT: Final = _USER | stem_set(" ".join(_USER))
"""Whom a memory is about, and whom the user calls `I`."""
_THEIRS: Final = {*(f"{user}'s" for user in _USER), *words_of("personal", "theirs")}
_OWN: Final = {word: whose for whose in ("i", "my") for word in words_of("personal", whose)}
"""The words with which the user speaks of themselves, and of what is theirs."""
_OPENS, _DOUBTS, _LINKS = (words_of("personal", key) for key in ("opens", "doubts", "links"))
_CALLED: Final = one_form(stem("name"))
_PARTS: Final = re.compile(rf"[,;] |\s(?:{'|'.join(sorted(_LINKS))})\s", re.IGNORECASE)
_WORD: Final = re.compile(r"[^\W_]+(?:[-'][^\W_]+)*")
_MARK: Final = re.compile(r"^[ \t]*(?:[-*+\u2022]|\d{1,3}[.)])[ \t]+", re.MULTILINE)
"""What a list or a note begins its lines with."""
_OF: Final = re.compile(r"'s$")
_ELIDED: Final = re.compile(r"\bl'")


@cache
def _patterns() -> tuple[tuple[Matter, re.Pattern[str]], ...]:
    """Return what tells each matter; compiled when it is needed, for that takes a tenth of what starting takes."""
    # Each begins with a word: asked once for all of them, whether one begins here takes half of the time.
    return tuple(
        (matter, re.compile(rf"\b(?=\w)(?:{pattern_of('personal', matter)})", re.IGNORECASE | re.MULTILINE))
        for matter in MATTERS
    )


@cache
def _first_person() -> tuple[re.Pattern[str], dict[str, str]]:
    pairs = (one.partition("=")[::2] for table in texts_of("personal", "third") for one in table.split(";"))
    others = {first.strip(): third.strip() for first, third in pairs}
    longest = sorted(others, key=len, reverse=True)
    pattern = re.compile(rf"\b(?:{'|'.join(map(typed, longest))})\b", re.IGNORECASE)
    return pattern, {_form(first): third for first, third in others.items()}


def matter_of(memory: Memory, *, own_word: bool = True, told: frozenset[str] = frozenset()) -> str:
    """Return what somebody else than the user says about a person, that only they decide about; empty for all else.

    That is what was read out of a conversation and, where it is not the user's `own_word`, what anybody says, but for
    sentences that the user `told`. A model may say itself what it is about; where it does not, its words may. What a
    rule took has the user's words: what they say of themselves there is theirs to say, and what of others is not.
    """
    if own_word and memory.source is not Source.EXTRACTED:
        return ""
    if own_word and memory.metadata.get(BASIS) != BY_MODEL:
        return untold(what_was_said(memory.content), told)
    said_so = "" if memory.content.strip() in told else memory.metadata.get(MATTER, "")
    labels = (*memory.tags, *(f"{key}: {value}" for key, value in memory.metadata.items()))
    return said_so or untold("\n".join((memory.title, memory.content, *labels)), told, first_person=True)


def told_of(text: str) -> str:
    """Return which of these matters a text in the third person tells of somebody; empty for none."""
    text = _MARK.sub("", text)
    return next((matter for matter, pattern in _patterns() if pattern.search(text, 0, MOST_LOOKED)), "")


def telling(text: str, before: str = "", *, first_person: bool = False) -> list[str]:
    """Return the sentences of a text that tell of such a matter, without those that stood there `before`.

    In the `first_person`, too, where it is the user's: an agent's own notebook says `my name is` of the agent.
    """
    known = set(_each(before)) if before else set[str]()
    new = "\n".join(one for one in dict.fromkeys(_each(text)) if one not in known)[:MOST_LOOKED]
    read = _third_person(new) if first_person else new
    told = (one for one, reads in zip(new.split("\n"), read.split("\n"), strict=True) if told_of(reads))
    return list(told) if told_of(read) else []


def untold(text: str, told: frozenset[str], before: str = "", *, first_person: bool = False) -> str:
    """Return which matter a text tells in a sentence that the user has not `told`; empty for none."""
    about = (one for one in telling(text, before, first_person=first_person) if one not in told)
    return next((told_of(_third_person(one) if first_person else one) for one in about), "")


def _third_person(text: str) -> str:
    """Return what the user says of themselves as others say it of them: `user has asthma` for `I have asthma`."""
    pattern, others = _first_person()
    return pattern.sub(lambda said: others.get(_form(said.group()), said.group()), text)


def _form(said: str) -> str:
    return said.casefold().replace("\u2019", "'")


def _each(text: str) -> list[str]:
    return [one for start, end in spans(text) if (one := text[start:end].strip())]


def told_by(said: Iterable[str], text: str, *, recorded: bool = False) -> bool:
    """Return whether a sentence of what the user said, or a part of one, begins with all that a text tells, in order.

    What a text tells of the user, the user says with `I` or `my`; what is `recorded` may say it of the user, too. What
    asks, supposes or quotes, and what denies and the text does not, tells something else. In doubt it is not told.
    """
    text = _third_person(text)
    words, denied = _words(text), denies(text)
    told, whose = _content(words), _whose(words)
    if not told:
        return False
    for part in (_words(part) for message in said for part in _parts(told_apart(message).said, words)):
        begins = next((n for n, word in enumerate(part) if word not in _OPENS), len(part))
        speaker = _OWN.get(part[begins], "") if begins < len(part) else ""
        subject = speaker or (_whose(part[:3]) if recorded else "")
        same = subject == whose or (whose and subject and told[0] == _CALLED)
        if same and _content(part[begins + bool(speaker) :])[: len(told)] == told and denies(" ".join(part)) == denied:
            return True
    return False


def _parts(message: str, told: Sequence[str]) -> Iterator[str]:
    """Yield what the sentences of a message state, and their parts; nothing beneath what announces a quotation."""
    quoted = -1
    for one in sentences(message):
        text = one.bare.rstrip("\"'”)* _")
        if text.endswith(":"):
            quoted = one.paragraph + 1
        doubted = not _DOUBTS.isdisjoint(set(_words(text)).difference(told))
        if one.paragraph > quoted and not (doubted or text.startswith(">") or is_question(text)):
            yield from (text, *_PARTS.split(text))


def _whose(words: Sequence[str]) -> str:
    """Return whether words are about the user, or about what is theirs; empty where they do not name the user."""
    if not _ABOUT.isdisjoint(_OF.sub("", word) for word in words):
        return "my" if any(word in _THEIRS for word in words) else "i"
    return ""


def _content(words: Iterable[str]) -> list[str]:
    """Return the stems of what words tell, in order, without whom they call the user."""
    plain = (_OF.sub("", word) for word in words)
    return [one_form(one) for word in plain if word not in _ABOUT for one in every_stem(word) if one not in _ABOUT]


def _words(text: str) -> list[str]:
    plain = _ELIDED.sub(" ", text.casefold().replace("\u2019", "'").replace("j'", "je "))
    return _WORD.findall(plain)
