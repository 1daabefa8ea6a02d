"""Summaries on demand: an agent has turns of a conversation told shortly, and lets the summaries take their place.

A summary is a memory of the session, which says which turns it tells. Archiving is a compaction whose text is the
summaries: one durable append decides.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Final, assert_never

import msgspec

from memoryd_actors.context.compacting import Compactor
from memoryd_actors.context.summary_store import CATEGORY, NODE, Introducer, SummaryStore, told
from memoryd_actors.core.actor import ActorRef
from memoryd_actors.core.errors import Refused
from memoryd_actors.core.worker import repeat_purged
from memoryd_actors.keeping.gatekeeper import Gatekeeper
from memoryd_actors.keeping.orders import KeeperMessage, StoreFindings
from memoryd_actors.memory.steps import Supersede, UnlessPurged
from memoryd_actors.memory.visibility import Visibility
from memoryd_actors.ports.ledger import MemoryRepository
from memoryd_actors.ports.transcripts import Key, Transcripts
from memoryd_actors.summarising import EXTRACTED, KINDS_OF_FOCUS, Spoken, Summariser, Summary, said_of
from memoryd_actors.texts.fence import one_line
from memoryd_client.wire.archiving import (
    ArchiveTurns,
    ArchivingRequest,
    ListTurnSummaries,
    SummarizeTurns,
    TurnSummaries,
    TurnSummary,
)
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.core_memory import SummarizedSoFar
from memoryd_client.wire.filters import Filters
from memoryd_client.wire.memory import Memory, NewMemory, Scope
from memoryd_client.wire.transcripts import SessionInfo, TranscriptRecord

TURNS: Final = "turns"
"""The entry of a summary's metadata that holds its first and last turn."""
SINCE, UNTIL, FOCUS, BY = "since", "until", "focus", "summarised_by"
FACTS_OPENING: Final = "Key facts:"
MOST_SUMMARIES = 1_000
READ = 1_000
READ_CHARACTERS = 2_000_000
KEEPER_S = 60.0
WHOLE: Final = "all"
LEFT_OUT: Final = "For {} more of what the user decided or corrected there was no room; a search finds them."
ROOM_FOR_LEFT_OUT = 32
"""Tokens that it has."""
LONGEST_LAST = 200
"""Characters of the newest summary that a view of core memory shows."""


class _Turns(msgspec.Struct, frozen=True):
    """Where the turns of a session are."""

    records: tuple[TranscriptRecord, ...]
    begins: tuple[int, ...]
    """The places among the records at which a turn begins. What was said before the first belongs to that."""

    def of(self, first: int, last: int) -> Sequence[TranscriptRecord]:
        """Return what was said in some turns."""
        begin = 0 if first == 1 else self.begins[first - 1]
        end = self.begins[last] if last < len(self.begins) else len(self.records)
        return self.records[begin:end]

    @property
    def answered(self) -> int:
        """The last turn that is over: the newest may be a question that waits for its answer."""
        last = len(self.begins)
        said = [one for one in self.records if not one.covers]
        if not said or (said[-1].kind == "message" and said[-1].role == "assistant"):
            return last
        return last - 1


class TurnSummariser:
    """Answers what is asked of summaries on demand."""

    def __init__(
        self,
        *,
        transcripts: Transcripts,
        summariser: Summariser,
        compactor: Compactor,
        summaries: SummaryStore,
        recall: Introducer,
        keeper: ActorRef[KeeperMessage, tuple[Memory, ...]],
        ledger: MemoryRepository,
        gate: Gatekeeper,
        tokens: int,
    ) -> None:
        """Prepare; a summary may have so many `tokens`."""
        self._transcripts = transcripts
        self._summariser = summariser
        self._compactor = compactor
        self._summaries = summaries
        self._recall = recall
        self._keeper = keeper
        self._ledger = ledger
        self._gate = gate
        self._tokens = tokens

    async def answer(self, request: ArchivingRequest, key: Key) -> TurnSummaries:
        """Answer one request about a session that the caller may look into.

        Raises:
            Refused: nothing was said in it, it has no such turns, or turns to be archived have no summary.
        """
        info = await self._transcripts.info(key)
        if info is None:
            raise Refused(
                f"nothing was said in the session {key[1]!r}", "`memoryd session list` shows those there are."
            )
        match request:
            case SummarizeTurns():
                return await repeat_purged(lambda: self._summarize(request, key, info))
            case ArchiveTurns():
                return await repeat_purged(lambda: self._archive(request, key, info))
            case ListTurnSummaries():
                return await self.summaries(key, info)
            case _:
                assert_never(request)

    async def so_far(self, key: Key) -> SummarizedSoFar | None:
        """Return how far a session is summarised; None where nothing was said in it."""
        info = await self._transcripts.info(key)
        if info is None:
            return None
        every = await self.summaries(key, info)
        newest = max(every.summaries, key=lambda one: one.created_at, default=None)
        return SummarizedSoFar(
            last_summarized_turn=every.last_summarized_turn,
            turns=every.turns,
            summaries=len(every.summaries),
            last_summary=one_line(" ".join((newest.summary, *newest.key_facts)), LONGEST_LAST) if newest else "",
            archived_turns=every.archived_turns,
            total_archived=every.total_archived,
        )

    async def summaries(self, key: Key, info: SessionInfo) -> TurnSummaries:
        """Return what of a session is summarised and archived."""
        stored = await self._stored(key, info)
        found = [_as_summary(memory, info, stored) for memory in stored]
        entry = None
        if info.summary:
            entry = (await self._transcripts.get(key, [info.summary])).get(info.summary)
        # What stands in the place of what is archived says again what summaries of its turns say, where there are some.
        if entry is not None and _missing(stored, 1, max(info.last_summarized_turn, 1)) is not None:
            found.append(await self._archived(key, info, entry))
        turns = await self._count(key, info)
        return TurnSummaries(
            session=key[1],
            summaries=tuple(sorted(found, key=lambda one: (one.turns, one.created_at))),
            turns=turns,
            last_summarized_turn=_reach(found),
            archived_turns=info.last_summarized_turn,
            total_archived=info.summarized,
            last_archived_at=entry.at if entry is not None else None,
        )

    # --- a summary

    async def _summarize(self, request: SummarizeTurns, key: Key, info: SessionInfo) -> TurnSummaries:
        purges = await self._summaries.purges(key)
        turns = await self._turns(key, 0)
        request = _checked(request, len(turns.begins))
        said = [one for one in turns.of(request.start_turn, request.end_turn) if not one.covers]
        focus = one_line(request.focus)
        summary = await self._summariser.summarise(
            said_of(said), budget_tokens=self._tokens - ROOM_FOR_LEFT_OUT, purpose="compaction", focus=_wanted(focus)
        )
        caller = Caller(owner=key[0], project=info.project, agent=info.agent, session=key[1])
        new = _as_memory(caller, request, focus, summary, said)
        # Who may look into the session may have it told; what the text holds is checked as everything is.
        seen = await self._gate.look(info.project, [new])
        admitted = self._gate.admit(new, caller, seen, writer=Caller(owner=key[0], agent=NODE))
        await self._recall.note_written(caller, [new.id])
        within = [
            one
            for one in await self._stored(key, info)
            if _within(one, request) and (not _wanted(focus) or one.metadata.get(FOCUS, "") == focus)
        ]
        again = tuple(Supersede(one.id, new.id, "summarised again") for one in within)
        # Where the same was told in the same words before, it is that summary.
        findings = StoreFindings((admitted,), caller, UnlessPurged(purges, key[1]), again, NODE)
        stored = await self._keeper.ask(findings, deadline_s=KEEPER_S)
        every = await self.summaries(key, info)
        return msgspec.structs.replace(every, summaries=tuple(one for one in every.summaries if one.id == stored[0].id))

    # --- the archive

    async def _archive(self, request: ArchiveTurns, key: Key, info: SessionInfo) -> TurnSummaries:
        last = request.before_turn - 1
        if last > info.last_summarized_turn:
            purges = await self._summaries.purges(key)
            turns = await self._turns(key, 0)
            if last > len(turns.begins):
                raise Refused(
                    f"the session {key[1]!r} has {len(turns.begins)} turns, and none before turn {request.before_turn} "
                    "is left to archive",
                    f"`before_turn` may be {len(turns.begins) + 1} at most.",
                )
            last = min(last, turns.answered)
            if last <= info.last_summarized_turn:
                return await self.summaries(key, info)
            stored = await self._stored(key, info)
            missing = _missing(stored, info.last_summarized_turn + 1, last)
            if missing is not None:
                raise Refused(
                    f"turns {missing[0]} to {missing[1]} have no summary, and what has none is not archived",
                    f"Summarise them first: `summarize_conversation({missing[0]}, {missing[1]})`.",
                )
            used = [one for one in stored if _spans(one, info.last_summarized_turn + 1, last)]
            covers = turns.of(last, last)[-1].sequence
            text, by = await self._text(key, info, used)
            await self._compactor.archive(key, covers=covers, turns=last, text=text, by=by, purges=purges)
            info = await self._transcripts.info(key) or info
        return await self.summaries(key, info)

    async def _text(self, key: Key, info: SessionInfo, used: Sequence[Memory]) -> tuple[str, str]:
        """Return what stands in the place of what is archived: what stood there, and what the summaries say."""
        earlier = ""
        if info.summary and (entry := (await self._transcripts.get(key, [info.summary])).get(info.summary)):
            earlier = told(entry.content)
        said: dict[str, str] = {}
        for one in used:
            for line in _lines(one):
                said.setdefault(line, one.metadata[TURNS])  # summaries that overlap quote the same
        points = [f"Turns {turns}: {line}" for line, turns in said.items()]
        text = "\n".join([earlier, *(f"- {point}" for point in points)]).strip()
        by = ", ".join(dict.fromkeys(one.metadata.get(BY, EXTRACTED) for one in used))
        counted = await self._compactor.tokens_of(text)
        if counted <= self._tokens:
            return text, by
        spoken = [Spoken("\n".join(f"- {line}" for line in _lines(one)), role="assistant") for one in used]
        shorter = await self._summariser.summarise(
            spoken, budget_tokens=self._tokens - ROOM_FOR_LEFT_OUT, purpose="rollup", earlier=earlier
        )
        left_out = f"\n- {LEFT_OUT.format(shorter.left_out)}" if shorter.left_out else ""
        return f"{shorter.text}{left_out}" if shorter.text else text, shorter.by

    # --- what there is

    async def _archived(self, key: Key, info: SessionInfo, entry: TranscriptRecord) -> TurnSummary:
        """Return the summary that stands in the place of what is archived."""
        ends = await self._transcripts.get(key, [1, entry.covers])
        first, last = ends.get(1, entry), ends.get(entry.covers, entry)
        text = told(entry.content)
        facts = tuple(line[2:] for line in text.splitlines() if line.startswith("- "))
        about = "\n".join(line for line in text.splitlines() if not line.startswith("- "))
        return TurnSummary(
            id="",
            session=key[1],
            turns=(1, max(entry.turns, 1)),
            entries=(1, entry.covers),
            since=first.at,
            until=last.at,
            summary=about.strip(),
            key_facts=facts,
            by=entry.name,
            created_at=entry.at,
            archived=True,
        )

    async def _stored(self, key: Key, info: SessionInfo) -> list[Memory]:
        """Return the summaries that are memories of this session, by their turns."""
        filters = Filters(categories=(CATEGORY,), session=key[1], scope="everywhere")
        found = await self._ledger.page(
            Visibility(owner=key[0], project=info.project, filters=filters), limit=MOST_SUMMARIES
        )
        return sorted((one for one in found if _span(one) is not None), key=lambda one: _span(one) or (0, 0))

    async def _count(self, key: Key, info: SessionInfo) -> int:
        """Return how many turns a session has: those that are archived, and those since."""
        rest = await self._turns(key, info.summarized)
        return info.last_summarized_turn + len(rest.begins)

    async def _turns(self, key: Key, after: int) -> _Turns:
        records: list[TranscriptRecord] = []
        while page := await self._transcripts.read(key, after=after, limit=READ, characters=READ_CHARACTERS):
            records += page
            after = page[-1].sequence
        begins = tuple(place for place, one in enumerate(records) if _begins_turn(one))
        return _Turns(tuple(records), begins)


def _begins_turn(record: TranscriptRecord) -> bool:
    return record.kind == "message" and record.role == "user" and not record.covers


def _checked(request: SummarizeTurns, turns: int) -> SummarizeTurns:
    """Return the request with the turn at which it ends."""
    request = msgspec.structs.replace(request, end_turn=request.end_turn or turns)
    if not request.start_turn <= request.end_turn <= turns:
        raise Refused(
            f"there are no turns {request.start_turn} to {request.end_turn}: the session has {turns}",
            "Turns are those of the user, counted from 1; both ends are among them.",
        )
    return request


def _wanted(focus: str) -> str:
    """Return a focus in words."""
    return "" if focus.casefold() == WHOLE else KINDS_OF_FOCUS.get(focus.casefold(), focus)


def _as_memory(
    caller: Caller, request: SummarizeTurns, focus: str, summary: Summary, said: Sequence[TranscriptRecord]
) -> NewMemory:
    first, last = request.start_turn, request.end_turn
    # Where the conversation is quoted, the outcome is one of its lines.
    outcome = "" if summary.outcome in summary.points else summary.outcome
    about = " ".join(filter(None, (summary.topic and f"Topic: {summary.topic}.", outcome)))
    points = [*summary.points, *([LEFT_OUT.format(summary.left_out)] if summary.left_out else [])]
    facts = "\n".join(f"- {point}" for point in points) or f"- {len(said)} entries in which nothing was said."
    which = f"turn {first}" if first == last else f"turns {first} to {last}"
    head = f"What was said in {which} of the session {caller.session[:100]}{f', above all {focus}' if focus else ''}:"
    return NewMemory(
        content="\n".join(filter(None, (head, about, FACTS_OPENING, facts))),
        category=CATEGORY,
        scope=Scope.PROJECT if caller.project.strip() else Scope.GLOBAL,
        title=f"Summary of session {caller.session[:100]}, {which}",
        speaker="quoted from the conversation" if summary.by == EXTRACTED else summary.by,
        occurred_at=said[-1].at,
        source_session=caller.session,
        source_messages=(said[0].sequence, said[-1].sequence),
        metadata={
            TURNS: f"{first}-{last}",
            SINCE: said[0].at.isoformat(),
            UNTIL: said[-1].at.isoformat(),
            BY: summary.by,
            **({FOCUS: focus} if focus else {}),
        },
    )


def _as_summary(memory: Memory, info: SessionInfo, every: Sequence[Memory]) -> TurnSummary:
    turns = _span(memory) or (1, 1)
    body = memory.content.partition("\n")[2]
    about, _, facts = body.rpartition(FACTS_OPENING)
    return TurnSummary(
        id=memory.id,
        session=memory.session,
        turns=turns,
        entries=memory.source_messages or (0, 0),
        since=_moment(memory, SINCE),
        until=_moment(memory, UNTIL),
        summary=about.strip(),
        key_facts=tuple(line[2:] for line in facts.splitlines() if line.startswith("- ")),
        focus=memory.metadata.get(FOCUS, ""),
        by=memory.metadata.get(BY, ""),
        created_at=memory.created_at,
        archived=turns[1] <= info.last_summarized_turn,
        overlaps=tuple(dict.fromkeys(other for one in every if (other := _span(one)) and _crosses(turns, other))),
    )


def _crosses(one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Return whether two ranges have turns in common, and each has others of its own."""
    first, second = sorted((one, other))
    return first[0] < second[0] <= first[1] < second[1]


def _within(memory: Memory, request: SummarizeTurns) -> bool:
    """Return whether a summary tells only turns of a request."""
    span = _span(memory)
    return span is not None and request.start_turn <= span[0] and span[1] <= request.end_turn


def _lines(memory: Memory) -> list[str]:
    """Return what a summary says, line by line."""
    body = memory.content.partition("\n")[2].splitlines()
    return [line.removeprefix("- ") for line in body if line.strip() and line != FACTS_OPENING]


def _moment(memory: Memory, name: str) -> datetime:
    try:
        return datetime.fromisoformat(memory.metadata.get(name, ""))
    except ValueError:
        return memory.occurred_at or memory.created_at


def _span(memory: Memory) -> tuple[int, int] | None:
    first, joined, last = memory.metadata.get(TURNS, "").partition("-")
    return (int(first), int(last)) if joined and first.isdecimal() and last.isdecimal() else None


def _spans(memory: Memory, first: int, last: int) -> bool:
    """Return whether a summary tells one of some turns."""
    span = _span(memory)
    return span is not None and span[0] <= last and span[1] >= first


def _missing(summaries: Sequence[Memory], first: int, last: int) -> tuple[int, int] | None:
    """Return the first turns in a row that no summary tells; None where all are told."""
    spans = [span for one in summaries if (span := _span(one))]
    # Of these turns only: metadata are anybody's words, and may speak of a million.
    told_turns = {turn for begin, end in spans for turn in range(max(begin, first), min(end, last) + 1)}
    missing = [turn for turn in range(first, last + 1) if turn not in told_turns]
    if not missing:
        return None
    end = next((turn for turn in range(missing[0], last + 1) if turn in told_turns), last + 1) - 1
    return missing[0], end


def _reach(summaries: Sequence[TurnSummary]) -> int:
    """Return the last turn up to which all are told."""
    reach = 0
    for first, last in sorted(one.turns for one in summaries):
        if first > reach + 1:
            break
        reach = max(reach, last)
    return reach
