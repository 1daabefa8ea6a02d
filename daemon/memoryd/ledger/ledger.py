"""The ledger: one database, and a repository for each port."""

from pathlib import Path

from memoryd.ledger.backup_repository import SqlBackups
from memoryd.ledger.checkpoint_repository import SqlCheckpoints
from memoryd.ledger.consent_repository import SqlConsents
from memoryd.ledger.consolidation_repository import SqlConsolidation
from memoryd.ledger.core_repository import SqlCoreMemory
from memoryd.ledger.database import Database
from memoryd.ledger.events import SqlEvents
from memoryd.ledger.memories import SqlMemories
from memoryd.ledger.progress_repository import SqlProgress
from memoryd.ledger.pruning import SqlPruning
from memoryd.ledger.purges import SqlPurges
from memoryd.ledger.sessions import SqlSessions
from memoryd.ledger.spending import SqlSpending
from memoryd.ledger.switches import SqlSwitches
from memoryd.ledger.transcript_repository import SqlTranscripts
from memoryd_actors.ports.clock import Clock


class SqlLedger:
    """The repositories of one database, see `Database`; open it before any of them is used."""

    def __init__(self, path_or_url: Path | str, *, backups: Path | None = None, clock: Clock, home: str = "") -> None:
        self.database = database = Database(path_or_url, backups=backups, clock=clock, home=home)
        self.open = database.open
        self.close = database.close
        self.sharing = database.sharing
        self.memories = self.writes = self.changes = SqlMemories(database)
        self.sessions = SqlSessions(database)
        self.consents = SqlConsents(database)
        self.events = SqlEvents(database)
        self.purges = SqlPurges(database)
        self.pruning = SqlPruning(database)
        self.core = SqlCoreMemory(database, self.purges)
        self.checkpoints = SqlCheckpoints(database, self.purges)
        self.progress = SqlProgress(database)
        self.transcripts = SqlTranscripts(database) if database.keeps_transcripts else None
        """None where they are files."""
        self.switches = SqlSwitches(database)
        self.spending = SqlSpending(database)
        self.consolidation = SqlConsolidation(database)
        self.backups = SqlBackups(database)
