"""The life of the daemon: what is opened and started in which order, and how it comes down.

Sockets come first: a client that connects while the model and the index are still loading waits for what it needs
only. On the way down it is the other way round: nothing new in, what was accepted is finished, then files close.
"""

import logging
import signal
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext

import anyio
import msgspec

from memoryd import notify
from memoryd.assembly.consolidation import ConsolidationServices
from memoryd.assembly.conversations import ConversationServices
from memoryd.assembly.health import Health
from memoryd.assembly.memory import MemoryServices
from memoryd.embedding.model_change import ModelChange
from memoryd.heap import hand_back_libraries, settle
from memoryd.hosts import prompts
from memoryd.hosts.server import HookServer
from memoryd.ipc import Server
from memoryd.mirror.mirrors import MirrorKeeper
from memoryd.telemetry import Telemetry
from memoryd_actors.core.errors import Refused
from memoryd_actors.knowledge import KnowledgeBase
from memoryd_actors.upkeep.curator import Curator
from memoryd_actors.upkeep.sharing import Follower
from memoryd_client import drafts
from memoryd_client.base.paths import Paths

log = logging.getLogger(__name__)


class Daemon(msgspec.Struct, frozen=True, kw_only=True):
    """Everything one home needs, wired together; `run` serves until told to stop."""

    paths: Paths
    drain_s: float
    memory: MemoryServices
    conversations: ConversationServices
    consolidation: ConsolidationServices
    curator: Curator
    knowledge: KnowledgeBase
    telemetry: Telemetry
    mirrors: MirrorKeeper
    model_change: ModelChange
    follower: Follower
    health: Health
    server: Server
    remote: Server | None
    """For clients on a network."""
    hooks: HookServer

    async def run(self) -> None:
        """Serve until SIGTERM or SIGINT, then finish what was accepted."""
        async with self._resources(), anyio.create_task_group() as tasks:
            with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
                async with anyio.create_task_group() as sessions, self.server, self.remote or nullcontext():
                    self.memory.recall.start(sessions)
                    tasks.start_soon(self.memory.keeper.run, name="keeper")
                    self.conversations.start(tasks)
                    tasks.start_soon(self.memory.indexer.run, name="indexer")
                    tasks.start_soon(self.follower.run, name="follower")
                    tasks.start_soon(self.memory.ledger.sharing.lead, self._work_in_the_background, name="background")
                    tasks.start_soon(self.curator.run, name="curator")
                    tasks.start_soon(self.knowledge.run, name="knowledge")
                    tasks.start_soon(self._load_model, name="model")
                    tasks.start_soon(self.memory.ledger.memories.read_newest, name="newest memories")
                    tasks.start_soon(self.model_change.run, name="model change")
                    tasks.start_soon(self.mirrors.run, name="mirrors")
                    tasks.start_soon(self.memory.judging.prepare, name="judge")
                    tasks.start_soon(notify.feed_watchdog, name="watchdog")
                    tasks.start_soon(self.hooks.run, name="hooks")
                    settle()
                    self.health.ready = True
                    notify.notify(f"READY=1\nSTATUS=serving {self.paths.home}")
                    log.info("ready after %.3f s, serving %s", self.health.uptime_s, self.paths.home)
                    async for received in signals:
                        log.info("%s: stopping", signal.Signals(received).name)
                        break
                    if not await self._drain():
                        sessions.cancel_scope.cancel()  # a hundred that wait for the model are at it for minutes
            tasks.cancel_scope.cancel()
        log.info("stopped")

    @asynccontextmanager
    async def _resources(self) -> AsyncGenerator[None]:
        """Open what holds files, in order, and close it in reverse, whatever happens."""
        async with AsyncExitStack() as stack:
            await self.memory.ledger.open()
            await self.memory.switches.load()
            await self.memory.bring_transcripts_over()
            await self.conversations.destroy_purged()
            await anyio.to_thread.run_sync(drafts.expire, self.paths.drafts)
            await anyio.to_thread.run_sync(prompts.expire, self.paths.prompts)
            await self.memory.indexer.prepare()
            stack.push_async_callback(self.memory.ledger.close)
            stack.push_async_callback(self.memory.index.close)
            stack.push_async_callback(self.conversations.messages.close)
            if (files := self.memory.transcript_files) is not None:
                stack.push_async_callback(files.save)
            await stack.enter_async_context(self.memory.embedder.current)
            await self.memory.judging.open()
            stack.push_async_callback(self.memory.judging.close)
            yield

    async def _drain(self) -> bool:
        """Upstream to downstream: requests, contexts, writes, index; return whether all of it was done in time."""
        limit_s = self.drain_s
        notify.stopping(limit_s)
        self.health.ready = False
        with anyio.move_on_after(limit_s) as limit:
            async with anyio.create_task_group() as draining:
                for server in (self.server, self.remote):
                    if server is not None:
                        draining.start_soon(server.drain, limit_s)
            await self.conversations.capturer.drain()
            self.memory.keeper.close()
            self.conversations.scribe.close()
            await self.memory.keeper.stopped.wait()
            await self.conversations.scribe.drained()
            await self.memory.recall.drain()
        if limit.cancelled_caught:
            log.warning("stopped after %g s with work left; what was acknowledged is safe", limit_s)
        return not limit.cancelled_caught

    async def _work_in_the_background(self) -> None:
        """Do what is to be done once for a ledger, not once by each daemon on it."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self.consolidation.comparer.run, name="comparer")
            tasks.start_soon(self.consolidation.worker.run, name="consolidation")
            tasks.start_soon(self.telemetry.run, name="telemetry")

    async def _load_model(self) -> None:
        try:
            await self.memory.embedder.warm()
            self.memory.indexer.kick()  # it may have given up on the model meanwhile
            self.conversations.indexer.kick()
        except (Refused, RuntimeError) as failed:
            # Everything that needs no model goes on, and the next use tries again; `MemoryServices` has told.
            log.warning("the model is not loaded: %s", failed)
        await self.memory.indexer.opened.wait()
        await anyio.to_thread.run_sync(hand_back_libraries)
