"""The composition root: reads the configuration, builds everything, and lives until it is told to stop.

Sockets come first: a client that connects while the model and the index are still loading waits for what it needs
only. On the way down it is the other way round: nothing new in, what was accepted is finished, then files close.
"""

import faulthandler
import logging
import os
import signal
import sys
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from time import monotonic
from typing import get_args

import anyio
from msgspec.structs import replace

from memoryd import __version__, health, notify
from memoryd.assembly import ConversationServices, build_consolidation, build_judging
from memoryd.clock import SystemClock
from memoryd.config import Config, ConfigInvalid, load, retired_in
from memoryd.descriptors import allow_many
from memoryd.dispatch import Dispatcher
from memoryd.embedding import ModelStatistics, build_embedder
from memoryd.heap import settle, share_arenas
from memoryd.home_name import home_name
from memoryd.hosts.listener import HostListener
from memoryd.hosts.server import HookServer
from memoryd.index import LanceIndex
from memoryd.intake import Intake
from memoryd.ipc import Server
from memoryd.ledger import Retention, SqlLedger
from memoryd.lock import hold_home
from memoryd.logs import logging_to
from memoryd.model import choose
from memoryd.project_files import ProjectFolders
from memoryd.publisher import EventBus
from memoryd.virtual_files import grep
from memoryd_actors.access.categories import Categories
from memoryd_actors.access.switch import Switches
from memoryd_actors.access.view import MemoryView
from memoryd_actors.admission.project_rules import ProjectRules
from memoryd_actors.consolidating.comparer import Comparer
from memoryd_actors.core.actor import ActorRef
from memoryd_actors.core.errors import DaemonError, Refused, first_of
from memoryd_actors.indexing.indexer import Indexer
from memoryd_actors.keeping.answering import KeepingAnswers
from memoryd_actors.keeping.checkpoints import CheckpointKeeper
from memoryd_actors.keeping.core_memory import CoreMemory
from memoryd_actors.keeping.gatekeeper import Gatekeeper
from memoryd_actors.keeping.importing import Importer
from memoryd_actors.keeping.keeper import Keeper
from memoryd_actors.keeping.neighbours import Neighbours
from memoryd_actors.keeping.orders import KeeperMessage
from memoryd_actors.purging.answering import PurgingAnswers
from memoryd_actors.recall.memory_actor import MemoryActor
from memoryd_actors.recall.pipeline import Pipeline
from memoryd_actors.recall.standing_memory import StandingMemory
from memoryd_actors.redaction import Rules
from memoryd_actors.searching.answering import SearchingAnswers
from memoryd_actors.searching.querying import Querier
from memoryd_actors.searching.related import Relatives
from memoryd_actors.searching.search import Searcher
from memoryd_actors.upkeep.curator import Curator, Schedule
from memoryd_actors.upkeep.sharing import Follower
from memoryd_actors.virtual_files import VirtualFiles
from memoryd_client import drafts
from memoryd_client.paths import Paths
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.context import ContextUpdate
from memoryd_client.wire.events import Event, PipelineRan, Warned, Wrote
from memoryd_client.wire.memory import Memory
from memoryd_client.wire.status import Status

log = logging.getLogger(__name__)

KEEPER_QUEUE = 256
"""Writes that wait for the Keeper before senders wait for the queue."""


class Daemon:
    """Everything one home needs, wired together; `run` serves until told to stop."""

    def __init__(self, paths: Paths, config: Config) -> None:
        self._paths = paths
        self._config = config
        self._began = monotonic()
        self._written: Counter[str] = Counter()
        """Writes since the start, by event."""
        self._ready = False
        self._publish = EventBus()
        clock = SystemClock()
        self._ledger = SqlLedger(
            config.ledger.url or paths.ledger,
            backups=paths.backups,
            clock=clock,
            home=home_name(paths.home) if config.ledger.url else "",
        )
        self._index = LanceIndex(config.index.url or paths.index, config.index)
        self._embedder = build_embedder(
            config.embedding, models=paths.models, offline=config.privacy.offline, observe=self._observe_model
        )
        rules = Rules(personal_data=frozenset(config.privacy.personal_data), words=config.privacy.replace)
        self._indexer = Indexer(self._ledger, self._index, self._embedder, self._publish)
        files = ProjectFolders()
        here = ProjectRules(rules, files)
        categories = Categories(config.categories, config.allowlists)
        view = MemoryView(self._ledger.memories, categories)
        searcher = Searcher(
            self._embedder,
            self._index,
            self._indexer,
            self._ledger.memories,
            config.recall,
            categories=categories,
            clock=clock,
            lifecycle=config.lifecycle,
        )
        self._judging = build_judging(
            config,
            choose(config),
            ledger=self._ledger,
            searcher=searcher,
            embedder=self._embedder,
            rules=rules,
            clock=clock,
            publish=self._publish,
        )
        standing = StandingMemory(
            self._ledger.memories,
            categories,
            nearness=searcher.nearness,
            sequence=lambda: self._indexer.target,
            tokens=config.recall.standing_tokens,
            shared=self._ledger.sharing.shared,
        )
        pipeline = Pipeline(
            embedder=self._embedder,
            searcher=searcher,
            indexer=self._indexer,
            judge=self._judging.sidecar,
            clock=clock,
            settings=config.recall,
            rules=rules,
            categories=categories,
            relatives=Relatives(self._ledger.memories),
            files=files,
            standing=standing,
        )
        self._switches = Switches(self._ledger.switches, clock)
        self._recall = MemoryActor(
            pipeline,
            self._ledger,
            clock,
            self._publish,
            config.recall,
            standing=standing,
            categories=categories,
            sequence=lambda: self._indexer.target,
            drops=self._switches.drops,
            shared=self._ledger.sharing.shared,
        )
        self._follower = Follower(self._ledger.sharing, self._indexer, self._switches)
        gate = Gatekeeper(
            clock=clock,
            embedding_model=self._embedder.identity,
            rules=rules,
            categories=categories,
            files=files,
            consent=config.consent,
        )
        neighbours = Neighbours(self._embedder, self._index, self._indexer, self._ledger.memories)
        self._keeper: ActorRef[KeeperMessage, tuple[Memory, ...]] = ActorRef(
            "keeper",
            lambda: Keeper(
                ledger=self._ledger,
                gate=gate,
                view=view,
                neighbours=neighbours,
                clock=clock,
                publish=self._publish,
                on_change=self._indexer.kick,
                on_purge=self._recall.purge,
            ),
            on_crash=_log_crash,
            capacity=KEEPER_QUEUE,
        )
        self._conversations = ConversationServices(
            config,
            paths,
            ledger=self._ledger,
            gate=gate,
            keeper=self._keeper,
            recall=self._recall,
            indexer=self._indexer,
            searcher=searcher,
            embedder=self._embedder,
            judging=self._judging,
            switches=self._switches,
            categories=categories,
            view=view,
            rules=rules,
            here=here,
            clock=clock,
            publish=self._publish,
            on_crash=_log_crash,
        )
        self._curator = Curator(
            index=self._index,
            indexer=self._indexer,
            recall=self._recall,
            ledger=self._ledger,
            embedding_model=self._embedder.identity,
            backups=self._ledger.backups.dated,
            back_up=self._back_up,
            clock=clock,
            publish=self._publish,
            schedule=Schedule(
                optimise_s=config.index.optimise_s,
                optimise_rows=config.index.optimise_rows,
                backup_s=config.ledger.backup_hours * 3600 if self._ledger.backups.possible else 0,
                traces_days=config.ledger.keep_traces_days,
                sessions_days=config.ledger.keep_sessions_days,
                events_days=config.ledger.keep_events_days,
            ),
        )
        consolidation = build_consolidation(
            config,
            ledger=self._ledger,
            index=self._index,
            indexer=self._indexer,
            recall=self._recall,
            keeper=self._keeper,
            switches=self._switches,
            view=view,
            judging=self._judging,
            rules=rules,
            embedding_model=self._embedder.identity,
            optimise=self._curator.optimise,
            clock=clock,
            publish=self._publish,
        )
        self._consolidator = consolidation.worker
        self._consolidation = consolidation.answers
        self._comparer = Comparer(
            ledger=self._ledger.memories,
            index=self._index,
            indexer=self._indexer,
            neighbours=neighbours,
            keeper=self._keeper,
            checker=consolidation.checker,
        )
        intake = Intake(self._conversations.scribe, self._publish, self._recall, self._switches)
        dispatcher = Dispatcher(
            keeping=KeepingAnswers(
                keeper=self._keeper,
                importer=Importer(
                    ledger=self._ledger.memories,
                    keeper=self._keeper,
                    clock=clock,
                    embedding_model=self._embedder.identity,
                    categories=categories,
                    rules=rules,
                    files=files,
                    consent=config.consent,
                ),
                consents=self._ledger.consents,
                view=view,
                switches=self._switches,
                note_written=self._recall.note_written,
            ),
            searching=SearchingAnswers(
                searcher=searcher,
                querier=Querier(
                    searcher,
                    self._ledger.memories,
                    self._embedder,
                    categories,
                    note=self._recall.note_query,
                    hear=self._recall.hear,
                ),
                ledger=self._ledger,
                view=view,
                clock=clock,
            ),
            purging=PurgingAnswers(
                keeper=self._keeper,
                purger=self._conversations.purger,
                indexer=self._indexer,
                ledger=self._ledger,
                view=view,
                drafts=paths.drafts,
            ),
            conversations=self._conversations.answers(),
            consolidation=consolidation.answers,
            core=CoreMemory(self._ledger.core, here, config.core),
            checkpoints=CheckpointKeeper(self._ledger.checkpoints, here, config.checkpoints),
            files=VirtualFiles(
                self._ledger.memories,
                self._keeper,
                categories,
                search=lambda query, visible, limit, deadline_s: searcher.search(
                    query, visible, limit=limit, deadline_s=deadline_s
                ),
                grep=grep,
            ),
            recall=self._recall,
            switches=self._switches,
            indexer=self._indexer,
            ledger=self._ledger,
            accept=intake.push,
            status=self._status,
            back_up=self._back_up,
            ready=lambda: self._ready,
        )
        self._server = Server(
            paths,
            on_update=intake.offer,
            answer=dispatcher.answer,
            answer_now=dispatcher.answer_now,
            inherited=notify.inherited_sockets(),
        )
        self._publish.listen(PipelineRan, self._conversations.extractor.pipeline_ran)
        self._publish.listen(ContextUpdate, self._conversations.capturer.offer)
        self._publish.listen(Wrote, self._count_write)
        for kind in get_args(Event):
            self._publish.listen(kind, self._server.publish)
        self._hosts = HostListener(
            folder=paths.arrivals,
            offer=self._recall.offer,
            clear=self._recall.clear,
            answer=dispatcher.answer,
            wait_s=config.hosts.wait_s,
        )
        self._hooks = HookServer(paths, self._hosts.hear, wait_s=config.hosts.wait_s)
        self._publish.listen(PipelineRan, self._hosts.decided)

    async def run(self) -> None:
        """Serve until SIGTERM or SIGINT, then finish what was accepted."""
        async with self._resources(), anyio.create_task_group() as tasks:
            with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
                async with anyio.create_task_group() as sessions, self._server:
                    self._recall.start(sessions)
                    tasks.start_soon(self._keeper.run, name="keeper")
                    self._conversations.start(tasks)
                    tasks.start_soon(self._indexer.run, name="indexer")
                    tasks.start_soon(self._follower.run, name="follower")
                    tasks.start_soon(self._ledger.sharing.lead, self._work_in_the_background, name="background")
                    tasks.start_soon(self._curator.run, name="curator")
                    tasks.start_soon(self._load_model, name="model")
                    tasks.start_soon(self._judging.prepare, name="judge")
                    tasks.start_soon(notify.feed_watchdog, name="watchdog")
                    tasks.start_soon(self._hooks.run, name="hooks")
                    settle()
                    self._ready = True
                    notify.notify(f"READY=1\nSTATUS=serving {self._paths.home}")
                    log.info("ready after %.3f s, serving %s", monotonic() - self._began, self._paths.home)
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
            await self._ledger.open()
            await self._switches.load()
            await anyio.to_thread.run_sync(drafts.expire, self._paths.drafts)
            await self._indexer.prepare()
            stack.push_async_callback(self._ledger.close)
            stack.push_async_callback(self._index.close)
            stack.push_async_callback(self._conversations.messages.close)
            stack.push_async_callback(self._conversations.transcripts.save)
            await stack.enter_async_context(self._embedder)
            await self._judging.open()
            stack.push_async_callback(self._judging.close)
            yield

    async def _drain(self) -> bool:
        """Upstream to downstream: requests, contexts, writes, index; return whether all of it was done in time."""
        limit_s = self._config.daemon.drain_s
        notify.stopping(limit_s)
        self._ready = False
        with anyio.move_on_after(limit_s) as limit:
            await self._server.drain(limit_s)
            await self._conversations.capturer.drain()
            self._keeper.close()
            self._conversations.scribe.close()
            await self._keeper.stopped.wait()
            await self._conversations.scribe.drained()
            await self._recall.drain()
        if limit.cancelled_caught:
            log.warning("stopped after %g s with work left; what was acknowledged is safe", limit_s)
        return not limit.cancelled_caught

    async def _work_in_the_background(self) -> None:
        """Do what is to be done once for a ledger, not once by each daemon on it."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._comparer.run, name="comparer")
            tasks.start_soon(self._consolidator.run, name="consolidation")

    async def _load_model(self) -> None:
        try:
            await self._embedder.warm()
            self._indexer.kick()  # it may have given up on the model meanwhile
            self._conversations.indexer.kick()
        except (Refused, RuntimeError) as failed:
            # Everything that needs no model goes on, and the next use tries again; `_observe_model` has told.
            log.warning("the model is not loaded: %s", failed)

    def _observe_model(self, statistics: ModelStatistics) -> None:
        if statistics.state == "failed":
            self._publish(Warned(component="model", message=statistics.message, hint=statistics.hint))

    def _count_write(self, event: Wrote) -> None:
        self._written[event.event] += 1

    async def _back_up(self, target: Path | None = None) -> str:
        if target is not None:
            await self._ledger.backups.copy(str(target))
            return str(target)
        if not self._ledger.backups.possible:
            await self._conversations.transcripts.back_up()
            raise Refused(
                f"the transcripts are copied to {self._paths.transcripts_copy}; the ledger is no file to be copied",
                "For PostgreSQL use pg_dump.",
            )
        kept = self._config.ledger
        retention = Retention(newest=kept.keep_backups, days=kept.keep_daily, weeks=kept.keep_weekly)
        try:
            return str(await self._ledger.backups.copy_dated(retention))
        finally:
            # After the ledger: what background work has done with a transcript, the copy of that transcript has.
            await self._conversations.transcripts.back_up()

    async def _status(self, caller: Caller) -> Status:
        try:
            ledger = health.ledger(
                self._curator.last_backup, await self._ledger.memories.counts(), self._ledger.sharing
            )
            tallies = await self._ledger.memories.tallies()
            events = health.events(*await self._ledger.events.lately())
        except Refused as refused:
            ledger = events = health.failed(refused)
            tallies = {}
        status = health.status(
            home=self._paths.home,
            ready=self._ready,
            busy=self._recall.busy() > 0 or self._indexer.applied < self._indexer.target,
            uptime_s=monotonic() - self._began,
            components={
                "model": lambda: health.model(self._embedder.statistics(), self._embedder.identity),
                "index": lambda: health.index(
                    self._indexer, optimised=self._curator.optimised, cached_bytes=self._index.cached_bytes
                ),
                "ledger": lambda: ledger,
                "events": lambda: events,
                "sidecar": self._judging.sidecar.status,
                "context": self._conversations.compactor.status,
                "episodes": self._conversations.episodes.status,
                "summaries": self._judging.summariser.status,
                "sessions": lambda: health.sessions(self._recall),
                "keeper": lambda: health.keeper(self._keeper.statistics()),
                "consolidation": lambda: health.consolidation(tallies, self._comparer.compared, self._written),
                "capture": lambda: health.capture(self._conversations.capturer, self._conversations.extractor),
                "transcripts": lambda: health.transcripts(
                    self._conversations.scribe.counts,
                    self._conversations.indexer,
                    self._conversations.transcripts.damaged.values(),
                    cached_bytes=self._conversations.messages.cached_bytes,
                ),
                "sockets": lambda: health.sockets(self._server.statistics()),
            },
        )
        return await self._told(status, caller)

    async def _told(self, status: Status, caller: Caller) -> Status:
        """Return the status with what is the caller's owner's: what is off, and the last consolidation."""
        memory = self._switches.status(caller)
        loud = (f"{memory.message}. {memory.hint}",) if memory.message else ()
        last = replace(status.components["consolidation"], facts=await self._consolidation.last(caller.owner))
        components = {**status.components, "memory": memory, "consolidation": last}
        return replace(status, components=components, warnings=(*loud, *status.warnings))


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


def _log_crash(name: str, bug: Exception) -> None:
    log.error("%s crashed on a message and was rebuilt", name, exc_info=bug)
