"""Links to files that are no more, in whatever somebody made of them: `[[The depot opens at nine]]`."""

import re
from collections.abc import Iterable
from typing import Final

from memoryd_actors.purging.derived import PhraseMatcher

_LINK: Final = re.compile(r'(?P<before>, )?(?P<quote>"?)\[\[(?P<name>[^\[\]\n]*)\]\](?P=quote)(?P<after>, )?')
_TELLING: Final = 2
"""Words that say something, of those in a row by which a name is found again: `this is what we` begins many."""


class GoneNames:
    """The names of files whose memories were purged: a name is how a memory begins."""

    def __init__(self, names: Iterable[str]) -> None:
        """Take in the names."""
        self._names = frozenset(names)
        self._matcher = PhraseMatcher(self._names, telling=_TELLING)

    def is_linked(self, file: bytes) -> bool:
        """Return whether a file has a link to one of them, be it with a word or two changed."""
        return any(self._is_gone(link["name"]) for link in _LINK.finditer(_text(file)))

    def is_told(self, file: bytes) -> bool:
        """Return whether a file has the words of a name anywhere."""
        return self._matcher.within(_text(file))

    def unlinked(self, file: bytes) -> bytes:
        """Return a file without such links, and otherwise as it is, whether anybody can read it or not."""

        def left(link: re.Match[str]) -> str:
            if not self._is_gone(link["name"]):
                return link[0]
            return ", " if link["before"] and link["after"] else ""

        return _LINK.sub(left, _text(file)).encode("utf-8", "surrogateescape")

    def _is_gone(self, name: str) -> bool:
        return name in self._names or self._matcher.within(name)


def _text(file: bytes) -> str:
    return file.decode("utf-8", "surrogateescape")
