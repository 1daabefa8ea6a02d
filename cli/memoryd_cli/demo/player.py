"""Plays a conversation against a daemon as an agent would: take, push, answer, remember."""

from collections.abc import Iterator
from contextlib import ExitStack
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic, perf_counter
from types import TracebackType
from typing import Self

from memoryd_cli.demo.steps import ContextDecided, ContextPushed, DemoStep, MemoryRemembered, SessionBegan, Took, judged
from memoryd_cli.demo.transcript import DemoMessage, DemoTranscript, Note
from memoryd_client.base.paths import Paths
from memoryd_client.client import Client
from memoryd_client.wire.caller import SCRIPT
from memoryd_client.wire.context import Message
from memoryd_client.wire.events import PipelineRan
from memoryd_client.wire.traces import Trace

WINDOW = 12
"""Messages of the conversation that are pushed with each turn."""
DECISION_S = 20.0
"""How long a turn may take before the player goes on without its decision."""
_GLANCE_S = 0.5


class Player:
    """One conversation with one daemon."""

    def __init__(self, transcript: DemoTranscript, paths: Paths, *, project: str) -> None:
        self._transcript = transcript
        self._paths = paths
        self._project = project
        self._labels: dict[str, str] = {}

    def play(self) -> Iterator[DemoStep]:
        """Yield each step as it happens; a session's turns are numbered from 1."""
        last = {said.session: index for index, said in enumerate(self._transcript.said)}
        sessions: dict[str, _Session] = {}
        with _Listener(self._paths) as listener, ExitStack() as clients:
            for index, said in enumerate(self._transcript.said):
                session = sessions.get(said.session)
                if session is None:
                    # The blocking client, so that a push is measured as an agent pays for it.
                    client = Client(session=said.session, project=self._project, agent=SCRIPT, paths=self._paths)
                    session = sessions[said.session] = _Session(said.session, clients.enter_context(client))
                    yield SessionBegan(said.session, said.at.date().isoformat() if said.at else "")
                yield from self._said(session, said, listener)
                if last[said.session] == index and session.asked is not None:
                    yield self._take(session, session.asked)

    def _said(self, session: "_Session", said: DemoMessage, listener: "_Listener") -> Iterator[DemoStep]:
        session.messages.append(said.message)
        if said.message.role == "user":
            if session.asked is not None:
                yield self._take(session, session.asked)
            session.asked, session.turn = said, session.turn + 1
            begun = perf_counter()
            queued = session.client.push_context(session.messages[-WINDOW:], turn=session.turn)
            spent = perf_counter() - begun
            yield ContextPushed(
                turn=session.turn, text=said.message.content, queued=queued, push_us=round(spent * 1e6, 1)
            )
            decided = listener.decision(session, begun)
            if decided is not None:
                yield decided
        for note in said.notes:
            yield self._remember(session, said, note)

    def _take(self, session: "_Session", asked: DemoMessage) -> Took:
        """Take what the last turn brought up."""
        begun = perf_counter()
        pending = session.client.take_pending(deadline_s=5.0, strict=True)
        spent_ms = round((perf_counter() - begun) * 1e3, 3)
        memories = pending.memories if pending else ()
        labels = tuple(self._labels.get(memory.id, "") for memory in memories)
        session.standing.update(self._labels.get(memory.id, "") for memory in (pending.always if pending else ()))
        standing = tuple(sorted(session.standing - {""}))
        return Took(
            turn=session.turn,
            memories=memories,
            labels=labels,
            standing=standing,
            expects=asked.expects,
            outcome=judged(asked.expects, labels, quiet=asked.quiet, standing=standing),
            take_ms=spent_ms,
        )

    def _remember(self, session: "_Session", said: DemoMessage, note: Note) -> MemoryRemembered:
        memory = session.client.remember(
            note.content,
            category=note.category,
            scope=note.scope,
            title=note.title,
            tags=note.tags,
            importance=note.importance,
            speaker=note.speaker,
            files=note.files,
            trust=note.trust,
            occurred_at=said.at,
            source_session=said.session,
        )
        if note.label:
            self._labels[memory.id] = note.label
        # A search waits until the index has the memory. Between two real turns there is time enough for that.
        session.client.search(note.content, limit=1)
        return MemoryRemembered(memory, note.label)


class _Listener:
    """Hears of decisions on the events socket, in a thread of its own, so that the time of each is its true one."""

    def __init__(self, paths: Paths) -> None:
        self._client = Client(paths=paths)
        self._heard: SimpleQueue[tuple[Trace, float]] = SimpleQueue()
        self._thread = Thread(target=self._listen, name="events", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._client.close()
        self._thread.join()

    def decision(self, session: "_Session", begun: float) -> ContextDecided | None:
        """Wait until the pipeline has finished the session's turn; ask for its trace where no event tells of it."""
        key = session.name, session.turn
        deadline = monotonic() + DECISION_S
        while monotonic() < deadline:
            try:
                trace, heard = self._heard.get(timeout=_GLANCE_S)
            except Empty:
                for trace in session.client.why(1):
                    if (trace.session, trace.turn) == key:
                        return ContextDecided(trace=trace, pending_ms=None)
            else:
                if (trace.session, trace.turn) == key:
                    return ContextDecided(trace=trace, pending_ms=round((heard - begun) * 1e3, 3))
        return None

    def _listen(self) -> None:
        for event in self._client.events():
            if isinstance(event, PipelineRan):
                self._heard.put((event.trace, perf_counter()))


class _Session:
    """Where the player is in one session."""

    def __init__(self, name: str, client: Client) -> None:
        self.name = name
        self.client = client
        self.messages: list[Message] = []
        self.turn = 0
        self.standing: set[str] = set()
        """Labels of what stands in its context."""
        self.asked: DemoMessage | None = None
        """The last message of the user: what came of it is taken next."""
