"""The end of a transcript, which says of what comes in whether it is there already."""

from collections import Counter, OrderedDict, deque
from collections.abc import Sequence
from typing import TypeVar

import msgspec

from memoryd_actors.conversations.overlap import fingerprint, new_after, new_places
from memoryd_actors.ports.transcripts import Key, Transcripts

Id = TypeVar("Id")
Value = TypeVar("Value")
TAIL = 1_000
"""Entries at the end of a transcript that a push is compared with: as many messages as one may carry."""
TAILS = 256
"""Sessions whose ends stay in memory: 60 KB each."""
TAIL_CHARACTERS = 4 * 1024 * 1024
LONG = 8_000
"""Characters from which a message is recognised by its end, where a context had to be cut:"""
END = 4_000
"""by this much of it."""


class Tail(msgspec.Struct):
    """The end of a transcript, as pushes are compared with it."""

    last: int = 0
    """The number of the transcript's newest entry."""
    said: deque[int] = msgspec.field(default_factory=lambda: deque(maxlen=TAIL))
    """Fingerprints."""
    unclaimed: Counter[int] = msgspec.field(default_factory=Counter)
    """Came by push, and nobody has appended them since."""
    claimed: OrderedDict[str, None] = msgspec.field(default_factory=OrderedDict)
    """Ids of appended entries that a push had brought before."""
    withheld: OrderedDict[str, str] = msgspec.field(default_factory=OrderedDict)
    """Ids of tool calls whose results are not to be kept, and why."""
    seen: OrderedDict[int, int | None] = msgspec.field(default_factory=OrderedDict)
    """What pushed messages are by fingerprint, so that each is cleaned once; None where nothing of it is kept."""
    ends: OrderedDict[int, int] = msgspec.field(default_factory=OrderedDict)
    """What long pushed messages are by fingerprint, by their ends: a client cuts off beginnings."""
    window: tuple[int, ...] = ()
    """What was pushed last."""
    client: str = ""
    """Who pushed it."""
    since: list[int] = msgspec.field(default_factory=list[int])
    """What was appended that no push has brought."""

    def add(self, said: int, *, pushed: bool) -> None:
        """Note what is at the end now."""
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

    def new(self, client: str, window: Sequence[int]) -> list[int]:
        """Return at which places of a pushed window there is something that is not in the transcript."""
        places = new_after(self.window, self.since, window) if self.client == client != "" else None
        return new_places(list(self.said), window) if places is None else places

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

    def withhold(self, call_id: str, why: str) -> None:
        """Note that the result of a tool call is not to be kept."""
        _bounded(self.withheld, call_id, why)

    def saw(self, message: int, said: int | None) -> None:
        """Note what a pushed message is by fingerprint."""
        _bounded(self.seen, message, said)

    def whole(self, role: str, content: str, said: int | None) -> int | None:
        """Return what a long message that may have lost its beginning is by fingerprint: what ended so before."""
        if said is None or len(content) < LONG:
            return said
        end = hash((role, content[-END:]))
        said = self.ends.get(end, said)
        _bounded(self.ends, end, said)
        return said


class Tails:
    """The ends of the sessions that were written to last, each read from its transcript where it is not known."""

    def __init__(self, transcripts: Transcripts) -> None:
        self._transcripts = transcripts
        self._tails: OrderedDict[Key, Tail] = OrderedDict()

    async def of(self, key: Key) -> Tail:
        """Return the end of a transcript, as it was when it was last looked at."""
        tail = self._tails.get(key)
        if tail is None:
            last = await self._transcripts.last(key)
            tail = Tail(last)
            after = max(0, last - TAIL)
            while last and (
                records := await self._transcripts.read(key, after=after, limit=TAIL, characters=TAIL_CHARACTERS)
            ):
                for record in records:
                    if not record.covers:
                        tail.add(fingerprint(record.kind, record.role, record.content), pushed=record.pushed)
                after = records[-1].sequence
                tail.last = max(last, after)
            self._tails[key] = tail
            while len(self._tails) > TAILS:
                self._tails.popitem(last=False)
        self._tails.move_to_end(key)
        return tail

    def drop(self, key: Key) -> None:
        """Have the end of a transcript read again."""
        self._tails.pop(key, None)


def _bounded(kept: "OrderedDict[Id, Value]", key: Id, value: Value) -> None:
    kept[key] = value
    while len(kept) > 2 * TAIL:
        kept.popitem(last=False)
