"""What a judge is asked about a case, and what of its answer is believed."""

from collections.abc import Sequence
from functools import partial
from pathlib import PurePath
from typing import Final

import msgspec

from memoryd_actors.judging.instructions import LOOKED_UP, LOOKING_UP, MOST_KEPT, SYSTEM
from memoryd_actors.judging.judge import Judgement, Verdict
from memoryd_actors.memory.case import Case, Exhibit, Lookup, LookupKind, Passage
from memoryd_actors.model.question import Prompt, Question, Unusable, plain
from memoryd_actors.model.reading import Finite, entries, in_line
from memoryd_actors.model.writing import NUMBER, TEXT, WHOLE, array, choice, cut, fenced, shape
from memoryd_actors.redaction import Rules
from memoryd_actors.redaction.rules import DEFAULT

_LONGEST_FOCUS = 2_000
_LONGEST_WINDOW = 3_000
_LONGEST_TEXT = 700
"""Characters. A memory that needs more to show what it is about is about something else."""
_LONGEST_LABEL = 60
_LONGEST_PATH = 200
_MOST_FILES = 5
_LONGEST_IN_CONTEXT = 300
_MOST_IN_CONTEXT = 5
_LONGEST_PASSAGE = 600
_MOST_PASSAGES = 12_000
"""Characters of all that was looked up, whatever was asked for."""
_TOKENS_PER_VERDICT = 40
"""For each candidate, though few are kept: some models have a word for all."""
_TOKENS_PER_LOOKUP = 60
_SPARE_TOKENS = 256
_LONGEST_REASON = 200
_LONGEST_QUERY = 200
_KINDS: Final[tuple[LookupKind, ...]] = ("read_source", "session_search")

# Answers come in the order of the schema: the reason before the score, so that it can inform it.
_VERDICTS: Final = array(shape({"index": WHOLE, "reason": TEXT, "score": NUMBER}))
_LOOKUPS: Final = array(shape({"kind": choice(*_KINDS), "index": WHOLE, "query": TEXT}))
SCHEMA: Final = shape({"verdicts": _VERDICTS})
SCHEMA_WITH_LOOKUPS: Final = shape({"verdicts": _VERDICTS, "lookups": _LOOKUPS})


class _Shown(msgspec.Struct, frozen=True, omit_defaults=True):
    index: int
    date: str
    category: str
    by: str
    text: str
    source: bool = False
    files: Sequence[str] = ()


class _Found(msgspec.Struct, frozen=True):
    kind: str
    index: int
    query: str
    found: list[str]


class _Given(msgspec.Struct, frozen=True):
    index: int
    reason: str = ""
    score: Finite = 1.0
    relevant: bool = True
    actionable: bool = True


class _Wanted(msgspec.Struct, frozen=True):
    kind: str
    index: int = -1
    query: str = ""


def about(case: Case, rules: Rules = DEFAULT, *, deadline_s: float, hurried: bool = False) -> Question[Judgement]:
    """Return the question which of a case's exhibits are worth knowing."""
    return Question(
        compose=partial(compose, case, rules),
        read=partial(read, case=case, rules=rules),
        deadline_s=deadline_s,
        hurried=hurried,
        advice="Fewer candidates (recall.judged) make shorter answers.",
    )


def compose(case: Case, rules: Rules = DEFAULT) -> Prompt:
    """Return the call for a case. Secrets are replaced in every text, before it is cut; everything has an end.

    Takes some milliseconds: looking for secrets is half a millisecond per kilobyte.
    """
    may_look = case.lookups > 0 and not case.passages
    system = SYSTEM
    if may_look:
        system += LOOKING_UP.format(most=case.lookups)
    elif case.passages:
        system += LOOKED_UP
    blocks: dict[str, object] = {
        "request": cut(case.focus, _LONGEST_FOCUS, rules),
        "conversation": cut(case.window, _LONGEST_WINDOW, rules),
    }
    if case.visible is not None and case.visible.project:
        # The folder's name: where it lies is nobody's business.
        blocks["project"] = cut(PurePath(case.visible.project).name, _LONGEST_LABEL, rules)
    if case.files:
        blocks["files"] = [cut(name, _LONGEST_PATH, rules) for name in _named(case.files, case)]
    if case.in_context:
        blocks["in_context"] = [cut(one.text, _LONGEST_IN_CONTEXT, rules) for one in case.in_context[:_MOST_IN_CONTEXT]]
    blocks |= {
        "candidates": [_shown(index, one, case, rules, may_look=may_look) for index, one in enumerate(case.exhibits)],
    }
    if case.passages:
        blocks["looked_up"] = _found(case.passages, rules)
    answer_tokens = _SPARE_TOKENS + _TOKENS_PER_VERDICT * len(case.exhibits)
    answer_tokens += _TOKENS_PER_LOOKUP * case.lookups if may_look else 0
    return Prompt(system, fenced(**blocks), SCHEMA_WITH_LOOKUPS if may_look else SCHEMA, answer_tokens)


def read(text: str, *, case: Case, rules: Rules = DEFAULT) -> Judgement:
    """Return the judgement in an answer, without who gave it: verdicts on what it keeps, at most `MOST_KEPT`.

    Verdicts with an index that no exhibit has are skipped; of two on the same exhibit the first counts; scores are
    clamped to 0..1. Of the look-ups those count that can be made, as many as the case allows.

    Raises:
        Unusable: there are no verdicts, or none fits an exhibit.
    """
    given = entries(text, "verdicts", _Given)
    found: dict[int, Verdict] = {}
    for one in given:
        if one is not None and 0 <= one.index < len(case.exhibits) and one.index not in found:
            score = min(max(one.score, 0.0), 1.0)
            reason = plain(one.reason, rules, _LONGEST_REASON)
            found[one.index] = Verdict(one.index, one.relevant, one.actionable, score, reason)
    if given and not found:
        raise Unusable(f"gave {len(given)} verdicts, none of which fits a candidate")
    kept = [verdict for verdict in found.values() if verdict.relevant and verdict.actionable]
    # It was told how many; which of more it means, its scores say.
    for verdict in sorted(kept, key=lambda verdict: -verdict.score)[MOST_KEPT:]:
        found[verdict.index] = msgspec.structs.replace(verdict, relevant=False, reason=f"one of more than {MOST_KEPT}")
    return Judgement(tuple(found[index] for index in sorted(found)), "", wanted=_wanted(text, case))


def _shown(index: int, one: Exhibit, case: Case, rules: Rules, *, may_look: bool) -> _Shown:
    return _Shown(
        index,
        f"{one.date:%Y-%m-%d}",
        cut(one.category, _LONGEST_LABEL, rules),
        cut(one.speaker or one.source, _LONGEST_LABEL, rules),
        cut(one.text, _LONGEST_TEXT, rules),
        may_look and one.sourced,
        [cut(name, _LONGEST_PATH, rules) for name in _named(one.files, case)] if may_look else (),
    )


def _named(files: Sequence[str], case: Case) -> list[str]:
    """Return the last of these files as the project knows them: where it lies is nobody's business."""
    root = case.visible.project if case.visible is not None else ""
    names: dict[str, None] = {}
    for file in map(PurePath, files[-_MOST_FILES:]):
        within = file.relative_to(root) if root and file.is_relative_to(root) else file
        names[within.name if within.is_absolute() else str(within)] = None
    return list(names)


def _found(passages: Sequence[Passage], rules: Rules) -> list[_Found]:
    room = _MOST_PASSAGES
    found: list[_Found] = []
    for passage in passages:
        texts: list[str] = []
        for text in passage.texts:
            if room > 0:
                texts.append(cut(text, min(_LONGEST_PASSAGE, max(room, 4)), rules))
                room -= len(texts[-1])
        lookup = passage.lookup
        found.append(_Found(lookup.kind, lookup.index, cut(lookup.query, _LONGEST_LABEL * 4, rules), texts))
    return found


def is_named(path: str, case: Case) -> bool:
    """Return whether a judge has seen a path: it reads no file that nobody spoke of."""
    texts = (case.focus, case.window, *(one.text for one in case.exhibits))
    files = (case.files, *(one.files for one in case.exhibits))
    return any(path in text for text in texts) or any(path in _named(some, case) for some in files)


def _wanted(text: str, case: Case) -> tuple[Lookup, ...]:
    if not case.lookups:
        return ()
    try:
        given = entries(text, "lookups", _Wanted)
    except Unusable:
        return ()
    found: dict[Lookup, None] = {}
    for one in given:
        if one is None:
            continue
        query = in_line(one.query, _LONGEST_QUERY)
        known = 0 <= one.index < len(case.exhibits)
        match one.kind.strip().lower():
            case "session_search" if query:
                found[Lookup("session_search", one.index if known else -1, query)] = None
            case "read_source" if query and is_named(query, case):
                found[Lookup("read_source", one.index if known else -1, query)] = None
            case "read_source" if known:
                found[Lookup("read_source", one.index)] = None
            case _:
                pass
    return tuple(found)[: case.lookups]
