"""What a statement says is no longer so, and whether that is what another one says.

`I no longer like coffee` ends `I like coffee in the morning`; `I no longer like coffee in the evening` does not.
"""

import re
from typing import Final

from memoryd_actors.comparison.difference import Difference
from memoryd_actors.comparison.tokens import Reading

_ENDS: Final = re.compile(
    r"\b(?:no longer|any ?more|nicht mehr|kein\w* \w*\s?mehr|(?:ne |n['\u2019])\w+ plus|ya no"
    r"|(?:non|não) \w+ (?:più|mais)|(?:niet|geen \w+) meer)\b",
    re.IGNORECASE,
)
_BREAK: Final = re.compile(r"[,;:.!?](?=\s|\Z)|\b(?:but|and now|sondern|aber|mais|pero|maar)\b", re.IGNORECASE)
_OF_THE_CUE: Final = frozenset(
    {"longer", "anymore", "more", "mehr", "plus", "ya", "più", "mais", "meer", "true", "case"}
)


def ends_something_else(text: str, new: Reading, old: Reading, found: Difference) -> bool:
    """Return whether `text` says that something is no longer so, and not, or not only, what the old statement says.

    `new` and `old` are the readings of both, `found` what differs. What ends is told in the clause of the cue; a word
    of meaning there that the old statement lacks narrows it down, and where the old one denies something, it is not
    known to be the same thing.
    """
    cue = _ENDS.search(text)
    if cue is None or _ENDS.search(text, cue.end()):
        return False
    breaks = [(0, 0), *(part.span() for part in _BREAK.finditer(text)), (len(text), len(text))]
    begin = max(end for _, end in breaks if end <= cue.start())
    stop = min(start for start, _ in breaks if start >= cue.end())
    differs = {*found.new_only, *found.new_numbers} - {token.stem for token in old.tokens}
    narrowed = any(
        token.stem in differs and token.word not in _OF_THE_CUE for token in new.tokens if begin <= token.at < stop
    )
    return narrowed or any(token.kind == "negator" for token in old.tokens)
