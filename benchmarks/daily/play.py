"""Plays a person's days through a real daemon and its client, and counts what the agent knew when it needed it."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import mean
from time import monotonic, sleep

from benchmarks.daily.data import QUIET, Person, Typed
from benchmarks.home import Running
from memoryd_client import Client, Message, NewMemory, Scope, Source
from memoryd_client.wire.pending import PendingMemory

CHARACTERS_PER_TOKEN = 4
PATIENCE_S = 60


@dataclass(slots=True)
class Played:
    """A turn, what was recalled for it, and what the agent had in its context then."""

    turn: Typed
    recalled: list[str]
    """By the names of the data; another memory, one that was captured on the way, by its own id."""
    context: frozenset[str]


@dataclass(slots=True)
class Week:
    """All sessions of a person, played once."""

    turns: list[Played] = field(default_factory=list[Played])
    characters: list[int] = field(default_factory=list[int])
    """Handed over in each session."""

    def figures(self) -> dict[str, float]:
        """Return the figures: shares of 1, and tokens a session."""
        needed = [name in played.context for played in self.turns for name in played.turn.relevant]
        recalled = [
            name in played.turn.relevant | played.turn.fine for played in self.turns for name in played.recalled
        ]
        quiet = {kind: [not played.recalled for played in self.turns if played.turn.kind == kind] for kind in QUIET}
        return {
            "in context": mean(needed),
            "right": mean(recalled) if recalled else 1.0,
            "quiet": mean(quiet["needless"]),
            "near quiet": mean(quiet["near"]),
            "tokens": mean(self.characters) / CHARACTERS_PER_TOKEN,
        }

    def by_kind(self) -> dict[str, float]:
        """Return the share of what was needed that was in context, by the kind of turn."""
        kinds: defaultdict[str, list[bool]] = defaultdict(list)
        for played in self.turns:
            for name in played.turn.relevant:
                kinds[played.turn.kind].append(name in played.context)
        return {kind: mean(found) for kind, found in sorted(kinds.items())}


def store(running: Running, person: Person) -> dict[str, str]:
    """Store a person's memories as agents do, and corrections as the person's own; return their names by their ids."""
    with Client(project=project(person), paths=running.paths, deadline_s=120) as client:
        stored = client.remember_many(
            [
                NewMemory(
                    content=memory.text,
                    category=memory.category,
                    scope=Scope.GLOBAL if memory.scope == "global" else Scope.PROJECT,
                    source=Source.USER if memory.category == "correction" else Source.AGENT,
                )
                for memory in person.memories
            ]
        )
        _wait(lambda: not client.status().busy, "the index to be up to date")
    return {memory.id: given.id for memory, given in zip(stored, person.memories, strict=True)}


def add_documents(running: Running, folder: Path) -> int:
    """Have a folder read as knowledge of every project; return how many passages that makes."""
    with Client(project="/documents", paths=running.paths, deadline_s=600) as client:
        read = client.add_knowledge(folder.absolute(), everywhere=True)
        _wait(lambda: not client.status().busy, "the index to be up to date")
    return sum(document.passages for document in read.documents)


def play(
    running: Running, person: Person, names: Mapping[str, str], *, week: int, told: Callable[[Played], None]
) -> Week:
    """Play all sessions, one after the other; memory is taken when the message that it is for has been decided."""
    result = Week()
    for session, turns in person.sessions():
        with Client(
            session=f"{person.name}-{week}-{session}", project=project(person), paths=running.paths, deadline_s=60
        ) as client:
            messages: list[Message] = []
            context: set[str] = set()
            characters = 0
            for number, turn in enumerate(turns, start=1):
                messages.append(Message("user", turn.user))
                client.push_acknowledged(messages, turn=number)
                _wait(partial(_decided, client, number), f"turn {number} of {session} to be decided")
                pending = client.take_pending(deadline_s=60)
                recalled = [names.get(memory.id, memory.id) for memory in pending.memories] if pending else []
                context |= {names.get(one, one) for one in _ids(pending)}
                characters += len(pending.text) if pending else 0
                played = Played(turn, recalled, frozenset(context))
                result.turns.append(played)
                told(played)
                messages.append(Message("assistant", turn.assistant))
            result.characters.append(characters)
    return result


def project(person: Person) -> str:
    """A person works on one project."""
    return f"/daily/{person.name}"


def _ids(pending: PendingMemory | None) -> Sequence[str]:
    if pending is None:
        return ()
    beside = [related.id for memory in pending.memories for related in memory.related]
    return [memory.id for memory in (*pending.memories, *pending.always)] + beside


def _decided(client: Client, turn: int) -> bool:
    return any(trace.turn == turn for trace in client.why())


def _wait(condition: Callable[[], object], what: str) -> None:
    until = monotonic() + PATIENCE_S
    while not condition():
        if monotonic() > until:
            raise RuntimeError(f"waited {PATIENCE_S} s for {what}")
        sleep(0.002)
