"""Who chose the words of what is written: what an agent writes passes rules that what a person types does not."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress

from anyio import to_thread
from msgspec import UNSET
from msgspec.structs import replace

from memoryd_actors.admission.gate import BY_AGENT, agents_trust
from memoryd_actors.admission.writing import MAX_FACT, check_by_model, check_lasting
from memoryd_actors.core.errors import Refused, Unavailable
from memoryd_actors.memory.personal_matters import MATTER, telling, told_by, untold
from memoryd_actors.memory.settings import FILE, KNOWLEDGE, name_of
from memoryd_actors.texts.labels import LABEL, project_label, project_tags
from memoryd_actors.texts.quoting import what_was_said
from memoryd_client.wire.caller import PERSON, Caller
from memoryd_client.wire.editing import Changes
from memoryd_client.wire.importing import MemoryRecord
from memoryd_client.wire.memory import Memory, NewMemory, Source

Texts = Callable[[Caller], Awaitable[Sequence[str]]]
Known = Callable[[Caller, str], Awaitable[Sequence[str]]]
MOST_ASKED = 50
"""Sentences of one text for which it is looked whether they were told; each takes a search."""


def stored_by_agent(memories: Sequence[NewMemory]) -> list[NewMemory]:
    """Return what an agent stores as an agent's word, whoever it says it is from.

    Raises:
        Refused: nobody will be glad to find one of them, or one is to be pinned.
    """
    for number, new in enumerate(memories, 1):
        try:
            check_by_model(new.content, new.category)
            _check_pin(new.pinned)
        except Refused as refused:
            if len(memories) == 1:
                raise
            raise Refused(f"memory {number} of {len(memories)}: {refused}", refused.hint) from refused
    return [replace(new, trust=agents_trust(new), source=Source.AGENT) for new in memories]


async def placed(tags: Sequence[str], content: str, named: Callable[[], Awaitable[str]] | None) -> tuple[str, ...]:
    """Return the tags of what an agent writes, with the project that it names, or else the one that is `named`."""
    if any(tag.startswith(LABEL) for tag in tags):
        return tuple(tags)
    label = project_label([content])
    return (*tags, *project_tags(label or (await named() if named else "")))


def brought_by_agent(record: MemoryRecord, agent: str) -> MemoryRecord:
    """Return what an agent imports as its word, whoever the record says it is from."""
    return replace(
        record,
        trust=BY_AGENT if record.trust is None else min(record.trust, BY_AGENT),
        pinned=False,
        source=Source.AGENT,
        agent=agent,
        role="",
    )


def changed_by_agent(before: Memory, changes: Changes) -> Changes:
    """Return what an agent changes, trusted as an agent's word.

    Raises:
        Refused: the memory is pinned or trusted more, it is to be pinned, or nobody will be glad to find what it says.
    """
    check_outranked(before, BY_AGENT, "changes")
    _check_pin(changes.pinned is True)
    content, category = (
        was if now is UNSET else now
        for was, now in ((before.content, changes.content), (before.category, changes.category))
    )
    if (content, category) != (before.content, before.category):
        check_words_of_agent(content, category)
    return changes if changes.trust is UNSET else replace(changes, trust=min(changes.trust, BY_AGENT))


def check_words_of_agent(content: str, category: str) -> None:
    """Let no agent edit or import what nobody will be glad to find; what a document says is the document's.

    Raises:
        Refused: nobody will.
    """
    if name_of(category) == FILE:
        check_file_by_agent(content)
    elif name_of(category) != KNOWLEDGE:
        check_by_model(content, category)


def check_file_by_agent(content: str) -> None:
    """Let no agent keep a file of one short line that nobody will be glad to find; a longer one is its own notebook.

    Raises:
        Refused: it names nothing, or says only what just passed.
    """
    if len(content) <= MAX_FACT and len(content.split("\n")) == 1:
        check_lasting(content)


def check_outranked(before: Memory, trust: float, does: str = "replaces") -> None:
    """Let no agent put what is trusted less in the place of what is trusted more, or is pinned.

    Raises:
        Refused: it would.
    """
    if before.pinned or before.trust > trust:
        why = "pinned" if before.pinned else f"trusted more ({before.trust:g}) than an agent's word ({trust:g})"
        raise Refused(
            f"{before.id} is {why}, and only the user {does} it",
            "Tell the user, who can change it; or store the new memory by itself: both stay, and are told together.",
        )


def _check_pin(pinned: bool) -> None:
    if pinned:
        raise Refused(
            "only the user pins a memory", "Store it without; the user pins it with `memoryd edit ID --pinned`."
        )


class Authorship:
    """Knows what the user told of those sentences about a person that an agent writes."""

    def __init__(self, said_by_user: Texts, known: Known) -> None:
        """Prepare; `said_by_user` returns what the user said lately in a caller's session.

        `known` returns what memory keeps already beside a sentence, for the same caller.
        """
        self._said_by_user = said_by_user
        self._known = known

    async def told(self, caller: Caller, *texts: str) -> frozenset[str]:
        """Return the sentences of some texts about a person that the user told, or that memory keeps, in these words.

        Of what a person types nothing: nobody is asked about that.
        """
        if caller.agent == PERSON:
            return frozenset()
        about = await to_thread.run_sync(
            lambda: list(dict.fromkeys(one for text in texts for one in telling(text, first_person=True)))
        )
        return await self._told(caller, about) if about else frozenset()

    async def told_in(self, caller: Caller, memories: Sequence[NewMemory]) -> frozenset[str]:
        """Return the same of memories: where one says itself what of a person it is about, also all that it says."""
        told = await self.told(caller, *(f"{new.title}\n{new.content}" for new in memories))
        flagged = [new.content.strip() for new in memories if MATTER in new.metadata and caller.agent != PERSON]
        return told | await self._told(caller, flagged) if flagged else told

    async def _told(self, caller: Caller, about: Sequence[str]) -> frozenset[str]:
        about, said = about[:MOST_ASKED], await self._said_by_user(caller)
        told = {one for one in about if told_by(said, one)}
        with suppress(Unavailable):  # what cannot be looked up now is asked about, and not refused
            for one in about:
                if one not in told and told_by(map(what_was_said, await self._known(caller, one)), one, recorded=True):
                    told.add(one)
        return frozenset(told)


def check_told(name: str, before: str, after: str, caller: Caller, told: frozenset[str]) -> None:
    """Let no agent make a text tell of a person what only they decide about, unless the user `told` it.

    Raises:
        Refused: it would; stored as a memory, the same waits for the user's consent.
    """
    if caller.agent != PERSON and after != before and (matter := untold(after, told, before)):
        raise Refused(
            f"{name} would tell of a person's {matter} what it did not, and only the user decides about that",
            "Store it as a memory of its own: it waits for the user's consent.",
        )
