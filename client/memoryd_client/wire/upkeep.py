"""The ledger is copied, the index rebuilt, its model changed."""

from memoryd_client.wire.places import Place
from memoryd_client.wire.request import Done, Request


class Backup(Request[Done], frozen=True, kw_only=True, omit_defaults=True, tag="backup"):
    """Write a consistent copy of the ledger to a new file."""

    path: Place = ""
    """Empty: a dated file in the home's backups folder."""


class Reindex(Request[Done], frozen=True, tag="reindex"):
    """Rebuild the index from the ledger; progress shows in status and on the events socket."""


class Reembed(Request[Done], frozen=True, tag="reembed"):
    """Look at the configuration's embedding model anew, and change to it in the background; status shows progress."""
