"""Step 3 of the pipeline, before the model: what the user wants now, and what led there."""

import hashlib
from collections.abc import Sequence

import msgspec

from memoryd_actors.texts.quoted import told_apart
from memoryd_actors.texts.words import content_words
from memoryd_client.wire.context import Message, Trigger

WINDOW_CHARACTERS = 800
"""Of an earlier reply, some 200 tokens: enough to know its topic. With 400 characters the F1 of topic change on long
replies (BEAM) falls by four points; whole replies raise it by less than one."""
WINDOW_MESSAGES = 2
"""The message before the request and the nearest one of the other side before that."""
FEW_WORDS = 3
"""A request with fewer content words ("yes, do that") decides no topic."""


class Exchange(msgspec.Struct, frozen=True):
    """A user's turn and what was said before it; what a change of topic is decided by."""

    request: str
    reply: str
    """Empty where there is none yet."""
    before: tuple[str, ...]
    """At most two messages, newest first."""

    @property
    def said(self) -> tuple[str, ...]:
        """The turn itself: one or two texts, the request first."""
        return (self.request, self.reply) if self.reply else (self.request,)

    @property
    def texts(self) -> tuple[str, ...]:
        """What has to be embedded: the turn, then what came before it."""
        return self.said + self.before


class Focus(msgspec.Struct, frozen=True):
    """A context update, reduced to what is embedded and searched."""

    text: str
    """The request in focus, newest text first."""
    window: tuple[str, ...]
    """What was said just before it, newest first; does not overlap with `text`."""
    words: int
    """Content words in the request itself."""
    turn: Exchange | None = None
    """The user's turn; None where the context came from another trigger."""
    last_turn: Exchange | None = None
    """The user's turn before it, whose reply is known now."""
    files: tuple[str, ...] = ()
    """Files in hand, as paths; what is searched for does not depend on them."""

    def alone(self) -> "Focus":
        """Return the request without what led there: it speaks of something else."""
        return self if self.turn is None else msgspec.structs.replace(self, text=self.turn.request, window=())

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
    asked = _latest_request(messages, len(messages))
    at = len(messages) - 1 if trigger != "turn" or asked is None else asked
    request = _telling(messages[at])
    words = len(content_words(request[:2000]))
    parts = [request]
    if trigger != "turn" and asked is not None and asked < at:
        parts.append(_telling(messages[asked]))
    at_turn = trigger == "turn" and asked is not None
    last = _latest_request(messages, at) if at_turn else None
    return Focus(
        text="\n".join(parts),
        window=tuple(_glimpse(message) for message in _before(messages, at) if _telling(message) not in parts),
        words=words,
        turn=_exchange(messages, at, len(messages)) if at_turn else None,
        last_turn=None if last is None else _exchange(messages, last, at),
    )


def _latest_request(messages: Sequence[Message], end: int) -> int | None:
    """Return where the last request before `end` stands."""
    return next((n for n in range(end - 1, -1, -1) if messages[n].role == "user"), None)


def _before(messages: Sequence[Message], at: int) -> list[Message]:
    """Return the message before `at` and the nearest one of the other side before that, newest first.

    An agent that reports step by step would otherwise fill the window with its last two steps.
    """
    if at == 0:
        return []
    newest = messages[at - 1]
    other = next((n for n in range(at - 2, -1, -1) if messages[n].role != newest.role), at - 2)
    return [newest] if at == 1 else [newest, messages[other]]


def _exchange(messages: Sequence[Message], at: int, end: int) -> Exchange:
    """Return the turn whose request stands at `at`, with the last thing that was said before `end` as its reply."""
    return Exchange(
        request=_telling(messages[at]),
        reply=_glimpse(messages[end - 1]) if end - 1 > at else "",
        before=tuple(_glimpse(message) for message in _before(messages, at)),
    )


def _glimpse(message: Message) -> str:
    """Return what stands for an earlier message. A request stays whole: it was in focus, its vector is known."""
    return _telling(message) if message.role == "user" else _telling(message)[:WINDOW_CHARACTERS]


def _telling(message: Message) -> str:
    """Return what was said in a message, followed by the telling lines of what it quotes."""
    return told_apart(message.content).text
