"""How people are told: how many there are of something, and what happened with what helps."""

from typing import Final

LONGEST_ASKED: Final = 400
"""Characters of what waits for consent, in the question about it: what is cut off cannot be agreed to."""


def counted(number: int, thing: str) -> str:
    """Return a number with what it counts: 1 memory, 2 memories, 1,200 entries."""
    if number == 1:
        return f"1 {thing}"
    ies = thing.endswith("y") and not thing.endswith(("ay", "ey", "oy"))
    return f"{number:,} {thing[:-1]}ies" if ies else f"{number:,} {thing}s"


def sentence(message: str, hint: str) -> str:
    """Join what happened and what helps in one line."""
    happened, helps = (" ".join(text.split()).rstrip(".") for text in (message, hint))
    if not helps:
        return happened
    first = helps.split(" ", 1)[0]
    ordinary = first[:1].isupper() and first[1:].islower()
    return f"{happened}; {helps[0].lower() + helps[1:] if ordinary else helps}"


def quoted(text: str) -> str:
    """Return a text in quotation marks, within a question: none of its own ends them, and no full stop the question."""
    return '"' + text.rstrip(". ").replace('"', "'") + '"'
