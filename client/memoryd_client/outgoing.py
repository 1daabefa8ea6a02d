"""What leaves this client: checked, cut to size, and encoded whatever its text holds."""

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final, NamedTuple, get_args

import msgspec

from memoryd_client.agent_messages import Said, as_message
from memoryd_client.arguments import explain, mended, several
from memoryd_client.base.errors import InvalidArgument, WrongType
from memoryd_client.code_spans import code_spans, in_ticks, is_within
from memoryd_client.wire.context import MAX_TURN, ContextUpdate, Message, Trigger
from memoryd_client.wire.protocol import Envelope, decode_envelope, encode

MAX_PUSHED_MESSAGES: Final = 1_000
"""The newest messages of a pushed conversation; the daemon looks at far fewer."""
MAX_PUSHED_BYTES: Final = 256 * 1024
"""Text in one pushed context, as UTF-8. Far more than the daemon looks at; 1 MiB took longer than a millisecond to
encode, up to 12 ms where it was not ASCII, and a push must not be felt."""
_MAX_LABEL = 200
"""Characters that a role or name keeps in a conversation that has to be cut."""
MAX_FILES: Final = 20
_LONGEST_PATH = 400
"""Characters of a path's end: what it names stands there."""
_NAMES: Final[tuple[str, ...]] = ("private", "recalled-memories")
_HIDDEN = re.compile(rf"<(/?)({'|'.join(_NAMES)})(?![\w.:-])[^<>]*(?:>|\Z)", re.IGNORECASE | re.ASCII)
"""Blocks that the daemon keeps nothing of; a cut inside one must not make plain text of it."""
_CODE = re.compile(r"[ \t>]*(`+|~+)")
_DEEPEST = 50
"""Blocks within blocks that a cut message is marked with; of a text that is deeper in, nothing is sent."""
_MARKS = 2_048
"""Bytes kept free for those marks: 50 of each take 1,450."""
_TRIGGER = "Leave it out where it is simply the user's turn."
_MESSAGE = 'Give Message("user", "...").'
_TURN = "Leave it out: then turns are counted."
_TRIGGERS = frozenset(get_args(Trigger))


def conversation(messages: Sequence[Said]) -> tuple[Message, ...]:
    """Return the end of a conversation that fits into one context update.

    At most the newest `MAX_PUSHED_MESSAGES`, at most `MAX_PUSHED_BYTES` of text. Whole messages are kept from the
    newest backwards; the one that no longer fits keeps its end, and everything before it is left out. An end that
    began inside a private block, or inside memory that was recalled, still does.

    Raises:
        TypeError: something in it is no message, or a field of one is not text.
    """
    if not isinstance(messages, Iterable) or isinstance(messages, str | bytes):  # pyright: ignore[reportUnnecessaryIsInstance] - not all check types
        raise WrongType(f"messages must be a list of Message objects, not {type(messages).__name__}", _MESSAGE)
    newest = [
        message
        for said in (messages if isinstance(messages, list | tuple) else tuple(messages))[-MAX_PUSHED_MESSAGES:]
        if (message := said if type(said) is Message else as_message(said)) is not None
    ]
    length = 0
    for message in newest:
        try:
            length += len(message.content) + len(message.role) + len(message.name)
            if not (type(message.content) is type(message.role) is type(message.name) is str):
                raise TypeError
        except TypeError:
            raise WrongType(f"role, content and name of a Message must be str: {_types(message)}", _MESSAGE) from None
    # A character takes at most four bytes: most conversations are known to fit without looking at their text.
    return tuple(newest) if 4 * length <= MAX_PUSHED_BYTES else _end(newest)


class ContextArguments(NamedTuple):
    """What the methods that push a context are given."""

    messages: Sequence[Said]
    trigger: Trigger
    turn: int | None
    files: Sequence[str]


def check_context(trigger: Trigger, turn: int | None) -> None:
    """Raise ValueError or TypeError where the daemon would have to throw a context update away."""
    if not isinstance(trigger, str) or trigger not in _TRIGGERS:  # pyright: ignore[reportUnnecessaryIsInstance] - not all check types
        raise InvalidArgument(
            f"`trigger` is {trigger!r:.60}, and has to be one of {', '.join(sorted(_TRIGGERS))}", _TRIGGER
        )
    if turn is not None and type(turn) is not int:
        raise WrongType(f"`turn` is of type {type(turn).__name__}, and has to be a whole number or None", _TURN)
    if turn is not None and not 0 <= turn <= MAX_TURN:
        raise InvalidArgument(f"`turn` is {turn}, and has to be a whole number from 0 to {MAX_TURN:,}", _TURN)


def files_in_hand(files: Sequence[str]) -> tuple[str, ...]:
    """Return the newest paths of those given, as the wire has them; raise WrongType for what is no list of texts."""
    return tuple(path[-_LONGEST_PATH:] for path in several("files", files, str)[-MAX_FILES:])


def encoded(message: ContextUpdate | Envelope) -> bytes:
    """Return the frame; a lone surrogate, which UTF-8 cannot say, becomes U+FFFD, a pair the character it means."""
    try:
        return encode(message)
    except UnicodeEncodeError:
        return encode(mended(msgspec.to_builtins(message, builtin_types=(datetime,))))


def checked(envelope: Envelope) -> bytes:
    """Return the frame of a request that the daemon can read: 1 µs more than encoding, 0.4 ms a megabyte.

    Raises:
        InvalidArgument: a value is out of range; WrongType where it is of another type, or cannot be sent at all.
    """
    if isinstance(envelope.deadline_s, bool) or not isinstance(envelope.deadline_s, (int, float)):  # pyright: ignore[reportUnnecessaryIsInstance] - not all check types
        shown = type(envelope.deadline_s).__name__
        raise WrongType(f"`deadline_s` is of type {shown}, and has to be a number", "Give seconds.")
    if not envelope.deadline_s > 0:  # NaN, too
        raise InvalidArgument(f"`deadline_s` is {envelope.deadline_s}, and has to be above 0", "Give seconds.")
    frame = b""
    try:
        frame = encoded(envelope)
        decode_envelope(frame)
    except msgspec.ValidationError as exc:
        raise explain(exc, Envelope, msgspec.msgpack.decode(frame)).error() from exc
    except (TypeError, OverflowError) as exc:
        raise _unsendable(envelope, exc) from exc
    except RecursionError as exc:
        raise InvalidArgument("the request is nested too deeply to be sent", "Flatten it, or send it as text.") from exc
    return frame


def _unsendable(envelope: Envelope, error: Exception) -> InvalidArgument:
    """Say which field it is that has no form on the wire."""
    try:
        plain = msgspec.to_builtins(envelope.request, builtin_types=(bytes, datetime))
        msgspec.convert({**plain}, type(envelope.request))
    except msgspec.ValidationError as exc:
        return explain(exc, type(envelope.request), msgspec.to_builtins(envelope.request)).error()
    except (TypeError, OverflowError, ValueError):
        pass
    name = str(type(envelope.request).__struct_config__.tag)
    return WrongType(f"the request `{name}` cannot be sent: {error}", "Give text, numbers, dates and bytes only.")


def _end(messages: Sequence[Message]) -> tuple[Message, ...]:
    kept: list[Message] = []
    left = MAX_PUSHED_BYTES
    for message in reversed(messages):
        role, name = message.role[:_MAX_LABEL], message.name[:_MAX_LABEL]
        left -= 4 * (len(role) + len(name))
        if left <= 0:
            break
        content, size = _tail(message.content, left)
        kept.append(Message(role=role, content=content, name=name))
        left -= size
        if len(content) < len(message.content):
            break
    return tuple(reversed(kept))


def _tail(text: str, limit_bytes: int) -> tuple[str, int]:
    """Return as much of the end of a text as surely fits into `limit_bytes` of UTF-8, and what it may take.

    Anything but ASCII counts four bytes a character: counting exactly would mean encoding it.
    """
    width = 1 if text.isascii() else 4
    if len(text) * width <= limit_bytes:
        return text, len(text) * width
    length = max(0, limit_bytes - _MARKS) // width
    opening, cut = _surroundings(text, len(text) - length)
    return opening + text[cut:], length * width + len(opening)


def _surroundings(text: str, cut: int) -> tuple[str, int]:
    """Return what is open where a text is cut, blocks and code, and where to cut so that no tag is split."""
    # A megabyte of HTML takes the pattern 3 ms, this look half of one.
    if "<" not in text or (text.isascii() and not any(name in text.lower() for name in _NAMES)):
        return "", cut
    if _HIDDEN.search(text) is None:
        return "", cut
    depths: dict[str, int] = dict.fromkeys(_NAMES, 0)
    code = code_spans(text)
    for tag in _HIDDEN.finditer(text):
        if tag.start() >= cut:
            break
        name = tag.group(2).lower()
        if is_within(code, tag.start()) if name == "private" else in_ticks(text, tag.start(), tag.end()):
            continue  # only spoken of
        if tag.group(1):
            depths[name] = max(0, depths[name] - 1)
        elif not tag.group().endswith("/>"):
            depths[name] += 1
        cut = max(cut, tag.end())
    if max(depths.values()) > _DEEPEST:
        return "<private>", len(text)
    opening = "".join(f"<{name}>" * depth for name, depth in depths.items())
    shown = next((span for span in code if span[0] < cut < span[1]), None)
    if shown is None:
        return opening, cut
    # What closes it would otherwise open another, and make code of what comes after.
    ticks = _CODE.match(text, shown[0])
    if ticks is None or len(ticks[1]) > _DEEPEST:
        return opening, shown[1]
    return (f"{opening}\n{ticks[1]}\n" if "\n" in text[shown[0] : shown[1]] else f"{opening}{ticks[1]}"), cut


def _types(message: Message) -> str:
    return ", ".join(f"{field} is {type(getattr(message, field)).__name__}" for field in ("role", "content", "name"))
