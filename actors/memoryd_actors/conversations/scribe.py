"""The Scribe: everything that was said goes through it into the transcripts, cleaned, and once.

Bounded: who appends waits for room. A push never waits; what does not fit is left to the next push, which carries it
again. Several writers share the sessions among them, so that many sessions wait for their disks at the same time.
"""

from collections import Counter, OrderedDict, deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Annotated, TypeVar, assert_never

import anyio
import msgspec
from anyio import CapacityLimiter, to_thread

from memoryd_actors.actor import Actor, ActorRef
from memoryd_actors.admission.gate import signed
from memoryd_actors.admission.project_files import ProjectFiles, quoted_files
from memoryd_actors.admission.project_rules import ProjectRules
from memoryd_actors.admission.withheld import read_files, reason
from memoryd_actors.conversations.overlap import fingerprint, new_after, new_places
from memoryd_actors.conversations.recording import brought, recorded
from memoryd_actors.conversations.transcripts import Kept, Key, Stored, Transcripts
from memoryd_actors.errors import ActorError, Refused
from memoryd_actors.ports.clock import Clock
from memoryd_actors.ports.publisher import Publisher
from memoryd_actors.recall.clean import clean_text
from memoryd_actors.redaction import Rules
from memoryd_client.messages import Caller, ContextUpdate, Message, Warned
from memoryd_client.transcripts import Appended, Entry, Record, new_entry_id

Id = TypeVar("Id")
Value = TypeVar("Value")
WRITERS = 16
"""Sessions that are written at the same time. A journalling file system commits their fsyncs together."""
QUEUE = 64
"""Messages that wait for one writer before senders wait."""
MOST_TOGETHER = 256
"""Pushes that are written in one go; whoever appends to the session meanwhile waits for that."""
MOST_WAITING = 16 * 1024 * 1024
"""Characters of pushed contexts that wait together; one has at most 256 Ki."""
TAIL = 1_000
"""Entries at the end of a transcript that a push is compared with: as many messages as one may carry."""
TAILS = 16
"""Sessions of one writer whose ends stay in memory: 60 KB each."""
TAIL_CHARACTERS = 4 * 1024 * 1024
FIND_IN = 24
"""Entries at the end of a transcript in which something that was just pushed is looked for."""
FIND_S = 5.0
PERHAPS_CUT = 60_000
"""Characters of a pushed context from which its first message may have lost its beginning on the way."""


class TranscriptSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What was said, kept by session."""

    from_push: bool = True
    """Whether the messages of a pushed context become part of the transcript of their session."""
    longest_kb: Annotated[int, msgspec.Meta(ge=1, le=1024)] = 256
    """Of a message or tool result that is longer, the beginning is kept, in thousands of characters."""


@dataclass(frozen=True, slots=True)
class Say:
    """Entries that a client appends."""

    caller: Caller
    entries: tuple[Entry, ...]


@dataclass(slots=True)
class Pushed:
    """Contexts of one caller, in order, each of which may have something new at its end.

    Those that come while the writer is busy join the one that waits, until something else is asked of the session:
    what is pushed in a tight loop is written in one go, and in its order.
    """

    updates: list[ContextUpdate]
    characters: int

    @property
    def caller(self) -> Caller:
        """Return who pushed them."""
        return self.updates[0].caller


@dataclass(frozen=True, slots=True)
class Destroy:
    """A transcript to be destroyed; `forget` takes it out of the index first and last."""

    key: Key
    forget: Callable[[Key], Awaitable[None]] | None = None


@dataclass(frozen=True, slots=True)
class Erase:
    """Entries whose words are to be destroyed; `forget` takes the session out of the index, which then begins anew."""

    key: Key
    sequences: tuple[int, ...]
    forget: Callable[[Key], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class End:
    """A session that is over; `note` learns at which entry."""

    key: Key
    note: Callable[[int], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Summarise:
    """A summary that takes the place of everything up to an entry."""

    key: Key
    covers: int
    turns: int
    text: str
    by: str


@dataclass(frozen=True, slots=True)
class Bring:
    """Entries that were written down elsewhere."""

    caller: Caller
    session: str
    records: tuple[Record, ...]
    project: str
    agent: str


ScribeMessage = Say | Pushed | Destroy | Erase | End | Summarise | Bring


@dataclass(slots=True)
class Counts:
    """What came of everything since the start."""

    stored: int = 0
    known: int = 0
    left_out: int = 0
    pushes: int = 0
    dropped: int = 0
    """Pushes for which there was no room."""
    problem: str = ""
    hint: str = ""


@dataclass(slots=True)
class _Tail:
    """The end of a transcript, as pushes are compared with it."""

    said: deque[int] = field(default_factory=lambda: deque(maxlen=TAIL))
    """Fingerprints."""
    unclaimed: Counter[int] = field(default_factory=Counter)
    """Came by push, and nobody has appended them since."""
    claimed: OrderedDict[str, None] = field(default_factory=OrderedDict)
    """Ids of appended entries that a push had brought before."""
    withheld: OrderedDict[str, str] = field(default_factory=OrderedDict)
    """Ids of tool calls whose results are not to be kept, and why."""
    seen: OrderedDict[int, int | None] = field(default_factory=OrderedDict)
    """What pushed messages are by fingerprint, so that each is cleaned once; None where nothing of it is kept."""
    window: tuple[int, ...] = ()
    """What was pushed last,"""
    client: str = ""
    """by whom,"""
    since: list[int] = field(default_factory=list[int])
    """and what was appended that no push has brought."""

    def add(self, said: int, *, pushed: bool) -> None:
        if len(self.said) == TAIL:
            oldest = self.said[0]
            if self.unclaimed[oldest] > 0:
                self.unclaimed[oldest] -= 1
            if not self.unclaimed[oldest]:
                del self.unclaimed[oldest]
        self.said.append(said)
        if not pushed and len(self.since) < TAIL:
            self.since.append(said)
        if pushed:
            self.unclaimed[said] += 1

    def follow(self, client: str, window: Sequence[int]) -> None:
        """Note what was pushed last: the next short window comes after it."""
        self.client, self.window = client, tuple(window)
        for said in window:
            if said in self.since:
                del self.since[: self.since.index(said) + 1]

    def claim(self, entry_id: str, said: int) -> bool:
        """Return whether an appended entry is one that a push has brought already."""
        if entry_id in self.claimed:
            return True
        if self.unclaimed[said] <= 0:
            return False
        self.unclaimed[said] -= 1
        _bounded(self.claimed, entry_id, None)
        return True


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
        on_append: Callable[[Key, int], None],
        on_crash: Callable[[str, Exception], None],
    ) -> None:
        """Prepare; `on_append` learns how far a transcript goes now."""
        self.counts = Counts()
        self._transcripts = transcripts
        self._settings = settings
        self._waiting = 0
        self._joinable: dict[Key, Pushed] = {}
        threads = CapacityLimiter(2)  # cleaning is work for a core

        def writer() -> _Writer:
            return _Writer(
                self,
                transcripts,
                clock=clock,
                publish=publish,
                settings=settings,
                rules=rules,
                on_append=on_append,
                threads=threads,
            )

        self._writers: list[ActorRef[ScribeMessage, Appended]] = [
            ActorRef(f"scribe {number}", writer, on_crash=on_crash, capacity=QUEUE) for number in range(WRITERS)
        ]

    async def run(self) -> None:
        """Write until closed and drained."""
        async with anyio.create_task_group() as tasks:
            for writer in self._writers:
                tasks.start_soon(writer.run, name=writer.name)

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
            raise Refused("a transcript belongs to a session", "Name it: `session=`, or `--session`.")
        return await self._of(caller.owner, caller.session).ask(Say(caller, entries), deadline_s=deadline_s)

    async def bring(self, message: Bring, *, deadline_s: float) -> Appended:
        """Store entries of a transcript that was kept elsewhere, whole; they are durable then."""
        return await self._of(message.caller.owner, message.session).ask(message, deadline_s=deadline_s)

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
        message = Pushed([update], characters)
        if not self._writer(key).offer(message):
            return False
        self._joinable[key] = message
        return True

    async def purge(self, key: Key, forget: Callable[[Key], Awaitable[None]], *, deadline_s: float) -> int:
        """Destroy a transcript, and with `forget` what others have of it; return how many entries it had."""
        return (await self._of(*key).ask(Destroy(key, forget), deadline_s=deadline_s)).stored

    async def erase(
        self, key: Key, sequences: tuple[int, ...], forget: Callable[[Key], Awaitable[None]], *, deadline_s: float
    ) -> int:
        """Destroy the words of some entries, and what the index has of them; return how many had some."""
        return (await self._of(*key).ask(Erase(key, sequences, forget), deadline_s=deadline_s)).stored

    async def end(self, key: Key, note: Callable[[int], Awaitable[None]], *, deadline_s: float) -> int:
        """Have noted at which entry a session is over, after all that was accepted before; return that number."""
        return (await self._of(*key).ask(End(key, note), deadline_s=deadline_s)).last

    async def summarise(self, key: Key, *, covers: int, turns: int, text: str, by: str, deadline_s: float) -> bool:
        """Append the summary of everything up to an entry, durably; False where that is summarised already."""
        message = Summarise(key, covers, turns, text, by)
        return bool((await self._of(*key).ask(message, deadline_s=deadline_s)).stored)

    async def find(self, key: Key, said: str) -> int | None:
        """Return at which entry near the end of a transcript a user said this, after all that was accepted before.

        `said` is cleaned as by `clean_text`. None where it is not there, or nobody answers in time.
        """

        async def nothing(_: int) -> None:
            return None

        try:
            last = await self.end(key, nothing, deadline_s=FIND_S)
        except (Refused, ActorError):
            return None
        records = await self._transcripts.read(
            key, after=max(0, last - FIND_IN), limit=FIND_IN, characters=TAIL_CHARACTERS
        )

        def match() -> int | None:
            users = (one for one in reversed(records) if one.role == "user")
            return next((one.sequence for one in users if clean_text(one.content) == said), None)

        return await to_thread.run_sync(match)

    def begun(self, pushed: Pushed) -> None:
        """Note that pushes no longer wait, and that none may join them."""
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


class _Writer(Actor[ScribeMessage, Appended]):
    """Writes the sessions that are its own, one message after the other."""

    def __init__(
        self,
        scribe: Scribe,
        transcripts: Transcripts,
        *,
        clock: Clock,
        publish: Publisher,
        settings: TranscriptSettings,
        rules: ProjectRules,
        on_append: Callable[[Key, int], None],
        threads: CapacityLimiter,
    ) -> None:
        self._scribe = scribe
        self._transcripts = transcripts
        self._clock = clock
        self._publish = publish
        self._rules = rules
        self._longest = settings.longest_kb * 1000
        self._on_append = on_append
        self._threads = threads
        self._tails: OrderedDict[Key, _Tail] = OrderedDict()

    async def handle(self, message: ScribeMessage) -> Appended:  # noqa: PLR0911 - one case a message
        """Write, or destroy."""
        match message:
            case Say():
                return await self._say(message)
            case Pushed():
                self._scribe.begun(message)
                try:
                    return await self._pushed(message)
                except Refused as refused:
                    self._warn(refused)
                    raise
            case Bring():
                return await self._bring(message)
            case Destroy():
                return await self._destroy(message)
            case Erase():
                return await self._erase(message)
            case End():
                last = await self._transcripts.last(message.key)
                await message.note(last)
                return Appended(last=last, stored=0)
            case Summarise():
                return await self._summarise(message)
            case _:
                assert_never(message)

    async def _summarise(self, message: Summarise) -> Appended:
        """Append a summary: the one moment at which what it tells of becomes archived.

        It is nothing that was said: no push is compared with it.
        """
        info = await self._transcripts.info(message.key)
        if info is None or info.last < message.covers or info.summarized >= message.covers:
            return Appended(last=info.last if info else 0, stored=0)
        entry = Entry(role="system", name=message.by, content=message.text)
        kept = Kept(entry, self._clock.now(), covers=message.covers, turns=message.turns)
        done = await self._transcripts.append(message.key, [kept], project=info.project, agent=info.agent)
        self._on_append(message.key, done.last)
        return Appended(last=done.last, stored=done.stored)

    async def _say(self, message: Say) -> Appended:
        caller = message.caller
        key = caller.owner, caller.session
        tail = await self._tail(key)
        cleaned = await self._all_clean(message.entries, caller.project, tail)
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
        done = await self._store(key, caller, [kept for kept, _ in fresh])
        self._scribe.counts.known += claimed
        self._scribe.counts.left_out += left_out
        return Appended(last=done.last, stored=done.stored, known=done.known + claimed, left_out=left_out)

    async def _bring(self, message: Bring) -> Appended:
        caller, records = message.caller, message.records
        key = caller.owner, message.session
        rules, _ = await self._rules.look(caller.project)

        def gate() -> list[Entry | None]:
            return [brought(_as_entry(one), rules) for one in records]

        gated = await to_thread.run_sync(gate, limiter=self._threads)
        last = await self._transcripts.last(key)
        # A summary names what it covers by numbers: it is one only where the entries have their numbers again.
        places = [one.sequence for one in records]
        aligned = None not in gated and places == list(range(last + 1, last + 1 + len(places)))
        kept = [
            Kept(
                entry,
                _moment(one.at, one.at),
                pushed=one.pushed,
                covers=one.covers if aligned else 0,
                turns=one.turns if aligned else 0,
            )
            for entry, one in zip(gated, records, strict=True)
            if entry is not None
        ]
        self._tails.pop(key, None)
        done = await self._transcripts.append(key, kept, project=message.project, agent=message.agent)
        self._scribe.counts.stored += done.stored
        self._scribe.counts.known += done.known
        if done.stored:
            self._on_append(key, done.last)
        return Appended(last=done.last, stored=done.stored, known=done.known, left_out=len(records) - len(kept))

    async def _pushed(self, message: Pushed) -> Appended:
        caller = message.caller
        key = caller.owner, caller.session
        tail = await self._tail(key)
        fresh: list[Kept] = []
        known = 0
        try:
            for update in message.updates:
                new, seen = await self._news(update, tail)
                fresh += new
                known += seen
        except BaseException:
            self._tails.pop(key, None)  # it has heard of what was not written
            raise
        done = await self._store(key, caller, fresh)
        self._scribe.counts.known += known
        return Appended(last=done.last, stored=done.stored, known=known)

    async def _news(self, update: ContextUpdate, tail: _Tail) -> tuple[list[Kept], int]:
        """Return what is new in a context, noted in the tail from now on, and how many of its messages were known."""
        project = update.caller.project
        messages = list(update.messages[-TAIL:])
        if messages and update.trigger != "turn" and messages[-1].role == "assistant":
            messages.pop()  # still being written; the next push has all of it
        fresh_ones = [one for one in messages if hash((one.role, one.content)) not in tail.seen]
        rules, files = await self._look([_entry(one) for one in fresh_ones], project)
        cleaned = await to_thread.run_sync(self._fingerprints, tail, messages, rules, files, limiter=self._threads)
        kept = [(message, said) for message, said in zip(messages, cleaned, strict=True) if said is not None]
        window = [said for _, said in kept]
        places = new_after(tail.window, tail.since, window) if tail.client == update.client != "" else None
        if places is None:
            places = new_places(list(tail.said), window)
        characters = sum(len(message.content) for message in messages)
        if characters >= PERHAPS_CUT and len(places) < len(kept) and places[:1] == [0]:
            del places[0]
        now = self._clock.now()
        sent = update.sent_at
        at = datetime.fromtimestamp(sent, UTC) if 0 < sent < now.timestamp() else now
        new = [kept[place] for place in places]
        entries = await self._all_clean([_entry(message) for message, _ in new], project, tail)
        fresh: list[Kept] = []
        for entry, (_, said) in zip(entries, new, strict=True):
            if entry is not None:
                fresh.append(Kept(entry, at, pushed=True))
                tail.add(said, pushed=True)
        if window:
            tail.follow(update.client, window)
        return fresh, len(kept) - len(new)

    async def _store(self, key: Key, caller: Caller, fresh: Sequence[Kept]) -> Stored:
        """Append what the tail has heard of already."""
        try:
            before = await self._transcripts.last(key)
            if not fresh:
                return Stored(before, 0, 0)
            done = await self._transcripts.append(key, fresh, project=caller.project, agent=signed(caller))
        except BaseException:
            self._tails.pop(key, None)
            raise
        if done.known:
            # Which of them were known, the file alone knows: its end is read again.
            self._tails.pop(key, None)
        counts = self._scribe.counts
        counts.stored += done.stored
        counts.known += done.known
        counts.problem = counts.hint = ""
        if done.last > before:
            self._on_append(key, done.last)
        return done

    async def _destroy(self, message: Destroy) -> Appended:
        self._tails.pop(message.key, None)
        gone = await self._transcripts.purge(message.key)
        if message.forget is not None:
            await message.forget(message.key)
        return Appended(last=0, stored=gone)

    async def _erase(self, message: Erase) -> Appended:
        # The end of the session stays known as it was: a context that is pushed again brings nothing back.
        gone = await self._transcripts.erase(message.key, message.sequences)
        last = await self._transcripts.last(message.key)
        if gone:
            await message.forget(message.key)
            self._on_append(message.key, last)
        return Appended(last=last, stored=gone)

    async def _tail(self, key: Key) -> _Tail:
        tail = self._tails.get(key)
        if tail is None:
            tail = _Tail()
            after = max(0, await self._transcripts.last(key) - TAIL)
            while records := await self._transcripts.read(key, after=after, limit=TAIL, characters=TAIL_CHARACTERS):
                for record in records:
                    if not record.covers:
                        tail.add(_said(record), pushed=record.pushed)
                after = records[-1].sequence
            self._tails[key] = tail
            while len(self._tails) > TAILS:
                self._tails.popitem(last=False)
        self._tails.move_to_end(key)
        return tail

    async def _look(self, entries: Sequence[Entry], project: str) -> tuple[Rules, ProjectFiles]:
        """Return the rules that are in force for entries, and what the project says of the files that they name."""
        named: list[str] = []
        if project and entries:
            named = await to_thread.run_sync(_named, entries, limiter=self._threads)
        return await self._rules.look(project, named)

    async def _all_clean(self, entries: Sequence[Entry], project: str, tail: _Tail) -> list[Entry | None]:
        rules, files = await self._look(entries, project)

        def clean() -> list[Entry | None]:
            return [self._clean(entry, rules, files, _withheld(entry, files, tail)) for entry in entries]

        return await to_thread.run_sync(clean, limiter=self._threads)

    def _clean(self, entry: Entry, rules: Rules, files: ProjectFiles, withheld: str = "") -> Entry | None:
        return recorded(entry, rules, longest=self._longest, seen=files, withheld=withheld)

    def _fingerprints(
        self, tail: _Tail, messages: Sequence[Message], rules: Rules, files: ProjectFiles
    ) -> list[int | None]:
        """Return what each message is by fingerprint when cleaned; None where nothing of it is kept."""
        found: list[int | None] = []
        for message in messages:
            raw = hash((message.role, message.content))
            if raw not in tail.seen:
                entry = self._clean(_entry(message), rules, files)
                said = None if entry is None else fingerprint(entry.kind, entry.role, entry.content)
                _bounded(tail.seen, raw, said)
            found.append(tail.seen[raw])
        return found

    def _warn(self, refused: Refused) -> None:
        counts = self._scribe.counts
        if counts.problem != str(refused):
            counts.problem, counts.hint = str(refused), refused.hint
            self._publish(Warned(component="transcripts", message=str(refused), hint=refused.hint))


def _entry(message: Message) -> Entry:
    tool = message.role == "tool"
    return Entry(
        id=new_entry_id(),
        kind="tool_result" if tool else "message",
        role=message.role[:200],
        content=message.content,
        name=message.name[:200],
    )


def _as_entry(record: Record) -> Entry:
    return Entry(
        id=record.id,
        kind=record.kind,
        role=record.role,
        content=record.content,
        name=record.name,
        call_id=record.call_id,
        size=record.size,
    )


def _named(entries: Sequence[Entry]) -> list[str]:
    return [file for entry in entries for file in (*read_files(entry), *quoted_files(entry.content))]


def _withheld(entry: Entry, files: ProjectFiles, tail: _Tail) -> str:
    """Return why nothing of a tool's call or result is kept; the call says of the result what file it is of."""
    why = reason(read_files(entry), files)
    if why and entry.call_id:
        _bounded(tail.withheld, entry.call_id, why)
    return why or (tail.withheld.get(entry.call_id, "") if entry.kind == "tool_result" and entry.call_id else "")


def _said(record: Record) -> int:
    return fingerprint(record.kind, record.role, record.content)


def _moment(at: datetime | None, now: datetime) -> datetime:
    if at is None:
        return now
    try:
        return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    except OverflowError:
        raise Refused(f"`at` is outside the calendar: {at.isoformat()}", "Give a moment in UTC.") from None


def _bounded(kept: "OrderedDict[Id, Value]", key: Id, value: Value) -> None:
    kept[key] = value
    while len(kept) > 2 * TAIL:
        kept.popitem(last=False)
