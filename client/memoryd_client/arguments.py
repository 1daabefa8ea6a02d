"""What is wrong with a value that the wire does not take: which field, what it is, what it may be, and the way out."""

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from enum import Enum
from functools import lru_cache
from typing import Final, TypeVar

import msgspec
from msgspec import inspect

from memoryd_client.base.errors import InvalidArgument, WrongType

S = TypeVar("S", bound=msgspec.Struct)
T = TypeVar("T")
_LONGEST: Final = 60
"""Characters of a value that a message shows."""
_SPAN = re.compile(r"([0-9]{1,5})\s*([mhdw])", re.IGNORECASE)
_UNITS: Final = {"m": timedelta(minutes=1), "h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}
_SPANS = "Write it as 30m, 12h, 7d or 2w: from 1m to 99999d."
_STEP = re.compile(r"\.(\w+)|\[(\d+)\]|\[\.\.\.\]")
_PATH = re.compile(r" - at `(key in )?\$([^`]*)`$")
_PYTHON_NAMES: Final[Mapping[str, str]] = {"return": "returns", "return_": "returns"}
"""Fields that the clients' methods have under another name."""
_SILENT: Final = frozenset({"request", "filters", "changes", "update", "caller"})
"""Steps on the way to a field that nobody who calls a method has seen."""


class Problem(msgspec.Struct, frozen=True):
    """Why a value is not taken, in words."""

    message: str
    hint: str = ""
    wrong_type: bool = False
    """Whether it is of another type than it has to be, not only out of range."""

    def error(self) -> InvalidArgument:
        """Return what a caller is words."""
        return (WrongType if self.wrong_type else InvalidArgument)(self.message, self.hint)


class _Field(msgspec.Struct, frozen=True):
    """A place in a request: how it is called, what is there, and what may be."""

    name: str
    value: object
    there: bool
    """Whether the value could be found."""
    type: inspect.Type | None
    default: object


def converted(given: Mapping[str, object], kind: type[S]) -> S:
    """Return plain values as a struct.

    Raises:
        InvalidArgument: a field has a value that it cannot have; WrongType where it is of another type.
    """
    try:
        try:
            return msgspec.convert(given, kind)
        except UnicodeEncodeError:
            return msgspec.convert(mended(given), kind)
    except msgspec.ValidationError as exc:
        raise explain(exc, kind, given).error() from exc


def seconds(field: str, given: float) -> float:
    """Return a time in seconds.

    Raises:
        WrongType: it is no number.
    """
    if not isinstance(given, int | float):  # pyright: ignore[reportUnnecessaryIsInstance] - not all check types
        raise WrongType(f"`{field}` is of type {type(given).__name__}, and has to be a number of seconds", "Try 0.5.")
    return given


def time_span(field: str, given: str) -> timedelta:
    """Return how long a text says: `30m`, `12h`, `7d`, `2w`.

    Raises:
        InvalidArgument: it says no such thing.
    """
    said = _SPAN.fullmatch(given.strip())
    if said is None:
        raise InvalidArgument(f"`{field}` is {given[:_LONGEST]!r}, which is no time span", _SPANS)
    return int(said[1]) * _UNITS[said[2].lower()]


def end_of_life(ttl: timedelta | str) -> datetime:
    """Return the moment at which something is forgotten by itself that has so long to live, in UTC.

    Raises:
        InvalidArgument: it is no time span to come.
    """
    span = time_span("ttl", ttl) if isinstance(ttl, str) else ttl
    if span <= timedelta():
        raise InvalidArgument(f"`ttl` is {ttl}, and has to be above 0", "Give a span to come: at least 1m.")
    try:
        return datetime.now(UTC) + span
    except OverflowError:
        raise InvalidArgument(f"`ttl` reaches beyond the calendar: {ttl}", "Give none, and it stays.") from None


def texts(field: str, given: Iterable[str]) -> tuple[str, ...]:
    """Return several texts as the wire has them.

    Raises:
        WrongType: it is a single text, whose characters nobody means, or no collection.
    """
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance] - not all check types
        raise WrongType(f"`{field}` is of type {type(given).__name__}, and has to be a list of texts", "Put it in [].")
    return tuple(given)


def pairs(field: str, given: Mapping[str, str]) -> dict[str, str]:
    """Return texts by their names as the wire has them.

    Raises:
        WrongType: it is no mapping.
    """
    if not isinstance(given, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance] - not all check types
        raise WrongType(f"`{field}` is of type {type(given).__name__}, and has to be a mapping", "Put it in {}.")
    return dict(given)


def absolute(path: str | os.PathLike[str]) -> str:
    """Return a path from the root on, as somebody in another folder reads it; links stay as they are.

    Raises:
        WrongType: it is no path.
    """
    if not isinstance(path, str | os.PathLike):  # pyright: ignore[reportUnnecessaryIsInstance] - not all check types
        raise WrongType(f"{path!r:.{_LONGEST}} is of type {type(path).__name__}, and has to be a path", "Name a file.")
    return os.path.abspath(os.path.expanduser(path))


def several(
    field: str,
    given: Iterable[T | Mapping[str, object]],
    kind: type[T],
    *,
    read: Callable[[Mapping[str, object]], T] | None = None,
) -> list[T]:
    """Return the elements of a collection, those read that are mappings where it is said how.

    Raises:
        WrongType: it is none, or holds something else.
    """
    what = f"`{field}` has to be a list of memoryd_client.{kind.__name__}"
    try:
        found = list(given)
    except TypeError:
        found = None
    if found is None or isinstance(given, str | bytes):
        raise WrongType(what, "Put them in [].")
    elements: list[T] = []
    for item in found:
        element = read(item) if read is not None and isinstance(item, Mapping) else item
        if not isinstance(element, kind):
            raise WrongType(f"{what}, and has a {type(item).__name__}", f"Make each of them a {kind.__name__}.")
        elements.append(element)
    return elements


def mended(value: object) -> object:
    """Return plain values that UTF-8 can say: a lone surrogate becomes U+FFFD, a pair the character it means."""
    match value:
        case str() if not value.isascii():
            return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        case Mapping():
            return {mended(key): mended(item) for key, item in value.items()}
        case list() | tuple():
            return [mended(item) for item in value]
        case _:
            return value


def moment(field: str, text: str) -> datetime:
    """Return what a date as text says.

    Raises:
        InvalidArgument: it is none.
    """
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        shown = f"is {text!r}" if len(text) <= _LONGEST else f"has {len(text):,} characters"
        raise InvalidArgument(
            f"`{field}` {shown}, and has to be a date (ISO 8601)", "Write it like 2026-03-01 or 2026-03-01T12:00:00Z."
        ) from None


def end(field: str, text: str) -> datetime:
    """Return the moment up to which a date as text reaches: without a time, the end of that day.

    Raises:
        InvalidArgument: it is no date.
    """
    at = moment(field, text)
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return at
    return datetime.combine(day, time.max)


def explain(error: msgspec.ValidationError, kind: type[msgspec.Struct], given: object) -> Problem:
    """Say what is wrong with `given`, plain values that should have been a `kind`."""
    said = str(error)
    found = _PATH.search(said)
    reason = said[: found.start()] if found else said
    if found is None or found[1]:
        return Problem(reason[:300])
    field = _follow(found[2], kind, given)
    wrong_type = reason.startswith("Expected `") and ", got `" in reason
    needs = "" if field.type is None else _needs(field.type)
    if field.name and needs and not field.there:
        return Problem(f"`{field.name}` has to be {needs}", f"Give {needs}.", wrong_type)
    if not field.name or not needs:
        return Problem(f"`{field.name}`: {reason}"[:300] if field.name else reason[:300], "", wrong_type)
    hint = f"Give {needs}"
    if field.default not in (msgspec.NODEFAULT, msgspec.UNSET) and isinstance(field.default, (int, float, str)):
        hint += f", or leave it out: {field.default!r} is the default" if field.default != "" else ", or leave it out"
    elif field.default is None:
        hint += ", or leave it out"
    return Problem(
        f"`{field.name}` {_is(field.value, wrong_type=wrong_type)}, and has to be {needs}", f"{hint}.", wrong_type
    )


def _follow(path: str, kind: type[msgspec.Struct], given: object) -> _Field:
    """Go from the root along a path of msgspec's."""
    at: inspect.Type | None = _info(kind)
    value, there = given, True
    default: object = msgspec.NODEFAULT
    shown: list[str] = []
    for step in _STEP.finditer(path):
        name, index = step[1], step[2]
        default = msgspec.NODEFAULT
        if name:
            struct = _struct(at, value)
            field = (
                next((declared for declared in struct.fields if declared.encode_name == name), None) if struct else None
            )
            at = field.type if field else None
            default = field.default if field else msgspec.NODEFAULT
            there = there and isinstance(value, Mapping) and name in value
            value = value[name] if there and isinstance(value, Mapping) else None
            if name not in _SILENT:
                shown.append(f".{_PYTHON_NAMES.get(name, name)}")
        elif index:
            at = _item(at)
            number = int(index)
            there = there and isinstance(value, Sequence) and not isinstance(value, str) and number < len(value)
            value = value[number] if there and isinstance(value, Sequence) else None
            shown.append(f"[{index}]")
        else:
            at, there = _value(at), False
            shown.append("[...]")
    return _Field("".join(shown).lstrip("."), value, there, at, default)


@lru_cache(maxsize=64)
def _info(kind: type[msgspec.Struct]) -> inspect.Type:
    return inspect.type_info(kind)


def _options(at: inspect.Type | None) -> Sequence[inspect.Type]:
    return at.types if isinstance(at, inspect.UnionType) else () if at is None else (at,)


def _struct(at: inspect.Type | None, value: object) -> inspect.StructType | None:
    structs = [option for option in _options(at) if isinstance(option, inspect.StructType)]
    tagged: object = value.get("type") if isinstance(value, Mapping) else None
    return next((option for option in structs if len(structs) == 1 or option.tag == tagged), None)


def _item(at: inspect.Type | None) -> inspect.Type | None:
    for option in _options(at):
        if isinstance(option, inspect.ListType | inspect.VarTupleType):
            return option.item_type
        if isinstance(option, inspect.TupleType) and option.item_types:
            return option.item_types[0]
    return None


def _value(at: inspect.Type | None) -> inspect.Type | None:
    return next((option.value_type for option in _options(at) if isinstance(option, inspect.DictType)), None)


def _needs(at: inspect.Type) -> str:
    options = [option for option in _options(at) if not isinstance(option, inspect.NoneType | inspect.StructType)]
    return " or ".join(filter(None, map(_one, options)))


def _shortest(bound: float | None) -> float | None:
    return bound if bound is None or bound % 1 else int(bound)


def _one(at: inspect.Type) -> str:
    match at:
        case inspect.IntType():
            words = f"a whole number{_between(at.ge, at.le)}"
        case inspect.FloatType():
            # Bounds of 0 and of 0.0 are one object to `typing`, whichever was made first.
            words = f"a number{_between(_shortest(at.ge), _shortest(at.le))}"
        case inspect.StrType():
            words = f"text{_of(at.min_length, at.max_length, 'characters')}"
            words += ", as a path can be" if at.pattern else ""
        case inspect.BytesType():
            words = f"bytes{_of(at.min_length, at.max_length, 'of them')}"
        case inspect.BoolType():
            words = "true or false"
        case inspect.DateTimeType():
            words = "a date (ISO 8601)"
        case inspect.LiteralType():
            words = _among(at.values)
        case inspect.EnumType():
            words = _among([member.value for member in at.cls])
        case inspect.ListType() | inspect.VarTupleType():
            words = f"a list{_of(at.min_length, at.max_length, 'elements')}"
        case inspect.TupleType():
            words = f"a list of {len(at.item_types)} elements"
        case inspect.DictType():
            words = f"a mapping{_of(at.min_length, at.max_length, 'entries')}"
        case _:
            words = ""
    return words


def _between(least: float | None, most: float | None) -> str:
    if least is not None and most is not None:
        return f" from {least:,} to {most:,}"
    return f" of at least {least:,}" if least is not None else f" of at most {most:,}" if most is not None else ""


def _of(least: int | None, most: int | None, what: str) -> str:
    if least and most is not None:
        return f" of {least:,} to {most:,} {what}"
    return f" of at least {least:,} {what}" if least else f" of at most {most:,} {what}" if most is not None else ""


def _among(values: Sequence[object]) -> str:
    return f"one of {', '.join(str(value) or '(empty)' for value in values)}"


def _is(value: object, *, wrong_type: bool) -> str:
    """Say what a value is. Long text is not shown: it may be anything."""
    match value:
        case None:
            words = "is None"
        case bool() | int() | float() | Enum():
            words = f"is {value!r:.{_LONGEST}}"
        case str() if wrong_type:
            words = "is text"
        case "" | b"" | () | [] | {}:
            words = "is empty"
        case str() if len(value) <= _LONGEST:
            words = f"is {value!r}"
        case str():
            words = f"has {len(value):,} characters"
        case bytes():
            words = f"has {len(value):,} bytes"
        case Mapping():
            words = f"is a mapping of {len(value):,}"
        case Sequence():
            words = f"has {len(value):,} elements"
        case _:
            words = f"is of type {type(value).__name__}"
    return words
