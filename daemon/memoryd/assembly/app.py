"""The composition root: reads the configuration, builds everything, and runs it."""

import faulthandler
import logging
import os
import sys
from typing import get_args

import anyio
import msgspec

from memoryd import __version__, notify
from memoryd.assembly.answers import build_dispatcher
from memoryd.assembly.backup import BackupMaker
from memoryd.assembly.consolidation import build_consolidation
from memoryd.assembly.conversations import ConversationServices
from memoryd.assembly.daemon import Daemon
from memoryd.assembly.health import Health
from memoryd.assembly.memory import MemoryServices
from memoryd.assembly.upkeep import build_curator, build_mirrors, build_model_change
from memoryd.config import Config, ConfigInvalid, load, retired_in, unread
from memoryd.descriptors import allow_many, most_connections
from memoryd.documents import DocumentFiles
from memoryd.heap import share_arenas
from memoryd.home_name import home_name
from memoryd.hosts.listener import HostListener
from memoryd.hosts.server import HookServer
from memoryd.intake import Intake
from memoryd.ipc import Guard, Network, Server, SocketStatistics
from memoryd.keys import KeyRing
from memoryd.lock import hold_home
from memoryd.logs import logging_to
from memoryd.moving.arriving import unfinished
from memoryd.publisher import EventBus, wordless
from memoryd.telemetry import Telemetry
from memoryd.temporary import use_folder
from memoryd_actors.core.errors import DaemonError, Refused, first_of
from memoryd_actors.knowledge import KnowledgeBase
from memoryd_actors.upkeep.sharing import Follower
from memoryd_client.base.errors import KeyRefused
from memoryd_client.base.paths import Paths
from memoryd_client.base.remote import host_and_port
from memoryd_client.wire.context import ContextUpdate
from memoryd_client.wire.events import Event, PipelineRan, Wrote

log = logging.getLogger(__name__)


def with_index_of_its_own(paths: Paths, config: Config) -> Config:
    """Return the configuration with a place in the object store for this home alone, where several share the ledger.

    They may have one `index.url` then. Each of them holds its index in memory, and knows of its own writes only.
    """
    if not (config.index.url and config.ledger.url):
        return config
    url = f"{config.index.url.rstrip('/')}/{home_name(paths.home)}"
    return msgspec.structs.replace(config, index=msgspec.structs.replace(config.index, url=url))


def build(paths: Paths, config: Config) -> Daemon:
    """Return the daemon of a home, wired together. Nothing is opened yet."""
    config = with_index_of_its_own(paths, config)
    sockets = SocketStatistics()
    publish = EventBus(sockets.count_bug)
    memory = MemoryServices(config, paths, publish)
    conversations = ConversationServices(config, paths, memory)
    backup = BackupMaker(memory.ledger, memory.transcript_files, paths.transcripts_copy, config.ledger)
    curator = build_curator(config, memory, backup)
    consolidation = build_consolidation(config, memory, optimise=curator.optimise)
    model_change = build_model_change(paths, memory, conversations)
    beyond, network = SocketStatistics(), build_network(paths, config)
    mirrors = build_mirrors(paths, memory)
    telemetry = Telemetry(config.telemetry, memory.ledger.events, publish, memory.clock, offline=config.privacy.offline)
    health = Health(
        paths.home,
        memory,
        conversations,
        consolidation,
        curator,
        mirrors=mirrors,
        model_change=model_change,
        sockets=sockets,
        telemetry=telemetry,
        network=(beyond, network.guard) if network is not None else None,
    )
    knowledge = KnowledgeBase(
        DocumentFiles(),
        memory.ledger.memories,
        memory.keeper,
        view=memory.view,
        searcher=memory.searcher,
        recorder=memory.recorder,
        gate=memory.gate,
        files=memory.files,
        finisher=conversations.finisher,
        switches=memory.switches,
        clock=memory.clock,
        owners=memory.document_owners,
        home=home_name(paths.home) if config.ledger.url else "",
    )
    intake = Intake(conversations.scribe, publish, memory.recall, memory.switches, conversations.access)
    dispatcher = build_dispatcher(
        config,
        paths,
        memory,
        conversations,
        consolidation,
        knowledge=knowledge,
        mirrors=mirrors,
        model_change=model_change,
        health=health,
        intake=intake,
        back_up=backup.make,
    )
    server = Server(
        paths,
        on_update=intake.offer,
        answer=dispatcher.answer,
        answer_now=dispatcher.answer_now,
        inherited=notify.inherited_sockets(),
        most_connections=min(config.ipc.connections or most_connections(), most_connections()),
        counts=sockets,
    )
    remote = (
        Server(
            paths,
            on_update=intake.offer,
            answer=dispatcher.answer,
            answer_now=dispatcher.answer_now,
            most_connections=config.ipc.tcp_connections,
            counts=beyond,
            network=network,
        )
        if network is not None
        else None
    )
    hosts = HostListener(
        paths=paths,
        intake=intake,
        clean=conversations.scribe.clean,
        answer=dispatcher.answer,
        wait_s=config.hosts.wait_s,
    )
    conversations.prompts.on_drop = hosts.forget_prompt
    publish.listen(PipelineRan, conversations.extractor.pipeline_ran)
    publish.listen(ContextUpdate, conversations.capturer.offer)
    publish.listen(Wrote, health.count_write)
    publish.listen(Wrote, mirrors.written)

    def tell_here(event: Event) -> None:
        # On this machine nobody says who listens; over a network the keys do.
        server.publish(wordless(event) if config.allowlists else event)

    for kind in get_args(Event):
        publish.listen(kind, tell_here)
        if remote is not None:
            publish.listen(kind, remote.publish)
    return Daemon(
        paths=paths,
        drain_s=config.daemon.drain_s,
        memory=memory,
        conversations=conversations,
        consolidation=consolidation,
        curator=curator,
        knowledge=knowledge,
        telemetry=telemetry,
        mirrors=mirrors,
        model_change=model_change,
        follower=Follower(memory.ledger.sharing, memory.indexer, conversations.indexer, memory.switches),
        health=health,
        server=server,
        remote=remote,
        hooks=HookServer(paths, hosts.hear, wait_s=config.hosts.wait_s, lost=hosts.lost),
    )


def build_network(paths: Paths, config: Config) -> Network | None:
    """Return where a network is served, and who is let in there; None where none is.

    Raises:
        ConfigInvalid: the address is none.
    """
    if not config.ipc.tcp:
        return None
    try:
        host, port = host_and_port(config.ipc.tcp)
    except KeyRefused as exc:
        raise ConfigInvalid(f"ipc.tcp: {exc}") from exc
    ring = KeyRing(paths.keys)
    return Network(host, port, ring, Guard(ring, rate=config.ipc.tcp_rate, restricted=config.allowlists))


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
            for sentence in unread(os.environ).values():
                log.warning("%s", sentence)
            use_folder(paths.temporary)
            unfinished(paths)
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
    await build(paths, config).run()


def _fail(message: str, hint: str) -> int:
    sys.stderr.write(f"memoryd: {message}\n{hint}\n" if hint else f"memoryd: {message}\n")
    return 1
