"""What is worth remembering of a conversation, found by rules: no model is asked.

A rule understands nothing, so it takes little and changes nothing: whole sentences in the words that were used. What
says itself what it is about is kept as a statement, everything else as a quotation of who said it. It takes what users
tell of themselves, decide, correct and found to be the reason of a trouble, and of their assistants only the last.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from memoryd_actors.admission.writing import MAX_FACT
from memoryd_actors.capture import explicit, standing_instruction
from memoryd_actors.capture.kinds import PREFERENCE
from memoryd_actors.extraction.candidate import BY_RULE, Extraction, trust_in_user
from memoryd_actors.extraction.dating import needs_day
from memoryd_actors.extraction.input_message import InputMessage
from memoryd_actors.extraction.mentioned_files import mentioned
from memoryd_actors.extraction.particulars import aside, fleeting, given, particular
from memoryd_actors.extraction.signs import SIGNED, dated, weigh
from memoryd_actors.extraction.telling import TELLINGS
from memoryd_actors.extraction.wording import LESSON, Wording, wordings_of
from memoryd_actors.memory.personal_matters import told_of
from memoryd_actors.memory.settings import FACT
from memoryd_actors.texts.languages import typed
from memoryd_actors.texts.passed_on import own_words
from memoryd_actors.texts.procedures import told_procedure
from memoryd_actors.texts.quoted import told_apart
from memoryd_actors.texts.quoting import saying, uncorrected
from memoryd_actors.texts.sentences import Sentence, is_question, sentences

AMONG_PEOPLE: Final = 0.3
"""Weight from which a sentence is taken; see `benchmarks/extraction.py` for what other values cost and bring."""
TO_AN_ASSISTANT: Final = 1.4
"""The same where somebody talks to an assistant: there most of what is told belongs to the task at hand."""
TIED_DOWN: Final = 2.0
"""Weight of what somebody tells an assistant of themselves with an amount, a version or a date in it."""
SURE: Final = 3.0
"""Weight of what is said in so many words: a decision, a correction, a lesson."""
LONGEST: Final = 230
"""Characters of what is quoted: with who said it and when, a fact has at most 280."""
FEWEST_WORDS: Final = 5
FEWEST_WORDS_SURE: Final = 4
"""Of what is said in so many words."""
LONGEST_OPENING: Final = 3
"""Words of a sentence that only opens the next: `That's wrong.`"""

_LIKES = re.compile("|".join(typed(one.likes) for one in TELLINGS), re.IGNORECASE)
_LEADS_ON = re.compile(rf"[\s,;]+(?:{'|'.join(typed(one.leads_on) for one in TELLINGS)})\Z", re.IGNORECASE)
_LEADS_IN = re.compile(
    rf"(?:(?:{'|'.join(typed(one.leads_in) for one in TELLINGS)})[,:]?\s+)+(?=\S+ \S)", re.IGNORECASE
)
_HANGS = re.compile(rf",\s(?:{'|'.join(typed(one.hangs) for one in TELLINGS)})[^,]*\Z", re.IGNORECASE)
_EMBEDDED = re.compile(rf"\s*(?:{'|'.join(typed(one.embedded) for one in TELLINGS)})\b", re.IGNORECASE)
_SUBJECT = {one.code: re.compile(rf"(?:{typed(one.subject)})", re.IGNORECASE) for one in TELLINGS}
_SPEAKS = {one.code: re.compile(rf"(?<![\w'])(?:{typed(one.speaks)})(?![\w'])", re.IGNORECASE) for one in TELLINGS}
_PLACEHOLDER = re.compile(r"\[redacted:")


class _Told(msgspec.Struct, frozen=True):
    """A sentence, or the part of one that tells something."""

    text: str
    bare: str


def stated(messages: Sequence[InputMessage], *, threshold: float | None = None) -> list[Extraction]:
    """Return what rules find worth remembering in a conversation, oldest first.

    `threshold` stands in for `AMONG_PEOPLE` or `TO_AN_ASSISTANT`.
    """
    people = _among_people(messages)
    if threshold is None:
        threshold = AMONG_PEOPLE if people else TO_AN_ASSISTANT
    found: list[Extraction] = []
    before = ""
    for message in messages:
        found += _of(message, before, threshold, people=people)
        before = message.text
    return list({one.content: one for one in found}.values())


def _among_people(messages: Sequence[InputMessage]) -> bool:
    """Return whether several people talk, and no assistant."""
    speakers = {message.speaker for message in messages if message.speaker}
    return len(speakers) > 1 and all(message.role == "user" for message in messages)


def _of(message: InputMessage, before: str, threshold: float, *, people: bool) -> Iterator[Extraction]:
    if message.role == "user" and (explicit(message.text, before) or standing_instruction(message.text)):
        return  # stored as soon as it was said
    way = told_procedure(message.text) if message.role == "user" else None
    # A procedure is stored as soon as it was told, too.
    said = told_apart(message.text if way is None else way.besides).said
    wordings = wordings_of(said)
    if not wordings:
        return
    wording = wordings[0]
    weighed: list[tuple[_Told | None, tuple[float, str]]] = []
    opening, apart = "", not people and aside(said)
    parts = sentences(said)
    for sentence in own_words(parts) if message.role == "user" else parts:
        told = _telling(sentence, wording, fewest=FEWEST_WORDS if people else FEWEST_WORDS_SURE)
        weighing = _weight(told, opening, message, wordings, people=people)
        if (
            weighing[0] < threshold
            and message.role == "user"
            and not people
            and wording.code in SIGNED
            and (besides := _besides(sentence, wording))
        ):
            told, weighing = besides, (TIED_DOWN, FACT)
        if apart and weighing[1] == FACT:
            weighing = (-1.0, FACT)
        weighed.append((told, weighing))
        opening = sentence.bare if len(sentence.bare.split()) <= LONGEST_OPENING else ""
    at = 0
    while at < len(weighed):
        told, (weight, category) = weighed[at]
        at += 1
        if told is None or weight < threshold or _PLACEHOLDER.search(told.text):
            continue
        text = told.text
        previous = weighed[at - 2][0] if at > 1 else None
        if wording.needs_before.match(told.bare):
            if (
                previous is None
                or wording.needs_before.match(previous.bare)
                or len(_joined(previous.text, text)) > LONGEST
            ):
                continue
            text = _joined(previous.text, text)
        following = weighed[at] if at < len(weighed) else None
        if (
            text is told.text
            and following is not None
            and following[0] is not None
            and following[1][0] >= threshold
            and following[1][1] == category
            # What waits for a yes takes nothing else with it.
            and bool(told_of(text)) == bool(told_of(following[0].text))
            and len(_joined(text, following[0].text)) <= LONGEST
        ):
            text = _joined(text, following[0].text)
            at += 1
        candidate = _candidate(text, category, weight, message, wordings)
        if len(candidate.content) <= MAX_FACT:
            yield candidate


def _joined(first: str, second: str) -> str:
    """Return two sentences as one text; the first may have been cut before its request."""
    return f"{first} {second}" if first.endswith((".", "!", "?", "\u2026")) else f"{first}. {second}"


def _candidate(
    text: str, category: str, weight: float, message: InputMessage, wordings: Sequence[Wording]
) -> Extraction:
    return Extraction(
        content=_content(" ".join(text.split()), message, [wording.code for wording in wordings]),
        category=category,
        trust=trust_in_user(category) if message.role == "user" else BY_RULE,
        first=message.sequence,
        last=message.sequence,
        speaker=message.speaker or message.role,
        at=message.at,
        importance=2 if category == FACT else 3,
        weight=weight,
        files=mentioned(text),
        metadata={
            "extracted": "rule",
            "rule": category,
            "basis": "user_stated" if message.role == "user" else "observed",
        },
    )


def _content(text: str, message: InputMessage, codes: Sequence[str]) -> str:
    """Return what a user states as they put it, where it stands for itself; else who said it, in marks."""
    dated = needs_day(text, codes)
    if message.role == "user" and not message.speaker and not dated and (stated := _statement(text, codes)):
        return stated
    quoted = text.replace('"', "'").replace("\u201c", "'").replace("\u201d", "'")
    return saying(message.speaker or f"the {message.role}", quoted, message.at if dated else None)


def _statement(text: str, codes: Sequence[str]) -> str:
    """Return what is said without the `no,` or `by the way,` before it; empty where it means nothing to others."""
    text = uncorrected(text)
    if leads_in := _LEADS_IN.match(text):
        text = text[leads_in.end() :]
    first, _, rest = text.partition(" ")
    text = next((f"{one.ours[first.lower()]} {rest}" for one in TELLINGS if first.lower() in one.ours), text)
    if not any(_SUBJECT[code].match(text) for code in codes) or any(_SPEAKS[code].search(text) for code in codes):
        return ""
    first = text.split(maxsplit=1)[0]
    return f"{text[:1].upper()}{text[1:]}" if first.isalpha() and first.islower() else text


def _weight(
    told: _Told | None, opening: str, message: InputMessage, wordings: Sequence[Wording], *, people: bool
) -> tuple[float, str]:
    if told is None:
        return -1.0, FACT
    if message.role != "user":
        return (SURE, LESSON) if any(one.lesson(told.bare) for one in wordings) else (-1.0, FACT)
    wording = wordings[0]
    kind = next(filter(None, (one.kind(told.bare, opening) for one in wordings)), None)
    task = kind in {FACT, None}
    left = not people and (
        any(one.typed_request(told.bare, task=task) for one in wordings) or (task and fleeting(told.bare))
    )
    if kind is not None and not left and not (people and kind in {FACT, PREFERENCE}):
        return SURE, kind
    if left or wording.code not in SIGNED or len(told.bare.split()) < FEWEST_WORDS:
        return -1.0, FACT
    weight = weigh(told.bare)
    if not people and particular(told.bare):
        weight = max(weight, TIED_DOWN)
    elif not people and (wording.passing(told.bare) or not dated(told.bare)):
        return -1.0, FACT
    if people and wording.decides(told.bare):
        weight = max(weight, SURE)
    return weight, PREFERENCE if _LIKES.search(told.bare) else FACT


def _besides(sentence: Sentence, wording: Wording) -> _Told | None:
    """Return what a sentence that asks, or is about the task at hand, tells of its speaker besides."""
    for start in given(sentence.bare):
        bare = _before_request(sentence.bare[start:], wording).rstrip(" ,;?.!")
        if len(bare.split()) < FEWEST_WORDS or len(bare) > LONGEST or bare.endswith(":"):
            continue
        if particular(bare) and not wording.needs_before.match(bare):
            return _Told(sentence.text[start : start + len(bare)], bare)
    return None


def _before_request(bare: str, wording: Wording) -> str:
    asks = next((one for one in wording.asks.finditer(bare) if _parts(one, bare)), None)
    if asks is None:
        return bare
    return _HANGS.sub("", _LEADS_ON.sub("", bare[: asks.start()].rstrip(" ,;-\u2013\u2014")))


def _parts(asks: "re.Match[str]", bare: str) -> bool:
    """Return whether a request begins there; `I know how it is done` holds the words of one, and is none."""
    return asks.start() == 0 or is_question(bare) or not _EMBEDDED.match(asks.group())


def _telling(sentence: Sentence, wording: Wording, *, fewest: int) -> _Told | None:
    """Return what a sentence tells before it asks; None where it only asks, or is too short or too long to be kept."""
    bare, text = sentence.bare, sentence.text
    told = _before_request(bare, wording)
    if told != bare:
        bare, text = told, text[: len(told)]
    elif is_question(bare) or bare.endswith((":", "\uff1a")):
        return None  # a question, or what leads to something that is shown
    if len(text) > LONGEST and (end := bare.rfind(", and ", 0, LONGEST)) > 0:
        bare, text = bare[:end], text[:end]
    if len(bare.split()) < fewest or len(text) > LONGEST:
        return None
    return _Told(text, bare)
