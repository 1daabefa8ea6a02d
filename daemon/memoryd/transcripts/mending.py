"""Puts entries whose lines are damaged back from the copy beside the ledger's backups."""

import logging
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from memoryd.rewriting import rewriting
from memoryd.transcripts.places import LINES
from memoryd.transcripts.scanning import Place, places

log = logging.getLogger(__name__)


def mend(file: Path, copy: Path) -> int:
    """Replace damaged lines by those that the copies in `copy` have in their place; return how many entries came back.

    A damaged line goes only where everything comes back that was between its neighbours; the caller keeps it aside
    first. Where a line is missing that nothing is left of, somebody may have taken it out: it stays away. Blocks.

    Raises:
        OSError: the transcript is as it was.
    """
    mended, found = _plan(file, copy)
    if not mended:
        return 0
    _rewrite(file, mended, found)
    back = sum(len(gap.numbers) for gap in mended)
    log.warning("%s: %d damaged entries came back from %s", file, back, copy)
    return back


def mendable(file: Path, copy: Path) -> int:
    """Return how many entries `mend` would bring back. Changes nothing. Blocks."""
    return sum(len(gap.numbers) for gap in _plan(file, copy)[0])


def _plan(file: Path, copy: Path) -> tuple[list["_Gap"], dict[int, bytes]]:
    """Return the gaps of which the copies have everything, and those lines by number."""
    with file.open("rb") as stream:
        gaps = [gap for gap in _gaps(places(stream)) if gap.numbers]
    found: dict[int, bytes] = {}
    if not gaps or not copy.is_dir():
        return [], found
    for candidate in sorted(copy.glob(f"{LINES}*")):
        with candidate.open("rb") as stream:
            there = {place.line.seq: place for place in places(stream) if place.line is not None}
        for gap in gaps:
            if gap.fits(there):
                found.update((number, there[number].text) for number in gap.numbers)
    return [gap for gap in gaps if all(number in found for number in gap.numbers)], found


class _Gap:
    """Damaged lines between two that can be read."""

    def __init__(self, before: Place | None, damaged: Sequence[Place], after: Place | None) -> None:
        self.damaged = damaged
        self._around = [place.line for place in (before, after) if place is not None and place.line is not None]
        first = 1 if before is None or before.line is None else before.line.seq + 1
        last = first + len(damaged) - 1 if after is None or after.line is None else after.line.seq - 1
        self.numbers = range(first, last + 1)

    def fits(self, there: Mapping[int, Place]) -> bool:
        """Return whether a copy has all of it, between the same neighbours."""
        if not all(number in there for number in self.numbers):
            return False
        return bool(self._around) and all(_id(there, line.seq) == line.id for line in self._around)


def _id(there: Mapping[int, Place], number: int) -> str:
    place = there.get(number)
    return "" if place is None or place.line is None else place.line.id


def _gaps(lines: Iterable[Place]) -> list[_Gap]:
    gaps: list[_Gap] = []
    before: Place | None = None
    damaged: list[Place] = []
    for place in lines:
        if place.damaged:
            damaged.append(place)
        elif place.line is not None:
            if damaged:
                gaps.append(_Gap(before, damaged, place))
            before, damaged = place, []
    if damaged:
        gaps.append(_Gap(before, damaged, None))
    return gaps


def _rewrite(file: Path, mended: Sequence[_Gap], found: Mapping[int, bytes]) -> None:
    at = {gap.damaged[0].offset: gap for gap in mended}
    gone = {place.offset for gap in mended for place in gap.damaged}
    with file.open("rb") as source, rewriting(file) as target:
        for place in places(source):
            if gap := at.get(place.offset):
                target.writelines(found[number] for number in gap.numbers)
            if place.offset not in gone:
                target.write(place.text)
