"""What functions keep of the texts that they were given lately; a purge empties all of it."""

from collections.abc import Callable
from functools import lru_cache
from typing import Final, ParamSpec, TypeVar, cast

P = ParamSpec("P")
R = TypeVar("R")
_FORGETTING: Final[list[Callable[[], None]]] = []


def remembered(most: int) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Keep what a function returned for the last `most` texts, until `forget_texts`."""

    def remember(function: Callable[P, R]) -> Callable[P, R]:
        kept = lru_cache(maxsize=most)(function)
        forgotten_with_texts(kept.cache_clear)
        return cast("Callable[P, R]", kept)

    return remember


def forgotten_with_texts(forget: Callable[[], None]) -> None:
    """Have something else that keeps texts forget them, too."""
    _FORGETTING.append(forget)


def forget_texts() -> None:
    """Forget every text: some of them may be destroyed."""
    for forget in _FORGETTING:
        forget()
