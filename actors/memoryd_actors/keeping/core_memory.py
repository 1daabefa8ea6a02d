"""Core memory: what a section may hold, and what each edit makes of it.

An edit is decided within the transaction that stores it, on the text that stands then: two agents that append at once
both find their words there, and one that would overwrite what it has not read is refused.
"""

import re
from collections.abc import Awaitable, Callable, Iterable
from typing import Annotated, Final, NamedTuple, Protocol, assert_never

import msgspec

from memoryd_actors.access.categories import Categories
from memoryd_actors.access.presets import CORE
from memoryd_actors.access.view import CheckThread
from memoryd_actors.admission.names import check_names
from memoryd_actors.admission.project_rules import ProjectRules
from memoryd_actors.admission.writing import check_core_by_agent
from memoryd_actors.core.errors import Refused
from memoryd_actors.keeping.authorship import Authorship, check_told
from memoryd_actors.memory.signature import signed
from memoryd_actors.redaction import Rules, redact
from memoryd_actors.texts.hidden import UnbalancedPrivate, is_skipped, strip_private
from memoryd_client.wire.caller import PERSON, Caller
from memoryd_client.wire.core_memory import (
    SHARED,
    CoreAppend,
    CoreEdit,
    CorePurge,
    CoreReplace,
    CoreRequest,
    CoreSections,
    CoreSet,
    CoreUndo,
    CoreView,
    CoreWrite,
    CoreWrites,
    GetCoreHistory,
    Section,
    SummarizedSoFar,
)
from memoryd_client.wire.request import Done

STANDARD: Final = ("persona", "human", "context")
"""The sections that are always shown: who the agent is, who the user is, what they are at."""
MAX_SECTIONS: Final = 50
"""Of one thread: core memory goes into every prompt."""
MAX_WRITES: Final = 1_000
"""To one thread, the newest, that tell whose it is."""
_NAME = re.compile(r"[a-z0-9][a-z0-9_.-]{0,59}")


class CoreSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Core memory, which goes into every prompt of an agent."""

    section_chars: Annotated[int, msgspec.Meta(ge=100, le=20_000)] = 2_000
    """Characters that one section may hold."""


class SectionState(NamedTuple):
    """A section as it stands when an edit comes to it."""

    text: str
    revision: int
    before: str | None
    """Its text before the last write; None where there was none."""
    others: int
    """How many other sections its thread has."""


Change = Callable[[SectionState], str]


Summarized = Callable[[Caller, str], Awaitable[SummarizedSoFar | None]]


class CoreRepository(Protocol):
    """Where core memory rests."""

    async def core_sections(self, owner: str, thread: str, *, limit: int) -> list[Section]:
        """Return the written sections that a thread shares, and its own."""
        ...

    async def core_edit(self, owner: str, section: Section, edit: CoreEdit, change: Change, actor: str) -> Section:
        """Store what `change` makes of a section as it stands, with history; the same edit again is done once."""
        ...

    async def core_purge(self, owner: str, thread: str, name: str, *, purge_id: str, actor: str) -> None:
        """Destroy a section and its history, in every backup, too.

        Raises:
            NoSection: nothing was ever written to it.
        """
        ...

    @property
    def leaves(self) -> str:
        """What a purge does not reach, in words; empty where it reaches every byte."""
        ...

    async def core_writes(self, owner: str, thread: str, section: str, *, limit: int) -> list[CoreWrite]:
        """Return writes, newest first."""
        ...


class CoreMemory:
    """Answers what is asked of core memory."""

    def __init__(
        self,
        repository: CoreRepository,
        rules: ProjectRules,
        settings: CoreSettings,
        categories: Categories,
        *,
        authorship: Authorship,
        summarized: Summarized | None = None,
        check_thread: CheckThread | None = None,
    ) -> None:
        """Prepare; `summarized` says how far a caller's conversation is summarised, where the caller may know.

        Without `check_thread` every thread is open to every agent that may use core memory.
        """
        self._authorship = authorship
        self._check_thread = check_thread
        self._summarized = summarized
        self._repository = repository
        self._categories = categories
        self._rules = rules
        self._limit = settings.section_chars

    async def answer(self, request: CoreRequest, caller: Caller) -> CoreSections | CoreWrites | Done:
        """Answer one request; an edit is durable then.

        Raises:
            Refused: the edit does not fit, or somebody has written since; or core memory is not on the agent's
                allowlist, or the thread is another agent's.
        """
        reads = isinstance(request, CoreView | GetCoreHistory)
        self._categories.check_use(caller.agent, CORE, writes=not reads)
        await self._check(caller, request.thread, may_begin=reads)
        match request:
            case CoreView():
                thread = await self._own(caller) if request.own and not request.thread else request.thread
                written = await self._repository.core_sections(caller.owner, thread, limit=self._limit)
                session = request.thread or caller.session
                return CoreSections(
                    sections=arranged(written, thread, self._limit),
                    summarized=await self._summarized(caller, session) if session and self._summarized else None,
                )
            case GetCoreHistory():
                name = named(request.section) if request.section else ""
                writes = await self._repository.core_writes(caller.owner, request.thread, name, limit=request.limit)
                return CoreWrites(writes=tuple(writes))
            case CorePurge():
                rules, _ = await self._rules.look(caller.project)
                name, by = named(request.section), signed(caller, rules)
                await self._repository.core_purge(caller.owner, request.thread, name, purge_id=request.id, actor=by)
                leaves = self._repository.leaves
                return Done(f"{name} and its history {f'purged: {leaves}' if leaves else 'destroyed'}")
            case CoreAppend() | CoreReplace() | CoreSet() | CoreUndo():
                check_names(thread=request.thread, section=request.section)
                rules, _ = await self._rules.look(caller.project)
                section = Section(name=named(request.section), thread=request.thread, limit=self._limit)
                told = await self._authorship.told(caller, await self._new_words(request, caller.owner))

                def change(current: SectionState) -> str:
                    text = edited(request, current, rules, self._limit)
                    if caller.agent != PERSON and not isinstance(request, CoreUndo):
                        check_core_by_agent(section.name, current.text, text)
                    check_told(f"`{section.name}`", current.text, text, caller, told)
                    return text

                stored = await self._repository.core_edit(
                    caller.owner,
                    section,
                    request,
                    change,
                    signed(caller, rules),
                )
                return CoreSections(sections=(stored,))
            case _:
                assert_never(request)

    async def _check(self, caller: Caller, thread: str, *, may_begin: bool = True) -> None:
        if self._check_thread is not None and thread and self._categories.allowed(caller.agent) is not None:
            writes = await self._repository.core_writes(caller.owner, thread, "", limit=MAX_WRITES)
            await self._check_thread(caller, thread, {one.actor for one in writes}, may_begin=may_begin)

    async def _own(self, caller: Caller) -> str:
        """Return the thread of a caller's session; what all threads share where its agent may not look there."""
        try:
            await self._check(caller, caller.session)
        except Refused:
            return SHARED
        return caller.session

    async def _new_words(self, edit: CoreEdit, owner: str) -> str:
        """Return what an edit will say, with the sentences around it."""
        match edit:
            case CoreAppend() | CoreSet():
                return edit.text
            case CoreReplace():
                there = await self._repository.core_sections(owner, edit.thread, limit=self._limit)
                texts = (one.text for one in there if (one.thread, one.name) == (edit.thread, named(edit.section)))
                return next(texts, "").replace(edit.old, edit.new)
            case CoreUndo():
                return ""
            case _:
                assert_never(edit)


def named(section: str) -> str:
    """Return a section's name as names are compared.

    Raises:
        Refused: it is none.
    """
    name = section.strip().casefold()
    if not _NAME.fullmatch(name):
        raise Refused(
            "a section's name has 1 to 60 of a-z, 0-9, `_`, `.`, `-`, and begins with a letter or digit",
            "The usual ones are persona, human and context.",
        )
    return name


def event_of(edit: CoreEdit) -> str:
    """Return what an edit is called in the history."""
    match edit:
        case CoreAppend():
            return "APPEND"
        case CoreReplace():
            return "REPLACE"
        case CoreSet():
            return "SET"
        case CoreUndo():
            return "UNDO"
        case _:
            assert_never(edit)


def edited(edit: CoreEdit, current: SectionState, rules: Rules, limit: int) -> str:
    """Return the text that a section has after an edit: within its limit, without private blocks and secrets.

    Raises:
        Refused: somebody wrote since the edit's revision, a passage is not there exactly once, or it does not fit.
    """
    _check_revision(edit, current)
    if current.revision == 0 and current.others >= MAX_SECTIONS:
        raise Refused(
            f"this thread has {current.others} sections already, and that is the most",
            "Core memory goes into every prompt; keep what is long as a memory: `memoryd add`.",
        )
    match edit:
        case CoreAppend():
            added = _kept(edit.text, rules).strip()
            if not added:
                raise Refused("there is nothing to add: the text is empty or private", "Give the text to be kept.")
            base = current.text.rstrip("\n")
            text = f"{base}\n{added}" if base else added
        case CoreReplace():
            text = _replaced(edit, current.text, rules)
        case CoreSet():
            text = _kept(edit.text, rules).strip()
        case CoreUndo():
            if current.before is None:
                raise Refused(
                    f"nothing was written to `{edit.section}` yet", "`memoryd core view` shows what there is."
                )
            # It was within the limit and clean when it was written, and must come back whole.
            return current.before
        case _:
            assert_never(edit)
    # Once more as a whole: a secret can be put together from two halves.
    text = _kept(text, rules)
    if len(text) > limit and len(text) >= len(current.text):
        room = max(0, limit - len(current.text) - (1 if current.text and isinstance(edit, CoreAppend) else 0))
        raise Refused(
            f"`{edit.section}` would have {len(text)} characters and may have {limit}: there is room for {room} more",
            "Shorten what is there with `core replace`, or keep it as a memory; `core.section_chars` is the limit.",
        )
    return text


def arranged(written: Iterable[Section], thread: str, limit: int) -> tuple[Section, ...]:
    """Return sections in the order in which they are read, the standard ones always among them."""
    known = {(one.thread, one.name): one for one in written}
    for place in dict.fromkeys((SHARED, thread)):
        for name in STANDARD:
            known.setdefault((place, name), Section(name=name, thread=place, limit=limit))
    return tuple(sorted(known.values(), key=_rank))


def _rank(section: Section) -> tuple[bool, int, str]:
    place = STANDARD.index(section.name) if section.name in STANDARD else len(STANDARD)
    return section.thread != SHARED, place, section.name


def _check_revision(edit: CoreEdit, current: SectionState) -> None:
    if edit.revision is None:
        if isinstance(edit, CoreSet) and current.text:
            raise Refused(
                f"`{edit.section}` has a text already, at revision {current.revision}",
                "Read it and give its revision, so that what others wrote is not lost; or append or replace.",
            )
        return
    if edit.revision != current.revision:
        raise Refused(
            f"`{edit.section}` was written since: it is at revision {current.revision}, not {edit.revision}",
            "Read it again and repeat the edit on what is there now.",
        )


def _replaced(edit: CoreReplace, text: str, rules: Rules) -> str:
    if not edit.old:
        raise Refused("the passage to be replaced is empty", "Give the exact text that stands there.")
    first = text.find(edit.old)
    if first < 0:
        raise Refused(
            f"the passage does not stand in `{edit.section}`",
            "It has to match exactly, white space included; `memoryd core view` shows the text.",
        )
    if text.find(edit.old, first + 1) >= 0:
        raise Refused(
            f"the passage stands in `{edit.section}` more than once", "Give more of the text around the one you mean."
        )
    return text[:first] + _kept(edit.new, rules) + text[first + len(edit.old) :]


def _kept(text: str, rules: Rules) -> str:
    """Return what of a text may be kept."""
    try:
        public = strip_private(text)
    except UnbalancedPrivate as unbalanced:
        raise Refused(f"the text cannot be kept: {unbalanced}", unbalanced.hint) from None
    if is_skipped(public):
        raise Refused("this is tagged #skip, and what is tagged so is not kept", "Take the tag away to store it.")
    return redact(public, rules).text
