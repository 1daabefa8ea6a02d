"""What every request is: of a protocol version, and answered by one kind of reply."""

from typing import Any, ClassVar, Generic, Protocol, TypeVar, get_args

import msgspec

PROTOCOL_VERSION = 1
R = TypeVar("R", bound=msgspec.Struct)


class Request(msgspec.Struct, Generic[R], frozen=True):
    """A request that is answered with an `R`, unless it fails."""

    needs_memory: ClassVar[bool] = False
    """Whether it is refused while memory is off: it brings something in, or memory into a context."""
    reply: ClassVar[type[Any]]
    """R, to be looked at while the program runs."""

    def __init_subclass__(cls) -> None:
        """Note what the request is answered with."""
        (cls.reply,) = get_args(cls.__orig_bases__[0])  # type: ignore[attr-defined] # pyright: ignore[reportAttributeAccessIssue] - typing sets it on every class with generic bases


class Ask(Protocol):
    """Makes a request of the wire of the daemon."""

    async def __call__(self, request: Request[R], deadline_s: float | None = None) -> R:
        """Return the reply."""
        ...


class Done(msgspec.Struct, frozen=True, omit_defaults=True, tag="done"):
    """It is done; `detail` says what, where that is not obvious."""

    detail: str = ""
