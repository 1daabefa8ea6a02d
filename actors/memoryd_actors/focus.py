"""Step 3 of the pipeline, before the model: what the user wants now, and what led there."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from memoryd_actors.words import content_words
from memoryd_client.messages import Message, Trigger

WINDOW_CHARACTERS = 400
"""Of an earlier reply, some 100 tokens: enough to know its topic. All 256 that the model takes would double the cost of
an update."""
WINDOW_MESSAGES = 2
"""The message before the request and its own predecessor; topic change compares with these."""
FEW_WORDS = 3
"""A request with fewer content words ("yes, do that") borrows the one before it and decides no topic."""


@dataclass(frozen=True, slots=True)
class Focus:
    """A context update, reduced to what is embedded and searched."""

    text: str
    """The request in focus, newest text first."""
    window: tuple[str, ...]
    """What was said just before it, newest first; does not overlap with `text`."""
    words: int
    """Content words in the request itself, before it borrowed any."""

    @property
    def fingerprint(self) -> str:
        """A hash that is equal for equal contexts."""
        digest = hashlib.blake2b(digest_size=16)
        for part in (self.text, *self.window):
            digest.update(part.encode("utf-8", "surrogatepass"))
            digest.update(b"\0")
        return digest.hexdigest()


def find_focus(messages: Sequence[Message], trigger: Trigger) -> Focus | None:
    """Return the request in focus of a cleaned conversation, or None where nobody said anything.

    At the user's turn that is the latest user message; for the agent's own triggers (output, file, error, design) it is
    the latest message, with the user's request behind it as the task it belongs to.
    """
    if not messages:
        return None
    asked = next((n for n in range(len(messages) - 1, -1, -1) if messages[n].role == "user"), None)
    at = len(messages) - 1 if trigger != "turn" or asked is None else asked
    request = messages[at].content
    words = len(content_words(request[:2000]))
    parts = [request]
    before = at - 1
    if trigger != "turn" and asked is not None and asked < at:
        parts.append(messages[asked].content)
    elif words < FEW_WORDS:
        earlier = next((n for n in range(at - 1, -1, -1) if messages[n].role == "user"), None)
        if earlier is not None:
            parts.append(messages[earlier].content)
    window = [messages[n] for n in range(before, max(before - WINDOW_MESSAGES, -1), -1)]
    return Focus(
        text="\n".join(parts),
        window=tuple(_glimpse(message) for message in window if message.content not in parts),
        words=words,
    )


def _glimpse(message: Message) -> str:
    """Return what stands for an earlier message. A request stays whole: it was in focus, its vector is known."""
    return message.content if message.role == "user" else message.content[:WINDOW_CHARACTERS]
