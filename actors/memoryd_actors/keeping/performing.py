"""Operations: steps that are performed all or none, and told about."""

from collections.abc import Callable, Sequence

from memoryd_actors.memory.steps import Step
from memoryd_actors.ports.ledger import MemoryWrites
from memoryd_actors.ports.publisher import Publisher
from memoryd_client.wire.events import Wrote
from memoryd_client.wire.memory import Memory

NODE = "keeper"
"""Who writes, in the counts of events."""


class Operations:
    """Has the ledger perform operations, and tells what changed."""

    def __init__(self, ledger: MemoryWrites, publish: Publisher, on_change: Callable[[int], None]) -> None:
        """Prepare; `on_change` learns the number of the newest change."""
        self._ledger = ledger
        self._publish = publish
        self._on_change = on_change
        self.began_s: float | None = None
        """When work on the message at hand began, by the monotonic clock: the keeper does one after the other."""
        self.session = ""
        """In which that message was given."""

    async def perform(
        self, owner: str, steps: Sequence[Step], actor: str, node: str = NODE, *, similarity: float | None = None
    ) -> tuple[tuple[Memory, ...], int]:
        """Perform an operation and tell about it; return the memories it concerned and the last change's number.

        `similarity` is that of the nearest neighbour of what it is done for, where one was looked for.
        """
        applied = await self._ledger.apply(
            owner,
            steps,
            actor=actor,
            node=node,
            session=self.session,
            similarity=similarity,
            began_s=self.began_s,
        )
        self._on_change(applied.sequence)
        for event, memory_id in applied.events:
            self._publish(Wrote(event=event, memory_id=memory_id, owner=owner))
        return applied.memories, applied.sequence
