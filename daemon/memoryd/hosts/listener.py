"""Listens to hosts: what their events say goes into memory and transcript, and what memory has goes back with them."""

import logging
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from contextlib import suppress
from hashlib import blake2b

import anyio
import msgspec

from memoryd.hosts import arrivals, prompts
from memoryd.hosts.event import Dialect, Event, Payload
from memoryd.hosts.request import HookRequest
from memoryd.hosts.table import HOSTS
from memoryd.hosts.triggers import of_answer, of_tool
from memoryd.hosts.words import own_words, shortened
from memoryd.intake import Intake
from memoryd_actors.admission.names import are_names
from memoryd_actors.core.errors import ActorError, DiskFull, Refused, Unavailable, first_of
from memoryd_actors.texts.hidden import is_skipped, strip_unkept
from memoryd_client.base.paths import Paths
from memoryd_client.project import project_root
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.context import ContextUpdate, Message, Trigger
from memoryd_client.wire.pending import Cleared, Take, Taken
from memoryd_client.wire.protocol import AnyRequest, Reply
from memoryd_client.wire.transcripts import Append, EndSession, Entry, new_entry_id

_log = logging.getLogger(__name__)
MOST_TALKS = 256
"""Sessions of which the last words are kept in mind."""
SAID = 6
"""Messages before a prompt that go along with it: what it is about."""
FILES = 5
"""Files in hand that a model which judges is told of."""
MOST_UNWRITTEN = 200
"""Entries that wait until they can be written down."""
SKIP = "#skip"
"""What waits for an answer in place of a prompt with that tag."""
_ANSWER_S = 5.0
_WRITE_S = 60.0
"""How long writing down what was said may take, in seconds: nobody waits for it."""

Key = tuple[str, str]
"""Owner and session."""


class Talk(msgspec.Struct):
    """What is known of a session beside its transcript."""

    prompt: str = ""
    """The last prompt, as long as it has no answer: it counts as said once it has one."""
    number: str = ""
    """Stands for that prompt."""
    told: bytes | None = b""
    """What was said to it; None: a daemon before this one said it."""
    skipped: bool = False
    """Whether its user does not want the turn to be remembered."""
    taken: str = ""
    """Stands for what was last taken from memory for it."""
    unheard: str = ""
    """Stands for what was taken when nobody waited for it any more: it is said again with what comes next."""
    unwritten: list[Entry] = msgspec.field(default_factory=list[Entry])
    """What was said and is not written down yet."""
    said: list[Message] = msgspec.field(default_factory=list)
    kinds: set[str] = msgspec.field(default_factory=set)
    """Kinds of files that were in hand."""
    files: list[str] = msgspec.field(default_factory=list)
    """Files that were in hand, the newest last."""


class HostListener:
    """Turns events into pushes, takes and appends, as a client of the daemon within the daemon."""

    def __init__(
        self,
        *,
        paths: Paths,
        intake: Intake,
        clean: Callable[[Entry, str], Awaitable[Entry | None]],
        answer: Callable[[AnyRequest, Caller, float], Awaitable[Reply]],
        wait_s: float,
    ) -> None:
        """Prepare.

        Arrivals and prompts that wait for an answer are noted in `paths`. `intake` decides contexts; `clean` returns
        what a transcript of a project keeps of an entry; `answer` answers requests. `wait_s` is how long a prompt may
        be kept waiting.
        """
        self._paths = paths
        self._intake = intake
        self._clean = clean
        self._answer = answer
        self._wait_s = wait_s
        self._talks: OrderedDict[Key, Talk] = OrderedDict()

    def forget_prompt(self, owner: str, session: str, number: str) -> None:
        """Forget a prompt that is purged, whichever where no number is told: its answer is written down without it."""
        talk = self._talks.get((owner, session))
        if talk is not None and number in {"", talk.number}:
            talk.prompt, talk.told = "", b""

    async def hear(self, request: HookRequest) -> bytes:
        """Return what a host is to be answered to an event; nothing to most."""
        host = HOSTS.get(request.host)
        if host is None:
            return b""
        event, root = await anyio.to_thread.run_sync(self._read, host, request)
        if event is None:
            return b""
        caller = Caller(owner=request.owner or "local", project=root, agent=host.name, session=event.session)
        if not are_names(caller):
            return b""
        try:
            return await self._heard(host, event, caller)
        except (Refused, ActorError) as refused:  # memory is off there, the disk is full, ...
            _log.info("an event of %s was not taken: %s", host.name, refused)
            return b""

    async def lost(self, request: HookRequest) -> None:
        """Hear that nobody waited for what an event was answered: it is said with the next answer."""
        host = HOSTS.get(request.host)
        event, _ = await anyio.to_thread.run_sync(self._read, host, request) if host else (None, "")
        talk = self._talks.get((request.owner or "local", event.session)) if event else None
        if talk is not None:
            talk.unheard = talk.taken

    def _read(self, host: Dialect, request: HookRequest) -> tuple[Event | None, str]:
        """Return what an event means, and the root of the project that it comes from."""
        event = host.read(Payload.of(request), request)
        with suppress(OSError, Refused):  # that it came is worth less than what it says
            arrivals.note(self._paths.arrivals, host.name, event.name if event else request.event)
        return event, project_root(request.project or (event.folder if event else "") or request.folder)

    async def _heard(self, host: Dialect, event: Event, caller: Caller) -> bytes:
        talk = await self._talk((caller.owner, caller.session))
        match event.kind:
            case "prompt":
                return await self._prompt(host, event, caller, talk)
            case "answer":
                await self._answered(own_words(event.text), caller, talk)
                return b""
            case "tool":
                talk.files = [*(file for file in talk.files if file not in event.files), *event.files][-FILES:]
                looked = of_tool(event, talk.kinds)
                if looked is None or not talk.prompt:
                    return b""
                asked = Message("user", talk.prompt), Message("assistant", own_words(looked[1]))
                await self._decide(caller, talk, looked[0], *asked)
            case "cleared":
                talk.said.clear()
                talk.unheard = ""
                await self._intake.answer(Cleared(), caller, _ANSWER_S)
            case "ends":
                self._talks.pop((caller.owner, caller.session), None)
                await self._drop_prompt(caller)
                if talk.unwritten:
                    with suppress(Refused, ActorError):
                        await self._write(caller, talk)
                await self._answer(EndSession(), caller, _WRITE_S)
                return b""
            case "begins":
                pass
        return await self._tell(host, event, caller, talk, new_entry_id()) if event.kind in host.heard_at else b""

    async def _prompt(self, host: Dialect, event: Event, caller: Caller, talk: Talk) -> bytes:
        text = own_words(event.text)
        if not text:
            return b""
        number = _number(caller.session, event.prompt) if event.prompt else ""
        heard = event.kind in host.heard_at
        if (number and number == talk.number) or text == talk.prompt:
            # It came back to be sent once more, and what was said to it with it.
            if talk.told is None:
                talk.told = await self._tell(host, event, caller, talk, talk.number) if heard else b""
            talk.unheard = ""
            return talk.told
        talk.prompt, talk.number, talk.told = text, number or new_entry_id(), b""
        if off := self._intake.drops(caller):
            talk.prompt, talk.number = SKIP, new_entry_id()  # nor is its answer kept, whatever is on by then
        talk.skipped = is_skipped(strip_unkept(talk.prompt))
        if off:
            await self._note_prompt(caller, talk)
            return b""
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._note_prompt, caller, talk)
                if heard:
                    await self._decide(caller, talk, "turn", Message("user", text))
        except BaseExceptionGroup as failed:
            raise first_of(failed) from None
        talk.told = await self._tell(host, event, caller, talk, talk.number) if heard else b""
        return talk.told

    async def _note_prompt(self, caller: Caller, talk: Talk) -> None:
        """Put a prompt down for a daemon that comes after this one, as far as it may be kept."""
        kept = await self._clean(Entry(id=talk.number, role="user", content=talk.prompt), caller.project)
        text = kept.content if kept else SKIP if talk.skipped else ""
        if not text:
            await self._drop_prompt(caller)
            return
        prompt = prompts.WaitingPrompt(talk.number, text)
        with suppress(OSError, Refused):  # the turn is worth more
            await anyio.to_thread.run_sync(prompts.note, self._paths.prompts, caller.owner, caller.session, prompt)

    async def _drop_prompt(self, caller: Caller) -> None:
        await anyio.to_thread.run_sync(prompts.drop, self._paths.prompts, caller.owner, caller.session)

    async def _decide(self, caller: Caller, talk: Talk, trigger: Trigger, *newest: Message) -> None:
        """Have a context decided, and wait for it as long as a host may be kept waiting."""
        messages = (*talk.said[-SAID:], *newest)
        update = ContextUpdate(
            caller=caller, messages=messages, trigger=trigger, files=tuple(talk.files), sent_at=time.time()
        )
        await self._intake.decide(update, self._wait_s)

    async def _tell(self, host: Dialect, event: Event, caller: Caller, talk: Talk, take_id: str) -> bytes:
        texts: list[str] = []
        # A take that is asked for again is answered again: so is the one that nobody waited for.
        for one in dict.fromkeys(filter(None, (talk.unheard, take_id))):
            reply = await self._answer(Take(take_id=one), caller, _ANSWER_S)
            if isinstance(reply, Taken) and reply.pending:
                texts.append(reply.pending.text)
                talk.taken = one
        talk.unheard = ""
        return (
            host.say(shortened("\n\n".join(texts), host.longest, in_bytes=host.counts_bytes), event) if texts else b""
        )

    async def _answered(self, text: str, caller: Caller, talk: Talk) -> None:
        """Write down a prompt and the answer to it; that is when the prompt counts as said."""
        if talk.skipped:  # an answer repeats what was asked
            if talk.prompt:
                talk.prompt, talk.told = "", b""
                await self._drop_prompt(caller)
            return
        entries: list[Entry] = []
        if talk.prompt:
            entries.append(Entry(id=talk.number, role="user", content=talk.prompt))
        if text:
            entries.append(Entry(id=_number(talk.number or new_entry_id(), text), role="assistant", content=text))
        if not entries:
            return
        talk.said = [*talk.said, *(Message(entry.role, entry.content) for entry in entries)][-SAID:]
        talk.unwritten = [*talk.unwritten, *entries][-MOST_UNWRITTEN:]
        asked, talk.prompt, talk.told = talk.prompt, "", b""
        await self._write(caller, talk)
        if asked:
            await self._drop_prompt(caller)
        if text and (looked := of_answer(text)):
            # Nobody waits for it: what it brings up is there when the next prompt comes.
            update = ContextUpdate(
                caller=caller,
                messages=(*talk.said[:-1], Message("assistant", looked[1])),
                trigger=looked[0],
                files=tuple(talk.files),
                sent_at=time.time(),
            )
            await self._intake.decide(update)

    async def _write(self, caller: Caller, talk: Talk) -> None:
        """Write down what was said; what cannot be written for now is tried again with the next answer.

        Raises:
            ActorError, Refused: nothing was written.
        """
        entries = tuple(talk.unwritten)
        try:
            await self._answer(Append(entries=entries), caller, _WRITE_S)
        except (ActorError, DiskFull, Unavailable):
            raise
        except Refused:
            talk.unwritten = []  # it would be refused for ever: memory was turned off, it is too long, ...
            raise
        talk.unwritten = [entry for entry in talk.unwritten if entry not in entries]

    async def _talk(self, key: Key) -> Talk:
        talk = self._talks.get(key)
        if talk is None:
            left = await anyio.to_thread.run_sync(prompts.waiting, self._paths.prompts, *key)
            known = Talk(left.text, left.number, told=None, skipped=left.text == SKIP) if left else Talk()
            talk = self._talks.setdefault(key, known)
        self._talks.move_to_end(key)
        while len(self._talks) > MOST_TALKS:
            self._talks.popitem(last=False)
        return talk


def _number(*parts: str) -> str:
    """Return what stands for something that has a name of its own, wherever it comes up again."""
    return blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
