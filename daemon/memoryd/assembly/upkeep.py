"""Puts together who looks after the index, its embedding model, the ledger, the backups and mirrored folders."""

from memoryd.assembly.backup import BackupMaker
from memoryd.assembly.conversations import ConversationServices
from memoryd.assembly.memory import MemoryServices
from memoryd.config import Config
from memoryd.embedding.model_change import ModelChange
from memoryd.mirror.mirrors import MirrorKeeper
from memoryd_actors.ageing.expiry import Expiry
from memoryd_actors.mirroring.taking import FileTaker
from memoryd_actors.upkeep.curator import Curator, Schedule
from memoryd_client.base.paths import Paths


def build_curator(config: Config, memory: MemoryServices, backup: BackupMaker) -> Curator:
    """Return the curator."""
    ledger = config.ledger
    return Curator(
        index=memory.index,
        indexer=memory.indexer,
        recall=memory.recall,
        ledger=memory.ledger,
        embedding_model=lambda: memory.embedder.identity,
        backups=memory.ledger.backups.dated,
        back_up=backup.make,
        clock=memory.clock,
        publish=memory.publish,
        expire=Expiry(memory.ledger.memories, memory.keeper, memory.clock, config.lifecycle).forget_expired,
        schedule=Schedule(
            optimise_s=config.index.optimise_s,
            optimise_rows=config.index.optimise_rows,
            backup_s=ledger.backup_hours * 3600 if memory.ledger.backups.possible else 0,
            traces_days=ledger.keep_traces_days,
            sessions_days=ledger.keep_sessions_days,
            events_days=ledger.keep_events_days,
            most_events=ledger.keep_events,
        ),
    )


def build_mirrors(paths: Paths, memory: MemoryServices) -> MirrorKeeper:
    """Return who keeps folders of Markdown files in step with memory."""
    taker = FileTaker(keeper=memory.keeper, gate=memory.gate, switches=memory.switches, clock=memory.clock)
    return MirrorKeeper(paths.mirrors, home=paths.home, ledger=memory.ledger, taker=taker, publish=memory.publish)


def build_model_change(paths: Paths, memory: MemoryServices, conversations: ConversationServices) -> ModelChange:
    """Return what follows the configuration's embedding model."""
    return ModelChange(
        paths=paths,
        ledger=memory.ledger,
        transcripts=conversations.transcripts,
        generations=memory.generations,
        embedder=memory.embedder,
        memories=memory.index,
        messages=conversations.messages,
        indexer=memory.indexer,
        message_indexer=conversations.indexer,
        build_embedder=memory.build_embedder,
        is_busy=memory.is_busy,
        publish=memory.publish,
    )
