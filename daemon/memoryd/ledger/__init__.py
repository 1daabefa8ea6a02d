"""The ledger: where the truth rests, in SQL."""

from memoryd.ledger.ledger import SqlLedger as SqlLedger
from memoryd.ledger.retention import Retention as Retention

__all__ = ["Retention", "SqlLedger"]
