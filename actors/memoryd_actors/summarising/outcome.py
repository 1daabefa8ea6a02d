"""What a conversation came to, in its own words: the last thing that was done, confirmed, decided, or failed.

Read from the end. What a user says last about a result weighs most: `still broken` undoes the assistant's `fixed it`,
`works now` confirms it. Where nobody said how it ended there is no outcome: the last sentence is none.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final, Literal

import msgspec

from memoryd_actors.summarising.ending import ENDINGS, Ending
from memoryd_actors.summarising.summary import Spoken
from memoryd_actors.texts.fence import one_line
from memoryd_actors.texts.hidden import strip_hidden
from memoryd_actors.texts.languages import pattern_of, typed
from memoryd_actors.texts.passed_on import own_words
from memoryd_actors.texts.quoted import told_apart
from memoryd_actors.texts.sentences import is_question, sentences

MOST_READ: Final = 24
"""Messages from the end in which an outcome is looked for."""
LONGEST_READ: Final = 4_000
"""Characters of one of them."""
LONGEST: Final = 220
"""Characters of a sentence that is quoted."""
LONGEST_OUTCOME: Final = 290
LONGEST_REMARK: Final = 16
"""Words in which a user confirms something, or says what they did; what is longer brings something new."""
NEAR: Final = 12
"""Characters after a result in which a version shows that it is known of the world: `was removed in Python 3.12`."""
FEWEST_WORDS: Final = 4
"""Of a result that says what it is about; a shorter one (`Done.`) comes with the sentence after it, or not at all."""
FEWEST_WORDS_ALONE: Final = 6
"""Of what a user confirms where no result stands before it: `cool, that did it` does not say what."""
SAID_BY: Final = 3
"""Words of `The user said:`."""


def _any(pattern: Callable[[Ending], str], *, begins: bool = False) -> "re.Pattern[str]":
    """Return what finds the words of any language: who tells results mixes them, and they hardly mean each other's."""
    words = rf"\b(?:{'|'.join(typed(pattern(one)) for one in ENDINGS)})\b"
    return re.compile(rf"\W*{words}" if begins else words, re.IGNORECASE)


_DONE = _any(lambda one: "|".join(one.done).replace("ACT", f"(?:{one.acts})"))
_OPENS = re.compile(
    rf"\W*\b(?:{'|'.join(typed(one.opens) for one in ENDINGS)})"
    rf"(?=[.!,:]|[^\S\n]+(?:{'|'.join(typed(one.follows) for one in ENDINGS)})\b)\b",
    re.IGNORECASE,
)
_LIKELY = _any(lambda one: one.likely)
_FAILED = _any(lambda one: one.failed)
_CONFIRMED = _any(lambda one: one.confirmed)
_DECIDED = _any(lambda one: one.decided)
_PLANNED = _any(lambda one: one.planned)
_NOT = _any(lambda one: one.negated)
_LIMITS = _any(lambda one: one.limits)
_CONDITIONS = _any(lambda one: one.conditions, begins=True)
_OWN = _any(lambda one: one.own, begins=True)
_DENIED = re.compile(rf"\b{pattern_of('summarising', 'denied')}\b", re.IGNORECASE)
_DENIES = re.compile(
    rf"(?:\W*\b(?:hm+|ugh|argh|oh|ah|well|ok|okay|but|sorry)\b){{0,3}}\W*{pattern_of('summarising', 'denies')}\b",
    re.IGNORECASE,
)
_UNDONE = re.compile(rf"\b{pattern_of('summarising', 'undone')}", re.IGNORECASE)
_FAULTS = re.compile(rf"\b{pattern_of('summarising', 'faults')}", re.IGNORECASE)
_STRUCK = re.compile(rf"\W*{pattern_of('summarising', 'struck')}\b", re.IGNORECASE)
_GOES_ON = re.compile(rf"\W*{pattern_of('summarising', 'goes_on')}", re.IGNORECASE)
_CONTRASTS = re.compile(rf"\W*{pattern_of('summarising', 'contrasts')}\b", re.IGNORECASE)
_OBSERVES = re.compile(rf"\W*{pattern_of('summarising', 'observes')}\b", re.IGNORECASE)
_CONTENT = re.compile(rf"\b{pattern_of('summarising', 'content')}\b", re.IGNORECASE)
_CLAUSE = re.compile(r"[,;:]\s")
_DECORATION: Final = re.compile(r"^(?:[#>*\-\u2022|\s]|\d{1,2}[.)]\s)+|[*_#|`]{2,}|[\u2705\u2714\u274c\ufe0f]")
_LISTED: Final = re.compile(r"^\s*(?:[#>*\-\u2022|]|\d{1,2}[.)])\s*")
_REFERS = _any(lambda one: one.refers, begins=True)
Kind = Literal["done", "failed", "limited", "confirmed", "decided"]


class _Sign(msgspec.Struct, frozen=True):
    """A sentence that tells how something went."""

    kind: Kind
    text: str
    words: int
    ends: bool
    """Whether nothing is told after it but what is asked or planned."""


def outcome(said: Sequence[Spoken]) -> str:
    """Return how a conversation ended, quoted with who said it; empty where nobody said so. In bounded time."""
    spoken = [one for one in said if one.kind == "message" and one.role not in {"tool", "system"}][-MOST_READ:]
    answered = next((at for at, one in enumerate(spoken) if one.role == "assistant"), len(spoken))
    confirmed = decided = ""
    for at in reversed(range(len(spoken))):
        one = spoken[at]
        signs = list(_signs(one))
        failed = [sign for sign in signs if sign.kind == "failed"]
        if one.role == "assistant":
            # Whoever said something after a failure may have mended it.
            if (result := _telling(signs, last=at == len(spoken) - 1)) and len(result.split()) >= FEWEST_WORDS:
                return _joined(_quoted(one, result), confirmed or decided)
            if (failed and len(failed) == len(signs)) or _undoes(one) or _doubts(one, spoken[at - 1]):
                break  # what was said to be done before it did not last, or nobody knows
            continue
        if failed and at > answered:
            if at == len(spoken) - 1:
                return _quoted(one, failed[-1].text)
            break
        denies = at > answered and _denies(one, spoken[at - 1])
        if not confirmed and (yes := [sign for sign in signs if sign.kind in {"confirmed", "done"}]):
            confirmed = _quoted(one, yes[0].text)
        if not decided and (chosen := [sign for sign in signs if sign.kind == "decided"]):
            decided = _quoted(one, chosen[-1].text)
        if denies:
            break
    return decided or (confirmed if len(confirmed.split()) >= SAID_BY + FEWEST_WORDS_ALONE else "")


def _denies(one: Spoken, before: Spoken) -> bool:
    """Return whether a user denies what was said to be done; a bare `no` may also answer the question before it."""
    every = [part.bare for part in sentences(_said(one))]
    parts = [part for part in every if len(part.split()) <= LONGEST_REMARK]
    if not every or any(_kind(part, by_user=True) == "confirmed" for part in parts):
        return False
    if (not _asks(before) and _DENIES.match(every[0])) or _undoes(one):
        return True
    if not _GOES_ON.match(every[0]) and any(_faulty(part) for part in every):
        return True
    return any(_asks_why(part) if is_question(part) else _takes_back(part) for part in parts)


def _takes_back(part: str) -> bool:
    """Return whether a user denies something, takes back half of it, or tells what they see without being content."""
    observes = _OBSERVES.match(part) and not _CONTENT.search(part)
    return bool(_DENIED.search(part) or _LIMITS.search(part) or observes)


def _doubts(one: Spoken, before: Spoken) -> bool:
    """Return whether an assistant tells of a fault, or denies anything unasked: of what, a rule cannot say."""
    asked = _asks(before)
    told = [part.bare for part in sentences(_said(one)) if not is_question(part.bare)]
    return any(_faulty(part) or (not asked and (_DENIED.search(part) or _NOT.search(part))) for part in told)


def _asks(one: Spoken) -> bool:
    """Return whether a message ends with a question, or nearly."""
    return any(is_question(part.bare) for part in sentences(_said(one))[-2:])


def _asks_why(part: str) -> bool:
    """Return whether a question tells of a failure; `what happens if it fails?` does not."""
    found = _FAILED.search(part)
    return found is not None and not _hedged(part[: found.start()], nots=False)


def _faulty(part: str) -> bool:
    """Return whether a user tells of a fault in what was done, or is struck by something."""
    if is_question(part):
        return False
    found = _FAULTS.search(part)
    return (found is not None and not _hedged(part[: found.start()], nots=False)) or _STRUCK.match(part) is not None


def _undoes(one: Spoken) -> bool:
    """Return whether a message tells that something was undone."""
    return any(_undone(part.bare) for part in sentences(_said(one)))


def _undone(text: str) -> bool:
    found = None if is_question(text) else _UNDONE.search(text)
    return found is not None and not _hedged(text[: found.start()])


def _joined(result: str, after: str) -> str:
    """Return a result with what a user said of it, or decided after it; where both are too long, the later."""
    both = f"{result} {after}".strip()
    return both if len(both) <= LONGEST_OUTCOME else after or result


def _telling(signs: Sequence[_Sign], *, last: bool) -> str:
    """Return what one message tells of results: the first that says what about, and what of it failed after all.

    That all of it failed is told where it ends the `last` message: what is said after it may have mended it.
    """
    undone = max((at for at, sign in enumerate(signs) if _undone(sign.text)), default=0)
    # Of what was undone in the same message, what came before it did not last.
    done = [at for at, sign in enumerate(signs) if sign.kind == "done" and at >= undone]
    failed = [at for at, sign in enumerate(signs) if sign.kind in {"failed", "limited"}]
    if not done:
        return signs[-1].text if last and signs and signs[-1].kind == "failed" and signs[-1].ends else ""
    best = next((at for at in done if signs[at].words >= FEWEST_WORDS), done[0])
    # What failed before it is what was done about.
    rest = signs[failed[-1]].text if failed and failed[-1] > best else ""
    both = f"{signs[best].text} {rest}".strip()
    return both if len(both) <= LONGEST else rest


def _signs(one: Spoken) -> Iterator[_Sign]:
    text = _said(one)
    by_user = one.role != "assistant"
    if by_user and "\n" in text:
        return  # some of it may be pasted
    # A list of an assistant's is of things to do, or of what was said above it.
    lines = own_words(sentences(text)) if by_user else [one for one in sentences(text) if not _LISTED.match(one.text)]
    bares = [_DECORATION.sub("", line.bare).strip() for line in lines]
    kinds: list[Kind | None] = [
        None if not bare or is_question(bare) else _kind(bare, by_user=by_user) for bare in bares
    ]
    plain = (at for at in reversed(range(len(bares))) if kinds[at] != "failed" and _is_plain(bares[at]))
    ends = next(plain, -1)
    parts = [_DECORATION.sub("", line.text).strip() for line in lines]
    for at, part in enumerate(parts):
        # What stands in quotation marks is somebody else's: an error message, the name of a thing.
        bare, kind = bares[at], kinds[at]
        if not part or kind is None:
            continue
        told = part
        if at and kind == "done" and _REFERS.match(bare) and len(parts[at - 1]) + len(part) < LONGEST:
            told = f"{parts[at - 1]} {part}"  # what `it` is
        after = parts[at + 1] if at + 1 < len(parts) else ""
        short = kind == "done" and len(told.split()) < FEWEST_WORDS
        more = short and after and not is_question(after) and not _PLANNED.search(after)
        whole = f"{told} {after}" if more else told
        yield _Sign(kind, one_line(whole.rstrip(":"), LONGEST), len(whole.split()), at > ends)


def _is_plain(text: str) -> bool:
    """Return whether a sentence states something, and does not ask or plan."""
    return bool(text) and not is_question(text) and not _PLANNED.search(text)


def _said(one: Spoken) -> str:
    return told_apart(strip_hidden(one.text)[-LONGEST_READ:]).said


def _kind(text: str, *, by_user: bool) -> Kind | None:
    if (failed := _FAILED.search(text)) and not _hedged(text[: failed.start()], nots=False):
        done = _done(text)
        # `Fixed the parser, but the login test still fails` tells both, and is told whole.
        return "done" if done is not None and done < failed.start() and not by_user else "failed"
    if not by_user:
        limits = _CONTRASTS.match(text) and not _PLANNED.search(text)
        return "done" if _done(text) is not None else "limited" if limits else None
    if _LIMITS.search(text) or len(text.split()) > LONGEST_REMARK:
        return "decided" if decides(text) and not _LIMITS.search(text) else None
    if decides(text):
        return "decided"
    if (yes := _CONFIRMED.search(text)) and not _hedged(text[: yes.start()]):
        return "confirmed"
    # Of what a user says is done, most is what the assistant has to look at: `the file you created is empty`.
    return "done" if _OWN.match(text) and _done(text) is not None else None


def decides(text: str) -> bool:
    """Return whether a sentence tells a decision."""
    found = _DECIDED.search(text)
    return found is not None and not _hedged(text[: found.start()])


def _done(text: str) -> int | None:
    """Return where a sentence begins to tell a result; None where it does not."""
    if _OPENS.match(text):
        return 0
    for found in _DONE.finditer(text):
        if not _hedged(text[: found.start()]) and not _LIKELY.search(text[: found.end() + NEAR]):
            return found.start()
    return None


def _hedged(before: str, *, nots: bool = True) -> bool:
    """Return whether what stands in front of a result says that it is only planned, or is not so."""
    clause = _CLAUSE.split(before)[-1] if not _CONDITIONS.match(before) else before
    return bool(_PLANNED.search(clause) or (nots and _NOT.search(clause)))


def _quoted(one: Spoken, text: str) -> str:
    who = one_line(one.name, 60) or f"The {one.role or 'user'}"
    return f'{who} said: "{text.replace(chr(34), chr(39))}"' if text else ""
