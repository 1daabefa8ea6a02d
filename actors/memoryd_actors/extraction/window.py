"""The part of a conversation that is looked at in one go."""

from collections.abc import Sequence
from typing import Final

from memoryd_actors.extraction.input_message import InputMessage
from memoryd_actors.extraction.question import LONGEST_MESSAGE

WINDOW_CHARACTERS: Final = 24_000
"""Of the messages in it: some 7,000 tokens, less than a tenth of a cent."""
BEFORE: Final = 4
"""Messages before it that a model is shown, so that it knows what is spoken of."""


def windows(messages: Sequence[InputMessage], *, turns: int) -> list[tuple[InputMessage, ...]]:
    """Cut a conversation into parts of at most so many turns of the user and `WINDOW_CHARACTERS`, between turns."""
    parts: list[tuple[InputMessage, ...]] = []
    part: list[InputMessage] = []
    spoken = room = 0
    for message in messages:
        size = min(len(message.text), LONGEST_MESSAGE)
        full = message.role == "user" and spoken >= turns
        if part and (full or room + size > WINDOW_CHARACTERS):
            parts.append(tuple(part))
            part, spoken, room = [], 0, 0
        part.append(message)
        spoken += message.role == "user"
        room += size
    if part:
        parts.append(tuple(part))
    return parts
