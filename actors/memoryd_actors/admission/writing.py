"""How a memory that a model or a rule wrote has to read: short, whole, on its own, in third person.

What can be mended is mended: sentences beyond the second go, a list's dash goes. The rest is refused with its reason.
Rules about words are for English only; a text in another language is measured, not judged. What is quoted or code
speaks for itself and is not looked at.
"""

import re

from memoryd_actors.admission.workflow import FEWEST_STEPS, read
from memoryd_actors.core.errors import Refused
from memoryd_actors.memory.personal_matters import told_of
from memoryd_actors.memory.settings import PROCEDURES, name_of
from memoryd_actors.texts.languages import pattern_of, words_of
from memoryd_actors.texts.languages.recognition import language_of
from memoryd_actors.texts.sentences import sentences
from memoryd_client.wire.memory import PERSONAL

MAX_FACT = 280
"""Characters of a fact."""
MAX_SENTENCES = 2
EPISODES = frozenset({"episode", "episodic", "event", "activity"})
"""Categories that tell what happened, in the past tense."""

_LABEL = re.compile(
    r"\s*(?:[-*•·]\s+|\d{1,2}[.)]\s+)?(?:(?:fact|memory|insight|episode|summary)\s*:\s*)?", re.IGNORECASE
)
_CLAUSE = re.compile(r"\s*(?:;|\s[–—-])\s")
_QUOTED = re.compile(
    r"```.{0,4000}?(?:```|\Z)|`[^`\n]{1,300}`|\"[^\"\n]{1,300}\"|“[^”\n]{1,300}”|«[^»\n]{1,300}»", re.DOTALL
)

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")


def _either(key: str, *, whole: bool = False) -> "re.Pattern[str]":
    pattern = pattern_of("admission", key)
    return re.compile(rf"\b{pattern}\b" if whole else pattern, re.IGNORECASE)


_DANGLING = _either("dangling")
_POINTING = _either("pointing", whole=True)
_PERSON = _either("person", whole=True)
_NO_PERSON = _either("no_person", whole=True)
"""What looks like a first person, and is none: `I/O`, `US`."""
_FIRST = re.compile(rf"{pattern_of('admission', 'first')}(?:\b|(?<=['’]))", re.IGNORECASE)
"""As the first word of a text in another language: further on, it may be of a quotation, a title, one more language."""
_CHATTER = words_of("admission", "chatter")
_SMALL_TALK = _either("small_talk")
_NOTHING = _either("nothing")
_FEWEST_LETTERS = 8
"""Letters of the shortest fact: `Uses Go.` has six and says nothing without whom; scripts without spaces need four."""
_FEWEST_IDEOGRAPHS = 4
_FEWEST_NAMED = 2
"""Words or numbers that name something, of the shortest that an agent may store: `Use uv.`, `Port 5432.`"""
_MOMENT = _either("moment")
_DAY = _either("day")
_PAST = _either("past", whole=True)
_ITSELF = _either("itself")
_PASSING = _either("passing")
_NAMING = re.compile(r"\w+(?:['’]\w+)?")
_REACTIONS = _CHATTER - words_of("comparison", "negators")
"""A `no` may be all that there is to say: `No tabs.`"""
_NAMELESS = frozenset[str]().union(
    *(words_of("comparison", words) for words in ("light", "self", "others", "auxiliaries"))
)
"""Words that name nothing by themselves, unless they are in capitals: `MIT licence.`"""


def written(content: str, category: str) -> tuple[str, bool]:
    """Return the memory as it is to be kept, and whether it was trimmed.

    Raises:
        Refused: it says nothing, nothing that lasts, or does not stand on its own; the message says which.
    """
    if category in PROCEDURES or category in PERSONAL:
        return content, False
    text = " ".join(content.split())
    text = text[label.end() :] if (label := _LABEL.match(text)) else text
    parts = [sentence.text for sentence in sentences(text)[:MAX_SENTENCES]]
    kept = " ".join(parts)
    if category not in EPISODES:
        kept = _within(kept, parts[0] if parts else "")
    bare = _QUOTED.sub(" ", kept)
    _check_person(kept, episode=category in EPISODES)
    _check_substance(kept, bare)
    if language_of(bare) == "en":
        _check_english(bare, episode=category in EPISODES)
    return kept, len(kept) < len(text)


def check_by_model(content: str, category: str) -> None:
    """Refuse what a model stores by itself and nobody will be glad to find: the hint says what to write instead.

    Raises:
        Refused: it is too short or too long, a question, true for a moment only, or about the model itself.
    """
    category = name_of(category)
    if category in PROCEDURES and len(read(content)[1]) >= FEWEST_STEPS:
        return
    text = " ".join(content.split())
    if len(text) > MAX_FACT:
        steps = (
            "Steps may be longer: write one to a line, numbered from 1."
            if category in PROCEDURES
            else (
                "Write one or two sentences, each thing in a memory of its own; a longer text belongs in a memory file."
            )
        )
        raise Refused(f"a memory may have {MAX_FACT} characters, and this has {len(text)}", steps)
    bare = _QUOTED.sub(" ", text).strip()
    if bare.endswith(("?", "？", "؟")):
        raise Refused("this is a question, and nothing to remember", "Write what was answered.")
    _check_itself(bare)
    if category not in PERSONAL:  # of whom it is is known
        _check_named(text)
    passing = _PASSING.search(bare) or _MOMENT.search(bare)
    _check_passing(passing or (None if category in EPISODES else _DAY.search(bare)))


def check_lasting(content: str) -> None:
    """Refuse a short text that names nothing, or says only what just passed: `The user just asked this.`, say.

    Raises:
        Refused: it does.
    """
    text = " ".join(content.split())
    _check_named(text)
    _check_passing(_PASSING.search(_QUOTED.sub(" ", text)))


def check_core_by_agent(section: str, before: str, after: str) -> None:
    """Refuse what an agent newly says in a section of core memory and nobody will be glad to read in every prompt.

    The persona may speak of the agent itself, and the context of what is under way.

    Raises:
        Refused: a new sentence is about the agent or true for a moment only, or small talk.
    """
    there = {sentence.text for sentence in sentences(before)}
    new = [sentence.text for sentence in sentences(after) if sentence.text not in there]
    for text in new:
        bare = _QUOTED.sub(" ", text).strip()
        if section != "persona":
            _check_itself(bare)
        if section != "context":
            _check_passing(_PASSING.search(bare) or _MOMENT.search(bare) or _DAY.search(bare))
        small = bare == text and all(word.casefold() in _CHATTER for word in _NAMING.findall(text))
        if small or _SMALL_TALK.fullmatch(text):
            raise Refused(f"this is too trivial to remember: {_shown(text)}", "Write what helps in every session.")


def _check_itself(bare: str) -> None:
    if itself := _ITSELF.search(_NO_PERSON.sub(" ", bare)):
        raise Refused(
            f"this is about you, or does not say about whom: it says {itself.group().strip()!r}",
            "Write in the third person what stays true of the user or the project: `The user prefers tabs.`",
        )


def _check_passing(passing: "re.Match[str] | None") -> None:
    if passing:
        raise Refused(
            f"this is true for a moment only: it says {passing.group().strip()!r}",
            "Write what will still hold in another session, with a date if it needs one: `The user lives in Seattle.` "
            "Of what happened, write what came of it: `The release was moved to Friday.`",
        )


def _check_named(text: str) -> None:
    """Refuse what names nothing: reactions, single words. What tells of a person's matters is asked about instead."""
    if told_of(text):
        return
    words = [word if word.isupper() and len(word) > 1 else word.casefold() for word in _NAMING.findall(text)]
    named = len({word for word in words if word not in _NAMELESS and word.casefold() not in _REACTIONS})
    wide = sum(char > "\u2e7f" for char in text)
    if (named < _FEWEST_NAMED and wide < _FEWEST_IDEOGRAPHS) or all(word.isdigit() for word in words):
        why = f"this is too trivial to remember: {_shown(text)}"
    elif _SMALL_TALK.fullmatch(text) or _NOTHING.fullmatch(text.rstrip(". ")):
        why = f"this says nothing to remember: {_shown(text)}"
    else:
        return
    raise Refused(why, "Say what about what, so that it helps in another session: `The database listens on port 5432.`")


def _within(kept: str, first: str) -> str:
    """Return as many whole sentences, or else clauses, as a fact may have characters."""
    for shorter in (kept, first):
        if len(shorter) <= MAX_FACT:
            return shorter
    ends = [clause.start() for clause in _CLAUSE.finditer(first, MAX_FACT // 4, MAX_FACT)]
    if not ends:
        raise Refused(
            f"a fact may have {MAX_FACT} characters, and its first sentence has {len(first)}",
            "Say it in one or two short sentences.",
        )
    return first[: ends[-1]].rstrip(" ,;") + "."


def _check_substance(kept: str, bare: str) -> None:
    letters = sum(char.isalpha() for char in kept)
    wide = sum(char > "\u2e7f" for char in kept)
    words = [word.lower() for word in _WORD.findall(bare)]
    small = bool(words) and all(word in _CHATTER for word in words)
    if (
        (letters < _FEWEST_LETTERS and wide < _FEWEST_IDEOGRAPHS)
        or (small and bare == kept)
        or _SMALL_TALK.fullmatch(kept)
        or _NOTHING.fullmatch(kept.rstrip(". "))
    ):
        raise Refused(f"this is too trivial to remember: {_shown(kept)}", "Store what will matter in another session.")


def _check_person(kept: str, *, episode: bool) -> None:
    """Refuse what somebody asks, and what somebody says of themselves in another language than English.

    What was asked in an episode, and is told with quotation marks, is part of what happened.
    """
    told = episode and kept.endswith(('"', "'", "”", "»"))
    if not told and kept.rstrip("\"'”»)").endswith(("?", "？", "؟")):
        raise Refused("this is a question, and nothing to remember", "Store what was answered.")
    if first := _FIRST.match(kept):
        raise Refused(
            f"this is not written in the third person: it says {first.group()!r}",
            "Write about the user, or by name.",
        )


def _check_english(bare: str, *, episode: bool) -> None:
    if dangling := _DANGLING.match(bare.lstrip(" \"'(")) or _POINTING.search(bare):
        raise Refused(
            f"this does not stand on its own: nobody will know what {dangling.group().strip()!r} means",
            "Name the person or thing.",
        )
    if person := _PERSON.search(_NO_PERSON.sub(" ", bare)):
        raise Refused(
            f"this is not written in the third person: it says {person.group()!r}",
            "Write about `the user`, or by name.",
        )
    if episode:
        if not _PAST.search(bare):
            raise Refused("an episode is told in the past tense", "Say what was discussed, decided or done.")
    elif moment := _MOMENT.search(bare) or _DAY.search(bare):
        raise Refused(
            f"this is true for a moment only: it says {moment.group()!r}",
            "Store what will still hold in another session, with a date where it needs one.",
        )


def _shown(text: str) -> str:
    return text if len(text) <= 60 else text[:59] + "…"
