"""What the model is asked, and the shape its answer must have."""

from collections.abc import Sequence
from typing import Final

import msgspec

from memoryd.judge.instructions import LOOKED_UP, LOOKING_UP, SYSTEM
from memoryd_actors.memory.case import Case, Exhibit, Passage
from memoryd_actors.redaction import Rules, redact
from memoryd_actors.redaction.rules import DEFAULT

_LONGEST_FOCUS = 2_000
_LONGEST_WINDOW = 3_000
_LONGEST_TEXT = 700
"""Characters. A memory that needs more to show what it is about is about something else."""
_LONGEST_LABEL = 60
_LONGEST_PASSAGE = 600
_MOST_PASSAGES = 12_000
"""Characters of all that was looked up, whatever was asked for."""
_LONGEST_READ = 24_000
"""Characters of any text in which secrets are looked for; what lies behind is not sent."""
_MARGIN = 4_000
"""Of these, the last are not sent either: a secret that the end goes through may not be known by its beginning."""
_TOKENS_PER_VERDICT = 80
_TOKENS_PER_LOOKUP = 60
_SPARE_TOKENS = 256


def _shape(properties: dict[str, object]) -> dict[str, object]:
    # What the service takes: every field required, no unions, no bounds. Bounds are checked here.
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


# Answers come in the order of the schema: the reason before the flags, so that it can inform them.
_VERDICTS: Final[dict[str, object]] = {
    "type": "array",
    "items": _shape(
        {
            "index": {"type": "integer"},
            "reason": {"type": "string"},
            "relevant": {"type": "boolean"},
            "actionable": {"type": "boolean"},
            "score": {"type": "number"},
        }
    ),
}
_LOOKUPS: Final[dict[str, object]] = {
    "type": "array",
    "items": _shape(
        {
            "kind": {"type": "string", "enum": ["source", "session_search"]},
            "index": {"type": "integer"},
            "query": {"type": "string"},
        }
    ),
}
SCHEMA: Final = _shape({"verdicts": _VERDICTS})
SCHEMA_WITH_LOOKUPS: Final = _shape({"verdicts": _VERDICTS, "lookups": _LOOKUPS})


class _Shown(msgspec.Struct, frozen=True, omit_defaults=True):
    index: int
    date: str
    category: str
    trust: float
    text: str
    source: bool = False


class _Found(msgspec.Struct, frozen=True):
    kind: str
    index: int
    query: str
    found: list[str]


class Asked(msgspec.Struct, frozen=True):
    """One call: what the model is told, what it is asked, the shape of its answer and the most tokens of it."""

    system: str
    content: str
    schema: dict[str, object]
    max_tokens: int


def asked(case: Case, rules: Rules = DEFAULT) -> Asked:
    """Return the call for a case. Secrets are replaced in every text, before it is cut; everything has an end.

    Takes some milliseconds: looking for secrets is half a millisecond per kilobyte.
    """
    may_look = case.lookups > 0 and not case.passages
    system = SYSTEM
    if may_look:
        system += LOOKING_UP.format(most=case.lookups)
    elif case.passages:
        system += LOOKED_UP
    return Asked(
        system=system,
        content=question(case, rules),
        schema=SCHEMA_WITH_LOOKUPS if may_look else SCHEMA,
        max_tokens=_SPARE_TOKENS
        + _TOKENS_PER_VERDICT * len(case.exhibits)
        + (_TOKENS_PER_LOOKUP * case.lookups if may_look else 0),
    )


def question(case: Case, rules: Rules = DEFAULT) -> str:
    """Return the user message: three or four fenced blocks, of which no content can leave its own."""
    may_look = case.lookups > 0 and not case.passages
    blocks: dict[str, object] = {
        "request": _cut(case.focus, _LONGEST_FOCUS, rules),
        "conversation": _cut(case.window, _LONGEST_WINDOW, rules),
        "candidates": [_shown(index, one, rules, may_look=may_look) for index, one in enumerate(case.exhibits)],
    }
    if case.passages:
        blocks["looked_up"] = _found(case.passages, rules)
    return "\n".join(f"<{name}>\n{_fenced(content)}\n</{name}>" for name, content in blocks.items())


def _shown(index: int, one: Exhibit, rules: Rules, *, may_look: bool) -> _Shown:
    return _Shown(
        index,
        f"{one.date:%Y-%m-%d}",
        _cut(one.category, _LONGEST_LABEL, rules),
        round(one.trust, 2),
        _cut(one.text, _LONGEST_TEXT, rules),
        may_look and one.sourced,
    )


def _found(passages: Sequence[Passage], rules: Rules) -> list[_Found]:
    room = _MOST_PASSAGES
    found: list[_Found] = []
    for passage in passages:
        texts: list[str] = []
        for text in passage.texts:
            if room > 0:
                texts.append(_cut(text, min(_LONGEST_PASSAGE, max(room, 4)), rules))
                room -= len(texts[-1])
        lookup = passage.lookup
        found.append(_Found(lookup.kind, lookup.index, _cut(lookup.query, _LONGEST_LABEL * 4, rules), texts))
    return found


def _fenced(content: object) -> str:
    # Inside a JSON string a quote or a line break cannot end it, and without angle brackets no tag can be closed.
    text = msgspec.json.encode(content).decode()
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _cut(text: str, longest: int, rules: Rules) -> str:
    # Whoever asks has replaced secrets already, each in its own place; nothing leaves on that word alone.
    whole = len(text) <= _LONGEST_READ
    text = redact(text[:_LONGEST_READ].encode("utf-8", "replace").decode(), rules).text
    text = text if whole else text[:-_MARGIN]
    if len(text) <= longest:
        return text
    # Both ends matter: what a text is about stands at its beginning, what is asked often at its end.
    tail = longest // 3
    return f"{text[: longest - tail - 3]}...{text[-tail:]}"
