"""Listens to hosts: what their events say goes into memory and transcript, and what memory has goes back with them."""

import logging
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path

import anyio

from memoryd.hosts import arrivals
from memoryd.hosts.event import Dialect, Event, Payload
from memoryd.hosts.request import HookRequest
from memoryd.hosts.table import HOSTS
from memoryd.hosts.triggers import of_answer, of_tool
from memoryd.hosts.words import own_words, shortened
from memoryd_actors.admission.names import are_names
from memoryd_actors.core.errors import ActorError, Refused
from memoryd_actors.recall.memory_actor import MemoryActor
from memoryd_client.project import project_root
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.context import ContextUpdate, Message, Trigger
from memoryd_client.wire.pending import Take, Taken
from memoryd_client.wire.protocol import AnyRequest, Reply
from memoryd_client.wire.transcripts import Append, EndSession, Entry, new_entry_id

_log = logging.getLogger(__name__)
MOST_TALKS = 256
"""Sessions of which the last words are kept in mind; what falls out loses a prompt without an answer."""
SAID = 6
"""Messages before a prompt that go along with it: what it is about."""
FILES = 5
"""Files in hand that a model which judges is told of."""
_ANSWER_S = 5.0
_WRITE_S = 60.0
"""How long writing down what was said may take, in seconds: nobody waits for it."""

Key = tuple[str, str]
"""Owner and session."""


@dataclass(slots=True)
class Talk:
    """What is known of a session beside its transcript."""

    prompt: str = ""
    """The last prompt, as long as it has no answer: it counts as said once it has one."""
    number: str = ""
    """Stands for that prompt."""
    told: bytes = b""
    """What was said to it."""
    said: list[Message] = field(default_factory=list)
    kinds: set[str] = field(default_factory=set)
    """Kinds of files that were in hand."""
    files: list[str] = field(default_factory=list)
    """Files that were in hand, the newest last."""


class HostListener:
    """Turns events into pushes, takes and appends, as a client of the daemon within the daemon."""

    def __init__(
        self,
        *,
        folder: Path,
        recall: MemoryActor,
        answer: Callable[[AnyRequest, Caller, float], Awaitable[Reply]],
        wait_s: float,
    ) -> None:
        """Prepare.

        `folder` is where arrivals are noted. `recall` decides contexts, without writing them down; `answer` answers
        requests. `wait_s` is how long a prompt may be kept waiting.
        """
        self._folder = folder
        self._recall = recall
        self._answer = answer
        self._wait_s = wait_s
        self._talks: OrderedDict[Key, Talk] = OrderedDict()

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

    def _read(self, host: Dialect, request: HookRequest) -> tuple[Event | None, str]:
        """Return what an event means, and the root of the project that it comes from."""
        event = host.read(Payload.of(request), request)
        with suppress(OSError, Refused):  # that it came is worth less than what it says
            arrivals.note(self._folder, host.name, event.name if event else request.event)
        return event, project_root(request.project or (event.folder if event else "") or request.folder)

    async def _heard(self, host: Dialect, event: Event, caller: Caller) -> bytes:
        talk = self._talk((caller.owner, caller.session))
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
                await self._recall.clear(caller)
            case "ends":
                self._talks.pop((caller.owner, caller.session), None)
                await self._answer(EndSession(), caller, _WRITE_S)
                return b""
            case "begins":
                pass
        return await self._tell(host, event, caller, new_entry_id()) if event.kind in host.heard_at else b""

    async def _prompt(self, host: Dialect, event: Event, caller: Caller, talk: Talk) -> bytes:
        text = own_words(event.text)
        if not text:
            return b""
        number = _number(caller.session, event.prompt) if event.prompt else ""
        if (number and number == talk.number) or text == talk.prompt:
            return talk.told  # it came back to be sent once more, and what was said to it with it
        talk.prompt, talk.number, talk.told = text, number or new_entry_id(), b""
        if event.kind not in host.heard_at:
            return b""
        await self._decide(caller, talk, "turn", Message("user", text))
        talk.told = await self._tell(host, event, caller, talk.number)
        return talk.told

    async def _decide(self, caller: Caller, talk: Talk, trigger: Trigger, *newest: Message) -> None:
        """Have a context decided, and wait for it as long as a host may be kept waiting."""
        messages = (*talk.said[-SAID:], *newest)
        update = ContextUpdate(
            caller=caller, messages=messages, trigger=trigger, files=tuple(talk.files), sent_at=time.time()
        )
        if self._recall.offer(update):
            await self._recall.wait_for(update, self._wait_s)

    async def _tell(self, host: Dialect, event: Event, caller: Caller, take_id: str) -> bytes:
        reply = await self._answer(Take(take_id=take_id), caller, _ANSWER_S)
        pending = reply.pending if isinstance(reply, Taken) else None
        return host.say(shortened(pending.text, host.longest), event) if pending else b""

    async def _answered(self, text: str, caller: Caller, talk: Talk) -> None:
        """Write down a prompt and the answer to it; that is when the prompt counts as said."""
        entries: list[Entry] = []
        if talk.prompt:
            entries.append(Entry(id=talk.number, role="user", content=talk.prompt))
        if text:
            entries.append(Entry(id=_number(talk.number or new_entry_id(), text), role="assistant", content=text))
        if not entries:
            return
        talk.said = [*talk.said, *(Message(entry.role, entry.content) for entry in entries)][-SAID:]
        talk.prompt, talk.told = "", b""
        await self._answer(Append(entries=tuple(entries)), caller, _WRITE_S)
        if text and (looked := of_answer(text)):
            # Nobody waits for it: what it brings up is there when the next prompt comes.
            update = ContextUpdate(
                caller=caller,
                messages=(*talk.said[:-1], Message("assistant", looked[1])),
                trigger=looked[0],
                files=tuple(talk.files),
                sent_at=time.time(),
            )
            self._recall.offer(update)

    def _talk(self, key: Key) -> Talk:
        talk = self._talks.setdefault(key, Talk())
        self._talks.move_to_end(key)
        while len(self._talks) > MOST_TALKS:
            self._talks.popitem(last=False)
        return talk


def _number(*parts: str) -> str:
    """Return what stands for something that has a name of its own, wherever it comes up again."""
    return blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
