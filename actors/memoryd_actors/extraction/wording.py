"""What is said in so many words: preferences, decisions, corrections, lessons, and how things stand in a project.

In chats with an assistant most of what is said is about the task at hand, and junk in another session. So a sentence
has to be worded as one of these, of things in general, and has to be true for longer than the moment.
"""

import re
from functools import cache
from typing import Final

from memoryd_actors.capture.kinds import PREFERENCE
from memoryd_actors.extraction.telling import TELLINGS, Telling
from memoryd_actors.memory.settings import CORRECTION, FACT
from memoryd_actors.texts.languages import typed
from memoryd_actors.texts.languages.recognition import languages_of

LESSON: Final = "lesson"
MOST_BEFORE_VERB: Final = 13
"""Words of a correction in which its verb has to come."""
_CLAUSE = re.compile(r"[,;:] ")
_FIGURE = re.compile(r"\d")


def _compiled(pattern: str, *, begins: bool = False) -> "re.Pattern[str]":
    return re.compile(rf"\W*(?:{typed(pattern)})" if begins else typed(pattern), re.IGNORECASE)


class Wording:
    """The compiled tables of one language."""

    def __init__(self, telling: Telling) -> None:
        self.code = telling.code
        self.asks = _compiled(telling.asks)
        self.needs_before = _compiled(telling.needs_before, begins=True)
        self._prefers = _compiled(telling.prefers)
        self._typed = _compiled(telling.typed)
        self._tasks = _compiled(telling.tasks, begins=True)
        self._advises = _compiled(telling.advises, begins=True)
        self._decides = _compiled(telling.decides)
        self._corrects = _compiled(telling.corrects, begins=True)
        self._learns = _compiled(telling.learns)
        self._does = _compiled(telling.does)
        self._holds = _compiled(telling.holds, begins=True)
        self._stands = _compiled(telling.stands, begins=True)
        self._lasts = _compiled(telling.lasts)
        self._denies = _compiled(telling.denies, begins=True)
        self._arranges = _compiled(telling.arranges)
        self._names = _compiled(telling.names)
        self._looks = _compiled(telling.looks)
        self._contrasts = _compiled(telling.contrasts)
        self._mine = _compiled(telling.mine)
        self._points = _compiled(telling.points)
        self._passes = _compiled(telling.passes)
        self._troubles = _compiled(telling.troubles)
        self._wonders = _compiled(telling.wonders)

    def kind(self, bare: str, opening: str = "") -> str | None:
        """Return the category of what a user says in so many words; None where it is nothing of the kind.

        `opening` is a short sentence before it, as `Wrong.` is one.
        """
        if self._wonders.search(bare) or self._points.search(bare):
            return None
        if self._learns.search(bare):
            return LESSON
        if self._corrected(bare) or (opening and self._corrected(f"{opening} {bare}")):
            return CORRECTION
        if self._prefers.search(bare) or self._advises.match(bare):
            return PREFERENCE
        tells = not self._corrects.match(bare) and not self.passing(bare) and self._tells(bare)
        lasts = self._decides.search(bare) or tells
        return FACT if lasts else None

    def typed_request(self, bare: str, *, task: bool) -> bool:
        """Return whether somebody asks for something as one types it: `which of those weeks is the taper`."""
        return bool(self._typed.search(bare) or (task and self._tasks.match(bare)))

    def _tells(self, bare: str) -> bool:
        if self._does.search(bare) or self._holds.match(bare) or self._mine.search(bare):
            return True
        return bool(self._stands.match(bare) and self._lasts.search(bare))

    def _corrected(self, bare: str) -> bool:
        begins = self._corrects.match(bare)
        if begins is not None:
            return self._sure(bare[begins.end() :])
        return self._denies.match(bare) is not None and self._sure(bare)

    def _sure(self, stated: str) -> bool:
        """Return whether what stands behind a `no` holds for good; most denials are of how something looks now.

        A correction prevails over what is known, and stands in every context: better none than one of the moment.
        """
        if self._troubles.search(stated) or self._looks.search(_CLAUSE.split(stated)[0]):
            return False
        within = " ".join(stated.split()[:MOST_BEFORE_VERB])
        if self._arranges.search(within) or self._does.search(within):
            return True
        contrasts = self._contrasts.search(stated)
        named = self._names.search(stated) or (contrasts and _FIGURE.search(stated))
        if not named or self._passes.search(stated):
            return False
        # Whatever it is of, where it says what is so and what is not.
        told = contrasts and (self._stands.match(stated) or self._denies.match(stated))
        return bool(told or self._holds.match(stated))

    def decides(self, bare: str) -> bool:
        """Return whether a sentence tells what was decided."""
        return bool(self._decides.search(bare)) and not self._wonders.search(bare)

    def lesson(self, bare: str) -> bool:
        """Return whether a sentence tells what was the cause of a trouble, or its end."""
        return bool(self._learns.search(bare)) and not self._wonders.search(bare)

    def passing(self, bare: str) -> bool:
        """Return whether a sentence speaks of the moment: a state, a trouble, a thing to do."""
        return any(one.search(bare) for one in (self._passes, self._troubles, self._wonders, self._points))


_TELLINGS = {telling.code: telling for telling in TELLINGS}


@cache
def _wording(code: str) -> Wording:
    """Compile a language when it is first needed: that takes 12 ms, and most daemons hear one of them."""
    return Wording(_TELLINGS[code])


def wordings_of(text: str) -> list[Wording]:
    """Return the wordings of the languages that a text may be in, the likeliest first."""
    return [_wording(code) for code in languages_of(text) if code in _TELLINGS]
