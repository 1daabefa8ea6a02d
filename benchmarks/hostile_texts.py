"""Texts that somebody would send to make a rule slow, and every rule that reads a text.

A rule is slow where it looks at the same characters again and again: a pattern that backtracks, a search from each
place to the end, a list that is looked through for each word. What such texts have in common is a short piece that
comes over and over, with an end that lets the last attempt fail.
"""

import random
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from itertools import islice
from typing import TypedDict

from memoryd_actors.admission import gate, ignore_rules, names, project_files, workflow, writing
from memoryd_actors.capture import captured, instructions, kinds, reactions
from memoryd_actors.capture.explicit import explicit, gist, may_ask
from memoryd_actors.capture.standing_instruction import standing_instruction
from memoryd_actors.comparison.canon import canon, layout
from memoryd_actors.comparison.changes import update_cue
from memoryd_actors.comparison.compare import compare
from memoryd_actors.comparison.statement import Statement
from memoryd_actors.conversations import overlap
from memoryd_actors.core.errors import Refused
from memoryd_actors.extraction import dating, particulars, signs
from memoryd_actors.extraction.wording import wordings_of
from memoryd_actors.keeping.merging import merge_content
from memoryd_actors.memory import consent, paths, personal_matters
from memoryd_actors.purging.derived import PhraseMatcher
from memoryd_actors.recall import focus, topic
from memoryd_actors.redaction import redact
from memoryd_actors.searching import dates as asked_dates
from memoryd_actors.searching import near_identical, preferences
from memoryd_actors.summarising.outcome import decides
from memoryd_actors.texts import (
    characters,
    clean,
    dates,
    fence,
    hidden,
    meanings,
    passages,
    quoted,
    quoting,
    sentences,
    stems,
    words,
)
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.context import Message
from memoryd_client.wire.memory import NewMemory, Scope, Source

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
PIECES = """\
a|A|1|-|_|.|=|:|"|'|`|/|\\|@|<|(|[|{|#|*|>|a |a.|a-|a_|1 |1.|1,|1-|1:|a=|a:|a'|"a|'a |`a|<a|<a |</|a@|a@a.|//|aA1|Aa|
Aa |a1|a b |A. |a. |a, |a; |a? |a! |: a|e.g. |i.e. |Dr. |...|???|!!!|---|key=|key: |token = '|password is |
password: a|my password |the secret is |Bearer |Basic |-----BEGIN |-----BEGIN RSA PRIVATE KEY-----|-----END |eyJ|
eyJa.|sk-|ghp_|AKIA|xoxb-|-H '|--password |-p a |user:pass@|http://|http://a|http://a:b@|www.a.|?a=|&a=|%20|\\n|
\\u0041|${a}|{{a}}|$(a)|%s|0x|f0-|:f0|<private>|</private>|<private|<system-reminder>|</system-reminder>|
<recalled-memories|</recalled-memories>|#skip|```|~~~|# a|- a|* a|> a|> > |1. a| a |user: |assistant: |he said "|
she says: |"a" |"a|a" |(a|a) |[a](b)|![a]|a's |l'a |n't |isn't |not |no |never|I |I'm |you |we |the |of the |and |
or |if |a and |a or |remember |remember that |please |always |never a |from now on |don't |merk dir |immer|nicht |
kein |und |oder |der |die |das |no longer |used to |instead of |moved from |moved to |changed to |from a to |now a |
only |before|one |twenty |twenty-|hundred |thousand |million |half a |a dozen |first |1st |2nd |2026-|2026-01-01 |
01/02/2026 |20 May |May 20 |May |Monday|yesterday |on Monday |at 3 pm |3 pm |12:|12:30 |12:30:|5 km |5km|1,000|
1,000,|1.000,|1e5|-1|+1|50% |$5 |5 EUR |v1.2.|1.2.3|1/2 |a/b|a/b/|src/a.py |File "a", line 1|
Traceback (most recent call last):|Error: |at a.b(c.py:1)|.env |~/a |../|C:\\a\\|a.b.c |a::b|a->b|==|===|<=|&&|
+49 30 |0301234 |4111 |4111-|4111 1111 1111 1111 |DE89 |DE89 3704 |a@b.de |192.168.|::1|00:1a:|\xdf|\xe9|\u0130|
\u0131|\u4e2d|\u3002|\u3000|\u200b|\u202e|e\u0301|\u0301|\u0323\u0307|\u0f73|nie |, \u6211|1) |
"""
SHORT = tuple(piece for row in PIECES.split("\n") for piece in row.split("|") if piece)
SPACES = (
    " ",
    "\n",
    "\t",
    "\r\n",
    "\x00",
    "\x1b[",
    "a\n",
    "a b\n\n",
    " \n",
    "- a\n",
    "a:\n",
    "a.\n",
    "> a\n",
    "```\na\n",
    "| a |\n",
)
UNITS = (*SHORT, *SPACES)


ENDS = ("!", "th", "'m", " km", "%", ":", '"', ")", " million", "\n", "x", "-")
"""What lets the last attempt of a rule fail, or makes one word of it all."""


def filled(unit: str, size: int) -> str:
    """Return a piece over and over, that many characters."""
    return (unit * (size // len(unit) + 1))[:size]


def texts(size: int, *, drawn: int, seed: int) -> Iterator[tuple[str, str]]:
    """Yield texts of a size, with their names: each piece over and over, and so many of several pieces.

    Those are one after the other, in turn, behind an opening that is never closed, before an end.
    """
    for number, unit in enumerate(UNITS):
        yield repr(unit), filled(unit, size)
        end = ENDS[number % len(ENDS)]
        yield f"{unit!r}* {end!r}", filled(unit, size) + end
    draw = random.Random(seed)
    for number in range(drawn):
        one, two, three = draw.sample(UNITS, 3)
        match number % 4:
            case 0:
                yield f"({one!r} {two!r} {three!r})*", filled(one + two + three, size)
            case 1:
                yield f"{one!r}* {two!r}*", filled(one, size // 2) + filled(two, size // 2)
            case 2:
                yield f"{one!r} {two!r}* {three!r}", one + filled(two, size) + three
            case _:
                end = draw.choice(ENDS)
                yield f"({one!r} {two!r})* {end!r}", filled(one + two, size) + end


def _admitted(text: str, source: Source = Source.USER) -> object:
    return gate.admit(NewMemory(content=text, scope=Scope.GLOBAL, source=source), Caller(), NOON)


def _labelled(text: str) -> object:
    given = NewMemory(
        content="Fine words here.", title=text, tags=(text,), speaker=text, metadata={"k": text}, files=(text,)
    )
    return gate.admit(given, Caller(project="/p"), NOON)


def _compared(text: str) -> object:
    return compare(Statement(text=text), Statement(text=_other(text)), 0.9)


def _ignored(text: str) -> object:
    return ignore_rules.verdict(ignore_rules.parse(text), ("a",) * 30 + ("b" * 100,), is_folder=False)


def _matched(text: str) -> object:
    return PhraseMatcher([text, _other(text)], telling=2).within(text[1:])


def _other(text: str) -> str:
    return text[1:-1] + " no"


Rule = Callable[[str], object]
RULES: Mapping[str, Rule] = {
    "admission.admit": _admitted,
    "admission.admit, extracted": lambda text: _admitted(text, Source.EXTRACTED),
    "admission.admit, labels": _labelled,
    "admission.check_names": lambda text: names.check_names(session=text),
    "admission.ignore_rules": _ignored,
    "admission.project_files.named": project_files.named_files,
    "admission.project_files.quoted": project_files.quoted_files,
    "admission.project_files.stated": project_files.stated_files,
    "admission.workflow": workflow.read,
    "admission.writing": lambda text: writing.written(text, "fact"),
    "capture.captured": captured.says_something,
    "capture.explicit": lambda text: explicit(text, text),
    "capture.gist": gist,
    "capture.instructs": instructions.instructs,
    "capture.kinds": lambda text: kinds.category_of(text, text),
    "capture.may_ask": may_ask,
    "capture.reactions": reactions.is_reaction,
    "capture.standing_instruction": standing_instruction,
    "comparison.canon": canon,
    "comparison.compare": _compared,
    "comparison.layout": layout,
    "comparison.merge_content": lambda text: merge_content(text, _other(text)),
    "comparison.update_cue": update_cue,
    "conversations.fingerprint": lambda text: overlap.fingerprint("message", "user", text),
    "extraction.dated": signs.dated,
    "extraction.needs_day": lambda text: dating.needs_day(text, ("en", "de")),
    "extraction.particular": particulars.particular,
    "extraction.weigh": signs.weigh,
    "extraction.wordings": wordings_of,
    "memory.consent": lambda text: consent.field_of("profile", text),
    "memory.personal_matters": lambda text: personal_matters.telling(text, first_person=True),
    "memory.plain": paths.plain,
    "memory.told_by": lambda text: personal_matters.told_by([text], _other(text)),
    "purging.derived": _matched,
    "recall.focus": lambda text: focus.find_focus([Message("user", text)], "turn"),
    "recall.topic_words": topic.topic_words,
    "redaction.redact": redact,
    "searching.is_preference": lambda text: preferences.is_preference(text, "fact"),
    "searching.is_said_in": lambda text: near_identical.is_said_in(text, _other(text)),
    "searching.months": asked_dates.months,
    "searching.sentences": near_identical.sentences,
    "summarising.decides": decides,
    "texts.clean": characters.clean,
    "texts.without_controls": characters.without_controls,
    "texts.clean_text": clean.clean_text,
    "texts.content_words": words.content_words,
    "texts.dates": dates.written,
    "texts.fence": lambda text: fence.defused(fence.one_line(text, 4000)),
    "texts.hidden": hidden.strip_hidden,
    "texts.hidden, names": hidden.hidden_names,
    "texts.meanings, asked": meanings.asked_meaning,
    "texts.meanings, said": lambda text: meanings.says_meaning(text, "the word"),
    "texts.passages": passages.passages,
    "texts.mentioned": hidden.mentioned,
    "texts.private": hidden.strip_private,
    "texts.quoted": quoted.told_apart,
    "texts.quoting": quoting.what_was_said,
    "texts.quoting, undated": quoting.undated,
    "texts.sentences": sentences.sentences,
    "texts.stems": stems.stems,
    "texts.unkept": hidden.strip_unkept,
}
"""By room and name; what is declined is an answer, too."""


def seconds(rule: Rule, text: str) -> float:
    """Return what reading a text costs this thread, in seconds of a processor."""
    began = time.thread_time()
    with suppress(Refused, hidden.UnbalancedPrivate):
        rule(text)
    return time.thread_time() - began


def growth(rule: Rule, unlike: Callable[[int], str], small: int, big: int) -> float:
    """Return how much longer a text of `big` characters takes than one of `small`; the quickest of three each.

    `unlike` gives another text of a size each time: what was read lately is remembered.
    """
    quick, slow = (min(seconds(rule, f"{unlike(size)}{number}") for number in range(3)) for size in (small, big))
    return slow / max(quick, 1e-6)


def run() -> dict[str, dict[str, object]]:
    """Look for the worst text of each rule at 16 kB; print and return what it takes, and what 64 kB of it take."""
    figures: dict[str, dict[str, object]] = {}
    print(f"{'rule':32} {'16 kB':>9} {'64 kB':>9}  worst text")
    for name, rule in RULES.items():
        seconds(rule, "Warm up, please.")
        worst = sorted(
            ((seconds(rule, text), at, label) for at, (label, text) in enumerate(texts(**LOOK, size=16_000)))
        )
        _, at, label = worst[-1]
        took = [
            1000 * min(seconds(rule, f"{_text(size, at)}{number}") for number in range(3)) for size in (16_000, 64_000)
        ]
        figures[name] = {"ms_16_kb": round(took[0], 1), "ms_64_kb": round(took[1], 1), "text": label}
        print(f"{name:32} {took[0]:6.1f} ms {took[1]:6.1f} ms  {label[:60]}", flush=True)
    return figures


def _text(size: int, at: int) -> str:
    return next(islice(texts(**LOOK, size=size), at, None))[1]


class Look(TypedDict):
    """How many texts are looked through."""

    drawn: int
    seed: int


LOOK: Look = {"drawn": 200, "seed": 1}
