"""What of a conversation fits into a context, and when it is time to compact it. Pure.

A tool call and the results that come before the user speaks again are one piece: models refuse one without the other.
A result that comes later is a piece by itself: call and result are then told in words.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import Annotated, Final, Literal

import msgspec

Tokens = Annotated[int, msgspec.Meta(ge=256)]
Pressure = Literal["none", "suggested", "due", "overdue"]
"""none: all is well. suggested: past the soft limit. due: past the threshold of compaction. overdue: past the hard
limit, the oldest are left out."""

LONGEST_PIECE: Final = 64
"""Entries of a piece at most: what an agent does by itself for hours is not one piece."""


class WindowSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How much of a conversation goes into a context, and when it is compacted."""

    turns: Annotated[int, msgspec.Meta(ge=1)] = 50
    """Recent turns of the user, with all that was said in them."""
    tokens: Tokens = 8_000
    """Size of a context that names no budget of its own."""
    soft_limit: Tokens = 80_000
    """Tokens not compacted yet from which compaction is suggested."""
    compact_from: Tokens = 100_000
    """Tokens from which it is done by itself."""
    hard_limit: Tokens = 160_000
    """Tokens that a context never exceeds: the oldest are left out."""
    protected: Tokens = 20_000
    """Of the most recent tokens, so many at least are never compacted."""
    timestamps: bool = False
    """Whether the messages of user and assistant begin with when they were said: `[2026-01-17T09:30:00Z]`."""
    warn_at: Annotated[int, msgspec.Meta(ge=10, le=100)] = 75
    """Percent of its budget from which a context says in itself how full it is, and a warning is logged and told."""
    summary_tokens: Annotated[int, msgspec.Meta(ge=64, le=3_000)] = 1_200
    """Size of the summary that takes the place of what is compacted."""


class WindowItem(msgspec.Struct, frozen=True):
    """One entry of a transcript, as far as its size matters."""

    sequence: int
    kind: str
    """message, tool_call or tool_result."""
    role: str
    tokens: int
    call_id: str = ""
    """What ties a tool's call and its results together."""

    @property
    def begins_turn(self) -> bool:
        """Whether the user says it."""
        return self.kind == "message" and self.role == "user"

    @property
    def is_spoken(self) -> bool:
        """Whether user or assistant say it."""
        return self.kind == "message" and self.role in {"user", "assistant"}


class Piece(msgspec.Struct, frozen=True):
    """Entries that go together or not at all."""

    items: tuple[WindowItem, ...]

    @property
    def tokens(self) -> int:
        """The size of all of them."""
        return sum(item.tokens for item in self.items)

    @property
    def turns(self) -> int:
        """How many turns of the user begin in it."""
        return sum(item.begins_turn for item in self.items)


class Caps(msgspec.Struct, frozen=True):
    """Tokens to which one entry is cut: what a tool gave back, and everything else."""

    tool: int
    other: int
    stamp: int = 0
    """What stands before what user and assistant say, beside that."""

    def of(self, item: WindowItem) -> int:
        """Return how many tokens an entry has in the context."""
        return self.without_stamp(item) + self.stamp_of(item)

    def without_stamp(self, item: WindowItem) -> int:
        """Return how many tokens an entry has without what stands before it."""
        return min(item.tokens, self.other if item.kind == "message" and item.role != "tool" else self.tool)

    def stamp_of(self, item: WindowItem) -> int:
        """Return how many tokens stand before an entry."""
        return self.stamp if item.is_spoken else 0

    def cost(self, piece: Piece) -> int:
        """Return how many tokens a piece has in the context."""
        return sum(map(self.of, piece.items))


class Conversation:
    """The entries that are not compacted, in order, cut into pieces as they come.

    From a tool's call to the last of its results everything is one piece: calls that run at once overlap. A message of
    the user, or `LONGEST_PIECE`, ends it: what comes later is a piece by itself. A result without an id belongs to the
    call or result right before it; an id that is used again begins a new call.
    """

    def __init__(self, items: Iterable[WindowItem] = ()) -> None:
        self.tokens = 0
        self.spoken = 0
        """Messages of user and assistant."""
        self._items: list[WindowItem] = []
        self._begins: list[int] = []
        """Where each piece begins."""
        self._calls: dict[str, int] = {}
        """Where the latest call of each id is, of those made since the user spoke."""
        for item in items:
            self.add(item)

    def __len__(self) -> int:
        return len(self._items)

    @property
    def last(self) -> int:
        """The number of the newest entry; 0 where there is none."""
        return self._items[-1].sequence if self._items else 0

    @property
    def turns(self) -> int:
        """How many turns of the user there are."""
        return sum(item.begins_turn for item in self._items)

    def unanswered(self) -> int:
        """Return how many entries the newest turn of the user has, where it has no answer yet; else 0."""
        if not self._items or (self._items[-1].kind == "message" and self._items[-1].role == "assistant"):
            return 0
        return next((n for n, item in enumerate(reversed(self._items), start=1) if item.begins_turn), 0)

    def add(self, item: WindowItem) -> None:
        """Take in the next entry."""
        at = len(self._items)
        tied = at
        if item.begins_turn:
            self._calls.clear()
        elif item.kind == "tool_call" and item.call_id:
            self._calls[item.call_id] = at
        elif item.kind == "tool_result" and item.call_id:
            tied = self._calls.get(item.call_id, at)
        elif item.kind == "tool_result" and at and self._items[-1].kind in {"tool_call", "tool_result"}:
            tied = at - 1
        if tied < at and at - self._begins[bisect_right(self._begins, tied) - 1] >= LONGEST_PIECE:
            tied = at
        self._items.append(item)
        self.tokens += item.tokens
        self.spoken += item.is_spoken
        self._begins.append(at)
        while self._begins[-1] > tied:
            self._begins.pop()

    def pieces(self) -> list[Piece]:
        """Return the conversation in pieces, oldest first."""
        return list(self.newest_first())[::-1]

    def newest_first(self) -> Iterator[Piece]:
        """Yield the pieces from the end on."""
        end = len(self._items)
        for begin in reversed(self._begins):
            yield Piece(tuple(self._items[begin:end]))
            end = begin

    def without(self, sequence: int) -> "Conversation":
        """Return the conversation without the entries up to that number."""
        keep = bisect_right(self._items, sequence, key=lambda item: item.sequence)
        return Conversation(self._items[keep:])


def recent(said: Conversation, *, turns: int, tokens: int, caps: Caps) -> list[WindowItem]:
    """Return the end of a conversation: at most so many turns of the user and so many tokens, no piece divided.

    A single piece that is larger than the room is left out with all that is older: the caller says so.
    """
    kept: list[Piece] = []
    seen = 0
    room = tokens
    for piece in said.newest_first():
        cost = caps.cost(piece)
        if cost > room or seen >= turns:
            break
        room -= cost
        kept.append(piece)
        seen += piece.turns
    return [item for piece in reversed(kept) for item in piece.items]


def pressure(tokens: int, settings: WindowSettings) -> Pressure:
    """Return how urgent compaction is for so many tokens that are not compacted yet."""
    if tokens >= settings.hard_limit:
        return "overdue"
    if tokens >= settings.compact_from:
        return "due"
    return "suggested" if tokens >= settings.soft_limit else "none"


def to_compact(said: Conversation, settings: WindowSettings) -> list[WindowItem]:
    """Return the beginning of a conversation that a compaction takes: all but what is protected; no piece divided.

    The piece in which the protected tokens begin stays, too, unless it is so large that with it compaction would be due
    again at once. So does a turn that has no answer yet, where with it half of that room is left. The newest piece is
    never taken, however large.
    """
    cut = said.pieces()
    kept = 0
    while cut and kept < settings.protected:
        tokens = cut[-1].tokens
        if kept and settings.protected < kept + tokens >= settings.compact_from:
            break
        kept += tokens
        cut.pop()
    taken = [item for piece in cut for item in piece.items]
    begin = len(said) - said.unanswered()
    waits = sum(item.tokens for item in taken[begin:])
    return taken[:begin] if kept + waits <= settings.compact_from // 2 else taken
