"""Who writes transcripts: a share of the sessions, one message after the other."""

import logging
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from typing import assert_never

from memoryd_actors.conversations.cleaning import Cleaner, as_entry
from memoryd_actors.conversations.counts import TranscriptCounts
from memoryd_actors.conversations.orders import (
    Destroy,
    End,
    Erase,
    ImportEntries,
    Last,
    PushedContexts,
    Say,
    ScribeMessage,
    Summarise,
)
from memoryd_actors.conversations.overlap import fingerprint
from memoryd_actors.conversations.tail import TAIL, Tail, Tails
from memoryd_actors.core.actor import Actor
from memoryd_actors.core.errors import OutOfStep, PurgedMeanwhile, Refused, Unavailable
from memoryd_actors.indexing.message_indexer import MessageIndexer
from memoryd_actors.memory.progress import ENDED, FILES_GONE, Progress, ProgressRepository
from memoryd_actors.memory.signature import signed
from memoryd_actors.ports.clock import Clock
from memoryd_actors.ports.publisher import Publisher
from memoryd_actors.ports.transcripts import Kept, Key, Stored, Transcripts
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.context import ContextUpdate, Message
from memoryd_client.wire.events import Warned
from memoryd_client.wire.transcripts import Appended, Entry

log = logging.getLogger(__name__)

PERHAPS_CUT = 60_000
"""Characters of a pushed context from which its first message may have lost its beginning on the way."""
SURELY_CUT = 250_000
"""Bytes from which it has: the client sends 256 KiB as it counts them, less the room for marks."""


class TranscriptWriter(Actor[ScribeMessage, Appended]):
    """Writes the sessions that are its own, one message after the other."""

    def __init__(
        self,
        transcripts: Transcripts,
        *,
        clock: Clock,
        publish: Publisher,
        cleaner: Cleaner,
        counts: TranscriptCounts,
        indexer: MessageIndexer,
        progress: ProgressRepository,
        check_speaker: Callable[[Caller], Awaitable[None]],
        on_append: Callable[[Key, int], None],
        on_end: Callable[[Key], None],
        on_begun: Callable[[PushedContexts], None],
        tails: Tails,
    ) -> None:
        """Prepare; see `Scribe`. `on_begun` learns that pushes no longer wait."""
        self._transcripts = transcripts
        self._clock = clock
        self._publish = publish
        self._cleaner = cleaner
        self._counts = counts
        self._indexer = indexer
        self._progress = progress
        self._check_speaker = check_speaker
        self._on_append = on_append
        self._on_end = on_end
        self._on_begun = on_begun
        self._tails = tails

    async def handle(self, message: ScribeMessage) -> Appended:  # noqa: PLR0911 - one case a message
        """Write, or destroy."""
        match message:
            case Say():
                await self._check_speaker(message.caller)
                return await self._in_step(lambda: self._say(message))
            case PushedContexts():
                self._on_begun(message)
                try:
                    await self._check_speaker(message.caller)
                    return await self._in_step(lambda: self._pushed(message))
                except Refused as refused:
                    self._counts.refused += len(message.updates)
                    self._warn(refused)
                    raise
            case ImportEntries():
                return await self._bring(message)
            case Destroy():
                return await self._destroy(message)
            case Erase():
                return await self._erase(message)
            case End():
                last = await self._transcripts.last(message.key)
                await self._progress.note_progress(Progress(*message.key, ENDED, last))
                self._on_end(message.key)
                return Appended(last=last, stored=0)
            case Last():
                return Appended(last=await self._transcripts.last(message.key), stored=0)
            case Summarise():
                return await self._summarise_unless_purged(message)
            case _:
                assert_never(message)

    async def _summarise_unless_purged(self, message: Summarise) -> Appended:
        """Append a summary, and take it back where something was purged at the same moment."""
        await self._check_unpurged(message)
        done = await self._in_step(lambda: self._summarise(message))
        try:
            await self._check_unpurged(message)
        except PurgedMeanwhile:
            if done.stored:
                await self._transcripts.erase(message.key, [done.last])
                self._on_append(message.key, done.last)
            raise
        return done

    async def _check_unpurged(self, message: Summarise) -> None:
        try:
            newest = await self._progress.purges(*message.key)
        except Unavailable as unfinished:
            raise PurgedMeanwhile from unfinished
        if newest != message.purges:
            raise PurgedMeanwhile

    async def _summarise(self, message: Summarise) -> Appended:
        """Append a summary: the one moment at which what it tells of becomes archived.

        It is nothing that was said: no push is compared with it.
        """
        info = await self._transcripts.info(message.key)
        if info is None or info.last < message.covers or info.summarized >= message.covers:
            return Appended(last=info.last if info else 0, stored=0)
        entry = Entry(role="system", name=message.by, content=message.text)
        kept = Kept(entry, self._clock.now(), covers=message.covers, turns=message.turns)
        done = await self._transcripts.append(
            message.key, [kept], project=info.project, agent=info.agent, after=info.last
        )
        self._on_append(message.key, done.last)
        return Appended(last=done.last, stored=done.stored)

    async def _in_step(self, write: Callable[[], Awaitable[Appended]]) -> Appended:
        """Write; anew where another daemon wrote to the session meanwhile, which may have said the same."""
        while True:
            try:
                return await write()
            except OutOfStep as moved:
                log.debug("%s", moved)

    async def _say(self, message: Say) -> Appended:
        caller = message.caller
        key = caller.owner, caller.session
        tail = await self._tails.of(key)
        cleaned = await self._cleaner.entries(message.entries, caller.project, tail)
        now = self._clock.now()
        fresh: list[tuple[Kept, int]] = []
        claimed = left_out = 0
        for entry in cleaned:
            if entry is None:
                left_out += 1
                continue
            said = fingerprint(entry.kind, entry.role, entry.content)
            if tail.claim(entry.id, said):
                claimed += 1
            else:
                fresh.append((Kept(entry, _moment(entry.at, now)), said))
        for _, said in fresh:
            tail.add(said, pushed=False)
        self._cleaner.note(message.entries, cleaned, tail)
        done = await self._store(key, caller, tail, [kept for kept, _ in fresh])
        self._counts.known += claimed
        self._counts.left_out += left_out
        return Appended(last=done.last, stored=done.stored, known=done.known + claimed, left_out=left_out)

    async def _bring(self, message: ImportEntries) -> Appended:
        caller, records = message.caller, message.records
        key = caller.owner, message.session
        gated = await self._cleaner.records(records, caller.project)
        last = await self._transcripts.last(key)
        # A summary names what it covers by numbers: it is one only where the entries have their numbers again.
        places = [record.sequence for record in records]
        aligned = None not in gated and places == list(range(last + 1, last + 1 + len(places)))
        kept = [
            Kept(
                entry,
                _moment(one.at, one.at),
                pushed=one.pushed,
                # Nor does any tell of what comes after it: everything would count as archived.
                covers=one.covers if aligned and one.covers < one.sequence else 0,
                turns=one.turns if aligned and one.covers < one.sequence else 0,
            )
            for entry, one in zip(gated, records, strict=True)
            if entry is not None
        ]
        self._tails.drop(key)
        done = await self._transcripts.append(key, kept, project=message.project, agent=message.agent)
        self._counts.stored += done.stored
        self._counts.known += done.known
        if done.stored:
            self._on_append(key, done.last)
        return Appended(last=done.last, stored=done.stored, known=done.known, left_out=len(records) - len(kept))

    async def _pushed(self, message: PushedContexts) -> Appended:
        caller = message.caller
        key = caller.owner, caller.session
        tail = await self._tails.of(key)
        fresh: list[Kept] = []
        known = 0
        try:
            for update in message.updates:
                new, seen = await self._news(update, tail)
                fresh += new
                known += seen
        except BaseException:
            self._tails.drop(key)  # it has heard of what was not written
            raise
        done = await self._store(key, caller, tail, fresh)
        self._counts.known += known
        return Appended(last=done.last, stored=done.stored, known=known)

    async def _news(self, update: ContextUpdate, tail: Tail) -> tuple[list[Kept], int]:
        """Return what is new in a context, noted in the tail from now on, and how many of its messages were known."""
        project = update.caller.project
        messages = list(update.messages[-TAIL:])
        if messages and update.trigger != "turn" and messages[-1].role == "assistant":
            messages.pop()  # still being written; the next push has all of it
        cleaned = await self._cleaner.fingerprints(messages, project, tail)
        characters = sum(len(message.content) for message in messages)
        if characters >= PERHAPS_CUT and _bytes(messages) >= SURELY_CUT:
            cleaned[0] = tail.whole(messages[0].role, messages[0].content, cleaned[0])
        kept = [(message, said) for message, said in zip(messages, cleaned, strict=True) if said is not None]
        window = [said for _, said in kept]
        places = tail.new(update.client, window)
        if characters >= PERHAPS_CUT and len(places) < len(kept) and places[:1] == [0]:
            del places[0]
        now = self._clock.now()
        sent = update.sent_at
        at = datetime.fromtimestamp(sent, UTC) if 0 < sent < now.timestamp() else now
        new = [kept[place] for place in places]
        entries = await self._cleaner.entries([as_entry(message) for message, _ in new], project, tail)
        fresh: list[Kept] = []
        for entry, (_, said) in zip(entries, new, strict=True):
            if entry is not None:
                fresh.append(Kept(entry, at, pushed=True))
                tail.add(said, pushed=True)
        if window:
            tail.follow(update.client, window)
        return fresh, len(kept) - len(new)

    async def _store(self, key: Key, caller: Caller, tail: Tail, fresh: Sequence[Kept]) -> Stored:
        """Append what the tail has heard of already."""
        if not fresh:
            return Stored(tail.last, 0, 0)
        before = tail.last
        try:
            done = await self._transcripts.append(
                key, fresh, project=caller.project, agent=signed(caller), after=before
            )
        except BaseException:
            self._tails.drop(key)
            raise
        tail.last = done.last
        if done.known:
            # Which of them were known, the transcript alone knows: its end is read again.
            self._tails.drop(key)
        counts = self._counts
        counts.stored += done.stored
        counts.known += done.known
        counts.problem = counts.hint = ""
        if done.last > before:
            self._on_append(key, done.last)
        return done

    async def _destroy(self, message: Destroy) -> Appended:
        key = message.key
        self._tails.drop(key)
        if message.last != FILES_GONE:
            if await self._transcripts.last(key) <= message.last:
                await self._transcripts.purge(key)
            else:
                await self._transcripts.erase(key, range(1, message.last + 1))
        await self._indexer.forget(key)
        # With it goes the mark by which an interrupted purge is known.
        await self._progress.forget_progress(*key)
        self._on_end(key)
        if last := await self._transcripts.last(key):
            self._on_append(key, last)
        return Appended(last=last, stored=0)

    async def _erase(self, message: Erase) -> Appended:
        # The end of the session stays known as it was: a context that is pushed again brings nothing back.
        # Where no entry has words any more, an interrupted purge took them, and the index may have them still.
        gone = await self._transcripts.erase(message.key, message.sequences)
        last = await self._transcripts.last(message.key)
        await self._indexer.forget(message.key)
        if last:
            self._on_append(message.key, last)
        return Appended(last=last, stored=gone)

    def _warn(self, refused: Refused) -> None:
        counts = self._counts
        if counts.problem != str(refused):
            counts.problem, counts.hint = str(refused), refused.hint
            self._publish(Warned(component="transcripts", message=str(refused), hint=refused.hint))


def _bytes(messages: Sequence[Message]) -> int:
    """Return the size of a context as clients count it: four bytes a character of what is not ASCII."""
    return sum(len(message.content) * (1 if message.content.isascii() else 4) for message in messages)


def _moment(at: datetime | None, now: datetime) -> datetime:
    if at is None:
        return now
    try:
        return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    except OverflowError:
        raise Refused(f"`at` is outside the calendar: {at.isoformat()}", "Give a moment in UTC.") from None
