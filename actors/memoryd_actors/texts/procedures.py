"""Ways of doing things, as they are told: what they are for, and their steps. And whether a message asks for one."""

import re
from collections.abc import Set
from functools import cache
from itertools import pairwise
from typing import Final, NamedTuple

import msgspec

from memoryd_actors.texts.languages import NEVER, tables, typed
from memoryd_actors.texts.sentences import sentences
from memoryd_actors.texts.stems import stem, stem_set

LONGEST: Final = 2_000
"""Characters of a message in which somebody tells how a thing is done; a longer one is a document."""
FEWEST_STEPS: Final = 2
FEWEST_BETWEEN_COMMAS: Final = 3
LONGEST_TRIGGER: Final = 60
LATEST: Final = 160
"""Characters that may be said before it."""
MOST_ASKED: Final = 2_000
"""Characters of a message in which it is looked whether it asks for a procedure, its end."""
SHORTEST_VERB: Final = 4
_NOUN: Final = re.compile(r"y?(?:e?ment|al|[ai]?t?ion|or|ance|age)")
"""What makes a noun of an English verb, after its stem."""
_BESIDE: Final = re.compile(r"[\w./-]*\.[a-z]{1,4}\b")
"""The name of a file."""
_DONE: Final = re.compile(r"(?<!get )(?<!\bbe )(?<!\bit )(?<!\bthis )(?<!\bthat )\b[a-z]{3,}ed\b")
"""What is over: `we released`, not `get it released`."""
_WORD: Final = re.compile(r"[^\W\d_]+")
_THIRD_PERSON: Final = re.compile(r"[a-z]+[^\Wsu]s\b")
"""A step that says what a thing does, `reads the header`, not what to do."""
_MARK: Final = r"(?:(?:step\s+)?\d{1,2}[.):]|[-*\u2022])\s+(?=\S)"
_ITEM: Final = re.compile(rf"^\s*{_MARK}", re.IGNORECASE | re.MULTILINE)
_MARKS: Final = re.compile(rf"(?:\A|\s){_MARK}", re.IGNORECASE)
_NUMBERS_INLINE: Final = re.compile(r"(?:^|\s)1[.)]\s.*\s2[.)]\s", re.DOTALL)
_BULLETS_INLINE: Final = re.compile(r"\A([-*\u2022])\s.*\s\1\s")
_ARROW: Final = re.compile(r"\s*(?:->|=>|\u2192)\s*")
_COMMAS: Final = re.compile(r"[,;.]\s+(?:(?:and|und) (?:then |dann )?)?")
_AND: Final = re.compile(r"\s+(?:and|und)\s+")
_BEYOND: Final = re.compile(rf"\n\s*\n(?!\s*{_MARK}).*", re.IGNORECASE | re.DOTALL)
"""Another paragraph that is no step."""


class _Table(msgspec.Struct, frozen=True):
    opens: str
    ends: str
    opens_with: str
    ends_with: str
    once: str
    article: str
    begins: str
    order: str
    happens: str
    manner: str
    step: str
    no_step: str
    over: str
    asks_about: str
    code: str
    ours: str = NEVER
    each_time: str = NEVER
    question: str = NEVER
    """How a question reads that whoever asks it answers, with its `task`: `how do we release? first ...`."""


class Told(NamedTuple):
    """A way of doing something."""

    trigger: str
    """What it is for: `release`, `deploy to staging`."""
    steps: str
    """A line each."""
    besides: str = ""
    """What else the message says, before it and in further paragraphs."""

    @property
    def text(self) -> str:
        """The procedure as it is kept."""
        return f"{self.trigger[:1].upper()}{self.trigger[1:]}:\n{self.steps}"


class _Telling:
    """The compiled patterns of one language."""

    def __init__(self, table: _Table) -> None:
        begins = rf"(?:{table.begins})\b"
        joined = rf"(?:, |(?<=\bwe) |(?<=\bi) |(?<=\byou) |(?<=\bwir) )(?={begins},? (?!{table.happens}))"
        self.parts = _compiled(
            r"(?P<head>(?:[^.:?!\n]|\.(?=\w)){3,150}?)"
            rf"(?:\s*(?P<colon>:|\s[\u2013\u2014]\s|\n|\s(?=- )|\.\s+(?={begins}))|{joined})\s*(?P<steps>.+)"
        )
        self.each_time = _compiled(rf"(?:{table.each_time})\b\s+(?P<head>[^,.:;?!\n]{{3,80}}),\s+(?P<steps>.+)")
        self.opens = _compiled(rf"(?:{table.opens})(?!\w)\s*")
        self.opens_with = _compiled(rf"(?:{table.opens_with})(?!\w)[,:]?\s*")
        self.ends = _compiled(rf"(?:{table.ends})\Z")
        self.ends_with = _compiled(rf"(?:^|(?<!\w))(?:{table.ends_with})\Z")
        self.once = _compiled(table.once)
        self.manner = _compiled(rf"(?:{table.manner})\Z")
        self.step = _compiled(table.step)
        self.no_step = _compiled(table.no_step)
        self.ours = _compiled(rf"\A(?:{table.ours})")
        self.article = _compiled(rf"\b(?:{table.article})\b")
        self.question = _compiled(rf"(?:{table.question})\?\s*")
        self.between = _compiled(rf"(?:^|[,;.]\s*(?:and |und )?|\s(?:and|und)\s+)(?:{table.order})\b[,:]?\s*")

    def told(self, text: str) -> Told | None:
        """Return the way of doing something that a text tells from its beginning; None where it tells anything else."""
        if (again := self.each_time.match(text)) is not None:
            steps = self.steps(again["steps"], listed=True, plain=False)
            trigger = self.trigger(again["head"], habit=True) if self.done(_bare(steps)) else ""
            return Told(" ".join(trigger.split()), steps) if trigger else None
        if (found := self.parts.match(text, self.lead(text))) is None:
            return None
        head = found["head"].strip(" ,;*#_-")
        manner = self.manner.match(head)
        named = manner.groupdict() if manner else {}
        if not (trigger := self.trigger(manner[manner.lastindex or 0] if manner else head, habit=bool(manner))):
            return None
        # `We name branches like this` tells how they look, `I release like this` nothing but what is done.
        plain = bool(named.get("plain")) and " " not in trigger
        steps = self.steps(found["steps"], listed=bool(found["colon"]), plain=plain)
        if not steps or (manner and not plain and not self.done(_bare(steps))):
            return None
        # `Caching works like this` tells of a thing, unless it says who does it, or what to do.
        thing = named.get("ours") and not self.is_ours(found["steps"])
        if thing and any(map(_THIRD_PERSON.match, _bare(steps))):
            return None
        beyond = _BEYOND.search(found["steps"])
        return Told(" ".join(trigger.split()), steps, beyond[0] if beyond else "")

    def answered(self, text: str) -> Told | None:
        """Return the way of doing something that a text asks for and tells itself."""
        asked = self.question.match(text, self.lead(text))
        if asked is None or not (trigger := self.trigger(asked["task"], habit=True)):
            return None
        rest = text[self.lead(text[asked.end() :]) + asked.end() :]
        steps = self.steps(rest, listed=True, plain=False)
        beyond = _BEYOND.search(rest)
        return Told(trigger, steps, beyond[0] if beyond else "") if self.done(_bare(steps)) else None

    def lead(self, text: str) -> int:
        """Return how far a text only leads to what it says: `note:`, `this is`."""
        end, before = 0, -1
        while before != end and not self.opens.match(text, end):
            before = end
            end = found.end() if (found := self.opens_with.match(text, end)) else end
        return end

    def trigger(self, head: str, *, habit: bool = False) -> str:
        """Return what something is done for, by what stands before its steps; empty where it is no habit."""
        before = ""
        while before != head:
            before, head = head, head.strip(" ,;*#_-")
            if found := self.opens.match(head):
                head, habit = head[found.end() :], True
            elif found := self.opens_with.match(head):
                head = head[found.end() :]
            elif found := self.ends.search(head):
                if found["noun"] and self.article.search(head, 0, found.start()):
                    return ""  # `run the release process`: a task
                head, habit = head[: found.start()], True
            elif found := self.ends_with.search(head):
                head = head[: found.start()]
        fits = 2 < len(head) <= LONGEST_TRIGGER and "," not in head
        return head if habit and fits and not self.once.match(head) else ""

    def steps(self, text: str, *, listed: bool, plain: bool) -> str:
        """Return steps, a line each; empty where they are none.

        They are items of a list or joined by `first`, `then` and `finally`, and where they are `listed`, also by
        arrows, and by commas where each says what to do or it is `plain` that they are steps.
        """
        text = _BEYOND.sub("", text).strip()
        if _BULLETS_INLINE.match(text):
            return re.sub(rf"(?:\A|\s){re.escape(text[0])}\s+", f"\n{text[0]} ", text).strip()
        if _ITEM.search(text) or _NUMBERS_INLINE.search(text):
            return text if len(_ITEM.findall(text)) >= FEWEST_STEPS or _NUMBERS_INLINE.search(text) else ""
        for between in (self.between, _ARROW) if listed else (self.between,):
            parts = [bare for part in between.split(text) if (bare := part.strip(" ,;.\n"))]
            if len(parts) >= FEWEST_STEPS:
                return _numbered([step for part in parts for step in self.apart(part)])
        if not listed:
            return ""
        parts = [bare for part in _COMMAS.split(text) if (bare := part.strip(" ,;.\n"))]
        if self.is_ours(text):
            parts = [self.ours.sub("", part) for part in parts]
        if len(parts) == FEWEST_BETWEEN_COMMAS - 1:
            last = [*parts[:-1], *_AND.split(parts[-1])]
            parts = last if all(map(self.step.match, last)) else parts
        says = self.done(parts) or (plain and not any(map(self.no_step.match, parts)))
        return _numbered(parts) if says and len(parts) >= FEWEST_BETWEEN_COMMAS else ""

    def apart(self, step: str) -> list[str]:
        """Return the steps that stand between commas in one, where each says what to do."""
        parts = _COMMAS.split(step)
        return parts if len(parts) > 1 and self.done(parts) else [step]

    def is_ours(self, text: str) -> bool:
        """Return whether each step of a text that lists them says who does it: `we ..., we ..., we ...`."""
        return all(self.ours.match(part.strip(" ,;.\n")) for part in _COMMAS.split(text.strip(" ,;.\n")))

    def done(self, steps: list[str]) -> bool:
        """Return whether steps say what to do: half of them, two at least, in so many words, and none anything else."""
        say = sum(self.step.search(step) is not None for step in steps)
        return say >= max(FEWEST_STEPS, len(steps) / 2) and not any(map(self.no_step.match, steps))


def _numbered(parts: list[str]) -> str:
    return "\n".join(f"{number}. {part}" for number, part in enumerate(parts, 1))


def _bare(steps: str) -> list[str]:
    """Return steps without their marks, each beginning small."""
    return [f"{step[0].lower()}{step[1:].rstrip()}" for step in _MARKS.split(steps) if step.strip()]


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(typed(pattern), re.IGNORECASE | re.DOTALL)


@cache
def _tellings() -> tuple[_Telling, ...]:
    return tuple(map(_Telling, tables("procedures", _Table).values()))


@cache
def _no_task() -> re.Pattern[str]:
    known = tables("procedures", _Table).values()
    over = "|".join(typed(table.over) for table in known)
    about = "|".join(typed(table.asks_about) for table in known)
    return re.compile(rf"(?:{over})|\A(?:{about})", re.IGNORECASE)


def told_procedure(message: str) -> Told | None:
    """Return the way of doing something that a message tells step by step; None where it tells anything else.

    It begins with one of the message's first sentences. A message with a question asks something, unless the question
    opens it and what it asks for follows.
    """
    if len(message) > LONGEST:
        return None
    if "?" in message:
        answered = (telling.answered(message) for telling in _tellings() if message.count("?") == 1)
        return next((told for told in answered if told is not None), None)
    for start in [0, *(one.start for one in sentences(message) if 0 < one.start <= LATEST)]:
        for telling in _tellings():
            if (told := telling.told(message[start:])) is not None:
                return told._replace(besides=f"{message[:start]}{told.besides}".strip())
    return None


def asks_for(message: str, trigger: str, content: str = "") -> bool:
    """Return whether a message has a task in it that a procedure is for.

    One sentence has all words of its trigger, in whatever form: `renewal` for `renew`, `back up` for `backup`. Or it
    has one of them, and nothing but words of the procedure, two at least: `publish the package` for how one publishes
    to PyPI, where a step names the package. One that tells of the past, or asks what, why, when or who, is no task;
    `how do we release` and `can you release` are.
    """
    wanted = stem_set(trigger)
    if not wanted:
        return False
    named = _WORD.findall(trigger.lower())
    there = stem_set(content) | wanted
    for sentence in sentences(message[-MOST_ASKED:]):
        asked = _BESIDE.sub(" ", sentence.bare)
        done = (word for word in _DONE.findall(asked) if word not in named)
        if _no_task().search(asked) or any(_among(stem(word), wanted) for word in done):
            continue
        said = stem_set(asked)
        joined = said | _compounds(asked).keys()
        joined |= {part for compound, parts in _compounds(trigger).items() if compound in said for part in parts}
        if all(_among(word, joined) for word in wanted):
            return True
        known = [word for word in said if _among(word, there)]
        if len(known) > 1 and len(known) == len(said) and any(_among(word, wanted) for word in said):
            return True
    return False


def _among(word: str, stems: Set[str]) -> bool:
    """Return whether a stem is among others, or a noun or an infinitive of it, or what it is one of."""
    return word in stems or any(_forms(word, other) or _forms(other, word) for other in stems)


def _forms(form: str, verb: str) -> bool:
    return _noun_of(form, verb) or _infinitive_of(form, verb)


def _infinitive_of(infinitive: str, verb: str) -> bool:
    """Return whether a stem is a German verb's, `deployen`, whose imperative is the other, `deploy`."""
    root = infinitive.removesuffix("en")
    return root != infinitive and len(root) >= SHORTEST_VERB and verb in {root, stem(root)}


def _noun_of(noun: str, verb: str) -> bool:
    return len(verb) >= SHORTEST_VERB and noun.startswith(verb) and _NOUN.fullmatch(noun, len(verb)) is not None


def _compounds(text: str) -> dict[str, tuple[str, str]]:
    """Return what every two neighbouring words make together, `backup` of `back up`, with the stems of both."""
    words = _WORD.findall(text.lower())
    return {stem(left + right): (stem(left), stem(right)) for left, right in pairwise(words)}
