"""What users ask to have remembered, on its way from a pushed context to the Keeper, beside the pipeline.

Every context repeats what was said before. A message is looked at once in the life of the daemon; what is captured has
an id that follows from what it says and where it holds, so that the same conversation, pushed after a restart or
resumed in another session, finds it there already: also where it was edited, merged, forgotten or destroyed since.

Where something was purged since a message was heard, what its transcript has now is looked at instead: what was said
may be gone from there.
"""

import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable
from datetime import UTC, datetime
from functools import partial

import msgspec
from msgspec.structs import replace

from memoryd_actors.capture import Captured, explicit, may_ask, procedure, standing_instruction
from memoryd_actors.capture.capture_input import SPOKEN, CaptureInput, DatedMessage, key_of, user_messages
from memoryd_actors.capture.consent_answers import asked_about, may_answer, yes_or_no
from memoryd_actors.core.actor import Actor, ActorRef, MailboxStatistics
from memoryd_actors.core.errors import (
    ActorCrashed,
    ActorError,
    ActorStopped,
    DiskFull,
    PurgedMeanwhile,
    Refused,
    Unavailable,
)
from memoryd_actors.core.worker_threads import WorkerThreads
from memoryd_actors.keeping.orders import DecideProposal, KeeperMessage, Store
from memoryd_actors.memory.identity import memory_id
from memoryd_actors.memory.settings import CaptureSettings
from memoryd_actors.memory.steps import UnlessPurged
from memoryd_actors.ports.ledger import MemoryRepository
from memoryd_actors.ports.publisher import Publisher
from memoryd_actors.ports.transcripts import Key
from memoryd_actors.recall.memory_actor import MemoryActor
from memoryd_actors.redaction import Rules
from memoryd_actors.redaction.rules import DEFAULT
from memoryd_actors.texts.clean import clean_text
from memoryd_actors.texts.hidden import mentioned
from memoryd_actors.texts.labels import project_label, project_tags
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.consent import Consent
from memoryd_client.wire.context import ContextUpdate, Message
from memoryd_client.wire.events import Warned
from memoryd_client.wire.memory import Memory, NewMemory, Scope, Source, State
from memoryd_client.wire.transcripts import Entry, TranscriptRecord

log = logging.getLogger(__name__)

QUEUE = 256
"""Messages that wait; those beyond are looked for in their transcript."""
MOST_SEEN = 50_000
"""Messages that are known to have been looked at."""
MOST_SESSIONS = 1_000
LONGEST_LAST = 16_000
"""Sessions of which is known what was said last, and characters of that: a longer one is not kept."""
STORE_S = 30.0


class CaptureCounts(msgspec.Struct):
    """What became of what was captured."""

    captured: int = 0
    known: int = 0
    """It was there before, in whatever state it is now."""
    refused: int = 0
    failed: int = 0
    """Not stored for now; tried again by and by."""
    dropped: int = 0
    """The queue was full."""
    crashed: int = 0
    """Messages that met a bug; they are looked for in their transcript."""
    last_refusal: str = ""


class Capturer:
    """Listens to every context, and has stored what users ask to have remembered."""

    def __init__(
        self,
        *,
        keeper: ActorRef[KeeperMessage, tuple[Memory, ...]],
        recall: MemoryActor,
        ledger: MemoryRepository,
        purges: Callable[[Key], Awaitable[int]],
        publish: Publisher,
        settings: CaptureSettings,
        kept: bool = True,
        rules: Rules = DEFAULT,
        place: Callable[[Caller, str], Awaitable[int | None]] | None = None,
        named_project: Callable[[Caller, int | None], Awaitable[str]] | None = None,
        proposals: Callable[[Caller], Awaitable[Iterable[Consent]]] | None = None,
        on_unfinished: Callable[[Key, datetime | None], None] = lambda key, since: None,
    ) -> None:
        """Prepare; `purges` knows the newest purge, once the transcript of a session has nothing left of it.

        `kept` says whether what is pushed comes into a transcript.
        `place` knows at which entry of its transcript a session said something.
        `named_project` knows which project the user named last in a session, up to that entry of it.
        `proposals` knows what waits for the user's yes where somebody is.
        `on_unfinished` hears of sessions in which something was asked that is not stored yet, and since when where that
        is long ago.
        """
        self._place = place
        self._named_project = named_project
        self._proposals = proposals
        self._on_unfinished = on_unfinished
        self._keeper = keeper
        self._recall = recall
        self._ledger = ledger
        self._purges = purges
        self._kept = kept
        self._known_purges: dict[str, int] = {}
        """The newest purge of each owner, as of when it was last looked."""
        self._publish = publish
        self._settings = settings
        self._rules = rules
        self._seen: dict[int, None] = {}
        self._last: OrderedDict[Key, tuple[Message, int]] = OrderedDict()
        """What was said last in each session, and the newest purge that was known then."""
        self._current: CaptureInput | None = None
        """The message that is being looked at, or was last."""
        self.counts = CaptureCounts()
        self._thread = WorkerThreads(name="capture")
        self._actor: ActorRef[CaptureInput, bool] = ActorRef(
            "capture",
            lambda: _Listener(self.capture),
            on_crash=self._crashed,
            capacity=QUEUE,
        )

    # --- in

    def offer(self, update: ContextUpdate) -> None:
        """Look over a context without waiting; what may be worth remembering is looked at in the background."""
        if not (self._settings.explicit or self._settings.standing or self._settings.procedures):
            return
        said_now, purges = self._continued(update)
        for said, before in user_messages(said_now):
            self._look(said.content, before, update.caller, purges)

    def _continued(self, update: ContextUpdate) -> tuple[list[Message], int]:
        """Return what was said, after what was said before it where each context has only what is new.

        With it comes the newest purge that was known when the first of it was heard.
        """
        purges = self._known_purges.get(update.caller.owner, 0)
        key = (update.caller.owner, update.caller.session)
        spoken = [message for message in update.messages if message.role in SPOKEN]
        if not update.caller.session or not spoken:
            return spoken, purges
        last, known = self._last.pop(key, (None, purges))
        if len(spoken[-1].content) <= LONGEST_LAST:
            self._last[key] = spoken[-1], purges
        if len(self._last) > MOST_SESSIONS:
            self._last.popitem(last=False)
        return (spoken, purges) if last is None or last in spoken else ([last, *spoken], known)

    def forget_session(self, key: Key) -> None:
        """Let go of a session that is purged: `remember that` behind it takes nothing of what was said there."""
        self._last.pop(key, None)

    def appended(self, entries: Iterable[Entry | TranscriptRecord], caller: Caller) -> None:
        """Hear what was appended to a transcript, or brought into it: a request is found there."""
        asked = [
            one for one in entries if one.kind == "message" and one.role == "user" and self._is_request(one.content)
        ]
        if asked:
            # An earlier conversation may be brought in: it counts from when it was held.
            since = min((_in_utc(one.at) for one in asked if one.at is not None), default=None)
            self._on_unfinished((caller.owner, caller.session), since)

    async def hear_again(self, messages: Iterable[DatedMessage], caller: Caller, purges: int) -> bool:
        """Look a conversation over that is in a transcript; return whether all that it asks for is dealt with.

        `purges` is the newest purge of its owner as it was read.
        """
        done = True
        for one, before in user_messages(messages):
            said = one.content
            if self._is_request(said):
                key = key_of(said, before, caller)
                given = CaptureInput(said, before, caller, key, purges, again=True, at=one.at)
                try:
                    done = await self._actor.ask(given, deadline_s=2 * STORE_S) and done
                except ActorStopped:
                    raise
                except ActorCrashed:
                    pass  # once more at the next start: until then it would only meet the same bug
                except ActorError:
                    done = False
        return done

    def _look(self, said: str, before: Message | None, caller: Caller, purges: int) -> None:
        key = key_of(said, before, caller)
        if key in self._seen:
            return
        self._seen[key] = None
        if len(self._seen) > MOST_SEEN:
            del self._seen[next(iter(self._seen))]
        answers = before is not None and before.role == "assistant" and may_answer(said)
        given = CaptureInput(said, before, caller, key, purges)
        if (answers or self._is_request(said)) and not self._actor.offer(given):
            self._seen.pop(key, None)
            self.counts.dropped += 1
            self._on_unfinished((caller.owner, caller.session), None)

    def _is_request(self, said: str) -> bool:
        if self._settings.explicit and may_ask(said):
            return True
        if self._settings.procedures and procedure(said) is not None:
            return True
        return self._settings.standing and standing_instruction(said) is not None

    # --- in the background

    async def capture(self, given: CaptureInput) -> bool:
        """Store what a message asks to have remembered; return whether that is dealt with."""
        self._current = given
        try:
            if not given.again:
                await self._decide(given)
            said, found = await self._thread.run(partial(self._found, given))
            unless_purged = await self._unless_purged(given) if found else None
            for captured in found:
                await self._store(captured, said, given, unless_purged)
        except PurgedMeanwhile as purged:
            log.info("what was to be remembered is looked for in its transcript: %s", purged)
            self._leave(given)  # it stays known: pushed once more, it is still what was heard before the purge
            return False
        except (ActorError, Refused) as failed:
            self._seen.pop(given.key, None)
            self._leave(given)
            self.counts.failed += 1
            self._warn(f"what was to be remembered is not stored yet: {failed}", failed.hint)
            return False
        return True

    def _leave(self, given: CaptureInput) -> None:
        """Have a message looked at again, in its transcript."""
        if not given.again:  # whoever looks again knows, and takes its time
            self._on_unfinished((given.caller.owner, given.caller.session), None)

    async def _unless_purged(self, given: CaptureInput) -> UnlessPurged | None:
        """Return on what condition something of a message is stored; None where it is in no transcript.

        Raises:
            PurgedMeanwhile: something was purged since it was heard.
            Unavailable: what was purged is still on its way out of the transcript.
        """
        owner, session = given.caller.owner, given.caller.session
        if not session or not (self._kept or given.again):
            return None
        purges = self._known_purges[owner] = await self._purges((owner, session))
        if purges != given.purges:
            if self._place and not given.again:
                await self._place(given.caller, given.message)  # by then it is in its transcript, if ever
            raise PurgedMeanwhile
        return UnlessPurged(purges, session)

    async def _store(
        self, captured: Captured, said: str, given: CaptureInput, unless_purged: UnlessPurged | None
    ) -> None:
        """Store what was captured, or tell that it is refused for good."""
        at = await self._place(given.caller, said) if self._place else None
        label = project_label([said])
        new = _as_new(captured, given, at, label)
        if not label and self._named_project and new.scope is Scope.PROJECT:
            named = await self._named_project(given.caller, at)
            new = replace(new, tags=(*new.tags, *project_tags(named)))
        try:
            await self._keep(new, given, unless_purged)
        except (DiskFull, PurgedMeanwhile, Unavailable):
            raise
        except Refused as refused:
            self.counts.refused += 1
            self.counts.last_refusal = str(refused)
            told = f"{refused} {refused.hint}".strip()
            await self._recall.note_captured(given.caller, new.id, refused=told)
            self._warn(f"what was to be remembered was refused: {refused}", refused.hint)

    async def _decide(self, given: CaptureInput) -> None:
        """Pass on the user's yes or no to what the agent asked on memory's behalf."""
        before = given.before
        if self._proposals is None or before is None or before.role != "assistant" or not may_answer(given.message):
            return
        question = clean_text(before.content, self._rules)
        asked = asked_about(question, await self._proposals(given.caller))
        # Where it asks about several, an answer that names one of them answers nothing for the others.
        approve = yes_or_no(clean_text(given.message, self._rules), question if len(asked) == 1 else "")
        if approve is None:
            return
        for one in asked:
            try:
                decision = DecideProposal(one.id, approve, given.caller, from_user=True)
                await self._keeper.ask(decision, deadline_s=STORE_S)
            except (ActorError, Refused) as failed:
                self._warn(f"the user's answer to {one.id} is not put down: {failed}", failed.hint)

    def _found(self, given: CaptureInput) -> tuple[str, tuple[Captured, ...]]:
        """Return what was said, cleaned, and what of it is to be stored."""
        said = clean_text(given.message, self._rules)
        before = clean_text(given.before.content, self._rules) if given.before else ""
        if self._settings.procedures and (told := procedure(said)):
            return said, (told,)
        found = explicit(said, before) if self._settings.explicit else ()
        if not found and self._settings.standing and (instruction := standing_instruction(said)):
            found = (instruction,)
        return said, found

    async def _keep(self, new: NewMemory, given: CaptureInput, unless_purged: UnlessPurged | None) -> None:
        caller = given.caller
        if await self._recall.was_captured(caller, new.id):
            return
        if await self._ledger.history(caller.owner, memory_id=new.id, limit=1):
            self.counts.known += 1
            await self._recall.note_captured(caller, new.id)
            there = (await self._ledger.get(caller.owner, [new.id])).get(new.id)
            if there is not None and there.state is State.FORGOTTEN and not given.again:
                self._warn("what is asked to be remembered was forgotten before", f"`memoryd restore {new.id}`")
            return
        # Before it is stored, so that no context of this session finds it in between.
        await self._recall.note_written(caller, [new.id])
        order = Store((new,), caller, from_user=True, unless_purged=unless_purged)
        stored = await self._keeper.ask(order, deadline_s=STORE_S)
        self.counts.captured += 1
        await self._recall.note_written(caller, [memory.id for memory in stored])
        await self._recall.note_captured(caller, new.id)

    def _warn(self, message: str, hint: str) -> None:
        log.warning("%s", message)
        self._publish(Warned(component="capture", message=message, hint=hint))

    # --- life

    async def run(self) -> None:
        """Serve until closed."""
        await self._actor.run()

    async def drain(self) -> None:
        """Take nothing more in, and see through what was accepted."""
        self._actor.close()
        await self._actor.stopped.wait()

    def statistics(self) -> MailboxStatistics:
        """Return the counts of the mailbox."""
        return self._actor.statistics()

    def _crashed(self, name: str, bug: Exception) -> None:
        self.counts.crashed += 1
        if (given := self._current) is not None and not given.again:
            self._on_unfinished((given.caller.owner, given.caller.session), None)
        log.error("%s crashed on a message and was rebuilt", name, exc_info=bug)
        self._publish(Warned(component="capture", message=f"{name} crashed: {type(bug).__name__}"))


class _Listener(Actor[CaptureInput, bool]):
    """Handles one message at a time, in order."""

    def __init__(self, hear: Callable[[CaptureInput], Awaitable[bool]]) -> None:
        self._hear = hear

    async def handle(self, message: CaptureInput) -> bool:
        """Store what it asks to have remembered."""
        return await self._hear(message)


def _in_utc(at: datetime) -> datetime:
    return at if at.tzinfo is not None else at.replace(tzinfo=UTC)


def _as_new(captured: Captured, given: CaptureInput, at: int | None, label: str) -> NewMemory:
    caller = given.caller
    in_project = bool(caller.project.strip()) and not captured.everywhere
    speaker = given.before.role if captured.from_before and given.before else "user"
    return NewMemory(
        id=memory_id(caller.owner, caller.project if in_project else "", captured.content),
        content=mentioned(captured.content),
        category=captured.category,
        scope=Scope.PROJECT if in_project else Scope.GLOBAL,
        source=Source.USER,
        tags=project_tags(label),
        speaker=speaker,
        occurred_at=given.at,
        source_messages=None if at is None else (at, at),
        title=mentioned(captured.title),
        metadata={
            "captured": mentioned(captured.asked[:200]) or ("procedure" if captured.title else "standing instruction")
        },
    )
