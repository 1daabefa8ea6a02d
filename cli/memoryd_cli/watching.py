"""What the daemon is doing, in words: each event with the texts that it is about."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from memoryd_cli.base import render
from memoryd_cli.base.output import one_line, printable
from memoryd_client.base.errors import MemorydError
from memoryd_client.base.wording import sentence
from memoryd_client.wire.events import ContextFilled, Event, IndexProgress, PipelineRan, Surfaced, Warned, Wrote
from memoryd_client.wire.traces import CandidateTrace

if TYPE_CHECKING:
    from memoryd_client.client import Client

LONGEST = 160
"""Characters of a text that a line shows."""
LATEST = 20
"""Decisions among which one is looked for that was just told of."""
SOME = "a session"
"""Where the event does not say which."""
_INDENT = " " * 10


class EventTeller:
    """Tells events in lines. It asks the daemon for the texts that they do not have."""

    def __init__(self, client: "Client") -> None:
        self._client = client

    def whole(self, event: Event) -> Event:
        """Return an event with what the daemon tells only to who asks for it."""
        if not isinstance(event, PipelineRan) or event.trace.session:
            return event
        told = event.trace.turn, event.trace.at
        try:
            traces = self._client.why(LATEST)
        except MemorydError:  # it may not be told, or the daemon is gone
            traces = []
        return next((PipelineRan(one, event.owner) for one in traces if (one.turn, one.at) == told), event)

    def lines(self, event: Event) -> Iterator[str]:
        """Yield what happened, a line for each memory."""
        match event:
            case PipelineRan(trace):
                yield printable(f"pipeline  {trace.session or SOME} turn {trace.turn}: {_short(trace.focus)}")
                yield f"{_INDENT}{trace.outcome}; {render.timings(trace)}"
                yield from (_considered(candidate) for candidate in trace.candidates if candidate.kept)
                if passed := sum(not candidate.kept for candidate in trace.candidates):
                    yield f"{_INDENT}passed over {passed}"
            case Surfaced():
                yield printable(f"surfaced  {event.session or SOME} turn {event.turn}")
                yield from (f"{_INDENT}{self._text(memory_id)}" for memory_id in event.memories)
            case Wrote():
                yield f"wrote     {event.event} {self._text(event.memory_id)}"
            case Warned():
                yield printable(f"warning   {event.component}: {sentence(event.message, event.hint)}")
            case ContextFilled():
                whose = f"{event.session}, {event.agent or 'unnamed'}" if event.session else SOME
                yield printable(f"context   {whose}: {event.percent}% used, {event.tokens} of {event.budget} tokens")
            case IndexProgress():
                yield f"index     {event.applied} of {event.target}"

    def _text(self, memory_id: str) -> str:
        try:
            return _short(render.summary(self._client.get(memory_id)))
        except MemorydError:  # it is gone again, or the daemon is
            return memory_id


def _considered(candidate: CandidateTrace) -> str:
    return f"{_INDENT}brings up {_short(candidate.summary)} ({one_line(candidate.reason)})"


def _short(text: str) -> str:
    line = one_line(text)
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"
