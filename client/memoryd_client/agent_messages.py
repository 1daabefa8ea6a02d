"""Messages as agents have them: of the APIs of Anthropic and OpenAI, as mappings or as their SDKs' objects."""

from collections.abc import Iterable, Mapping
from typing import Final

from memoryd_client.base.errors import WrongType
from memoryd_client.wire.context import Message

Said = Message | Mapping[str, object]
"""A message, or what `as_message` makes one of."""
_HINT: Final = 'Give Message("user", "...") or {"role": "user", "content": "..."}.'


def as_message(said: object) -> Message | None:
    """Return what was said in a message, None where nothing was.

    Of content blocks their texts are taken. Calls of tools, their results, pictures and thoughts are left out. A
    message whose role is `tool` stays, as in the transcript.

    Raises:
        WrongType: it is no message.
    """
    if isinstance(said, Message):
        return said
    role, content, name = _field(said, "role"), _field(said, "content"), _field(said, "name")
    if not isinstance(role, str):
        raise WrongType(
            f"messages must hold Message objects, or mappings with role and content, not {type(said).__name__}", _HINT
        )
    if content is None:
        return None  # calls of tools only
    if not isinstance(content, str):
        if not isinstance(content, Iterable) or isinstance(content, Mapping | bytes):
            raise WrongType(f"the content of a message must be text or a list, not {type(content).__name__}", _HINT)
        texts = [text for block in content if (text := _text(block))]
        if not texts:
            return None
        content = "\n\n".join(texts)
    return Message(role=role, content=content, name=name if isinstance(name, str) else "")


def _text(block: object) -> str:
    """Return the text of a content block: of type text, or OpenAI's input_text and output_text."""
    if isinstance(block, str):
        return block
    text = _field(block, "text")
    return text if _field(block, "type") in {"text", "input_text", "output_text"} and isinstance(text, str) else ""


def _field(given: object, name: str) -> object:
    return given.get(name) if isinstance(given, Mapping) else getattr(given, name, None)
