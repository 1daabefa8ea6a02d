"""What an import says of which memory took the place of which, as far as it can be true."""

from collections.abc import Iterable, Mapping

LONGEST_CHAIN = 10_000
"""Memories that took the place of one another; a chain that goes on says nothing more."""


def find_heir(by: str, leaving: Mapping[str, str]) -> str:
    """Return what has the place that `by` took, once some are gone; empty where nobody has.

    `leaving` says of each that goes what took its own place, empty where nothing has.
    """
    passed: set[str] = set()
    while by in leaving and by not in passed:
        passed.add(by)
        by = leaving[by]
    return "" if by in passed else by


def find_unsound(claimed: Mapping[str, str], known: Mapping[str, str]) -> dict[str, str]:
    """Return which claims cannot be kept, each with the reason, in words that name both memories.

    `claimed` has for each memory that comes in what is said to have taken its place; `known` the same for each that
    is there or comes in, empty where nothing has. In linear time: no chain is walked twice.
    """
    following = {**known, **claimed}
    refused: dict[str, str] = {}
    for one, by in claimed.items():
        if by == one:
            refused[one] = f"{one} cannot have taken its own place"
        elif by not in following:
            refused[one] = f"{by}, which is said to have taken the place of {one}, is not there"
    for circle in _circles(claimed, following):
        for one in circle:
            if one in claimed:
                told = " → ".join((*circle[circle.index(one) :], *circle[: circle.index(one)], one))
                refused.setdefault(one, f"memories are said to have taken each other's place: {told[:300]}")
    return refused


def _circles(begin: Iterable[str], following: Mapping[str, str]) -> Iterable[tuple[str, ...]]:
    """Yield each circle once, as the memories on it in order."""
    done: set[str] = set()
    for first in begin:
        path: dict[str, int] = {}
        at = first
        while at and at not in done and at not in path:
            path[at] = len(path)
            at = following.get(at, "")
        if at in path:
            yield tuple(list(path)[path[at] :])
        done.update(path)
