"""Builds what an agent sends: core memory, rules, the summary, what memory has found, and the recent messages.

Each of the first four has a share of the budget at most; what they leave goes to the conversation. All sizes are
counted, and the whole is never above the budget.
"""

from collections.abc import Sequence
from datetime import UTC
from typing import Protocol

import anyio
import msgspec

from memoryd_actors.access.categories import Categories
from memoryd_actors.access.presets import CORE
from memoryd_actors.context.counting import PER_MESSAGE, Counting
from memoryd_actors.context.sizes import Measured, Sizes, shown
from memoryd_actors.context.usage import FULL, ContextUsage
from memoryd_actors.context.window import Caps, Conversation, WindowItem, WindowSettings, pressure, recent
from memoryd_actors.core.errors import Refused, first_of
from memoryd_actors.keeping.core_memory import STANDARD
from memoryd_actors.memory.described import surfaced
from memoryd_actors.memory.render import SHORTEST_LINE, line
from memoryd_actors.memory.standing import named
from memoryd_actors.ports.transcripts import Key, Transcripts
from memoryd_actors.texts.fence import CLOSING, TAG, defused
from memoryd_client.base.wording import counted
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.core_memory import Section
from memoryd_client.wire.memory import Memory
from memoryd_client.wire.pending import PendingMemory, Taken
from memoryd_client.wire.session_context import (
    LEFT_OUT,
    SUMMARY_OPENING,
    BuildContext,
    ContextEntry,
    ContextSection,
    SectionKind,
    SessionContext,
)
from memoryd_client.wire.transcripts import TranscriptRecord

CORE_SHARE, RULES_SHARE, SUMMARY_SHARE, PENDING_SHARE = 0.25, 0.15, 0.25, 0.2
"""Of the budget, at most. A quarter and more is always left for what was said last."""
TOOL_SHARE, MESSAGE_SHARE = 0.25, 0.5
"""Of the room for the conversation, that one entry may fill."""
SMALLEST_CAP = 48
"""Tokens of an entry that is cut: the mark, and a line of what it is about."""
TAIL = 0.3
"""Of what is kept of a long entry, that comes from its end: results tell there how it went."""
PAGE = 1_000
PAGE_CHARACTERS = 4_000_000
_PREFACES: dict[SectionKind, str] = {
    "core": "Core memory: what you keep in view, and may edit.",
    "rules": "Always in force:",
    "summary": SUMMARY_OPENING,
    "pending": "",
    "usage": "",
}
_USED = "[Context: {percent}% used, {tokens} of {budget} tokens.]"
_FULL = "[Context: full. Of {tokens} tokens the oldest are left out.]"
_ADVICE = " [summarize_conversation tells turns shortly, archive_old_messages then frees their room.]"
ADVICE_SHARE = 0.05
"""Of the budget at most, for saying what can be done."""
_FRAME = f'<{TAG} source="memoryd" part="{{part}}">\n{{preface}}\n{{text}}\n{CLOSING}'
_STAMP = "[2026-12-28T19:47:38Z] "
_STAMP_SPARE = 4
"""Tokens that another moment may have more."""
_CUT = "[… cut: there was no room for more]"


class PendingMemories(Protocol):
    """What is known beside the conversation; the Memory actor is one."""

    async def standing(self, caller: Caller) -> list[Memory]:
        """Return what is always in a caller's context, in order."""
        ...

    async def peek(self, caller: Caller) -> PendingMemory | None:
        """Return what waits to be taken, and leave it waiting."""
        ...

    async def take(self, caller: Caller, take_id: str) -> Taken:
        """Hand over what waits, once."""
        ...


class CoreSectionRepository(Protocol):
    """Where core memory rests; the ledger is one."""

    async def core_sections(self, owner: str, thread: str, *, limit: int) -> list[Section]:
        """Return the written sections that a thread shares, and its own."""
        ...


class _Found(msgspec.Struct):
    """What a context is made of, as it was looked up."""

    measured: Measured = msgspec.field(default_factory=lambda: Measured(None, Conversation()))
    written: list[Section] = msgspec.field(default_factory=list[Section])
    standing: list[Memory] = msgspec.field(default_factory=list[Memory])


class ContextBuilder:
    """Answers `BuildContext`."""

    def __init__(
        self,
        transcripts: Transcripts,
        sizes: Sizes,
        counting: Counting,
        *,
        memories: PendingMemories,
        core: CoreSectionRepository,
        categories: Categories,
        settings: WindowSettings,
        usage: ContextUsage,
    ) -> None:
        """Prepare; `usage` is told how full each context is."""
        self._usage = usage
        self._transcripts = transcripts
        self._sizes = sizes
        self._counting = counting
        self._memories = memories
        self._core = core
        self._categories = categories
        self._settings = settings

    async def build(self, request: BuildContext, caller: Caller, *, off: bool = False) -> SessionContext:
        """Return what to send of a session, within the budget; where memory is `off`, of the conversation alone.

        Raises:
            Refused: it is not said of which session.
        """
        session = request.session or caller.session
        if not session:
            raise Refused("a context is built from a session", "Name it: `session=`, or `--session`.")
        key = caller.owner, session
        budget = min(request.budget or self._settings.tokens, self._settings.hard_limit)
        speaker = msgspec.structs.replace(caller, session=session)
        found = await self._look_up(key, speaker, off=off)
        measured = found.measured
        left_out: list[str] = []
        # A first message of ours is needed where the user does not speak first.
        opening = await self._counting.one(LEFT_OUT) + PER_MESSAGE
        sections: list[ContextSection] = []
        pending: PendingMemory | None = None
        if not off:
            pending = await self._pending(request, speaker)
            sections += await self._core_section(found.written, int(budget * CORE_SHARE), left_out)
            if pending is None or not pending.always:
                sections += await self._rules_section(found.standing, int(budget * RULES_SHARE), left_out)
        told = await self._summary_text(key, measured)
        summary = await self._summary_section(told, int(budget * SUMMARY_SHARE), [])
        place = len(sections)
        sections += summary
        if pending is not None:
            sections += await self._pending_section(pending, int(budget * PENDING_SHARE), left_out)
        room = budget - opening - sum(section.tokens for section in sections)
        whole = measured.said.tokens + await self._stamp() * measured.said.spoken
        notice = await self._notice(whole, budget, sections, speaker)
        sections += notice
        room -= sum(section.tokens for section in notice)
        said = await self._recent(key, measured, request.turns or self._settings.turns, room, left_out)
        if told and (not summary or summary[0].cut):
            # What the conversation leaves, the summary may have.
            share = sum(section.tokens for section in summary)
            spare = max(0, room - sum(entry.tokens for entry in said))
            sections[place : place + len(summary)] = await self._summary_section(told, share + spare, left_out)
        tokens = sum(section.tokens for section in sections) + sum(entry.tokens for entry in said)
        if said and (said[0].kind == "tool_call" or said[0].role == "assistant"):
            tokens += opening
        info = measured.info
        if info is not None and info.missing:
            left_out.append(f"{counted(info.missing, 'entry')} whose lines are damaged: `memoryd doctor` says which")
        return SessionContext(
            session=session,
            sections=tuple(sections),
            entries=said,
            tokens=tokens,
            budget=budget,
            counted=measured.exact,
            pressure=pressure(measured.said.tokens, self._settings),
            uncompacted=measured.said.tokens,
            last_summarized=info.summarized if info else 0,
            last_summarized_turn=info.last_summarized_turn if info else 0,
            left_out=tuple(left_out),
            pending=pending if any(section.kind == "pending" for section in sections) else None,
        )

    async def _look_up(self, key: Key, speaker: Caller, *, off: bool) -> "_Found":
        """Look everything up at once: with a hundred sessions, what takes long is to wait for one's turn each time."""
        found = _Found()

        async def measure() -> None:
            found.measured = await self._sizes.of(key)

        async def read_core() -> None:
            if self._categories.may_see(speaker.agent, CORE):
                found.written = await self._core.core_sections(speaker.owner, speaker.session, limit=0)

        async def read_standing() -> None:
            found.standing = await self._memories.standing(speaker)

        try:
            async with anyio.create_task_group() as tasks:
                for look in (measure,) if off else (measure, read_core, read_standing):
                    tasks.start_soon(look)
        except BaseExceptionGroup as failed:
            raise first_of(failed) from None
        return found

    # --- how full it is

    async def _notice(
        self, said: int, budget: int, sections: Sequence[ContextSection], speaker: Caller
    ) -> list[ContextSection]:
        """Return the section that says how full a context is, where that is worth a warning, and tell of it."""
        whole = said + sum(section.tokens for section in sections)
        percent = 100 * whole // budget
        self._usage.note(speaker, whole, budget, percent)
        if percent < self._settings.warn_at:
            return []
        told = _USED if percent <= FULL else _FULL
        text = told.format(percent=percent, tokens=whole, budget=budget)
        cost = await self._counting.one(text + _ADVICE)
        if cost <= budget * ADVICE_SHARE:
            text += _ADVICE
        return [ContextSection(kind="usage", text=text, tokens=await self._counting.one(text))]

    # --- what memoryd adds

    async def _core_section(self, written: Sequence[Section], room: int, left_out: list[str]) -> list[ContextSection]:
        written = [one for one in written if one.text.strip()]
        # What is the session's own comes first: it is nearer to what is being done. And what is always shown, before
        # what an agent has added: where there is no room for all, the end is cut.
        places = {name: place for place, name in enumerate(STANDARD)}
        written.sort(key=lambda one: (not one.thread, places.get(one.name, len(places)), one.name))
        text = "\n".join(f"## {one.name}{'' if one.thread else ' (shared)'}\n{one.text.strip()}" for one in written)
        return await self._section("core", text, room, left_out, "core memory")

    async def _rules_section(self, standing: Sequence[Memory], room: int, left_out: list[str]) -> list[ContextSection]:
        lines = [
            line(surfaced(named(one), score=1.0, reason="always in context"), longest=4 * SHORTEST_LINE)
            for one in standing
        ]
        return await self._section("rules", "\n".join(lines), room, left_out, "rules", defuse=False)

    async def _summary_text(self, key: Key, measured: Measured) -> str:
        if measured.info is None or not measured.info.summary:
            return ""
        number = measured.info.summary
        entry = (await self._transcripts.get(key, [number])).get(number)
        return entry.content.removeprefix(SUMMARY_OPENING).strip() if entry is not None else ""

    async def _summary_section(self, text: str, room: int, left_out: list[str]) -> list[ContextSection]:
        # Its end tells what was decided last.
        return await self._section("summary", text, room, left_out, "the summary", tail=1.0)

    async def _pending(self, request: BuildContext, caller: Caller) -> PendingMemory | None:
        if request.take:
            return (await self._memories.take(caller, request.take_id)).pending
        return await self._memories.peek(caller)

    async def _pending_section(self, pending: PendingMemory, room: int, left_out: list[str]) -> list[ContextSection]:
        tokens = await self._counting.one(pending.text)
        if tokens <= room:
            return [ContextSection(kind="pending", text=pending.text, tokens=tokens)]
        inner = pending.text.split("\n", 1)[-1].removesuffix(CLOSING).rstrip()
        return await self._section("pending", inner, room, left_out, "what memory has found", defuse=False)

    async def _section(
        self,
        kind: SectionKind,
        text: str,
        room: int,
        left_out: list[str],
        name: str,
        *,
        defuse: bool = True,
        tail: float = 0.0,
    ) -> list[ContextSection]:
        """Return a section of at most `room` tokens, or none where there is nothing or no room for any of it."""
        if not text:
            return []
        safe = defused(text) if defuse else text
        frame = _FRAME.format(part=kind, preface=_PREFACES[kind], text="")
        inner, _ = await self._counting.fitted(safe, room - await self._counting.one(frame) - 2, _CUT, tail=tail)
        cut = inner != safe
        if cut:
            left_out.append(f"a part of {name}" if inner else name)
        if not inner:
            return []
        whole = _FRAME.format(part=kind, preface=_PREFACES[kind], text=inner)
        return [ContextSection(kind=kind, text=whole, tokens=await self._counting.one(whole), cut=cut)]

    # --- the conversation

    async def _recent(
        self, key: Key, measured: Measured, turns: int, room: int, left_out: list[str]
    ) -> tuple[ContextEntry, ...]:
        said = measured.said
        if not len(said):
            return ()
        caps = Caps(
            tool=max(SMALLEST_CAP, int(room * TOOL_SHARE)),
            other=max(SMALLEST_CAP, int(room * MESSAGE_SHARE)),
            stamp=await self._stamp(),
        )
        chosen = recent(said, turns=turns, tokens=room, caps=caps)
        while not chosen and caps.other > SMALLEST_CAP:
            # Many calls at once: each gets less.
            caps = msgspec.structs.replace(
                caps, tool=max(SMALLEST_CAP, caps.tool // 2), other=max(SMALLEST_CAP, caps.other // 2)
            )
            chosen = recent(said, turns=turns, tokens=room, caps=caps)
        if len(chosen) < len(said):
            left_out.append(f"{len(said) - len(chosen)} older entries: `memoryd session show {key[1]}` has them")
        return await self._entries(key, chosen, caps) if chosen else ()

    async def _stamp(self) -> int:
        """Return how many tokens stand before what user and assistant say."""
        return await self._counting.one(_STAMP) + _STAMP_SPARE if self._settings.timestamps else 0

    async def _entries(self, key: Key, chosen: Sequence[WindowItem], caps: Caps) -> tuple[ContextEntry, ...]:
        records: dict[int, TranscriptRecord] = {}
        after, last = chosen[0].sequence - 1, chosen[-1].sequence
        while after < last and (
            page := await self._transcripts.read(key, after=after, limit=PAGE, characters=PAGE_CHARACTERS)
        ):
            records.update((one.sequence, one) for one in page)
            after = page[-1].sequence
        there = [(records[item.sequence], item) for item in chosen if item.sequence in records]
        return tuple([await self._entry(record, item, caps) for record, item in there])

    async def _entry(self, record: TranscriptRecord, item: WindowItem, caps: Caps) -> ContextEntry:
        content, tokens, cap = record.content, item.tokens, caps.without_stamp(item)
        if tokens > cap:
            around = tokens - PER_MESSAGE - (await self._counting.count([record.content])).tokens[0]
            spare = cap - PER_MESSAGE - max(around, 0)
            mark = f"[… cut: {tokens} tokens in all, entry {record.sequence} of the transcript]"
            content, _ = await self._counting.fitted(record.content, spare, mark, tail=TAIL)
            cut = (await self._counting.count([shown(msgspec.structs.replace(record, content=content))])).tokens[0]
            tokens = cut + PER_MESSAGE
        whole = item.tokens if tokens != item.tokens else 0
        if stamp := caps.stamp_of(item):
            content = f"[{record.at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}] {content}"
            tokens += stamp
        return ContextEntry(
            sequence=record.sequence,
            kind=record.kind,
            role=record.role,
            content=content,
            name=record.name,
            call_id=record.call_id,
            at=record.at,
            tokens=tokens,
            whole=whole,
        )
