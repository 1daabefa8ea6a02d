"""The Keeper: every write to memory passes through here, one at a time and in order."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import assert_never

import msgspec
from msgspec import UNSET

from memoryd_actors.access.visibility import Visibility
from memoryd_actors.actor import Actor
from memoryd_actors.admission.gate import Admitted, admit, signed
from memoryd_actors.admission.project_files import NO_FILES, ProjectFiles, named_files
from memoryd_actors.admission.project_rules import IgnoredFiles
from memoryd_actors.errors import Refused
from memoryd_actors.keeping.consent import ConsentSettings, decide, field_of, needs_consent
from memoryd_actors.keeping.consolidation import plan, plan_revised
from memoryd_actors.keeping.neighbours import Neighbours
from memoryd_actors.keeping.steps import (
    MERGED_INTO,
    RESERVED,
    SUPERSEDES,
    Absorb,
    Add,
    Advance,
    ChangeState,
    Decide,
    Patch,
    Relate,
    Revise,
    Step,
    Supersede,
    Undo,
    Unrelate,
)
from memoryd_actors.keeping.surroundings import Seen, Surroundings
from memoryd_actors.ports.clock import Clock
from memoryd_actors.ports.ledger import Ledger
from memoryd_actors.ports.publisher import Publisher
from memoryd_actors.recall.fence import one_line
from memoryd_actors.redaction import Rules, redact
from memoryd_actors.redaction.rules import DEFAULT
from memoryd_actors.upkeep.events import Happened
from memoryd_client.editing import Changes
from memoryd_client.memory import MAX_CONTENT_BYTES, Memory, NewMemory, State
from memoryd_client.messages import Caller, Filters, Wrote

log = logging.getLogger(__name__)

RULE = "rule"
NODE = "keeper"
"""Who writes, in the counts of events."""
PERSON = "cli"
"""What the command line signs with, unless it is told otherwise: the person at the keyboard."""
MOST_RULES = 500


@dataclass(frozen=True, slots=True)
class Store:
    """Store memories: all of them or none."""

    memories: tuple[NewMemory, ...]
    caller: Caller
    heard: bool = False
    """Whether memoryd found them in the user's own messages. Else what says that the user wrote it is the user's where
    it comes from the command line only."""


@dataclass(frozen=True, slots=True)
class Adopt:
    """Store memories that were admitted as whole as they came; one that is there already stays as it stands."""

    admitted: tuple[Admitted, ...]
    owner: str
    actor: str
    notes: Mapping[str, str]
    """For the history, beside what the gate did."""


@dataclass(frozen=True, slots=True)
class SetState:
    """Forget or restore one memory; `memory_id` may be shortened."""

    memory_id: str
    state: State
    caller: Caller


@dataclass(frozen=True, slots=True)
class Edit:
    """Change one memory; `memory_id` may be shortened. Refused where it is no longer at `revision`."""

    memory_id: str
    changes: Changes
    revision: int | None
    caller: Caller


@dataclass(frozen=True, slots=True)
class Link:
    """Make an edge between two memories, or remove it; ids may be shortened."""

    from_id: str
    to_id: str
    relation: str
    strength: float
    caller: Caller
    remove: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """The user's yes or no to a proposal; `memory_id` may be shortened."""

    memory_id: str
    approve: bool
    caller: Caller


@dataclass(frozen=True, slots=True)
class TakeBack:
    """Undo an operation."""

    operation: int
    caller: Caller


@dataclass(frozen=True, slots=True)
class Perform:
    """Perform steps that were decided elsewhere: by the worker, by consent."""

    owner: str
    steps: tuple[Step, ...]
    actor: str
    node: str = "worker"
    """Who decided them, in the counts of events."""


@dataclass(frozen=True, slots=True)
class Purge:
    """Destroy memories for good; ids must be whole."""

    ids: tuple[str, ...]
    owner: str
    actor: str


@dataclass(frozen=True, slots=True)
class Bring:
    """Store what a job found in a conversation, as far as it is admitted, and how far it is: in one transaction."""

    memories: tuple[NewMemory, ...]
    caller: Caller
    advances: tuple[Advance | Supersede, ...]
    """What is done with it."""
    node: str
    refused: Callable[[NewMemory, Refused], None]
    """Learns what was not admitted, and why; the others are stored nevertheless."""


KeeperMessage = Bring | Store | Adopt | SetState | Edit | Link | Answer | TakeBack | Perform | Purge


class Keeper(Actor[KeeperMessage, tuple[Memory, ...]]):
    """Admits, compares, stores and changes; answers once the ledger has it on disk."""

    def __init__(
        self,
        *,
        ledger: Ledger,
        neighbours: Neighbours,
        clock: Clock,
        publish: Publisher,
        on_change: Callable[[int], None],
        on_purge: Callable[[Sequence[str]], None],
        embedding_model: str,
        rules: Rules = DEFAULT,
        files: IgnoredFiles | None = None,
        consent: ConsentSettings = ConsentSettings(),  # noqa: B008 - frozen
    ) -> None:
        self._ledger = ledger
        self._surroundings = Surroundings(neighbours, clock)
        self._clock = clock
        self._publish = publish
        self._on_change = on_change
        self._on_purge = on_purge
        self._embedding_model = embedding_model
        self._rules = rules
        self._files = files
        self._consent = consent

    async def handle(self, message: KeeperMessage) -> tuple[Memory, ...]:
        """Return the memories as they now stand."""
        try:
            return await self._handle(message)
        except Refused:
            owner = message.caller.owner if not isinstance(message, Adopt | Perform | Purge) else message.owner
            node = message.node if isinstance(message, Perform) else NODE
            self._ledger.record([Happened(owner, node, _op(message), "error")])
            raise

    async def _handle(self, message: KeeperMessage) -> tuple[Memory, ...]:  # noqa: PLR0911 - one case a message
        match message:
            case Store():
                return await self._store(message)
            case Bring():
                return await self._bring(message)
            case Adopt():
                return await self._adopt(message)
            case SetState():
                return await self._set_state(message)
            case Edit():
                return await self._edit(message)
            case Link():
                return await self._link(message)
            case Answer():
                return await self._answer(message)
            case TakeBack():
                return (
                    await self._apply(message.caller.owner, [Undo(message.operation)], self._signed(message.caller))
                )[0]
            case Perform():
                return (await self._apply(message.owner, message.steps, message.actor, message.node))[0]
            case Purge():
                return await self._purge(message)
            case _:
                assert_never(message)

    # --- storing

    async def _store(self, message: Store) -> tuple[Memory, ...]:
        admitted = await self._admitted(message)
        actor = self._signed(message.caller)
        own_word = message.heard or message.caller.agent == PERSON
        if len(admitted) == 1:
            return await self._store_one(admitted[0], actor, own_word=own_word)
        watched = [decide(one.memory, self._consent, own_word=own_word) for one in admitted]
        if any(watched) or any(one.memory.category == RULE for one in admitted):
            steps = [
                self._patch(one, own_word=own_word) or Add(one.memory, _told(one), compared=False) for one in admitted
            ]
            return (await self._apply(admitted[0].memory.owner, steps, actor))[0]
        # Several are compared with what is there afterwards, in the background: an import waits for the disk only.
        notes = [_told(one) for one in admitted]
        stored, sequence = await self._ledger.insert([one.memory for one in admitted], actor=actor, notes=notes)
        self._on_change(sequence)
        for memory, (asked, _) in zip(stored, admitted, strict=True):
            event = "ADD" if memory.id == asked.id else "MERGE"
            self._publish(Wrote(event=event, memory_id=memory.id, owner=memory.owner))
        return tuple(stored)

    async def _bring(self, message: Bring) -> tuple[Memory, ...]:
        steps: list[Step] = []
        for new in message.memories:
            try:
                (admitted,) = await self._admitted(Store((new,), message.caller))
            except Refused as refused:
                message.refused(new, refused)
            else:
                # Compared afterwards, in the background, as everything that nobody waits for.
                steps.append(self._patch(admitted) or Add(admitted.memory, _told(admitted), compared=False))
        standing, _ = await self._apply(
            message.caller.owner, [*steps, *message.advances], self._signed(message.caller), message.node
        )
        return standing

    async def _adopt(self, message: Adopt) -> tuple[Memory, ...]:
        notes = [{**message.notes, **_told(one)} for one in message.admitted]
        memories = [one.memory for one in message.admitted]
        stored, sequence = await self._ledger.insert(memories, actor=message.actor, notes=notes, confirm=False)
        self._on_change(sequence)
        for memory, asked in zip(stored, memories, strict=True):
            if memory.id == asked.id:
                self._publish(Wrote(event="ADD", memory_id=memory.id, owner=message.owner))
                if memory.category == RULE and memory.title:
                    await self._settle_rules(memory, message.actor)
        return tuple(stored)

    async def _store_one(self, admitted: Admitted, actor: str, *, own_word: bool) -> tuple[Memory, ...]:
        """Store a memory beside its neighbours; where that needs what is not there, it is compared later."""
        patch = self._patch(admitted, own_word=own_word)
        if patch is not None:
            return (await self._apply(patch.memory.owner, [patch], actor))[0]
        memory, notes = admitted.memory, _told(admitted)
        if memory.category == RULE and memory.title:
            standing, _ = await self._apply(memory.owner, [Add(memory, notes)], actor)
            await self._settle_rules(standing[0], actor)
            return standing[:1]
        seen = await self._surroundings.look(memory)
        steps: list[Step] = [Add(memory, notes, compared=False)]
        if seen is not None:
            steps = plan(memory, seen.near, seen.compared, notes)
            steps = [replace(one, as_of=seen.as_of) if isinstance(one, Add) else one for one in steps]
        standing, sequence = await self._apply(memory.owner, steps, actor)
        if seen is not None and standing[0].id == memory.id:
            self._surroundings.wrote(standing[0], seen, sequence)
        return standing[:1]

    def _patch(self, admitted: Admitted, *, own_word: bool = True) -> Patch | None:
        """Return the step for what is said about a field of the person that is watched over; None for all else."""
        memory, settings = admitted.memory, self._consent
        decision = decide(memory, settings, own_word=own_word)
        if decision is None:
            return None
        return Patch(
            memory,
            field_of(memory.category, memory.title) or memory.category,
            decision,
            expires_at=self._clock.now() + timedelta(days=settings.days),
            signals=settings.signals if decision == "wait_for_signal" else 0,
            reason=f"{memory.source.value}, trust {memory.trust:g}",
            notes=_told(admitted),
        )

    async def _same_rule(self, rule: Memory) -> list[Memory]:
        """Return the other active rules of the same name in the same place."""
        place = Visibility(
            owner=rule.owner,
            project=rule.project,
            filters=Filters(scope=rule.scope.value, categories=(RULE,)),
        )
        rules = await self._ledger.page(place, limit=MOST_RULES)
        name = rule.title.casefold()
        return [one for one in rules if one.title.casefold() == name and one.content_hash != rule.content_hash]

    async def _settle_rules(self, rule: Memory, actor: str) -> None:
        """Retire all but the newest rule of a name, where another daemon stored one at the same time.

        Whoever looks last sees both; who looks at the same time comes to the same end.
        """
        others = await self._same_rule(rule)
        if not others or not rule.active:
            return
        newest = max((*others, rule), key=lambda one: (one.created_at, one.id))
        reason = f"the rule `{rule.title}` has a new value"
        steps = [Supersede(one.id, newest.id, reason) for one in (*others, rule) if one.id != newest.id]
        await self._apply(rule.owner, steps, actor)

    async def _admitted(self, message: Store) -> list[Admitted]:
        now = self._clock.now()
        seen = await self._seen(message.caller.project, message.memories)
        admitted: list[Admitted] = []
        for number, new in enumerate(message.memories, 1):
            try:
                memory, notes = admit(new, message.caller, now, self._rules, seen)
            except Refused as refused:
                if len(message.memories) == 1:
                    raise
                # All of them or none: whoever sends a thousand has to know which one it is.
                raise Refused(f"memory {number} of {len(message.memories)}: {refused}", refused.hint) from refused
            admitted.append(Admitted(msgspec.structs.replace(memory, embedding_model=self._embedding_model), notes))
        return admitted

    async def _seen(self, project: str, memories: Sequence[NewMemory]) -> ProjectFiles:
        """Return what the project says about the files that the memories name, and its variables."""
        if self._files is None:
            return NO_FILES
        named = [path for new in memories for path in (*new.files, *named_files(new.content[:MAX_CONTENT_BYTES]))]
        return await self._files.look(project, named)

    def _signed(self, caller: Caller) -> str:
        return signed(caller, self._rules)

    # --- changing

    async def _set_state(self, message: SetState) -> tuple[Memory, ...]:
        owner = message.caller.owner
        before = await self._ledger.resolve(owner, message.memory_id)
        if before.state is State.PROPOSED and message.state is State.FORGOTTEN:
            return await self._answer(Answer(before.id, False, message.caller))
        sensitive = needs_consent(before.category, before.title, self._consent)
        comes_back = message.state is State.ACTIVE and before.state in {State.SUPERSEDED, State.ARCHIVED}
        if comes_back and sensitive and message.caller.agent != PERSON:
            raise Refused(
                f"{before.id} is about the user, and only the user brings it back",
                "Store the value again under the same category and title: it waits for the user's consent.",
            )
        event = "DELETE" if message.state is State.FORGOTTEN else "RESTORE"
        standing, _ = await self._apply(
            owner, [ChangeState(before.id, message.state, event)], self._signed(message.caller)
        )
        return standing

    async def _answer(self, message: Answer) -> tuple[Memory, ...]:
        owner = message.caller.owner
        before = await self._ledger.resolve(owner, message.memory_id)
        step = Decide(before.id, message.approve, "approved" if message.approve else "rejected")
        return (await self._apply(owner, [step], self._signed(message.caller)))[0]

    def _check_edit(self, before: Memory, after: Memory, caller: Caller) -> None:
        """Let nobody change in silence what only the user may: an edit does not say whose words it has.

        Raises:
            Refused: it is a proposal, or a sensitive field that an agent edits.

        """
        if before.state is State.PROPOSED:
            raise Refused(
                f"{before.id} waits for the user's consent, and is not changed before",
                f"`memoryd consent reject {before.id}`, and propose it as it should be.",
            )
        said = (after.category, after.title, after.content) != (before.category, before.title, before.content)
        if (
            said
            and caller.agent != PERSON
            and any(needs_consent(one.category, one.title, self._consent) for one in (before, after))
        ):
            raise Refused(
                f"{before.id} is about the user, and only the user changes it",
                "Store the new value under the same category and title: it waits for the user's consent.",
            )

    async def _edit(self, message: Edit) -> tuple[Memory, ...]:
        owner = message.caller.owner
        before = await self._ledger.resolve(owner, message.memory_id)
        if message.revision is not None and before.revision != message.revision:
            raise Refused(
                f"{before.id} has changed meanwhile: it is at revision {before.revision}, not {message.revision}",
                f"`memoryd show {before.id}` shows it as it is now; make your change to that.",
            )
        new = _as_new(before, message.changes)
        # As it stands, it was admitted already: in its own place, whoever changes it from wherever.
        place = msgspec.structs.replace(message.caller, owner=owner, project=before.project, session=before.session)
        seen = await self._seen(before.project or message.caller.project, [new])
        admitted = admit(new, place, self._clock.now(), self._rules, seen)
        after = msgspec.structs.replace(
            admitted.memory,
            created_at=before.created_at,
            last_accessed_at=before.last_accessed_at,
            access_count=before.access_count,
            strength=before.strength,
            sources=before.sources,
            state=before.state,
            superseded_by=before.superseded_by,
            embedding_model=before.embedding_model,
            agent=before.agent,
            role=before.role,
            revision=before.revision,
            purge_at=before.purge_at,
        )
        self._check_edit(before, after, message.caller)
        steps, around = await self._revised(before, after, _told(admitted))
        standing, sequence = await self._apply(owner, steps, self._signed(message.caller))
        if around is not None:
            self._surroundings.wrote(standing[0], around, sequence)
        # One that says now what another one says is that other one from here on.
        return standing[-1:] if any(isinstance(step, Absorb) for step in steps) else standing[:1]

    async def _revised(self, before: Memory, after: Memory, notes: Mapping[str, str]) -> tuple[list[Step], Seen | None]:
        """Return the steps by which a memory reads anew, compared with its neighbours as a new one would be."""
        said = (after.content, after.category) != (before.content, before.category)
        if not said or not after.active or (after.category == RULE and after.title):
            return [Revise(after, notes=notes)], None
        # What it says, it says now: of the two it is the newer.
        now = msgspec.structs.replace(after, created_at=self._clock.now())
        seen = await self._surroundings.look(now)
        if seen is None:
            return [Revise(after, notes=notes, compared=False)], None
        edges = await self._ledger.edges(after.owner, [after.id])
        return [Revise(after, notes=notes), *plan_revised(now, seen.near, seen.compared, edges)], seen

    async def _link(self, message: Link) -> tuple[Memory, ...]:
        owner, relation = message.caller.owner, redact(one_line(message.relation), self._rules).text
        source = await self._ledger.resolve(owner, message.from_id)
        target = await self._ledger.resolve(owner, message.to_id)
        step: Step
        if relation == MERGED_INTO or (message.remove and relation in RESERVED):
            raise Refused(
                f"`{relation}` says what became of a memory, and cannot be made or removed by hand",
                "`memoryd restore` brings a memory back; `memoryd undo` takes an operation back.",
            )
        if message.remove:
            step = Unrelate(source.id, target.id, relation)
        elif relation == SUPERSEDES:
            _refuse_idle(source, target)
            step = Supersede(target.id, source.id, "said by hand")
        else:
            step = Relate(source.id, target.id, relation, message.strength, told=True)
        await self._apply(owner, [step], self._signed(message.caller))
        return (await self._ledger.resolve(owner, source.id), await self._ledger.resolve(owner, target.id))

    async def _purge(self, message: Purge) -> tuple[Memory, ...]:
        there = await self._ledger.get(message.owner, message.ids)
        self._on_purge(message.ids)
        gone = await self._ledger.purge(message.owner, message.ids, actor=message.actor)
        self._on_change(await self._ledger.last_sequence())
        for memory_id in gone:
            self._publish(Wrote(event="PURGE", memory_id=memory_id, owner=message.owner))
        return tuple(msgspec.structs.replace(one, content="", title="") for one in there.values())

    async def _apply(
        self, owner: str, steps: Sequence[Step], actor: str, node: str = NODE
    ) -> tuple[tuple[Memory, ...], int]:
        """Perform an operation and tell about it; return the memories it concerned and the last change's number."""
        applied = await self._ledger.apply(owner, steps, actor=actor, node=node)
        self._on_change(applied.sequence)
        for event, memory_id in applied.events:
            self._publish(Wrote(event=event, memory_id=memory_id, owner=owner))
        return applied.memories, applied.sequence


def _op(message: KeeperMessage) -> str:  # noqa: PLR0911 - one case a message
    """Return what a message asks for, as it is counted."""
    match message:
        case Store() | Bring():
            return "create"
        case Adopt():
            return "import"
        case SetState():
            return "delete" if message.state is State.FORGOTTEN else "restore"
        case Edit():
            return "update"
        case Link():
            return "unlink" if message.remove else "link"
        case Answer():
            return "consent"
        case TakeBack():
            return "undo"
        case Perform():
            return "perform"
        case Purge():
            return "purge"


def _refuse_idle(source: Memory, target: Memory) -> None:
    """Refuse to let a memory supersede another where one of them is not active; doing it again is no mistake."""
    if target.superseded_by == source.id:
        return
    for memory in (source, target):
        if not memory.active:
            by = f" by {memory.superseded_by}" if memory.superseded_by else ""
            raise Refused(
                f"{memory.id} is {memory.state.value}{by}, and only an active memory supersedes an active one",
                f"`memoryd why {memory.id}` shows what became of it; `memoryd restore` brings a memory back.",
            )


def _told(admitted: Admitted) -> dict[str, str]:
    """Return what the gate did, as the history keeps it."""
    return {"gate": ",".join(admitted.notes)} if admitted.notes else {}


def _as_new(before: Memory, changes: Changes) -> NewMemory:
    """Return a memory with its changes, as if it were stored now: it passes the same gate."""
    changed = {name: value for name, value in msgspec.structs.asdict(changes).items() if value is not UNSET}
    kept = NewMemory(
        id=before.id,
        content=before.content,
        category=before.category,
        scope=before.scope,
        title=before.title,
        tags=before.tags,
        metadata=before.metadata,
        importance=before.importance,
        pinned=before.pinned,
        source=before.source,
        speaker=before.speaker,
        occurred_at=before.occurred_at,
        source_session=before.session,
        source_messages=before.source_messages,
        files=before.files,
        trust=before.trust,
    )
    return msgspec.structs.replace(kept, **changed)
