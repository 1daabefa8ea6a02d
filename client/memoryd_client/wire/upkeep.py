"""The ledger is copied, the index rebuilt."""

from memoryd_client.wire.request import Done, Request


class Backup(Request[Done], frozen=True, kw_only=True, omit_defaults=True, tag="backup"):
    """Write a consistent copy of the ledger to a new file."""

    path: str = ""
    """Empty: a dated file in the home's backups folder."""


class Reindex(Request[Done], frozen=True, tag="reindex"):
    """Rebuild the index from the ledger; progress shows in status and on the events socket."""
