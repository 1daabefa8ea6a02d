"""What the rules of capture know of a language: tables of patterns, no code of its own for any of them.

Patterns are regular expressions without anchors, in which a space stands for any white space and an apostrophe for
whichever is typed; `typed` makes them so.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Requests:
    """How people ask to have something remembered.

    Every pattern is matched against the beginning of a sentence, after what may stand before a request. That, and no
    list of exceptions, is what keeps `I couldn't remember`, `don't save this` and `do you remember` out: they begin
    otherwise.
    """

    lead: str
    """Words that may stand before a request, one of them."""
    please: str
    """How a request is made polite, or into a question."""
    asks: str
    """Of those, the ones that make it a question in form only."""
    after: tuple[str, ...]
    """Requests that what is to be remembered follows."""
    points: tuple[str, ...]
    """Requests that point to it; complete but for what `tail` allows."""
    tail: str
    """What may follow a request that points."""
    joins: str
    """What may stand between a statement and the request that ends its sentence."""
    urges: str
    """What makes a question that points a request: `could you remember this, please?`"""
    refers: str
    """How a sentence begins that needs the one before it."""
    stems: tuple[str, ...]
    """One of these is in every request, in lower case. Looking for them first takes a tenth of the time."""


@dataclass(frozen=True, slots=True)
class Instructions:
    """How people tell an assistant what to do from now on."""

    verbs: str
    """Of an assistant's work, in the forms of a command, between white space."""
    forms: tuple[str, ...]
    """How an instruction begins, VERB standing for one of the verbs."""
    idle: str = ""
    """Words that do not say what, between white space: `never run this` says nothing to another session."""
    describes: str = ""
    """What shows that a program is spoken of: where a command has the form of the third person, `siempre usa` may be
    either."""


@dataclass(frozen=True, slots=True)
class Wordings:
    """How it shows what kind of thing something is."""

    corrects: str
    """How a correction begins, before a comma or a full stop."""
    from_now_on: str
    rules: tuple[str, ...]
    """How a rule begins."""
    prefers: str
    everywhere: str
    """That something holds in every project, whoever says it."""
    everywhere_asked: str
    """The same, within a request."""
    corrects_alone: str = "(?!)"
    """How a correction begins, whatever follows."""


@dataclass(frozen=True, slots=True)
class Language:
    """The tables of one language."""

    code: str
    """ISO 639-1."""
    requests: Requests
    instructions: Instructions
    wordings: Wordings
    spaced: bool = True
    """Whether there are spaces between words."""

    @property
    def edge(self) -> str:
        """The pattern of a word's beginning or end."""
        return r"\b" if self.spaced else ""


def typed(pattern: str) -> str:
    """Return a pattern whose spaces and apostrophes stand for what people type."""
    spaced = pattern.replace("[- ]", r"[-\s]").replace(" ?", r"[^\S\n]*").replace(" ", r"[^\S\n]+")
    return spaced.replace("'", "['\u2019]")
