"""Beside the work: index and backups, counts, and several daemons on one ledger."""
