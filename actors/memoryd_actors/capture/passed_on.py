"""What of a message its user does not say, but passes on: a pasted mail, a text to be translated, a shell's output."""

import re
from collections.abc import Collection, Sequence
from typing import Final

from memoryd_actors.texts.sentences import Sentence

_PASSED_ON: Final = re.compile(
    r"\b(?:e-?mails?|messages?|letters?|texts?|articles?|essays?|paragraphs?|poems?|stor(?:y|ies)|transcripts?|posts?"
    r"|comments?|reviews?|forwarded|quotes?|wrote|writes|said|says|output|logs?|prints?|printed|readme|file|document"
    r"|translate|summari[sz]e|proofread|rewrite|rephrase|grammar"
    r"|mails?|nachricht(?:en)?|brief|artikel|aufsatz|absatz|gedicht|protokoll|beitrag|kommentar|weitergeleitete?\w*"
    r"|schrieb|schreibt|sagte?|ausgabe|übersetze?|korrigiere?|fasse)\b",
    re.IGNORECASE,
)
_HEADER: Final = re.compile(r"(?:from|von|subject|betreff) ?: ?\S", re.IGNORECASE)
_PROMPT: Final = re.compile(r"(?:[\w.@~/-]{0,60}[$#%]|>>>|PS [A-Z]:\\\S*>) \S")
_COLONS: Final = (":", "\uff1a")


def passed_on(parts: Sequence[Sentence], requests: Collection[int]) -> set[int]:
    """Return which of a message's sentences are passed on, by their places; `requests` are the places of requests.

    After a line that announces a text (`Here is Bob's mail:`) or a mail's header: all that follows. After a shell's
    prompt: what stands in its paragraph. A request announces what its user says.
    """
    found: set[int] = set()
    for at, sentence in enumerate(parts):
        announces = at not in requests and sentence.bare.endswith(_COLONS) and _PASSED_ON.search(sentence.bare)
        if announces or _HEADER.match(sentence.bare):
            found.update(range(at + 1, len(parts)))
            break
        if _PROMPT.match(sentence.bare):
            found.update(n for n in range(at, len(parts)) if parts[n].paragraph == sentence.paragraph)
    return found
