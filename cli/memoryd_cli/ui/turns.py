"""The latest turns of all sessions: what was said, what that brought up, and what was written meanwhile."""

from collections.abc import Iterable, Iterator
from datetime import datetime

import msgspec

from memoryd_cli.base.decisions import asked_again
from memoryd_client.wire.memory import Memory
from memoryd_client.wire.traces import SAME_CONTEXT, CandidateTrace, Trace
from memoryd_client.wire.transcripts import SessionInfo

MOST_TURNS = 500
"""Kept in memory; the sessions themselves have all of them."""


class Written(msgspec.Struct, frozen=True):
    """A write that was heard of."""

    event: str
    """As the history names it: ADD, UPDATE, DELETE, ..."""
    memory_id: str
    text: str
    session: str = ""
    project: str = ""
    agent: str = ""

    @classmethod
    def of(cls, event: str, memory: Memory) -> "Written":
        """Return a write to a memory that is there."""
        text = memory.title or memory.content
        return cls(event, memory.id, text, memory.session, memory.project, memory.agent)


class LiveTurn(msgspec.Struct):
    """One turn of a session, or a write that belongs to none."""

    key: str
    session: str
    number: int
    at: str = ""
    """ISO 8601, UTC."""
    trace: Trace | None = None
    """The latest decision."""
    brought: dict[str, CandidateTrace] = msgspec.field(default_factory=dict[str, CandidateTrace])
    """What any decision of the turn brought up, by id."""
    handed: set[str] = msgspec.field(default_factory=set[str])
    """Ids of the memories that the agent was given."""
    written: list[Written] = msgspec.field(default_factory=list[Written])
    project: str = ""
    agent: str = ""

    @property
    def said(self) -> str:
        """What was asked, shortened; nothing where only a write is known."""
        return self.trace.focus if self.trace else ""

    @property
    def kept(self) -> list[CandidateTrace]:
        """What was brought up, the best first."""
        return _best_first(self.brought.values())

    @property
    def passed_over(self) -> list[CandidateTrace]:
        """What came into question and was left out, the best first."""
        found = self.trace.candidates if self.trace else ()
        return _best_first(one for one in found if one.id not in self.brought)


class TurnFilter(msgspec.Struct, frozen=True):
    """Which turns are shown; what is empty lets all pass."""

    session: str = ""
    project: str = ""
    agent: str = ""

    def passes(self, turn: LiveTurn) -> bool:
        """Return whether a turn is to be shown."""
        return (
            self.session in {"", turn.session} and self.project in {"", turn.project} and self.agent in {"", turn.agent}
        )


class TurnLog:
    """The latest turns, in the order in which they began."""

    def __init__(self, most: int = MOST_TURNS) -> None:
        self._most = most
        self._turns: dict[str, LiveTurn] = {}
        self._last: dict[str, str] = {}
        """The key of each session's latest turn."""
        self._places: dict[str, tuple[str, str]] = {}
        """Each session's project and agent."""
        self._alone = 0

    def __iter__(self) -> Iterator[LiveTurn]:
        return iter(self._turns.values())

    def __len__(self) -> int:
        return len(self._turns)

    def get(self, key: str) -> LiveTurn | None:
        """Return a turn that is still kept."""
        return self._turns.get(key)

    def decided(self, trace: Trace) -> None:
        """Note what a context brought up: beside what those of the same turn did before.

        The latest is shown; where a context came again, the decision on it, which says so.
        """
        turn = self._turn(trace.session, trace.turn)
        turn.brought.update((one.id, one) for one in trace.candidates if one.kept)
        before = turn.trace
        again = before is not None and before.outcome == SAME_CONTEXT
        if before is None:
            turn.trace = trace
        elif trace.outcome == SAME_CONTEXT:
            turn.trace = before if again else asked_again(before)
        elif trace.at >= turn.at:
            turn.trace = trace
        elif again:
            turn.trace = asked_again(trace)
        turn.at = max(turn.at, trace.at)

    def handed_over(self, session: str, number: int, memory_ids: Iterable[str]) -> None:
        """Note which memories an agent was given: in the latest turn that brought them up where no session is named."""
        given = set(memory_ids)
        if not session:
            turns = (one for one in self if one.number == number and given & one.brought.keys())
            session = max(turns, key=lambda turn: turn.at, default=LiveTurn("", "", 0)).session
        if session:
            self._turn(session, number).handed |= given

    def wrote(self, written: Written, at: str) -> None:
        """Note a write: with the latest turn of its session, or by itself."""
        turn = self._turns.get(self._last.get(written.session, ""))
        if turn is None or not written.session:
            self._alone += 1
            turn = self._keep(LiveTurn(f"write {self._alone}", written.session, 0, at))
            turn.project, turn.agent = written.project, written.agent
        if written not in turn.written:
            turn.written.append(written)

    def wrote_before(self, memories: Iterable[Memory]) -> None:
        """Note what was stored before anybody listened: with the last turn of its session before it."""
        known = {one.memory_id for turn in self for one in turn.written}
        for memory in memories:
            turns = [
                turn
                for turn in self
                if turn.session == memory.session
                and turn.trace
                and datetime.fromisoformat(turn.at) <= memory.created_at
            ]
            if turns and memory.session and memory.id not in known:
                max(turns, key=lambda turn: turn.at).written.append(Written.of("ADD", memory))

    def places(self, sessions: Iterable[SessionInfo]) -> None:
        """Learn where sessions are held, and by whom."""
        self._places.update((one.session, (one.project, one.agent)) for one in sessions)
        for turn in self._turns.values():
            turn.project, turn.agent = self._places.get(turn.session, (turn.project, turn.agent))

    def unplaced(self) -> bool:
        """Return whether there is a turn of a session that nothing is known about."""
        return any(turn.session and turn.session not in self._places for turn in self._turns.values())

    def values(self, name: str) -> list[str]:
        """Return what there is to filter by: the sessions, projects or agents of the turns."""
        return sorted({str(getattr(turn, name)) for turn in self._turns.values()} - {""})

    def _turn(self, session: str, number: int) -> LiveTurn:
        key = f"{session} {number}"
        turn = self._turns.get(key)
        if turn is None:
            turn = self._keep(LiveTurn(key, session, number))
            turn.project, turn.agent = self._places.get(session, ("", ""))
            self._last[session] = key
        return turn

    def _keep(self, turn: LiveTurn) -> LiveTurn:
        self._turns[turn.key] = turn
        while len(self._turns) > self._most:
            del self._turns[next(iter(self._turns))]
        return turn


def _best_first(found: Iterable[CandidateTrace]) -> list[CandidateTrace]:
    return sorted(found, key=lambda one: -one.score)
