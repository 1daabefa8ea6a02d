"""Who chose the words of what is written: what an agent writes passes rules that what a person types does not."""

from collections.abc import Awaitable, Callable, Sequence

from anyio import to_thread

from memoryd_actors.memory.personal_matters import MATTER, told_by, told_of
from memoryd_client.wire.caller import PERSON, Caller
from memoryd_client.wire.memory import NewMemory


class Authorship:
    """Knows what the user told in the conversation in which an agent writes."""

    def __init__(self, said_by_user: Callable[[Caller], Awaitable[Sequence[str]]]) -> None:
        """Prepare; `said_by_user` returns what the user said lately in a caller's session."""
        self._said_by_user = said_by_user

    async def told(self, memories: Sequence[NewMemory], caller: Caller) -> frozenset[str]:
        """Return the ids of those memories about a person that the user told in the same words."""
        if caller.agent == PERSON:
            return frozenset()
        about = [new for new in memories if MATTER in new.metadata or told_of(new.content) or told_of(new.title)]
        if not about:
            return frozenset()
        said = await self._said_by_user(caller)
        told = await to_thread.run_sync(lambda: [told_by(said, f"{new.title} {new.content}") for new in about])
        return frozenset(new.id for new, is_told in zip(about, told, strict=True) if is_told)
