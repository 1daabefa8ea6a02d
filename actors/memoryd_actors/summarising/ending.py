"""How people and their assistants tell how something ended: the tables of each language."""

from typing import Final

import msgspec

from memoryd_actors.texts.languages import NEVER, tables


class Ending(msgspec.Struct, frozen=True):
    """The words of one language; each pattern is looked for as whole words."""

    code: str
    """ISO 639-1."""
    acts: str
    """Verbs of work, as they stand in the past."""
    done: tuple[str, ...]
    """How a result is told, ACT standing for one of them."""
    opens: str
    """What a sentence may begin with that tells a result without saying who: `Fixed the parser.`"""
    failed: str
    confirmed: str
    """How a user says that it works."""
    decided: str
    planned: str
    """What in front of a result makes it a plan, a condition or a wish."""
    negated: str
    conditions: str
    """How a sentence begins in which nothing happened."""
    own: str
    """How a user begins who tells what they did."""
    announces: str
    """How an assistant begins to say what it is about to do, or offers more: nothing of it is worth telling."""
    likely: str
    """What in a sentence makes a result a guess, or something that is known of the world."""
    limits: str
    """What takes back half of a confirmation."""
    follows: str
    """What stands behind a word of `opens` that tells a result; `Fixed heights cause shifts` tells none."""
    settles: str
    """What decides or explains something."""
    mine: str
    chooses: str
    """How a user's sentence begins that chooses something: `let us take the second one`."""
    corrects: str
    """How one begins that corrects something or takes it back."""
    supposes: str
    """How a sentence begins that only supposes something."""
    refers: str = NEVER
    """How a result begins that is told of what the sentence before it names."""


ENDINGS: Final = tuple(tables("summarising", Ending).values())
