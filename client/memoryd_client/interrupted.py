"""A run that was interrupted: what an agent needs to go on exactly where it stopped."""

from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime
from typing import Any, Final, cast

import msgspec
from msgspec.structs import asdict, force_setattr

from memoryd_client.base.errors import NotInterrupted
from memoryd_client.wire.checkpoints import Checkpoint

KIND: Final = {"kind": "interrupted"}
"""What marks such a checkpoint in its `meta`."""


class PendingCall(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A tool call that was decided on and has not been answered yet."""

    id: str
    name: str
    arguments: dict[str, object] = {}


class Interrupted(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Where a run stopped. Values may be text, numbers, bytes, dates, lists, tuples, sets, dicts.

    They come back equal; others as what MessagePack has for them: a UUID as text, a dataclass as a dict.
    """

    position: str
    """Where in its task the run is, in the agent's own terms."""
    working_memory: dict[str, object] = {}
    """What it was thinking with."""
    pending_calls: tuple[PendingCall, ...] = ()
    """In the order in which they are to be made; a list of calls, or of mappings that say the same, becomes this.

    A mapping may be a call as Anthropic (`id`, `name`, `input`) or OpenAI (`id`, `function`) has it.
    """

    def __post_init__(self) -> None:
        """Bring the calls into the form in which they come back."""
        calls: Iterable[object] = self.pending_calls
        force_setattr(self, "pending_calls", tuple(map(_call, calls)))


_MADE: Final[tuple[Callable[[Any], object], ...]] = (
    tuple,
    set,
    frozenset,
    date.fromisoformat,
    datetime.fromisoformat,
)
"""How a value is made for which MessagePack has no type; its place is the code of the type."""
_TUPLE, _SET, _FROZENSET, _DATE, _NAIVE = range(len(_MADE))


def pack(run: Interrupted | Mapping[str, object]) -> bytes:
    """Return a run, or a mapping that says the same, as the content of a checkpoint.

    Raises:
        TypeError: it holds a value that cannot be stored, or is no run.
    """
    try:
        given = asdict(run) if isinstance(run, Interrupted) else run
        _known(given, Interrupted)
        calls = map(_call, cast("Iterable[object]", given.get("pending_calls", ())))
        whole = {
            "position": given["position"],
            "working_memory": _tagged(given.get("working_memory", {})),
            "pending_calls": [{**asdict(one), "arguments": _tagged(one.arguments)} for one in calls],
        }
        packed = msgspec.msgpack.encode(whole, enc_hook=_refused)
        _decode(packed)
    except (ValueError, OverflowError, RecursionError) as exc:
        raise TypeError(f"an interrupted run holds a value that cannot be stored: {exc}") from exc
    return packed


def _call(call: object) -> PendingCall:
    if isinstance(call, PendingCall):
        return call
    if not isinstance(call, Mapping):
        raise TypeError(f"a pending call is a PendingCall or a mapping, and not a {type(call).__name__}")
    given = dict(cast("Mapping[str, Any]", call))
    function = given.get("function")
    if isinstance(function, Mapping):
        # As OpenAI has a call; what it is given is JSON there.
        given = {name: given[name] for name in given if name not in {"function", "type"}}
        given |= cast("Mapping[str, Any]", function)
    elif given.get("type") == "tool_use":
        del given["type"]
    if "input" in given and "arguments" not in given:
        given["arguments"] = given.pop("input")
    _known(given, PendingCall)
    arguments = given.get("arguments", {})
    if isinstance(arguments, str):
        try:
            arguments = msgspec.json.decode(arguments or "{}")
        except msgspec.DecodeError as exc:
            raise TypeError(f"the arguments of a pending call are no JSON: {exc}") from exc
    if not isinstance(arguments, Mapping):
        raise TypeError(f"the arguments of a pending call are a mapping, and not a {type(arguments).__name__}")
    given["arguments"] = dict(cast("Mapping[str, object]", arguments))
    return PendingCall(**given)


def _known(given: Mapping[str, object], kind: type[msgspec.Struct]) -> None:
    """Refuse what has a field that would be lost, or lacks one.

    Raises:
        TypeError: it has one, or lacks one.
    """
    fields = {field.name: field.required for field in msgspec.structs.fields(kind)}
    what = "an interrupted run" if kind is Interrupted else "a pending call"
    for problem, names in (
        ("has no field", [name for name in given if name not in fields]),
        ("lacks", [name for name, required in fields.items() if required and name not in given]),
    ):
        if names:
            raise TypeError(f"{what} {problem} {', '.join(map(repr, names))}: its fields are {', '.join(fields)}")


def _tagged(value: object) -> object:
    """Return a value with a mark on what would come back as something else."""
    if isinstance(value, Mapping):
        return {key: _tagged(one) for key, one in cast("Mapping[object, object]", value).items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        held = [_tagged(one) for one in cast("Iterable[object]", value)]
        if isinstance(value, list):
            return held
        code = _TUPLE if isinstance(value, tuple) else _SET if isinstance(value, set) else _FROZENSET
        return _ext(code, held)
    if isinstance(value, datetime):
        return value if value.tzinfo else _ext(_NAIVE, value.isoformat())
    return _ext(_DATE, value.isoformat()) if isinstance(value, date) else value


def _ext(code: int, value: object) -> msgspec.msgpack.Ext:
    return msgspec.msgpack.Ext(code, msgspec.msgpack.encode(value, enc_hook=_refused))


def _untagged(code: int, data: memoryview) -> object:
    if code not in range(len(_MADE)):
        raise ValueError(f"a value of the unknown type {code}")
    return _MADE[code](_decode_any(data))


def _refused(value: object) -> object:
    raise TypeError(f"an interrupted run holds a {type(value).__name__}, which cannot be stored")


_decode_any = msgspec.msgpack.Decoder(ext_hook=_untagged).decode
_decode = msgspec.msgpack.Decoder(Interrupted, ext_hook=_untagged).decode


def run_in(checkpoint: Checkpoint) -> Interrupted:
    """Return the run that `pack` made a checkpoint's bytes of.

    Raises:
        NotInterrupted: they are something else.
    """
    try:
        return _decode(checkpoint.data)
    except (ValueError, TypeError, RecursionError) as exc:
        info = checkpoint.info
        raise NotInterrupted(
            info.thread, info.version, size=info.size, meta=info.meta, reason=str(exc) or type(exc).__name__
        ) from exc
