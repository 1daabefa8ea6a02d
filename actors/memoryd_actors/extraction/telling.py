"""How people tell what lasts, and what is over in an hour: the tables of each language."""

from typing import Final

import msgspec

from memoryd_actors.texts.languages import NEVER, tables


class Telling(msgspec.Struct, frozen=True):
    """How one language tells, in chats with an assistant about code and other work."""

    code: str
    """ISO 639-1."""
    prefers: str
    """What somebody likes or dislikes, of things in general."""
    advises: str
    """What is to be done or left, of things in general; from the beginning of a sentence."""
    decides: str
    corrects: str
    """How a correction begins."""
    arranges: str
    """How a correction tells what is arranged for good, and not only how something looks or goes now."""
    names: str
    """How something is named that can be found again: a product, a place, a path."""
    looks: str
    """What somebody tells who looks at a result: no correction that lasts."""
    learns: str
    """What turned out to be the cause of a trouble, or its end."""
    does: str
    """What a team does, uses, has."""
    holds: str
    """What holds of a part of a project; from the beginning of a sentence."""
    stands: str
    """What holds of anything; from the beginning of a sentence, and only with what `lasts`."""
    lasts: str
    """What shows that something holds for longer, of whatever it is said."""
    contrasts: str
    """How a correction says what is not so."""
    mine: str
    """Who the speaker is and works with."""
    points: str
    """What means something only in front of the code that is spoken of: nothing with it lasts."""
    passes: str
    """What shows that something is true for a moment; a decision, a correction, a lesson may have it."""
    troubles: str
    """What is broken now; a preference, a decision, a correction, a lesson may speak of it."""
    wonders: str
    """What is not known, only supposed or wished."""
    asks: str
    """Where a sentence stops telling and begins to ask."""
    typed: str
    """How a sentence begins or ends that asks for something without a question mark, or is a command of a shell."""
    tasks: str
    """How a sentence begins that has something done; a preference, a correction, a lesson may begin so, too."""
    needs_before: str
    """How a sentence begins that needs the one before it."""
    relative: str
    """A time that means nothing without the day on which it is said."""
    day: str
    """A day or a month that needs a year."""
    leads_on: str
    """What may stand before a request, at the end of what a sentence tells."""
    denies: str = NEVER
    """How a sentence begins that says of something what it is not, and what it is: a name or a figure."""
    leads_in: str = NEVER
    """What may stand before what a sentence tells, and says nothing."""
    likes: str = NEVER
    """What somebody likes, of whatever it is said."""
    hangs: str = NEVER
    """How a clause begins that goes with a request."""
    subject: str = NEVER
    """How a sentence begins that says itself what it is about."""
    speaks: str = NEVER
    """What means something only to those who talk; a sentence with it stays a quotation."""
    ours: dict[str, str] = msgspec.field(default_factory=dict)
    """What a sentence about what is the speaker's and others' begins with, and what says the same of it to anybody."""
    embedded: str = NEVER
    """How a request may begin that is none within a sentence: `I know how it is done`."""


TELLINGS: Final = tuple(tables("extraction", Telling).values())
