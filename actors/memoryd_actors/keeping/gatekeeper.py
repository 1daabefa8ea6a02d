"""What is to be kept goes through the gate first, and what is about the user waits for their yes."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Final, TypeVar

import msgspec
from anyio import to_thread

from memoryd_actors.access.categories import Categories
from memoryd_actors.admission.gate import Admitted, admit
from memoryd_actors.admission.project_files import NO_FILES, ProjectFiles, named_files
from memoryd_actors.admission.project_rules import IgnoredFiles, in_force
from memoryd_actors.core.errors import Refused
from memoryd_actors.memory.consent import ConsentSettings, asked_field, decide
from memoryd_actors.memory.signature import signed
from memoryd_actors.memory.steps import Patch
from memoryd_actors.ports.clock import Clock
from memoryd_actors.redaction import Rules, redact
from memoryd_actors.redaction.rules import DEFAULT
from memoryd_actors.texts.fence import one_line
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.importing import MemoryRecord
from memoryd_client.wire.memory import MAX_CONTENT_BYTES, Memory, NewMemory

T = TypeVar("T")
FEW: Final = 16
"""Memories that are read on the event loop, in some milliseconds."""


class Gatekeeper:
    """Admits memories under the rules of their project and of their agent, and says which of them need consent."""

    def __init__(
        self,
        *,
        clock: Clock,
        embedding_model: Callable[[], str],
        rules: Rules = DEFAULT,
        categories: Categories | None = None,
        files: IgnoredFiles | None = None,
        consent: ConsentSettings = ConsentSettings(),  # noqa: B008 - frozen
    ) -> None:
        self.rules = rules
        self._categories = categories or Categories()
        self.consent = consent
        self._clock = clock
        self._embedding_model = embedding_model
        self._files = files

    def sign(self, caller: Caller) -> str:
        """Return whom the history names."""
        return signed(caller, self.rules)

    def admit(
        self, new: NewMemory, place: Caller, files: ProjectFiles = NO_FILES, *, writer: Caller | None = None
    ) -> Admitted:
        """Return a memory as it is to be stored in a place, from which it comes unless a `writer` brings it there.

        `files` is what its project says about files. Takes a moment of a core, and waits for nothing.

        Raises:
            Refused: it does not pass, or its writer's agent may not write its category.
        """
        memory, notes = admit(new, place, self._clock.now(), self.rules, files)
        self._categories.check_write((writer or place).agent, memory.category)
        return Admitted(msgspec.structs.replace(memory, embedding_model=self._embedding_model()), notes)

    async def admit_all(self, memories: Sequence[NewMemory], caller: Caller) -> list[Admitted]:
        """Return all of the memories as they are to be stored.

        Raises:
            Refused: one of them does not pass; of several, it says which.
        """
        admitted: list[Admitted] = []
        for new in memories:
            check_expiry(new.expires_at, self._clock.now())
        for number, (_, found) in enumerate(await self._sifted(memories, caller), 1):
            if isinstance(found, Admitted):
                admitted.append(found)
            elif len(memories) == 1:
                raise found
            else:
                # All of them or none: whoever sends a thousand has to know which one it is.
                raise Refused(f"memory {number} of {len(memories)}: {found}", found.hint) from found
        return admitted

    def may_write(self, caller: Caller, category: str) -> bool:
        """Return whether the caller's agent may write a category: of another nothing is worth asking a model for."""
        return self._categories.may_write(caller.agent, category)

    def check_write(self, caller: Caller, category: str) -> None:
        """Let a caller change what is of a category.

        Raises:
            Refused: its agent may not write that.
        """
        self._categories.check_write(caller.agent, category)

    def allowed(self, caller: Caller) -> frozenset[str] | None:
        """Return the categories that the caller's agent may see and write; None: all."""
        return self._categories.allowed(caller.agent)

    async def sift(
        self, memories: Sequence[NewMemory], caller: Caller
    ) -> tuple[list[Admitted], list[tuple[NewMemory, Refused]]]:
        """Return those of the memories that pass, as they are to be stored, and those that do not, with the reason."""
        sifted = await self._sifted(memories, caller)
        admitted = [found for _, found in sifted if isinstance(found, Admitted)]
        return admitted, [(new, found) for new, found in sifted if isinstance(found, Refused)]

    async def _sifted(
        self, memories: Sequence[NewMemory], caller: Caller
    ) -> list[tuple[NewMemory, Admitted | Refused]]:
        seen = await self.look(caller.project, memories)

        def sift() -> list[tuple[NewMemory, Admitted | Refused]]:
            sifted: list[tuple[NewMemory, Admitted | Refused]] = []
            for new in memories:
                try:
                    sifted.append((new, self.admit(new, caller, seen)))
                except Refused as refused:
                    sifted.append((new, refused))
            return sifted

        return await _beside_if_much(sift, memories)

    async def admit_again(self, before: Memory, new: NewMemory, caller: Caller) -> Admitted:
        """Return a memory as it is after a change: it passes the same gate, and stays in its place."""
        # As it stands, it was admitted already: in its own place, whoever changes it from wherever.
        place = msgspec.structs.replace(caller, project=before.project, session=before.session)
        seen = await self.look(before.project or caller.project, [new])
        return await _beside_if_much(lambda: self.admit(new, place, seen), [new])

    async def clean_label(self, text: str, caller: Caller) -> str:
        """Return a name that somebody gives as one line, without secrets, and without what the project's files hold."""
        seen = await self.look(caller.project, [])
        return redact(one_line(text), in_force(self.rules, seen)).text

    async def consents_of(
        self, admitted: Sequence[Admitted], *, own_word: bool, told: frozenset[str]
    ) -> list[Patch | None]:
        """Do what `consent_step` does for each."""
        return await _beside_if_much(
            lambda: [self.consent_step(one, own_word=own_word, told=told) for one in admitted],
            [one.memory for one in admitted],
        )

    def consent_step(
        self, admitted: Admitted, *, own_word: bool = True, told: frozenset[str] = frozenset()
    ) -> Patch | None:
        """Return the step for what is said about a field of the person that is watched over; None for all else."""
        memory, settings = admitted.memory, self.consent
        decision = decide(memory, settings, own_word=own_word, told=told)
        if decision is None:
            return None
        return Patch(
            memory,
            asked_field(memory, own_word=own_word, told=told),
            decision,
            expires_at=self._clock.now() + timedelta(days=settings.days),
            signals=settings.signals if decision == "wait_for_signal" else 0,
            reason=f"{memory.source.value}, trust {memory.trust:g}",
            notes=gate_notes(admitted),
        )

    async def look(self, project: str, memories: Sequence[NewMemory | MemoryRecord]) -> ProjectFiles:
        """Return what the project says about the files that the memories name, and its variables."""
        if self._files is None:
            return NO_FILES
        named = [path for new in memories for path in (*new.files, *named_files(new.content[:MAX_CONTENT_BYTES]))]
        return await self._files.look(project, named)


async def _beside_if_much(work: Callable[[], T], read: Sequence[NewMemory | Memory]) -> T:
    """Return what reading these memories comes to; of many, or a large file, beside the event loop.

    A thousand statements take a third of a second, a large file up to one.
    """
    if len(read) <= FEW and sum(len(one.content) for one in read) <= MAX_CONTENT_BYTES:
        return work()
    return await to_thread.run_sync(work)


def as_new(known: Memory | MemoryRecord) -> NewMemory:
    """Return what is known of a memory as if it were stored now: it passes the same gate."""
    return NewMemory(
        id=known.id,
        content=known.content,
        category=known.category,
        scope=known.scope,
        title=known.title,
        tags=known.tags,
        metadata=known.metadata,
        importance=known.importance,
        pinned=known.pinned,
        source=known.source,
        speaker=known.speaker,
        occurred_at=known.occurred_at,
        source_session=known.session,
        source_messages=known.source_messages,
        files=known.files,
        trust=known.trust,
        expires_at=known.expires_at,
    )


def check_expiry(expires_at: datetime | None, now: datetime) -> None:
    """Refuse what would be over before it is stored.

    Raises:
        Refused: it would.
    """
    if expires_at is not None and expires_at <= now:
        raise Refused(f"`expires_at` is over already: {expires_at.isoformat()}", "Give a moment to come, or a `ttl`.")


def gate_notes(admitted: Admitted) -> dict[str, str]:
    """Return what the gate did, as the history keeps it."""
    return {"gate": ",".join(admitted.notes)} if admitted.notes else {}
