"""What a caller sees of its owner's memories: the ledger, behind the allowlist of the caller's agent."""

from collections.abc import Awaitable, Collection, Iterable, Sequence
from typing import Protocol

from memoryd_actors.access.categories import Categories
from memoryd_actors.core.errors import Refused
from memoryd_actors.memory.visibility import Visibility, is_allowed
from memoryd_actors.ports.ledger import MemoryRepository
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.categories import CategoryList
from memoryd_client.wire.consent import Consent
from memoryd_client.wire.edges import Edge
from memoryd_client.wire.filters import Filters
from memoryd_client.wire.history import HistoryEntry
from memoryd_client.wire.memory import Memory

_ALL = Filters()


class CheckThread(Protocol):
    """Refuses a caller a thread that is another agent's."""

    def __call__(
        self, caller: Caller, thread: str, writers: Collection[str], *, may_begin: bool = True
    ) -> Awaitable[None]:
        """Check one thread, of which `writers` wrote what is kept; `may_begin` where nobody has to be known there."""
        ...


class MemoryView:
    """Reads the ledger for callers, of whose agents some may see some categories only."""

    def __init__(self, memories: MemoryRepository, categories: Categories) -> None:
        self._memories = memories
        self._categories = categories

    def visible(self, caller: Caller, filters: Filters = _ALL) -> Visibility:
        """Return what a caller sees who asks for memories himself.

        Raises:
            Refused: it asks for a category that it may not see.
        """
        return self._categories.visible(caller, filters)

    def sees_all(self, caller: Caller) -> bool:
        """Return whether the caller's agent may see every category."""
        return self._categories.allowed(caller.agent) is None

    def asked_through(self, caller: Caller, waiting: Iterable[Consent]) -> list[Consent]:
        """Return the proposals that the caller may read and ask the user about."""
        return self._categories.asked_through(caller, waiting)

    def check_write(self, caller: Caller, category: str) -> None:
        """Let a caller change what is of a category.

        Raises:
            Refused: its agent may not write that.
        """
        self._categories.check_write(caller.agent, category)

    def manages(self, caller: Caller, others: Collection[str]) -> bool:
        """Return whether the caller's agent may look into sessions in which these agents speak."""
        return self._categories.manages(caller.agent, others)

    def check_sees_all(self, caller: Caller, reason: str, hint: str) -> None:
        """Let through who sees every category.

        Raises:
            Refused: the caller's agent may see some only; `reason` says what that has to do with the request.
        """
        if not self.sees_all(caller):
            raise Refused(f"the agent `{caller.agent}` may see some categories only, and {reason}", hint)

    async def categories(self, caller: Caller, filters: Filters = _ALL) -> CategoryList:
        """Return the categories that the caller sees, with how many of the memories meant are in each."""
        return self._categories.listed(caller, await self._memories.by_category(self.visible(caller, filters)))

    async def resolve(self, caller: Caller, memory_id: str) -> Memory:
        """Return the one memory that the caller means; `memory_id` may be shortened.

        Raises:
            NotFound: there is none that it may see.
            Ambiguous: there are several.
        """
        return await self._memories.resolve(caller.owner, memory_id, allowed=self._categories.allowed(caller.agent))

    async def get(self, caller: Caller, ids: Sequence[str]) -> dict[str, Memory]:
        """Return those of the memories that the caller may see, by their ids."""
        found = await self._memories.get(caller.owner, ids)
        visible = self.visible(caller)
        return {memory_id: memory for memory_id, memory in found.items() if is_allowed(memory.category, visible)}

    async def edges(self, caller: Caller, ids: Sequence[str]) -> list[Edge]:
        """Return the edges of memories, as far as the caller may see both ends."""
        edges = await self._memories.edges(caller.owner, ids)
        hidden = await self.hidden(caller, {end for edge in edges for end in (edge.from_id, edge.to_id)})
        return [edge for edge in edges if not {edge.from_id, edge.to_id} & hidden]

    async def hidden(self, caller: Caller, ids: Collection[str]) -> set[str]:
        """Return which of these ids stand for memories of its owner that the caller may not see."""
        if self._categories.allowed(caller.agent) is None or not ids:
            return set()
        behind = await self._memories.behind(list(ids))
        there = await self._memories.get(caller.owner, sorted({memory_id for _, memory_id in behind.values()}))
        visible = self.visible(caller)
        hidden = {memory_id for memory_id, memory in there.items() if not is_allowed(memory.category, visible)}
        return {given for given, (_, memory_id) in behind.items() if memory_id in hidden}

    async def history(self, caller: Caller, *, memory_id: str, limit: int, before: int = 0) -> list[HistoryEntry]:
        """Return what happened to memories that the caller may see, newest first; to all where no id is given."""
        return await self._memories.history(
            caller.owner,
            memory_id=memory_id,
            limit=limit,
            allowed=self._categories.allowed(caller.agent),
            before=before,
        )
