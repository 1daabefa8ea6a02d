"""Writes memories from several tasks at once and prints each id once it is acknowledged. Meant to be killed."""

import hashlib
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import anyio

from memoryd.ledger import SqlLedger
from memoryd_actors.memory.steps import Add
from memoryd_client.wire.memory import Memory, Scope, new_memory_id


class RealClock:
    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()


async def main() -> None:
    clock = RealClock()
    ledger = SqlLedger(Path(sys.argv[1]), clock=clock)
    await ledger.open()

    async def write() -> None:
        while True:
            at, one = clock.now(), new_memory_id()
            digest = hashlib.sha256(one.encode()).hexdigest()
            memory = Memory(
                id=one,
                owner="local",
                content=one * 50,
                scope=Scope.GLOBAL,
                created_at=at,
                updated_at=at,
                content_hash=digest,
            )
            await ledger.memories.apply("local", [Add(memory, compared=False)], actor="test")
            sys.stdout.write(one + "\n")
            sys.stdout.flush()

    async with anyio.create_task_group() as group:
        for _ in range(5):
            group.start_soon(write)


anyio.run(main)
