"""Backups: copies of the ledger, where it is a file, and of the transcripts."""

from pathlib import Path

from memoryd.config import LedgerConfig
from memoryd.ledger import Retention, SqlLedger
from memoryd.transcripts import JsonlTranscripts


class BackupMaker:
    """Copies what cannot be derived from anything else."""

    def __init__(
        self, ledger: SqlLedger, transcripts: JsonlTranscripts | None, folder: Path, settings: LedgerConfig
    ) -> None:
        """Prepare; `folder` is where the transcripts are copied to, where they are files."""
        self._ledger = ledger
        self._transcripts = transcripts
        self._folder = folder
        self._retention = Retention(newest=settings.keep_backups, days=settings.keep_daily, weeks=settings.keep_weekly)

    async def make(self, target: Path | None = None) -> str:
        """Copy the ledger to a new file, else to a dated one beside the transcripts; return where the copy is.

        Raises:
            DiskFull: there is no space for it.
            Refused: `target` exists, or the ledger is no file.
        """
        if target is not None or self._transcripts is None:
            await self._ledger.backups.copy(str(target or self._folder))
            return str(target)
        made = self._folder
        try:
            if self._ledger.backups.possible:
                made = await self._ledger.backups.copy_dated(self._retention)
        finally:
            # After the ledger: what background work has done with a transcript, the copy of that transcript has.
            await self._transcripts.back_up()
        return str(made)
