"""What both clients share: on whose behalf they speak, their sockets, and each operation that takes several steps."""

import os
import secrets
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from time import time
from typing import cast

from memoryd_client.arguments import seconds, several
from memoryd_client.base.errors import DaemonUnreachable, DeadlineExceeded, MemorydError, RequestFailed
from memoryd_client.base.paths import Paths
from memoryd_client.base.remote import Remote
from memoryd_client.entries import chunked, chunked_records
from memoryd_client.outgoing import ContextArguments, check_context, checked, conversation, files_in_hand
from memoryd_client.project import project_root
from memoryd_client.requests import chunks
from memoryd_client.transcript_lines import Events
from memoryd_client.transport.endpoint import Place, endpoint
from memoryd_client.transport.exchange import Transport, exchange
from memoryd_client.transport.link import Link
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.context import ContextUpdate, Push
from memoryd_client.wire.failures import Failure
from memoryd_client.wire.memories import Remember
from memoryd_client.wire.memory import Memory, NewMemory
from memoryd_client.wire.pending import PendingMemory, Take, Taken, Turn
from memoryd_client.wire.protocol import MAX_FRAME_BYTES, AnyRequest, Envelope
from memoryd_client.wire.request import R, Request
from memoryd_client.wire.transcripts import Append, Appended, Entry, ImportTranscript, TranscriptRecord


class Core:
    """A client without its way of waiting."""

    def __init__(
        self, *, session: str, agent: str, owner: str, place: Place | None, deadline_s: float, linger_s: float
    ) -> None:
        self.place = place or Remote.from_environment() or Paths.from_environment()
        self.deadline_s = deadline_s
        self.linger_s = linger_s
        for purpose in ("push", "rpc", "events"):
            endpoint(self.place, purpose).check_path()
        if isinstance(self.place, Remote):
            key = self.place.key
            owner = key.owners[0] if key.owners and owner == "local" else owner
            agent = key.agent or agent
        self.caller = Caller(owner=owner, agent=agent, session=session)
        self._links: dict[int, Link] = {}
        self._closed = False
        self._unsettled: deque[str] = deque()
        """Takes whose answer never came: what they were to hand over is still owed."""
        self._warned = set[type[MemorydError]]()
        """What was warned of: that there is no daemon to take from, or a busy one."""

    def locate(self, project: str | Path | None) -> None:
        """Find the project's root on the disk, and speak on its behalf from now on."""
        old = self.caller
        self.caller = Caller(owner=old.owner, agent=old.agent, session=old.session, project=project_root(project))

    def link(self) -> Link:
        """Return this process's sockets; a forked child gets its own, and leaves its parent's alone."""
        pid = os.getpid()
        # setdefault is atomic: of two threads that come here first in a child, one wins.
        link = self._links.get(pid) or Link(self.place, linger_s=self.linger_s, closed=self._closed)
        return self._links.setdefault(pid, link)

    def close(self) -> Link | None:
        """Mark as closed and return this process's sockets, to be closed, the first time."""
        self._closed = True
        return self._links.pop(os.getpid(), None)

    def update(self, link: Link, said: ContextArguments) -> ContextUpdate:
        """Return a context update; raise TypeError or ValueError for what is none."""
        check_context(said.trigger, said.turn)
        return ContextUpdate(
            caller=self.caller,
            messages=conversation(said.messages),
            trigger=said.trigger,
            files=files_in_hand(said.files) if said.files else (),
            turn=said.turn,
            sequence=next(link.sequence),
            client=link.client,
            sent_at=time(),
        )

    async def push(self, transport: Transport, said: ContextArguments) -> None:
        """Push a context as a request, and wait until it was taken in."""
        await self.call(transport, Push(update=self.update(self.link(), said)))

    async def call(self, transport: Transport, request: Request[R], deadline_s: float | None = None) -> R:
        """Return the reply to a request; raise RequestFailed where it is another one."""
        link = self.link()
        request_id = next(link.requests)
        deadline = self.deadline_s if deadline_s is None else deadline_s
        name = str(type(request).__struct_config__.tag)
        known = cast("AnyRequest", request)
        frame = checked(Envelope(id=request_id, request=known, caller=self.caller, deadline_s=deadline))
        if len(frame) > MAX_FRAME_BYTES:
            raise RequestFailed(
                Failure(
                    code="too_large",
                    message=f"the request `{name}` has {len(frame)} bytes and may have {MAX_FRAME_BYTES}",
                    hint="Send less at once.",
                )
            )
        reply = await exchange(transport, link, frame, request_id=request_id, name=name, deadline_s=deadline)
        if isinstance(reply, request.reply):
            return cast("R", reply)
        if not isinstance(reply, Failure):
            beside = f"the daemon answered with {type(reply).__name__}, which answers another request"
            reply = Failure(code="internal", message=beside)
        raise RequestFailed(reply)

    async def take(self, transport: Transport, deadline_s: float, *, strict: bool) -> PendingMemory | None:
        """Take what is pending."""
        return await self._take(transport, lambda take_id: Take(take_id=take_id), deadline_s, strict=strict)

    async def turn(
        self, transport: Transport, said: ContextArguments, wait_s: float, deadline_s: float, *, strict: bool
    ) -> PendingMemory | None:
        """Push a context and take what it brings up."""
        update = self.update(self.link(), said)

        def request(take_id: str) -> Turn:
            return Turn(update=update, take_id=take_id, wait_s=wait_s)

        patience_s = seconds("deadline_s", deadline_s) + max(seconds("wait_s", wait_s), 0.0)
        return await self._take(transport, request, patience_s, strict=strict)

    async def _take(
        self, transport: Transport, request: Callable[[str], Request[Taken]], deadline_s: float, *, strict: bool
    ) -> PendingMemory | None:
        """Take what is pending; a take whose answer was lost is asked again under its old id."""
        try:
            take_id = self._unsettled.popleft()
        except IndexError:
            take_id = secrets.token_hex(16)
        try:
            return (await self.call(transport, request(take_id), deadline_s)).pending
        except BaseException as exc:  # cancelled, too: what this take was to hand over is still owed
            self._unsettled.append(take_id)
            # An agent goes on without memory where there is no daemon, or one that is busy just now.
            if strict or not (type(exc) is DaemonUnreachable or isinstance(exc, DeadlineExceeded)):
                raise
            if type(exc) not in self._warned:
                self._warned.add(type(exc))
                warnings.warn(f"no memory: {exc}. {exc.hint}", RuntimeWarning, stacklevel=2)
            return None

    async def remember_many(self, transport: Transport, memories: Sequence[NewMemory]) -> list[Memory]:
        """Store memories in as many requests as they need."""
        stored: list[Memory] = []
        for chunk in chunks(several("memories", memories, NewMemory)):
            stored += (await self.call(transport, Remember(memories=chunk))).memories
        return stored

    async def import_transcript(
        self, transport: Transport, session: str, records: Sequence[TranscriptRecord], *, project: str, agent: str
    ) -> Appended:
        """Bring entries in, in as many requests as they need; return what came of all of them together."""
        parts = chunked_records(several("records", records, TranscriptRecord))
        requests = (ImportTranscript(session=session, records=part, project=project, agent=agent) for part in parts)
        return await self._append(transport, requests)

    async def append(self, transport: Transport, entries: Sequence[Entry | Mapping[str, object]]) -> Appended:
        """Append entries in as many requests as they need; return what came of all of them together."""
        requests = (Append(entries=part) for part in chunked(several("entries", entries, Entry, read=Events())))
        return await self._append(transport, requests)

    async def _append(self, transport: Transport, requests: Iterable[Request[Appended]]) -> Appended:
        done = [await self.call(transport, request) for request in requests] or [Appended(last=0, stored=0)]
        return Appended(
            last=done[-1].last,
            stored=sum(part.stored for part in done),
            known=sum(part.known for part in done),
            left_out=sum(part.left_out for part in done),
        )
