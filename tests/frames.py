"""Sample messages of every kind on the wire, and the lines that pin their bytes.

`python tests/frames.py` adds a plain and a full sample of each kind that tests/client/frames.txt does not name yet.
"""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args

import msgspec

from memoryd_client.wire.caller import Caller
from memoryd_client.wire.context import ContextUpdate
from memoryd_client.wire.events import Event
from memoryd_client.wire.protocol import Answer, AnyRequest, Envelope, Reply, encode

FRAMES = Path(__file__).parent / "client" / "frames.txt"
AT = datetime(2026, 3, 1, 12, 30, 15, 250_000, tzinfo=UTC)


def sample(kind: msgspec.inspect.Type, name: str, *, full: bool) -> Any:  # noqa: PLR0911, PLR0912 - one case per type
    """Return a value of a type on the wire: with what it has to have, or with all that it may have."""
    inspect = msgspec.inspect
    match kind:
        case inspect.StructType(cls=cls, fields=fields):
            given = {
                field.name: sample(field.type, field.name, full=full) for field in fields if full or field.required
            }
            return cls(**given)
        case inspect.UnionType(types=types):
            return sample(next(one for one in types if not isinstance(one, inspect.NoneType)), name, full=full)
        case inspect.VarTupleType(item_type=item):
            return (sample(item, name, full=full),)
        case inspect.TupleType(item_types=items):
            return tuple(sample(item, name, full=full) for item in items)
        case inspect.DictType(value_type=value):
            return {f"{name} key": sample(value, name, full=full)}
        case inspect.LiteralType(values=literals):
            return list(literals)[-1]
        case inspect.EnumType(cls=cls):
            return list(cls)[-1]
        case inspect.IntType(ge=least):
            return 3 if least is None else int(least) + 2
        case inspect.FloatType(ge=least):
            return 0.75 if least is None else float(least) + 0.5
        case inspect.StrType(min_length=least, max_length=most):
            return f"{name} ü 😀".ljust(least or 0, ".")[:most]
        case inspect.BytesType():
            return b"\x00\xffmemory"
        case inspect.BoolType():
            return True
        case inspect.DateTimeType():
            return AT
        case _:
            raise TypeError(kind)


def samples() -> dict[str, object]:
    """Return a plain and a full message of each kind, by the name that its line begins with."""
    found: dict[str, object] = {}
    for full in (False, True):
        manner = "full" if full else "plain"

        def made(kind: type, *, full: bool = full) -> Any:
            return sample(msgspec.inspect.type_info(kind), kind.__name__, full=full)

        caller = made(Caller)
        found[f"update ContextUpdate {manner}"] = made(ContextUpdate)
        for kind in get_args(AnyRequest):
            found[f"request {kind.__name__} {manner}"] = Envelope(id=7, request=made(kind), caller=caller)
        for kind in get_args(Reply):
            found[f"reply {kind.__name__} {manner}"] = Answer(id=7, reply=made(kind))
        for kind in get_args(Event):
            found[f"event {kind.__name__} {manner}"] = made(kind)
    return found


def line(name: str, message: object) -> str:
    """Return what the file says of a message: its name, its bytes, and what it says as JSON."""
    return f"{name}\t{encode(message).hex()}\t{msgspec.json.encode(message).decode()}\n"


if __name__ == "__main__":
    there = FRAMES.read_text(encoding="utf-8") if FRAMES.exists() else ""
    known = {one.split("\t")[0] for one in there.splitlines()}
    new = [line(name, message) for name, message in samples().items() if name not in known]
    FRAMES.write_text("".join(sorted([*there.splitlines(keepends=True), *new])), encoding="utf-8")
