"""The composition root: reads the configuration, builds everything, and lives until it is told to stop.

Sockets come first: a client that connects while the model and the index are still loading waits for what it needs
only. On the way down it is the other way round: nothing new in, what was accepted is finished, then files close.
"""

import faulthandler
import logging
import os
import signal
import sys
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import get_args

import anyio

from memoryd import __version__, notify
from memoryd.assembly.answers import build_dispatcher
from memoryd.assembly.consolidation import build_consolidation
from memoryd.assembly.conversations import ConversationServices
from memoryd.assembly.memory import MemoryServices
from memoryd.assembly.upkeep import build_curator
from memoryd.backup import BackupMaker
from memoryd.config import Config, ConfigInvalid, load, retired_in
from memoryd.descriptors import allow_many
from memoryd.health import Health
from memoryd.heap import settle, share_arenas
from memoryd.hosts import prompts
from memoryd.hosts.listener import HostListener
from memoryd.hosts.server import HookServer
from memoryd.intake import Intake
from memoryd.ipc import Server
from memoryd.lock import hold_home
from memoryd.logs import logging_to
from memoryd.publisher import EventBus
from memoryd_actors.core.errors import DaemonError, Refused, first_of
from memoryd_actors.upkeep.sharing import Follower
from memoryd_client import drafts
from memoryd_client.paths import Paths
from memoryd_client.wire.context import ContextUpdate
from memoryd_client.wire.events import Event, PipelineRan, Wrote

log = logging.getLogger(__name__)


class Daemon:
    """Everything one home needs, wired together; `run` serves until told to stop."""

    def __init__(self, paths: Paths, config: Config) -> None:
        self._paths = paths
        self._drain_s = config.daemon.drain_s
        publish = EventBus()
        self._memory = memory = MemoryServices(config, paths, publish)
        self._follower = Follower(memory.ledger.sharing, memory.indexer, memory.switches)
        self._conversations = conversations = ConversationServices(config, paths, memory)
        backup = BackupMaker(memory.ledger, conversations.transcripts, paths.transcripts_copy, config.ledger)
        self._curator = build_curator(config, memory, backup)
        self._consolidation = build_consolidation(config, memory, optimise=self._curator.optimise)
        self._health = Health(
            paths.home,
            memory,
            conversations,
            self._consolidation,
            self._curator,
            sockets=lambda: self._server.statistics(),  # noqa: PLW0108 - there is no server yet
        )
        intake = Intake(conversations.scribe, publish, memory.recall, memory.switches)
        dispatcher = build_dispatcher(
            config,
            paths,
            memory,
            conversations,
            self._consolidation,
            health=self._health,
            intake=intake,
            back_up=backup.make,
        )
        self._server = Server(
            paths,
            on_update=intake.offer,
            answer=dispatcher.answer,
            answer_now=dispatcher.answer_now,
            inherited=notify.inherited_sockets(),
        )
        hosts = HostListener(
            paths=paths,
            recall=memory.recall,
            clean=conversations.scribe.clean,
            answer=dispatcher.answer,
            wait_s=config.hosts.wait_s,
        )
        self._hooks = HookServer(paths, hosts.hear, wait_s=config.hosts.wait_s, lost=hosts.lost)
        publish.listen(PipelineRan, conversations.extractor.pipeline_ran)
        publish.listen(ContextUpdate, conversations.capturer.offer)
        publish.listen(Wrote, self._health.count_write)
        for kind in get_args(Event):
            publish.listen(kind, self._server.publish)

    async def run(self) -> None:
        """Serve until SIGTERM or SIGINT, then finish what was accepted."""
        async with self._resources(), anyio.create_task_group() as tasks:
            with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
                async with anyio.create_task_group() as sessions, self._server:
                    self._memory.recall.start(sessions)
                    tasks.start_soon(self._memory.keeper.run, name="keeper")
                    self._conversations.start(tasks)
                    tasks.start_soon(self._memory.indexer.run, name="indexer")
                    tasks.start_soon(self._follower.run, name="follower")
                    tasks.start_soon(self._memory.ledger.sharing.lead, self._work_in_the_background, name="background")
                    tasks.start_soon(self._curator.run, name="curator")
                    tasks.start_soon(self._load_model, name="model")
                    tasks.start_soon(self._memory.judging.prepare, name="judge")
                    tasks.start_soon(notify.feed_watchdog, name="watchdog")
                    tasks.start_soon(self._hooks.run, name="hooks")
                    settle()
                    self._health.ready = True
                    notify.notify(f"READY=1\nSTATUS=serving {self._paths.home}")
                    log.info("ready after %.3f s, serving %s", self._health.uptime_s, self._paths.home)
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
            await self._memory.ledger.open()
            await self._memory.switches.load()
            await anyio.to_thread.run_sync(drafts.expire, self._paths.drafts)
            await anyio.to_thread.run_sync(prompts.expire, self._paths.prompts)
            await self._memory.indexer.prepare()
            stack.push_async_callback(self._memory.ledger.close)
            stack.push_async_callback(self._memory.index.close)
            stack.push_async_callback(self._conversations.messages.close)
            stack.push_async_callback(self._conversations.transcripts.save)
            await stack.enter_async_context(self._memory.embedder)
            await self._memory.judging.open()
            stack.push_async_callback(self._memory.judging.close)
            yield

    async def _drain(self) -> bool:
        """Upstream to downstream: requests, contexts, writes, index; return whether all of it was done in time."""
        limit_s = self._drain_s
        notify.stopping(limit_s)
        self._health.ready = False
        with anyio.move_on_after(limit_s) as limit:
            await self._server.drain(limit_s)
            await self._conversations.capturer.drain()
            self._memory.keeper.close()
            self._conversations.scribe.close()
            await self._memory.keeper.stopped.wait()
            await self._conversations.scribe.drained()
            await self._memory.recall.drain()
        if limit.cancelled_caught:
            log.warning("stopped after %g s with work left; what was acknowledged is safe", limit_s)
        return not limit.cancelled_caught

    async def _work_in_the_background(self) -> None:
        """Do what is to be done once for a ledger, not once by each daemon on it."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._consolidation.comparer.run, name="comparer")
            tasks.start_soon(self._consolidation.worker.run, name="consolidation")

    async def _load_model(self) -> None:
        try:
            await self._memory.embedder.warm()
            self._memory.indexer.kick()  # it may have given up on the model meanwhile
            self._conversations.indexer.kick()
        except (Refused, RuntimeError) as failed:
            # Everything that needs no model goes on, and the next use tries again; `MemoryServices` has told.
            log.warning("the model is not loaded: %s", failed)


def main() -> int:
    """Run the daemon in the foreground; return the exit code."""
    faulthandler.enable()  # a watchdog's SIGABRT then leaves a traceback in the log
    share_arenas()
    allow_many()
    paths = Paths.from_environment()
    try:
        config = load(paths.config)
        with hold_home(paths, version=__version__), logging_to(paths, config.daemon.log_level):
            for sentence in retired_in(paths.config):
                log.warning("%s: %s", paths.config, sentence)
            try:
                anyio.run(_serve, paths, config)
            except ExceptionGroup as group:
                refusals, bugs = group.split(Refused)
                if refusals is None or bugs is not None:
                    raise
                raise first_of(refusals) from None
    except ConfigInvalid as exc:
        _fail(str(exc), "Mend it, or take the setting out; `memoryd config list` shows what there is.")
        return os.EX_CONFIG  # systemd does not try again: it would not get better
    except DaemonError as exc:
        return _fail(str(exc), exc.hint)
    return os.EX_OK


async def _serve(paths: Paths, config: Config) -> None:
    """Build the daemon inside its event loop, where its events and scopes belong, and run it."""
    await Daemon(paths, config).run()


def _fail(message: str, hint: str) -> int:
    sys.stderr.write(f"memoryd: {message}\n{hint}\n" if hint else f"memoryd: {message}\n")
    return 1
