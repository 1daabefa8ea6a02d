"""How people ask to have something remembered, and tell what holds from now on: the tables of each language."""

from typing import Final

import msgspec

from memoryd_actors.texts.languages import tables


class Requests(msgspec.Struct, frozen=True):
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


class Instructions(msgspec.Struct, frozen=True):
    """How people tell an assistant what to do from now on."""

    verbs: str
    """Of an assistant's work, in the forms of a command, between white space."""
    forms: tuple[str, ...]
    """How an instruction begins, VERB standing for one of the verbs."""
    idle: str = ""
    """Words that do not say what, between white space: `never run this` says nothing to another session."""


class Wordings(msgspec.Struct, frozen=True):
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


class Language(msgspec.Struct, frozen=True):
    """The tables of one language."""

    code: str
    """ISO 639-1."""
    requests: Requests
    instructions: Instructions
    wordings: Wordings


LANGUAGES: Final = tuple(tables("capture", Language).values())
