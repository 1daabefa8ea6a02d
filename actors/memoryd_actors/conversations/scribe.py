"""The Scribe: everything that was said goes through it into the transcripts, cleaned, and once.

Bounded: who appends waits for room. A push never waits; what does not fit is left to the next push, which carries it
again. Several writers share the sessions among them, so that many sessions wait for their disks at the same time.
"""

from collections.abc import Awaitable, Callable, Sequence

import anyio
from anyio import to_thread

from memoryd_actors.admission.project_rules import ProjectRules
from memoryd_actors.conversations.cleaning import Cleaner
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
from memoryd_actors.conversations.settings import TranscriptSettings
from memoryd_actors.conversations.tail import TAIL_CHARACTERS, Tail, Tails
from memoryd_actors.conversations.transcript_writer import TranscriptWriter
from memoryd_actors.core.actor import ActorRef
from memoryd_actors.core.errors import ActorError, Refused
from memoryd_actors.indexing.message_indexer import MessageIndexer
from memoryd_actors.memory.progress import ProgressRepository
from memoryd_actors.ports.clock import Clock
from memoryd_actors.ports.publisher import Publisher
from memoryd_actors.ports.transcripts import Key, Transcripts
from memoryd_actors.texts.clean import clean_text
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.context import ContextUpdate
from memoryd_client.wire.transcripts import Appended, Entry, TranscriptRecord

WRITERS = 128
"""Sessions that are written at the same time; of a hundred, few share a writer and wait for each other. 5 KB each."""
QUEUE = 64
"""Messages that wait for one writer before senders wait."""
MOST_TOGETHER = 256
"""Pushes that are written in one go; whoever appends to the session meanwhile waits for that."""
MOST_WAITING = 16 * 1024 * 1024
"""Characters of pushed contexts that wait together; one has at most 256 Ki."""
FIND_IN = 24
"""Entries at the end of a transcript in which something that was just pushed is looked for."""
FIND_WITHIN = 20_000
"""Entries at its end in which it is looked for where it is not there, by"""
FIND_ON = 1_000
FIND_S = 5.0
SAID_IN = 200
"""Entries at the end of a transcript in which it is looked for what the user said: a project, or about a person."""


class Scribe:
    """The writers, and who of them has which session."""

    def __init__(
        self,
        transcripts: Transcripts,
        clock: Clock,
        publish: Publisher,
        *,
        settings: TranscriptSettings,
        rules: ProjectRules,
        indexer: MessageIndexer,
        progress: ProgressRepository,
        check_speaker: Callable[[Caller], Awaitable[None]],
        on_append: Callable[[Key, int], None],
        on_end: Callable[[Key], None],
        on_crash: Callable[[str, Exception], None],
    ) -> None:
        """Prepare; `check_speaker` refuses who may not speak in a session.

        `on_append` learns how far a transcript goes now, `on_end` that a session is over or destroyed.
        """
        self.counts = TranscriptCounts()
        self._on_crash = on_crash
        self._transcripts = transcripts
        self._settings = settings
        self._waiting = 0
        self._joinable: dict[Key, PushedContexts] = {}
        self._cleaner = cleaner = Cleaner(rules, longest=settings.longest_kb * 1000)
        tails = Tails(transcripts)

        def writer() -> TranscriptWriter:
            return TranscriptWriter(
                transcripts,
                clock=clock,
                publish=publish,
                cleaner=cleaner,
                counts=self.counts,
                indexer=indexer,
                progress=progress,
                check_speaker=check_speaker,
                on_append=on_append,
                on_end=on_end,
                on_begun=self._begun,
                tails=tails,
            )

        self._writers: list[ActorRef[ScribeMessage, Appended]] = [
            ActorRef(f"scribe {number}", writer, on_crash=self._crashed, capacity=QUEUE) for number in range(WRITERS)
        ]

    async def run(self) -> None:
        """Write until closed and drained."""
        async with anyio.create_task_group() as tasks:
            for writer in self._writers:
                tasks.start_soon(writer.run, name=writer.name)

    def _crashed(self, name: str, bug: Exception) -> None:
        self.counts.crashed += 1
        self._on_crash(name, bug)

    def close(self) -> None:
        """Take nothing more, write what was accepted, then end `run`."""
        for writer in self._writers:
            writer.close()

    async def drained(self) -> None:
        """Wait until everything accepted is written, after `close`."""
        for writer in self._writers:
            await writer.stopped.wait()

    async def append(self, caller: Caller, entries: tuple[Entry, ...], *, deadline_s: float) -> Appended:
        """Store entries and return what came of them; they are durable then.

        Raises:
            Refused: the caller has no session, or a moment is outside the calendar.
        """
        if not caller.session:
            raise Refused("a transcript belongs to a session", "Name the session.")
        return await self._of(caller.owner, caller.session).ask(Say(caller, entries), deadline_s=deadline_s)

    async def clean(self, entry: Entry, project: str) -> Entry | None:
        """Return an entry as it would be written down; None where nothing of it would be."""
        return (await self._cleaner.entries([entry], project, Tail()))[0]

    async def bring(self, message: ImportEntries, *, deadline_s: float) -> Appended:
        """Store entries of a transcript that was kept elsewhere, whole; they are durable then."""
        return await self._of(message.caller.owner, message.session).ask(message, deadline_s=deadline_s)

    async def push(self, update: ContextUpdate, *, deadline_s: float) -> None:
        """Store what is new of a pushed context; it is durable then."""
        caller = update.caller
        if not self._settings.from_push or not caller.session:
            return
        self.counts.pushes += 1
        # Not counted among what waits: its sender does, and may give up before it is begun.
        await self._of(caller.owner, caller.session).ask(PushedContexts([update], 0), deadline_s=deadline_s)

    def offer(self, update: ContextUpdate) -> bool:
        """Take what is new of a pushed context, without waiting; return whether there was room.

        Of a session without a name nothing is kept: it is nobody's conversation.
        """
        caller = update.caller
        if not self._settings.from_push or not caller.session:
            return True
        characters = sum(len(message.content) for message in update.messages)
        self.counts.pushes += 1
        if self._waiting + characters <= MOST_WAITING and self._joined(update, characters):
            self._waiting += characters
            return True
        self.counts.dropped += 1
        return False

    def _joined(self, update: ContextUpdate, characters: int) -> bool:
        key = update.caller.owner, update.caller.session
        waiting = self._joinable.get(key)
        if waiting is not None and waiting.caller == update.caller and len(waiting.updates) < MOST_TOGETHER:
            waiting.updates.append(update)
            waiting.characters += characters
            return True
        message = PushedContexts([update], characters)
        if not self._writer(key).offer(message):
            return False
        self._joinable[key] = message
        return True

    async def purge(self, key: Key, *, last: int, deadline_s: float) -> None:
        """Destroy a transcript up to an entry, and what the index and the jobs have of it; see `Destroy`."""
        await self._of(*key).ask(Destroy(key, last), deadline_s=deadline_s)

    async def erase(self, key: Key, sequences: tuple[int, ...], *, deadline_s: float) -> int:
        """Destroy the words of some entries, and what the index has of them; return how many had some."""
        return (await self._of(*key).ask(Erase(key, sequences), deadline_s=deadline_s)).stored

    async def end(self, key: Key, *, deadline_s: float) -> int:
        """Note durably at which entry a session is over, after all that was accepted before; return that number."""
        return (await self._of(*key).ask(End(key), deadline_s=deadline_s)).last

    async def summarise(
        self, key: Key, *, covers: int, turns: int, text: str, by: str, purges: int, deadline_s: float
    ) -> bool:
        """Append the summary of everything up to an entry, durably; False where that is summarised already.

        Raises:
            PurgedMeanwhile: something was purged since that was read: `purges` is no longer the newest one.
        """
        message = Summarise(key, covers, turns, text, by, purges)
        return bool((await self._of(*key).ask(message, deadline_s=deadline_s)).stored)

    async def find(self, key: Key, said: str) -> int | None:
        """Return at which entry of a transcript a user said this last, after all that was accepted before.

        `said` is cleaned as by `clean_text`. None where it is not there, or nobody answers in time.
        """
        last = await self._last(key)
        if last is None:
            return None
        before, size = last, FIND_IN
        while before > max(0, last - FIND_WITHIN):
            after = max(0, before - size)
            records = await self._transcripts.read(key, after=after, limit=before - after, characters=TAIL_CHARACTERS)
            found = await to_thread.run_sync(_said_at, records, said)
            if found is not None:
                return found
            before, size = after, FIND_ON
        return None

    async def said_by_user(self, key: Key, upto: int | None = None) -> list[str]:
        """Return what the user said lately in a session, up to an entry: of the last so many entries."""
        last = upto or await self._last(key)
        if not last:
            return []
        after = max(0, last - SAID_IN)
        records = await self._transcripts.read(key, after=after, limit=last - after, characters=TAIL_CHARACTERS)
        return [one.content for one in records if one.role == "user" and one.kind == "message"]

    async def _last(self, key: Key) -> int | None:
        """Return a transcript's last entry, after all that was accepted; None where nobody answers in time."""
        try:
            return (await self._of(*key).ask(Last(key), deadline_s=FIND_S)).last
        except (Refused, ActorError):
            return None

    def _begun(self, pushed: PushedContexts) -> None:
        self._waiting -= pushed.characters
        caller = pushed.caller
        if self._joinable.get((caller.owner, caller.session)) is pushed:
            del self._joinable[caller.owner, caller.session]

    def _of(self, owner: str, session: str) -> ActorRef[ScribeMessage, Appended]:
        """Return the writer of a session, to be asked for something that comes after all that was pushed so far."""
        self._joinable.pop((owner, session), None)
        return self._writer((owner, session))

    def _writer(self, key: Key) -> ActorRef[ScribeMessage, Appended]:
        return self._writers[hash(key) % WRITERS]


def _said_at(records: Sequence[TranscriptRecord], said: str) -> int | None:
    users = (record for record in reversed(records) if record.role == "user")
    return next((user.sequence for user in users if clean_text(user.content) == said), None)
