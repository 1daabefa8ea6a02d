"""How prompts are written: texts searched for secrets and cut, as data that no content can leave; shapes of answers."""

from collections.abc import Mapping

import msgspec

from memoryd_actors.redaction import Rules, redact

TEXT: Mapping[str, object] = {"type": "string"}
NUMBER: Mapping[str, object] = {"type": "number"}
WHOLE: Mapping[str, object] = {"type": "integer"}
FLAG: Mapping[str, object] = {"type": "boolean"}
_LONGEST_READ = 24_000
"""Characters of any text in which secrets are looked for; what lies behind is not sent."""
_MARGIN = 4_000
"""Of these, the last are not sent either: a secret that the end goes through may not be known by its beginning."""


def shape(properties: Mapping[str, object]) -> dict[str, object]:
    """Return the schema of an object as every service takes it: all fields required, no unions, no bounds."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def array(of: Mapping[str, object]) -> dict[str, object]:
    """Return the schema of a list."""
    return {"type": "array", "items": dict(of)}


def choice(*names: str) -> dict[str, object]:
    """Return the schema of one of some words."""
    return {"type": "string", "enum": list(names)}


def fenced(**blocks: object) -> str:
    """Return contents as JSON, each in a block of its name that nothing in it can close."""
    return "\n".join(f"<{name}>\n{_encoded(content)}\n</{name}>" for name, content in blocks.items())


def sendable(text: str, rules: Rules) -> str:
    """Return text as it may leave the machine: without secrets, in characters that can be encoded."""
    return redact(text.encode("utf-8", "replace").decode(), rules).text


def cut(text: str, longest: int, rules: Rules) -> str:
    """Return text as it may leave the machine, its middle left out where it is too long."""
    # Whoever asks has replaced secrets already, each in its own place; nothing leaves on that word alone.
    whole = len(text) <= _LONGEST_READ
    text = sendable(text[:_LONGEST_READ], rules)
    text = text if whole else text[:-_MARGIN]
    if len(text) <= longest:
        return text
    # Both ends matter: what a text is about stands at its beginning, what is asked often at its end.
    tail = longest // 3
    return f"{text[: longest - tail - 3]}...{text[-tail:]}"


def _encoded(content: object) -> str:
    # Inside a JSON string a quote or a line break cannot end it, and without angle brackets no tag can be closed.
    text = msgspec.json.encode(content).decode()
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
