"""What the daemon knows of one session, and the rules by which it changes.

Pure: no clock, no disk. The recall actor feeds it, the ledger keeps its encoded form across restarts.
"""

from collections.abc import Iterable, Sequence, Set

import msgspec

from memoryd_actors.searching.near_identical import adds_nothing, told_again
from memoryd_client.wire.context import MAX_TURN
from memoryd_client.wire.pending import PendingMemory, SurfacedMemory

MAX_REMEMBERED_CLIENTS = 32
MAX_REMEMBERED_WRITES = 500
MAX_REMEMBERED_CAPTURES = 500
"""The state is saved whole, with every take: it has to stay small."""


class Found(msgspec.Struct, frozen=True):
    """A memory that waits to be taken, and the turn that brought it up."""

    memory: SurfacedMemory
    turn: int


class Taking(msgspec.Struct, frozen=True):
    """The last answer to a take, kept so that asking again gets it again."""

    take_id: str
    pending: PendingMemory | None


class SessionState(msgspec.Struct):
    """State of one session (seed 004, MEMORY AGENT: last context, surfaced memories, turn count)."""

    turn: int = 0
    reset_at_turn: int = 0
    """The turn at which the surfaced set was last cleared."""
    topic_turn: int = 0
    """The turn at which the topic changed last."""
    fingerprint: str = ""
    """Of the last context that was decided."""
    surfaced: dict[str, int] = {}
    """Memories handed over since the last reset, and on which turn."""
    written: dict[str, int] = {}
    """Memories this session stored itself since the last reset."""
    found: list[Found] = []
    last_taking: Taking | None = None
    told: int | None = None
    """The revision up to which the session has been told what changed; None: it has not been asked yet."""
    sequences: dict[str, int] = {}
    """Newest update seen of each client, so that an older one that arrives late is dropped."""
    standing: dict[str, str] = {}
    """Fingerprint of what is always in context, as it was handed over since the last reset; by agent and project."""
    consents: dict[str, int] = {}
    """Proposals that the session was told of, and on which turn: each is told once, whatever is reset."""
    captured: dict[str, int] = {}
    """Ids of what was captured from its messages, and on which turn: its contexts repeat them."""

    # --- turns and resets

    def is_late(self, client: str, sequence: int) -> bool:
        """Return whether a newer update of the same client came before this one, and note this one if not."""
        if not client or sequence <= 0:
            return False
        if sequence <= self.sequences.get(client, 0):
            return True
        self.sequences.pop(client, None)
        self.sequences[client] = sequence
        while len(self.sequences) > MAX_REMEMBERED_CLIENTS:
            del self.sequences[next(iter(self.sequences))]
        return False

    def begin_turn(self, turn: int | None, *, reset_turns: int) -> bool:
        """Count a user turn and return whether the surfaced set was reset, as it is every `reset_turns` turns.

        An agent's own count may only move forward; a smaller one (a new conversation under an old id) is ignored.
        """
        self.turn = min(max(self.turn + 1, turn or 0), 2 * MAX_TURN)
        if self.turn - self.reset_at_turn < reset_turns:
            return False
        self.surfaced.clear()
        self.written.clear()
        self.standing.clear()
        self.reset_at_turn = self.turn
        return True

    def change_topic(self, since: int) -> None:
        """Begin a new topic with turn `since`: forget what was shown and found before; its own stays."""
        self.topic_turn = since
        self.surfaced = {memory: turn for memory, turn in self.surfaced.items() if turn >= since}
        self.found = [found for found in self.found if found.turn >= since]

    # --- what was found, until it is taken

    def waiting(self) -> set[str]:
        """Return the ids that are found and not yet taken."""
        return {found.memory.id for found in self.found}

    def add(self, memories: Iterable[SurfacedMemory], *, keep: int, pending_turns: int) -> None:
        """Merge what this turn brought up with what still waits; drop the expired, keep the best `keep`.

        A memory found again keeps its better score and counts as found now. What was shown or stored while the turn was
        being decided is left out, and what adds nothing to what waits or was handed over last.
        """
        memories = [one for one in memories if one.id not in self.surfaced and one.id not in self.written]
        best = {found.memory.id: found for found in self.found if self.turn - found.turn < pending_turns}
        last = self.last_taking.pending if self.last_taking else None
        shown = [told_again(one) for one in last.memories if one.id in self.surfaced] if last else []
        for memory in memories:
            known = [told_again(found.memory) for other, found in best.items() if other != memory.id]
            new = told_again(memory)
            if any(adds_nothing(new, one) for one in known + shown):
                continue
            before = best.get(memory.id)
            score = max(memory.score, before.memory.score) if before else memory.score
            best[memory.id] = Found(msgspec.structs.replace(memory, score=score), self.turn)
        self.found = sorted(best.values(), key=lambda found: (-found.memory.score, found.memory.id))[:keep]

    def held(self) -> set[str]:
        """Return the ids of the memories whose words are in here: found, or handed over last."""
        shown = self.last_taking.pending if self.last_taking else None
        asked = shown.consents if shown else ()
        memories = (*self.best(), *((*shown.memories, *shown.always) if shown else ()))
        return {*asked, *(one for memory in memories for one in (memory.id, *(near.id for near in memory.related)))}

    def withdraw(self, ids: Iterable[str]) -> None:
        """Drop memories that are no longer true or visible."""
        gone = set(ids)
        self.found = [found for found in self.found if found.memory.id not in gone]

    def purge(self, ids: Iterable[str]) -> None:
        """Forget memories that were destroyed, and the last answer where it showed one of them."""
        gone = set(ids)
        self.withdraw(gone)
        self.found = [msgspec.structs.replace(one, memory=_without(one.memory, gone)) for one in self.found]
        self.surfaced = {one: turn for one, turn in self.surfaced.items() if one not in gone}
        self.written = {one: turn for one, turn in self.written.items() if one not in gone}
        self.consents = {one: turn for one, turn in self.consents.items() if one not in gone}
        taken = self.last_taking
        shown = taken.pending if taken is not None else None
        if taken is not None and shown is not None and gone & {*shown.consents, *handed_over(shown)}:
            self.last_taking = Taking(taken.take_id, None)

    def expire(self, *, pending_turns: int) -> None:
        """Drop what waited for too many turns."""
        self.found = [found for found in self.found if self.turn - found.turn < pending_turns]

    def note_written(self, ids: Iterable[str]) -> None:
        """Remember that the session stored these itself; the newest `MAX_REMEMBERED_WRITES` of them."""
        self.written.update(dict.fromkeys(ids, self.turn))
        for memory_id in list(self.written)[:-MAX_REMEMBERED_WRITES]:
            del self.written[memory_id]

    def note_captured(self, memory_id: str) -> None:
        """Remember what was captured from the session; the newest `MAX_REMEMBERED_CAPTURES`."""
        self.captured[memory_id] = self.turn
        for one in list(self.captured)[:-MAX_REMEMBERED_CAPTURES]:
            del self.captured[one]

    def become(self, other: "SessionState") -> None:
        """Take over the state that another daemon saved. What was answered here last stays: it may be asked for again.

        Whoever is deciding about this session holds on to this very object.
        """
        answered = self.last_taking or other.last_taking
        for name in self.__struct_fields__:
            setattr(self, name, getattr(other, name))
        self.last_taking = answered

    def join(self, other: "SessionState") -> None:
        """Take in what another daemon saved meanwhile, without losing what was not saved here yet.

        What one of the two has shown, the other does not show again; what either found waits.
        """
        mine = msgspec.structs.replace(self)
        newer = other if other.reset_at_turn > mine.reset_at_turn else mine
        older = mine if newer is other else other
        self.become(newer)
        self.turn = max(mine.turn, other.turn)
        self.topic_turn = max(mine.topic_turn, other.topic_turn)
        self.told = max(one for one in (mine.told, other.told, -1) if one is not None)
        self.told = None if self.told < 0 else self.told
        since = max(self.reset_at_turn, self.topic_turn)
        self.surfaced = {one: turn for one, turn in _latest(mine.surfaced, other.surfaced).items() if turn >= since}
        written = _latest(mine.written, other.written)
        self.written = {one: turn for one, turn in written.items() if turn >= self.reset_at_turn}
        self.sequences = _latest(mine.sequences, other.sequences)
        self.consents = _latest(mine.consents, other.consents)
        self.captured = _latest(mine.captured, other.captured)
        if older.reset_at_turn == newer.reset_at_turn:
            self.standing = {**mine.standing, **other.standing}
        found = {one.memory.id: one for one in sorted((*older.found, *newer.found), key=lambda one: one.turn)}
        self.found = [one for one in found.values() if one.memory.id not in self.surfaced and one.turn >= since]
        self.found.sort(key=lambda one: (-one.memory.score, one.memory.id))

    def repeated_take(self, take_id: str) -> Taking | None:
        """Return the earlier answer where `take_id` was answered before."""
        last = self.last_taking
        return last if last is not None and last.take_id == take_id else None

    def take(self, take_id: str, pending: PendingMemory | None, *, revision: int | None = None) -> None:
        """Hand over what was found: only now does it count as surfaced. What had no room waits on.

        With it goes what changed up to `revision`.
        """
        if revision is not None and pending is not None:
            self.told = revision
        handed = set(handed_over(pending)) if pending is not None else set[str]()
        self.surfaced.update(dict.fromkeys(handed, self.turn))
        self.withdraw(handed)
        if pending is not None:
            self.consents.update(dict.fromkeys(pending.consents, self.turn))
            for memory_id in list(self.consents)[:-MAX_REMEMBERED_WRITES]:
                del self.consents[memory_id]
        self.last_taking = Taking(take_id, pending)

    def tell(self, since: int, revision: int) -> bool:
        """Count as told what changed after `since`, up to `revision`; False where somebody was told of it meanwhile."""
        if self.told != since:
            return False
        self.told = revision
        return True

    def note_standing(self, whose: str, fingerprint: str) -> None:
        """Remember what is always in context, as an agent knows it now."""
        self.standing.pop(whose, None)
        self.standing[whose] = fingerprint
        while len(self.standing) > MAX_REMEMBERED_CLIENTS:
            del self.standing[next(iter(self.standing))]

    def best(self) -> Sequence[SurfacedMemory]:
        """Return what waits, best first."""
        return [found.memory for found in self.found]


def handed_over(pending: PendingMemory) -> list[str]:
    """Return the memories that a text shows, those beside others included; not what is always in context."""
    return [one for memory in pending.memories for one in (memory.id, *(beside.id for beside in memory.related))]


def _without(memory: SurfacedMemory, gone: Set[str]) -> SurfacedMemory:
    kept = tuple(one for one in memory.related if one.id not in gone)
    return memory if len(kept) == len(memory.related) else msgspec.structs.replace(memory, related=kept)


def _latest(mine: dict[str, int], other: dict[str, int]) -> dict[str, int]:
    """Return all that either has, with the later number."""
    both = {**other, **mine}
    return {one: max(mine.get(one, 0), other.get(one, 0)) for one in both}


encode_state = msgspec.msgpack.Encoder().encode
decode_state = msgspec.msgpack.Decoder(SessionState).decode
