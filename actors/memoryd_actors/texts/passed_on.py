"""What of a message its user does not say, but passes on: a pasted mail, a text to be translated, a shell's output."""

import re
from collections.abc import Collection, Sequence
from typing import Final

from msgspec.structs import replace

from memoryd_actors.texts.languages import pattern_of
from memoryd_actors.texts.sentences import Sentence


def _compiled(key: str) -> "re.Pattern[str]":
    return re.compile(pattern_of("passed_on", key), re.IGNORECASE)


_ANNOUNCES: Final = re.compile(rf"\b{pattern_of('passed_on', 'announces')}\b", re.IGNORECASE)
_HANDS_OVER: Final = _compiled("hands_over")
_REPORTS: Final = _compiled("reports")
_OWN_REPORT: Final = re.compile(rf"{pattern_of('passed_on', 'own_report')}\W*\Z", re.IGNORECASE)
_HEADER: Final = re.compile(r"(?:from|von|subject|betreff) ?: ?\S", re.IGNORECASE)
_NAME: Final = r"@?[A-Z\u00c0-\u00de][\w.-]{1,20}(?: [A-Z\u00c0-\u00de][\w.-]{0,20})?"
_TIME: Final = r"\d{1,2}:\d\d(?::\d\d)?(?: ?[AaPp][Mm])?"
_PLACES: Final = "slack|teams|discord|zulip|mattermost|matrix|irc|signal|whatsapp|telegram|chat|mail"
_CHAT: Final = re.compile(
    rf"(?:\[?{_TIME}\]?[ \t]{{1,3}}<?{_NAME}>?(?::|[ \t]{{1,3}}[\u2013\u2014-])[ \t]"
    rf"|{_NAME}[ \t]{{1,3}}(?:[(\[]{_TIME}[)\]][:,]?[ \t]|{_TIME}[ \t]*(?:\n|\Z))"
    rf"|{_NAME}[ \t]{{1,3}}\([^()\n]{{0,12}}(?i:{_PLACES})\):[ \t]"
    r"|@[\w.-]{2,30}:[ \t])"
)
"""How a line of a chat begins: `[10:32] Tim: `, `Tim 10:32 AM`, `Tim (Slack): `, `@tim: `."""
_PROMPT: Final = re.compile(r"(?:[\w.@~/-]{0,60}[$#%]|>>>|PS [A-Z]:\\\S*>) \S")
_COLONS: Final = (":", "\uff1a")
_CLAUSE: Final = re.compile(r"[^,;.!?\n]*")
_QUOTE: Final = "_\"'\u201c\u201e\u2018\u00ab`"
"""How quoted material begins, blotted out or not: it ends with its quotation marks."""
_MOST_BEFORE: Final = 40
"""Characters in front of a report in which its subject stands."""


def passed_on(parts: Sequence[Sentence], requests: Collection[int] = ()) -> set[int]:
    """Return which of a message's sentences are passed on, by their places; `requests` are the places of requests.

    After a line that announces a text (`Here is Bob's mail:`), a clause that hands one over (`Translate this: ...`) or
    a mail's header: all that follows, and from a line of a chat on all. After a shell's prompt: what stands in its
    paragraph. A request announces what its user says.
    """
    found: set[int] = set()
    for at, sentence in enumerate(parts):
        announces = at not in requests and sentence.bare.endswith(_COLONS) and _ANNOUNCES.search(sentence.bare)
        if _CHAT.match(sentence.bare):
            found.update(range(at, len(parts)))
            break
        if announces or _HEADER.match(sentence.bare) or (at not in requests and _handed_over(sentence.bare)):
            found.update(range(at + 1, len(parts)))
            break
        if _PROMPT.match(sentence.bare):
            found.update(n for n in range(at, len(parts)) if parts[n].paragraph == sentence.paragraph)
    return found


def own_words(parts: Sequence[Sentence]) -> list[Sentence]:
    """Return the sentences that are a user's own, without what they hand over and, blotted out, what others say."""
    others = passed_on(parts)
    return [_own(part) for at, part in enumerate(parts) if at not in others]


def _own(sentence: Sentence) -> Sentence:
    if end := _handed_over(sentence.bare):
        return replace(sentence, text=sentence.text[:end], bare=sentence.bare[:end], end=sentence.start + end)
    bare = sentence.bare
    for report in _REPORTS.finditer(bare):
        if _OWN_REPORT.search(bare, max(0, report.start() - _MOST_BEFORE), report.start()):
            continue
        said = _CLAUSE.match(bare, report.end())
        end = said.end() if said else report.end()
        bare = f"{bare[: report.end()]}{'_' * (end - report.end())}{bare[end:]}"
    return replace(sentence, bare=bare) if bare != sentence.bare else sentence


def _handed_over(bare: str) -> int:
    """Return where, in a sentence, a text begins that is handed over; 0 where none does, or quotation marks end it."""
    found = _HANDS_OVER.match(bare)
    following = bare[found.end() :].lstrip() if found else ""
    return found.end() if found and following and following[0] not in _QUOTE else 0
