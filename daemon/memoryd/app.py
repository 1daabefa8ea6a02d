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

import anyio

from memoryd import __version__, health, notify
from memoryd.clock import SystemClock
from memoryd.config import Config, ConfigInvalid, load
from memoryd.consolidation import build_consolidation
from memoryd.dispatch import Dispatcher, TranscriptDispatcher
from memoryd.embedding import Statistics as ModelStatistics
from memoryd.embedding import build_embedder
from memoryd.heap import settle, share_arenas
from memoryd.home_name import home_name
from memoryd.index import LanceIndex, LanceMessages
from memoryd.ipc import Server
from memoryd.judge import AnthropicExtraction, AnthropicInsights, AnthropicPairs, build_judge
from memoryd.ledger import Retention, SqlLedger
from memoryd.lock import hold_home
from memoryd.logs import logging_to
from memoryd.project_files import ProjectFolders
from memoryd.summaries import build_summariser
from memoryd.transcripts import JsonlTranscripts
from memoryd.virtual_files import grep
from memoryd_actors.access.categories import Categories
from memoryd_actors.access.switch import Switches
from memoryd_actors.actor import ActorRef
from memoryd_actors.admission.names import are_names
from memoryd_actors.admission.project_rules import ProjectRules
from memoryd_actors.capture.capturer import Capturer
from memoryd_actors.capture.second_look import SecondLook
from memoryd_actors.checkpoints import CheckpointKeeper
from memoryd_actors.context import Compactor, ContextBuilder, Counting, Sizes
from memoryd_actors.conversations.conversation import Conversations
from memoryd_actors.conversations.scribe import Scribe
from memoryd_actors.conversations.transcripts import Key
from memoryd_actors.core_memory import CoreMemory
from memoryd_actors.episodes import EpisodeTeller
from memoryd_actors.errors import MemorydError, Refused, first_of
from memoryd_actors.extraction.extractor import Extractor
from memoryd_actors.extraction.insights import Insights
from memoryd_actors.extraction.nearby import Nearby
from memoryd_actors.extraction.reader import Reader
from memoryd_actors.indexing.indexer import Indexer
from memoryd_actors.indexing.message_indexer import MessageIndexer
from memoryd_actors.judging.account import Account
from memoryd_actors.judging.breaker import Breaker
from memoryd_actors.judging.budget import Limits, Prices
from memoryd_actors.judging.cadence import Cadence
from memoryd_actors.judging.judge import JudgeFailed
from memoryd_actors.judging.local_judge import LocalJudge
from memoryd_actors.judging.lookups import MemoryLookups
from memoryd_actors.judging.pair_sidecar import PairSidecar
from memoryd_actors.judging.sidecar import FollowUps, Sidecar
from memoryd_actors.keeping.comparer import Comparer
from memoryd_actors.keeping.importing import Importer
from memoryd_actors.keeping.keeper import Keeper
from memoryd_actors.keeping.neighbours import Neighbours
from memoryd_actors.keeping.orders import KeeperMessage
from memoryd_actors.keeping.purger import TranscriptPurger
from memoryd_actors.recall.memory_actor import Recall
from memoryd_actors.recall.pipeline import Pipeline
from memoryd_actors.redaction import Rules
from memoryd_actors.searching.querying import Querier
from memoryd_actors.searching.related import Relatives
from memoryd_actors.searching.search import Searcher
from memoryd_actors.upkeep.curator import Curator, Schedule
from memoryd_actors.upkeep.sharing import Follower
from memoryd_actors.virtual_files import VirtualFiles
from memoryd_client import drafts
from memoryd_client.memory import Memory
from memoryd_client.messages import Caller, ContextUpdate, Event, PipelineRan, Status, Warned, Wrote
from memoryd_client.paths import Paths

log = logging.getLogger(__name__)

PURGE_S = 30.0
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
        self._remote = None if config.privacy.offline else build_judge(config.sidecar, rules)
        self._indexer = Indexer(self._ledger, self._index, self._embedder, self._publish)
        files = ProjectFolders()
        here = ProjectRules(rules, files)
        categories = Categories(config.categories, config.allowlists)
        searcher = Searcher(
            self._embedder,
            self._index,
            self._indexer,
            self._ledger,
            config.recall,
            categories=categories,
            clock=clock,
            lifecycle=config.lifecycle,
        )
        limits = Limits(daily_tokens=config.sidecar.daily_tokens, daily_usd=config.sidecar.daily_usd)
        # One for all that is asked of the remote judge: the daily limits hold together.
        account = Account(self._ledger, clock, limits)
        breaker = Breaker(failures_to_open=config.sidecar.failures_to_open, cool_down_s=config.sidecar.cool_down_s)
        prices = Prices(
            input_usd_per_million=config.sidecar.input_usd_per_million,
            output_usd_per_million=config.sidecar.output_usd_per_million,
        )
        self._sidecar = Sidecar(
            self._remote,
            LocalJudge(),
            account=account,
            clock=clock,
            publish=self._publish,
            breaker=breaker,
            prices=prices,
            follow_ups=FollowUps(
                lookups=config.sidecar.lookups,
                lookup_tokens=config.sidecar.lookup_tokens,
                second_vote=config.sidecar.second_vote,
            ),
            lookups=MemoryLookups(self._ledger, searcher, rules),
            deadline_s=config.sidecar.deadline_s,
            why_off="privacy.offline is on" if config.privacy.offline else "no key configured",
        )
        self._summariser = build_summariser(
            config,
            self._remote,
            self._embedder,
            account=account,
            clock=clock,
            publish=self._publish,
            rules=rules,
            breaker=breaker,
            prices=prices,
        )
        pipeline = Pipeline(
            embedder=self._embedder,
            searcher=searcher,
            indexer=self._indexer,
            judge=self._sidecar,
            clock=clock,
            settings=config.recall,
            rules=rules,
            cadence=Cadence(rule=config.sidecar.cadence, every=config.sidecar.cadence_turns),
            categories=categories,
            relatives=Relatives(self._ledger),
            files=files,
        )
        self._switches = Switches(self._ledger, clock)
        self._recall = Recall(
            pipeline,
            self._ledger,
            clock,
            self._publish,
            config.recall,
            categories=categories,
            sequence=lambda: self._indexer.target,
            listen=self._listen,
            drops=self._switches.drops,
            shared=self._ledger.sharing.shared,
        )
        self._follower = Follower(self._ledger.sharing, self._indexer, self._switches)
        neighbours = Neighbours(self._embedder, self._index, self._indexer, self._ledger)
        self._keeper: ActorRef[KeeperMessage, tuple[Memory, ...]] = ActorRef(
            "keeper",
            lambda: Keeper(
                ledger=self._ledger,
                neighbours=neighbours,
                clock=clock,
                publish=self._publish,
                on_change=self._indexer.kick,
                on_purge=self._recall.purge,
                embedding_model=self._embedder.identity,
                rules=rules,
                files=files,
                consent=config.consent,
            ),
            on_crash=_log_crash,
            capacity=KEEPER_QUEUE,
        )
        pairs: PairSidecar | None = None
        if self._remote is not None:
            pairs = PairSidecar(
                AnthropicPairs(self._remote, rules),
                account=account,
                clock=clock,
                publish=self._publish,
                breaker=breaker,
                prices=prices,
                deadline_s=config.sidecar.deadline_s,
            )
        self._capturer = Capturer(
            keeper=self._keeper,
            recall=self._recall,
            ledger=self._ledger,
            publish=self._publish,
            settings=config.capture,
            rules=rules,
            categories=categories,
            place=self._find_said,
            on_unfinished=self._look_again,
        )
        self._curator = Curator(
            index=self._index,
            indexer=self._indexer,
            recall=self._recall,
            ledger=self._ledger,
            embedding_model=self._embedder.identity,
            backups=self._ledger.backups,
            back_up=self._back_up,
            clock=clock,
            publish=self._publish,
            schedule=Schedule(
                optimise_s=config.index.optimise_s,
                optimise_rows=config.index.optimise_rows,
                backup_s=config.ledger.backup_hours * 3600 if self._ledger.backs_up else 0,
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
            categories=categories,
            pairs=pairs,
            judge=self._remote.name if self._remote is not None else "local",
            summariser=self._summariser,
            rules=rules,
            embedding_model=self._embedder.identity,
            optimise=self._curator.optimise,
            clock=clock,
            publish=self._publish,
        )
        self._consolidator = consolidation.worker
        self._comparer = Comparer(
            ledger=self._ledger,
            index=self._index,
            indexer=self._indexer,
            neighbours=neighbours,
            keeper=self._keeper,
            checker=consolidation.checker,
        )
        self._transcripts = JsonlTranscripts(paths.transcripts, paths.transcripts_copy)
        self._second_look = SecondLook(
            self._transcripts,
            self._ledger,
            self._switches,
            clock,
            self._capturer.hear_again,
            settings=config.capture,
        )
        messages = f"{config.index.url.rstrip('/')}/messages" if config.index.url else paths.messages_index
        self._messages = LanceMessages(messages, config.index)
        self._message_indexer = MessageIndexer(self._transcripts, self._messages, self._embedder, self._publish)
        self._scribe = Scribe(
            self._transcripts,
            clock,
            self._publish,
            settings=config.transcripts,
            rules=here,
            on_append=self._appended,
            on_crash=_log_crash,
        )
        self._extractor = Extractor(
            transcripts=self._transcripts,
            book=self._ledger,
            ledger=self._ledger,
            keeper=self._keeper,
            recall=self._recall,
            reader=Reader(
                AnthropicExtraction(self._remote, rules) if self._remote else None,
                account=account,
                publish=self._publish,
                settings=config.capture,
                prices=prices,
            ),
            near=Nearby(searcher, categories).near,
            switches=self._switches,
            insights=Insights(
                AnthropicInsights(self._remote, rules),
                book=self._ledger,
                ledger=self._ledger,
                keeper=self._keeper,
                account=account,
                clock=clock,
                categories=categories,
                prices=prices,
            )
            if self._remote
            else None,
            clock=clock,
            publish=self._publish,
            settings=config.capture,
            rules=rules,
            categories=categories,
        )
        counting = Counting(self._embedder)
        self._sizes = Sizes(self._transcripts, counting)
        self._episodes = EpisodeTeller(
            transcripts=self._transcripts,
            summariser=self._summariser,
            quoting=self._summariser.quoting,
            recall=self._recall,
            keeper=self._keeper,
            book=self._ledger,
            switches=self._switches,
            clock=clock,
            publish=self._publish,
            settings=config.episodes,
            categories=categories,
        )
        self._compactor = Compactor(
            transcripts=self._transcripts,
            sizes=self._sizes,
            warm=self._embedder.warm,
            summariser=self._summariser,
            appender=self._scribe,
            ledger=self._ledger,
            recall=self._recall,
            keeper=self._keeper,
            book=self._ledger,
            switches=self._switches,
            publish=self._publish,
            settings=config.context,
            categories=categories,
        )
        dispatcher = Dispatcher(
            recall=self._recall,
            keeper=self._keeper,
            searcher=searcher,
            querier=Querier(
                searcher, self._ledger, self._embedder, categories, note=self._recall.note_query, hear=self._recall.hear
            ),
            indexer=self._indexer,
            ledger=self._ledger,
            clock=clock,
            status=self._status,
            back_up=self._back_up,
            ready=lambda: self._ready,
            categories=categories,
            core=CoreMemory(self._ledger, here, config.core),
            checkpoints=CheckpointKeeper(self._ledger, here, config.checkpoints),
            files=VirtualFiles(
                self._ledger,
                self._keeper,
                categories,
                search=lambda query, visible, limit, deadline_s: searcher.search(
                    query, visible, limit=limit, deadline_s=deadline_s
                ),
                grep=grep,
            ),
            transcripts=TranscriptDispatcher(
                scribe=self._scribe,
                transcripts=self._transcripts,
                conversations=Conversations(self._transcripts, self._messages, self._message_indexer, self._embedder),
                indexer=self._message_indexer,
                categories=categories,
                contexts=ContextBuilder(
                    self._transcripts,
                    self._sizes,
                    counting,
                    memories=self._recall,
                    core=self._ledger,
                    settings=config.context,
                ),
                compactor=self._compactor,
                off=self._switches.off,
                progress=self._ledger,
                forget=self._forget_session,
                on_append=self._capturer.appended,
                on_end=self._ended,
            ),
            accept=self._accept_durably,
            switches=self._switches,
            purger=TranscriptPurger(self._ledger, self._transcripts, self._scribe, self._message_indexer),
            drafts=paths.drafts,
            importer=Importer(
                ledger=self._ledger,
                standing=self._ledger,
                keeper=self._keeper,
                clock=clock,
                embedding_model=self._embedder.identity,
                rules=rules,
                files=files,
                consent=config.consent,
            ),
            consolidating=consolidation.answers,
        )
        self._server = Server(
            paths,
            on_update=self._accept,
            answer=dispatcher.answer,
            answer_now=dispatcher.answer_now,
            inherited=notify.inherited_sockets(),
        )

    async def run(self) -> None:
        """Serve until SIGTERM or SIGINT, then finish what was accepted."""
        async with self._resources(), anyio.create_task_group() as tasks:
            with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
                async with anyio.create_task_group() as sessions, self._server:
                    self._recall.start(sessions)
                    tasks.start_soon(self._keeper.run, name="keeper")
                    tasks.start_soon(self._capturer.run, name="capture")
                    tasks.start_soon(self._second_look.run, name="second look")
                    tasks.start_soon(self._scribe.run, name="scribe")
                    tasks.start_soon(self._transcripts.run, name="transcripts")
                    tasks.start_soon(self._message_indexer.run, name="message indexer")
                    tasks.start_soon(self._indexer.run, name="indexer")
                    tasks.start_soon(self._extractor.run, name="extractor")
                    tasks.start_soon(self._follower.run, name="follower")
                    tasks.start_soon(self._ledger.sharing.lead, self._work_in_the_background, name="background")
                    tasks.start_soon(self._compactor.run, name="compactor")
                    tasks.start_soon(self._episodes.run, name="episodes")
                    tasks.start_soon(self._curator.run, name="curator")
                    tasks.start_soon(self._load_model, name="model")
                    tasks.start_soon(self._prepare_judge, name="judge")
                    tasks.start_soon(notify.feed_watchdog, name="watchdog")
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
            stack.push_async_callback(self._messages.close)
            stack.push_async_callback(self._transcripts.save)
            await stack.enter_async_context(self._embedder)
            await self._sidecar.open()
            stack.push_async_callback(self._sidecar.close)
            if self._remote is not None:
                stack.push_async_callback(self._remote.aclose)
            yield

    async def _drain(self) -> bool:
        """Upstream to downstream: requests, contexts, writes, index; return whether all of it was done in time."""
        limit_s = self._config.daemon.drain_s
        notify.stopping(limit_s)
        self._ready = False
        with anyio.move_on_after(limit_s) as limit:
            await self._server.drain(limit_s)
            await self._capturer.drain()
            self._keeper.close()
            self._scribe.close()
            await self._keeper.stopped.wait()
            await self._scribe.drained()
            await self._recall.drain()
        if limit.cancelled_caught:
            log.warning("stopped after %g s with work left; what was acknowledged is safe", limit_s)
        return not limit.cancelled_caught

    async def _work_in_the_background(self) -> None:
        """Do what is to be done once for a ledger, not once by each daemon on it."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._comparer.run, name="comparer")
            tasks.start_soon(self._consolidator.run, name="consolidation")

    async def _prepare_judge(self) -> None:
        """Load the judge's SDK ahead of its first call, whose deadline could not bear it."""
        if self._remote is None:
            return
        try:
            await self._remote.prepare()
        except JudgeFailed as failed:
            log.warning("%s %s", failed, failed.hint)

    async def _load_model(self) -> None:
        try:
            await self._embedder.warm()
            self._indexer.kick()  # it may have given up on the model meanwhile
            self._message_indexer.kick()
        except (Refused, RuntimeError) as failed:
            # Everything that needs no model goes on, and the next use tries again; `_observe_model` has told.
            log.warning("the model is not loaded: %s", failed)

    def _observe_model(self, statistics: ModelStatistics) -> None:
        if statistics.state == "failed":
            self._publish(Warned(component="model", message=statistics.message, hint=statistics.hint))

    def _accept(self, update: ContextUpdate) -> bool:
        if not self._is_named(update):
            return False
        if self._switches.off(update.caller.owner, update.caller.project) is None:
            # What was said is kept also where it comes too late to be recalled for.
            self._scribe.offer(update)
        return self._recall.offer(update)

    async def _accept_durably(self, update: ContextUpdate, deadline_s: float) -> bool:
        if not self._is_named(update):
            return False
        accepted = self._recall.offer(update)
        if self._switches.off(update.caller.owner, update.caller.project) is None:
            await self._scribe.push(update, deadline_s=deadline_s)
        return accepted

    def _is_named(self, update: ContextUpdate) -> bool:
        if are_names(update.caller):
            return True
        hint = "A push under such a name is dropped. Name it without one."
        self._publish(Warned(component="sessions", message="owner, session or project holds a secret", hint=hint))
        return False

    def _listen(self, update: ContextUpdate) -> None:
        self._capturer.offer(update)

    def _look_again(self, key: Key) -> None:
        self._second_look.note(key)

    def _appended(self, key: Key, last: int) -> None:
        self._message_indexer.note(key, last)
        self._extractor.note(key, last)
        self._compactor.note(key, last)
        self._episodes.note(key, last)

    def _ended(self, key: Key) -> None:
        """Hear that a session is over, or was purged: `progress` says which, and survives what hears it here."""
        self._extractor.ended(key)
        self._episodes.ended(key)
        self._sizes.forget(key)

    async def _forget_session(self, key: Key, project: str) -> None:
        """Destroy the memories that tell a session whose transcript is destroyed, and what it asked and was shown."""
        self._recall.forget_session(key)
        await self._ledger.purge_session(*key)
        if await self._compactor.forget(key, project):
            await self._indexer.purge(deadline_s=PURGE_S)

    async def _find_said(self, caller: Caller, said: str) -> int | None:
        return await self._scribe.find((caller.owner, caller.session), said) if caller.session else None

    def _publish(self, event: Event, /) -> None:
        if isinstance(event, PipelineRan) and event.trace.topic_changed:
            self._extractor.topic_changed(event.trace.session)
        if isinstance(event, Wrote):
            self._written[event.event] += 1
        self._server.publish(event)

    async def _back_up(self, target: Path | None = None) -> str:
        if target is not None:
            await self._ledger.backup(str(target))
            return str(target)
        if not self._ledger.backs_up:
            await self._transcripts.back_up()
            raise Refused(
                f"the transcripts are copied to {self._paths.transcripts_copy}; the ledger is no file to be copied",
                "For PostgreSQL use pg_dump.",
            )
        kept = self._config.ledger
        retention = Retention(newest=kept.keep_backups, days=kept.keep_daily, weeks=kept.keep_weekly)
        try:
            return str(await self._ledger.backup_dated(retention))
        finally:
            # After the ledger: what background work has done with a transcript, the copy of that transcript has.
            await self._transcripts.back_up()

    async def _status(self) -> Status:
        try:
            ledger = health.ledger(self._curator.last_backup, await self._ledger.counts(), self._ledger.sharing)
            tallies = await self._ledger.tallies()
            events = health.events(*await self._ledger.events_lately())
        except Refused as refused:
            ledger = events = health.failed(refused)
            tallies = {}
        return health.status(
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
                "sidecar": self._sidecar.status,
                "context": self._compactor.status,
                "episodes": self._episodes.status,
                "summaries": self._summariser.status,
                "sessions": lambda: health.sessions(self._recall),
                "keeper": lambda: health.keeper(self._keeper.statistics()),
                "consolidation": lambda: health.consolidation(tallies, self._comparer.compared, self._written),
                "capture": lambda: health.capture(self._capturer, self._extractor),
                "transcripts": lambda: health.transcripts(
                    self._scribe.counts,
                    self._message_indexer,
                    self._transcripts.damaged.values(),
                    cached_bytes=self._messages.cached_bytes,
                ),
                "sockets": lambda: health.sockets(self._server.statistics()),
            },
        )


def main() -> int:
    """Run the daemon in the foreground; return the exit code."""
    faulthandler.enable()  # a watchdog's SIGABRT then leaves a traceback in the log
    share_arenas()
    paths = Paths.from_environment()
    try:
        config = load(paths.config)
        with hold_home(paths, version=__version__), logging_to(paths, config.daemon.log_level):
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
    except MemorydError as exc:
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
