"""What the daemon knows of one session, and the rules by which it changes.

Pure: no clock, no disk, and nothing changes in place. Each rule returns the state that follows, so that whoever waits
in the middle of a turn holds what was true when it began, and a turn that fails leaves nothing behind.
"""

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import TypeVar

import msgspec

from memoryd_actors.searching.near_identical import adds_nothing, told_again
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.context import MAX_TURN, ContextUpdate
from memoryd_client.wire.pending import PendingMemory, SurfacedMemory

MAX_REMEMBERED_CLIENTS = 32
MAX_REMEMBERED_WRITES = 500
MAX_REMEMBERED_CAPTURES = 500
MAX_REFUSED = 3
"""The state is saved whole, with every take: it has to stay small."""


class Found(msgspec.Struct, frozen=True):
    """A memory that waits to be taken, and the turn that brought it up."""

    memory: SurfacedMemory
    turn: int


class Taking(msgspec.Struct, frozen=True):
    """The last answer to a take, kept so that asking again gets it again."""

    take_id: str
    pending: PendingMemory | None


class Decided(msgspec.Struct, frozen=True, kw_only=True):
    """What a context changes in its session."""

    turn: int | None = None
    """The agent's own count, where it has one."""
    begins_turn: bool = True
    stands: int = 0
    """Turns that the pushed messages still show: what was handed over in them stands in the conversation."""
    since: int | None = None
    """The turn with which a new topic began; None where none did, or nobody has decided yet."""
    memories: tuple[SurfacedMemory, ...] = ()
    fingerprint: str = ""
    considered: int = 0
    """The ledger's newest change that it was held against."""


class SessionLimits(msgspec.Struct, frozen=True):
    """The settings by which a session's memory is bounded."""

    reset_turns: int = 50
    pending_turns: int = 10
    keep: int = 5


class SessionState(msgspec.Struct, frozen=True):
    """State of one session."""

    turn: int = 0
    reset_at_turn: int = 0
    """The turn at which the surfaced set was last cleared."""
    topic_turn: int = 0
    """The turn at which the topic changed last."""
    fingerprint: str = ""
    """Of the last context that was decided."""
    surfaced: Mapping[str, int] = {}
    """Memories handed over since the last reset, and on which turn."""
    written: Mapping[str, int] = {}
    """Memories this session stored itself since the last reset."""
    changed: Mapping[str, int] = {}
    """Memories this session changed itself, and the ledger's revision up to which it knows of them."""
    found: tuple[Found, ...] = ()
    last_taking: Taking | None = None
    told: int | None = None
    """The ledger's revision up to which the session has been told what changed; None: it has not been asked yet."""
    revision: int = 0
    """The session's own: how many change headers it was told."""
    sequences: Mapping[str, int] = {}
    """Newest update seen of each client, so that an older one that arrives late is dropped."""
    in_force: Mapping[str, Mapping[str, str]] = {}
    """By agent and project, the standing memory that it knows of: by id how it read, empty where it had no room."""
    consents: Mapping[str, int] = {}
    """Proposals that the session was told of, and on which turn: each is told once, whatever is reset."""
    captured: Mapping[str, int] = {}
    """Ids of what was captured from its messages, and on which turn: its contexts repeat them."""
    announced: Mapping[str, int] = {}
    """Memories of which a change header told, and on which turn."""
    destroyed: int = 0
    """How many of those that it was told of are purged, which it has not heard yet."""
    refused: tuple[str, ...] = ()
    """Why the latest that the user asked to have remembered here was not kept, which it has not heard yet."""
    considered: int = 0
    """The ledger's newest change that the last context was held against."""
    clearings: int = 0
    """How often the host has cleared its context."""

    # --- turns and resets

    def is_late(self, client: str, sequence: int) -> bool:
        """Return whether a newer update of the same client came before this one."""
        return bool(client) and 0 < sequence <= self.sequences.get(client, 0)

    def note_update(self, client: str, sequence: int) -> "SessionState":
        """Remember the newest update of a client."""
        if not client or sequence <= 0:
            return self
        others = {one: number for one, number in self.sequences.items() if one != client}
        return msgspec.structs.replace(self, sequences=_newest({**others, client: sequence}, MAX_REMEMBERED_CLIENTS))

    def begin_turn(self, turn: int | None, *, reset_turns: int, stands: int = 0) -> "SessionState":
        """Count a user turn; every `reset_turns` turns what was shown may be shown again, if it does not stand there.

        An agent's own count may only move forward; a smaller one (a new conversation under an old id) is ignored.
        """
        state = msgspec.structs.replace(self, turn=min(max(self.turn + 1, turn or 0), 2 * MAX_TURN))
        if state.turn - self.reset_at_turn < reset_turns:
            return state
        shown = _since(self.surfaced, state.turn - stands)
        return msgspec.structs.replace(state, surfaced=shown, written={}, reset_at_turn=state.turn)

    def change_topic(self, since: int, *, stands: int = 0) -> "SessionState":
        """Begin a new topic with turn `since`: forget what was shown and found before; its own stays.

        So does what was handed over in the last `stands` turns: it still stands in the conversation.
        """
        return msgspec.structs.replace(
            self,
            topic_turn=since,
            surfaced=_since(self.surfaced, min(since, self.turn - stands)),
            found=tuple(found for found in self.found if found.turn >= since),
        )

    def clear(self) -> "SessionState":
        """Forget what was shown and what is known to be in force: the host has taken it out of its context."""
        return msgspec.structs.replace(
            self, surfaced={}, written={}, in_force={}, fingerprint="", clearings=self.clearings + 1
        )

    def begin(self, decided: Decided, limits: SessionLimits) -> "SessionState":
        """Return the state in which a context is looked at: its turn has begun, what waited too long is gone."""
        state = self
        if decided.begins_turn:
            state = state.begin_turn(decided.turn, reset_turns=limits.reset_turns, stands=decided.stands)
        return state.expire(pending_turns=limits.pending_turns)

    def decide(self, decided: Decided, limits: SessionLimits) -> "SessionState":
        """Return the state after a context: its turn, its topic where that is decided, and what it brought up."""
        state = self.begin(decided, limits)
        if decided.since is not None:
            state = state.change_topic(decided.since, stands=decided.stands)
        state = state.add(decided.memories, keep=limits.keep, pending_turns=limits.pending_turns)
        return msgspec.structs.replace(state, fingerprint=decided.fingerprint, considered=decided.considered)

    # --- what was found, until it is taken

    def waiting(self) -> set[str]:
        """Return the ids that are found and not yet taken."""
        return {found.memory.id for found in self.found}

    def add(self, memories: Iterable[SurfacedMemory], *, keep: int, pending_turns: int) -> "SessionState":
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
        ranked = sorted(best.values(), key=lambda found: (-found.memory.score, found.memory.id))
        return msgspec.structs.replace(self, found=tuple(ranked[:keep]))

    def known(self, whose: str) -> set[str]:
        """Return the memories that an agent has before it: shown, stored by itself, or in force."""
        in_force = (memory for memory, read in self.in_force.get(whose, {}).items() if read)
        return {*self.surfaced, *self.written, *in_force}

    def held(self) -> set[str]:
        """Return the ids of the memories whose words are in here: found, or handed over last."""
        shown = self.last_taking.pending if self.last_taking else None
        asked = shown.consents if shown else ()
        memories = (*self.best(), *((*shown.memories, *shown.always) if shown else ()))
        return {*asked, *(one for memory in memories for one in (memory.id, *(near.id for near in memory.related)))}

    def withdraw(self, ids: Iterable[str]) -> "SessionState":
        """Drop memories that are no longer true or visible."""
        gone = set(ids)
        return msgspec.structs.replace(self, found=tuple(found for found in self.found if found.memory.id not in gone))

    def purge(self, ids: Iterable[str]) -> "SessionState":
        """Forget memories that were destroyed, and the last answer where it showed one of them."""
        gone = set(ids)
        state = self.withdraw(gone)
        taken = self.last_taking
        shown = taken.pending if taken is not None else None
        if taken is not None and shown is not None and gone & {*shown.consents, *handed_over(shown), *in_force(shown)}:
            taken = Taking(taken.take_id, None)
        in_force_read = {one for memories in self.in_force.values() for one, read in memories.items() if read}
        told = {*self.surfaced, *self.announced, *in_force_read} - {*self.written}
        return msgspec.structs.replace(
            state,
            announced=_less(self.announced, gone),
            destroyed=self.destroyed + len(told & gone),
            refused=(),  # they may name what is gone
            found=tuple(msgspec.structs.replace(one, memory=_without(one.memory, gone)) for one in state.found),
            surfaced=_less(self.surfaced, gone),
            written=_less(self.written, gone),
            changed=_less(self.changed, gone),
            consents=_less(self.consents, gone),
            in_force={whose: _less(memories, gone) for whose, memories in self.in_force.items()},
            last_taking=taken,
        )

    def without_reasons(self) -> "SessionState":
        """Forget why anything was found: a model may have said it in the words of what was destroyed."""
        taken = self.last_taking
        if taken is not None and taken.pending is not None:
            pending = msgspec.structs.replace(taken.pending, memories=tuple(map(_unexplained, taken.pending.memories)))
            taken = Taking(taken.take_id, pending)
        found = tuple(msgspec.structs.replace(one, memory=_unexplained(one.memory)) for one in self.found)
        return msgspec.structs.replace(self, found=found, last_taking=taken)

    def expire(self, *, pending_turns: int) -> "SessionState":
        """Drop what waited for too many turns."""
        return msgspec.structs.replace(
            self, found=tuple(found for found in self.found if self.turn - found.turn < pending_turns)
        )

    def note_written(self, ids: Iterable[str]) -> "SessionState":
        """Remember that the session stored these itself; the newest `MAX_REMEMBERED_WRITES` of them."""
        written = {**self.written, **dict.fromkeys(ids, self.turn)}
        return msgspec.structs.replace(self, written=_newest(written, MAX_REMEMBERED_WRITES))

    def note_changed(self, ids: Iterable[str], revision: int) -> "SessionState":
        """Remember that the session changed these itself; the newest `MAX_REMEMBERED_WRITES` of them."""
        changed = {**self.changed, **dict.fromkeys(ids, revision)}
        return msgspec.structs.replace(self, changed=_newest(changed, MAX_REMEMBERED_WRITES))

    def note_captured(self, memory_id: str, *, refused: str = "") -> "SessionState":
        """Remember what was captured from the session, or why it was not kept; the newest `MAX_REMEMBERED_CAPTURES`."""
        captured = {**self.captured, memory_id: self.turn}
        return msgspec.structs.replace(
            self,
            captured=_newest(captured, MAX_REMEMBERED_CAPTURES),
            refused=(*self.refused, refused)[-MAX_REFUSED:] if refused else self.refused,
        )

    def notices(self) -> tuple[str, ...]:
        """Return what the session is to hear beside what changed: what was not kept, and what is gone for good."""
        told = tuple(f"✗not kept, though the user asked for it (tell them): {why}" for why in self.refused)
        some = "a memory" if self.destroyed == 1 else f"{self.destroyed} memories"
        return (*told, f"✗destroyed: {some} that you were told of before") if self.destroyed else told

    def become(self, other: "SessionState") -> "SessionState":
        """Return the state that another daemon saved; what was answered here last stays: it may be asked for again."""
        return msgspec.structs.replace(other, last_taking=self.last_taking or other.last_taking)

    def join(self, other: "SessionState") -> "SessionState":
        """Take in what another daemon saved meanwhile, without losing what was not saved here yet.

        What one of the two has shown, the other does not show again; what either found waits.
        """
        newer = other if _reset(other) > _reset(self) else self
        older = self if newer is other else other
        told = max((one for one in (self.told, other.told) if one is not None), default=None)
        reset, topic = newer.reset_at_turn, max(self.topic_turn, other.topic_turn)
        same = older.clearings == newer.clearings
        surfaced = _latest(self.surfaced, other.surfaced) if same else newer.surfaced
        surfaced = _since(surfaced, max(reset, topic)) | _since(newer.surfaced, reset)
        found = {one.memory.id: one for one in sorted((*older.found, *newer.found), key=lambda one: one.turn)}
        waits = [one for one in found.values() if one.memory.id not in surfaced and one.turn >= max(reset, topic)]
        in_force = {
            whose: {**older.in_force.get(whose, {}), **newer.in_force.get(whose, {})}
            for whose in (*older.in_force, *newer.in_force)
        }
        return msgspec.structs.replace(
            self.become(newer),
            turn=max(self.turn, other.turn),
            topic_turn=topic,
            told=told,
            revision=max(self.revision, other.revision),
            surfaced=surfaced,
            written=_since(_latest(self.written, other.written) if same else newer.written, reset),
            sequences=_latest(self.sequences, other.sequences),
            changed=_latest(self.changed, other.changed),
            consents=_latest(self.consents, other.consents),
            captured=_latest(self.captured, other.captured),
            announced=_latest(self.announced, other.announced),
            destroyed=max(self.destroyed, other.destroyed),
            refused=tuple(dict.fromkeys((*older.refused, *newer.refused)))[-MAX_REFUSED:],
            in_force=in_force if same else newer.in_force,
            found=tuple(sorted(waits, key=lambda wait: (-wait.memory.score, wait.memory.id))),
        )

    def repeated_take(self, take_id: str) -> Taking | None:
        """Return the earlier answer where `take_id` was answered before."""
        last = self.last_taking
        return last if last is not None and last.take_id == take_id else None

    def take(
        self,
        take_id: str,
        pending: PendingMemory | None,
        *,
        revision: int | None = None,
        announced: Iterable[str] = (),
    ) -> "SessionState":
        """Hand over what was found: only now does it count as surfaced. What had no room waits on.

        With it goes what changed up to the ledger's `revision`, to memories that are `announced`.
        """
        if pending is None:
            return msgspec.structs.replace(self, last_taking=Taking(take_id, None))
        handed = set(handed_over(pending))
        return msgspec.structs.replace(
            self.withdraw(handed),
            told=self.told if revision is None else revision,
            revision=self.revision + bool(pending.changes),
            announced=_newest({**self.announced, **dict.fromkeys(announced, self.turn)}, MAX_REMEMBERED_WRITES),
            destroyed=0,
            refused=(),
            surfaced={**self.surfaced, **dict.fromkeys(sorted(handed), self.turn)},
            consents=_newest({**self.consents, **dict.fromkeys(pending.consents, self.turn)}, MAX_REMEMBERED_WRITES),
            last_taking=Taking(take_id, pending),
        )

    def tell(self, revision: int, *, changes: Sequence[str] = (), announced: Iterable[str] = ()) -> "SessionState":
        """Count as told what changed up to the ledger's `revision`, by this header where there was one."""
        known = {**self.announced, **dict.fromkeys(announced if changes else (), self.turn)}
        return msgspec.structs.replace(
            self,
            told=revision,
            revision=self.revision + bool(changes),
            announced=_newest(known, MAX_REMEMBERED_WRITES),
        )

    def note_in_force(self, whose: str, memories: Mapping[str, str]) -> "SessionState":
        """Remember which standing memory an agent knows of, and how it read."""
        others = {one: known for one, known in self.in_force.items() if one != whose}
        return msgspec.structs.replace(self, in_force=_newest({**others, whose: memories}, MAX_REMEMBERED_CLIENTS))

    def best(self) -> Sequence[SurfacedMemory]:
        """Return what waits, best first."""
        return [found.memory for found in self.found]


def whose_context(caller: Caller) -> str:
    """Return for whom it is kept what stands in the context: agents may see different things, so may projects."""
    return f"{caller.agent}\n{caller.project}"


def turns_shown(update: ContextUpdate) -> int:
    """Return how many turns before its own a context shows: what was handed over in them still stands there."""
    return max(sum(message.role == "user" for message in update.messages) - 1, 0)


def handed_over(pending: PendingMemory) -> list[str]:
    """Return the memories that a text shows, those beside others included; not what is always in context."""
    return [one for memory in pending.memories for one in (memory.id, *(beside.id for beside in memory.related))]


def in_force(pending: PendingMemory) -> list[str]:
    """Return the standing memory that a text shows."""
    return [memory.id for memory in pending.always]


def _reset(state: SessionState) -> tuple[int, int]:
    return state.clearings, state.reset_at_turn


def _without(memory: SurfacedMemory, gone: Set[str]) -> SurfacedMemory:
    kept = tuple(one for one in memory.related if one.id not in gone)
    return memory if len(kept) == len(memory.related) else msgspec.structs.replace(memory, related=kept)


def _unexplained(memory: SurfacedMemory) -> SurfacedMemory:
    return msgspec.structs.replace(memory, reason="")


def _latest(mine: Mapping[str, int], other: Mapping[str, int]) -> dict[str, int]:
    """Return all that either has, with the later number."""
    both = {**other, **mine}
    return {one: max(mine.get(one, 0), other.get(one, 0)) for one in both}


def _since(turns: Mapping[str, int], since: int) -> dict[str, int]:
    return {one: turn for one, turn in turns.items() if turn >= since}


V = TypeVar("V")


def _less(known: Mapping[str, V], gone: Set[str]) -> dict[str, V]:
    return {one: value for one, value in known.items() if one not in gone}


def _newest(known: Mapping[str, V], most: int) -> dict[str, V]:
    """Return the last `most` that were added."""
    return dict(list(known.items())[-most:])


encode_state = msgspec.msgpack.Encoder().encode
decode_state = msgspec.msgpack.Decoder(SessionState).decode
