"""The ledger: where the truth rests, in SQL."""

from memoryd.ledger.sql import SqlLedger as SqlLedger

__all__ = ["SqlLedger"]
