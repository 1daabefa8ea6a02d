"""The ledger: where the truth rests, in SQL."""

from memoryd.ledger.consolidation_book import LedgerBook as LedgerBook
from memoryd.ledger.retention import Retention as Retention
from memoryd.ledger.sql import SqlLedger as SqlLedger

__all__ = ["LedgerBook", "Retention", "SqlLedger"]
